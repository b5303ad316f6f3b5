//! `build` and `buildParams`: what a file compiles to, written beside it.

use camino::Utf8Path;
use serde_json::Value;

use super::write::write;
use super::{Request, argument, path_of, refuse};
use crate::rpc::{Answer, RpcError};

pub(super) fn build(request: &Request) -> Answer {
    let path = path_of(argument(request, 0)).ok_or_else(no_path)?;
    if let Some(message) = errors(request, &path) {
        return refuse(request, message);
    }
    let Some(emitted) = request.snapshot.template(&path) else {
        return refuse(request, format!("{path} cannot be read."));
    };
    finish(request, &path.with_extension("json"), &json::to_pretty(&emitted.template))
}

pub(super) fn build_params(request: &Request) -> Answer {
    let path = path_of(argument(request, 0)).ok_or_else(no_path)?;
    if let Some(message) = errors(request, &path) {
        return refuse(request, message);
    }
    let Some(parameters) = request.snapshot.parameters(&path) else {
        return refuse(request, format!("{path} is not a parameter file."));
    };
    // Beside a template of the same name it is told apart by its own extension.
    finish(request, &path.with_extension("parameters.json"), &json::to_pretty(&parameters.document()))
}

fn finish(request: &Request, target: &Utf8Path, text: &str) -> Answer {
    match write(target, text) {
        Ok(()) => Ok(Value::String(format!("Bicep build succeeded. Created ARM template file: {target}"))),
        Err(message) => refuse(request, message),
    }
}

pub(super) fn no_path() -> RpcError {
    RpcError::invalid_params("The path of a file is expected.")
}

/// Why a file cannot be compiled: its errors, one a line.
pub(super) fn errors(request: &Request, path: &Utf8Path) -> Option<String> {
    if request.snapshot.is_sound(path) {
        return None;
    }
    let mut lines = vec![format!("{path} has errors and was not compiled:")];
    let compilation = request.snapshot.compilation(path);
    let program = compilation.program();
    let files = compilation.entry().map(|entry| program.closure(entry).to_vec()).unwrap_or_default();
    for file in files {
        let report = compilation.report(file);
        let found = report.diagnostics.iter().filter(|it| it.severity == base::Severity::Error);
        lines.extend(found.map(|it| {
            let at = report.file.position(it.range.start());
            format!("{}({},{}): {}: {}", report.file.path(), at.line + 1, at.col + 1, it.code, it.message)
        }));
    }
    Some(lines.join("\n"))
}
