//! What a check wanted and what it found, in a sentence.

use arm::{Secrets, Value};

use crate::evaluate::{Part, Truth};
use crate::rule::{Bound, Comparison, Operator};

/// Why a single check did not pass. `subject` is how the reader calls what was looked at.
pub(crate) fn part(part: &Part<'_, '_>, subject: &str) -> String {
    if let Truth::Open(reason) = &part.truth {
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
            format!("`{subject}` {must} match `{}`, but {found}.", pattern.as_str())
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

fn found(part: &Part<'_, '_>) -> String {
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
    let text = json::to_compact(&value.to_json(Secrets::Hidden));
    let cut: String = text.chars().take(LONGEST).collect();
    if cut.len() < text.len() { format!("`{cut}…`") } else { format!("`{cut}`") }
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
