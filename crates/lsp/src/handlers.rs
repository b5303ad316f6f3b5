//! The answers to requests: one function for each method, which asks `bicep-ide` and turns its answer into the protocol's form.

mod api_versions;
mod code_actions;
mod commands;
mod completion;
mod documentation;
mod editing;
mod hierarchy;
mod navigation;
mod origins;
mod outline;
mod preview;
mod tokens;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use base::{Diagnostic, SourceFile, TextSize};
use bicep_ide::FileContext;
use camino::{Utf8Path, Utf8PathBuf};
use project::{Compilation, Snapshot};
use serde_json::Value;

use crate::best_practices::{BestPractices, is_rule_file};
use crate::client::{Abilities, Client};
use crate::convert;
use crate::documents::{Document, DocumentKind};
use crate::rpc::{Answer, RpcError};
use crate::uri;

pub(crate) use commands::names as command_names;
pub(crate) use tokens::TokenCache;

/// A request with how the files were when it came.
pub(crate) struct Request {
    pub(crate) snapshot: Snapshot,
    /// The open document that it is about.
    pub(crate) document: Option<Document>,
    pub(crate) params: Value,
    pub(crate) abilities: Arc<Abilities>,
    pub(crate) client: Arc<Client>,
    /// How the client calls the files that it has open.
    pub(crate) open: BTreeMap<Utf8PathBuf, String>,
    pub(crate) tokens: Arc<TokenCache>,
    /// What runs best-practice rules; none when they are not wanted.
    pub(crate) best_practices: Option<Arc<BestPractices>>,
    /// Set when the server has to look at all files anew.
    pub(crate) needs_refresh: Arc<AtomicBool>,
}

type Handler = fn(&Request) -> Answer;

/// The methods and their answers.
const HANDLERS: &[(&str, Handler)] = &[
    ("textDocument/hover", documentation::hover),
    ("textDocument/signatureHelp", documentation::signature_help),
    ("textDocument/inlayHint", documentation::inlay_hints),
    ("textDocument/definition", navigation::definition),
    ("textDocument/references", navigation::references),
    ("textDocument/documentHighlight", navigation::highlight),
    ("textDocument/documentLink", navigation::links),
    ("textDocument/prepareCallHierarchy", hierarchy::prepare),
    ("callHierarchy/incomingCalls", hierarchy::incoming),
    ("callHierarchy/outgoingCalls", hierarchy::outgoing),
    ("sinew/valueOrigins", origins::value_origins_at),
    ("textDocument/prepareRename", navigation::prepare_rename),
    ("textDocument/rename", navigation::rename),
    ("textDocument/documentSymbol", outline::document_symbols),
    ("workspace/symbol", outline::workspace_symbols),
    ("textDocument/foldingRange", outline::folding_ranges),
    ("textDocument/selectionRange", outline::selection_ranges),
    ("textDocument/codeLens", outline::code_lenses),
    ("textDocument/semanticTokens/full", tokens::full),
    ("textDocument/semanticTokens/full/delta", tokens::delta),
    ("textDocument/semanticTokens/range", tokens::range),
    ("textDocument/formatting", editing::formatting),
    ("textDocument/rangeFormatting", editing::range_formatting),
    ("textDocument/onTypeFormatting", editing::on_type_formatting),
    ("textDocument/diagnostic", documentation::diagnostics),
    ("textDocument/codeAction", code_actions::code_actions),
    ("textDocument/completion", completion::completion),
    ("completionItem/resolve", completion::resolve),
    ("workspace/executeCommand", commands::execute),
    ("sinew/preview", preview::preview),
    ("sinew/apiVersions", api_versions::versions),
];

/// The function that answers a method.
pub(crate) fn find(method: &str) -> Option<Handler> {
    let commands = commands::REQUESTS.iter();
    HANDLERS.iter().chain(commands).find(|(name, _)| *name == method).map(|(_, handler)| *handler)
}

impl Request {
    /// The compilation of the document; `None` when none is open or it is no Bicep file.
    pub(crate) fn compilation(&self) -> Option<Arc<Compilation<'static>>> {
        Some(self.snapshot.compilation(&self.document.as_ref()?.path))
    }

    /// Asks about the document. What is not open has nothing to say.
    pub(crate) fn ask<T>(
        &self,
        question: impl FnOnce(&FileContext<'_>) -> Result<T, RpcError>,
    ) -> Result<Option<T>, RpcError> {
        let Some(compilation) = self.compilation() else { return Ok(None) };
        let Some(entry) = compilation.entry() else { return Ok(None) };
        let Some(context) = FileContext::new(compilation.program(), entry) else { return Ok(None) };
        question(&context).map(Some)
    }

    /// Asks about the position that the request names.
    pub(crate) fn ask_at<T>(
        &self,
        question: impl FnOnce(&FileContext<'_>, TextSize) -> Result<T, RpcError>,
    ) -> Result<Option<T>, RpcError> {
        self.ask(|context| {
            let offset = convert::offset(&context.bicep.source, &self.params)?;
            question(context, offset)
        })
    }

    /// The document with the schema of its content, if it is a configuration or a rule file.
    pub(crate) fn document_with_schema(&self) -> Option<(&Document, Value)> {
        let document = self.document.as_ref()?;
        match document.kind {
            DocumentKind::Config => Some((document, config::schema())),
            DocumentKind::Json if is_rule_file(&self.snapshot, &document.path) => {
                Some((document, rules::schema()))
            }
            _ => None,
        }
    }

    /// What best-practice rules say about the document.
    pub(crate) fn rule_findings(&self) -> Vec<Diagnostic> {
        let practices = self.best_practices.as_ref().zip(self.document.as_ref());
        practices
            .map(|(practices, document)| practices.findings(&self.snapshot, &document.path))
            .unwrap_or_default()
    }

    /// How the client calls a file.
    pub(crate) fn uri_of(&self, path: &Utf8Path) -> String {
        self.open.get(path).cloned().unwrap_or_else(|| uri::of_path(path))
    }

    /// The text of a file as the snapshot has it.
    pub(crate) fn source(&self, path: &Utf8Path) -> Option<Arc<SourceFile>> {
        self.snapshot.source(path)
    }
}
