//! JSON values in the words of the language. The text is right, but not laid out: that is the formatter's work.

use std::borrow::Cow;

use base::spelling::is_identifier;
use bicep_types::ty::escape_string;
use serde_json::Value as Json;

/// A JSON value as a literal. Items and members stand on lines of their own.
pub fn literal(value: &Json) -> String {
    let mut text = String::new();
    write_value(&mut text, value);
    text
}

/// A text in quotes. Control characters are escaped too: nobody would see them.
pub fn quoted(value: &str) -> String {
    let text = escape_string(value);
    if !text.contains(char::is_control) {
        return text;
    }
    text.chars().fold(String::with_capacity(text.len() + 8), |mut out, c| {
        match c.is_control() {
            true => out.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
            false => out.push(c),
        }
        out
    })
}

/// The name of a property, in quotes where it needs them.
pub fn property_name(name: &str) -> Cow<'_, str> {
    if is_identifier(name) { Cow::Borrowed(name) } else { Cow::Owned(quoted(name)) }
}

/// A number with a fraction: the language has none of its own.
pub fn fraction(number: &str) -> String {
    format!("json({})", quoted(number))
}

fn write_value(text: &mut String, value: &Json) {
    base::recurse(|| match value {
        Json::String(value) => text.push_str(&quoted(value)),
        Json::Number(number) if number.as_i64().is_none() => text.push_str(&fraction(&number.to_string())),
        Json::Null | Json::Bool(_) | Json::Number(_) => text.push_str(&value.to_string()),
        Json::Array(items) => write_lines(text, ['[', ']'], items.iter(), write_value),
        Json::Object(members) => write_lines(text, ['{', '}'], members.iter(), |text, (name, value)| {
            text.push_str(&property_name(name));
            text.push_str(": ");
            write_value(text, value);
        }),
    });
}

fn write_lines<T>(
    text: &mut String,
    [open, close]: [char; 2],
    items: impl ExactSizeIterator<Item = T>,
    write: impl Fn(&mut String, T),
) {
    text.push(open);
    let is_empty = items.len() == 0;
    for item in items {
        text.push('\n');
        write(text, item);
    }
    if !is_empty {
        text.push('\n');
    }
    text.push(close);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_become_literals() {
        for (value, expected) in [
            (json!("it's ${x} $y \\ \n"), r"'it\'s \${x} $y \\ \n'"),
            (json!(-3), "-3"),
            (json!(1.5), "json('1.5')"),
            (json!(null), "null"),
            (json!([]), "[]"),
            (json!([true, {}]), "[\ntrue\n{}\n]"),
            (json!({"a": 1, "b-c": "\u{1}"}), "{\na: 1\n'b-c': '\\u{1}'\n}"),
        ] {
            assert_eq!(literal(&value), expected);
        }
    }
}
