//! Definition, references, highlights, links and rename.

use base::TextRange;
use bicep_ide::definition::{self, Definition, DefinitionFile};
use bicep_ide::rename::{self, RenameError, SharedName};
use bicep_ide::{FileContext, highlight as highlights, references as uses};
use camino::Utf8Path;
use serde_json::{Map, Value, json};

use super::Request;
use super::hierarchy::with_file;
use crate::convert;
use crate::rpc::{Answer, RpcError};

pub(super) fn definition(request: &Request) -> Answer {
    let found = request.ask_at(|context, offset| {
        let found = definition::definition(context, offset);
        Ok(found.and_then(|found| link(request, context, &found)))
    })?;
    Ok(Value::Array(found.flatten().into_iter().collect()))
}

fn link(request: &Request, context: &FileContext<'_>, found: &Definition) -> Option<Value> {
    let (path, source) = match &found.file {
        DefinitionFile::Loaded(file) => {
            let source = context.program.unit(*file).source();
            (source.path().to_owned(), Some(source.clone()))
        }
        DefinitionFile::Path(path) => (path.clone(), request.source(path)),
    };
    let uri = request.uri_of(&path);
    let range = |range: TextRange| match &source {
        Some(source) => convert::range(source, range),
        // What is not a text has no positions but its start.
        None => json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 0 } }),
    };
    if !request.abilities.definition_links {
        return Some(json!({ "uri": uri, "range": range(found.name_range) }));
    }
    Some(json!({
        "originSelectionRange": convert::range(&context.bicep.source, found.origin),
        "targetUri": uri,
        "targetRange": range(found.range),
        "targetSelectionRange": range(found.name_range),
    }))
}

pub(super) fn references(request: &Request) -> Answer {
    let with_declaration = request.params.pointer("/context/includeDeclaration").and_then(Value::as_bool);
    let found = request.ask_at(|context, offset| {
        let ranges = uses::references(context, offset, with_declaration.unwrap_or(true));
        let uri = request.uri_of(context.bicep.source.path());
        let locations = ranges.into_iter();
        Ok(locations
            .map(|range| json!({ "uri": uri, "range": convert::range(&context.bicep.source, range) }))
            .collect::<Vec<_>>())
    })?;
    Ok(Value::Array(found.unwrap_or_default()))
}

pub(super) fn highlight(request: &Request) -> Answer {
    const READ: u8 = 2;
    const WRITE: u8 = 3;
    let found = request.ask_at(|context, offset| {
        let found = highlights::highlights(context, offset).unwrap_or_default().into_iter();
        Ok(found
            .map(|it| {
                let kind = if it.is_write { WRITE } else { READ };
                json!({ "range": convert::range(&context.bicep.source, it.range), "kind": kind })
            })
            .collect::<Vec<_>>())
    })?;
    Ok(Value::Array(found.unwrap_or_default()))
}

pub(super) fn links(request: &Request) -> Answer {
    let found = request.ask(|context| {
        let links = bicep_ide::links::links(context).into_iter();
        Ok(links
            .map(|link| {
                let range = convert::range(&context.bicep.source, link.range);
                let target = match &link.target {
                    bicep_ide::links::LinkTarget::File(path) => request.uri_of(path),
                    bicep_ide::links::LinkTarget::Page(uri) => uri.clone(),
                };
                json!({ "range": range, "target": target })
            })
            .collect::<Vec<_>>())
    })?;
    Ok(Value::Array(found.unwrap_or_default()))
}

pub(super) fn prepare_rename(request: &Request) -> Answer {
    let found = request.ask_at(|context, offset| {
        let found = rename::prepare(context, offset).map_err(refusal)?;
        let range = convert::range(&context.bicep.source, found.range);
        Ok(json!({ "range": range, "placeholder": found.name }))
    })?;
    found.ok_or_else(|| refusal(RenameError::NothingToRename))
}

pub(super) fn rename(request: &Request) -> Answer {
    let new_name = request.params.get("newName").and_then(Value::as_str).unwrap_or_default();
    let found = request.ask_at(|context, offset| {
        let edits = rename::rename(context, offset, new_name).map_err(refusal)?;
        let source = &context.bicep.source;
        let edits: Vec<Value> = edits.iter().map(|edit| convert::text_edit(source, edit)).collect();
        let uri = request.uri_of(source.path());
        let mut changes = Map::new();
        changes.insert(uri, json!(edits));
        if let Some(shared) = rename::shared_name(context, offset) {
            rename_elsewhere(request, source.path(), &shared, new_name, &mut changes);
        }
        Ok(json!({ "changes": changes }))
    })?;
    found.ok_or_else(|| refusal(RenameError::NothingToRename))
}

/// The edits of the files that refer to a file whose name for something changes.
fn rename_elsewhere(
    request: &Request,
    path: &Utf8Path,
    shared: &SharedName,
    new_name: &str,
    changes: &mut Map<String, Value>,
) {
    for user in request.snapshot.used_by(path) {
        let edits = with_file(request, &user, |context| {
            let target = context.program.file_at(path)?;
            let edits = rename::rename_uses(context, target, shared, new_name);
            Some(edits.iter().map(|edit| convert::text_edit(&context.bicep.source, edit)).collect::<Vec<_>>())
        });
        let edits = edits.flatten().unwrap_or_default();
        if !edits.is_empty() {
            changes.insert(request.uri_of(&user), json!(edits));
        }
    }
}

fn refusal(error: RenameError) -> RpcError {
    RpcError::failed(error.message())
}
