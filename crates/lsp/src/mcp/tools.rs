//! The tools of the reference: arguments come in, answers in its shapes go out.

use bicep_emit::parameters::decompile_parameters;
use bicep_syntax::Dialect;
use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Map, Value, json};

use super::{Mcp, best_practices, resource_types};
use crate::cancel::CancelToken;
use crate::decompile::decompiled;
use crate::jsonrpc::{
    DeploymentContext, Loaded, absolute_path, failed, formatted, level, predict, references,
};
use crate::rpc::{Answer, RpcError};
use crate::uri;

/// A tool: its arguments come in, its answer goes out.
type ToolFunction = fn(&Mcp, &Value, &CancelToken) -> Answer;

const TOOLS: &[(&str, ToolFunction)] = &[
    ("build_bicep", build),
    ("build_bicepparam", build_params),
    ("format_bicep_file", format),
    ("get_file_references", file_references),
    ("get_deployment_snapshot", snapshot),
    ("decompile_arm_template_file", decompile_template),
    ("decompile_arm_parameters_file", decompile_params),
    ("list_azure_resource_types", resource_types::list_azure),
    ("get_azure_resource_type_schema", resource_types::azure_schema),
    ("list_extension_resource_types", resource_types::list_extension),
    ("get_extension_resource_type_schema", resource_types::extension_schema),
    ("list_well_known_extensions", resource_types::well_known_extensions),
    ("list_avm_metadata", resource_types::public_modules),
    ("get_bicep_best_practices", |_, _, _| Ok(json!({ "content": best_practices::TEXT }))),
];

/// The function of a tool.
pub(super) fn find(name: &str) -> Option<ToolFunction> {
    TOOLS.iter().find(|(known, _)| *known == name).map(|(_, tool)| *tool)
}

/// The absolute path that a tool is asked about.
fn path(arguments: &Value, extensions: &[&str]) -> Result<Utf8PathBuf, RpcError> {
    let path = absolute_path(arguments, "filePath")?;
    if !path.extension().is_some_and(|it| extensions.contains(&it)) {
        return Err(failed(format!(
            "{path}: a file with the extension .{} is expected.",
            extensions.join(" or .")
        )));
    }
    Ok(path)
}

fn build(mcp: &Mcp, arguments: &Value, token: &CancelToken) -> Answer {
    let loaded = mcp.workspace.load(&path(arguments, &["bicep"])?, token)?;
    let success = loaded.is_sound();
    let template = if success { Some(loaded.template(loaded.entry)?) } else { None };
    Ok(json!({ "success": success, "template": template, "diagnostics": diagnostics(&loaded) }))
}

fn build_params(mcp: &Mcp, arguments: &Value, token: &CancelToken) -> Answer {
    let loaded = mcp.workspace.load(&path(arguments, &["bicepparam"])?, token)?;
    let success = loaded.is_sound();
    let (mut parameters, mut template) = (None, None);
    if let Some(values) = loaded.compilation.parameters(loaded.entry).filter(|_| success) {
        parameters = Some(json::to_pretty(&values.document()));
        template = values.template.map(|file| loaded.template(file)).transpose()?;
    }
    Ok(json!({
        "success": success,
        "parameters": parameters,
        "template": template,
        "diagnostics": diagnostics(&loaded),
    }))
}

/// The diagnostics of files, with places counted in UTF-16 units from their start.
fn diagnostics(loaded: &Loaded) -> Vec<Value> {
    let mut found = Vec::new();
    for report in loaded.reports() {
        let text = report.file.text();
        let units =
            |range: std::ops::Range<usize>| text.get(range).map_or(0, |part| part.encode_utf16().count());
        for it in &report.diagnostics {
            let range = std::ops::Range::<usize>::from(it.range);
            found.push(json!({
                "fileUri": uri::of_path(report.file.path()),
                "code": it.code.as_str(),
                "level": level(it.severity),
                "message": it.message,
                "documentationUri": it.link,
                "position": units(0..range.start),
                "length": units(range),
            }));
        }
    }
    found
}

fn format(mcp: &Mcp, arguments: &Value, token: &CancelToken) -> Answer {
    let loaded = mcp.workspace.load(&path(arguments, &["bicep", "bicepparam"])?, token)?;
    Ok(json!({ "content": formatted(&loaded)? }))
}

fn file_references(mcp: &Mcp, arguments: &Value, token: &CancelToken) -> Answer {
    let loaded = mcp.workspace.load(&path(arguments, &["bicep", "bicepparam"])?, token)?;
    let uris = references(&loaded).iter().map(|path| uri::of_path(Utf8Path::new(path))).collect::<Vec<_>>();
    Ok(json!({ "fileUris": uris }))
}

fn snapshot(mcp: &Mcp, arguments: &Value, token: &CancelToken) -> Answer {
    let loaded = mcp.workspace.load(&path(arguments, &["bicepparam"])?, token)?;
    predict(&loaded, &DeploymentContext::of(arguments), &[])
}

/// Files to save, the one that refers to the others first.
fn files_to_save(entry: &Utf8Path, files: impl Iterator<Item = (Utf8PathBuf, String)>) -> Value {
    let files: Map<String, Value> =
        files.map(|(path, text)| (uri::of_path(&path), Value::String(text))).collect();
    json!({ "entrypointUri": uri::of_path(entry), "filesToSave": files })
}

fn decompile_template(mcp: &Mcp, arguments: &Value, token: &CancelToken) -> Answer {
    let path = path(arguments, &["json", "jsonc", "arm"])?;
    token.check()?;
    let snapshot = mcp.workspace.snapshot(&path);
    let source = snapshot.source(&path).ok_or_else(|| failed(format!("{path} cannot be read.")))?;
    let made = decompiled(&snapshot, &source).map_err(failed)?;
    let entry = path.with_extension("bicep");
    Ok(files_to_save(&entry, made.files.into_iter()))
}

fn decompile_params(mcp: &Mcp, arguments: &Value, token: &CancelToken) -> Answer {
    let path = path(arguments, &["json", "jsonc"])?;
    token.check()?;
    let snapshot = mcp.workspace.snapshot(&path);
    let source = snapshot.source(&path).ok_or_else(|| failed(format!("{path} cannot be read.")))?;
    let parsed = json::parse(source.text(), json::Options::lenient());
    let (text, problems) = match &parsed.root {
        Some(root) => decompile_parameters(root, None),
        None => (String::new(), parsed.diagnostics),
    };
    if let Some(problem) = problems.iter().find(|it| it.severity == base::Severity::Error) {
        return Err(failed(format!("{path}: {}", problem.message)));
    }
    let target = path.with_extension("bicepparam");
    let parsed = bicep_syntax::parse(text, Dialect::Params);
    let text = bicep_ide::formatting::formatted(&parsed, snapshot.config(&target).formatting);
    Ok(files_to_save(&target, std::iter::once((target.clone(), text))))
}
