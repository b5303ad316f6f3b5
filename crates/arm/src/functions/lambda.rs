//! Functions over lists and objects that take a lambda.

use smol_str::SmolStr;

use super::{Function, lazy, open, shape};
use crate::error::Error;
use crate::evaluate::{Invocation, Lambda};
use crate::expression::Expr;
use crate::messages;
use crate::value::{Kind, Object, Value};

pub(super) const TABLE: &[Function] = &[
    lazy("lambda", 1, super::MANY, lambda),
    open("lambdaVariables", 1, 1, lambda_variables),
    shape("map", 2, 2, map),
    shape("filter", 2, 2, filter),
    open("reduce", 3, 3, reduce),
    shape("sort", 2, 2, sort),
    shape("toObject", 2, 3, to_object),
    shape("groupBy", 2, 3, group_by),
    shape("mapValues", 2, 2, map_values),
];

fn lambda(call: &Invocation<'_>, args: &[Expr]) -> Result<Value, Error> {
    let Some((body, names)) = args.split_last() else { return Err(messages::argument_count("lambda", 1, 0)) };
    let mut parameters = Vec::with_capacity(names.len());
    for (index, name) in names.iter().enumerate() {
        let name = call.evaluate(name)?;
        let name = name.as_str().ok_or_else(|| call.mismatch(index, "String", &name))?;
        parameters.push(SmolStr::new(name));
    }
    let lambda = Lambda { parameters, body: body.clone(), scope: call.scope.clone() };
    Ok(Value::new(Kind::Lambda(lambda.into())))
}

fn lambda_variables(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    let name = call.string(args, 0)?;
    call.scope.local(name).cloned().ok_or_else(|| messages::no_such_lambda_variable(name))
}

fn map(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    let (items, lambda) = (call.array(args, 0)?, call.lambda(args, 1)?);
    let mapped = items.iter().enumerate().map(|(index, item)| apply(call, lambda, item, index));
    call.list(mapped.collect::<Result<_, _>>()?)
}

fn filter(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    let (items, lambda) = (call.array(args, 0)?, call.lambda(args, 1)?);
    let mut kept = Vec::new();
    for (index, item) in items.iter().enumerate() {
        match truth(call, &apply(call, lambda, item, index)?)? {
            Some(true) => kept.push(item.clone()),
            Some(false) => {}
            None => return call.residual(args),
        }
    }
    call.list(kept)
}

fn reduce(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    if call.arg(args, 0)?.is_unknown() {
        return call.residual(args);
    }
    let (items, lambda) = (call.array(args, 0)?, call.lambda(args, 2)?);
    let mut current = call.arg(args, 1)?.clone();
    for (index, item) in items.iter().enumerate() {
        current = call.apply(lambda, vec![current, item.clone(), Value::count(index)])?;
    }
    Ok(current)
}

/// A stable merge sort, since a comparison may fail or be open.
fn sort(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    let (items, lambda) = (call.array(args, 0)?, call.lambda(args, 1)?);
    let mut runs: Vec<Vec<Value>> = items.iter().map(|item| vec![item.clone()]).collect();
    while runs.len() > 1 {
        let mut merged = Vec::with_capacity(runs.len().div_ceil(2));
        let mut pairs = runs.into_iter();
        while let Some(left) = pairs.next() {
            match pairs.next() {
                None => merged.push(left),
                Some(right) => match merge(call, lambda, left, right)? {
                    Some(run) => merged.push(run),
                    None => return call.residual(args),
                },
            }
        }
        runs = merged;
    }
    call.list(runs.pop().unwrap_or_default())
}

/// Two sorted runs to one; nothing when a comparison is open. The right one goes first only where the lambda says so.
fn merge(
    call: &Invocation<'_>,
    lambda: &Lambda,
    left: Vec<Value>,
    right: Vec<Value>,
) -> Result<Option<Vec<Value>>, Error> {
    let mut merged = Vec::with_capacity(left.len() + right.len());
    let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
    while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
        let answer = call.apply(lambda, vec![b.clone(), a.clone()])?;
        match truth(call, &answer)? {
            None => return Ok(None),
            Some(true) => merged.extend(right.next()),
            Some(false) => merged.extend(left.next()),
        }
    }
    merged.extend(left);
    merged.extend(right);
    Ok(Some(merged))
}

fn to_object(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    let Some(pairs) = keyed(call, args)? else { return call.residual(args) };
    call.object(pairs.into_iter().collect())
}

fn group_by(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    let Some(pairs) = keyed(call, args)? else { return call.residual(args) };
    let mut groups: indexmap::IndexMap<SmolStr, Vec<Value>> = indexmap::IndexMap::new();
    for (key, value) in pairs {
        groups.entry(key).or_default().push(value);
    }
    call.object(groups.into_iter().map(|(key, items)| (key, Value::array(items))).collect())
}

/// Key and value of every item; nothing when a key is open.
fn keyed(call: &Invocation<'_>, args: &[Value]) -> Result<Option<Vec<(SmolStr, Value)>>, Error> {
    let (items, key_of) = (call.array(args, 0)?, call.lambda(args, 1)?);
    let value_of = args.get(2).map(|_| call.lambda(args, 2)).transpose()?;
    let mut pairs = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        let key = apply(call, key_of, item, index)?;
        if key.is_unknown() {
            return Ok(None);
        }
        let key = key
            .as_str()
            .ok_or_else(|| messages::bad_lambda_result(call.name(), "String", key.type_name()))?;
        let value = match value_of {
            Some(lambda) => apply(call, lambda, item, index)?,
            None => item.clone(),
        };
        pairs.push((SmolStr::new(key), value));
    }
    Ok(Some(pairs))
}

fn map_values(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    let (object, lambda) = (call.members(args, 0)?, call.lambda(args, 1)?);
    let members =
        object.iter().map(|(key, value)| Ok((key.clone(), call.apply(lambda, vec![value.clone()])?)));
    call.object(members.collect::<Result<Object, Error>>()?)
}

fn apply(call: &Invocation<'_>, lambda: &Lambda, item: &Value, index: usize) -> Result<Value, Error> {
    call.apply(lambda, vec![item.clone(), Value::count(index)])
}

fn truth(call: &Invocation<'_>, value: &Value) -> Result<Option<bool>, Error> {
    match value.kind() {
        Kind::Bool(truth) => Ok(Some(*truth)),
        Kind::Unknown(_) => Ok(None),
        _ => Err(messages::bad_lambda_result(call.name(), "Boolean", value.type_name())),
    }
}

#[cfg(test)]
mod tests {
    use crate::functions::testing::check_all;

    #[test]
    fn lists() {
        check_all(&[
            ("map(createArray(1, 2), lambda('x', mul(lambdaVariables('x'), 2)))", "[2,4]"),
            (
                "map(createArray('a', 'b'), lambda('x', 'i', format('{0}{1}', lambdaVariables('i'), lambdaVariables('x'))))",
                r#"["0a","1b"]"#,
            ),
            ("map(createArray(), lambda('x', fail('x')))", "[]"),
            ("map(createArray(1), lambda(7))", "[7]"),
            ("filter(range(0, 6), lambda('x', equals(mod(lambdaVariables('x'), 2), 0)))", "[0,2,4]"),
            (
                "filter(createArray('a', 'b', 'c'), lambda('x', 'i', equals(lambdaVariables('i'), 1)))",
                r#"["b"]"#,
            ),
            ("filter(createArray(1), lambda('x', 'no'))", "\"!bad-lambda-result\""),
            (
                "reduce(createArray('a', 'b'), '', lambda('c', 'n', concat(lambdaVariables('c'), lambdaVariables('n'))))",
                "\"ab\"",
            ),
            ("reduce(createArray(), 0, lambda('c', 'n', fail('x')))", "0"),
            (
                "reduce(range(1, 3), 0, lambda('c', 'n', 'i', add(lambdaVariables('c'), lambdaVariables('i'))))",
                "3",
            ),
            (
                "sort(createArray(8, 3, 10, -13, 5), lambda('x', 'y', less(lambdaVariables('x'), lambdaVariables('y'))))",
                "[-13,3,5,8,10]",
            ),
            (
                "sort(createArray('ghi', 'abc', 'def'), lambda('x', 'y', greater(lambdaVariables('x'), lambdaVariables('y'))))",
                r#"["ghi","def","abc"]"#,
            ),
            ("map(createArray(1), lambda('X', lambdaVariables('x')))", "[1]"),
            ("map(createArray(1), lambda('x', lambdaVariables('y')))", "\"!no-such-lambda-variable\""),
        ]);
    }

    #[test]
    fn objects() {
        check_all(&[
            (
                "toObject(createArray(123, 456), lambda('i', string(div(lambdaVariables('i'), 100))))",
                r#"{"1":123,"4":456}"#,
            ),
            (
                "toObject(createArray('a', 'a'), lambda('k', lambdaVariables('k')), lambda('v', 'i', lambdaVariables('i')))",
                r#"{"a":1}"#,
            ),
            ("toObject(createArray(1), lambda('k', lambdaVariables('k')))", "\"!bad-lambda-result\""),
            (
                "groupBy(createArray('ab', 'b', 'ac'), lambda('x', first(lambdaVariables('x'))))",
                r#"{"a":["ab","ac"],"b":["b"]}"#,
            ),
            (
                "groupBy(createArray('ab', 'ac'), lambda('x', first(lambdaVariables('x'))), lambda('x', last(lambdaVariables('x'))))",
                r#"{"a":["b","c"]}"#,
            ),
            ("mapValues(createObject('a', 123), lambda('v', mul(lambdaVariables('v'), 2)))", r#"{"a":246}"#),
        ]);
    }

    #[test]
    fn inner_lambdas_see_outer_variables() {
        check_all(&[(
            "map(range(0, 2), lambda('x', map(range(0, 2), lambda('y', add(lambdaVariables('x'), lambdaVariables('y'))))))",
            "[[0,1],[1,2]]",
        )]);
    }

    #[test]
    fn what_is_unknown() {
        check_all(&[
            (
                "map(createArray(newGuid(), 1), lambda('x', createArray(lambdaVariables('x'))))",
                r#"[["[newGuid()]"],[1]]"#,
            ),
            (
                "map(newGuid(), lambda('x', concat(lambdaVariables('x'), toUpper('a'))))",
                r#""[map(newGuid(), lambda('x', concat(lambdaVariables('x'), 'A')))]""#,
            ),
            (
                "map(range(0, 1), lambda('i', map(newGuid(), lambda('x', add(lambdaVariables('i'), lambdaVariables('x'))))))",
                r#"["[map(newGuid(), lambda('x', add(0, lambdaVariables('x'))))]"]"#,
            ),
            (
                "reduce(range(0, 2), newGuid(), lambda('c', 'n', concat(lambdaVariables('c'), 'x')))",
                r#""[concat(concat(newGuid(), 'x'), 'x')]""#,
            ),
            (
                "filter(createArray(newGuid()), lambda('x', empty(lambdaVariables('x'))))",
                r#""[filter(createArray(newGuid()), lambda('x', empty(lambdaVariables('x'))))]""#,
            ),
        ]);
    }
}
