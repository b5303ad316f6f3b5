//! Hover, signatures, hints and diagnostics on demand.

use std::sync::Arc;

use base::{Diagnostic, FileReport};
use bicep_ide::FileContext;
use bicep_ide::hover::HoverSources;
use bicep_ide::inlay_hints::HintKind;
use bicep_ide::signature_help::Signature;
use bicep_ide::{hover as hovers, signature_help as signatures};
use config::reference::OciReference;
use registry::{Cache, home};
use serde_json::{Value, json};

use super::{Request, origins};
use crate::best_practices::is_rule_file;
use crate::convert::{self, markdown, set};
use crate::diagnostics;
use crate::documents::{Document, DocumentKind};
use crate::rpc::Answer;
use crate::workspace::{config_reports, document_report};

pub(super) fn hover(request: &Request) -> Answer {
    if let Some((document, schema)) = request.document_with_schema() {
        return schema_hover(request, document, &schema);
    }
    let found = request.ask_at(|context, offset| {
        Ok(hovers::hover(context, offset, &Restored { request, context }).map(|mut hover| {
            if let (Some(text), Some(last)) =
                (origins::hover_text(request, context, offset), hover.contents.last_mut())
            {
                last.push_str(&text);
            }
            let range = convert::range(&context.bicep.source, hover.range);
            let contents = match hover.contents.as_slice() {
                [only] => markdown(only),
                several => json!(several),
            };
            json!({ "contents": contents, "range": range })
        }))
    })?;
    Ok(found.flatten().unwrap_or(Value::Null))
}

/// What has been restored from registries.
struct Restored<'r> {
    request: &'r Request,
    context: &'r FileContext<'r>,
}

impl HoverSources for Restored<'_> {
    fn manifest(&self, reference: &OciReference) -> Option<String> {
        let root = home::cache_root(self.request.snapshot.world(), &self.context.bicep.config)?;
        std::fs::read_to_string(Cache::new(root).folder(reference).join("manifest")).ok()
    }
}

fn schema_hover(request: &Request, document: &Document, schema: &Value) -> Answer {
    let source = &document.source;
    let offset = convert::offset(source, &request.params)?;
    let found = bicep_ide::schema_file::schema_hover(source.text(), offset, schema);
    Ok(found.map_or(Value::Null, |hover| {
        let range = convert::range(source, hover.range);
        json!({ "contents": markdown(&hover.contents.concat()), "range": range })
    }))
}

pub(super) fn signature_help(request: &Request) -> Answer {
    let found = request.ask_at(|context, offset| Ok(signatures::signature_help(context, offset)))?;
    let Some(help) = found.flatten() else { return Ok(Value::Null) };
    let mut answer = json!({ "signatures": help.signatures.iter().map(signature).collect::<Vec<_>>() });
    let active = kept_signature(request, &help.signatures).or(help.active.map(|active| json!(active)));
    if let Some(active) = active {
        set(&mut answer, "activeSignature", active);
    }
    if let Some(parameter) = help.active_parameter {
        set(&mut answer, "activeParameter", json!(parameter));
    }
    Ok(answer)
}

/// The signature that the user has chosen among the same ones, unless a new call has begun.
fn kept_signature(request: &Request, signatures: &[Signature]) -> Option<Value> {
    let context = request.params.get("context")?;
    let trigger = context.get("triggerCharacter").and_then(Value::as_str);
    if matches!(trigger, Some("(" | ")")) {
        return None;
    }
    let shown = context.get("activeSignatureHelp")?;
    let labels = shown.get("signatures")?.as_array()?;
    let name = |label: &str| label.split('(').next().unwrap_or_default().to_owned();
    let is_same = labels.len() == signatures.len()
        && labels.iter().zip(signatures).all(|(shown, signature)| {
            let label = shown.get("label").and_then(Value::as_str).unwrap_or_default();
            name(label) == name(&signature.label)
        });
    shown.get("activeSignature").filter(|active| is_same && !active.is_null()).cloned()
}

fn signature(signature: &Signature) -> Value {
    let parameters: Vec<Value> = signature
        .parameters
        .iter()
        .map(|it| json!({ "label": [it.start, it.end], "documentation": markdown(&it.documentation) }))
        .collect();
    let mut value = json!({ "label": signature.label, "parameters": parameters });
    if let Some(documentation) = &signature.documentation {
        set(&mut value, "documentation", markdown(documentation));
    }
    value
}

pub(super) fn inlay_hints(request: &Request) -> Answer {
    let found = request.ask(|context| {
        let source = &context.bicep.source;
        let range = convert::range_of(source, request.params.get("range").unwrap_or(&Value::Null))?;
        let hints = bicep_ide::inlay_hints::inlay_hints(context, range);
        let hints = hints.into_iter().map(|hint| {
            json!({
                "position": convert::position(source, hint.offset),
                "label": hint.label,
                "kind": if hint.kind == HintKind::Parameter { 2 } else { 1 },
                "paddingLeft": hint.kind != HintKind::Parameter,
                "paddingRight": hint.kind == HintKind::Parameter,
            })
        });
        Ok(Value::Array(hints.collect()))
    })?;
    Ok(found.unwrap_or_else(|| json!([])))
}

/// The diagnostics of a document, for clients that ask.
pub(super) fn diagnostics(request: &Request) -> Answer {
    let Some(document) = &request.document else { return Ok(json!({ "kind": "full", "items": [] })) };
    let own = match document.kind {
        DocumentKind::Bicep => document_report(&request.snapshot, &document.path),
        DocumentKind::Json if is_rule_file(&request.snapshot, &document.path) => {
            let found = rules::read(document.source.text()).diagnostics;
            Some(Arc::new(FileReport::new(Arc::clone(&document.source), found)))
        }
        DocumentKind::Config => {
            let text = Arc::clone(document.source.text());
            let snapshot = request.snapshot.with_text(&document.path, text);
            let mut reports = config_reports(&snapshot, &document.path).into_iter();
            reports.find(|report| report.file.path() == document.path).map(Arc::new)
        }
        DocumentKind::Json | DocumentKind::Other | DocumentKind::TooLarge => None,
    };
    let mut all: Vec<Diagnostic> = own.map(|report| report.diagnostics.clone()).unwrap_or_default();
    if matches!(document.kind, DocumentKind::Bicep | DocumentKind::Json) {
        all.extend(request.rule_findings());
    }
    let report = FileReport::new(Arc::clone(&document.source), all);
    Ok(json!({ "kind": "full", "items": diagnostics::diagnostics(&report) }))
}
