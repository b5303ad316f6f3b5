//! JSON as Go's encoder prints it: member names sorted by bytes, `<`, `>` and `&` escaped.
//! A [`Value`] comes in, text is added to a buffer.

use std::borrow::Cow;

use super::number;
use ::json::borrowed::Value;

/// Appends a value over several lines, `indent` spaces for each level.
pub fn write_pretty(out: &mut String, node: &Value<'_>, indent: usize) {
    write(out, node, Some(indent), 0);
}

/// Appends a value on one line, without spaces.
pub fn write_compact(out: &mut String, node: &Value<'_>) {
    write(out, node, None, 0);
}

/// Appends a value on one line for a JavaScript engine: members stay in their order.
pub fn write_in_order(out: &mut String, node: &Value<'_>) {
    match node {
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write_in_order(out, item);
            }
            out.push(']');
        }
        Value::Object(members) => {
            out.push('{');
            for (at, (key, value)) in members.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write_string(out, key);
                out.push(':');
                write_in_order(out, value);
            }
            out.push('}');
        }
        scalar => write(out, scalar, None, 0),
    }
}

/// A string in double quotes, which is also a literal of JavaScript.
pub fn string_literal(text: &str) -> String {
    let mut literal = String::with_capacity(text.len() + 2);
    write_string(&mut literal, text);
    literal
}

/// Appends a string in double quotes.
pub fn write_string(out: &mut String, text: &str) {
    out.push('"');
    let mut from = 0;
    for (at, c) in text.char_indices() {
        let escape = match c {
            '"' => "\\\"",
            '\\' => "\\\\",
            '\n' => "\\n",
            '\r' => "\\r",
            '\t' => "\\t",
            '<' => "\\u003c",
            '>' => "\\u003e",
            '&' => "\\u0026",
            '\u{2028}' => "\\u2028",
            '\u{2029}' => "\\u2029",
            '\0'..='\u{1f}' => "",
            _ => continue,
        };
        out.push_str(text.get(from..at).unwrap_or_default());
        from = at + c.len_utf8();
        if escape.is_empty() {
            out.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            out.push_str(escape);
        }
    }
    out.push_str(text.get(from..).unwrap_or_default());
    out.push('"');
}

fn write(out: &mut String, node: &Value<'_>, indent: Option<usize>, level: usize) {
    match node {
        Value::Null => out.push_str("null"),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Number(text) => out.push_str(&number::json(text)),
        Value::String(text) => write_string(out, text),
        Value::Array(items) if items.is_empty() => out.push_str("[]"),
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                line(out, indent, level + 1);
                write(out, item, indent, level + 1);
            }
            line(out, indent, level);
            out.push(']');
        }
        Value::Object(members) if members.is_empty() => out.push_str("{}"),
        Value::Object(members) => {
            out.push('{');
            for (at, (key, value)) in sorted(members, str::cmp).into_iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                line(out, indent, level + 1);
                write_string(out, key);
                out.push_str(if indent.is_some() { ": " } else { ":" });
                write(out, value, indent, level + 1);
            }
            line(out, indent, level);
            out.push('}');
        }
    }
}

/// Members in the order that `compare` wants, each name once with its last value.
pub(crate) fn sorted<'n, 'a>(
    members: &'n [(Cow<'a, str>, Value<'a>)],
    compare: impl Fn(&str, &str) -> std::cmp::Ordering,
) -> Vec<&'n (Cow<'a, str>, Value<'a>)> {
    let mut order: Vec<_> = members.iter().collect();
    order.sort_by(|a, b| compare(&a.0, &b.0));
    // The sort is stable: among members of one name the last one is the one that counts.
    let mut unique: Vec<&'n (Cow<'a, str>, Value<'a>)> = Vec::with_capacity(order.len());
    for member in order {
        match unique.last_mut() {
            Some(last) if last.0 == member.0 => *last = member,
            _ => unique.push(member),
        }
    }
    unique
}

fn line(out: &mut String, indent: Option<usize>, level: usize) {
    if let Some(width) = indent {
        out.push('\n');
        out.extend(std::iter::repeat_n(' ', width * level));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::json::borrowed::parse;

    #[track_caller]
    fn check(text: &str, pretty: &str, compact: &str) {
        let node = parse(text).unwrap();
        let (mut long, mut short) = (String::new(), String::new());
        write_pretty(&mut long, &node, 2);
        write_compact(&mut short, &node);
        assert_eq!((long.as_str(), short.as_str()), (pretty, compact));
    }

    #[test]
    fn names_are_sorted_by_bytes() {
        check(
            r#"{"b":1,"a10":[],"a2":{"x":null},"B":{}}"#,
            "{\n  \"B\": {},\n  \"a10\": [],\n  \"a2\": {\n    \"x\": null\n  },\n  \"b\": 1\n}",
            r#"{"B":{},"a10":[],"a2":{"x":null},"b":1}"#,
        );
    }

    #[test]
    fn the_last_of_equal_names_counts() {
        check(r#"{"b":1,"a":1,"b":2}"#, "{\n  \"a\": 1,\n  \"b\": 2\n}", r#"{"a":1,"b":2}"#);
    }

    #[test]
    fn markup_and_controls_are_escaped() {
        let expected = r#""\u003ca href=\"x\"\u003e\u0026\u2028\u0001\t😀""#;
        check(r#""<a href=\"x\">&\u2028\u0001\t😀""#, expected, expected);
    }
}
