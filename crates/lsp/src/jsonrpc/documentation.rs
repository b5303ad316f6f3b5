//! `bicep/generateDocs` and `bicep/outputDocs`: documentation of modules, made by the program around this server.

use serde_json::{Map, Value, json};

use super::{JsonRpc, Request, failed, level, range};
use crate::rpc::{Answer, RpcError};
use crate::{DocumentationRequest, DocumentationResult};

pub(super) fn output(server: &JsonRpc, request: &Request<'_>) -> Answer {
    let Some(path) = request.params.get("path").and_then(Value::as_str) else {
        return Err(RpcError::invalid_params("The member \"path\" with the path of a file is missing."));
    };
    let asked = DocumentationRequest { paths: vec![path.to_owned()], ..options(request) };
    let results = server.host.document(&asked).map_err(failed)?;
    Ok(json!({ "result": results.first().map(value) }))
}

pub(super) fn generate(server: &JsonRpc, request: &Request<'_>) -> Answer {
    let Some(paths) = request.params.get("paths").and_then(Value::as_array) else {
        return Err(RpcError::invalid_params("The member \"paths\" with the paths of files is missing."));
    };
    let paths = paths.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    let asked = DocumentationRequest { paths, write: true, ..options(request) };
    let results = server.host.document(&asked).map_err(failed)?;
    Ok(json!({ "results": results.iter().map(value).collect::<Vec<_>>() }))
}

fn options(request: &Request<'_>) -> DocumentationRequest {
    let text = |name: &str| request.params.get(name).and_then(Value::as_str).map(str::to_owned);
    DocumentationRequest {
        template_file: text("templateFile"),
        template_root: text("templateRoot"),
        custom: request.params.get("custom").and_then(Value::as_object).cloned().unwrap_or_else(Map::new),
        output_file: text("outputFile"),
        no_restore: request.params.get("noRestore").and_then(Value::as_bool).unwrap_or(false),
        ..DocumentationRequest::default()
    }
}

fn value(result: &DocumentationResult) -> Value {
    let diagnostics = result.reports.iter().flat_map(|report| {
        report.diagnostics.iter().map(|it| {
            json!({
                "source": report.file.path().as_str(),
                "range": range(&report.file, it.range),
                "level": level(it.severity),
                "code": it.code.as_str(),
                "message": it.message,
            })
        })
    });
    let has_errors = result.reports.iter().any(base::FileReport::has_errors);
    json!({
        "path": result.path,
        "outputPath": result.output_path,
        "success": !has_errors,
        "diagnostics": diagnostics.collect::<Vec<_>>(),
        "contents": result.contents,
    })
}
