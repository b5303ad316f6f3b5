//! The words for what can go wrong when parameter files are evaluated, one function for each code.

use base::{Diagnostic, TextRange};

/// BCP338
pub(crate) fn evaluation_failed(range: TextRange, subject: &str, name: &str, reason: &str) -> Diagnostic {
    Diagnostic::error("BCP338", range, format!("The {subject} \"{name}\" cannot be evaluated: {reason}"))
}

/// BCP338: the reason might show what must not be shown.
pub(crate) fn secure_evaluation_failed(range: TextRange, name: &str) -> Diagnostic {
    let reason = "the reason is withheld, as the parameter is secure";
    evaluation_failed(range, "parameter", name, reason)
}

/// BCP368
pub(crate) fn refers_to_secret(range: TextRange, name: &str) -> Diagnostic {
    let message =
        format!("The value of \"{name}\" is not known here: it is read from a key vault during deployment");
    Diagnostic::error("BCP368", range, message)
}

/// BCP369
pub(crate) fn refers_to_default(range: TextRange, name: &str) -> Diagnostic {
    let message = format!(
        "The value of \"{name}\" is not known here: it is null, which asks for the template's default"
    );
    Diagnostic::error("BCP369", range, message)
}

/// Why a name has no value.
pub(crate) fn no_value(name: &str) -> String {
    format!("'{name}' has no value.")
}

/// Why a value cannot be computed.
pub(crate) fn needs_itself(name: &str) -> String {
    format!("'{name}' needs its own value.")
}
