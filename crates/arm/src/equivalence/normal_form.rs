//! Values and expressions in a form in which the way of writing does not count.

use serde_json::{Map, Value as Json};

use crate::expression::{Accessor, Expr, ExprKind};
use crate::value::{Kind, Object, Secrets, Value};

/// A value; what is not known is the normal text of its expression in brackets.
pub(super) fn normal_value(value: &Value) -> Json {
    if !value.has_unknown() {
        return value.to_json(Secrets::Shown);
    }
    match value.kind() {
        Kind::Array(items) => Json::Array(items.iter().map(normal_value).collect()),
        Kind::Object(object) => object_of(object),
        Kind::Unknown(unknown) => match Text::of(&unknown.expression) {
            Text::Value(value) => value,
            text => Json::String(format!("[{}]", text.shown())),
        },
        _ => value.to_json(Secrets::Shown),
    }
}

/// The text of [`normal_value`], by which values are found: case does not count.
pub(crate) fn normal_text(value: &Value) -> String {
    match normal_value(value) {
        Json::String(text) => text.to_lowercase(),
        other => other.to_string().to_lowercase(),
    }
}

fn object_of(object: &Object) -> Json {
    Json::Object(object.iter().map(|(key, member)| (key.to_string(), normal_value(member))).collect())
}

/// What an expression comes to.
#[derive(Debug, Clone, PartialEq)]
enum Text {
    /// A value, parts of which may be the texts of expressions.
    Value(Json),
    /// Parts that are put together to one text.
    Joined(Vec<Text>),
    /// Anything else, as text.
    Other(String),
}

impl Text {
    fn of(expr: &Expr) -> Self {
        match expr.kind() {
            ExprKind::String(text) => Self::Value(Json::String(text.to_string())),
            ExprKind::Int(value) => Self::Value(Json::from(*value)),
            ExprKind::Float(text) => Self::Other(text.to_string()),
            ExprKind::Known(value) => Self::Value(normal_value(value)),
            ExprKind::Call(call) => of_call(&call.name.to_lowercase(), &call.args),
            ExprKind::Access { base, path } => {
                // A loop over numbers from zero on: each number is its own position.
                let (mut text, path) = match (counted(base), path.as_slice()) {
                    (Some(_), [Accessor::Index(index), rest @ ..]) => (Self::of(index).shown(), rest),
                    _ => (Self::of(base).shown(), path.as_slice()),
                };
                for step in path {
                    match step {
                        Accessor::Property(name) => text.push_str(&format!(".{}", name.to_lowercase())),
                        Accessor::Index(index) => match Self::of(index) {
                            Self::Value(Json::String(name)) => {
                                text.push_str(&format!(".{}", name.to_lowercase()));
                            }
                            other => text.push_str(&format!("[{}]", other.shown())),
                        },
                    }
                }
                Self::Other(text)
            }
        }
    }

    fn shown(&self) -> String {
        match self {
            Self::Value(value) => json::to_compact(value),
            Self::Joined(parts) => {
                let parts: Vec<String> = parts.iter().map(Self::shown).collect();
                format!("join({})", parts.join(","))
            }
            Self::Other(text) => text.clone(),
        }
    }
}

fn of_call(name: &str, args: &[Expr]) -> Text {
    let shown = |args: &[Expr]| args.iter().map(|arg| Text::of(arg).shown()).collect::<Vec<_>>();
    match (name, args) {
        ("concat", args) => joined(args.iter().map(Text::of).collect()),
        ("format", [format, values @ ..]) => json_of(format)
            .as_str()
            .and_then(|format| formatted(format, values))
            .unwrap_or_else(|| Text::Other(format!("format({})", shown(args).join(",")))),
        ("createarray", args) => Text::Value(Json::Array(args.iter().map(json_of).collect())),
        ("createobject", args) => {
            let pairs = args.chunks(2).filter_map(|pair| match pair {
                [key, value] => match json_of(key) {
                    Json::String(key) => Some((key, json_of(value))),
                    other => Some((other.to_string(), json_of(value))),
                },
                _ => None,
            });
            Text::Value(Json::Object(pairs.collect::<Map<String, Json>>()))
        }
        ("length", [list]) if counted(list).is_some() => {
            counted(list).map_or_else(|| Text::Other(String::new()), Text::of)
        }
        ("resourceid", args) => {
            let trimmed = args.iter().map(|arg| match Text::of(arg) {
                Text::Value(Json::String(text)) => json::to_compact(&Json::from(text.trim_end_matches('/'))),
                other => other.shown(),
            });
            Text::Other(format!("resourceid({})", trimmed.collect::<Vec<_>>().join(",")))
        }
        // The version says how a resource is read, not what it is.
        ("reference", [target, rest @ ..]) => {
            let id = Text::of(target).shown().to_lowercase();
            let is_full =
                rest.get(1).is_some_and(|word| Text::of(word).shown().eq_ignore_ascii_case("\"full\""));
            Text::Other(format!("resource({id}){}", if is_full { "" } else { ".properties" }))
        }
        (name, [target, rest @ ..]) if name.starts_with("list") => {
            let mut parts = vec![Text::of(target).shown().to_lowercase()];
            parts.extend(rest.get(1).map(|body| Text::of(body).shown()));
            Text::Other(format!("{name}({})", parts.join(",")))
        }
        ("and" | "or" | "coalesce", args) => {
            let mut operands = Vec::new();
            collect_operands(name, args, &mut operands);
            Text::Other(format!("{name}({})", operands.join(",")))
        }
        _ => Text::Other(format!("{name}({})", shown(args).join(","))),
    }
}

/// The count of `range(0, count)`.
fn counted(expr: &Expr) -> Option<&Expr> {
    let ExprKind::Call(call) = expr.kind() else { return None };
    let [start, count] = call.args.as_slice() else { return None };
    let is_counted = call.name.eq_ignore_ascii_case("range") && json_of(start) == 0;
    is_counted.then_some(count)
}

fn json_of(expr: &Expr) -> Json {
    match Text::of(expr) {
        Text::Value(value) => value,
        other => Json::String(format!("[{}]", other.shown())),
    }
}

/// The operands of an operator that may be nested in itself.
fn collect_operands(name: &str, args: &[Expr], into: &mut Vec<String>) {
    for arg in args {
        match arg.kind() {
            ExprKind::Call(call) if call.name.eq_ignore_ascii_case(name) => {
                collect_operands(name, &call.args, into);
            }
            _ => into.push(Text::of(arg).shown()),
        }
    }
}

/// Parts put together: inner ones are taken out, and literals side by side are one.
fn joined(parts: Vec<Text>) -> Text {
    let mut flat: Vec<Text> = Vec::new();
    for part in parts {
        let inner = match part {
            Text::Joined(inner) => inner,
            other => vec![other],
        };
        for part in inner {
            let text = match (&part, flat.last()) {
                (Text::Value(part), Some(Text::Value(last))) => literal(last).zip(literal(part)),
                _ => None,
            };
            match text {
                Some((last, part)) => {
                    flat.pop();
                    flat.push(Text::Value(Json::String(format!("{last}{part}"))));
                }
                None if part == Text::Value(Json::String(String::new())) => {}
                None => flat.push(part),
            }
        }
    }
    match (flat.pop(), flat.is_empty()) {
        (Some(only), true) => only,
        (last, _) => {
            flat.extend(last);
            Text::Joined(flat)
        }
    }
}

/// A value as it stands in a text.
fn literal(value: &Json) -> Option<String> {
    match value {
        Json::String(text) => Some(text.clone()),
        Json::Number(number) => Some(number.to_string()),
        Json::Bool(value) => Some(if *value { "True" } else { "False" }.to_owned()),
        _ => None,
    }
}

/// A format with plain holes.
fn formatted(format: &str, values: &[Expr]) -> Option<Text> {
    let mut parts = Vec::new();
    let mut text = String::new();
    let mut rest = format;
    while let Some(c) = rest.chars().next() {
        rest = rest.get(c.len_utf8()..)?;
        match c {
            '{' | '}' if rest.starts_with(c) => {
                text.push(c);
                rest = rest.get(1..)?;
            }
            '{' => {
                let (number, behind) = rest.split_once('}')?;
                let value = values.get(number.parse::<usize>().ok()?)?;
                parts.push(Text::Value(Json::String(std::mem::take(&mut text))));
                parts.push(Text::of(value));
                rest = behind;
            }
            '}' => return None,
            c => text.push(c),
        }
    }
    parts.push(Text::Value(Json::String(text)));
    Some(joined(parts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(one: &str, other: &str) {
        let text = |source: &str| Text::of(&crate::expression::parse(source).unwrap()).shown();
        assert_eq!(text(one), text(other));
    }

    #[test]
    fn ways_to_put_texts_together_are_one() {
        check("[concat('a', concat(f(), 'b'), 'c')]", "[format('a{0}bc', f())]");
        check("[format('{0}', f())]", "[f()]");
        check("[format('{{{0}}}', f())]", "[concat('{', f(), '}')]");
    }

    #[test]
    fn operators_may_be_nested() {
        check("[and(a(), b(), c())]", "[and(and(a(), b()), c())]");
    }

    #[test]
    fn references_are_the_resource() {
        check("[reference('/A', '2020-01-01').x]", "[reference('/a', '2021-01-01', 'full').properties['X']]");
        check("[listKeys('/A', '2020-01-01').x]", "[listkeys('/a', '2021-01-01').x]");
    }
}
