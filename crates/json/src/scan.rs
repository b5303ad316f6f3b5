//! Single tokens: white space, comments, texts, numbers, words. Each function starts at the current position, leaves
//! it behind what it read, and reports what is wrong with it.

use std::borrow::Cow;

use base::{Diagnostic, TextRange};
use serde_json::Number;

use crate::{Comment, Options, messages};

/// A position in a text, and what was noticed on the way there.
pub(crate) struct Scanner<'t> {
    text: &'t str,
    pos: usize,
    options: Options,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) comments: Vec<Comment>,
}

/// Broken files can hold a mistake per byte; nobody reads more than this.
const MOST_DIAGNOSTICS: usize = 100;

impl<'t> Scanner<'t> {
    pub(crate) fn new(text: &'t str, options: Options) -> Self {
        let pos = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Self { text, pos, options, diagnostics: Vec::new(), comments: Vec::new() }
    }

    pub(crate) fn options(&self) -> Options {
        self.options
    }

    pub(crate) fn pos(&self) -> usize {
        self.pos
    }

    pub(crate) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.pos).copied()
    }

    /// Steps over one ASCII character.
    pub(crate) fn bump(&mut self) {
        self.pos += 1;
    }

    /// The range of the character at the current position; empty at the end.
    pub(crate) fn here(&self) -> TextRange {
        let length = self.rest().chars().next().map_or(0, char::len_utf8);
        range(self.pos, self.pos + length)
    }

    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        match self.diagnostics.len() {
            ..MOST_DIAGNOSTICS => self.diagnostics.push(diagnostic),
            MOST_DIAGNOSTICS => self.diagnostics.push(messages::too_many(diagnostic.range)),
            _ => {}
        }
    }

    /// Steps over white space and comments.
    #[inline]
    pub(crate) fn trivia(&mut self) {
        if self.peek().is_none_or(|byte| byte <= b' ' || byte == b'/' || !byte.is_ascii()) {
            self.skip_trivia();
        }
    }

    fn skip_trivia(&mut self) {
        loop {
            self.blanks();
            let Some(byte) = self.peek() else { return };
            match byte {
                b'/' if self.comment() => {}
                0x0b | 0x0c | 0x80.. if self.odd_space() => {}
                _ => return,
            }
        }
    }

    /// Steps over plain white space.
    fn blanks(&mut self) {
        let mut rest = self.text.as_bytes().get(self.pos..).unwrap_or_default();
        let length = rest.len();
        while let Some((b' ' | b'\n' | b'\t' | b'\r', behind)) = rest.split_first() {
            // Half of a template that was printed is indentation.
            rest = behind.get(indentation(behind)..).unwrap_or_default();
        }
        self.pos += length - rest.len();
    }

    fn comment(&mut self) -> bool {
        let start = self.pos;
        let rest = self.rest();
        let (length, closed) = if rest.starts_with("//") {
            (rest.find(['\n', '\r']).unwrap_or(rest.len()), true)
        } else if let Some(inner) = rest.strip_prefix("/*") {
            inner.find("*/").map_or((rest.len(), false), |end| (end + 4, true))
        } else {
            return false;
        };
        self.pos += length;
        let range = range(start, self.pos);
        self.comments.push(Comment { range });
        if !closed {
            self.report(messages::comment_not_closed(range));
        } else if !self.options.comments {
            self.report(messages::comment(range));
        }
        true
    }

    fn odd_space(&mut self) -> bool {
        let Some(space) = self.rest().chars().next().filter(|c| c.is_whitespace()) else { return false };
        if !self.options.any_whitespace {
            self.report(messages::unexpected(self.here(), &space.escape_unicode().to_string()));
        }
        self.pos += space.len_utf8();
        true
    }

    /// A text in quotes: what it says, and where it stands.
    pub(crate) fn string(&mut self) -> (Cow<'t, str>, TextRange) {
        let start = self.pos;
        let quote = self.peek().unwrap_or(b'"');
        self.pos += 1;
        let plain = self.plain_run(quote);
        let text = if self.peek() == Some(quote) {
            self.pos += 1;
            Cow::Borrowed(plain)
        } else {
            let mut text = plain.to_owned();
            self.rest_of_string(quote, start, &mut text);
            Cow::Owned(text)
        };
        let range = range(start, self.pos);
        if quote == b'\'' && !self.options.single_quotes {
            self.report(messages::single_quotes(range));
        }
        (text, range)
    }

    /// The characters up to the next one that means something inside a text.
    fn plain_run(&mut self, quote: u8) -> &'t str {
        let rest = self.rest();
        let special = |byte: u8| byte == quote || byte == b'\\' || byte < b' ';
        let length = match self.options.multiline_strings {
            // Line ends are characters like others.
            true => memchr::memchr2(quote, b'\\', rest.as_bytes()),
            false => rest.bytes().position(special),
        };
        let length = length.unwrap_or(rest.len());
        self.pos += length;
        rest.get(..length).unwrap_or_default()
    }

    fn rest_of_string(&mut self, quote: u8, start: usize, text: &mut String) {
        loop {
            match self.peek() {
                Some(byte) if byte == quote => {
                    self.pos += 1;
                    return;
                }
                Some(b'\\') => self.escape(text),
                Some(byte) if self.options.multiline_strings || !matches!(byte, b'\n' | b'\r') => {
                    if !self.options.multiline_strings {
                        self.report(messages::control_character(self.here(), byte));
                    }
                    text.push(char::from(byte));
                    self.pos += 1;
                }
                _ => return self.report(messages::text_not_closed(range(start, self.pos))),
            }
            text.push_str(self.plain_run(quote));
        }
    }

    fn escape(&mut self, text: &mut String) {
        let start = self.pos;
        self.pos += 1;
        let Some(c) = self.rest().chars().next() else {
            return self.report(messages::bad_escape(range(start, self.pos)));
        };
        if matches!(c, '\n' | '\r') {
            // The line end is judged by the caller: it may close the text.
            return self.report(messages::bad_escape(range(start, self.pos)));
        }
        self.pos += c.len_utf8();
        match c {
            '"' | '\\' | '/' => text.push(c),
            'b' => text.push('\u{8}'),
            'f' => text.push('\u{c}'),
            'n' => text.push('\n'),
            'r' => text.push('\r'),
            't' => text.push('\t'),
            'u' => text.push(self.unicode_escape(start)),
            '\'' if self.options.single_quotes => text.push(c),
            _ => {
                text.push(c);
                self.report(messages::bad_escape(range(start, self.pos)));
            }
        }
    }

    /// What follows `\u`: one unit, or two that make up a character.
    fn unicode_escape(&mut self, start: usize) -> char {
        let Some(unit) = self.hex_unit() else {
            self.report(messages::bad_escape(range(start, self.pos)));
            return char::REPLACEMENT_CHARACTER;
        };
        if let Some(c) = char::from_u32(unit) {
            return c;
        }
        let after_first = self.pos;
        if unit < 0xdc00 && self.rest().starts_with("\\u") {
            self.pos += 2;
            if let Some(low @ 0xdc00..0xe000) = self.hex_unit() {
                let code = 0x1_0000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
                return char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
            }
            self.pos = after_first;
        }
        self.report(messages::lone_surrogate(range(start, self.pos)));
        char::REPLACEMENT_CHARACTER
    }

    /// Four hexadecimal digits; on failure the position is behind those that are there.
    fn hex_unit(&mut self) -> Option<u32> {
        let mut unit = 0;
        for _ in 0..4 {
            unit = unit * 16 + char::from(self.peek()?).to_digit(16)?;
            self.pos += 1;
        }
        Some(unit)
    }

    /// The digits of a number as they were written, or nothing when they are no number.
    pub(crate) fn digits(&mut self) -> (Option<&'t str>, TextRange) {
        let (found, range) = self.number_text();
        let is_number = number_form(found.as_bytes(), self.options.half_fractions).is_some();
        if !is_number {
            self.report(messages::bad_number(range, found));
        }
        (is_number.then_some(found), range)
    }

    fn number_text(&mut self) -> (&'t str, TextRange) {
        let start = self.pos;
        let found = self.take_while(|c| is_name_char(c) || matches!(c, '+' | '-' | '.'));
        (found, range(start, self.pos))
    }

    /// A number, or nothing when it cannot be told what number was meant.
    pub(crate) fn number(&mut self) -> (Option<Number>, TextRange) {
        let (found, range) = self.number_text();
        let form = number_form(found.as_bytes(), self.options.half_fractions);
        if form == Some(Form::Integer)
            && let Some(integer) = integer(found)
        {
            return (Some(integer), range);
        }
        let double = found.parse().ok().and_then(Number::from_f64).filter(|_| form.is_some());
        match (form, &double) {
            (None, _) => self.report(messages::bad_number(range, found)),
            (_, None) => self.report(messages::number_too_large(range)),
            (Some(Form::Integer), _) => self.report(messages::integer_rounded(range)),
            (Some(Form::Fraction), _) => {}
        }
        (double, range)
    }

    /// Characters without meaning of their own, at least one.
    pub(crate) fn word(&mut self) -> (&'t str, TextRange) {
        let start = self.pos;
        let found = self.take_while(|c| !c.is_whitespace() && !",:[]{}\"'/".contains(c));
        if !found.is_empty() {
            return (found, range(start, self.pos));
        }
        let range = self.here();
        self.pos = usize::from(range.end());
        (self.text.get(start..self.pos).unwrap_or_default(), range)
    }

    /// A name without quotes; nothing when there is no such name.
    pub(crate) fn bare_name(&mut self) -> Option<(Cow<'t, str>, TextRange)> {
        let start = self.pos;
        let name = self.take_while(is_name_char);
        if name.is_empty() {
            return None;
        }
        let range = range(start, self.pos);
        if !self.options.unquoted_keys {
            self.report(messages::unquoted_name(range, name));
        }
        Some((Cow::Borrowed(name), range))
    }

    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let length = rest.find(|c| !wanted(c)).unwrap_or(rest.len());
        self.pos += length;
        rest.get(..length).unwrap_or_default()
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.pos..).unwrap_or_default()
    }
}

/// A range of offsets. Texts whose offsets do not fit are refused before anything is read.
pub(crate) fn range(start: usize, end: usize) -> TextRange {
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX).into();
    TextRange::new(offset(start), offset(end))
}

/// How many spaces there are at the start, looked at eight at a time.
fn indentation(bytes: &[u8]) -> usize {
    let mut count = 0;
    for eight in bytes.as_chunks::<8>().0 {
        let others = u64::from_le_bytes(*eight) ^ u64::from_le_bytes([b' '; 8]);
        if others != 0 {
            return count + others.trailing_zeros() as usize / 8;
        }
        count += 8;
    }
    count
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

#[derive(PartialEq, Clone, Copy)]
enum Form {
    Integer,
    Fraction,
}

/// Which of the two forms of RFC 8259 a text has, if any; a side of the point may be left out where that is taken.
fn number_form(found: &[u8], half_fractions: bool) -> Option<Form> {
    let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let unsigned = found.strip_prefix(b"-").unwrap_or(found);
    let whole = digits(unsigned);
    let mut rest = unsigned.get(whole..)?;
    let is_half = half_fractions && rest.starts_with(b".");
    if (whole == 0 && !is_half) || (whole > 1 && unsigned.first() == Some(&b'0')) {
        return None;
    }
    if rest.is_empty() {
        return Some(Form::Integer);
    }
    if let Some(fraction) = rest.strip_prefix(b".") {
        let length = digits(fraction);
        rest = fraction.get(length..).filter(|_| length > 0 || (is_half && whole > 0))?;
    }
    if let Some(exponent) = rest.strip_prefix(b"e").or_else(|| rest.strip_prefix(b"E")) {
        let exponent =
            exponent.strip_prefix(b"+").or_else(|| exponent.strip_prefix(b"-")).unwrap_or(exponent);
        let length = digits(exponent);
        rest = exponent.get(length..).filter(|_| length > 0)?;
    }
    rest.is_empty().then_some(Form::Fraction)
}

fn integer(found: &str) -> Option<Number> {
    match found.parse::<i64>() {
        Ok(value) => Some(value.into()),
        Err(_) => found.parse::<u64>().ok().map(Number::from),
    }
}
