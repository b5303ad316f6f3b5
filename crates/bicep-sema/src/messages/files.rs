//! About files and the references between them.

use base::{Check, Diagnostic, ReadError, TextRange};
use camino::Utf8Path;
use config::provider::ProviderSource;

use crate::program::MissingTypes;

/// BCP090
pub fn empty_path(range: TextRange) -> Diagnostic {
    Check::Compiler.error("BCP050", range, "The path is empty: expected a file or an artifact reference")
}

/// BCP091, BCP275
pub fn cannot_read(range: TextRange, path: &Utf8Path, error: &ReadError) -> Diagnostic {
    match error {
        ReadError::IsFolder => {
            Check::Compiler.error("BCP275", range, format!("\"{path}\" is a folder: expected a file"))
        }
        _ => Check::Compiler.error("BCP091", range, format!("Cannot read \"{path}\": {error}")),
    }
}

/// BCP190, BCP192, BCP396
pub fn extension_types(range: TextRange, source: &ProviderSource, missing: &MissingTypes) -> Diagnostic {
    let name = match source {
        ProviderSource::Package(reference) => reference.to_string(),
        ProviderSource::File(path) => path.to_string(),
        ProviderSource::Builtin(builtin) => builtin.name().to_owned(),
        ProviderSource::System => "sys".to_owned(),
    };
    match (source, missing) {
        (ProviderSource::File(_), MissingTypes::NotRestored) => {
            Check::Compiler.error("BCP091", range, format!("Cannot read \"{name}\""))
        }
        (_, MissingTypes::NotRestored) => not_restored(range, &name),
        (_, MissingTypes::Unreadable(reason)) => restore_failed(range, &name, reason),
        (_, MissingTypes::Malformed(reason)) => Check::Compiler.error(
            "BCP396",
            range,
            format!("\"{name}\" is not a valid types package: {reason}"),
        ),
    }
}

/// BCP204, for a name that a configuration file further up has: only the nearest file counts.
pub fn configured_further_up(mut unknown: Diagnostic, outer: &Utf8Path) -> Diagnostic {
    unknown.message.push_str(&format!(
        " \"{outer}\" has it, but only the nearest file counts: add \"extends\" to that one, or the entry."
    ));
    unknown
}

/// BCP303
pub fn interpolated_extension(range: TextRange) -> Diagnostic {
    let message =
        "The reference of an extension must be a compile-time constant; an interpolated string is not";
    Check::Compiler.error("BCP303", range, message)
}

/// BCP404
pub fn not_a_params_file(range: TextRange) -> Diagnostic {
    Check::Compiler.error(
        "BCP404",
        range,
        "Only a parameter file can be extended: its name ends with \".bicepparam\"",
    )
}

/// BCP090, BCP256, BCP358, BCP404
pub fn path_missing(range: TextRange, code: &'static str) -> Diagnostic {
    Check::Compiler.error(code, range, "Expected the path of a file")
}

/// BCP276
pub fn not_a_template(range: TextRange) -> Diagnostic {
    Check::Compiler.error("BCP276", range, "A parameters file is for a Bicep file or a template")
}

/// BCP277
pub fn not_a_module(range: TextRange) -> Diagnostic {
    Check::Compiler.error(
        "BCP277",
        range,
        "A parameter file cannot be deployed: expected a Bicep file, a template, or a reference to a registry",
    )
}

/// BCP092
pub fn interpolated_path(range: TextRange) -> Diagnostic {
    Check::Compiler.error(
        "BCP092",
        range,
        "The path must be a compile-time constant; an interpolated string is not",
    )
}

/// BCP094, BCP095, BCP278
pub fn circle(range: TextRange, is_direct: bool, is_params: bool) -> Diagnostic {
    match (is_direct, is_params) {
        (true, true) => Check::Compiler.error("BCP278", range, "This parameters file refers to itself"),
        (true, false) => Check::Compiler.error("BCP094", range, "This module refers to itself"),
        (false, _) => Check::Compiler.error(
            "BCP095",
            range,
            "The file refers back to this one, directly or through others",
        ),
    }
}

/// A template with all its modules has no natural end: ten files of two modules each are a thousand modules.
pub fn too_large(range: TextRange) -> Diagnostic {
    Check::Compiler.error(
        "template-too-large",
        range,
        "With this module the template passes 64 MB or 100 levels of modules; Azure takes 4 MB",
    )
}

/// BCP190
pub fn not_restored(range: TextRange, reference: &str) -> Diagnostic {
    Check::Compiler.error(
        "BCP190",
        range,
        format!("\"{reference}\" has not been restored: run `sinew restore`"),
    )
}

/// BCP192
pub fn restore_failed(range: TextRange, reference: &str, reason: &str) -> Diagnostic {
    Check::Compiler.error("BCP192", range, format!("\"{reference}\" could not be restored: {reason}"))
}
