//! The words for what can go wrong with values: parameter files are evaluated, and validators run. One function for each
//! code.

use base::{Check, Diagnostic, TextRange};

/// BCP338
pub(crate) fn evaluation_failed(range: TextRange, subject: &str, name: &str, reason: &str) -> Diagnostic {
    Check::Compiler.error("BCP338", range, format!("The {subject} \"{name}\" cannot be evaluated: {reason}"))
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
    Check::Compiler.error("BCP368", range, message)
}

/// BCP369
pub(crate) fn refers_to_default(range: TextRange, name: &str) -> Diagnostic {
    let message = format!(
        "The value of \"{name}\" is not known here: it is null, which asks for the template's default"
    );
    Check::Compiler.error("BCP369", range, message)
}

/// Why a name has no value.
pub(crate) fn no_value(name: &str) -> String {
    format!("'{name}' has no value.")
}

/// Why a value cannot be computed.
pub(crate) fn needs_itself(name: &str) -> String {
    format!("'{name}' needs its own value.")
}

/// `validation-failed`: a validator refuses a value. The sentence has its words.
pub(crate) fn validation_failed(range: TextRange, sentence: &str) -> Diagnostic {
    Check::Validators.error("validation-failed", range, sentence.trim_end_matches('.'))
}

/// `validator-broken`: a validator cannot be run, or gives what is no answer.
pub(crate) fn validator_broken(range: TextRange, sentence: &str) -> Diagnostic {
    Check::Validators.error("validator-broken", range, sentence.trim_end_matches('.'))
}

/// `validator-undetermined`: a value is not known while compiling, so that its validators could not run.
pub(crate) fn validator_undetermined(range: TextRange, path: &str, reason: &str) -> Diagnostic {
    let reason = if reason.is_empty() { "its value is not known" } else { reason };
    let message =
        format!("Undetermined: \"{path}\" could not be checked, because {}", reason.trim_end_matches('.'));
    Check::Validators.undetermined("validator-undetermined", range, message)
}

/// `validator-overrun`: a validator takes more time, memory or depth than it may.
pub(crate) fn validator_overrun(range: TextRange, sentence: &str) -> Diagnostic {
    Check::Validators.error("validator-overrun", range, sentence.trim_end_matches('.'))
}

/// Beside the place of a value: where the function is that checks it.
pub(crate) const VALIDATOR: &str = "the validator is declared here";

/// Of an assertion.
pub(crate) const FALSE_ASSERTION: &str = "it is false";

/// Of an assertion.
pub(crate) const NO_ASSERTION: &str = "it is neither true nor false";

/// Beside the place where a file is extended: where the value is.
pub(crate) const INHERITED: &str = "the value is given here";

/// Beside the place of a value: where the lambda is that checks it.
pub(crate) const VALIDATED: &str = "the value is checked here";

/// PARAMS001
pub(crate) fn no_parameters(range: TextRange) -> Diagnostic {
    Check::Compiler.error(
        "PARAMS001",
        range,
        "This is not a parameters file: it has no object \"parameters\"",
    )
}

/// PARAMS002
pub(crate) fn not_a_name(range: TextRange, name: &str) -> Diagnostic {
    Check::Compiler.error("PARAMS002", range, format!("\"{name}\" cannot be the name of a parameter"))
}

/// PARAMS003
pub(crate) fn no_value_given(range: TextRange, name: &str) -> Diagnostic {
    let message = format!("The parameter \"{name}\" has neither \"value\" nor \"reference\"");
    Check::Compiler.error("PARAMS003", range, message)
}

/// PARAMS004
pub(crate) fn bad_secret(range: TextRange, name: &str) -> Diagnostic {
    let message = format!(
        "The reference of the parameter \"{name}\" needs the resource id of a key vault and the name of a secret"
    );
    Check::Compiler.error("PARAMS004", range, message)
}

/// PARAMS005
pub(crate) fn expression_kept(range: TextRange, name: &str) -> Diagnostic {
    let message =
        format!("The expression of the parameter \"{name}\" cannot be written in the language again");
    Check::Compiler.error("PARAMS005", range, message)
}
