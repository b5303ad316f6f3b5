//! `--verify`: whether a decompiled template deploys what the template deployed.

use std::fmt::Write as _;

use arm::Template;
use arm::equivalence::{Pair, compare};
use arm::parameters::Inputs;
use base::{SourceFile, Verdict, World as _};
use camino::Utf8Path;
use project::Compilation;

use crate::evaluation::{budget, input};
use crate::session::Session;

/// Compares a template with what its decompiled files compile to.
pub(super) fn verdict(
    source: &SourceFile,
    compilation: &Compilation<'_>,
    renamed: &[(String, String)],
    session: &Session,
) -> Verdict {
    let open = |reason: &str| Verdict::Undetermined(reason.to_owned());
    let Some(root) = json::parse(source.text(), json::Options::lenient()).root else {
        return open("the template is not JSON");
    };
    let (before, errors) = Template::read(&root);
    if let Some(error) = errors.first() {
        return Verdict::Undetermined(format!("the template cannot be read: {}", error.message()));
    }
    let Some(entry) = compilation.entry().filter(|entry| compilation.is_sound(*entry)) else {
        return open("the result does not compile");
    };
    let emitted = compilation.template(entry);
    if emitted.is_cut {
        return open("the result is too large");
    }
    let (after, errors) = Template::of(&emitted.document);
    if let Some(error) = errors.first() {
        return Verdict::Undetermined(format!("the result cannot be read: {}", error.message()));
    }
    let supplied = supplied(source.path(), session);
    compare(Pair { before: &before, after: &after, renamed, supplied: &supplied }, budget)
}

/// The parameters of the file beside the template, if there is one: `main.parameters.json` for `main.json`.
fn supplied(template: &Utf8Path, session: &Session) -> Inputs {
    let path = template.with_extension("parameters.json");
    let file = session.world.read_source(&path).ok();
    let root = file.and_then(|file| input::document(&file).ok());
    root.map(|root| Inputs::read(&root).0).unwrap_or_default()
}

/// A verdict in lines.
pub(super) fn text(verdict: &Verdict, path: &Utf8Path) -> String {
    match verdict {
        Verdict::Pass => format!("{path}: verified: both deploy the same\n"),
        Verdict::Undetermined(reason) => format!("{path}: not verified: {reason}\n"),
        Verdict::Fail(findings) => {
            let mut text = String::new();
            for finding in findings {
                // Writing to a string cannot fail.
                let _ = writeln!(text, "{path}: different: {}: {}", finding.path, finding.message);
            }
            text
        }
    }
}
