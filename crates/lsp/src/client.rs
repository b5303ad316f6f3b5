//! The client: what it can do, and the way to it. Messages may be sent from any thread.

use std::io::Write;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

use crate::transport::Framing;

/// The way to the client.
pub(crate) struct Client {
    writer: Mutex<Box<dyn Write + Send>>,
    framing: Framing,
    next_id: AtomicI64,
}

/// What the client can do.
#[derive(Debug, Clone, Default)]
pub(crate) struct Abilities {
    /// `window/showDocument`
    pub(crate) show_document: bool,
    /// Watches files when asked to.
    pub(crate) watches_files: bool,
    /// Takes links that say what is marked at their origin.
    pub(crate) definition_links: bool,
    /// Shows what edits are about.
    pub(crate) change_annotations: bool,
    /// Whether it wants best-practice rules to run; it need not say.
    pub(crate) best_practices: Option<bool>,
    /// The folders of the workspace.
    pub(crate) folders: Vec<String>,
}

impl Client {
    pub(crate) fn new(writer: Box<dyn Write + Send>) -> Self {
        Self::with_framing(writer, Framing::Headers)
    }

    /// A client whose messages are told apart in another way.
    pub(crate) fn with_framing(writer: Box<dyn Write + Send>, framing: Framing) -> Self {
        Self { writer: Mutex::new(writer), framing, next_id: AtomicI64::new(1) }
    }

    /// Sends a message. A client that has gone is noticed by the reader.
    pub(crate) fn send(&self, message: &Value) {
        let Ok(content) = serde_json::to_vec(message) else { return };
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = self.framing.write(&mut **writer, &content);
    }

    pub(crate) fn notify(&self, method: &str, params: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Asks for something; the answer is not waited for.
    pub(crate) fn request(&self, method: &str, params: &Value) {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        self.send(
            &json!({ "jsonrpc": "2.0", "id": format!("sinew:{id}"), "method": method, "params": params }),
        );
    }

    /// Shows a message to the user.
    pub(crate) fn show_error(&self, message: &str) {
        self.notify("window/showMessage", &json!({ "type": 1, "message": message }));
    }

    /// Writes a line to the client's log.
    pub(crate) fn log(&self, message: &str) {
        self.notify("window/logMessage", &json!({ "type": 3, "message": message }));
    }
}

impl Abilities {
    /// Reads what the client says about itself.
    pub(crate) fn of(params: &Value) -> Self {
        let able = |pointer: &str| {
            params.pointer(&format!("/capabilities/{pointer}")).and_then(Value::as_bool).unwrap_or(false)
        };
        let folders = params.get("workspaceFolders").and_then(Value::as_array);
        let named = folders.into_iter().flatten().filter_map(|it| it.get("uri")?.as_str());
        let root = params.get("rootUri").and_then(Value::as_str);
        let folders: Vec<String> = named.map(str::to_owned).collect();
        Self {
            show_document: able("window/showDocument/support"),
            watches_files: able("workspace/didChangeWatchedFiles/dynamicRegistration"),
            definition_links: able("textDocument/definition/linkSupport"),
            change_annotations: params
                .pointer("/capabilities/workspace/workspaceEdit/changeAnnotationSupport")
                .is_some(),
            best_practices: params.pointer("/initializationOptions/rules/enabled").and_then(Value::as_bool),
            folders: if folders.is_empty() { root.into_iter().map(str::to_owned).collect() } else { folders },
        }
    }
}
