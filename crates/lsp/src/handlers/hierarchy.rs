//! The call hierarchy of modules: a file is called by the files that deploy it as a module, and by the parameter files for it.

use bicep_ide::FileContext;
use bicep_ide::module_calls::{ModuleCall, module_calls};
use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Value, json};

use super::Request;
use crate::convert;
use crate::rpc::Answer;
use crate::uri;

const KIND_FILE: u8 = 1;

/// The file that the module at the position leads to; elsewhere, the file itself.
pub(super) fn prepare(request: &Request) -> Answer {
    let found = request.ask_at(|context, offset| {
        let calls = module_calls(context.bicep);
        let call = calls.iter().find(|call| call.range.contains_inclusive(offset));
        let path = match call {
            Some(call) => context.program.unit(call.target).source().path(),
            None => context.bicep.source.path(),
        };
        Ok(json!([item(request, path)]))
    })?;
    Ok(found.unwrap_or(Value::Null))
}

/// A file in the form of the protocol.
fn item(request: &Request, path: &Utf8Path) -> Value {
    let start = json!({ "line": 0, "character": 0 });
    let range = json!({ "start": start, "end": start });
    json!({
        "name": path.file_name().unwrap_or(path.as_str()),
        "detail": path.parent().map(Utf8Path::as_str),
        "kind": KIND_FILE,
        "uri": request.uri_of(path),
        "range": range,
        "selectionRange": range,
    })
}

fn asked_path(request: &Request) -> Option<Utf8PathBuf> {
    request.params.pointer("/item/uri").and_then(Value::as_str).and_then(uri::file_path)
}

/// The files that deploy a file.
pub(super) fn incoming(request: &Request) -> Answer {
    let Some(path) = asked_path(request) else { return Ok(Value::Null) };
    let mut calls = Vec::new();
    for user in request.snapshot.used_by(&path) {
        let ranges = with_file(request, &user, |context| {
            let target = context.program.file_at(&path);
            let own = module_calls(context.bicep).into_iter().filter(|call| Some(call.target) == target);
            own.map(|call| convert::range(&context.bicep.source, call.name_range)).collect::<Vec<_>>()
        });
        if let Some(ranges) = ranges.filter(|ranges| !ranges.is_empty()) {
            calls.push(json!({ "from": item(request, &user), "fromRanges": ranges }));
        }
    }
    Ok(Value::Array(calls))
}

/// The files that a file deploys.
pub(super) fn outgoing(request: &Request) -> Answer {
    let Some(path) = asked_path(request) else { return Ok(Value::Null) };
    let calls = with_file(request, &path, |context| {
        let mut calls: Vec<Value> = Vec::new();
        let mut open: Vec<ModuleCall> = module_calls(context.bicep);
        while let Some(first) = open.first() {
            let target = first.target;
            let (same, rest): (Vec<_>, Vec<_>) = open.into_iter().partition(|call| call.target == target);
            let ranges: Vec<Value> =
                same.iter().map(|call| convert::range(&context.bicep.source, call.name_range)).collect();
            let to = item(request, context.program.unit(target).source().path());
            calls.push(json!({ "to": to, "fromRanges": ranges }));
            open = rest;
        }
        calls
    });
    Ok(calls.map_or(Value::Null, Value::Array))
}

/// Asks about any file of the project.
pub(super) fn with_file<T>(
    request: &Request,
    path: &Utf8Path,
    question: impl FnOnce(&FileContext<'_>) -> T,
) -> Option<T> {
    let compilation = request.snapshot.compilation(path);
    let context = FileContext::new(compilation.program(), compilation.entry()?)?;
    Some(question(&context))
}
