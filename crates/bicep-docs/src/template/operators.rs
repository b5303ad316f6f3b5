//! What operators do with values.

use std::cmp::Ordering;
use std::sync::Arc;

use super::ast::Operator;
use super::value::Value;

/// How long a text may get by repeating it.
pub(super) const MAX_TEXT: usize = 64 << 20;
/// How many numbers a range may have.
pub(super) const MAX_RANGE: i64 = 10_000_000;

pub(super) const TEXT_TOO_LONG: &str = "the text is too long";

/// Two values with an operator between them; those that look at one side only are not among them.
pub(super) fn binary(operator: Operator, left: &Value, right: &Value) -> Result<Value, String> {
    match operator {
        Operator::Equal => Ok(Value::Bool(equal(left, right))),
        Operator::NotEqual => Ok(Value::Bool(!equal(left, right))),
        Operator::Less | Operator::LessOrEqual | Operator::Greater | Operator::GreaterOrEqual => {
            let holds = compare(left, right).is_some_and(|order| match operator {
                Operator::Less => order == Ordering::Less,
                Operator::LessOrEqual => order != Ordering::Greater,
                Operator::Greater => order == Ordering::Greater,
                _ => order != Ordering::Less,
            });
            Ok(Value::Bool(holds))
        }
        Operator::Range | Operator::RangeExclusive => {
            range(left, right, operator == Operator::RangeExclusive)
        }
        Operator::Add => add(left, right),
        Operator::Multiply => multiply(left, right),
        _ => arithmetic(operator, left, right),
    }
}

/// Whether two values are the same.
pub(super) fn equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Null, Value::Null) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::Text(a), Value::Text(b)) => a == b,
        (Value::List(a), Value::List(b)) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| equal(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(name, value)| b.get(name).is_some_and(|it| equal(value, it)))
        }
        (Value::Function(a), Value::Function(b)) => Arc::ptr_eq(a, b),
        _ => match (left.as_float(), right.as_float()) {
            (Some(a), Some(b)) => a == b,
            _ => false,
        },
    }
}

/// The order of two values, where they have one.
pub(super) fn compare(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
        (Value::Text(a), Value::Text(b)) => Some(a.cmp(b)),
        (Value::Bool(a), Value::Bool(b)) => Some(a.cmp(b)),
        _ => left.as_float()?.partial_cmp(&right.as_float()?),
    }
}

fn range(left: &Value, right: &Value, is_exclusive: bool) -> Result<Value, String> {
    let (Value::Int(from), Value::Int(to)) = (left, right) else {
        return Err("a range needs whole numbers".to_owned());
    };
    if to.checked_sub(*from).is_none_or(|count| count.abs() > MAX_RANGE) {
        return Err("the range is too large".to_owned());
    }
    // A range whose end comes first counts down.
    let numbers: Vec<Value> = match (from <= to, is_exclusive) {
        (true, false) => (*from..=*to).map(Value::Int).collect(),
        (true, true) => (*from..*to).map(Value::Int).collect(),
        (false, false) => (*to..=*from).rev().map(Value::Int).collect(),
        (false, true) => (*to + 1..=*from).rev().map(Value::Int).collect(),
    };
    Ok(Value::list(numbers))
}

fn add(left: &Value, right: &Value) -> Result<Value, String> {
    match (left, right) {
        (Value::Text(_), _) | (_, Value::Text(_)) => joined(&left.print(), &right.print()),
        (Value::List(a), Value::List(b)) => Ok(Value::list(a.iter().chain(b.iter()).cloned())),
        (Value::Null, Value::Null) => Ok(Value::Null),
        _ => arithmetic(Operator::Add, left, right),
    }
}

fn joined(left: &str, right: &str) -> Result<Value, String> {
    if left.len() + right.len() > MAX_TEXT {
        return Err(TEXT_TOO_LONG.to_owned());
    }
    Ok(Value::Text(format!("{left}{right}").into()))
}

fn multiply(left: &Value, right: &Value) -> Result<Value, String> {
    let (text, count) = match (left, right) {
        (Value::Text(text), Value::Int(count)) | (Value::Int(count), Value::Text(text)) => (text, *count),
        _ => return arithmetic(Operator::Multiply, left, right),
    };
    let count = usize::try_from(count).unwrap_or_default();
    if text.len().checked_mul(count).is_none_or(|length| length > MAX_TEXT) {
        return Err(TEXT_TOO_LONG.to_owned());
    }
    Ok(Value::Text(text.repeat(count).into()))
}

fn arithmetic(operator: Operator, left: &Value, right: &Value) -> Result<Value, String> {
    if let (Value::Int(a), Value::Int(b)) = (left, right) {
        let whole = match operator {
            Operator::Add => a.checked_add(*b),
            Operator::Subtract => a.checked_sub(*b),
            Operator::Multiply => a.checked_mul(*b),
            Operator::DivideWhole => Some(a.checked_div(*b).ok_or(NO_QUOTIENT)?),
            Operator::Remainder => Some(a.checked_rem(*b).ok_or(NO_QUOTIENT)?),
            Operator::Divide if a.checked_rem(*b) == Some(0) => a.checked_div(*b),
            _ => None,
        };
        if let Some(whole) = whole {
            return Ok(Value::Int(whole));
        }
    }
    let (Some(a), Some(b)) = (left.as_float(), right.as_float()) else {
        let of = |value: &Value| value.kind().unwrap_or("null");
        return Err(format!("the operator cannot be used with {} and {}", of(left), of(right)));
    };
    let is_division = matches!(operator, Operator::Divide | Operator::DivideWhole | Operator::Remainder);
    if is_division && b == 0.0 {
        return Err(NO_QUOTIENT.to_owned());
    }
    Ok(Value::Float(match operator {
        Operator::Add => a + b,
        Operator::Subtract => a - b,
        Operator::Multiply => a * b,
        Operator::DivideWhole => (a / b).trunc(),
        Operator::Remainder => a % b,
        _ => a / b,
    }))
}

const NO_QUOTIENT: &str = "there is no quotient: the divisor is 0";
