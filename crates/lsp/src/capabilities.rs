//! What the server offers, as the answer to `initialize` says it.

use serde_json::{Value, json};

/// The token types of the protocol; tokens refer to them by position.
pub(crate) const TOKEN_TYPES: [&str; 23] = [
    "comment",
    "keyword",
    "string",
    "number",
    "regexp",
    "operator",
    "namespace",
    "type",
    "struct",
    "class",
    "interface",
    "enum",
    "typeParameter",
    "function",
    "method",
    "property",
    "macro",
    "variable",
    "parameter",
    "label",
    "modifier",
    "event",
    "enumMember",
];

/// What the server offers.
pub(crate) fn capabilities() -> Value {
    json!({
        "positionEncoding": "utf-16",
        "textDocumentSync": { "openClose": true, "change": 2, "save": { "includeText": false } },
        "completionProvider": {
            "triggerCharacters": [":", " ", ".", "/", "'", "@", "{", "#", "?"],
            "resolveProvider": true,
        },
        "signatureHelpProvider": { "triggerCharacters": ["(", ",", ")", "<", ">"] },
        "hoverProvider": true,
        "definitionProvider": true,
        "referencesProvider": true,
        "documentHighlightProvider": true,
        "documentSymbolProvider": true,
        "workspaceSymbolProvider": true,
        "renameProvider": { "prepareProvider": true },
        "documentFormattingProvider": true,
        "documentRangeFormattingProvider": true,
        "documentOnTypeFormattingProvider": {
            "firstTriggerCharacter": "}",
            "moreTriggerCharacter": ["]", ")", "\n"],
        },
        "codeActionProvider": {
            "codeActionKinds": [
                "quickfix",
                "refactor",
                "refactor.extract",
                "refactor.rewrite",
                "source.fixAll",
                "source.organizeImports",
            ],
        },
        "codeLensProvider": { "resolveProvider": false },
        "documentLinkProvider": { "resolveProvider": false },
        "foldingRangeProvider": true,
        "selectionRangeProvider": true,
        "callHierarchyProvider": true,
        "inlayHintProvider": true,
        "diagnosticProvider": { "identifier": "sinew", "interFileDependencies": true, "workspaceDiagnostics": false },
        "semanticTokensProvider": {
            "legend": { "tokenTypes": TOKEN_TYPES, "tokenModifiers": [] },
            "full": { "delta": true },
            "range": true,
        },
        "executeCommandProvider": { "commands": crate::handlers::command_names() },
        "workspace": { "workspaceFolders": { "supported": true, "changeNotifications": true } },
    })
}

/// What the client is asked to watch.
pub(crate) fn registrations() -> Value {
    json!({ "registrations": [{
        "id": "sinew.watched-files",
        "method": "workspace/didChangeWatchedFiles",
        "registerOptions": { "watchers": [{ "globPattern": "**/*" }] },
    }] })
}
