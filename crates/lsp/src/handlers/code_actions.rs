//! Code actions.

use bicep_ide::FileContext;
use bicep_ide::code_actions::{self as actions, ActionCommand, ActionKind, CodeAction};
use serde_json::{Value, json};

use super::{Request, api_versions};
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
        let mut found = source_actions(request, context, diagnostics);
        if is_asked(request, "quickfix") || is_asked(request, "refactor") {
            found.extend(actions::code_actions(context, diagnostics, range));
        }
        // What makes new declarations and files is for what the client shows as wrong.
        let shown = request.params.pointer("/context/diagnostics").and_then(Value::as_array);
        if shown.is_some_and(|shown| !shown.is_empty()) && is_asked(request, "quickfix") {
            found.extend(actions::missing_declarations(context, diagnostics, range));
            found.extend(actions::suppressions(context, &shown_rules(request), range));
        }
        let mut all: Vec<Value> = found.iter().filter_map(|it| action(request, context, it)).collect();
        if is_asked(request, "refactor.rewrite") {
            all.extend(api_versions::action(request, context, range.start()));
        }
        Ok(all)
    })?;
    Ok(Value::Array(found.unwrap_or_default()))
}

/// The findings of best-practice rules that the client shows.
fn shown_rules(request: &Request) -> Vec<base::Diagnostic> {
    let shown = request.params.pointer("/context/diagnostics").and_then(Value::as_array);
    let codes: Vec<&str> =
        shown.into_iter().flatten().filter_map(|it| it.get("code").and_then(Value::as_str)).collect();
    let is_compiler =
        |code: &str| code.starts_with("BCP") || bicep_lint::RULES.iter().any(|rule| rule.code == code);
    if codes.iter().all(|code| is_compiler(code)) {
        return Vec::new();
    }
    let mut found = request.rule_findings();
    found.retain(|it| codes.contains(&it.code.as_str()));
    found
}

/// Whether the client wants actions of a kind; without a word of it, it wants those of a selection.
fn is_asked(request: &Request, kind: &str) -> bool {
    let only = request.params.pointer("/context/only").and_then(Value::as_array);
    let is_meant = |asked: &str| asked.starts_with(kind) || kind.starts_with(asked);
    only.is_none_or(|only| only.iter().filter_map(Value::as_str).any(is_meant))
}

/// Actions on the whole file, when they are asked for.
fn source_actions(
    request: &Request,
    context: &FileContext<'_>,
    diagnostics: &[base::Diagnostic],
) -> Vec<CodeAction> {
    let mut found = Vec::new();
    if request.params.pointer("/context/only").is_none() {
        return found;
    }
    if is_asked(request, "source.fixAll") {
        found.extend(actions::fix_all(diagnostics));
    }
    if is_asked(request, "source.organizeImports") {
        found.extend(actions::organize_imports(context));
    }
    found
}

fn action(request: &Request, context: &FileContext<'_>, action: &CodeAction) -> Option<Value> {
    let source = &context.bicep.source;
    let uri = request.uri_of(source.path());
    let kind = match action.kind {
        ActionKind::QuickFix => "quickfix",
        ActionKind::Refactor => "refactor",
        ActionKind::RefactorExtract => "refactor.extract",
        ActionKind::SourceFixAll => "source.fixAll",
        ActionKind::SourceOrganizeImports => "source.organizeImports",
        ActionKind::Other => "",
    };
    let mut value = json!({ "title": action.title, "kind": kind, "isPreferred": action.is_preferred });
    if !action.edits.is_empty() {
        let edits: Vec<Value> = action.edits.iter().map(|edit| convert::text_edit(source, edit)).collect();
        set(&mut value, "edit", json!({ "changes": { &uri: edits } }));
    }
    if let Some(file) = &action.new_file {
        let target = request.uri_of(&file.path);
        let start = json!({ "line": 0, "character": 0 });
        let text = json!({ "range": { "start": start, "end": start }, "newText": file.text });
        let document = json!({ "uri": target, "version": null });
        let changes = json!([
            { "kind": "create", "uri": target, "options": { "ignoreIfExists": true } },
            { "textDocument": document, "edits": [text] },
        ]);
        set(&mut value, "edit", json!({ "documentChanges": changes }));
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
