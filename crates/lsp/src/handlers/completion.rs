//! Completion.

use base::{Diagnostic, SourceFile};
use bicep_ide::completion::{
    self as completions, CompletionItem, CompletionKind, CompletionSources, FollowUp, ModuleCatalog,
};
use bicep_ide::schema_file;
use camino::Utf8Path;
use serde_json::{Value, json};

use super::Request;
use crate::convert::{self, markdown, set};
use crate::module_catalog;
use crate::rpc::Answer;

pub(super) fn completion(request: &Request) -> Answer {
    if let Some((document, schema)) = request.document_with_schema() {
        let offset = convert::offset(&document.source, &request.params)?;
        let items = schema_file::schema_completions(document.source.text(), offset, &schema);
        return Ok(items.iter().map(|it| item(&document.source, it)).collect());
    }
    let found = request.ask_at(|context, offset| {
        let sources = Sources { request, path: context.bicep.source.path() };
        let items = completions::completions(context, offset, &sources);
        Ok(items.iter().map(|it| item(&context.bicep.source, it)).collect::<Vec<_>>())
    })?;
    Ok(Value::Array(found.unwrap_or_default()))
}

/// What completion may ask for beside the program.
struct Sources<'r> {
    request: &'r Request,
    path: &'r Utf8Path,
}

impl CompletionSources for Sources<'_> {
    fn diagnostics(&self) -> Vec<Diagnostic> {
        let report = self.request.snapshot.diagnostics(self.path);
        report.map(|report| report.diagnostics.clone()).unwrap_or_default()
    }

    fn modules(&self) -> ModuleCatalog {
        module_catalog::load(self.request.snapshot.world())
    }
}

fn item(source: &SourceFile, item: &CompletionItem) -> Value {
    const PLAIN: u8 = 1;
    const SNIPPET: u8 = 2;
    const ADJUST_INDENTATION: u8 = 2;
    let mut value = json!({
        "label": item.label,
        "kind": kind(item.kind),
        "sortText": item.sort_text,
        "insertTextFormat": if item.is_snippet { SNIPPET } else { PLAIN },
        "insertTextMode": ADJUST_INDENTATION,
        "textEdit": convert::text_edit(source, &item.edit),
    });
    let mut add = |name: &str, member: Option<Value>| {
        if let Some(member) = member {
            set(&mut value, name, member);
        }
    };
    add("detail", item.detail.as_ref().map(|detail| json!(detail)));
    add("documentation", item.documentation.as_deref().map(markdown));
    add("filterText", item.filter_text.as_ref().map(|text| json!(text)));
    add("preselect", item.is_preselected.then(|| json!(true)));
    let commit = &item.commit_characters;
    add("commitCharacters", (!commit.is_empty()).then(|| json!(commit)));
    add("command", item.follow_up.map(command));
    let more: Vec<Value> =
        item.additional_edits.iter().map(|edit| convert::text_edit(source, edit)).collect();
    add("additionalTextEdits", (!more.is_empty()).then(|| json!(more)));
    value
}

fn command(follow_up: FollowUp) -> Value {
    match follow_up {
        FollowUp::Suggest => json!({ "title": "suggest", "command": "editor.action.triggerSuggest" }),
        FollowUp::ParameterHints => {
            json!({ "title": "parameter hints", "command": "editor.action.triggerParameterHints" })
        }
    }
}

/// The protocol's number of a kind.
fn kind(kind: CompletionKind) -> u8 {
    match kind {
        CompletionKind::Text => 1,
        CompletionKind::Function => 3,
        CompletionKind::Field => 5,
        CompletionKind::Variable => 6,
        CompletionKind::Class => 7,
        CompletionKind::Interface => 8,
        CompletionKind::Module => 9,
        CompletionKind::Property => 10,
        CompletionKind::Value => 12,
        CompletionKind::Keyword => 14,
        CompletionKind::Snippet => 15,
        CompletionKind::File => 17,
        CompletionKind::Reference => 18,
        CompletionKind::Folder => 19,
        CompletionKind::Enum => 13,
        CompletionKind::EnumMember => 20,
        CompletionKind::Operator => 24,
        CompletionKind::TypeParameter => 25,
    }
}

/// Items are complete as they are sent.
pub(super) fn resolve(request: &Request) -> Answer {
    Ok(request.params.clone())
}
