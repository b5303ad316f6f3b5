//! Errors of deployments as reports, in the source that the template was made from.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::{Diagnostic, FileReport, SourceFile, TextRange};
use camino::Utf8PathBuf;
use deploy::ArmError;
use serde_json::Value as Json;

use super::source::Source;

use crate::messages;

/// An error with all that is behind it, by file.
pub(crate) fn reports(error: &ArmError, source: &Source) -> Vec<FileReport> {
    let mut found = Vec::new();
    leaves(error, "", &mut found);
    let mut files: BTreeMap<Utf8PathBuf, (Arc<SourceFile>, Vec<Diagnostic>)> = BTreeMap::new();
    for leaf in found {
        let place = source.map.as_ref().and_then(|map| map.find(&leaf.pointer));
        let (file, range) = match place {
            Some(place) => (Arc::clone(&place.file), place.range),
            None => (Arc::clone(&source.file), range_in(source, &leaf.pointer)),
        };
        let diagnostic = messages::deployment_error(leaf.code.as_str(), range, &leaf.message);
        files.entry(file.path().to_owned()).or_insert_with(|| (file, Vec::new())).1.push(diagnostic);
    }
    files.into_values().map(|(file, diagnostics)| FileReport::new(file, diagnostics)).collect()
}

/// What really went wrong, and where in the template.
struct Leaf {
    code: String,
    message: String,
    pointer: String,
}

/// Errors behind errors lie in deployments inside of deployments: their places are joined.
fn leaves(error: &ArmError, around: &str, into: &mut Vec<Leaf>) {
    let own = place(error).map(|path| format!("{around}{}", pointer(&path)));
    if error.details.is_empty() {
        let pointer = own.unwrap_or_else(|| around.to_owned());
        into.push(Leaf { code: error.code.clone(), message: error.message.clone(), pointer });
        return;
    }
    // The details of one and the same error repeat its place; those of a resource lie in its template.
    let inside = match (&own, error.code.as_str()) {
        (Some(own), "ResourceDeploymentFailure") => format!("{own}/properties/template"),
        (Some(own), "InvalidResource") => own.clone(),
        _ => around.to_owned(),
    };
    for detail in &error.details {
        leaves(detail, &inside, into);
    }
}

fn place(error: &ArmError) -> Option<String> {
    let info = error
        .additional_info
        .iter()
        .find(|info| info.get("type").is_some_and(|of| of == "TemplateViolation"));
    let path = info?.pointer("/info/path").and_then(Json::as_str)?;
    (!path.is_empty()).then(|| path.to_owned())
}

/// `resources[2].properties['a.b']` as `/resources/2/properties/a.b`.
fn pointer(path: &str) -> String {
    let mut pointer = String::new();
    let mut rest = path;
    while !rest.is_empty() {
        let (step, after) = if let Some(quoted) = rest.strip_prefix("['") {
            quoted.split_once("']").unwrap_or((quoted, ""))
        } else if let Some(index) = rest.strip_prefix('[') {
            index.split_once(']').unwrap_or((index, ""))
        } else {
            let end = rest.find(['.', '[']).unwrap_or(rest.len());
            rest.split_at(end)
        };
        pointer.push('/');
        pointer.push_str(&step.replace('~', "~0").replace('/', "~1"));
        rest = after.strip_prefix('.').unwrap_or(after);
    }
    pointer
}

/// The place in a template that is written in JSON.
fn range_in(source: &Source, pointer: &str) -> TextRange {
    if source.map.is_some() {
        // The ranges of a compiled template are not those of its source.
        return TextRange::default();
    }
    let root = json::parse(source.file.text(), json::Options::lenient()).root;
    let Some(root) = root else { return TextRange::default() };
    let mut pointer = pointer;
    loop {
        if let Some(node) = root.pointer(pointer) {
            return if pointer.is_empty() { TextRange::default() } else { node.range };
        }
        match pointer.rsplit_once('/') {
            Some((shorter, _)) => pointer = shorter,
            None => return TextRange::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_pointers() {
        for (path, expected) in [
            ("resources[2].properties.name", "/resources/2/properties/name"),
            ("outputs['a.b'].value", "/outputs/a.b/value"),
            ("parameters.p['x/y'][0]", "/parameters/p/x~1y/0"),
            ("", ""),
        ] {
            assert_eq!(pointer(path), expected);
        }
    }
}
