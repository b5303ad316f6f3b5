//! From the text of string tokens to the values they stand for.

use std::borrow::Cow;

/// What a backslash and the characters after it are.
pub(crate) enum Escape {
    /// A known escape, its length in bytes and what it stands for.
    Valid { length: usize, value: Option<char>, opens_hole: bool },
    /// `\u` without a code point in braces. It is cut off when the text ends before the escape does.
    BadUnicode { length: usize, is_cut_off: bool },
    /// No escape at all.
    Unknown { length: usize },
}

/// Reads the escape at the start of a text that begins with a backslash and has something after it.
pub(crate) fn scan_escape(text: &str) -> Escape {
    let Some(c) = text[1..].chars().next() else { return Escape::Unknown { length: 1 } };
    let value = match c {
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        '\\' | '\'' => c,
        '$' => {
            let opens_hole = text[2..].starts_with('{');
            return Escape::Valid { length: 2 + usize::from(opens_hole), value: Some('$'), opens_hole };
        }
        'u' => return scan_unicode_escape(text),
        _ => return Escape::Unknown { length: 1 + c.len_utf8() },
    };
    Escape::Valid { length: 2, value: Some(value), opens_hole: false }
}

fn scan_unicode_escape(text: &str) -> Escape {
    if !text[2..].starts_with('{') {
        return Escape::BadUnicode { length: 2, is_cut_off: text.len() == 2 };
    }
    let digits = text[3..].bytes().take_while(u8::is_ascii_hexdigit).count();
    let end = 3 + digits;
    if digits == 0 || !text[end..].starts_with('}') {
        return Escape::BadUnicode { length: end, is_cut_off: text.len() == end };
    }
    let length = end + 1;
    match u32::from_str_radix(&text[3..end], 16) {
        // Half of a surrogate pair cannot stand in UTF-8; it is read as the replacement character.
        Ok(code) if code <= 0x10_FFFF => {
            Escape::Valid { length, value: char::from_u32(code), opens_hole: false }
        }
        _ => Escape::BadUnicode { length, is_cut_off: false },
    }
}

/// The quotes, dollars and braces around the content of one string token.
pub(crate) struct Delimiters {
    pub(crate) is_block: bool,
    pub(crate) dollars: usize,
}

impl Delimiters {
    /// What the first token of a string says about all of them.
    pub(crate) fn of_first_token(text: &str) -> Self {
        let bytes = text.as_bytes();
        let is_block = bytes.len() > 2 && (bytes.first() == Some(&b'$') || bytes.get(1) == Some(&b'\''));
        let dollars = if is_block { text.bytes().take_while(|byte| *byte == b'$').count() } else { 0 };
        Self { is_block, dollars }
    }

    /// The content of a token between its delimiters; `None` when one of them is missing.
    fn content<'t>(&self, text: &'t str, place: TokenPosition) -> Option<&'t str> {
        let start = match (place.is_first, self.is_block) {
            (true, true) => self.dollars + 3,
            (true, false) | (false, _) => 1,
        };
        let end = match (place.is_last, self.is_block) {
            (true, false) => 1,
            (true, true) => 3,
            (false, false) => 2,
            (false, true) => self.dollars + 1,
        };
        if text.len() < start + end {
            return None;
        }
        let (head, rest) = text.split_at_checked(start)?;
        let (content, tail) = rest.split_at_checked(rest.len() - end)?;
        let opens = if place.is_first { head.ends_with('\'') } else { head == "}" };
        let closes = if place.is_last { tail.bytes().all(|byte| byte == b'\'') } else { tail.ends_with('{') };
        (opens && closes).then_some(content)
    }

    /// The value of one token; `None` when it is malformed. Without escapes it is a part of the text.
    pub(crate) fn value<'t>(&self, text: &'t str, place: TokenPosition) -> Option<Cow<'t, str>> {
        let content = self.content(text, place)?;
        if !self.is_block {
            return unescape(content);
        }
        if !place.is_first {
            return Some(Cow::Borrowed(content));
        }
        // One line end right behind the opening quotes belongs to the quotes.
        let content = content.strip_prefix('\r').unwrap_or(content);
        Some(Cow::Borrowed(content.strip_prefix('\n').unwrap_or(content)))
    }
}

/// Where in a string a token stands.
#[derive(Clone, Copy)]
pub(crate) struct TokenPosition {
    pub(crate) is_first: bool,
    pub(crate) is_last: bool,
}

fn unescape(content: &str) -> Option<Cow<'_, str>> {
    let special = |text: &str| memchr::memchr2(b'\\', b'\'', text.as_bytes());
    let Some(mut at) = special(content) else { return Some(Cow::Borrowed(content)) };
    let mut value = String::with_capacity(content.len());
    let mut rest = content;
    loop {
        let (plain, escape) = rest.split_at(at);
        if escape.len() < 2 || escape.starts_with('\'') {
            return None;
        }
        let Escape::Valid { length, value: c, opens_hole } = scan_escape(escape) else { return None };
        let (c, length) = match c {
            Some(c) => (c, length),
            None => surrogate_pair(escape, length).unwrap_or((char::REPLACEMENT_CHARACTER, length)),
        };
        value.push_str(plain);
        value.push(c);
        if opens_hole {
            value.push('{');
        }
        rest = &escape[length..];
        let Some(next) = special(rest) else { break };
        at = next;
    }
    value.push_str(rest);
    Some(Cow::Owned(value))
}

/// The character that two escapes stand for together, each for half of a surrogate pair, and the length of both.
fn surrogate_pair(text: &str, first_length: usize) -> Option<(char, usize)> {
    let (first, rest) = text.split_at_checked(first_length)?;
    let Escape::Valid { length, value: None, .. } =
        (rest.starts_with('\\') && rest.len() > 1).then(|| scan_escape(rest))?
    else {
        return None;
    };
    let unit = |escape: &str| {
        let digits = escape.strip_prefix("\\u{")?.strip_suffix('}')?;
        u16::from_str_radix(digits, 16).ok()
    };
    let units = [unit(first)?, unit(rest.get(..length)?)?];
    let c = char::decode_utf16(units).next()?.ok()?;
    Some((c, first_length + length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Option<Cow<'_, str>> {
        Delimiters::of_first_token(text).value(text, TokenPosition { is_first: true, is_last: true })
    }

    #[test]
    fn escapes_and_delimiters() {
        let cases = [
            ("''", Some("")),
            ("'a'", Some("a")),
            (r"'\n\r\t\\\'\$'", Some("\n\r\t\\'$")),
            (r"'\${a}'", Some("${a}")),
            (r"'\u{1F4AA}'", Some("💪")),
            (r"'\u{d801}\u{dc37}'", Some("𐐷")),
            (r"'\u{d801}x\u{dc37}'", Some("\u{fffd}x\u{fffd}")),
            (r"'\u{d801}é'", Some("\u{fffd}é")),
            (r"'\u{110000}'", None),
            (r"'\q'", None),
            ("'a", None),
            ("''''''", Some("")),
            ("'''\r\na'b\n'''", Some("a'b\n")),
            ("'''\n\na''''", Some("\na'")),
            ("$$'''a${'''", Some("a${")),
            ("'''a", None),
        ];
        for (text, expected) in cases {
            assert_eq!(value(text).as_deref(), expected, "{text}");
        }
    }
}
