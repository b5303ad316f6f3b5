//! The functions of the language: one row each, by group.

use std::cmp::Ordering;
use std::sync::Arc;

use regex::Regex;

use super::operators::{self, MAX_TEXT, TEXT_TOO_LONG};
use super::value::Value;

/// What a function makes of its arguments; those that are missing are null.
type BuiltIn = fn(&Arguments<'_>) -> Result<Value, String>;

/// A function: name, how many arguments it needs at least, and what it does.
struct Row(&'static str, usize, BuiltIn);

/// The groups, including those without functions, so that a message can name what is missing.
const GROUPS: [&str; 8] = ["string", "array", "object", "math", "html", "regex", "date", "timespan"];

/// Whether a name is that of a group of functions.
pub(super) fn is_group(name: &str) -> bool {
    GROUPS.contains(&name)
}

/// Calls a function, by `group.name`.
pub(super) fn call(name: &str, arguments: &[Value]) -> Result<Value, String> {
    let row = TABLE.iter().find(|row| row.0 == name);
    let Row(_, needed, function) = row.ok_or_else(|| format!("`{name}` is not supported"))?;
    if arguments.len() < *needed {
        return Err(format!("`{name}` needs {needed} arguments, {} are given", arguments.len()));
    }
    function(&Arguments(arguments))
}

/// The arguments of a call.
struct Arguments<'a>(&'a [Value]);

impl Arguments<'_> {
    fn get(&self, index: usize) -> &Value {
        self.0.get(index).unwrap_or(&Value::Null)
    }

    /// An argument as it is printed.
    fn text(&self, index: usize) -> String {
        self.get(index).print()
    }

    fn number(&self, index: usize) -> Result<i64, String> {
        match self.get(index) {
            Value::Int(number) => Ok(*number),
            other => Err(format!("a whole number is expected, found \"{}\"", other.print())),
        }
    }

    fn float(&self, index: usize) -> Result<f64, String> {
        let value = self.get(index);
        value.as_float().ok_or_else(|| format!("a number is expected, found \"{}\"", value.print()))
    }

    fn list(&self, index: usize) -> Vec<Value> {
        self.get(index).items().to_vec()
    }

    fn pattern(&self, index: usize) -> Result<Regex, String> {
        let pattern = self.text(index);
        Regex::new(&pattern).map_err(|_| format!("\"{pattern}\" is not a regular expression"))
    }
}

fn text(text: impl Into<Arc<str>>) -> Result<Value, String> {
    Ok(Value::Text(text.into()))
}

fn bool(flag: bool) -> Result<Value, String> {
    Ok(Value::Bool(flag))
}

fn count(count: usize) -> Result<Value, String> {
    Ok(Value::Int(i64::try_from(count).unwrap_or(i64::MAX)))
}

fn list(items: impl IntoIterator<Item = Value>) -> Result<Value, String> {
    Ok(Value::list(items))
}

const TABLE: &[Row] = &[
    Row("string.append", 2, |a| text(a.text(0) + &a.text(1))),
    Row("string.prepend", 2, |a| text(a.text(1) + &a.text(0))),
    Row("string.capitalize", 1, |a| text(capitalized(a.text(0)))),
    Row("string.capitalizewords", 1, |a| {
        text(a.text(0).split(' ').map(capitalized).collect::<Vec<_>>().join(" "))
    }),
    Row("string.downcase", 1, |a| text(a.text(0).to_lowercase())),
    Row("string.upcase", 1, |a| text(a.text(0).to_uppercase())),
    Row("string.contains", 2, |a| bool(a.text(0).contains(&a.text(1)))),
    Row("string.starts_with", 2, |a| bool(a.text(0).starts_with(&a.text(1)))),
    Row("string.ends_with", 2, |a| bool(a.text(0).ends_with(&a.text(1)))),
    Row("string.equals_ignore_case", 2, |a| bool(a.text(0).to_lowercase() == a.text(1).to_lowercase())),
    Row("string.empty", 1, |a| bool(a.text(0).is_empty())),
    Row("string.whitespace", 1, |a| bool(a.text(0).trim().is_empty())),
    Row("string.size", 1, |a| count(a.text(0).chars().count())),
    Row("string.strip", 1, |a| text(a.text(0).trim())),
    Row("string.lstrip", 1, |a| text(a.text(0).trim_start())),
    Row("string.rstrip", 1, |a| text(a.text(0).trim_end())),
    Row("string.strip_newlines", 1, |a| text(a.text(0).replace(['\r', '\n'], ""))),
    Row("string.replace", 3, |a| text(a.text(0).replace(&a.text(1), &a.text(2)))),
    Row("string.replace_first", 3, |a| text(a.text(0).replacen(&a.text(1), &a.text(2), 1))),
    Row("string.remove", 2, |a| text(a.text(0).replace(&a.text(1), ""))),
    Row("string.remove_first", 2, |a| text(a.text(0).replacen(&a.text(1), "", 1))),
    Row("string.remove_last", 2, |a| text(removed_last(&a.text(0), &a.text(1)))),
    Row("string.split", 2, |a| {
        let (whole, separator) = (a.text(0), a.text(1));
        list(whole.split(&separator).filter(|part| !part.is_empty()).map(Value::text))
    }),
    Row("string.slice", 2, |a| slice(a, a.get(2).is_null().then_some(usize::MAX))),
    Row("string.slice1", 2, |a| slice(a, a.get(2).is_null().then_some(1))),
    Row("string.truncate", 2, truncate),
    Row("string.truncatewords", 2, truncate_words),
    Row("string.pad_left", 2, |a| pad(a, true)),
    Row("string.pad_right", 2, |a| pad(a, false)),
    Row("string.handleize", 1, |a| text(handle(&a.text(0)))),
    Row("string.escape", 1, |a| text(escaped(&a.text(0)))),
    Row("string.literal", 1, |a| text(format!("\"{}\"", escaped(&a.text(0))))),
    Row("string.pluralize", 3, |a| text(if a.number(0)? == 1 { a.text(1) } else { a.text(2) })),
    Row("string.index_of", 2, |a| {
        let whole = a.text(0);
        let at = whole.find(&a.text(1)).map(|at| whole.get(..at).unwrap_or_default().chars().count());
        Ok(Value::Int(at.and_then(|at| i64::try_from(at).ok()).unwrap_or(-1)))
    }),
    Row("string.to_int", 1, |a| Ok(a.text(0).trim().parse().map_or(Value::Null, Value::Int))),
    Row("string.to_long", 1, |a| Ok(a.text(0).trim().parse().map_or(Value::Null, Value::Int))),
    Row("string.to_double", 1, |a| Ok(a.text(0).trim().parse().map_or(Value::Null, Value::Float))),
    Row("array.add", 2, |a| list(a.list(0).into_iter().chain([a.get(1).clone()]))),
    Row("array.add_range", 2, |a| list(a.list(0).into_iter().chain(a.list(1)))),
    Row("array.concat", 2, |a| list(a.list(0).into_iter().chain(a.list(1)))),
    Row("array.compact", 1, |a| list(a.list(0).into_iter().filter(|item| !item.is_null()))),
    Row("array.contains", 2, |a| bool(a.list(0).iter().any(|item| operators::equal(item, a.get(1))))),
    Row("array.first", 1, |a| Ok(a.list(0).first().cloned().unwrap_or_default())),
    Row("array.last", 1, |a| Ok(a.list(0).last().cloned().unwrap_or_default())),
    Row("array.size", 1, |a| count(a.list(0).len())),
    Row("array.join", 2, |a| {
        let parts: Vec<String> = a.list(0).iter().map(Value::print).collect();
        text(parts.join(&a.text(1)))
    }),
    Row("array.limit", 2, |a| list(a.list(0).into_iter().take(usize::try_from(a.number(1)?).unwrap_or(0)))),
    Row("array.offset", 2, |a| list(a.list(0).into_iter().skip(usize::try_from(a.number(1)?).unwrap_or(0)))),
    Row("array.map", 2, |a| {
        let name = a.text(1);
        list(a.list(0).iter().map(|item| member(item, &name)))
    }),
    Row("array.remove_at", 2, |a| {
        let at = usize::try_from(a.number(1)?).ok();
        list(a.list(0).into_iter().enumerate().filter(|(index, _)| Some(*index) != at).map(|(_, item)| item))
    }),
    Row("array.insert_at", 3, |a| {
        let mut items = a.list(0);
        let at = usize::try_from(a.number(1)?).unwrap_or(0).min(items.len());
        items.insert(at, a.get(2).clone());
        list(items)
    }),
    Row("array.reverse", 1, |a| list(a.list(0).into_iter().rev())),
    Row("array.sort", 1, sort),
    Row("array.uniq", 1, |a| {
        let mut kept: Vec<Value> = Vec::new();
        for item in a.list(0) {
            if !kept.iter().any(|known| operators::equal(known, &item)) {
                kept.push(item);
            }
        }
        list(kept)
    }),
    Row("object.default", 2, |a| {
        let is_missing = match a.get(0) {
            Value::Text(text) => text.is_empty(),
            other => other.is_null(),
        };
        Ok(a.get(usize::from(is_missing)).clone())
    }),
    Row("object.has_key", 2, |a| bool(members(a.get(0)).iter().any(|(name, _)| *name == a.text(1)))),
    Row("object.has_value", 2, |a| {
        let name = a.text(1);
        bool(members(a.get(0)).iter().any(|(key, value)| *key == name && !value.is_null()))
    }),
    Row("object.keys", 1, |a| list(members(a.get(0)).into_iter().map(|(name, _)| Value::text(&name)))),
    Row("object.values", 1, |a| list(members(a.get(0)).into_iter().map(|(_, value)| value))),
    Row("object.size", 1, |a| match a.get(0) {
        Value::Object(members) => count(members.len()),
        Value::List(items) => count(items.len()),
        other => count(other.print().chars().count()),
    }),
    Row("object.typeof", 1, |a| Ok(Value::optional(a.get(0).kind()))),
    Row("object.kind", 1, |a| Ok(Value::optional(a.get(0).kind()))),
    Row("object.to_json", 1, |a| text(a.get(0).to_json().to_string())),
    Row("object.from_json", 1, |a| {
        let parsed = serde_json::from_str(&a.text(0));
        parsed.map(|json: serde_json::Value| Value::of(&json)).map_err(|_| "the text is not JSON".to_owned())
    }),
    Row("math.abs", 1, |a| match a.get(0) {
        Value::Int(number) => Ok(Value::Int(number.saturating_abs())),
        _ => Ok(Value::Float(a.float(0)?.abs())),
    }),
    Row("math.ceil", 1, |a| whole(a.float(0)?.ceil())),
    Row("math.floor", 1, |a| whole(a.float(0)?.floor())),
    Row("math.round", 1, |a| {
        let digits = i32::try_from(a.number(1).unwrap_or_default().clamp(0, 15)).unwrap_or_default();
        let factor = 10_f64.powi(digits);
        Ok(Value::Float((a.float(0)? * factor).round_ties_even() / factor))
    }),
    Row("math.plus", 2, |a| operators::binary(super::ast::Operator::Add, a.get(0), a.get(1))),
    Row("math.minus", 2, |a| operators::binary(super::ast::Operator::Subtract, a.get(0), a.get(1))),
    Row("math.times", 2, |a| operators::binary(super::ast::Operator::Multiply, a.get(0), a.get(1))),
    Row("math.divided_by", 2, |a| operators::binary(super::ast::Operator::DivideWhole, a.get(0), a.get(1))),
    Row("math.modulo", 2, |a| operators::binary(super::ast::Operator::Remainder, a.get(0), a.get(1))),
    Row("math.is_number", 1, |a| bool(a.get(0).as_float().is_some())),
    Row("html.escape", 1, |a| text(html_escaped(&a.text(0)))),
    Row("html.newline_to_br", 1, |a| text(a.text(0).replace("\r\n", "\n").replace('\n', "<br />\n"))),
    Row("regex.escape", 1, |a| text(regex::escape(&a.text(0)))),
    Row("regex.replace", 3, |a| text(a.pattern(1)?.replace_all(&a.text(0), a.text(2).as_str()).into_owned())),
    Row("regex.split", 2, |a| list(a.pattern(1)?.split(&a.text(0)).map(Value::text))),
    Row("regex.match", 2, |a| {
        let (pattern, subject) = (a.pattern(1)?, a.text(0));
        let groups = pattern.captures(&subject);
        list(
            groups.iter().flat_map(regex::Captures::iter).map(|it| Value::optional(it.map(|it| it.as_str()))),
        )
    }),
    Row("regex.matches", 2, |a| {
        let (pattern, subject) = (a.pattern(1)?, a.text(0));
        list(pattern.find_iter(&subject).map(|it| Value::list([Value::text(it.as_str())])))
    }),
];

fn members(value: &Value) -> Vec<(String, Value)> {
    match value {
        Value::Object(members) => members.iter().map(|(name, value)| (name.clone(), value.clone())).collect(),
        _ => Vec::new(),
    }
}

fn member(value: &Value, name: &str) -> Value {
    match value {
        Value::Object(members) => members.get(name).cloned().unwrap_or_default(),
        _ => Value::Null,
    }
}

fn whole(number: f64) -> Result<Value, String> {
    #[expect(clippy::cast_possible_truncation, reason = "what does not fit is cut off at the bounds")]
    Ok(Value::Int(number as i64))
}

fn capitalized(text: impl AsRef<str>) -> String {
    let mut chars = text.as_ref().chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

fn removed_last(whole: &str, part: &str) -> String {
    match whole.rfind(part) {
        Some(at) => {
            let (before, after) = whole.split_at(at);
            format!("{before}{}", after.strip_prefix(part).unwrap_or(after))
        }
        None => whole.to_owned(),
    }
}

/// A part of a text by its start, which may count from the end, and its length.
fn slice(arguments: &Arguments<'_>, default: Option<usize>) -> Result<Value, String> {
    let whole: Vec<char> = arguments.text(0).chars().collect();
    let start = arguments.number(1)?;
    let start = match usize::try_from(start) {
        Ok(start) => start,
        Err(_) => whole.len().saturating_sub(usize::try_from(start.unsigned_abs()).unwrap_or(usize::MAX)),
    };
    let length = match default {
        Some(length) => length,
        None => usize::try_from(arguments.number(2)?).unwrap_or_default(),
    };
    text(whole.into_iter().skip(start).take(length).collect::<String>())
}

fn truncate(arguments: &Arguments<'_>) -> Result<Value, String> {
    let whole = arguments.text(0);
    let length = usize::try_from(arguments.number(1)?).unwrap_or_default();
    if whole.chars().count() <= length {
        return text(whole);
    }
    let mark = if arguments.get(2).is_null() { "...".to_owned() } else { arguments.text(2) };
    let kept = length.saturating_sub(mark.chars().count());
    text(whole.chars().take(kept).chain(mark.chars()).collect::<String>())
}

fn truncate_words(arguments: &Arguments<'_>) -> Result<Value, String> {
    let whole = arguments.text(0);
    let words: Vec<&str> = whole.split_whitespace().collect();
    let kept = usize::try_from(arguments.number(1)?).unwrap_or_default();
    let mark = if arguments.get(2).is_null() { "...".to_owned() } else { arguments.text(2) };
    let shown = words.iter().take(kept).copied().collect::<Vec<_>>().join(" ");
    text(if words.len() > kept { shown + &mark } else { shown })
}

fn pad(arguments: &Arguments<'_>, is_left: bool) -> Result<Value, String> {
    let whole = arguments.text(0);
    let width = usize::try_from(arguments.number(1)?).unwrap_or_default();
    if width > MAX_TEXT {
        return Err(TEXT_TOO_LONG.to_owned());
    }
    text(if is_left { format!("{whole:>width$}") } else { format!("{whole:<width$}") })
}

/// Words in small letters with `-` between them.
fn handle(whole: &str) -> String {
    let mut result = String::new();
    for c in whole.chars() {
        if c.is_alphanumeric() || c == '.' {
            result.extend(c.to_lowercase());
        } else if !result.is_empty() && !result.ends_with('-') {
            result.push('-');
        }
    }
    result.trim_end_matches('-').to_owned()
}

fn escaped(whole: &str) -> String {
    let mut result = String::new();
    for c in whole.chars() {
        match c {
            '\n' => result.push_str("\\n"),
            '\r' => result.push_str("\\r"),
            '\t' => result.push_str("\\t"),
            '"' | '\\' => result.extend(['\\', c]),
            _ => result.push(c),
        }
    }
    result
}

fn html_escaped(whole: &str) -> String {
    let mut result = String::new();
    for c in whole.chars() {
        match c {
            '&' => result.push_str("&amp;"),
            '<' => result.push_str("&lt;"),
            '>' => result.push_str("&gt;"),
            '"' => result.push_str("&quot;"),
            '\'' => result.push_str("&#39;"),
            _ => result.push(c),
        }
    }
    result
}

/// In order, by a member where one is named. What cannot be compared keeps its order.
fn sort(arguments: &Arguments<'_>) -> Result<Value, String> {
    let mut items = arguments.list(0);
    let name = arguments.text(1);
    let key = |item: &Value| if name.is_empty() { item.clone() } else { member(item, &name) };
    items.sort_by(|a, b| order(&key(a), &key(b)));
    list(items)
}

/// A total order: first by kind, then by value.
fn order(a: &Value, b: &Value) -> Ordering {
    let rank = |value: &Value| match value {
        Value::Null => 0,
        Value::Bool(_) => 1,
        Value::Int(_) | Value::Float(_) => 2,
        Value::Text(_) => 3,
        Value::List(_) => 4,
        Value::Object(_) | Value::Function(_) => 5,
    };
    match (a.as_float(), b.as_float()) {
        (Some(x), Some(y)) => x.total_cmp(&y),
        _ => rank(a).cmp(&rank(b)).then_with(|| operators::compare(a, b).unwrap_or(Ordering::Equal)),
    }
}
