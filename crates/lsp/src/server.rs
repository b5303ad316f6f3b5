//! The server: messages of the client come in, in order. Edits are made at once; requests are answered by other threads, over a
//! snapshot of how the files were when the request came.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use base::{Diagnostic, FileReport};
use camino::{Utf8Path, Utf8PathBuf};
use project::{Project, Snapshot};
use serde_json::{Value, json};

use crate::best_practices::{self, BestPractices};
use crate::cancel::CancelToken;
use crate::capabilities::{capabilities, registrations};
use crate::client::{Abilities, Client};
use crate::convert::{self, set};
use crate::diagnostics::diagnostics;
use crate::documents::{Document, DocumentKind, Documents};
use crate::handlers::{self, Request};
use crate::pool::Pool;
use crate::rpc::{self, Message, RpcError};
use crate::transport::{self, Connection, Incoming};
use crate::{Setup, uri, workspace};

/// Serves a client. Gives back whether it left in order.
pub(crate) fn run(connection: Connection, setup: Setup) -> bool {
    let Connection { mut reader, writer } = connection;
    let mut server = Server::new(Client::new(writer), setup);
    loop {
        match transport::read(&mut *reader) {
            Incoming::End => return server.is_shut_down,
            Incoming::Malformed(what) => {
                let error = RpcError::new(RpcError::INVALID_REQUEST, format!("The client sent {what}."));
                server.client.send(&rpc::response(&Value::Null, Err(error)));
            }
            Incoming::Message(content) => {
                if server.take(&content) == Flow::Exit {
                    return server.is_shut_down;
                }
            }
        }
    }
}

#[derive(PartialEq, Eq)]
enum Flow {
    Continue,
    Exit,
}

struct Server {
    client: Arc<Client>,
    abilities: Arc<Abilities>,
    project: Project,
    documents: Documents,
    /// The revision with which each open document was last changed: what is about older ones is outdated.
    revisions: Revisions,
    pending: Pending,
    tokens: Arc<handlers::TokenCache>,
    /// What runs best-practice rules; none when they are not wanted.
    best_practices: Option<Arc<BestPractices>>,
    /// Set by requests that change what all files are made of.
    needs_refresh: Arc<AtomicBool>,
    pool: Pool,
    version: String,
    is_initialized: bool,
    is_shut_down: bool,
}

type Revisions = Arc<Mutex<BTreeMap<String, u64>>>;
type Pending = Arc<Mutex<BTreeMap<String, CancelToken>>>;

impl Server {
    fn new(client: Client, setup: Setup) -> Self {
        let threads = std::thread::available_parallelism().map_or(2, usize::from).clamp(2, 8);
        Self {
            client: Arc::new(client),
            abilities: Arc::default(),
            project: Project::new(setup.world, setup.types, setup.options),
            documents: Documents::default(),
            revisions: Arc::default(),
            pending: Arc::default(),
            tokens: Arc::default(),
            best_practices: setup.best_practices.then(Arc::default),
            needs_refresh: Arc::default(),
            pool: Pool::new(threads + 1),
            version: setup.version,
            is_initialized: false,
            is_shut_down: false,
        }
    }

    fn take(&mut self, content: &[u8]) -> Flow {
        match rpc::parse(content) {
            Err(error) => self.client.send(&rpc::response(&Value::Null, Err(error))),
            Ok(Message::Invalid { id }) => {
                let error = RpcError::new(
                    RpcError::INVALID_REQUEST,
                    "The message is neither a request nor an answer.",
                );
                self.client.send(&rpc::response(&id, Err(error)));
            }
            Ok(Message::Response { .. }) => {
                if self.needs_refresh.swap(false, Ordering::AcqRel) {
                    self.project.refresh();
                    self.publish_all();
                }
            }
            Ok(Message::Request { id, method, params }) => self.request(&id, &method, params),
            Ok(Message::Notification { method, params }) => {
                if method == "exit" {
                    return Flow::Exit;
                }
                // An edit that goes wrong must not end the server; the next whole text sets it right.
                let done = catch_unwind(AssertUnwindSafe(|| self.notification(&method, &params)));
                if done.is_err() {
                    self.client.log(&format!("{method} could not be followed."));
                }
            }
        }
        Flow::Continue
    }

    fn request(&mut self, id: &Value, method: &str, params: Value) {
        let answer = match method {
            "initialize" => {
                self.abilities = Arc::new(Abilities::of(&params));
                if let Some(wanted) = self.abilities.best_practices {
                    self.best_practices = wanted.then(Arc::default);
                }
                self.is_initialized = true;
                let info = json!({ "name": "sinew", "version": self.version });
                Ok(json!({ "capabilities": capabilities(), "serverInfo": info }))
            }
            _ if !self.is_initialized => {
                Err(RpcError::new(RpcError::NOT_INITIALIZED, "The client has not sent initialize yet."))
            }
            "shutdown" => {
                self.is_shut_down = true;
                Ok(Value::Null)
            }
            _ if self.is_shut_down => {
                Err(RpcError::new(RpcError::INVALID_REQUEST, "The server has been shut down."))
            }
            _ => return self.dispatch(id, method, params),
        };
        self.client.send(&rpc::response(id, answer));
    }

    /// Gives a request to a thread.
    fn dispatch(&self, id: &Value, method: &str, params: Value) {
        let Some(handler) = handlers::find(method) else {
            let error = RpcError::new(RpcError::METHOD_NOT_FOUND, format!("There is no method {method}."));
            return self.client.send(&rpc::response(id, Err(error)));
        };
        let token = CancelToken::default();
        let key = id.to_string();
        lock(&self.pending).insert(key.clone(), token.clone());
        let snapshot = self.project.snapshot();
        let revision = snapshot.revision();
        let request = Request {
            snapshot,
            document: document_uri(&params).and_then(|uri| self.documents.get(uri)).cloned(),
            params,
            abilities: Arc::clone(&self.abilities),
            client: Arc::clone(&self.client),
            open: self.documents.all().map(|it| (it.path.clone(), it.uri.clone())).collect(),
            tokens: Arc::clone(&self.tokens),
            best_practices: self.best_practices.clone(),
            needs_refresh: Arc::clone(&self.needs_refresh),
        };
        let (client, pending, revisions) =
            (Arc::clone(&self.client), Arc::clone(&self.pending), Arc::clone(&self.revisions));
        let id = id.clone();
        self.pool.run(move || {
            let answer = if token.is_cancelled() {
                Err(RpcError::cancelled())
            } else if is_outdated(&revisions, &request, revision) {
                Err(RpcError::new(RpcError::CONTENT_MODIFIED, "The document has changed since."))
            } else {
                catch_unwind(AssertUnwindSafe(|| handler(&request))).unwrap_or_else(|_| {
                    Err(RpcError::new(RpcError::INTERNAL, "The request failed by a mistake of the server."))
                })
            };
            lock(&pending).remove(&key);
            client.send(&rpc::response(&id, answer));
        });
    }

    fn notification(&mut self, method: &str, params: &Value) {
        match method {
            "initialized" => self.start(),
            "$/cancelRequest" => {
                let key = params.get("id").map(Value::to_string).unwrap_or_default();
                if let Some(token) = lock(&self.pending).get(&key) {
                    token.cancel();
                }
            }
            "textDocument/didOpen" => {
                if let Some(document) = self.documents.open(params) {
                    self.edited(&document);
                }
            }
            "textDocument/didChange" => {
                if let Some(document) = self.documents.change(params) {
                    self.edited(&document);
                }
            }
            "textDocument/didClose" => {
                if let Some(document) = self.documents.close(params) {
                    self.closed(&document);
                }
            }
            "textDocument/didSave" => self.saved(params),
            "workspace/didChangeWatchedFiles" => self.files_changed(params),
            "workspace/didChangeWorkspaceFolders" => self.folders_changed(params),
            "workspace/didChangeConfiguration" => {
                self.project.refresh();
                self.publish_all();
            }
            _ => {}
        }
    }

    fn start(&mut self) {
        self.client.log(&format!("sinew {} serves as process {}.", self.version, std::process::id()));
        if self.abilities.watches_files {
            self.client.request("client/registerCapability", &registrations());
        }
        self.project.set_workspace(workspace::files(&self.abilities.folders));
    }

    fn folders_changed(&mut self, params: &Value) {
        let mut abilities = Abilities::clone(&self.abilities);
        let uris = |name: &str| {
            let listed = params.pointer(&format!("/event/{name}")).and_then(Value::as_array);
            let uris = listed.into_iter().flatten().filter_map(|it| it.get("uri")?.as_str());
            uris.map(str::to_owned).collect::<Vec<_>>()
        };
        let removed = uris("removed");
        abilities.folders.retain(|folder| !removed.contains(folder));
        abilities.folders.extend(uris("added"));
        self.project.set_workspace(workspace::files(&abilities.folders));
        self.abilities = Arc::new(abilities);
    }

    /// A document was opened or changed.
    fn edited(&mut self, document: &Document) {
        if document.kind == DocumentKind::Config {
            // What is typed counts when it is saved, but what is wrong with it is told at once.
            let snapshot =
                self.project.snapshot().with_text(&document.path, Arc::clone(document.source.text()));
            return self.publish_config(&snapshot, &document.path);
        }
        if document.kind == DocumentKind::TooLarge {
            self.project.close(&document.path);
            self.mark(document);
            return publish_failure(&self.client, document, "TooLarge", TOO_LARGE);
        }
        self.project.open(&document.path, document.version, Arc::clone(document.source.text()));
        self.mark(document);
        match document.kind {
            DocumentKind::Bicep => self.publish(document, true),
            DocumentKind::Json => self.json_edited(document),
            DocumentKind::Config | DocumentKind::Other | DocumentKind::TooLarge => {}
        }
        self.publish_dependents(std::slice::from_ref(&document.path));
    }

    /// A rule file says at once what is wrong with it, and its rules run anew; a template in JSON is looked at by them.
    fn json_edited(&self, document: &Document) {
        let Some(practices) = &self.best_practices else { return };
        if best_practices::is_rule_file(&self.project.snapshot(), &document.path) {
            let found = rules::read(document.source.text()).diagnostics;
            let report = FileReport::new(Arc::clone(&document.source), found);
            publish_report(&self.client, &document.uri, Some(document.version), &report);
            return self.check_practices_of_all();
        }
        if practices.was_shown(&document.uri) || document.source.text().contains("deploymentTemplate.json") {
            self.check_practices(document, true);
        }
    }

    /// Whatever is about the document as it was before is outdated.
    fn mark(&self, document: &Document) {
        lock(&self.revisions).insert(document.uri.clone(), self.project.snapshot().revision());
    }

    fn closed(&mut self, document: &Document) {
        lock(&self.revisions).remove(&document.uri);
        self.tokens.forget(&document.uri);
        if let Some(practices) = &self.best_practices {
            practices.forget(&document.uri);
        }
        if document.kind != DocumentKind::Config && self.documents.with_path(&document.path).next().is_none()
        {
            self.project.close(&document.path);
            self.publish_dependents(std::slice::from_ref(&document.path));
        }
        let none = json!({ "uri": document.uri, "diagnostics": [] });
        self.client.notify("textDocument/publishDiagnostics", &none);
    }

    fn saved(&mut self, params: &Value) {
        let Some(document) = document_uri(params).and_then(|uri| self.documents.get(uri)).cloned() else {
            return;
        };
        if document.kind == DocumentKind::Config {
            self.config_changed(&document.path);
        }
    }

    fn config_changed(&mut self, path: &Utf8Path) {
        self.project.changed(&[path.to_owned()]);
        self.publish_config(&self.project.snapshot(), path);
        self.publish_all();
    }

    /// Files were changed by others. Those that are open are the editor's.
    fn files_changed(&mut self, params: &Value) {
        const CREATED: u64 = 1;
        let changes = params.get("changes").and_then(Value::as_array);
        let mut paths = Vec::new();
        let mut refreshed = Vec::new();
        for change in changes.into_iter().flatten() {
            let Some(path) = change.get("uri").and_then(Value::as_str).and_then(uri::file_path) else {
                continue;
            };
            if self.documents.with_path(&path).any(|document| document.kind != DocumentKind::Config) {
                continue;
            }
            // What is created may be what a file has been missing, but nothing that has an answer changes by it.
            if change.get("type").and_then(Value::as_u64) != Some(CREATED) {
                refreshed.push(path.clone());
            }
            paths.push(path);
        }
        if paths.is_empty() {
            return;
        }
        let before = self.project.snapshot();
        self.project.changed(&paths);
        self.project.set_workspace(workspace::after(&before, &paths));
        if paths.iter().any(|path| path.file_name() == Some("bicepconfig.json")) {
            return self.publish_all();
        }
        self.publish_dependents(&refreshed);
        let is_setting = |path: &Utf8PathBuf| {
            matches!(path.file_name(), Some(config::project_settings::PROJECT_FILE_NAME))
                || best_practices::is_rule_file(&self.project.snapshot(), path)
        };
        if paths.iter().any(is_setting) {
            self.check_practices_of_all();
        }
    }

    /// Publishes the diagnostics of open documents that use some files, directly or not. Who does is found out by other threads:
    /// it takes the models of all these documents, and the next message must not wait for them.
    fn publish_dependents(&self, changed: &[Utf8PathBuf]) {
        let others = self.documents.all().filter(|it| it.kind == DocumentKind::Bicep);
        for document in others.filter(|it| !changed.contains(&it.path)) {
            let (publication, changed) = (self.publication(document, false), changed.to_vec());
            let practices = self.practices_job(document, false);
            let pool = self.pool.handle();
            self.pool.run_later(move || {
                if uses_any(&publication.snapshot, &publication.document.path, &changed) {
                    publication.send(publication.carried());
                    if let Some(job) = practices {
                        // Not the subject of the document's own edits: this one may be older.
                        let subject = format!("users {}", publication.document.uri);
                        pool.run_after(best_practices::DELAY, &subject, job);
                    }
                }
            });
        }
    }

    fn publish_all(&self) {
        for document in self.documents.all().filter(|it| it.kind == DocumentKind::Bicep) {
            self.publish(document, false);
        }
    }

    fn publish_config(&self, snapshot: &Snapshot, path: &Utf8Path) {
        let reports = workspace::config_reports(snapshot, path);
        for report in &reports {
            publish_report(&self.client, &uri::of_path(report.file.path()), None, report);
        }
    }

    /// Publishes the diagnostics of a document, unless it changes before they are known.
    fn publish(&self, document: &Document, with_version: bool) {
        let publication = self.publication(document, with_version);
        self.pool.run_later(move || {
            let carried = publication.carried();
            publication.send(carried);
        });
        self.check_practices(document, with_version);
    }

    fn publication(&self, document: &Document, with_version: bool) -> Publication {
        Publication {
            client: Arc::clone(&self.client),
            revisions: Arc::clone(&self.revisions),
            practices: self.best_practices.clone(),
            snapshot: self.project.snapshot(),
            document: document.clone(),
            with_version,
        }
    }

    /// Runs best-practice rules over a document when the typing rests.
    fn check_practices(&self, document: &Document, with_version: bool) {
        if let Some(job) = self.practices_job(document, with_version) {
            self.pool.run_after(best_practices::DELAY, &document.uri, job);
        }
    }

    /// What runs best-practice rules over a document as it is now.
    fn practices_job(
        &self,
        document: &Document,
        with_version: bool,
    ) -> Option<impl FnOnce() + Send + 'static> {
        let practices = self.best_practices.clone()?;
        let publication = self.publication(document, with_version);
        Some(move || {
            if !publication.is_current() {
                return;
            }
            let (snapshot, document) = (&publication.snapshot, &publication.document);
            let found = practices.findings(snapshot, &document.path);
            if publication.is_current() && practices.show(&document.uri, &document.source, found.clone()) {
                publication.send(found);
            }
        })
    }

    fn check_practices_of_all(&self) {
        for document in self.documents.all().filter(|it| it.kind == DocumentKind::Bicep) {
            self.check_practices(document, false);
        }
    }
}

/// The diagnostics of a document on their way to the client.
struct Publication {
    client: Arc<Client>,
    revisions: Revisions,
    practices: Option<Arc<BestPractices>>,
    snapshot: Snapshot,
    document: Document,
    with_version: bool,
}

impl Publication {
    /// Whether the document is still as it was.
    fn is_current(&self) -> bool {
        let revision = self.snapshot.revision();
        lock(&self.revisions).get(&self.document.uri).is_some_and(|last| *last <= revision)
    }

    /// What rules last said about the document.
    fn carried(&self) -> Vec<Diagnostic> {
        let carried = |it: &Arc<BestPractices>| it.carried(&self.document.uri, &self.document.source);
        self.practices.as_ref().map(carried).unwrap_or_default()
    }

    /// Sends what compiler, linter and validators say, and what rules have said.
    fn send(&self, rules: Vec<Diagnostic>) {
        if !self.is_current() {
            return;
        }
        let found = catch_unwind(AssertUnwindSafe(|| match self.document.kind {
            DocumentKind::Bicep => workspace::document_report(&self.snapshot, &self.document.path),
            _ => Some(Arc::new(FileReport::new(Arc::clone(&self.document.source), Vec::new()))),
        }));
        if !self.is_current() {
            return;
        }
        let version = self.with_version.then_some(self.document.version);
        match found {
            Ok(Some(report)) if rules.is_empty() => {
                publish_report(&self.client, &self.document.uri, version, &report);
            }
            Ok(Some(report)) => {
                let all = report.diagnostics.iter().cloned().chain(rules).collect();
                let report = FileReport::new(Arc::clone(&report.file), all);
                publish_report(&self.client, &self.document.uri, version, &report);
            }
            Ok(None) => {}
            Err(_) => publish_failure(&self.client, &self.document, "Fatal", FATAL),
        }
    }
}

fn publish_report(client: &Client, uri: &str, version: Option<i32>, report: &FileReport) {
    let mut params = json!({ "uri": uri, "diagnostics": diagnostics(report) });
    if let Some(version) = version {
        set(&mut params, "version", json!(version));
    }
    client.notify("textDocument/publishDiagnostics", &params);
}

const FATAL: &str = "The file could not be analysed: a mistake of the server.";
const TOO_LARGE: &str = "The file is not analysed: it has more than 32 MiB.";

/// One diagnostic that says why there are no others.
fn publish_failure(client: &Client, document: &Document, code: &str, message: &str) {
    let first_line = base::TextRange::up_to(document.source.lines().line_start(1));
    let diagnostic = json!({
        "range": convert::range(&document.source, first_line),
        "severity": 1,
        "code": code,
        "source": "bicep",
        "message": message,
    });
    let params = json!({ "uri": document.uri, "diagnostics": [diagnostic] });
    client.notify("textDocument/publishDiagnostics", &params);
}

/// Whether a file uses one of some files or folders, directly, through other files or by reading them.
fn uses_any(snapshot: &Snapshot, path: &Utf8Path, changed: &[Utf8PathBuf]) -> bool {
    let compilation = snapshot.compilation(path);
    let program = compilation.program();
    let is_changed = |used: &Utf8Path| changed.iter().any(|it| used.starts_with(it));
    program.files().any(|file| {
        is_changed(program.unit(file).source().path())
            || program.model(file).is_some_and(|model| model.loaded().any(is_changed))
    }) || snapshot.uses(path).iter().any(|used| is_changed(used))
}

fn is_outdated(revisions: &Revisions, request: &Request, revision: u64) -> bool {
    let Some(document) = &request.document else { return false };
    lock(revisions).get(&document.uri).is_some_and(|last| *last > revision)
}

/// The document that a request is about.
pub(crate) fn document_uri(params: &Value) -> Option<&str> {
    params.get("textDocument")?.get("uri")?.as_str()
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

    use base::MemoryWorld;
    use bicep_emit::Generator;
    use bicep_sema::NoTypes;

    use super::*;

    /// What the server writes.
    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl Write for Written {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            lock(&self.0).extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    /// The messages that a server sends for these, which may be any texts, until its client goes.
    fn answers(contents: &[&str]) -> Vec<Value> {
        answers_in(MemoryWorld::new(), contents)
    }

    fn answers_in(world: MemoryWorld, contents: &[&str]) -> Vec<Value> {
        let framed: String =
            contents.iter().map(|it| format!("Content-Length: {}\r\n\r\n{it}", it.len())).collect();
        let written = Written::default();
        let connection = Connection {
            reader: Box::new(Cursor::new(framed.into_bytes())),
            writer: Box::new(written.clone()),
        };
        let generator = Generator { name: "sinew".to_owned(), version: "0".to_owned() };
        let setup = Setup {
            world: Arc::new(world),
            types: Arc::new(NoTypes),
            options: project::Options { generator, today: None, clocks: None },
            best_practices: true,
            version: "0".to_owned(),
            language_version: "0".to_owned(),
        };
        run(connection, setup);
        let bytes = lock(&written.0).clone();
        let mut reader = bytes.as_slice();
        let mut messages = Vec::new();
        while let Incoming::Message(content) = transport::read(&mut reader) {
            messages.extend(serde_json::from_slice::<Value>(&content));
        }
        messages
    }

    fn answer(messages: &[Value], id: u64) -> &Value {
        messages.iter().find(|message| message["id"] == json!(id)).expect("an answer")
    }

    const INITIALIZE: &str = r#"{"id":1,"method":"initialize","params":{"capabilities":{}}}"#;

    fn open(text: &str) -> String {
        let item = json!({ "uri": "file:///main.bicep", "languageId": "bicep", "version": 1, "text": text });
        json!({ "method": "textDocument/didOpen", "params": { "textDocument": item } }).to_string()
    }

    fn request(id: u64, method: &str, position: &Value) -> String {
        let document = json!({ "uri": "file:///main.bicep" });
        let params = json!({ "textDocument": document, "position": position });
        json!({ "id": id, "method": method, "params": params }).to_string()
    }

    #[test]
    fn what_makes_no_sense_is_refused_and_the_rest_is_answered() {
        let hover = request(5, "textDocument/hover", &json!({ "line": 0, "character": 7 }));
        let bad_position = request(6, "textDocument/hover", &json!({ "line": "x" }));
        let far_position =
            request(7, "textDocument/hover", &json!({ "line": 99, "character": 4_000_000_000_u64 }));
        let messages = answers(&[
            r#"{"id":0,"method":"textDocument/hover"}"#,
            INITIALIZE,
            "not JSON",
            "[1, 2]",
            r#"{"id":3,"method":"no/such"}"#,
            r#"{"method":"no/such"}"#,
            r#"{"method":"textDocument/didOpen","params":7}"#,
            r#"{"id":4,"method":"textDocument/hover"}"#,
            &open("param name string"),
            &hover,
            &bad_position,
            &far_position,
        ]);
        assert_eq!(answer(&messages, 0)["error"]["code"], RpcError::NOT_INITIALIZED);
        assert_eq!(answer(&messages, 3)["error"]["code"], RpcError::METHOD_NOT_FOUND);
        assert_eq!(answer(&messages, 4)["result"], Value::Null);
        let text = answer(&messages, 5)["result"]["contents"]["value"].as_str().unwrap_or_default();
        assert!(text.contains("param name: string"), "{text}");
        assert_eq!(answer(&messages, 6)["error"]["code"], RpcError::INVALID_PARAMS);
        // A position past the end of the text is its end.
        let text = answer(&messages, 7)["result"]["contents"]["value"].as_str().unwrap_or_default();
        assert!(text.contains("type string"), "{text}");
        let refused =
            messages.iter().filter(|message| message["id"].is_null() && message.get("error").is_some());
        assert_eq!(refused.count(), 2);
    }

    #[test]
    fn edits_are_made_in_their_order() {
        let change = json!({
            "method": "textDocument/didChange",
            "params": {
                "textDocument": { "uri": "file:///main.bicep", "version": 2 },
                "contentChanges": [
                    { "range": { "start": { "line": 0, "character": 6 }, "end": { "line": 0, "character": 7 } }, "text": "bc" },
                    { "range": { "start": { "line": 0, "character": 9 }, "end": { "line": 0, "character": 15 } }, "text": "int" },
                ],
            },
        });
        let hover = request(2, "textDocument/hover", &json!({ "line": 0, "character": 6 }));
        let messages = answers(&[INITIALIZE, &open("param a string"), &change.to_string(), &hover]);
        let text = answer(&messages, 2)["result"]["contents"]["value"].as_str().unwrap_or_default();
        assert!(text.contains("param bc: int"), "{text}");
    }

    /// What was published about the open document, in order.
    fn published(messages: &[Value]) -> Vec<Vec<String>> {
        let of = |message: &Value| {
            let listed = message["params"]["diagnostics"].as_array().cloned().unwrap_or_default();
            listed.iter().map(|it| it["code"].as_str().unwrap_or_default().to_owned()).collect()
        };
        let told = messages.iter().filter(|it| it["method"] == "textDocument/publishDiagnostics");
        told.map(of).collect()
    }

    #[test]
    fn a_file_of_fifty_megabytes_is_refused_until_it_is_smaller() {
        let change = |text: &str| {
            json!({
                "method": "textDocument/didChange",
                "params": {
                    "textDocument": { "uri": "file:///main.bicep", "version": 2 },
                    "contentChanges": [{ "text": text }],
                },
            })
        };
        let hover = |id| request(id, "textDocument/hover", &json!({ "line": 0, "character": 7 }));
        let messages = answers(&[
            INITIALIZE,
            &open(&"// a line\n".repeat(5 << 20)),
            &hover(2),
            &change("param a string").to_string(),
            &hover(3),
        ]);
        assert_eq!(answer(&messages, 2)["result"], Value::Null);
        let text = answer(&messages, 3)["result"]["contents"]["value"].as_str().unwrap_or_default();
        assert!(text.contains("param a: string"), "{text}");
        assert_eq!(published(&messages).first(), Some(&vec!["TooLarge".to_owned()]));
    }

    #[test]
    fn rules_say_the_codes_of_the_command_line() {
        let text = "resource s 'Microsoft.Web/sites@2020-12-01' = {\n  name: 's'\n  kind: 'app'\n  properties: {\n    httpsOnly: false\n  }\n}";
        let pull = json!({
            "id": 2,
            "method": "textDocument/diagnostic",
            "params": { "textDocument": { "uri": "file:///main.bicep" } },
        });
        let silenced = text.replace("    httpsOnly", "#disable-next-line TA-000016\n    httpsOnly");
        for (text, expected) in [(text, true), (silenced.as_str(), false)] {
            let messages = answers(&[INITIALIZE, &open(text), &pull.to_string()]);
            let items = answer(&messages, 2)["result"]["items"].as_array().cloned().unwrap_or_default();
            let found = items.iter().find(|it| it["code"] == "TA-000016");
            assert_eq!(found.is_some(), expected, "{items:#?}");
            assert!(
                found.is_none_or(|it| it["range"]["start"]["line"] == 4 && it["source"] == "sinew rules")
            );
        }
    }

    #[test]
    fn a_rule_file_is_checked_completed_and_explained() {
        let uri = "file:///company-rules.json";
        let text = "[{ \"id\": \"R1\", \"evaluation\": { \"path\": \"a\", \"equalz\": 1 } }]";
        let item = json!({ "uri": uri, "languageId": "json", "version": 1, "text": text });
        let open = json!({ "method": "textDocument/didOpen", "params": { "textDocument": item } });
        let ask = |id: u64, method: &str, character: u64| {
            let position = json!({ "line": 0, "character": character });
            let params = json!({ "textDocument": { "uri": uri }, "position": position });
            json!({ "id": id, "method": method, "params": params }).to_string()
        };
        let messages = answers(&[
            INITIALIZE,
            &open.to_string(),
            &ask(2, "textDocument/completion", 34),
            &ask(3, "textDocument/hover", 36),
        ]);
        let labels = answer(&messages, 2)["result"].as_array().cloned().unwrap_or_default();
        assert!(labels.iter().any(|it| it["label"] == "regex"), "{labels:#?}");
        let shown = answer(&messages, 3)["result"]["contents"]["value"].as_str().unwrap_or_default();
        assert!(shown.contains("What to look at"), "{shown}");
        let codes = published(&messages).concat();
        assert!(codes.contains(&"RULE013".to_owned()), "{codes:?}");
    }

    #[test]
    fn a_configuration_that_cannot_be_read_is_told_at_the_start_of_the_file() {
        let world = MemoryWorld::new().with_file("/bicepconfig.json", "{ \"analyzers\": ");
        let messages = answers_in(world, &[INITIALIZE, &open("output o int = 1")]);
        assert_eq!(published(&messages), [vec!["BCP271".to_owned()]]);
    }
}
