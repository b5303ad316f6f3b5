//! Lists, and what texts and objects share with them.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::{Function, MANY, open, shape};
use crate::dotnet;
use crate::error::Error;
use crate::evaluate::Invocation;
use crate::value::{Kind, Object, Value};

pub(super) const TABLE: &[Function] = &[
    shape("array", 1, 1, array),
    open("createArray", 0, MANY, |call, args| call.list(args.to_vec())),
    shape("contains", 2, 2, contains),
    shape("indexOf", 2, 2, |call, args| index_of(call, args, Side::First)),
    shape("lastIndexOf", 2, 2, |call, args| index_of(call, args, Side::Last)),
    shape("empty", 1, 1, empty),
    shape("length", 1, 1, length),
    shape("first", 1, 1, |call, args| end(call, args, Side::First)),
    shape("last", 1, 1, |call, args| end(call, args, Side::Last)),
    shape("take", 2, 2, take),
    shape("skip", 2, 2, skip),
    shape("union", 1, MANY, union),
    shape("intersection", 2, MANY, intersection),
    shape("flatten", 1, 1, flatten),
    shape("distinct", 1, 1, distinct),
    shape("indexFromEnd", 2, 2, index_from_end),
    shape("tryIndexFromEnd", 2, 2, try_index_from_end),
];

#[derive(Clone, Copy)]
enum Side {
    First,
    Last,
}

fn array(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    let arg = call.arg(args, 0)?;
    if arg.as_array().is_some() { Ok(arg.clone()) } else { call.list(vec![arg.clone()]) }
}

fn contains(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    let container = call.arg(args, 0)?;
    let found = match container.kind() {
        Kind::String(text) => {
            let part = super::to_text(call.arg(args, 1)?, None).unwrap_or_default();
            text.contains(&part)
        }
        Kind::Object(object) => object.get(call.string(args, 1)?).is_some(),
        Kind::Array(items) => match position(items, call.arg(args, 1)?, Side::First) {
            Search::Open => return call.residual(args),
            search => search.is_found(),
        },
        _ => return Err(call.mismatch(0, "Array, Object or String", container)),
    };
    Ok(Value::bool(found))
}

/// What a search in a list with unknown items can say.
enum Search {
    Found(usize),
    Absent,
    Open,
}

impl Search {
    fn is_found(&self) -> bool {
        matches!(self, Self::Found(_))
    }
}

/// The position of an item. An unknown item on the way leaves the position open, but not that there is one.
fn position(items: &[Value], wanted: &Value, side: Side) -> Search {
    let mut open = false;
    let mut visit = |index: usize, item: &Value| match item.equals(wanted) {
        Some(true) => Some(index),
        Some(false) => None,
        None => {
            open = true;
            None
        }
    };
    let found = match side {
        Side::First => items.iter().enumerate().find_map(|(index, item)| visit(index, item)),
        Side::Last => items.iter().enumerate().rev().find_map(|(index, item)| visit(index, item)),
    };
    match found {
        Some(index) => Search::Found(index),
        None if open => Search::Open,
        None => Search::Absent,
    }
}

fn index_of(call: &Invocation<'_>, args: &[Value], side: Side) -> Result<Value, Error> {
    let container = call.arg(args, 0)?;
    let index = match container.kind() {
        Kind::String(text) => {
            let (text, part) = (dotnet::to_upper(text), dotnet::to_upper(call.string(args, 1)?));
            let found = match side {
                Side::First => text.find(&part),
                Side::Last => text.rfind(&part),
            };
            found.map(|at| dotnet::utf16_len(text.get(..at).unwrap_or_default()))
        }
        Kind::Array(items) => {
            let wanted = call.arg(args, 1)?;
            match position(items, wanted, side) {
                Search::Found(index) if items.iter().any(|item| item.equals(wanted).is_none()) => {
                    let before = match side {
                        Side::First => items.get(..index),
                        Side::Last => items.get(index..),
                    };
                    let open = before.unwrap_or_default().iter().any(|item| item.equals(wanted).is_none());
                    if open {
                        return call.residual(args);
                    }
                    Some(index)
                }
                Search::Found(index) => Some(index),
                Search::Absent => None,
                Search::Open => return call.residual(args),
            }
        }
        _ => return Err(call.mismatch(0, "Array or String", container)),
    };
    Ok(index.map_or(Value::int(-1), Value::count))
}

fn empty(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    let arg = call.arg(args, 0)?;
    let empty = match arg.kind() {
        Kind::Null => true,
        Kind::String(text) => text.is_empty(),
        Kind::Array(items) => items.is_empty(),
        Kind::Object(object) => object.is_empty(),
        _ => return Err(call.mismatch(0, "Array, Object or String", arg)),
    };
    Ok(Value::bool(empty))
}

fn length(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    let arg = call.arg(args, 0)?;
    let length = match arg.kind() {
        Kind::String(text) => dotnet::utf16_len(text),
        Kind::Array(items) => items.len(),
        Kind::Object(object) => object.len(),
        _ => return Err(call.mismatch(0, "Array, Object or String", arg)),
    };
    Ok(Value::count(length))
}

fn end(call: &Invocation<'_>, args: &[Value], side: Side) -> Result<Value, Error> {
    let arg = call.arg(args, 0)?;
    match arg.kind() {
        Kind::String(text) => {
            let at = match side {
                Side::First => 0,
                Side::Last => dotnet::utf16_len(text).saturating_sub(1),
            };
            call.text(dotnet::utf16_slice(text, at, 1))
        }
        Kind::Array(items) => {
            let item = match side {
                Side::First => items.first(),
                Side::Last => items.last(),
            };
            Ok(item.cloned().unwrap_or(Value::NULL))
        }
        _ => Err(call.mismatch(0, "Array or String", arg)),
    }
}

fn take(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    let count = usize::try_from(call.int(args, 1)?.max(0)).unwrap_or(usize::MAX);
    let arg = call.arg(args, 0)?;
    match arg.kind() {
        Kind::String(text) => call.text(dotnet::utf16_slice(text, 0, count)),
        Kind::Array(items) => call.list(items.iter().take(count).cloned().collect()),
        _ => Err(call.mismatch(0, "Array or String", arg)),
    }
}

fn skip(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    let count = usize::try_from(call.int(args, 1)?.max(0)).unwrap_or(usize::MAX);
    let arg = call.arg(args, 0)?;
    match arg.kind() {
        Kind::String(text) => call.text(dotnet::utf16_slice(text, count, usize::MAX)),
        Kind::Array(items) => call.list(items.iter().skip(count).cloned().collect()),
        _ => Err(call.mismatch(0, "Array or String", arg)),
    }
}

/// Arrays: every item once, in the order of first sight. Objects: merged, also inside. `null` adds nothing.
fn union(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    let present: Vec<Value> = args.iter().filter(|arg| !arg.is_null()).cloned().collect();
    match present.first().map(Value::kind) {
        None => Ok(Value::NULL),
        Some(Kind::Array(_)) => {
            let mut all = Vec::new();
            for index in 0..present.len() {
                all.extend_from_slice(call.array(&present, index)?);
            }
            call.allocate_items(all.len())?;
            match unique(all) {
                Some(items) => Ok(Value::array(items)),
                None => call.residual(args),
            }
        }
        Some(Kind::Object(_)) => {
            let mut merged = Value::from(Object::default());
            for (index, part) in present.iter().enumerate() {
                call.members(&present, index)?;
                merged = merge(call, &merged, part)?;
            }
            Ok(merged)
        }
        Some(_) => Err(call.mismatch(0, "Array or Object", call.arg(&present, 0)?)),
    }
}

/// The members of both; where both have objects they are merged in turn, otherwise the later value counts.
fn merge(call: &Invocation<'_>, a: &Value, b: &Value) -> Result<Value, Error> {
    let (Some(left), Some(right)) = (a.as_object(), b.as_object()) else {
        // An object beside an unknown: whether it is merged or replaced is not known yet.
        let open = (b.is_unknown() && a.as_object().is_some()) || (a.is_unknown() && b.as_object().is_some());
        return if open { call.residual_as("union", &[a.clone(), b.clone()]) } else { Ok(b.clone()) };
    };
    let mut members: indexmap::IndexMap<_, _> =
        left.iter().map(|(key, value)| (key.clone(), value.clone())).collect();
    for (key, value) in right.iter() {
        let name = left.find(key).map_or(key, |(name, _)| name);
        let merged = match members.get(name) {
            Some(existing) => call.evaluator.deeper(|| merge(call, existing, value))?,
            None => value.clone(),
        };
        members.insert(name.clone(), merged);
    }
    call.object(members.into_iter().collect())
}

fn intersection(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    if args.iter().any(Value::has_unknown) {
        return call.residual(args);
    }
    let first = call.arg(args, 0)?;
    match first.kind() {
        Kind::Array(items) => {
            let mut kept = unique(items.to_vec()).unwrap_or_default();
            for index in 1..args.len() {
                let other = Lookup::new(call.array(args, index)?);
                kept.retain(|item| other.contains(item));
            }
            call.list(kept)
        }
        Kind::Object(object) => {
            let mut kept: Vec<_> = object.iter().map(|(key, value)| (key.clone(), value.clone())).collect();
            for index in 1..args.len() {
                let other = call.members(args, index)?;
                kept.retain(|(key, value)| other.get(key).is_some_and(|found| found == value));
            }
            call.object(kept.into_iter().collect())
        }
        _ => Err(call.mismatch(0, "Array or Object", first)),
    }
}

fn flatten(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    let outer = call.array(args, 0)?;
    if outer.iter().any(Value::is_unknown) {
        return call.residual(args);
    }
    let mut items = Vec::new();
    for index in 0..outer.len() {
        let part = call.array(outer, index)?;
        call.allocate_items(part.len())?;
        items.extend_from_slice(part);
    }
    Ok(Value::array(items))
}

fn distinct(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    match unique(call.array(args, 0)?.to_vec()) {
        Some(items) => call.list(items),
        None => call.residual(args),
    }
}

fn index_from_end(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    let (items, index) = (call.array(args, 0)?, call.int(args, 1)?);
    let found = from_end(items, index).cloned();
    found.ok_or_else(|| call.invalid(format!("position {index} from the end of {} items", items.len())))
}

fn try_index_from_end(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    let Some(items) = call.arg(args, 0)?.as_array() else { return Ok(Value::NULL) };
    Ok(from_end(items, call.int(args, 1)?).cloned().unwrap_or(Value::NULL))
}

fn from_end(items: &[Value], index: i64) -> Option<&Value> {
    let back = usize::try_from(index).ok().filter(|index| *index > 0)?;
    items.get(items.len().checked_sub(back)?)
}

/// Every item once, in order; nothing when an unknown item leaves open whether it is one of the others.
fn unique(items: Vec<Value>) -> Option<Vec<Value>> {
    if items.len() > 1 && items.iter().any(Value::has_unknown) {
        return None;
    }
    let mut seen = Lookup::default();
    Some(items.into_iter().filter(|item| seen.insert(item)).collect())
}

/// Values found by hash, so that large lists take no quadratic time.
#[derive(Default)]
struct Lookup {
    buckets: HashMap<u64, Vec<Value>>,
}

impl Lookup {
    fn new(items: &[Value]) -> Self {
        let mut lookup = Self::default();
        for item in items {
            lookup.insert(item);
        }
        lookup
    }

    fn insert(&mut self, item: &Value) -> bool {
        let bucket = self.buckets.entry(hash(item)).or_default();
        if bucket.contains(item) {
            return false;
        }
        bucket.push(item.clone());
        true
    }

    fn contains(&self, item: &Value) -> bool {
        self.buckets.get(&hash(item)).is_some_and(|bucket| bucket.contains(item))
    }
}

/// Equal values have equal hashes: the order of members does not count, nor does the form of a number.
fn hash(value: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    match value.kind() {
        Kind::String(text) => text.hash(&mut hasher),
        Kind::Array(items) => items.iter().for_each(|item| hash(item).hash(&mut hasher)),
        Kind::Object(object) => object
            .iter()
            .map(|(key, member)| {
                let mut one = DefaultHasher::new();
                (key.as_str(), hash(member)).hash(&mut one);
                one.finish()
            })
            .fold(0u64, u64::wrapping_add)
            .hash(&mut hasher),
        Kind::Float(number) if value.as_int().is_none() => number.to_bits().hash(&mut hasher),
        Kind::Bool(value) => value.hash(&mut hasher),
        _ => value.as_int().hash(&mut hasher),
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use crate::functions::testing::check_all;

    #[test]
    fn searches() {
        check_all(&[
            ("contains('FOOBAR', 'foo')", "false"),
            ("contains('FOOBAR', 'FOO')", "true"),
            ("contains('a1', 1)", "true"),
            ("contains(createArray('FOO', 'BAR'), 'foo')", "false"),
            ("contains(createArray('FOO', 'BAR'), 'BAR')", "true"),
            ("contains(createArray(createObject('a', 1)), createObject('a', 1))", "true"),
            ("contains(createObject('Key', 1), 'kEY')", "true"),
            ("contains(createArray(newGuid(), 'a'), 'a')", "true"),
            ("contains(createArray(newGuid()), 'a')", "\"[contains(createArray(newGuid()), 'a')]\""),
            ("indexOf('FOOBAR', 'bar')", "3"),
            ("indexOf('food', 'x')", "-1"),
            ("lastIndexOf('food', 'O')", "2"),
            ("indexOf(createArray('FOO'), 'foo')", "-1"),
            ("indexOf(createArray('a', false()), false())", "1"),
            ("lastIndexOf(createArray(1, 2, 1), 1)", "2"),
            ("indexOf(createArray('a', newGuid()), 'a')", "0"),
            ("indexOf('💪x', 'X')", "2"),
        ]);
    }

    #[test]
    fn sizes_and_ends() {
        check_all(&[
            ("empty('')", "true"),
            ("empty(null())", "true"),
            ("empty(createArray(newGuid()))", "false"),
            ("length('a💪')", "3"),
            ("length(createArray(newGuid(), utcNow()))", "2"),
            ("length(createObject('a', 1))", "1"),
            ("length(1)", "\"!argument-type\""),
            ("first('Fizz')", "\"F\""),
            ("last('Fizz')", "\"z\""),
            ("first('')", "\"\""),
            ("first(createArray())", "null"),
            ("last(createArray(1, newGuid()))", "\"[newGuid()]\""),
            ("take('foot', 3)", "\"foo\""),
            ("take(createArray(1, 2), 9)", "[1,2]"),
            ("take(createArray(1, 2), -1)", "[]"),
            ("skip('foot', 3)", "\"t\""),
            ("skip(createArray(1, 2), -1)", "[1,2]"),
            ("skip(createArray(1, 2), 5)", "[]"),
            ("indexFromEnd(createArray(1, 2, 3), 1)", "3"),
            ("indexFromEnd(createArray(1), 2)", "\"!invalid-argument\""),
            ("indexFromEnd(createArray(1), 0)", "\"!invalid-argument\""),
            ("tryIndexFromEnd(createArray(1), 2)", "null"),
            ("array(1)", "[1]"),
            ("array(createArray(1))", "[1]"),
        ]);
    }

    #[test]
    fn sets() {
        check_all(&[
            ("union(createArray('a', 'b'), createArray('b', 'c'))", "[\"a\",\"b\",\"c\"]"),
            ("union(createArray(1), null(), createArray(2))", "[1,2]"),
            (
                "union(createObject('a', createObject('x', 1), 'l', createArray(1)), createObject('A', createObject('y', 2), 'l', createArray(2)))",
                r#"{"a":{"x":1,"y":2},"l":[2]}"#,
            ),
            ("union(createObject('a', newGuid()), createObject('b', 1))", r#"{"a":"[newGuid()]","b":1}"#),
            (
                "union(createObject('a', createObject('x', 1)), createObject('a', newGuid()))",
                r#"{"a":"[union(createObject('x', 1), newGuid())]"}"#,
            ),
            ("union(createArray(1), createObject())", "\"!argument-type\""),
            ("intersection(createArray(1, 2, 2, 3), createArray(3, 2))", "[2,3]"),
            (
                "intersection(createObject('one', 'a', 'two', 'b'), createObject('one', 'a', 'two', 'z'))",
                r#"{"one":"a"}"#,
            ),
            ("flatten(createArray(createArray(0, 1), createArray(2), createArray()))", "[0,1,2]"),
            ("flatten(createArray(1))", "\"!argument-type\""),
            ("flatten(createArray(createArray(newGuid())))", "[\"[newGuid()]\"]"),
            (
                "distinct(createArray(1, 'a', 1, json('1.0'), createObject('a', 1), createObject('a', 1)))",
                r#"[1,"a",{"a":1}]"#,
            ),
            ("distinct(createArray(newGuid(), 1))", "\"[distinct(createArray(newGuid(), 1))]\""),
        ]);
    }
}
