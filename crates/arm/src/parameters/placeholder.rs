//! Values for parameters that nobody gave a value: made up, but of the right type and length, and always the same.

use crate::template::{Primitive, TypeNode};
use crate::value::Value;

/// A value for the parameter at a position; none if its type is not known.
pub(crate) fn placeholder(schema: &TypeNode, at: usize) -> Option<Value> {
    if let Some(first) = schema.allowed.as_ref().and_then(|allowed| allowed.first()) {
        return Some(first.clone());
    }
    let length = |length: Option<i64>| length.and_then(|length| usize::try_from(length).ok());
    Some(match schema.primitive? {
        Primitive::String => Value::string(text(at, length(schema.min_length), length(schema.max_length))),
        Primitive::Int => Value::int(schema.min_value.unwrap_or(1).max(1)),
        Primitive::Bool => Value::bool(true),
        Primitive::Array => Value::array(vec![Value::from("item1"), Value::from("item2")]),
        Primitive::Object => Value::object([("property1", Value::from("value1"))]),
    })
}

/// Longer than this nobody asks for; the service itself takes less.
const LONGEST: usize = 4096;

/// `defaultString0`, made longer before its number or shorter as the parameter asks. The number stays.
fn text(at: usize, least: Option<usize>, most: Option<usize>) -> String {
    let number = at.to_string();
    let mut stem = String::from("defaultString");
    let wanted = least.unwrap_or_default().min(LONGEST).saturating_sub(number.len());
    while stem.len() < wanted {
        stem.push('a');
    }
    if let Some(most) = most {
        stem.truncate(most.saturating_sub(number.len()));
    }
    format!("{stem}{number}")
}
