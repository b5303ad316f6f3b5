//! The JSON-RPC interface of the Bicep CLI: requests of other programs come in, what the compiler knows about files goes
//! out. One process serves many requests; what has not changed since the last one is not computed again.

mod documentation;
mod files;
mod prediction;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use base::SourceFile;
use base::TextRange;
use camino::{Utf8Path, Utf8PathBuf};
use project::{Compilation, Snapshot};
use serde_json::{Value, json};

use crate::cancel::CancelToken;
use crate::disk_project::DiskProject;
use crate::peer::Service;
use crate::rpc::{Answer, RpcError};
use crate::transport::Framing;
use crate::{Host, Setup, restore};

pub(crate) use files::{formatted, references};
pub(crate) use prediction::{DeploymentContext, first_errors, predict};

/// The server of JSON-RPC.
pub(crate) struct JsonRpc {
    pub(crate) workspace: Workspace,
    host: Arc<dyn Host>,
    language_version: String,
}

impl JsonRpc {
    pub(crate) fn new(setup: &Setup, host: Arc<dyn Host>) -> Self {
        Self { workspace: Workspace::new(setup), host, language_version: setup.language_version.clone() }
    }
}

/// A method: what it is called with comes in, its answer goes out.
type Method = fn(&JsonRpc, &Request<'_>) -> Answer;

/// What a method is called with.
pub(crate) struct Request<'a> {
    params: &'a Value,
    token: &'a CancelToken,
}

const METHODS: &[(&str, Method)] = &[
    ("bicep/version", |server, _| Ok(json!({ "version": server.language_version }))),
    ("bicep/compile", files::compile),
    ("bicep/compileParams", files::compile_params),
    ("bicep/getMetadata", files::metadata),
    ("bicep/getDeploymentGraph", files::deployment_graph),
    ("bicep/getFileReferences", files::file_references),
    ("bicep/getSnapshot", prediction::snapshot),
    ("bicep/format", files::format),
    ("bicep/generateDocs", documentation::generate),
    ("bicep/outputDocs", documentation::output),
];

impl Service for JsonRpc {
    const FRAMING: Framing = Framing::Headers;
    const CANCEL: (&'static str, &'static str) = ("$/cancelRequest", "id");

    fn answer(&self, method: &str, params: &Value, token: &CancelToken) -> Answer {
        let Some((_, answer)) = METHODS.iter().find(|(name, _)| *name == method) else {
            return Err(RpcError::new(RpcError::METHOD_NOT_FOUND, format!("There is no method {method}.")));
        };
        answer(self, &Request { params: argument(params), token })
    }
}

/// The one argument of a call, which may stand in a list.
fn argument(params: &Value) -> &Value {
    match params {
        Value::Array(items) => items.first().unwrap_or(&Value::Null),
        other => other,
    }
}

impl Request<'_> {
    /// The member `path`.
    fn path(&self) -> Result<Utf8PathBuf, RpcError> {
        absolute_path(self.params, "path")
    }
}

/// A member that must be an absolute path.
pub(crate) fn absolute_path(params: &Value, member: &str) -> Result<Utf8PathBuf, RpcError> {
    let text = params.get(member).and_then(Value::as_str).filter(|text| !text.is_empty());
    let Some(text) = text else {
        return Err(RpcError::invalid_params(format!(
            "The member \"{member}\" with the path of a file is missing."
        )));
    };
    let path = Utf8Path::new(text);
    if !path.is_absolute() {
        return Err(RpcError::invalid_params(format!("\"{text}\" is not an absolute path.")));
    }
    Ok(config::paths::normalize(path))
}

/// A request that cannot be met.
pub(crate) fn failed(message: impl Into<String>) -> RpcError {
    RpcError::new(RpcError::INVOCATION, message)
}

/// Files that are compiled for requests.
pub(crate) struct Workspace {
    project: DiskProject,
    /// When something was last fetched for a file.
    attempts: Mutex<BTreeMap<Utf8PathBuf, Instant>>,
}

/// How long a registry is left alone that did not have what a file refers to.
const RETRY: Duration = Duration::from_secs(60);

/// A file with everything that it refers to.
pub(crate) struct Loaded {
    pub(crate) snapshot: Snapshot,
    pub(crate) compilation: Arc<Compilation<'static>>,
    pub(crate) entry: bicep_sema::FileId,
}

impl Workspace {
    pub(crate) fn new(setup: &Setup) -> Self {
        Self { project: DiskProject::new(setup), attempts: Mutex::default() }
    }

    /// Loads a Bicep or parameter file. What it refers to in registries is fetched if it is not there.
    pub(crate) fn load(&self, path: &Utf8Path, token: &CancelToken) -> Result<Loaded, RpcError> {
        if !matches!(path.extension(), Some("bicep" | "bicepparam")) {
            return Err(failed(format!("{path} is neither a Bicep file nor a parameter file.")));
        }
        token.check()?;
        let mut snapshot = self.project.snapshot(path);
        if self.may_restore(path) && restore::restore_missing(&snapshot, path) {
            self.attempts
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .insert(path.to_owned(), Instant::now());
            self.project.refresh();
            snapshot = self.project.snapshot(path);
        }
        token.check()?;
        Loaded::of(snapshot, path)
    }

    fn may_restore(&self, path: &Utf8Path) -> bool {
        let mut attempts = self.attempts.lock().unwrap_or_else(PoisonError::into_inner);
        attempts.retain(|_, at| at.elapsed() < RETRY);
        !attempts.contains_key(path)
    }

    /// The files as they are now.
    pub(crate) fn snapshot(&self, path: &Utf8Path) -> Snapshot {
        self.project.snapshot(path)
    }
}

impl Loaded {
    pub(crate) fn of(snapshot: Snapshot, path: &Utf8Path) -> Result<Self, RpcError> {
        let compilation = snapshot.compilation(path);
        match (compilation.entry(), compilation.read_error()) {
            (Some(entry), _) => Ok(Self { snapshot, compilation, entry }),
            (None, Some(error)) => Err(failed(format!("{path} cannot be read: {error}."))),
            (None, None) => Err(failed(format!("{path} cannot be read."))),
        }
    }

    /// Whether the file can be compiled.
    pub(crate) fn is_sound(&self) -> bool {
        self.compilation.is_sound(self.entry)
    }

    /// Everything that is wrong with the file and all that it refers to.
    pub(crate) fn reports(&self) -> Vec<Arc<base::FileReport>> {
        let program = self.compilation.program();
        let files = program.closure(self.entry).iter().filter(|file| program.bicep(**file).is_some());
        files.map(|file| self.compilation.report(*file)).collect()
    }

    /// The template of the file, if somebody could deploy it.
    pub(crate) fn template(&self, file: bicep_sema::FileId) -> Result<String, RpcError> {
        let emitted = self.compilation.template(file);
        if emitted.is_cut {
            let path = self.compilation.program().unit(file).source().path().to_owned();
            return Err(failed(format!("{path}: {}.", bicep_emit::TOO_LARGE)));
        }
        Ok(json::to_pretty(&emitted.template))
    }
}

/// The diagnostics of files, as the methods give them.
fn diagnostics(loaded: &Loaded) -> Vec<Value> {
    let mut found = Vec::new();
    for report in loaded.reports() {
        for it in &report.diagnostics {
            found.push(json!({
                "source": report.file.path().as_str(),
                "range": range(&report.file, it.range),
                "level": level(it.severity),
                "code": it.code.as_str(),
                "message": it.message,
            }));
        }
    }
    found
}

/// A severity as the reference calls it.
pub(crate) fn level(severity: base::Severity) -> &'static str {
    match severity {
        base::Severity::Error => "Error",
        base::Severity::Warning => "Warning",
        base::Severity::Info => "Info",
    }
}

/// A range with lines and characters from zero.
fn range(file: &SourceFile, range: TextRange) -> Value {
    let position = |offset| {
        let at = file.position(offset);
        json!({ "line": at.line, "char": at.col })
    };
    json!({ "start": position(range.start()), "end": position(range.end()) })
}
