//! Truth values and choice.

use super::{Function, lazy, open, whole};
use crate::error::Error;
use crate::evaluate::Invocation;
use crate::expression::Expr;
use crate::messages;
use crate::value::{Kind, Value};

pub(super) const TABLE: &[Function] = &[
    lazy("and", 1, super::MANY, and),
    lazy("or", 1, super::MANY, or),
    whole("not", 1, 1, not),
    whole("bool", 1, 1, bool),
    lazy("if", 3, 3, choose),
    open("true", 0, 0, |_, _| Ok(Value::bool(true))),
    open("false", 0, 0, |_, _| Ok(Value::bool(false))),
    open("null", 0, 0, |_, _| Ok(Value::NULL)),
    lazy("coalesce", 1, super::MANY, coalesce),
    whole("fail", 1, 1, fail),
];

fn and(call: &Invocation<'_>, args: &[Expr]) -> Result<Value, Error> {
    decide(call, args, false)
}

fn or(call: &Invocation<'_>, args: &[Expr]) -> Result<Value, Error> {
    decide(call, args, true)
}

/// Goes through the arguments until one decides. An unknown one does not: the next may still.
fn decide(call: &Invocation<'_>, args: &[Expr], deciding: bool) -> Result<Value, Error> {
    let mut open = Vec::new();
    for (index, arg) in args.iter().enumerate() {
        let value = if open.is_empty() { call.evaluate(arg)? } else { call.speculate(arg)? };
        match value.kind() {
            Kind::Unknown(_) => open.push(value),
            Kind::Bool(found) if *found == deciding => return Ok(value),
            Kind::Bool(_) => {}
            _ => return Err(call.mismatch(index, "Boolean", &value)),
        }
    }
    match open.as_slice() {
        [] => Ok(Value::bool(!deciding)),
        [single] => Ok(single.clone()),
        _ => call.residual(&open),
    }
}

fn not(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    Ok(Value::bool(!call.bool(args, 0)?))
}

fn bool(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    let arg = call.arg(args, 0)?;
    let value = match arg.kind() {
        Kind::Bool(value) => *value,
        Kind::Int(value) => *value != 0,
        Kind::String(text) if text.trim().eq_ignore_ascii_case("true") || text.trim() == "1" => true,
        Kind::String(text) if text.trim().eq_ignore_ascii_case("false") || text.trim() == "0" => false,
        Kind::String(_) => return Err(call.invalid("the text is neither 'true' nor 'false'")),
        _ => return Err(call.mismatch(0, "String or Integer", arg)),
    };
    Ok(Value::bool(value))
}

/// Only the chosen branch is evaluated, unless the condition is open: then both are looked at, and an error in one of
/// them waits until that one is chosen.
fn choose(call: &Invocation<'_>, args: &[Expr]) -> Result<Value, Error> {
    let [condition, yes, no] = args else { return Err(messages::argument_count(call.name(), 3, args.len())) };
    let condition = call.evaluate(condition)?;
    match condition.kind() {
        Kind::Bool(true) => call.evaluate(yes),
        Kind::Bool(false) => call.evaluate(no),
        Kind::Unknown(_) => {
            let (yes, no) = (call.speculate(yes)?, call.speculate(no)?);
            if yes.equals(&no) == Some(true) {
                return Ok(yes);
            }
            call.residual(&[condition, yes, no])
        }
        _ => Err(call.mismatch(0, "Boolean", &condition)),
    }
}

fn coalesce(call: &Invocation<'_>, args: &[Expr]) -> Result<Value, Error> {
    let mut open = Vec::new();
    for arg in args {
        let value = if open.is_empty() { call.evaluate(arg)? } else { call.speculate(arg)? };
        match value.kind() {
            Kind::Null => {}
            Kind::Unknown(_) => open.push(value),
            _ if open.is_empty() => return Ok(value),
            _ => {
                open.push(value);
                break;
            }
        }
    }
    match open.as_slice() {
        [] => Ok(Value::NULL),
        [single] => Ok(single.clone()),
        _ => call.residual(&open),
    }
}

fn fail(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    let text = call.string(args, 0)?;
    let secure = args.first().is_some_and(Value::is_secure);
    Err(messages::raised(if secure { crate::value::SECURE_TEXT } else { text }))
}

#[cfg(test)]
mod tests {
    use crate::functions::testing::check_all;

    #[test]
    fn truth() {
        check_all(&[
            ("and(true(), true())", "true"),
            ("and(false(), fail('not reached'))", "false"),
            ("or(true(), fail('not reached'))", "true"),
            ("or(false(), false(), true())", "true"),
            ("not(false())", "true"),
            ("not('x')", "\"!argument-type\""),
            ("and(1, true())", "\"!argument-type\""),
            ("bool('True')", "true"),
            ("bool('false')", "false"),
            ("bool(0)", "false"),
            ("bool(7)", "true"),
            ("bool('maybe')", "\"!invalid-argument\""),
            ("true(1)", "\"!argument-count\""),
        ]);
    }

    #[test]
    fn choice() {
        check_all(&[
            ("if(true(), 'a', fail('not reached'))", "\"a\""),
            ("if(false(), fail('not reached'), 2)", "2"),
            ("coalesce(null(), null(), 3, fail('x'))", "3"),
            ("coalesce(null())", "null"),
            ("fail('stop')", "\"!raised\""),
            ("if('a', 1, 2)", "\"!argument-type\""),
        ]);
    }

    #[test]
    fn what_is_open_stays_open_only_where_it_decides() {
        check_all(&[
            ("or(utcNow(), true())", "true"),
            ("and(utcNow(), false())", "false"),
            ("and(true(), newGuid())", "\"[newGuid()]\""),
            ("and(newGuid(), utcNow())", "\"[and(newGuid(), utcNow())]\""),
            ("or(newGuid(), fail('x'))", "\"[or(newGuid(), fail('x'))]\""),
            ("if(newGuid(), 'same', 'same')", "\"same\""),
            ("if(newGuid(), add(1, 2), 'b')", "\"[if(newGuid(), 3, 'b')]\""),
            ("coalesce(null(), newGuid(), 'x', 'y')", "\"[coalesce(newGuid(), 'x')]\""),
            ("coalesce(null(), newGuid(), null())", "\"[newGuid()]\""),
        ]);
    }
}
