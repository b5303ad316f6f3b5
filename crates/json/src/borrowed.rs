//! Values that borrow from the text they were read from, for data that is read to be written again. Numbers keep their
//! digits, members their order and repetitions; nothing knows its range.
//!
//! Only RFC 8259 is read, and the first error ends the reading. A lone surrogate becomes U+FFFD.

use std::borrow::Cow;

use base::{Diagnostic, Severity, TextRange, TextSize};

use crate::parser::{Name, Parser, TreeValue};
use crate::scan::Scanner;
use crate::{Options, messages};

/// A JSON value.
#[derive(Debug, Clone, PartialEq)]
pub enum Value<'t> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, exactly as it was written.
    Number(Cow<'t, str>),
    /// A text, unescaped.
    String(Cow<'t, str>),
    Array(Vec<Self>),
    /// An object; of members with one name the last one counts.
    Object(Vec<(Cow<'t, str>, Self)>),
}

/// How deeply values may nest. Deeper ones are refused, so that no later step can exhaust the stack.
pub const MAX_DEPTH: usize = Options::strict().max_depth as usize;

/// Reads a text that holds exactly one value.
pub fn parse(text: &str) -> Result<Value<'_>, Diagnostic> {
    let mut parser = parser_of(text)?;
    let value = parser.document();
    finish(&mut parser, value)
}

/// Reads the first value of a text, and says where it ends; the rest is not looked at.
pub fn parse_first(text: &str) -> Result<(Value<'_>, usize), Diagnostic> {
    let mut parser = parser_of(text)?;
    let value = parser.next_value();
    let value = finish(&mut parser, value)?;
    Ok((value, parser.scan.pos()))
}

/// Reads a sequence of values with white space between them, or nothing.
pub fn parse_stream(text: &str) -> Result<Vec<Value<'_>>, Diagnostic> {
    let mut parser = parser_of(text)?;
    let mut values = Vec::new();
    loop {
        parser.scan.trivia();
        if parser.scan.peek().is_none() {
            return Ok(values);
        }
        let value = parser.next_value();
        values.push(finish(&mut parser, value)?);
    }
}

fn parser_of(text: &str) -> Result<Parser<'_, Value<'_>>, Diagnostic> {
    if u32::try_from(text.len()).is_err() {
        return Err(messages::text_too_large());
    }
    Ok(Parser::new(text, Options::strict()))
}

/// The value, or the first error on the way to it.
fn finish<'t>(parser: &mut Parser<'t, Value<'t>>, value: Option<Value<'t>>) -> Result<Value<'t>, Diagnostic> {
    match std::mem::take(&mut parser.scan.diagnostics).into_iter().find(is_error) {
        Some(error) => Err(error),
        None => Ok(value.unwrap_or(Value::Null)),
    }
}

fn is_error(diagnostic: &Diagnostic) -> bool {
    diagnostic.severity == Severity::Error
}

impl<'t> TreeValue<'t> for Value<'t> {
    type Member = (Cow<'t, str>, Self);

    fn null(_: TextRange) -> Self {
        Self::Null
    }

    fn bool(_: TextRange, value: bool) -> Self {
        Self::Bool(value)
    }

    fn string(_: TextRange, text: Cow<'t, str>) -> Self {
        Self::String(text)
    }

    fn number(scan: &mut Scanner<'t>) -> Self {
        scan.digits().0.map_or(Self::Null, |digits| Self::Number(Cow::Borrowed(digits)))
    }

    fn array(_: TextRange, items: Vec<Self>) -> Self {
        Self::Array(items)
    }

    fn object(_: TextRange, members: Vec<Self::Member>, _: &mut Scanner<'t>) -> Self {
        Self::Object(members)
    }

    fn member(name: Name<'t>, value: Self) -> Self::Member {
        (name.text, value)
    }

    fn value_of(member: &Self::Member) -> &Self {
        &member.1
    }

    fn end(&self) -> Option<TextSize> {
        None
    }
}

impl Value<'_> {
    /// The member of an object.
    pub fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Object(members) => {
                members.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value)
            }
            _ => None,
        }
    }

    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_error(text: &str, code: &str, offset: u32) {
        let error = parse(text).expect_err(text);
        assert_eq!(
            (error.code.to_string().as_str(), u32::from(error.range.start())),
            (code, offset),
            "{text}"
        );
    }

    #[test]
    fn values_keep_order_and_digits() {
        let value = parse(r#" {"b": [1e+21, -0.5], "a": "x\u00e9\n", "c": null} "#).unwrap();
        let Value::Object(members) = &value else { panic!("{value:?}") };
        assert_eq!(members.iter().map(|(key, _)| &**key).collect::<Vec<_>>(), ["b", "a", "c"]);
        assert_eq!(value.get("a").and_then(Value::as_str), Some("xé\n"));
        let numbers = ["1e+21", "-0.5"].map(|digits| Value::Number(digits.into()));
        assert_eq!(value.get("b"), Some(&Value::Array(numbers.to_vec())));
    }

    #[test]
    fn text_is_borrowed_where_it_can_be() {
        let is_borrowed = |text| matches!(parse(text), Ok(Value::String(Cow::Borrowed(_))));
        assert!(is_borrowed(r#""plain""#) && !is_borrowed(r#""a\n""#));
    }

    #[test]
    fn surrogates_pair_or_are_replaced() {
        assert_eq!(parse(r#""\ud83d\ude00 \ud83d!""#).unwrap(), Value::String("😀 \u{fffd}!".into()));
    }

    #[test]
    fn the_first_error_counts() {
        check_error("", "JSON001", 0);
        check_error("[1,]", "JSON010", 2);
        check_error("{\"a\" 1}", "JSON006", 5);
        check_error("1 2", "JSON002", 2);
        check_error("\"a", "JSON015", 0);
        check_error("01", "JSON019", 0);
        check_error("{'a': 1} // b", "JSON013", 1);
        check_error(&"[".repeat(5000), "JSON023", 512);
    }

    #[test]
    fn streams_hold_any_number_of_values() {
        assert_eq!(parse_stream(" \n").unwrap(), []);
        assert_eq!(parse_stream("1\n[]\"a\"").unwrap().len(), 3);
        assert_eq!(parse_first("{} trailing").unwrap().1, 2);
    }
}
