//! Values → documents: literals as they are, everything else as an expression in brackets.

use arm::document::{Node, NodeKind};
use arm::expression::Expr;

use crate::code::Code;
use crate::translate::Translator;
use crate::tree::{Name, Object, Tree};
use crate::value::{Key, Loop, Member, Members, Value};

/// A value as it stands in a template.
pub(crate) fn value(translator: &Translator<'_, '_>, value: Value) -> Tree {
    base::recurse(|| match value {
        Value::Null => Tree::Leaf(NodeKind::Null.into()),
        Value::Bool(value) => value.into(),
        Value::Int(value) => value.into(),
        Value::Text(text) => Node::literal(&text).into(),
        Value::Array(items) => items.into_iter().map(|item| self::value(translator, item)).collect(),
        Value::Item(range, item) => Tree::At(range, Box::new(self::value(translator, *item))),
        Value::Object(members) => self::members(translator, members).into(),
        Value::Loop(_) | Value::Code(_) | Value::Resource(_) | Value::Module(_) | Value::ById(_) => {
            translator.to_code(value).to_node().into()
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
        object.put_at(self::key(&key), self::value(translator, value), range);
    }
    object
}

/// A key as it stands in a template. `copy` would be taken for a loop.
pub(crate) fn key(key: &Key) -> Name {
    match key {
        Key::Name(name) if name.eq_ignore_ascii_case("copy") => {
            Name::computed(Expr::call("string", vec![Expr::string(name.as_str())]))
        }
        Key::Name(name) => Name::literal(name),
        // A text in place of an expression is its own name.
        Key::Computed(code) => match code {
            Code::Text(text) => Name::literal(text),
            code => Name::computed(code.to_expr()),
        },
    }
}

/// A loop that makes values.
pub(crate) fn copy(translator: &Translator<'_, '_>, name: Option<&str>, each: Loop) -> Object {
    let mut object = copy_head(translator, name, each.source);
    let input = match each.body {
        body @ (Value::Object(_) | Value::Text(_)) => value(translator, body),
        // Anything else has to be an expression.
        body => Code::Call(translator.to_code(body).into_call()).to_text_node().into(),
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
    object.put("input", code.to_text_node());
    object
}

/// The name and the count of a loop.
pub(crate) fn copy_head(translator: &Translator<'_, '_>, name: Option<&str>, source: Value) -> Object {
    let mut object = Object::new();
    if let Some(name) = name {
        object.put("name", Node::literal(name));
    }
    object.put("count", Code::call("length", [translator.to_code(source)]).to_text_node());
    object
}
