//! Whole numbers.

use super::{Function, MANY, whole};
use crate::error::Error;
use crate::evaluate::Invocation;
use crate::messages;
use crate::value::{Kind, Value};

pub(super) const TABLE: &[Function] = &[
    whole("add", 2, 2, |call, args| calculate(call, args, i64::checked_add)),
    whole("sub", 2, 2, |call, args| calculate(call, args, i64::checked_sub)),
    whole("mul", 2, 2, |call, args| calculate(call, args, i64::checked_mul)),
    whole("div", 2, 2, |call, args| divide(call, args, i64::checked_div)),
    whole("mod", 2, 2, |call, args| divide(call, args, i64::checked_rem)),
    whole("int", 1, 1, int),
    whole("float", 1, 1, float),
    whole("min", 1, MANY, |call, args| extreme(call, args, i64::min)),
    whole("max", 1, MANY, |call, args| extreme(call, args, i64::max)),
    whole("range", 2, 2, range),
];

fn calculate(call: &Invocation<'_>, args: &[Value], op: fn(i64, i64) -> Option<i64>) -> Result<Value, Error> {
    let (a, b) = (call.int(args, 0)?, call.int(args, 1)?);
    op(a, b).map(Value::int).ok_or_else(|| messages::overflow(call.name()))
}

fn divide(call: &Invocation<'_>, args: &[Value], op: fn(i64, i64) -> Option<i64>) -> Result<Value, Error> {
    if call.int(args, 1)? == 0 {
        return Err(messages::division_by_zero(call.name()));
    }
    calculate(call, args, op)
}

#[expect(clippy::cast_possible_truncation, reason = "`as` saturates, and what does not fit is refused")]
fn int(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    let arg = call.arg(args, 0)?;
    match arg.kind() {
        Kind::Int(value) => Ok(Value::int(*value)),
        Kind::Float(value) if value.abs() < 9e18 => Ok(Value::int(value.round_ties_even() as i64)),
        Kind::String(text) => {
            let value = text.trim().parse().map_err(|_| call.invalid("the text is not a whole number"))?;
            Ok(Value::int(value))
        }
        _ => Err(call.mismatch(0, "Integer or String", arg)),
    }
}

#[expect(clippy::cast_precision_loss, reason = "that is what the function is for")]
fn float(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    let arg = call.arg(args, 0)?;
    let value = match arg.kind() {
        Kind::Int(value) => *value as f64,
        Kind::Float(value) => *value,
        Kind::String(text) => text.trim().parse().map_err(|_| call.invalid("the text is not a number"))?,
        _ => return Err(call.mismatch(0, "Number or String", arg)),
    };
    Ok(Value::new(Kind::Float(value)))
}

fn extreme(call: &Invocation<'_>, args: &[Value], choose: fn(i64, i64) -> i64) -> Result<Value, Error> {
    let list = match args {
        [single] if single.as_array().is_some() => call.array(args, 0)?,
        _ => args,
    };
    let mut best = None;
    for (index, _) in list.iter().enumerate() {
        let value = call.int(list, index)?;
        best = Some(best.map_or(value, |best| choose(best, value)));
    }
    best.map(Value::int).ok_or_else(|| call.invalid("the array is empty"))
}

fn range(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    const MAX_COUNT: i64 = 10_000;
    let (start, count) = (call.int(args, 0)?, call.int(args, 1)?);
    if !(0..=MAX_COUNT).contains(&count) {
        return Err(call.invalid(format!("the count must be from 0 to {MAX_COUNT}")));
    }
    let end = start.checked_add(count).filter(|end| *end <= i64::from(i32::MAX));
    let end =
        end.ok_or_else(|| call.invalid(format!("start and count together must not pass {}", i32::MAX)))?;
    call.list((start..end).map(Value::int).collect())
}

#[cfg(test)]
mod tests {
    use crate::functions::testing::check_all;

    #[test]
    fn arithmetic() {
        check_all(&[
            ("add(1, 3)", "4"),
            ("sub(0, 13)", "-13"),
            ("mul(4, 5)", "20"),
            ("div(6, 11)", "0"),
            ("div(-7, 2)", "-3"),
            ("mod(20, 7)", "6"),
            ("mod(-7, 2)", "-1"),
            ("div(1, 0)", "\"!division-by-zero\""),
            ("mod(1, 0)", "\"!division-by-zero\""),
            ("add(9223372036854775807, 1)", "\"!overflow\""),
            ("div(-9223372036854775808, -1)", "\"!overflow\""),
            ("add('1', 2)", "\"!argument-type\""),
            ("add(newGuid(), 2)", "\"[add(newGuid(), 2)]\""),
        ]);
    }

    #[test]
    fn conversions_and_ranges() {
        check_all(&[
            ("int('42')", "42"),
            ("int(' -5 ')", "-5"),
            ("int(json('2.5'))", "2"),
            ("int('4.2')", "\"!invalid-argument\""),
            ("float('1.5')", "1.5"),
            ("min(10, 4, 1, 6)", "1"),
            ("max(createArray(10, 4, 1, 6))", "10"),
            ("min(createArray())", "\"!invalid-argument\""),
            ("range(1, 3)", "[1,2,3]"),
            ("range(5, 0)", "[]"),
            ("range(-1, 2)", "[-1,0]"),
            ("range(0, -1)", "\"!invalid-argument\""),
            ("length(range(0, 10000))", "10000"),
            ("range(0, 10001)", "\"!invalid-argument\""),
            ("range(2147483647, 1)", "\"!invalid-argument\""),
        ]);
    }
}
