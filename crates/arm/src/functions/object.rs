//! Objects.

use smol_str::SmolStr;

use super::{Function, MANY, open, shape};
use crate::culture;
use crate::error::Error;
use crate::evaluate::Invocation;
use crate::value::{Kind, Object, Value, cost};

pub(super) const TABLE: &[Function] = &[
    open("createObject", 0, MANY, create_object),
    shape("items", 1, 1, items),
    shape("objectKeys", 1, 1, object_keys),
    shape("shallowMerge", 1, 1, shallow_merge),
    open("tryGet", 2, MANY, try_get),
];

fn create_object(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    if !args.len().is_multiple_of(2) {
        return Err(call.invalid("every name needs a value"));
    }
    if args.iter().step_by(2).any(Value::is_unknown) {
        return call.residual(args);
    }
    let mut members = Vec::with_capacity(args.len() / 2);
    for (index, pair) in args.chunks_exact(2).enumerate() {
        let [_, value] = pair else { continue };
        members.push((SmolStr::new(call.string(args, index * 2)?), value.clone()));
    }
    call.object(members.into_iter().collect())
}

fn items(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    let pairs = sorted(call.members(args, 0)?);
    let items = pairs
        .into_iter()
        .map(|(key, value)| Value::object([("key", Value::string(key.as_str())), ("value", value.clone())]));
    call.list(items.collect())
}

fn object_keys(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    let pairs = sorted(call.members(args, 0)?);
    call.list(pairs.into_iter().map(|(key, _)| Value::string(key.as_str())).collect())
}

fn sorted(object: &Object) -> Vec<(&SmolStr, &Value)> {
    let mut pairs: Vec<_> = object.iter().collect();
    pairs.sort_by(|(a, _), (b, _)| culture::compare(a, b));
    pairs
}

fn shallow_merge(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    let parts = call.array(args, 0)?;
    if parts.iter().any(Value::is_unknown) {
        return call.residual(args);
    }
    let mut merged = indexmap::IndexMap::new();
    for (index, part) in parts.iter().enumerate() {
        if part.is_null() {
            continue;
        }
        let part = call.members(parts, index)?;
        call.allocate(cost::object(part.len()))?;
        for (key, value) in part.iter() {
            merged.insert(key.clone(), value.clone());
        }
    }
    Ok(Value::from(merged.into_iter().collect::<Object>()))
}

/// Follows a path of names and positions; what is not there gives `null`.
fn try_get(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    let Some((start, path)) = args.split_first() else { return Ok(Value::NULL) };
    let mut value = start.clone();
    for (index, key) in path.iter().enumerate() {
        if value.is_unknown() || key.has_unknown() {
            let mut rest = vec![value];
            rest.extend_from_slice(path.get(index..).unwrap_or_default());
            return call.residual(&rest);
        }
        let key = match key.kind() {
            Kind::String(_) | Kind::Int(_) => key.clone(),
            Kind::Object(position) => match from_end(position, &value) {
                Some(key) => key,
                None => return Ok(Value::NULL),
            },
            _ => return Err(call.mismatch(index + 1, "String or Integer", key)),
        };
        match crate::evaluate::try_part(&value, &key)? {
            Some(part) => value = part,
            None => return Ok(Value::NULL),
        }
    }
    Ok(value)
}

/// `{value: 1, fromEnd: true}` is the last item. Nothing if there is no such item.
fn from_end(position: &Object, value: &Value) -> Option<Value> {
    let key = position.get("value")?;
    if position.get("fromEnd").and_then(Value::as_bool) != Some(true) {
        return Some(key.clone());
    }
    let back = usize::try_from(key.as_int()?).ok().filter(|back| *back > 0)?;
    value.as_array()?.len().checked_sub(back).map(Value::count)
}

#[cfg(test)]
mod tests {
    use crate::functions::testing::check_all;

    #[test]
    fn objects() {
        check_all(&[
            ("createObject('b', 1, 'a', newGuid())", r#"{"b":1,"a":"[newGuid()]"}"#),
            ("createObject()", "{}"),
            ("createObject('a')", "\"!invalid-argument\""),
            ("createObject(1, 2)", "\"!argument-type\""),
            ("createObject('a', 1, 'a', 2)", r#"{"a":2}"#),
            ("objectKeys(createObject('b', 1, 'B', 1, 'a', newGuid()))", r#"["a","b","B"]"#),
            (
                "items(createObject('b', newGuid(), 'a', 1))",
                r#"[{"key":"a","value":1},{"key":"b","value":"[newGuid()]"}]"#,
            ),
            (
                "shallowMerge(createArray(createObject('a', 1, 'o', createObject('x', 1)), createObject('o', createObject())))",
                r#"{"a":1,"o":{}}"#,
            ),
            ("shallowMerge(createArray(1))", "\"!argument-type\""),
        ]);
    }

    #[test]
    fn careful_access() {
        check_all(&[
            ("tryGet(createObject('a', createArray(createObject('b', 1))), 'a', 0, 'B')", "1"),
            ("tryGet(createObject('a', 1), 'x', 'y', 'z')", "null"),
            ("tryGet(createArray(1), 5)", "null"),
            ("tryGet(null(), 'a')", "null"),
            ("tryGet(createObject('a', newGuid()), 'a', 'b', 0)", "\"[tryGet(newGuid(), 'b', 0)]\""),
            ("tryGet(createArray(1), true())", "\"!argument-type\""),
            (
                "tryGet(createObject('a', createArray(1, 2)), 'a', createObject('value', 1, 'fromEnd', true()))",
                "2",
            ),
            ("tryGet(createArray(1, 2), createObject('fromEnd', true(), 'value', 3), 'x')", "null"),
            ("tryGet(createArray(1, 2), createObject('fromEnd', false(), 'value', 0))", "1"),
        ]);
    }

    #[test]
    fn plain_access() {
        check_all(&[
            ("createObject('aB', 1).Ab", "1"),
            ("createArray(1, createArray(2))[1][0]", "2"),
            ("createObject('a', 1).b", "\"!no-such-property\""),
            ("createArray(1)[1]", "\"!index-out-of-range\""),
            ("createArray(1)[-1]", "\"!index-out-of-range\""),
            ("createArray(1)['a']", "\"!bad-index\""),
            ("null().a", "\"!bad-index\""),
            ("newGuid().a['b-c'][0]", "\"[newGuid().a['b-c'][0]]\""),
            ("createArray(1)[newGuid()]", "\"[createArray(1)[newGuid()]]\""),
        ]);
    }
}
