//! About calls of functions and the files that the compiler reads for them.

use base::{Check, Diagnostic, Severity, TextRange};
use bicep_types::ty::{Arity, Type};

/// BCP048
pub fn no_overload(range: TextRange, signatures: &[String], actual: &Type) -> Diagnostic {
    let message = format!("No overload of the function accepts \"{actual}\" here: {}", signatures.join("; "));
    Check::Compiler.error("BCP048", range, message)
}

/// BCP059
pub fn not_a_function(range: TextRange, name: &str) -> Diagnostic {
    Check::Compiler.error("BCP059", range, format!("\"{name}\" is not a function"))
}

/// BCP070
pub fn argument_mismatch(range: TextRange, actual: &Type, expected: &Type) -> Diagnostic {
    let message = format!("Expected an argument of type \"{expected}\", found \"{actual}\"");
    Check::Compiler.error("BCP070", range, message)
}

/// BCP071
pub fn argument_count(range: TextRange, actual: usize, arity: Arity) -> Diagnostic {
    let expected = match arity {
        Arity { min, max: Some(max) } if min == max => format!("{min}"),
        Arity { min, max: Some(max) } => format!("{min} to {max}"),
        Arity { min, max: None } => format!("at least {min}"),
    };
    Check::Compiler.error("BCP071", range, format!("Expected {expected} arguments, found {actual}"))
}

/// BCP107, BCP108
pub fn not_in_namespace(range: TextRange, name: &str, namespace: &str, other: Option<&str>) -> Diagnostic {
    match other {
        None => {
            let message = format!("The namespace \"{namespace}\" has no function \"{name}\"");
            Check::Compiler.error("BCP107", range, message)
        }
        Some(other) => {
            let message = format!(
                "The namespace \"{namespace}\" has no function \"{name}\". Did you mean \"{other}\"?"
            );
            Check::Compiler.error("BCP108", range, message).with_fix(
                format!("Change \"{name}\" to \"{other}\""),
                range,
                other,
            )
        }
    }
}

/// BCP109, BCP110
pub fn not_on_object(range: TextRange, name: &str, ty: &Type, other: Option<&str>) -> Diagnostic {
    match other {
        None => Check::Compiler.error("BCP109", range, format!("\"{ty}\" has no function \"{name}\"")),
        Some(other) => {
            let message = format!("\"{ty}\" has no function \"{name}\". Did you mean \"{other}\"?");
            Check::Compiler.error("BCP110", range, message).with_fix(
                format!("Change \"{name}\" to \"{other}\""),
                range,
                other,
            )
        }
    }
}

/// BCP184
pub fn file_too_large(range: TextRange, path: &str, limit: usize, unit: &str) -> Diagnostic {
    Check::Compiler.error("BCP184", range, format!("\"{path}\" has more than {limit} {unit}"))
}

/// BCP185
pub fn other_encoding(range: TextRange, detected: &str) -> Diagnostic {
    let message = format!("The file has a byte order mark of {detected}: that encoding is used");
    let mut diagnostic = Check::Compiler.warning("BCP185", range, message);
    diagnostic.severity = Severity::Info;
    diagnostic
}

/// BCP186
pub fn invalid_json(range: TextRange) -> Diagnostic {
    Check::Compiler.error("BCP186", range, "The text is not valid JSON")
}

/// BCP234
pub fn would_fail(range: TextRange, name: &str, reason: &str) -> Diagnostic {
    let message = format!("The function \"{name}\" will fail with these arguments: {reason}");
    Check::Compiler.warning("BCP234", range, message)
}

/// BCP235
pub fn path_not_found(range: TextRange) -> Diagnostic {
    Check::Compiler.error("BCP235", range, "The JSONPath is not valid, or matches nothing in the file")
}

/// BCP241
pub fn deprecated(range: TextRange, name: &str) -> Diagnostic {
    Check::Compiler.warning("BCP241", range, format!("The function \"{name}\" is deprecated"))
}

/// BCP265
pub fn shadowed(range: TextRange, name: &str, namespace: &str) -> Diagnostic {
    let message = format!(
        "\"{name}\" is declared in this file and is not a function: write \"{namespace}.{name}\" to call the function"
    );
    Check::Compiler.error("BCP265", range, message).with_fix(
        format!("Change \"{name}\" to \"{namespace}.{name}\""),
        range,
        format!("{namespace}.{name}"),
    )
}

/// BCP340
pub fn invalid_yaml(range: TextRange) -> Diagnostic {
    Check::Compiler.error("BCP340", range, "The text is not valid YAML")
}

/// BCP408
pub fn no_name(range: TextRange) -> Diagnostic {
    Check::Compiler.error("BCP408", range, "Only declarations and properties have a name")
}

/// BCP422
pub fn call_on_null(range: TextRange, ty: &Type) -> Diagnostic {
    Check::Compiler.warning(
        "BCP422",
        range,
        format!("The value of type \"{ty}\" may be null: the call would fail then"),
    )
}

/// BCP427
pub fn no_environment_variable(range: TextRange, name: &str, other: Option<&str>) -> Diagnostic {
    let hint = other.map(|other| format!(". Did you mean \"{other}\"?")).unwrap_or_default();
    let message = format!("The environment variable \"{name}\" is not set, and there is no default{hint}");
    Check::Compiler.error("BCP427", range, message)
}

/// What could be read instead. The values may be secrets, the names are not.
pub fn environment_variables(range: TextRange, names: &[String]) -> Diagnostic {
    const CODE: &str = "Bicepparam ReadEnvironmentVariable function";
    Check::Linter.info(CODE, range, format!("These environment variables are set: {}", names.join(", ")))
}

/// BCP428
pub fn no_folder(range: TextRange, path: &str) -> Diagnostic {
    Check::Compiler.error("BCP428", range, format!("The folder \"{path}\" does not exist"))
}

/// BCP429
pub fn cannot_list(range: TextRange, path: &str, reason: &str) -> Diagnostic {
    Check::Compiler.error("BCP429", range, format!("The folder \"{path}\" cannot be read: {reason}"))
}

/// BCP430
pub fn is_a_file(range: TextRange, path: &str) -> Diagnostic {
    Check::Compiler.error("BCP430", range, format!("\"{path}\" is a file: expected a folder"))
}
