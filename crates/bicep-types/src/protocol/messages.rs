//! Everything that can be wrong with a types package, one constructor per code.

use base::{Check, Diagnostic, SmolStr, TextRange};

/// Something wrong with one file of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file, as the package calls it.
    pub file: SmolStr,
    /// What is wrong.
    pub diagnostic: Diagnostic,
}

impl Problem {
    fn error(file: &str, code: &'static str, message: String) -> Self {
        let range = TextRange::default();
        Self { file: file.into(), diagnostic: Check::Packages.error(code, range, message) }
    }

    fn warning(file: &str, code: &'static str, message: String) -> Self {
        let range = TextRange::default();
        Self { file: file.into(), diagnostic: Check::Packages.warning(code, range, message) }
    }
}

pub(crate) fn not_json(file: &str, range: TextRange, reason: &str) -> Problem {
    let message = format!("This is not a file of types: {reason}.");
    Problem { file: file.into(), diagnostic: Check::Packages.error("types-syntax", range, message) }
}

pub(crate) fn missing_file(file: &str) -> Problem {
    Problem::error(
        file,
        "types-missing-file",
        format!("The package has no file \"{file}\", which it refers to."),
    )
}

pub(crate) fn unknown_kind(file: &str, index: usize, kind: &str) -> Problem {
    let message = format!("Entry #/{index} has the unknown kind \"{kind}\"; it is read as \"any\".");
    Problem::warning(file, "types-unknown-kind", message)
}

pub(crate) fn missing_field(file: &str, index: usize, field: &str) -> Problem {
    Problem::error(file, "types-missing-field", format!("Entry #/{index} lacks the field \"{field}\"."))
}

pub(crate) fn bad_value(file: &str, index: usize, field: &str, expected: &str) -> Problem {
    let message = format!("The field \"{field}\" of entry #/{index} has to be {expected}.");
    Problem::error(file, "types-bad-value", message)
}

pub(crate) fn bad_reference(file: &str, index: usize, reference: &str) -> Problem {
    let message = format!("Entry #/{index} refers to \"{reference}\", which is no type of this file.");
    Problem::error(file, "types-bad-reference", message)
}

pub(crate) fn bad_index_reference(file: &str, key: &str, reference: &str, expected: &str) -> Problem {
    let message = format!("\"{key}\" refers to \"{reference}\", which is not {expected}.");
    Problem::error(file, "types-bad-reference", message)
}

pub(crate) fn mixed_scopes(file: &str, index: usize) -> Problem {
    let message = format!(
        "Entry #/{index} says its scopes in the old and in the new way; \"readableScopes\" and \"writableScopes\" have to \
         be given together and without \"scopeType\", \"readOnlyScopes\" and \"flags\"."
    );
    Problem::error(file, "types-mixed-scopes", message)
}

pub(crate) fn endless_type(file: &str, index: usize) -> Problem {
    let message = format!("Entry #/{index} is made of nothing but itself; it is read as \"any\".");
    Problem::error(file, "types-endless", message)
}

pub(crate) fn bad_resource_key(file: &str, key: &str) -> Problem {
    let message = format!("\"{key}\" is not a resource type, such as \"My.Provider/things@2024-01-01\".");
    Problem::error(file, "types-bad-key", message)
}

pub(crate) fn other_resource(file: &str, key: &str, name: &str) -> Problem {
    let message = format!("\"{key}\" leads to the definition of \"{name}\".");
    Problem::warning(file, "types-other-resource", message)
}

pub(crate) fn too_large(what: &str) -> Problem {
    Problem::error("", "types-too-large", format!("The package has more {what} than a catalogue can hold."))
}
