//! Equality and order.

use std::cmp::Ordering;

use super::{Function, open, whole};
use crate::error::Error;
use crate::evaluate::Invocation;
use crate::value::{Kind, Value};

pub(super) const TABLE: &[Function] = &[
    open("equals", 2, 2, equals),
    whole("less", 2, 2, |call, args| order(call, args, Ordering::is_lt)),
    whole("lessOrEquals", 2, 2, |call, args| order(call, args, Ordering::is_le)),
    whole("greater", 2, 2, |call, args| order(call, args, Ordering::is_gt)),
    whole("greaterOrEquals", 2, 2, |call, args| order(call, args, Ordering::is_ge)),
];

fn equals(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    let result = match call.arg(args, 0)?.equals(call.arg(args, 1)?) {
        Some(equal) => Value::bool(equal),
        None => call.residual(args)?,
    };
    Ok(if args.iter().any(Value::has_secure) { result.into_secure() } else { result })
}

/// Numbers by size, texts by their characters.
fn order(call: &Invocation<'_>, args: &[Value], holds: fn(Ordering) -> bool) -> Result<Value, Error> {
    let (a, b) = (call.arg(args, 0)?, call.arg(args, 1)?);
    let ordering = match (a.kind(), b.kind()) {
        (Kind::Int(a), Kind::Int(b)) => a.cmp(b),
        (Kind::String(a), Kind::String(b)) => a.encode_utf16().cmp(b.encode_utf16()),
        (Kind::Float(_) | Kind::Int(_), Kind::Float(_) | Kind::Int(_)) => float(a).total_cmp(&float(b)),
        (Kind::Int(_) | Kind::Float(_) | Kind::String(_), _) => {
            return Err(call.mismatch(1, a.type_name(), b));
        }
        _ => return Err(call.mismatch(0, "Integer or String", a)),
    };
    Ok(Value::bool(holds(ordering)))
}

#[expect(clippy::cast_precision_loss, reason = "a comparison with a float is one of floats")]
fn float(value: &Value) -> f64 {
    match value.kind() {
        Kind::Int(value) => *value as f64,
        Kind::Float(value) => *value,
        _ => f64::NAN,
    }
}

#[cfg(test)]
mod tests {
    use crate::functions::testing::check_all;

    #[test]
    fn equality_is_deep_and_strict() {
        check_all(&[
            ("equals(1, '1')", "false"),
            ("equals('a', 'A')", "false"),
            ("equals(null(), null())", "true"),
            (
                "equals(createObject('a', 1, 'b', createArray(1)), createObject('b', createArray(1), 'a', 1))",
                "true",
            ),
            ("equals(createArray(1, 2), createArray(2, 1))", "false"),
            ("equals(json('1.0'), 1)", "true"),
            ("equals(createArray(newGuid()), createArray(1, 2))", "false"),
            ("equals(createArray(1, newGuid()), createArray(2, newGuid()))", "false"),
            ("equals(newGuid(), null())", "\"[equals(newGuid(), null())]\""),
        ]);
    }

    #[test]
    fn order_is_of_numbers_or_of_texts() {
        check_all(&[
            ("less(123, 456)", "true"),
            ("lessOrEquals(5, 5)", "true"),
            ("greater(123, 456)", "false"),
            ("greaterOrEquals('b', 'a')", "true"),
            ("less('B', 'a')", "true"),
            ("less(json('1.5'), 2)", "true"),
            ("less(1, 'a')", "\"!argument-type\""),
            ("less(true(), false())", "\"!argument-type\""),
        ]);
    }
}
