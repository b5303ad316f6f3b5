//! Values → text. The pretty form is the one in which templates are written: two spaces, line feeds, no final line end.

use std::fmt::Write as _;

use serde_json::{Map, Number, Value};

/// The value over several lines.
pub fn to_pretty(value: &Value) -> String {
    print(value, Layout::Pretty)
}

/// The value on one line without white space.
pub fn to_compact(value: &Value) -> String {
    print(value, Layout::Compact)
}

#[derive(Clone, Copy, PartialEq)]
enum Layout {
    Pretty,
    Compact,
}

/// What remains to be printed of an array or object. Kept on a heap of our own: values may nest deeper than the stack.
enum Rest<'v> {
    Array(std::slice::Iter<'v, Value>),
    Object(serde_json::map::Iter<'v>),
}

fn print(value: &Value, layout: Layout) -> String {
    let mut out = String::new();
    let mut open = Vec::new();
    open.extend(begin(value, &mut out));
    let mut first = true;
    while let Some(rest) = open.last_mut() {
        let next = match rest {
            Rest::Array(items) => items.next().map(|item| (None, item)),
            Rest::Object(members) => members.next().map(|(key, item)| (Some(key), item)),
        };
        let Some((key, item)) = next else {
            let closer = if matches!(rest, Rest::Array(_)) { ']' } else { '}' };
            open.pop();
            break_line(&mut out, layout, open.len());
            out.push(closer);
            first = false;
            continue;
        };
        if !first {
            out.push(',');
        }
        break_line(&mut out, layout, open.len());
        if let Some(key) = key {
            push_string(&mut out, key);
            out.push_str(if layout == Layout::Pretty { ": " } else { ":" });
        }
        let inner = begin(item, &mut out);
        first = inner.is_some();
        open.extend(inner);
    }
    out
}

/// Prints a value, but of a filled array or object only the opening bracket.
fn begin<'v>(value: &'v Value, out: &mut String) -> Option<Rest<'v>> {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => push_number(out, number),
        Value::String(text) => push_string(out, text),
        Value::Array(items) if items.is_empty() => out.push_str("[]"),
        Value::Object(members) if Map::is_empty(members) => out.push_str("{}"),
        Value::Array(items) => {
            out.push('[');
            return Some(Rest::Array(items.iter()));
        }
        Value::Object(members) => {
            out.push('{');
            return Some(Rest::Object(members.iter()));
        }
    }
    None
}

fn break_line(out: &mut String, layout: Layout, depth: usize) {
    if layout == Layout::Pretty {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", depth));
    }
}

fn push_string(out: &mut String, text: &str) {
    out.push('"');
    let mut plain = 0;
    for (at, c) in text.char_indices() {
        let named = match c {
            '"' => "\\\"",
            '\\' => "\\\\",
            '\u{8}' => "\\b",
            '\u{c}' => "\\f",
            '\n' => "\\n",
            '\r' => "\\r",
            '\t' => "\\t",
            '\0'..' ' | '\u{85}' | '\u{2028}' | '\u{2029}' => "",
            _ => continue,
        };
        out.push_str(text.get(plain..at).unwrap_or_default());
        plain = at + c.len_utf8();
        if named.is_empty() {
            // Writing to a String cannot fail.
            let _ = write!(out, "\\u{:04x}", u32::from(c));
        } else {
            out.push_str(named);
        }
    }
    out.push_str(text.get(plain..).unwrap_or_default());
    out.push('"');
}

fn push_number(out: &mut String, number: &Number) {
    match number.as_f64().filter(|_| number.is_f64()) {
        Some(double) => push_double(out, double),
        None => out.push_str(&number.to_string()),
    }
}

/// As the reference prints doubles: the shortest digits that read back the same, plain between 1E-04 and 1E+17, and
/// always recognisable as a double.
fn push_double(out: &mut String, double: f64) {
    const MOST_PLAIN_DIGITS: i32 = 17;
    let scientific = format!("{double:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..MOST_PLAIN_DIGITS).contains(&exponent) {
        let plain = double.to_string();
        out.push_str(&plain);
        if !plain.contains('.') {
            out.push_str(".0");
        }
        return;
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    // Writing to a String cannot fail.
    let _ = write!(out, "{mantissa}E{sign}{:02}", exponent.abs());
}
