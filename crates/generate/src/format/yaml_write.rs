//! YAML as go-yaml 2.2 prints it: block style, names in natural order, sequences not indented under their name,
//! plain text folded at 80 columns. A [`Value`] comes in, text goes out.

use std::cmp::Ordering;
use std::fmt::Write as _;

use ::json::borrowed::Value;

use super::json::sorted;
use super::number;
use super::yaml11::{Meaning, is_base60, meaning};

/// How numbers are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Numbers {
    /// Integers as digits.
    Exact,
    /// Everything in the shortest `%g` form, in which a million is `1e+06`.
    General,
}

/// One document.
pub fn write_document(node: &Value<'_>) -> String {
    let mut writer = Writer::new(Numbers::Exact);
    writer.document(node);
    writer.out
}

/// A stream of documents, separated by `---`.
#[derive(Debug)]
pub struct Stream {
    writer: Writer,
    is_empty: bool,
}

impl Stream {
    /// A stream without documents.
    pub fn new(numbers: Numbers) -> Self {
        Self { writer: Writer::new(numbers), is_empty: true }
    }

    /// Appends a document.
    pub fn push(&mut self, node: &Value<'_>) {
        if !self.is_empty {
            self.writer.raw("---");
        }
        self.is_empty = false;
        self.writer.document(node);
    }

    /// The text since the last call; documents can be handed on as they are made.
    pub fn take(&mut self) -> String {
        std::mem::take(&mut self.writer.out)
    }
}

/// The column after which text is folded at the next space.
const WIDTH: usize = 80;
/// Names of more bytes than this get a line of their own.
const LONGEST_SIMPLE_KEY: usize = 128;
const STEP: usize = 2;

#[derive(Debug)]
struct Writer {
    out: String,
    /// Characters since the last line break.
    column: usize,
    numbers: Numbers,
}

/// Where a node stands, which decides how a collection begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ConfinedPath {
    /// At the top of a document.
    Root,
    /// Behind `name:`.
    Value,
    /// Behind `- `, `? ` or a `: ` of its own line: a collection may start on this line.
    Inline,
}

impl Writer {
    fn new(numbers: Numbers) -> Self {
        Self { out: String::new(), column: 0, numbers }
    }

    fn document(&mut self, node: &Value<'_>) {
        self.node(node, 0, ConfinedPath::Root);
        self.end_line();
    }

    /// Writes a node whose surrounding collection is indented by `indent`.
    fn node(&mut self, node: &Value<'_>, indent: usize, place: ConfinedPath) {
        match node {
            Value::Array(items) if !items.is_empty() => {
                let own = if place == ConfinedPath::Inline { indent + STEP } else { indent };
                for (at, item) in items.iter().enumerate() {
                    self.start_entry(own, place, at == 0);
                    self.raw("-");
                    self.node(item, own, ConfinedPath::Inline);
                }
            }
            Value::Object(members) if !members.is_empty() => {
                let own = if place == ConfinedPath::Root { indent } else { indent + STEP };
                for (at, (key, value)) in sorted(members, natural_order).into_iter().enumerate() {
                    self.start_entry(own, place, at == 0);
                    self.member(key, value, own);
                }
            }
            Value::Array(_) => self.word("[]"),
            Value::Object(_) => self.word("{}"),
            Value::Null => self.word("null"),
            Value::Bool(value) => self.word(if *value { "true" } else { "false" }),
            Value::Number(text) => {
                let text = match self.numbers {
                    Numbers::Exact => number::yaml(text),
                    Numbers::General => number::general(text.parse().unwrap_or(f64::NAN)),
                };
                self.word(&text);
            }
            Value::String(text) => self.string(text, indent + STEP, false),
        }
    }

    fn member(&mut self, key: &str, value: &Value<'_>, indent: usize) {
        if key.len() <= LONGEST_SIMPLE_KEY && !key.contains(is_break) {
            self.string(key, indent + STEP, true);
            self.raw(":");
            self.node(value, indent, ConfinedPath::Value);
        } else {
            self.raw("?");
            self.string(key, indent + STEP, false);
            self.new_line(indent);
            self.raw(":");
            self.node(value, indent, ConfinedPath::Inline);
        }
    }

    /// Goes to where the next entry of a collection starts: the first one of an inline collection stays on the line.
    fn start_entry(&mut self, indent: usize, place: ConfinedPath, is_first: bool) {
        if is_first && place == ConfinedPath::Inline {
            self.pad(indent);
        } else {
            self.new_line(indent);
        }
    }

    fn string(&mut self, text: &str, indent: usize, is_key: bool) {
        let traits = Traits::of(text);
        // go-yaml writes a merge key plain, which then reads as a merge.
        let resolves = meaning(text) != Meaning::Text || is_base60(text) || text == "<<";
        if text.contains('\n') && traits.literal_allowed && !is_key {
            self.literal(text, indent);
        } else if text.contains('\n') || resolves {
            self.double_quoted(text, indent, !is_key);
        } else if traits.plain_allowed {
            self.plain(text, indent, !is_key);
        } else if traits.single_quotes_allowed {
            self.single_quoted(text, indent, !is_key);
        } else {
            self.double_quoted(text, indent, !is_key);
        }
    }

    fn plain(&mut self, text: &str, indent: usize, may_fold: bool) {
        self.space();
        if self.fits(text) || !may_fold {
            return self.raw(text);
        }
        let mut after_space = false;
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            if c == ' ' && !after_space && self.column > WIDTH && chars.peek() != Some(&' ') {
                self.new_line(indent);
            } else {
                self.push(c);
            }
            after_space = c == ' ';
        }
    }

    fn single_quoted(&mut self, text: &str, indent: usize, may_fold: bool) {
        self.space();
        self.push('\'');
        let mut after_space = false;
        let mut after_break = false;
        let mut chars = text.chars().peekable();
        let mut is_first = true;
        while let Some(c) = chars.next() {
            let may_fold_here = may_fold && !is_first && chars.peek().is_some_and(|next| *next != ' ');
            if c == ' ' && may_fold_here && !after_space && self.column > WIDTH {
                self.new_line(indent);
            } else if is_break(c) {
                self.out.push(c);
                self.column = 0;
            } else {
                if after_break && c != ' ' {
                    self.pad(indent);
                }
                if c == '\'' {
                    self.push('\'');
                }
                self.push(c);
            }
            after_break = is_break(c);
            after_space = c == ' ';
            is_first = false;
        }
        self.push('\'');
    }

    fn double_quoted(&mut self, text: &str, indent: usize, may_fold: bool) {
        self.space();
        self.push('"');
        let mut after_space = false;
        let mut chars = text.chars().peekable();
        let mut is_first = true;
        while let Some(c) = chars.next() {
            if !is_printable(c) || is_break(c) || matches!(c, '"' | '\\') {
                self.escape(c);
            } else if c == ' '
                && may_fold
                && !is_first
                && !after_space
                && self.column > WIDTH
                && chars.peek().is_some()
            {
                self.new_line(indent);
                if chars.peek() == Some(&' ') {
                    self.push('\\');
                }
            } else {
                self.push(c);
            }
            after_space = c == ' ';
            is_first = false;
        }
        self.push('"');
    }

    fn escape(&mut self, c: char) {
        let code = u32::from(c);
        let short = match c {
            '\0' => '0',
            '\u{7}' => 'a',
            '\u{8}' => 'b',
            '\t' => 't',
            '\n' => 'n',
            '\u{b}' => 'v',
            '\u{c}' => 'f',
            '\r' => 'r',
            '\u{1b}' => 'e',
            '"' | '\\' => c,
            '\u{85}' => 'N',
            '\u{a0}' => '_',
            '\u{2028}' => 'L',
            '\u{2029}' => 'P',
            _ => {
                let text = match code {
                    0..=0xff => format!("\\x{code:02X}"),
                    0x100..=0xffff => format!("\\u{code:04X}"),
                    _ => format!("\\U{code:08X}"),
                };
                return self.raw(&text);
            }
        };
        self.push('\\');
        self.push(short);
    }

    fn literal(&mut self, text: &str, indent: usize) {
        self.space();
        self.push('|');
        if text.starts_with(|c| c == ' ' || is_break(c)) {
            let _ = write!(self.out, "{STEP}");
        }
        let mut from_end = text.chars().rev();
        match (from_end.next().is_some_and(is_break), from_end.next().is_none_or(is_break)) {
            (false, _) => self.push('-'),
            (true, true) => self.push('+'),
            (true, false) => {}
        }
        self.out.push('\n');
        self.column = 0;
        for c in text.chars() {
            if is_break(c) {
                self.out.push(c);
                self.column = 0;
            } else {
                if self.column == 0 {
                    self.pad(indent);
                }
                self.push(c);
            }
        }
    }

    fn word(&mut self, text: &str) {
        self.space();
        self.raw(text);
    }

    /// A space, unless a line begins here.
    fn space(&mut self) {
        if self.column > 0 && !self.out.ends_with(' ') {
            self.push(' ');
        }
    }

    fn new_line(&mut self, indent: usize) {
        self.end_line();
        self.pad(indent);
    }

    fn end_line(&mut self) {
        if self.column > 0 {
            self.out.push('\n');
            self.column = 0;
        }
    }

    fn pad(&mut self, indent: usize) {
        let missing = indent.saturating_sub(self.column);
        self.out.extend(std::iter::repeat_n(' ', missing));
        self.column += missing;
    }

    fn push(&mut self, c: char) {
        self.out.push(c);
        self.column += 1;
    }

    fn raw(&mut self, text: &str) {
        self.out.push_str(text);
        self.column += if text.is_ascii() { text.len() } else { text.chars().count() };
    }

    /// Whether a text is so short that it cannot be folded.
    fn fits(&self, text: &str) -> bool {
        self.column + text.len() <= WIDTH
    }
}

/// Which styles a text can be written in.
struct Traits {
    plain_allowed: bool,
    single_quotes_allowed: bool,
    literal_allowed: bool,
}

impl Traits {
    fn of(text: &str) -> Self {
        let mut has_indicator = text.starts_with("---") || text.starts_with("...");
        let (mut has_break, mut has_special) = (false, false);
        let (mut break_then_space, mut space_then_break) = (false, false);
        let mut before: Option<char> = None;
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            let blank_follows = chars.peek().is_none_or(|next| matches!(next, ' ' | '\t'));
            has_indicator |= match c {
                '#' => before.is_none_or(|before| matches!(before, ' ' | '\t') || is_break(before)),
                ',' | '[' | ']' | '{' | '}' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%' | '@' | '`' => {
                    before.is_none()
                }
                '?' | '-' => before.is_none() && blank_follows,
                ':' => blank_follows,
                _ => false,
            };
            has_break |= is_break(c);
            has_special |= !is_printable(c);
            break_then_space |= c == ' ' && before.is_some_and(is_break);
            space_then_break |= is_break(c) && before == Some(' ');
            before = Some(c);
        }
        let has_edge = text.starts_with(' ') || text.ends_with(' ');
        Self {
            plain_allowed: !(has_indicator || has_break || has_special || has_edge),
            single_quotes_allowed: !(break_then_space || space_then_break || has_special),
            literal_allowed: !(space_then_break || has_special || text.ends_with(' ')),
        }
    }
}

fn is_break(c: char) -> bool {
    matches!(c, '\r' | '\n' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Characters beyond the basic plane count as unprintable, as they do in libyaml.
fn is_printable(c: char) -> bool {
    matches!(c, '\n' | ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}') && c != '\u{feff}'
}

/// Letters after everything else, digits by their value.
fn natural_order(a: &str, b: &str) -> Ordering {
    if a.is_ascii() && b.is_ascii() {
        return natural_order_of(a.as_bytes(), b.as_bytes(), |byte| char::from(*byte));
    }
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    natural_order_of(&a, &b, |c| *c)
}

fn natural_order_of<T: PartialEq>(a: &[T], b: &[T], char_of: impl Fn(&T) -> char) -> Ordering {
    let Some(at) = a.iter().zip(b).position(|(a, b)| a != b) else { return a.len().cmp(&b.len()) };
    let (Some(x), Some(y)) = (a.get(at).map(&char_of), b.get(at).map(&char_of)) else {
        return Ordering::Equal;
    };
    match (x.is_alphabetic(), y.is_alphabetic()) {
        (true, true) => return x.cmp(&y),
        (true, false) => return Ordering::Greater,
        (false, true) => return Ordering::Less,
        (false, false) => {}
    }
    // Inside a number that has begun with another digit, zeros count like any digit.
    let digits_before = a.iter().take(at).rev().map(&char_of).take_while(char::is_ascii_digit);
    let inside_number = (x == '0' || y == '0') && digits_before.into_iter().any(|c| c != '0');
    let number = |side: &[T]| {
        let digits = side.iter().skip(at).map(&char_of).map_while(|c| c.to_digit(10));
        digits.fold((i64::from(inside_number), 0_usize), |(value, count), digit| {
            (value.wrapping_mul(10).wrapping_add(i64::from(digit)), count + 1)
        })
    };
    number(a).cmp(&number(b)).then(x.cmp(&y))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::json::borrowed::parse;
    use expect_test::{Expect, expect};

    #[track_caller]
    fn check(text: &str, expected: &Expect) {
        expected.assert_eq(&write_document(&parse(text).unwrap()));
    }

    #[test]
    fn collections_are_blocks() {
        check(
            r#"{"b":[1,{"x":1,"y":[[2],[]]}],"a10":{},"a2":{"k":{"l":null}},"c":[[["d"]]]}"#,
            &expect![[r#"
                a2:
                  k:
                    l: null
                a10: {}
                b:
                - 1
                - x: 1
                  "y":
                  - - 2
                  - []
                c:
                - - - d
            "#]],
        );
    }

    #[test]
    fn strings_are_quoted_only_where_they_must_be() {
        check(
            r##"["plain","yes","1","2001-01-01","12:30:45","a: b","# x","a #b"," edge","it's","","- a","-a","a\tb","é😀","!t","a:"]"##,
            &expect![[r#"
                - plain
                - "yes"
                - "1"
                - "2001-01-01"
                - "12:30:45"
                - 'a: b'
                - '# x'
                - 'a #b'
                - ' edge'
                - it's
                - ""
                - '- a'
                - -a
                - "a\tb"
                - "é\U0001F600"
                - '!t'
                - 'a:'
            "#]],
        );
    }

    #[test]
    fn several_lines_are_literal_unless_a_line_ends_in_blanks() {
        check(
            r#"{"a":"x\ny","b":"x\n","c":" x\ny\n\n","d":"x \ny"}"#,
            &expect![[r#"
                a: |-
                  x
                  y
                b: |
                  x
                c: |2+
                   x
                  y

                d: "x \ny"
            "#]],
        );
    }

    #[test]
    fn long_text_is_folded() {
        let long = "word ".repeat(20);
        check(
            &format!(r#"{{"plain":"{long}end","quoted":"{long}"}}"#),
            &expect![[r#"
                plain: word word word word word word word word word word word word word word word
                  word word word word word end
                quoted: 'word word word word word word word word word word word word word word word
                  word word word word word '
            "#]],
        );
    }

    #[test]
    fn long_and_multi_line_names_get_their_own_line() {
        let name = "k".repeat(129);
        check(
            &format!(r#"{{"{name}":[1,2],"m\nl":{{"a":1,"b":2}}}}"#),
            &expect![[r#"
                ? kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk
                : - 1
                  - 2
                ? |-
                  m
                  l
                : a: 1
                  b: 2
            "#]],
        );
    }

    #[test]
    fn streams_put_scalars_on_the_separator_line() {
        let Value::Array(documents) = parse(r#"[{"a":1000000},"text",[],[1],null]"#).unwrap() else {
            panic!()
        };
        let print = |numbers| {
            let mut stream = Stream::new(numbers);
            documents.iter().for_each(|document| stream.push(document));
            stream.take()
        };
        assert_eq!(print(Numbers::Exact), "a: 1000000\n--- text\n--- []\n---\n- 1\n--- null\n");
        assert_eq!(print(Numbers::General), "a: 1e+06\n--- text\n--- []\n---\n- 1\n--- null\n");
    }
}
