//! Values → JSON: literals as they are, everything else as an expression in brackets.

use crate::code::{Code, escape};
use crate::translate::Translator;
use crate::tree::{Object, Tree};
use crate::value::{Key, Loop, Member, Members, Value};

/// A value as it stands in a template.
pub(crate) fn value(translator: &Translator<'_, '_>, value: Value) -> Tree {
    stacker::maybe_grow(64 << 10, 1 << 20, || match value {
        Value::Null => serde_json::Value::Null.into(),
        Value::Bool(value) => value.into(),
        Value::Int(value) => value.into(),
        Value::Text(text) => escape(&text).into(),
        Value::Array(items) => items.into_iter().map(|item| self::value(translator, item)).collect(),
        Value::Item(range, item) => Tree::At(range, Box::new(self::value(translator, *item))),
        Value::Object(members) => self::members(translator, members).into(),
        Value::Loop(_) | Value::Code(_) | Value::Resource(_) | Value::Module(_) | Value::ById(_) => {
            translator.to_code(value).to_json().into()
        }
    })
}

/// Properties as they stand in a template: loops come first, together under `copy`.
pub(crate) fn members(translator: &Translator<'_, '_>, members: Members) -> Object {
    let mut object = Object::new();
    let (loops, others): (Vec<Member>, Vec<Member>) =
        members.into_iter().partition(|member| matches!(member.value, Value::Loop(_)));
    let copies: Vec<Tree> = loops
        .into_iter()
        .filter_map(|member| match (member.key, member.value) {
            (Key::Name(name), Value::Loop(each)) => Some(copy(translator, Some(&name), *each).into()),
            _ => None,
        })
        .collect();
    if !copies.is_empty() {
        object.put("copy", Tree::Array(copies));
    }
    for Member { key, value, range } in others {
        object.put_at(key_text(&key), self::value(translator, value), range);
    }
    object
}

/// A key as it stands in a template. `copy` would be taken for a loop.
pub(crate) fn key_text(key: &Key) -> String {
    let text = match key {
        Key::Name(name) => escape(name),
        Key::Computed(code) => code.to_text(),
    };
    if text.eq_ignore_ascii_case("copy") { format!("[string('{text}')]") } else { text }
}

/// A loop that makes values.
pub(crate) fn copy(translator: &Translator<'_, '_>, name: Option<&str>, each: Loop) -> Object {
    let mut object = copy_head(translator, name, each.source);
    let input = match each.body {
        body @ (Value::Object(_) | Value::Text(_)) => value(translator, body),
        // Anything else has to be an expression.
        body => Code::Call(translator.to_code(body).into_call()).to_text().into(),
    };
    object.put("input", input);
    object
}

/// A loop that makes the value of a parameter: there its position has another name, and all of it is an expression.
pub(crate) fn copy_value(translator: &Translator<'_, '_>, each: Loop) -> Object {
    let mut object = copy_head(translator, Some("value"), each.source);
    let is_text = matches!(each.body, Value::Object(_) | Value::Text(_));
    let mut code = translator.to_code(each.body);
    if !is_text {
        code = Code::Call(code.into_call());
    }
    code.for_each_call(&mut |call| {
        if call.name == "copyIndex" && matches!(call.args.as_slice(), [Code::Text(_) | Code::Int(_)]) {
            call.args = vec![Code::text("value")];
        }
    });
    object.put("input", code.to_text());
    object
}

/// The name and the count of a loop.
pub(crate) fn copy_head(translator: &Translator<'_, '_>, name: Option<&str>, source: Value) -> Object {
    let mut object = Object::new();
    if let Some(name) = name {
        object.put("name", escape(name));
    }
    object.put("count", Code::call("length", [translator.to_code(source)]).to_text());
    object
}
