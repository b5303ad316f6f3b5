//! Code actions.

use bicep_ide::FileContext;
use bicep_ide::code_actions::{self as actions, ActionCommand, ActionKind, CodeAction};
use serde_json::{Value, json};

use super::Request;
use crate::convert::{self, set};
use crate::rpc::Answer;
use crate::uri;

/// The command that opens the configuration at a rule.
pub(super) const EDIT_RULE: &str = "bicep.EditLinterRule";

pub(super) fn code_actions(request: &Request) -> Answer {
    let found = request.ask(|context| {
        let source = &context.bicep.source;
        let range = convert::range_of(source, request.params.get("range").unwrap_or(&Value::Null))?;
        let report = request.snapshot.diagnostics(source.path());
        let diagnostics = report.as_ref().map(|report| report.diagnostics.as_slice()).unwrap_or_default();
        let found = actions::code_actions(context, diagnostics, range);
        Ok(found.iter().filter_map(|it| action(request, context, it)).collect::<Vec<_>>())
    })?;
    Ok(Value::Array(found.unwrap_or_default()))
}

fn action(request: &Request, context: &FileContext<'_>, action: &CodeAction) -> Option<Value> {
    let source = &context.bicep.source;
    let uri = request.uri_of(source.path());
    let kind = match action.kind {
        ActionKind::QuickFix => "quickfix",
        ActionKind::Refactor => "refactor",
        ActionKind::RefactorExtract => "refactor.extract",
        ActionKind::Other => "",
    };
    let mut value = json!({ "title": action.title, "kind": kind, "isPreferred": action.is_preferred });
    if !action.edits.is_empty() {
        let edits: Vec<Value> = action.edits.iter().map(|edit| convert::text_edit(source, edit)).collect();
        set(&mut value, "edit", json!({ "changes": { &uri: edits } }));
    }
    match &action.command {
        None => {}
        Some(ActionCommand::Rename(at)) => {
            let position = json!({ "line": at.line, "character": at.col });
            set(
                &mut value,
                "command",
                json!({
                    "title": "Rename",
                    "command": "bicep.internal.postExtraction",
                    "arguments": [uri, position],
                }),
            );
        }
        Some(ActionCommand::EditRule(code)) => {
            // What is edited is shown, so the client must be able to show it.
            request.abilities.show_document.then_some(())?;
            let config = context.bicep.config.path().map(uri::of_path).unwrap_or_default();
            set(
                &mut value,
                "command",
                json!({
                    "title": "Edit the level of the rule",
                    "command": EDIT_RULE,
                    "arguments": [uri, code, config],
                }),
            );
        }
    }
    Some(value)
}
