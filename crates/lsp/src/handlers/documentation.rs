//! Hover, signatures, hints and diagnostics on demand.

use bicep_ide::signature_help::Signature;
use bicep_ide::{hover as hovers, signature_help as signatures};
use serde_json::{Value, json};

use super::{Request, origins};
use crate::convert::{self, markdown, set};
use crate::diagnostics;
use crate::documents::{Document, DocumentKind};
use crate::rpc::Answer;

pub(super) fn hover(request: &Request) -> Answer {
    if let Some(document) = request.document.as_ref().filter(|it| it.kind == DocumentKind::Config) {
        return config_hover(request, document);
    }
    let found = request.ask_at(|context, offset| {
        Ok(hovers::hover(context, offset).map(|mut hover| {
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

fn config_hover(request: &Request, document: &Document) -> Answer {
    let source = &document.source;
    let offset = convert::offset(source, &request.params)?;
    let found = bicep_ide::config_file::config_hover(source.text(), offset);
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
                "kind": if hint.is_parameter { 2 } else { 1 },
                "paddingLeft": !hint.is_parameter,
                "paddingRight": hint.is_parameter,
            })
        });
        Ok(Value::Array(hints.collect()))
    })?;
    Ok(found.unwrap_or_else(|| json!([])))
}

/// The diagnostics of a document, for clients that ask.
pub(super) fn diagnostics(request: &Request) -> Answer {
    let report = request.document.as_ref().and_then(|document| request.snapshot.diagnostics(&document.path));
    let items = report.map(|report| diagnostics::diagnostics(&report)).unwrap_or_default();
    Ok(json!({ "kind": "full", "items": items }))
}
