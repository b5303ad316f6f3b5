//! Errors of deployments as reports, in the source that the template was made from.

use base::{FileReport, TextRange};
use deploy::ArmError;
use serde_json::Value as Json;

use super::source::Source;
use crate::evaluation::faults::{ByFile, own_names};
use crate::messages;

/// An error with all that is behind it, by file.
pub(crate) fn reports(error: &ArmError, source: &Source) -> Vec<FileReport> {
    let mut found = Vec::new();
    leaves(error, "", &mut found);
    let mut files = ByFile::default();
    for leaf in found {
        let message = own_names(&leaf.message);
        let diagnostic = messages::deployment_error(leaf.code.as_str(), TextRange::default(), &message);
        files.add(diagnostic, source.origin.locate(&leaf.pointer, TextRange::default()));
    }
    files.reports()
}

/// The checks that could not be made before the deployment, by file: the diagnostics of a what-if.
pub(crate) fn undetermined(diagnostics: Option<&Json>, source: &Source) -> Vec<FileReport> {
    let mut files = ByFile::default();
    for entry in diagnostics.and_then(Json::as_array).into_iter().flatten() {
        let text = |name: &str| entry.get(name).and_then(Json::as_str).unwrap_or_default();
        if text("code") != deploy::CHECK_NOT_MADE {
            continue;
        }
        let diagnostic = messages::check_not_made(&own_names(text("message")));
        files.add(diagnostic, source.origin.locate(&pointer(text("target")), TextRange::default()));
    }
    files.reports()
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
