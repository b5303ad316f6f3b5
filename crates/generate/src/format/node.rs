//! Values as they cross between a script and a format: JSON text comes in, a tree that borrows from it goes out.
//!
//! Numbers stay text, because JavaScript and the formats agree on every digit but not on what an integer is.
//! Object members keep the order of the text; each format sorts as it must.

use std::borrow::Cow;
use std::fmt;

/// How deeply values may nest. Deeper ones are refused, so that no later step can exhaust the stack.
pub const MAX_DEPTH: usize = 512;

/// One JSON value.
#[derive(Debug, Clone, PartialEq)]
pub enum Node<'a> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, exactly as it was written.
    Number(Cow<'a, str>),
    /// A string, unescaped.
    String(Cow<'a, str>),
    /// An array.
    Array(Vec<Node<'a>>),
    /// An object; of members with one name the last one counts.
    Object(Vec<(Cow<'a, str>, Node<'a>)>),
}

/// Why a text is not JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonError {
    /// What is wrong.
    pub message: String,
    /// At which byte.
    pub offset: usize,
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (at byte {})", self.message, self.offset)
    }
}

/// Parses a text that holds exactly one value.
pub fn parse(text: &str) -> Result<Node<'_>, JsonError> {
    let mut parser = Parser { text, at: 0 };
    let node = parser.value(0)?;
    parser.skip_space();
    if parser.at < text.len() {
        return Err(parser.error("unexpected text after the value"));
    }
    Ok(node)
}

/// Parses the first value of a text; the rest is not looked at. Also says where the value ends.
pub fn parse_first(text: &str) -> Result<(Node<'_>, usize), JsonError> {
    let mut parser = Parser { text, at: 0 };
    let node = parser.value(0)?;
    Ok((node, parser.at))
}

/// Parses a sequence of values with white space between them, or nothing.
pub fn parse_stream(text: &str) -> Result<Vec<Node<'_>>, JsonError> {
    let mut parser = Parser { text, at: 0 };
    let mut nodes = Vec::new();
    loop {
        parser.skip_space();
        if parser.at >= text.len() {
            return Ok(nodes);
        }
        nodes.push(parser.value(0)?);
    }
}

impl Node<'_> {
    /// The same value without borrowed text.
    pub fn into_owned(self) -> Node<'static> {
        let own = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        match self {
            Self::Null => Node::Null,
            Self::Bool(value) => Node::Bool(value),
            Self::Number(text) => Node::Number(own(text)),
            Self::String(text) => Node::String(own(text)),
            Self::Array(items) => Node::Array(items.into_iter().map(Node::into_owned).collect()),
            Self::Object(members) => {
                Node::Object(members.into_iter().map(|(key, value)| (own(key), value.into_owned())).collect())
            }
        }
    }

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

/// Members in the order that `less` wants, each name once with its last value.
pub(crate) fn sorted<'n, 'a>(
    members: &'n [(Cow<'a, str>, Node<'a>)],
    compare: impl Fn(&str, &str) -> std::cmp::Ordering,
) -> Vec<&'n (Cow<'a, str>, Node<'a>)> {
    let mut order: Vec<_> = members.iter().collect();
    order.sort_by(|a, b| compare(&a.0, &b.0));
    // The sort is stable: among members of one name the last one is the one that counts.
    let mut unique: Vec<&'n (Cow<'a, str>, Node<'a>)> = Vec::with_capacity(order.len());
    for member in order {
        match unique.last_mut() {
            Some(last) if last.0 == member.0 => *last = member,
            _ => unique.push(member),
        }
    }
    unique
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Parser<'a> {
    fn value(&mut self, depth: usize) -> Result<Node<'a>, JsonError> {
        if depth > MAX_DEPTH {
            return Err(self.error(&format!("the value is nested deeper than {MAX_DEPTH} levels")));
        }
        self.skip_space();
        match self.peek() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"') => self.string().map(Node::String),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true", Node::Bool(true)),
            Some(b'f') => self.word("false", Node::Bool(false)),
            Some(b'n') => self.word("null", Node::Null),
            Some(_) => Err(self.error("a value is expected here")),
            None => Err(self.error("the text ends where a value is expected")),
        }
    }

    fn object(&mut self, depth: usize) -> Result<Node<'a>, JsonError> {
        self.at += 1;
        let mut members = Vec::new();
        self.skip_space();
        if self.eat(b'}') {
            return Ok(Node::Object(members));
        }
        loop {
            self.skip_space();
            if self.peek() != Some(b'"') {
                return Err(self.error("a member name in double quotes is expected here"));
            }
            let key = self.string()?;
            self.skip_space();
            if !self.eat(b':') {
                return Err(self.error("':' is expected after the member name"));
            }
            members.push((key, self.value(depth + 1)?));
            self.skip_space();
            if self.eat(b'}') {
                return Ok(Node::Object(members));
            }
            if !self.eat(b',') {
                return Err(self.error("',' or '}' is expected after the member"));
            }
        }
    }

    fn array(&mut self, depth: usize) -> Result<Node<'a>, JsonError> {
        self.at += 1;
        let mut items = Vec::new();
        self.skip_space();
        if self.eat(b']') {
            return Ok(Node::Array(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.skip_space();
            if self.eat(b']') {
                return Ok(Node::Array(items));
            }
            if !self.eat(b',') {
                return Err(self.error("',' or ']' is expected after the item"));
            }
        }
    }

    fn string(&mut self) -> Result<Cow<'a, str>, JsonError> {
        self.at += 1;
        let start = self.at;
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(self.at) {
                Some(b'"') => {
                    let text = self.text.get(start..self.at).unwrap_or_default();
                    self.at += 1;
                    return Ok(Cow::Borrowed(text));
                }
                Some(b'\\') => return self.escaped_string(start).map(Cow::Owned),
                Some(0..=0x1f) => return Err(self.error("control characters in strings must be escaped")),
                Some(_) => self.at += 1,
                None => return Err(self.error("the string is not closed")),
            }
        }
    }

    fn escaped_string(&mut self, start: usize) -> Result<String, JsonError> {
        let mut text = self.text.get(start..self.at).unwrap_or_default().to_owned();
        loop {
            let run = self.at;
            while !matches!(self.peek(), Some(b'"' | b'\\' | 0..=0x1f) | None) {
                self.at += 1;
            }
            text.push_str(self.text.get(run..self.at).unwrap_or_default());
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(text);
                }
                Some(b'\\') => {
                    self.at += 1;
                    text.push(self.escape()?);
                }
                Some(_) => return Err(self.error("control characters in strings must be escaped")),
                None => return Err(self.error("the string is not closed")),
            }
        }
    }

    fn escape(&mut self) -> Result<char, JsonError> {
        let letter = self.peek();
        self.at += 1;
        Ok(match letter {
            Some(letter @ (b'"' | b'\\' | b'/')) => char::from(letter),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(),
            _ => return Err(self.error("unknown escape in a string")),
        })
    }

    /// A lone surrogate becomes the replacement character, as it does in Go.
    fn unicode_escape(&mut self) -> Result<char, JsonError> {
        let first = self.hex4()?;
        if (0xD800..0xDC00).contains(&first) {
            let rest = self.text.as_bytes().get(self.at..self.at + 2);
            if rest == Some(b"\\u") {
                let back = self.at;
                self.at += 2;
                let second = self.hex4()?;
                if (0xDC00..0xE000).contains(&second) {
                    let code = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
                    return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
                }
                self.at = back;
            }
        }
        Ok(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn hex4(&mut self) -> Result<u32, JsonError> {
        let digits = self.text.get(self.at..self.at + 4);
        match digits.filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit())).map(|d| u32::from_str_radix(d, 16))
        {
            Some(Ok(code)) => {
                self.at += 4;
                Ok(code)
            }
            _ => Err(self.error("four hexadecimal digits are expected after \\u")),
        }
    }

    fn number(&mut self) -> Result<Node<'a>, JsonError> {
        let start = self.at;
        self.eat(b'-');
        match self.peek() {
            Some(b'0') => self.at += 1,
            Some(b'1'..=b'9') => self.digits(),
            _ => return Err(self.error("a digit is expected here")),
        }
        if self.eat(b'.') {
            self.some_digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.some_digits()?;
        }
        Ok(Node::Number(Cow::Borrowed(self.text.get(start..self.at).unwrap_or_default())))
    }

    fn some_digits(&mut self) -> Result<(), JsonError> {
        if !matches!(self.peek(), Some(b'0'..=b'9')) {
            return Err(self.error("a digit is expected here"));
        }
        self.digits();
        Ok(())
    }

    fn digits(&mut self) {
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
    }

    fn word(&mut self, word: &str, node: Node<'a>) -> Result<Node<'a>, JsonError> {
        if self.text.get(self.at..).is_some_and(|rest| rest.starts_with(word)) {
            self.at += word.len();
            return Ok(node);
        }
        Err(self.error("a value is expected here"))
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn error(&self, message: &str) -> JsonError {
        JsonError { message: message.to_owned(), offset: self.at.min(self.text.len()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_error(text: &str, message: &str, offset: usize) {
        let error = parse(text).expect_err(text);
        assert_eq!((error.message.as_str(), error.offset), (message, offset), "{text}");
    }

    #[test]
    fn values_keep_order_and_digits() {
        let node = parse(r#" {"b": [1e+21, -0.5], "a": "x\u00e9\n", "c": null} "#).unwrap();
        let Node::Object(members) = &node else { panic!("{node:?}") };
        assert_eq!(members.iter().map(|(key, _)| &**key).collect::<Vec<_>>(), ["b", "a", "c"]);
        assert_eq!(node.get("a").and_then(Node::as_str), Some("xé\n"));
        assert_eq!(
            node.get("b"),
            Some(&Node::Array(vec![Node::Number("1e+21".into()), Node::Number("-0.5".into())]))
        );
    }

    #[test]
    fn surrogates_pair_or_are_replaced() {
        assert_eq!(parse(r#""\ud83d\ude00 \ud83d!""#).unwrap(), Node::String("😀 \u{fffd}!".into()));
    }

    #[test]
    fn errors_say_what_and_where() {
        check_error("", "the text ends where a value is expected", 0);
        check_error("[1,]", "a value is expected here", 3);
        check_error("{\"a\" 1}", "':' is expected after the member name", 5);
        check_error("1 2", "unexpected text after the value", 2);
        check_error("\"a", "the string is not closed", 2);
        check_error("01", "unexpected text after the value", 1);
        check_error(&"[".repeat(5000), "the value is nested deeper than 512 levels", 513);
    }

    #[test]
    fn streams_hold_any_number_of_values() {
        assert_eq!(parse_stream(" \n").unwrap(), []);
        assert_eq!(parse_stream("1\n[]\"a\"").unwrap().len(), 3);
        assert_eq!(parse_first("{} trailing").unwrap().1, 2);
    }

    #[test]
    fn the_last_of_equal_names_counts() {
        let Node::Object(members) = parse(r#"{"b":1,"a":1,"b":2}"#).unwrap() else { panic!() };
        let names: Vec<_> =
            sorted(&members, str::cmp).into_iter().map(|(k, v)| format!("{k}{v:?}")).collect();
        assert_eq!(names, [r#"aNumber("1")"#, r#"bNumber("2")"#]);
    }
}
