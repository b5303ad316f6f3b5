//! `generateParams`: a parameter file to start from.

use bicep_emit::parameters::{Included, placeholder_document, placeholder_text, placeholders};
use bicep_syntax::Dialect;
use serde_json::Value;

use super::build::{errors, no_path};
use super::write::write;
use super::{Request, argument, path_of, refuse};
use crate::rpc::Answer;

pub(super) fn generate(request: &Request) -> Answer {
    let given = argument(request, 0);
    let path = given.get("bicepFilePath").and_then(path_of).ok_or_else(no_path)?;
    if let Some(message) = errors(request, &path) {
        return refuse(request, message);
    }
    let word = |name: &str| given.get(name).and_then(Value::as_str).unwrap_or_default().to_ascii_lowercase();
    let included = if word("includeParams") == "all" { Included::All } else { Included::Required };
    let compilation = request.snapshot.compilation(&path);
    let Some(entry) = compilation.entry() else { return refuse(request, format!("{path} cannot be read.")) };
    let found = placeholders(compilation.program(), entry, included);
    let (target, text) = if word("outputFormat") == "bicepparam" {
        let target = path.with_extension("bicepparam");
        let text = placeholder_text(&found, &format!("./{}", path.file_name().unwrap_or_default()));
        let parsed = bicep_syntax::parse(text, Dialect::Params);
        let formatting = request.snapshot.config(&target).formatting;
        (target, bicep_ide::formatting::formatted(&parsed, formatting))
    } else {
        let target = path.with_extension("parameters.json");
        // Values that are there already stay.
        let existing = request.source(&target).map(|file| json::parse(file.text(), json::Options::lenient()));
        let existing = existing.and_then(|parsed| parsed.root.map(|root| root.to_value()));
        (target, json::to_pretty(&placeholder_document(&found, existing.as_ref())))
    };
    match write(&target, &text) {
        Ok(()) => Ok(Value::String(format!("Generating parameters file succeeded. Created {target}"))),
        Err(message) => refuse(request, message),
    }
}
