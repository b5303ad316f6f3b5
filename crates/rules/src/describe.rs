//! What a check wanted and what it found, in a sentence.

use arm::value::Kind;
use arm::{Secrets, Value};
use serde_json::Value as Json;

use crate::evaluate::OperatorCheck;
use crate::rule::{Bound, Comparison, Operator};

/// Why a single check did not pass. `subject` is how the reader calls what was looked at.
pub(crate) fn part(part: &OperatorCheck<'_, '_>, subject: &str) -> String {
    if let Some(reason) = &part.open {
        return match part.operator {
            Some(_) => {
                format!("Whether `{subject}` is as the rule wants it cannot be said, because {reason}.")
            }
            None => format!("The rule could not be evaluated: {reason}."),
        };
    }
    let must = if part.negated { "must not" } else { "must" };
    let found = found(part);
    match part.operator {
        Some(Operator::Exists(wanted)) if *wanted != part.negated => format!("`{subject}` is missing."),
        Some(Operator::Exists(_)) => format!("`{subject}` must not be there."),
        Some(Operator::HasValue(wanted)) if *wanted != part.negated => format!("`{subject}` has no value."),
        Some(Operator::HasValue(_)) => format!("`{subject}` must have no value, but {found}."),
        Some(Operator::Equals(value)) => format!("`{subject}` {must} be {}, but {found}.", shown(value)),
        Some(Operator::NotEquals(value)) if part.negated => {
            format!("`{subject}` must be {}, but {found}.", shown(value))
        }
        Some(Operator::NotEquals(value)) => format!("`{subject}` must not be {}.", shown(value)),
        Some(Operator::Compare(comparison, bound)) => {
            format!("`{subject}` {must} be {} {}, but {found}.", words(*comparison), bound_text(bound))
        }
        Some(Operator::Regex(pattern)) => {
            let value = part.scope.view.and_then(super::document::View::value);
            let is_other = value.is_some_and(|value| value.as_str().is_none());
            let why = if is_other { ", which is not a string" } else { "" };
            format!("`{subject}` {must} match `{}`, but {found}{why}.", pattern.as_str())
        }
        Some(Operator::In(values)) => {
            let values = values.iter().map(shown).collect::<Vec<_>>().join(", ");
            format!("`{subject}` {must} be one of {values}, but {found}.")
        }
        Some(Operator::AnyOf(_) | Operator::AllOf(_) | Operator::Not(_)) | None => {
            format!("`{subject}` is not as the rule wants it.")
        }
    }
}

fn found(part: &OperatorCheck<'_, '_>) -> String {
    match part.scope.view {
        None => "is missing".into(),
        Some(view) => view
            .value()
            .map_or_else(|| "is a list of resources".into(), |value| format!("is {}", shown(value))),
    }
}

/// Longer values are cut in messages.
const LONGEST: usize = 60;

fn shown(value: &Value) -> String {
    let mut left = LONGEST;
    let text = json::to_compact(&beginning(value, &mut left));
    let cut: String = text.chars().take(LONGEST).collect();
    if cut.len() < text.len() { format!("`{cut}…`") } else { format!("`{cut}`") }
}

/// So much of a value that its text is cut where that of the whole value would be: every part has a letter at least.
fn beginning(value: &Value, left: &mut usize) -> Json {
    *left = left.saturating_sub(1);
    match value.kind() {
        _ if value.is_secure() => value.to_json(Secrets::Hidden),
        Kind::String(text) => Json::String(text.chars().take(LONGEST).collect()),
        Kind::Array(items) => {
            let first = items.iter().map_while(|item| (*left > 0).then(|| beginning(item, left)));
            Json::Array(first.collect())
        }
        Kind::Object(object) => {
            let first = object
                .iter()
                .map_while(|(key, member)| (*left > 0).then(|| (key.to_string(), beginning(member, left))));
            Json::Object(first.collect())
        }
        _ => value.to_json(Secrets::Hidden),
    }
}

fn words(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Less => "less than",
        Comparison::LessOrEquals => "at most",
        Comparison::Greater => "greater than",
        Comparison::GreaterOrEquals => "at least",
    }
}

fn bound_text(bound: &Bound) -> String {
    match bound {
        Bound::Number(number) => number.to_string(),
        Bound::Date(_, text) => text.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_value_is_cut_as_its_text_would_be() {
        for value in [
            serde_json::json!(null),
            serde_json::json!("short"),
            serde_json::json!("a".repeat(59)),
            serde_json::json!("\u{e9}\"".repeat(100)),
            serde_json::json!([[[[1, 2, 3], {}, []]], "x"]),
            serde_json::json!((0..200).collect::<Vec<_>>()),
            serde_json::json!({ "a": [1, { "b": "c".repeat(70) }], "d": vec![vec![0; 50]; 50] }),
        ] {
            let whole = json::to_compact(&value);
            let cut: String = whole.chars().take(LONGEST).collect();
            let expected = if cut.len() < whole.len() { format!("`{cut}…`") } else { format!("`{cut}`") };
            assert_eq!(shown(&Value::from(&value)), expected);
        }
    }
}
