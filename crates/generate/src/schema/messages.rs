//! What a validator finds, in the words that jk's users know. Errors of the validator come in, a [`Verdict`] goes out.

use base::{Finding, Verdict};
use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::paths::LocationSegment;
use jsonschema::{JsonType, ValidationError};
use serde_json::Value;

use super::decimal::Decimal;

/// The verdict that errors stand for, those of a value before those of its members. Paths are names and indexes joined by
/// points, `(root)` for the whole value. A pattern that takes too long leaves it open whether its part is valid.
pub(super) fn verdict<'e>(errors: impl Iterator<Item = ValidationError<'e>>) -> Verdict {
    let mut errors: Vec<ValidationError<'e>> = errors.collect();
    errors.sort_by_cached_key(position);
    let (mut failures, mut open) = (Vec::new(), Vec::new());
    for error in &errors {
        let mut findings = Vec::new();
        match add(error, &mut findings) {
            Ok(()) => failures.append(&mut findings),
            Err(reason) => open.push(Finding::new(reason)),
        }
    }
    Verdict::of(failures, open)
}

/// Why a schema cannot be used.
pub(super) fn unusable(error: &ValidationError<'_>) -> String {
    match error.kind() {
        ValidationErrorKind::Referencing(error) => {
            format!("the schema has a reference that leads nowhere: {error}")
        }
        _ => format!("the schema is not valid: {error} (at {})", path_of(error)),
    }
}

pub(super) fn unknown_draft(draft: &str) -> String {
    format!("the schema is written for an unknown draft: '{draft}' (known are 4, 6, 7, 2019-09 and 2020-12)")
}

/// Where an error stands, so that outer values come first and items in their order.
fn position(error: &ValidationError<'_>) -> Vec<(usize, String)> {
    let segment = |segment| match segment {
        LocationSegment::Property(name) => (0, name.into_owned()),
        LocationSegment::Index(index) => (index + 1, String::new()),
    };
    error.instance_path().segments().map(segment).collect()
}

fn path_of(error: &ValidationError<'_>) -> String {
    let segment = |segment| match segment {
        LocationSegment::Property(name) => name.into_owned(),
        LocationSegment::Index(index) => index.to_string(),
    };
    let path: Vec<String> = error.instance_path().segments().map(segment).collect();
    if path.is_empty() { "(root)".to_owned() } else { path.join(".") }
}

/// Adds what an error says, and for alternatives also what the closest one says.
fn add(error: &ValidationError<'_>, findings: &mut Vec<Finding>) -> Result<(), String> {
    use ValidationErrorKind as Kind;
    let path = path_of(error);
    let mut say = |message: String| findings.push(Finding::new(message).at(path.clone()));
    match error.kind() {
        Kind::BacktrackLimitExceeded { .. } | Kind::RegexEngineFailure { .. } => {
            return Err(format!("a pattern takes too long to match ({path})"));
        }
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            unexpected.iter().for_each(|name| say(format!("Additional property {name} is not allowed")));
        }
        Kind::AnyOf { context } => {
            say("Must validate at least one schema (anyOf)".to_owned());
            return add_closest(context, findings);
        }
        Kind::OneOfNotValid { context } => {
            say("Must validate one and only one schema (oneOf)".to_owned());
            return add_closest(context, findings);
        }
        Kind::PropertyNames { error } => {
            let name = error.instance();
            say(format!("Property name of {name} does not match"));
            let reason = message(error, &path);
            say(reason);
        }
        _ => {
            let text = message(error, &path);
            say(text);
        }
    }
    Ok(())
}

/// Among alternatives, the one whose errors lie deepest got furthest; the first of those with the fewest errors.
fn add_closest(
    alternatives: &[Vec<ValidationError<'static>>],
    findings: &mut Vec<Finding>,
) -> Result<(), String> {
    let depth = |errors: &[ValidationError<'_>]| {
        errors.iter().map(|error| error.instance_path().segments().count()).max().unwrap_or(0)
    };
    let is_of_wrong_type = |errors: &[ValidationError<'_>]| {
        errors.iter().any(|error| matches!(error.kind(), ValidationErrorKind::Type { .. }))
    };
    let closest = alternatives
        .iter()
        .min_by_key(|errors| (is_of_wrong_type(errors), std::cmp::Reverse(depth(errors)), errors.len()));
    for error in closest.into_iter().flatten() {
        add(error, findings)?;
    }
    Ok(())
}

fn message(error: &ValidationError<'_>, path: &str) -> String {
    use ValidationErrorKind as Kind;
    match error.kind() {
        Kind::AdditionalItems { .. } | Kind::UnevaluatedItems { .. } => {
            "No additional items allowed on array".to_owned()
        }
        Kind::Constant { expected_value } => format!("{path} does not match: {expected_value}"),
        Kind::Contains => "At least one of the items must match".to_owned(),
        Kind::Enum { options } => {
            let options =
                options.as_array().map_or_else(Vec::new, |list| list.iter().map(Value::to_string).collect());
            format!("{path} must be one of the following: {}", options.join(", "))
        }
        Kind::ExclusiveMaximum { limit } => format!("Must be less than {}", fraction(limit)),
        Kind::ExclusiveMinimum { limit } => format!("Must be greater than {}", fraction(limit)),
        Kind::Maximum { limit } => format!("Must be less than or equal to {}", fraction(limit)),
        Kind::Minimum { limit } => format!("Must be greater than or equal to {}", fraction(limit)),
        Kind::FalseSchema | Kind::Not { .. } => "Must not validate the schema (not)".to_owned(),
        Kind::Format { format } => format!("Does not match format '{format}'"),
        Kind::MaxItems { limit } => format!("Array must have at most {limit} items"),
        Kind::MinItems { limit } => format!("Array must have at least {limit} items"),
        Kind::MaxLength { limit } => format!("String length must be less than or equal to {limit}"),
        Kind::MinLength { limit } => format!("String length must be greater than or equal to {limit}"),
        Kind::MaxProperties { limit } => format!("Must have at most {limit} properties"),
        Kind::MinProperties { limit } => format!("Must have at least {limit} properties"),
        Kind::MultipleOf { multiple_of } => format!("Must be a multiple of {multiple_of}"),
        Kind::OneOfMultipleValid { .. } => "Must validate one and only one schema (oneOf)".to_owned(),
        Kind::Pattern { pattern } => format!("Does not match pattern '{pattern}'"),
        Kind::Required { property } => {
            let name = property.as_str().map_or_else(|| property.to_string(), str::to_owned);
            // The keyword at the end of the path tells a dependency from a requirement.
            if error.schema_path().as_str().contains("/depend") {
                format!("Has a dependency on {name}")
            } else {
                format!("{name} is required")
            }
        }
        Kind::Type { kind } => {
            format!("Invalid type. Expected: {}, given: {}", expected_types(kind), type_of(error.instance()))
        }
        Kind::UniqueItems => duplicate_items(error.instance()),
        _ => error.to_string(),
    }
}

fn expected_types(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(kind) => kind.to_string(),
        TypeKind::Multiple(kinds) => {
            let names: Vec<String> = kinds.iter().map(|kind: JsonType| kind.to_string()).collect();
            format!("[{}]", names.join(","))
        }
    }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.as_f64().is_some_and(|number| number.fract() == 0.0) => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn duplicate_items(value: &Value) -> String {
    let items = value.as_array().map_or(&[][..], Vec::as_slice);
    let same = |a: &Value, b: &Value| match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (a, b) => a == b,
    };
    let first = items.iter().enumerate().find_map(|(at, item)| {
        let later = items.iter().skip(at + 1).position(|other| same(item, other))?;
        Some((at, at + 1 + later))
    });
    match first {
        Some((first, later)) => format!("array items[{first},{later}] must be unique"),
        None => "array items must be unique".to_owned(),
    }
}

/// A limit as a fraction, which is how jk prints it.
fn fraction(limit: &Value) -> String {
    let text = limit.to_string();
    Decimal::parse(&text).map_or(text, Decimal::fraction)
}
