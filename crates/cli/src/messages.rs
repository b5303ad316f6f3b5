//! The catalogue of diagnostics that commands make themselves, one constructor per code. What can go wrong outside of the
//! files that are looked at has its words in `failure`.

use std::fmt::Display;

use base::{Check, Diagnostic, SmolStr, TextRange};
use camino::Utf8Path;

/// ANALYZE009
pub(crate) fn no_parameters(at: TextRange) -> Diagnostic {
    bad_parameters(at, "This is not a parameters file: it has no object `parameters`.")
}

/// ANALYZE009: a value or a reference in a parameter file is malformed.
pub(crate) fn bad_parameters(at: TextRange, reason: &str) -> Diagnostic {
    Check::Rules.error("ANALYZE009", at, reason)
}

/// ANALYZE010
pub(crate) fn bad_baseline(at: TextRange, reason: &str) -> Diagnostic {
    Check::Rules.error("ANALYZE010", at, reason)
}

/// An example of a rule that does not go as the rule says.
pub(crate) fn wrong_example(example: &rules::Example, problem: &str) -> Diagnostic {
    let kind = if example.passes { "pass" } else { "fail" };
    let message = format!("Example {} of `{kind}`: {problem}", example.index + 1);
    Check::Rules.error(example.rule.clone(), example.range, message)
}

/// INPUTS001
pub(crate) fn unresolved_input(range: TextRange, key: &str, reason: &str) -> Diagnostic {
    Check::Inputs.error("INPUTS001", range, format!("The external input \"{key}\" has no value: {reason}"))
}

/// INPUTS002
pub(crate) fn malformed_inputs(range: TextRange, error: &arm::Error) -> Diagnostic {
    let message = format!("{}: {}", error.path(), error.message().trim_end_matches('.'));
    Check::Inputs.error("INPUTS002", range, message)
}

/// INPUTS003
pub(crate) fn input_does_not_fit(range: TextRange, name: &str, reason: &str) -> Diagnostic {
    let message =
        format!("The parameter \"{name}\" does not take the value: {}", reason.trim_end_matches('.'));
    Check::Inputs.error("INPUTS003", range, message)
}

/// An error whose reason might show the value of an external input.
pub(crate) fn withheld(diagnostic: &Diagnostic) -> Diagnostic {
    let message = "The value cannot be evaluated; the reason is withheld, as external inputs may be secrets";
    Check::Inputs.error(diagnostic.code.clone(), diagnostic.range, message)
}

/// `template-too-large`
pub(crate) fn template_too_large(reason: &str) -> Diagnostic {
    Check::Compiler.error("template-too-large", TextRange::default(), reason)
}

/// `not-formatted`
pub(crate) fn not_formatted(line: TextRange) -> Diagnostic {
    let message = "The layout differs from here on; `sinew format` puts it right.";
    Check::Formatter.error("not-formatted", line, message)
}

/// An error of evaluation or deployment, under the code that the service has for it.
pub(crate) fn deployment_error(code: impl Into<SmolStr>, range: TextRange, message: &str) -> Diagnostic {
    Check::Deployment.error(code, range, message)
}

/// A check of a value that only the deployment knows.
pub(crate) fn check_not_made(sentence: &str) -> Diagnostic {
    let message = format!("Undetermined: {}", sentence.trim_end_matches('.'));
    Check::Deployment.undetermined("CheckNotMade", TextRange::default(), message)
}

/// What documentation is made from cannot be read.
pub(crate) fn documentation_input(reason: &str) -> Diagnostic {
    Check::Documentation.error(
        "DOCS001",
        TextRange::default(),
        format!("The module cannot be documented: {reason}."),
    )
}

/// The folder of parts of a template is not there.
pub(crate) fn documentation_root(root: &Utf8Path) -> Diagnostic {
    let message =
        format!("The folder \"{root}\", in which templates find what they include, does not exist.");
    Check::Documentation.error("DOCS001", TextRange::default(), message)
}

/// Documentation could not be written.
pub(crate) fn documentation_not_written(reason: &str) -> Diagnostic {
    Check::Documentation.error(
        "DOCS002",
        TextRange::default(),
        format!("The documentation was not written: {reason}."),
    )
}

/// Documentation could not be made. The reason is a sentence.
pub(crate) fn documentation(reason: &dyn Display) -> Diagnostic {
    Check::Documentation.error("DOCS003", TextRange::default(), reason.to_string())
}

/// Documentation that is not what would be written.
pub(crate) fn documentation_outdated(path: &Utf8Path) -> Diagnostic {
    let message = format!("The documentation in \"{path}\" is not up to date. `sinew docs` writes it.");
    Check::Documentation.error("docs-outdated", TextRange::default(), message)
}
