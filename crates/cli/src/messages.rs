//! Diagnostics that commands find themselves, one constructor per code: the words are here and nowhere else.

use std::fmt::Display;

use base::{Diagnostic, TextRange};
use camino::Utf8Path;

/// What documentation is made from cannot be read.
pub(crate) fn documentation_input(reason: &str) -> Diagnostic {
    Diagnostic::error("DOCS001", TextRange::default(), format!("The module cannot be documented: {reason}."))
}

/// The folder of parts of a template is not there.
pub(crate) fn documentation_root(root: &Utf8Path) -> Diagnostic {
    let message =
        format!("The folder \"{root}\", in which templates find what they include, does not exist.");
    Diagnostic::error("DOCS001", TextRange::default(), message)
}

/// Documentation could not be written.
pub(crate) fn documentation_not_written(reason: &str) -> Diagnostic {
    Diagnostic::error(
        "DOCS002",
        TextRange::default(),
        format!("The documentation was not written: {reason}."),
    )
}

/// Documentation could not be made. The reason is a sentence.
pub(crate) fn documentation(reason: &dyn Display) -> Diagnostic {
    Diagnostic::error("DOCS003", TextRange::default(), reason.to_string())
}

/// Documentation that is not what would be written.
pub(crate) fn documentation_outdated(path: &Utf8Path) -> Diagnostic {
    let message = format!("The documentation in \"{path}\" is not up to date. `sinew docs` writes it.");
    Diagnostic::error("docs-outdated", TextRange::default(), message)
}
