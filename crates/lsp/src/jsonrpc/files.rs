//! The methods about one file: compile, format, say what it has and what it refers to.

use std::collections::BTreeSet;

use bicep_emit::parameters::with_overrides;
use bicep_ide::FileContext;
use bicep_ide::file_metadata::{TypedDeclaration, file_metadata};
use bicep_ide::graph;
use bicep_sema::{SymbolKind, Unit};
use bicep_syntax::Dialect;
use camino::Utf8Path;
use serde_json::{Map, Value, json};

use super::{JsonRpc, Loaded, Request, diagnostics, failed, range};
use crate::rpc::{Answer, RpcError};

/// `bicep/compile`: the template of a Bicep file, the document of a parameter file.
pub(super) fn compile(server: &JsonRpc, request: &Request<'_>) -> Answer {
    let path = request.path()?;
    let loaded = server.workspace.load(&path, request.token)?;
    let success = loaded.is_sound();
    request.token.check()?;
    let contents = match (success, is_params(&loaded)) {
        (false, _) => None,
        (true, true) => document(&loaded),
        (true, false) => Some(loaded.template(loaded.entry)?),
    };
    Ok(json!({ "success": success, "diagnostics": diagnostics(&loaded), "contents": contents }))
}

/// `bicep/compileParams`: the document of a parameter file with other values for some parameters, and its template.
pub(super) fn compile_params(server: &JsonRpc, request: &Request<'_>) -> Answer {
    let path = request.path()?;
    let mut loaded = server.workspace.load(&path, request.token)?;
    if !is_params(&loaded) {
        return Err(failed(format!("{path} is not a parameter file.")));
    }
    if let Some(text) = overridden(&loaded, &path, request.params.get("parameterOverrides"))? {
        loaded = Loaded::of(loaded.snapshot.with_text(&path, text), &path)?;
    }
    let success = loaded.is_sound();
    request.token.check()?;
    let mut answer = json!({
        "success": success,
        "diagnostics": diagnostics(&loaded),
        "parameters": null,
        "template": null,
        "templateSpecId": null,
    });
    if success {
        let mut set =
            |name: &str, value: Option<String>| crate::convert::set(&mut answer, name, json!(value));
        set("parameters", document(&loaded));
        let used = bicep_emit::parameters::used(loaded.compilation.program(), loaded.entry);
        match used.map(|file| (file, loaded.compilation.program().unit(file))) {
            Some((_, Unit::Template(template))) if template.template_spec.is_some() => {
                set("templateSpecId", template.template_spec.clone());
            }
            Some((file, _)) => set("template", Some(loaded.template(file)?)),
            None => {}
        }
    }
    Ok(answer)
}

/// The text of a parameter file with other values in it.
fn overridden(
    loaded: &Loaded,
    path: &Utf8Path,
    overrides: Option<&Value>,
) -> Result<Option<String>, RpcError> {
    let values: &Map<String, Value> = match overrides {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Object(values)) if values.is_empty() => return Ok(None),
        Some(Value::Object(values)) => values,
        Some(_) => return Err(RpcError::invalid_params("parameterOverrides is an object: values by name.")),
    };
    let source = loaded.snapshot.source(path);
    Ok(source.map(|source| with_overrides(source.text(), values)))
}

/// The document of a parameter file.
fn document(loaded: &Loaded) -> Option<String> {
    loaded.compilation.parameters(loaded.entry).map(|parameters| json::to_pretty(&parameters.document()))
}

fn is_params(loaded: &Loaded) -> bool {
    loaded.compilation.bicep().is_some_and(|bicep| bicep.dialect == Dialect::Params)
}

/// `bicep/format`: the file in the standard layout.
pub(super) fn format(server: &JsonRpc, request: &Request<'_>) -> Answer {
    let path = request.path()?;
    let loaded = server.workspace.load(&path, request.token)?;
    Ok(json!({ "contents": formatted(&loaded)? }))
}

/// A file in the standard layout.
pub(crate) fn formatted(loaded: &Loaded) -> Result<String, RpcError> {
    let bicep = loaded.compilation.bicep().ok_or_else(|| failed("The file is no Bicep file."))?;
    Ok(bicep_ide::formatting::formatted(&bicep.parse, bicep.config.formatting))
}

/// `bicep/getMetadata`: what a file says about itself.
pub(super) fn metadata(server: &JsonRpc, request: &Request<'_>) -> Answer {
    with_context(server, request, |context| {
        let found = file_metadata(context);
        let source = &context.bicep.source;
        let typed = |it: &TypedDeclaration| {
            let ty = it
                .type_name
                .as_ref()
                .map(|name| json!({ "range": it.type_range.map(|at| range(source, at)), "name": name }));
            json!({
                "range": range(source, it.range),
                "name": it.name,
                "type": ty,
                "description": it.description,
            })
        };
        let metadata = found.metadata.iter().map(|(name, value)| json!({ "name": name, "value": value }));
        let exports = found.exports.iter().map(|it| {
            let kind = match it.kind {
                SymbolKind::Type => "TypeAlias",
                SymbolKind::Func => "Function",
                _ => "Variable",
            };
            json!({
                "range": range(source, it.range),
                "name": it.name,
                "kind": kind,
                "description": it.description,
            })
        });
        json!({
            "metadata": metadata.collect::<Vec<_>>(),
            "parameters": found.parameters.iter().map(typed).collect::<Vec<_>>(),
            "outputs": found.outputs.iter().map(typed).collect::<Vec<_>>(),
            "exports": exports.collect::<Vec<_>>(),
        })
    })
}

/// `bicep/getDeploymentGraph`: the resources and modules of a file and which waits for which.
pub(super) fn deployment_graph(server: &JsonRpc, request: &Request<'_>) -> Answer {
    with_context(server, request, |context| {
        let graph = graph::deployment_graph(context);
        let own: BTreeSet<&str> =
            graph.nodes.iter().filter(|node| node.parent.is_none()).map(|node| node.id.as_str()).collect();
        let nodes = graph.nodes.iter().filter(|node| node.parent.is_none()).map(|node| {
            json!({
                "range": range(&context.bicep.source, node.range),
                "name": node.name,
                "type": node.ty,
                "isExisting": node.is_existing,
                "relativePath": node.module_path,
            })
        });
        let edges = graph.edges.iter().filter(|(source, _)| own.contains(source.as_str()));
        let edges = edges.map(|(source, target)| json!({ "source": source, "target": target }));
        json!({ "nodes": nodes.collect::<Vec<_>>(), "edges": edges.collect::<Vec<_>>() })
    })
}

fn with_context(
    server: &JsonRpc,
    request: &Request<'_>,
    question: impl FnOnce(&FileContext<'_>) -> Value,
) -> Answer {
    let path = request.path()?;
    let loaded = server.workspace.load(&path, request.token)?;
    let context = FileContext::new(loaded.compilation.program(), loaded.entry);
    let context = context.filter(|it| it.bicep.dialect == Dialect::Bicep);
    let context = context.ok_or_else(|| failed(format!("{path} is not a Bicep file.")))?;
    Ok(question(&context))
}

/// `bicep/getFileReferences`: the files that a file is made of.
pub(super) fn file_references(server: &JsonRpc, request: &Request<'_>) -> Answer {
    let path = request.path()?;
    let loaded = server.workspace.load(&path, request.token)?;
    Ok(json!({ "filePaths": references(&loaded) }))
}

/// The Bicep files that a file is made of, what they load and their configurations, in the order of their paths.
pub(crate) fn references(loaded: &Loaded) -> BTreeSet<String> {
    let program = loaded.compilation.program();
    let files = || program.files().filter_map(|file| program.bicep(file));
    let sources = files().map(|bicep| bicep.source.path());
    let configs = files().filter_map(|bicep| bicep.config.path());
    let models = program.files().filter_map(|file| program.model(file));
    let loaded = models.flat_map(bicep_sema::Model::loaded);
    let paths = sources.chain(configs).chain(loaded);
    paths.map(|path| path.as_str().to_owned()).collect()
}
