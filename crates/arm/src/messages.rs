//! The catalogue of errors: one constructor for each reason. No other file has sentences.
//!
//! Values that may be secret are never part of a sentence; what the template itself says may be.

use base::Overrun;

use crate::error::{Code, Error};
use crate::value::{Object, Value};

fn template(reason: &'static str, message: impl Into<String>) -> Error {
    Error::new(Code::InvalidTemplate, reason, message)
}

// Limits.

pub(crate) fn overrun(overrun: Overrun) -> Error {
    let needs = if matches!(overrun, Overrun::Depth(_)) { "it is" } else { "it would take" };
    let message = format!("The evaluation was stopped: {needs} {overrun}.");
    Error::new(Code::TemplateEvaluationLimitExceeded, "limit", message)
}

pub(crate) fn more_violations(count: usize) -> Error {
    template("more-violations", format!("Only the first {count} violations are reported."))
}

pub(crate) fn too_many(what: &str, count: usize, limit: usize) -> Error {
    template("too-many", format!("The template has {count} or more {what}; {limit} are allowed."))
}

// Expressions as text.

pub(crate) fn expression_too_long(limit: usize) -> Error {
    template("expression-too-long", format!("The expression is longer than {limit} characters."))
}

pub(crate) fn expression_too_deep(limit: u16) -> Error {
    template("expression-too-deep", format!("The expression is nested deeper than {limit} levels."))
}

pub(crate) fn unexpected_character(text: &str, character: char, at: usize) -> Error {
    template(
        "unexpected-character",
        format!(
            "The expression '{text}' is not valid: character '{character}' at position {at} is not expected."
        ),
    )
}

pub(crate) fn unterminated_string(text: &str) -> Error {
    template(
        "unterminated-string",
        format!("The expression '{text}' is not valid: a string literal is not closed."),
    )
}

pub(crate) fn unexpected_token(text: &str, expected: &str, actual: &str) -> Error {
    template(
        "unexpected-token",
        format!("The expression '{text}' cannot be parsed: expected token '{expected}', found '{actual}'."),
    )
}

pub(crate) fn integer_out_of_range(text: &str, number: &str) -> Error {
    template(
        "integer-out-of-range",
        format!("The expression '{text}' is not valid: {number} does not fit into 64 bits."),
    )
}

// Functions and their arguments.

pub(crate) fn unknown_function(name: &str) -> Error {
    template("unknown-function", format!("There is no template function '{name}'."))
}

pub(crate) fn function_not_expected_here(name: &str) -> Error {
    template(
        "function-not-expected-here",
        format!("The template function '{name}' is not expected at this location."),
    )
}

pub(crate) fn argument_count(name: &str, expected: usize, actual: usize) -> Error {
    argument_count_of(name, &expected.to_string(), actual)
}

pub(crate) fn argument_count_of(name: &str, expected: &str, actual: usize) -> Error {
    template(
        "argument-count",
        format!("The template function '{name}' takes {expected} arguments, but {actual} are given."),
    )
}

pub(crate) fn argument_type(name: &str, index: usize, expected: &str, actual: &str) -> Error {
    template(
        "argument-type",
        format!(
            "Argument {} of the template function '{name}' must be of type '{expected}', but is of type '{actual}'.",
            index + 1
        ),
    )
}

pub(crate) fn invalid_argument(name: &str, why: &str) -> Error {
    template("invalid-argument", format!("The template function '{name}' cannot be evaluated: {why}."))
}

pub(crate) fn overflow(name: &str) -> Error {
    template("overflow", format!("The result of the template function '{name}' does not fit into 64 bits."))
}

pub(crate) fn division_by_zero(name: &str) -> Error {
    template("division-by-zero", format!("The template function '{name}' cannot divide by zero."))
}

pub(crate) fn bad_format(format: &str) -> Error {
    template("bad-format", format!("The format '{format}' is not valid."))
}

pub(crate) fn missing_format_argument(format: &str, index: usize) -> Error {
    template("missing-format-argument", format!("The format '{format}' has no argument for '{{{index}}}'."))
}

pub(crate) fn raised(message: &str) -> Error {
    template("raised", message)
}

pub(crate) fn no_such_lambda_variable(name: &str) -> Error {
    template("no-such-lambda-variable", format!("There is no lambda variable '{name}' here."))
}

pub(crate) fn bad_lambda_result(function: &str, expected: &str, actual: &str) -> Error {
    template(
        "bad-lambda-result",
        format!(
            "The lambda of the template function '{function}' must give a value of type '{expected}', but gave '{actual}'."
        ),
    )
}

// Parts of values.

pub(crate) fn no_such_property(name: &str, object: Option<&Object>) -> Error {
    let available = object.map(|object| {
        let names: Vec<&str> = object.keys().take(20).map(smol_str::SmolStr::as_str).collect();
        format!(", available properties are '{}'", names.join(", "))
    });
    template(
        "no-such-property",
        format!("The language expression property '{name}' doesn't exist{}.", available.unwrap_or_default()),
    )
}

pub(crate) fn index_out_of_range(index: i64, length: usize) -> Error {
    template(
        "index-out-of-range",
        format!("The array index {index} is out of bounds: the array has {length} items."),
    )
}

pub(crate) fn bad_index(value: &Value, key: &Value) -> Error {
    template(
        "bad-index",
        format!(
            "A value of type '{}' cannot be indexed by a value of type '{}'.",
            value.type_name(),
            key.type_name()
        ),
    )
}

pub(crate) fn bad_member_name(actual: &str) -> Error {
    template("bad-member-name", format!("The name of a member must be a string, but is of type '{actual}'."))
}

// What expressions refer to.

pub(crate) fn no_such_parameter(name: &str) -> Error {
    template("no-such-parameter", format!("The template has no parameter '{name}'."))
}

pub(crate) fn refused(message: String) -> Error {
    template("refused", message)
}

pub(crate) fn no_such_variable(name: &str) -> Error {
    template("no-such-variable", format!("The template has no variable '{name}'."))
}

pub(crate) fn no_such_resource(name: &str) -> Error {
    template("no-such-resource", format!("The template has no resource '{name}'."))
}

pub(crate) fn no_such_external_input(name: &str) -> Error {
    template("no-such-external-input", format!("There is no external input '{name}'."))
}

/// The error of an expression over external inputs. They may be secrets, so that the reason, which may quote them, is
/// withheld. What does not depend on their values is told.
pub(crate) fn without_inputs(error: Error) -> Error {
    let is_telling = error.is_overrun()
        || matches!(
            error.reason(),
            "no-such-external-input" | "unknown-function" | "function-not-expected-here"
        );
    if is_telling {
        return error;
    }
    error.reword(
        "The expression cannot be evaluated; the reason is withheld, as external inputs may be secrets."
            .into(),
    )
}

pub(crate) fn no_such_loop(name: Option<&str>) -> Error {
    let message = match name {
        Some(name) => format!("There is no copy loop '{name}' around this expression."),
        None => "'copyIndex' is used outside of a copy loop.".into(),
    };
    template("no-such-loop", message)
}

pub(crate) fn cycle(what: &str, path: &[&str]) -> Error {
    template("cycle", format!("Circular dependency detected on {what}: '{}'.", path.join("' -> '")))
}

pub(crate) fn invalid_variable(name: &str, inner: &Error) -> Error {
    let message = inner.message();
    inner.clone().reword(format!("The template variable '{name}' is not valid: {message}"))
}

// Loops.

pub(crate) fn bad_loop_count(name: &str, actual: &str) -> Error {
    template(
        "bad-loop-count",
        format!("The count of copy loop '{name}' must be a whole number, but is of type '{actual}'."),
    )
}

pub(crate) fn loop_count_out_of_range(name: &str, count: i64, limit: i64) -> Error {
    template(
        "loop-count-out-of-range",
        format!("The count of copy loop '{name}' is {count}; it must be from 0 to {limit}."),
    )
}

pub(crate) fn bad_batch_size(name: &str) -> Error {
    template(
        "bad-batch-size",
        format!("The batch size of copy loop '{name}' must be a whole number from 1 on."),
    )
}

pub(crate) fn incomplete_copy() -> Error {
    template("incomplete-copy", "A copy loop needs a 'name' and a 'count'.")
}

// The document.

pub(crate) fn not_a_template() -> Error {
    template("not-a-template", "A template must be a JSON object.")
}

pub(crate) fn missing_member(name: &str) -> Error {
    template("missing-member", format!("The required member '{name}' is missing."))
}

pub(crate) fn wrong_kind(expected: &str) -> Error {
    template("wrong-kind", format!("Here must be {expected}."))
}

pub(crate) fn unknown_schema(schema: &str) -> Error {
    template("unknown-schema", format!("The schema '{schema}' is not one of deployment templates."))
}

pub(crate) fn unknown_section(name: &str) -> Error {
    template("unknown-section", format!("Templates have no section '{name}'."))
}

pub(crate) fn unknown_type(name: &str) -> Error {
    template("unknown-type", format!("There is no type '{name}'."))
}

// Parameters and types.

/// Why a discriminated object could not be checked.
pub(crate) const UNKNOWN_VARIANT: &str = "the member that decides on the type is not known";

/// What is said of a value when its validator gives no message.
pub(crate) const VALIDATION_FAILED: &str = "the value does not pass its validation";

fn parameter(reason: &'static str, path: &str, what: impl std::fmt::Display) -> Error {
    template(reason, format!("The value of '{path}' is not valid: {what}."))
}

pub(crate) fn bad_parameter_form(name: &str) -> Error {
    template(
        "bad-parameter-form",
        format!("The parameter '{name}' needs one of 'value', 'reference' and 'expression', and only one."),
    )
}

pub(crate) fn not_an_expression(name: &str) -> Error {
    template(
        "not-an-expression",
        format!(
            "The 'expression' of the parameter '{name}' must be a text in square brackets, such as \"[externalInputs('0')]\"."
        ),
    )
}

pub(crate) fn bad_external_input(name: &str) -> Error {
    template(
        "bad-external-input",
        format!(
            "The external input '{name}' needs either a definition, with a text 'type' or 'kind', or a 'value'."
        ),
    )
}

pub(crate) fn unknown_parameter(name: &str, known: &[&str]) -> Error {
    template(
        "unknown-parameter",
        format!("The parameter '{name}' is supplied, but the template has only '{}'.", known.join(", ")),
    )
}

pub(crate) fn parameter_not_provided(name: &str) -> Error {
    template(
        "parameter-not-provided",
        format!("The value for the template parameter '{name}' is not provided."),
    )
}

/// The reason of [`null_not_allowed`].
pub(crate) const NULL_NOT_ALLOWED: &str = "null-not-allowed";

pub(crate) fn null_not_allowed(path: &str) -> Error {
    parameter(NULL_NOT_ALLOWED, path, "it must not be null")
}

/// Why it could not be checked of which kind a value is: nothing else is asked of it.
pub(crate) const KIND_NOT_CHECKED: &str = "kind-undetermined";

/// A check that could not be made.
pub(crate) fn not_checked(path: &str, reason: &str, is_refined: bool) -> Error {
    let word = if is_refined { "undetermined" } else { KIND_NOT_CHECKED };
    let reason = if reason.is_empty() { "its value is not known" } else { reason.trim_end_matches('.') };
    template(word, format!("The value of '{path}' could not be checked: {reason}."))
}

pub(crate) fn wrong_type(path: &str, expected: &str, actual: &str) -> Error {
    parameter("wrong-type", path, format!("expected a value of type '{expected}', but received '{actual}'"))
}

pub(crate) fn not_allowed(path: &str, shown: &str, allowed: &[Value]) -> Error {
    let allowed: Vec<String> = allowed
        .iter()
        .take(50)
        .map(|value| crate::functions::to_text(value, None).unwrap_or_default())
        .collect();
    parameter(
        "not-allowed",
        path,
        format!("'{shown}' is not part of the allowed values '{}'", allowed.join(", ")),
    )
}

pub(crate) fn too_small(path: &str, min: i64) -> Error {
    parameter("too-small", path, format!("it must be at least {min}"))
}

pub(crate) fn too_large(path: &str, max: i64) -> Error {
    parameter("too-large", path, format!("it must be at most {max}"))
}

pub(crate) fn too_short(path: &str, length: i64, min: i64) -> Error {
    parameter("too-short", path, format!("its length is {length}, but must be at least {min}"))
}

pub(crate) fn too_long(path: &str, length: i64, max: i64) -> Error {
    parameter("too-long", path, format!("its length is {length}, but must be at most {max}"))
}

pub(crate) fn missing_item(path: &str, index: usize) -> Error {
    parameter("missing-item", path, format!("item {index} is missing"))
}

pub(crate) fn too_many_items(path: &str, count: usize, limit: usize) -> Error {
    parameter("too-many-items", path, format!("it has {count} items, but only {limit} are declared"))
}

pub(crate) fn missing_property(path: &str, name: &str) -> Error {
    parameter("missing-property", path, format!("the property '{name}' is missing"))
}

pub(crate) fn property_not_allowed(path: &str, name: &str) -> Error {
    parameter("property-not-allowed", path, format!("the property '{name}' is not declared"))
}

pub(crate) fn no_such_type(pointer: &str) -> Error {
    template("no-such-type", format!("There is no type definition at '{pointer}'."))
}

pub(crate) fn cyclic_type(pointer: &str) -> Error {
    template("cyclic-type", format!("The type definition at '{pointer}' is only a reference to itself."))
}

// Validators.

pub(crate) fn constraint_violated(path: &str, message: &str) -> Error {
    parameter("constraint-violated", path, message.trim_end_matches('.'))
}

pub(crate) fn incomplete_constraint() -> Error {
    template("incomplete-constraint", "A user-defined constraint needs a 'namespace' and a 'name'.")
}

pub(crate) fn constraint_needs_language_version(name: &str, version: Option<&str>) -> Error {
    let version = version.map_or_else(|| "without one".into(), |version| format!("of version '{version}'"));
    template(
        "constraint-needs-language-version",
        format!("The custom validator '{name}' needs language version 2.0, and this template is {version}."),
    )
}

pub(crate) fn no_such_validator(name: &str) -> Error {
    template("no-such-validator", format!("The custom validator '{name}' is not a function of the template."))
}

pub(crate) fn validator_argument_count(name: &str, expected: usize, given: usize) -> Error {
    let additional = given.saturating_sub(1);
    let message = match expected.checked_sub(1) {
        None => format!("The custom validator '{name}' takes no argument, so that it cannot see the value."),
        Some(own) => {
            format!(
                "The custom validator '{name}' takes {own} additional arguments, but {additional} are given."
            )
        }
    };
    template("validator-argument-count", message)
}

pub(crate) fn additional_arguments_not_an_array() -> Error {
    template("wrong-kind", "The 'additionalArguments' of a user-defined constraint must be an array.")
}

/// In place of what a validator says about a secret.
pub(crate) const WITHHELD: &str = "the reason is withheld, as it may show a secret";

pub(crate) fn bad_validator_result(name: &str, why: &str) -> Error {
    template(
        "bad-validator-result",
        format!("The custom validator '{name}' returned an invalid value: {why}."),
    )
}

pub(crate) fn validator_failed(name: &str, message: &str) -> String {
    format!("The custom validator '{name}' could not be evaluated: {message}")
}

// Resources.

pub(crate) fn bad_condition(actual: &str) -> Error {
    template("bad-condition", format!("A condition must be true or false, but is of type '{actual}'."))
}

pub(crate) fn no_such_dependency(name: &str) -> Error {
    template("no-such-dependency", format!("The dependency '{name}' is not defined in the template."))
}

pub(crate) fn nested_too_deeply(limit: usize) -> Error {
    template("nested-too-deeply", format!("Deployments are nested deeper than {limit} levels."))
}
