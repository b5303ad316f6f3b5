//! The operators that look at a single value. Each answers yes, no, or that the value is not known.

use std::cmp::Ordering;

use arm::Value;
use arm::value::Kind;
use smol_str::SmolStr;

use crate::date;
use crate::evaluate::Truth;
use crate::rule::{Bound, Comparison, Operator};
use crate::scope::{Scope, unknown_reason};

/// What an operator says about a place. Operators made of evaluations are not asked here.
pub(crate) fn holds(operator: &Operator, scope: &Scope<'_>) -> Truth {
    let is_inside = scope.is_inside_unknown;
    if let (Operator::Exists(expected), false) = (operator, is_inside) {
        return Truth::of(scope.view.is_some() == *expected);
    }
    if let Some(reason) = unknown_reason(scope) {
        return match operator {
            Operator::HasValue(expected) if comes_later(scope) && !is_inside => Truth::of(*expected),
            _ => Truth::Open(reason),
        };
    }
    let value = scope.view.and_then(crate::document::View::value);
    match operator {
        Operator::HasValue(expected) => {
            // A list of resources is a value although it is no plain one.
            let empty =
                value.map_or(scope.view.is_none(), |value| value.is_null() || value.as_str() == Some(""));
            Truth::of(empty != *expected)
        }
        Operator::Equals(wanted) => Truth::maybe(value.map_or(Some(false), |value| equal(value, wanted))),
        Operator::NotEquals(wanted) => {
            Truth::maybe(value.map_or(Some(true), |value| equal(value, wanted).map(|equal| !equal)))
        }
        Operator::Compare(comparison, bound) => {
            let order = value.and_then(|value| order(value, bound));
            Truth::of(order.is_some_and(|order| allows(*comparison, order)))
        }
        Operator::Regex(pattern) => match value.and_then(Value::as_str).map(|text| pattern.is_found_in(text))
        {
            Some(Some(found)) => Truth::of(found),
            Some(None) => Truth::Open(SmolStr::new_static("the pattern takes too long on this value")),
            None => Truth::Fail,
        },
        Operator::In(allowed) => {
            let Some(value) = value else { return Truth::Fail };
            let answers: Vec<_> = allowed.iter().map(|wanted| equal(value, wanted)).collect();
            if answers.contains(&Some(true)) {
                return Truth::Pass;
            }
            Truth::maybe(if answers.contains(&None) { None } else { Some(false) })
        }
        Operator::Exists(_) | Operator::AnyOf(_) | Operator::AllOf(_) | Operator::Not(_) => Truth::Fail,
    }
}

/// Whether a value is missing only because nothing is deployed yet: there will be one.
fn comes_later(scope: &Scope<'_>) -> bool {
    let unknown = scope.view.and_then(crate::document::View::value).and_then(Value::as_unknown);
    unknown.is_some_and(|unknown| {
        unknown.origins.iter().all(|origin| {
            use arm::Origin::{Clock, List, NewGuid, Resource, Secret, Service};
            matches!(origin, Resource(_) | List(_) | Secret(_) | Service(_) | Clock | NewGuid)
        })
    })
}

/// Texts in any letter case, numbers by their value; inside arrays and objects, exactly. None when an unknown part
/// decides.
fn equal(value: &Value, wanted: &Value) -> Option<bool> {
    match (value.kind(), wanted.kind()) {
        (Kind::String(a), Kind::String(b)) => Some(a.to_lowercase() == b.to_lowercase()),
        (Kind::Int(a), Kind::Int(b)) => Some(a == b),
        (Kind::Int(_) | Kind::Float(_), Kind::Int(_) | Kind::Float(_)) => Some(
            number(value).zip(number(wanted)).is_some_and(|(a, b)| (a - b).abs() <= f64::EPSILON * a.abs()),
        ),
        _ => value.equals(wanted),
    }
}

#[expect(clippy::cast_precision_loss, reason = "rules compare numbers as doubles")]
fn number(value: &Value) -> Option<f64> {
    match value.kind() {
        Kind::Int(value) => Some(*value as f64),
        Kind::Float(value) => Some(*value),
        _ => None,
    }
}

fn order(value: &Value, bound: &Bound) -> Option<Ordering> {
    match bound {
        Bound::Number(bound) => number(value)?.partial_cmp(bound),
        Bound::Date(bound, _) => Some(date::parse(value.as_str()?)?.cmp(bound)),
    }
}

fn allows(comparison: Comparison, order: Ordering) -> bool {
    match comparison {
        Comparison::Less => order.is_lt(),
        Comparison::LessOrEquals => order.is_le(),
        Comparison::Greater => order.is_gt(),
        Comparison::GreaterOrEquals => order.is_ge(),
    }
}
