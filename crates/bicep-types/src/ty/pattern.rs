//! Regular expressions of string types. They are written for .NET's non-backtracking engine; the few spellings that mean
//! something else to ours are rewritten, and what that engine refuses (look-around, back-references) is refused here.

use std::hash::{Hash, Hasher};
use std::iter::Peekable;
use std::ops::Deref;
use std::str::Chars;
use std::sync::{Arc, OnceLock};

use base::SmolStr;

/// A regular expression. It is compiled when a value is first compared with it, once for all types that share it: that takes as
/// long as checking hundreds of properties.
#[derive(Debug, Clone)]
pub struct Pattern {
    text: SmolStr,
    compiled: Arc<OnceLock<Option<regex::Regex>>>,
}

impl Pattern {
    pub fn new(text: impl Into<SmolStr>) -> Self {
        Self { text: text.into(), compiled: Arc::default() }
    }

    /// Whether some part of the value matches. `None` when the pattern cannot be used, in which case it does not restrict.
    pub fn matches(&self, value: &str) -> Option<bool> {
        self.compiled.get_or_init(|| compile(&self.text)).as_ref().map(|regex| regex.is_match(value))
    }
}

impl Deref for Pattern {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Pattern {}

impl Hash for Pattern {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}

/// Bound on the memory of a compiled pattern.
const MAX_COMPILED_SIZE: usize = 4 << 20;

fn compile(pattern: &str) -> Option<regex::Regex> {
    let rewritten = rewrite(pattern)?;
    regex::RegexBuilder::new(&rewritten).size_limit(MAX_COMPILED_SIZE).nest_limit(100).build().ok()
}

fn rewrite(pattern: &str) -> Option<String> {
    let mut out = String::with_capacity(pattern.len() + 8);
    let mut chars = pattern.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => rewrite_escape(&mut out, &mut chars)?,
            '[' => rewrite_class(&mut out, &mut chars)?,
            '(' if chars.peek() == Some(&'?') => rewrite_group(&mut out, &mut chars)?,
            '{' if !starts_quantifier(chars.clone()) => out.push_str("\\{"),
            '{' => {
                out.push('{');
                out.extend(chars.by_ref().take_while(|c| *c != '}'));
                out.push('}');
            }
            '}' => out.push_str("\\}"),
            // The end, or just before a last line feed.
            '$' => out.push_str("(?:\\n?\\z)"),
            c => out.push(c),
        }
    }
    Some(out)
}

/// `{3}`, `{3,}` and `{3,5}` repeat; any other brace is just a brace.
fn starts_quantifier(rest: Peekable<Chars<'_>>) -> bool {
    let inside: String = rest.take_while(|c| *c != '}').collect();
    let (low, high) = inside.split_once(',').unwrap_or((&inside, ""));
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    !low.is_empty() && digits(low) && digits(high)
}

fn rewrite_escape(out: &mut String, chars: &mut Peekable<Chars<'_>>) -> Option<()> {
    match chars.next()? {
        // Back-references.
        '1'..='9' | 'k' | 'G' => return None,
        'Z' => out.push_str("(?:\\n?\\z)"),
        'e' => out.push_str("\\x1B"),
        '0' => out.push_str("\\x00"),
        c if c.is_ascii_alphabetic() => push_named_escape(out, c, chars),
        c => push_literal(out, c),
    }
    Some(())
}

/// `\w`, `\p{L}` and the like, which mean the same in both.
fn push_named_escape(out: &mut String, c: char, chars: &mut Peekable<Chars<'_>>) {
    out.push('\\');
    out.push(c);
    if matches!(c, 'p' | 'P') && chars.peek() == Some(&'{') {
        out.extend(chars.by_ref().take_while(|c| *c != '}'));
        out.push('}');
    }
}

fn rewrite_group(out: &mut String, chars: &mut Peekable<Chars<'_>>) -> Option<()> {
    chars.next();
    let next = *chars.peek()?;
    match next {
        // Look-ahead, atomic and conditional groups, comments.
        '=' | '!' | '>' | '(' | '#' => return None,
        '<' | '\'' => {
            chars.next();
            // Look-behind.
            if matches!(chars.peek(), Some('=' | '!')) {
                return None;
            }
            let close = if next == '<' { '>' } else { '\'' };
            let name: String = chars.by_ref().take_while(|c| *c != close).collect();
            out.push_str(&format!("(?P<{name}>"));
        }
        _ => out.push_str("(?"),
    }
    Some(())
}

fn rewrite_class(out: &mut String, chars: &mut Peekable<Chars<'_>>) -> Option<()> {
    out.push('[');
    if chars.next_if_eq(&'^').is_some() {
        out.push('^');
    }
    let mut first = true;
    while let Some(c) = chars.next() {
        match c {
            ']' if !first => {
                out.push(']');
                return Some(());
            }
            '\\' => match chars.next()? {
                'b' => out.push_str("\\x08"),
                'e' => out.push_str("\\x1B"),
                '0' => out.push_str("\\x00"),
                c if c.is_ascii_alphanumeric() => push_named_escape(out, c, chars),
                c => push_literal(out, c),
            },
            // A class taken away from another, which nobody writes.
            '-' if chars.peek() == Some(&'[') => return None,
            '-' => out.push('-'),
            c => push_literal(out, c),
        }
        first = false;
    }
    None
}

fn push_literal(out: &mut String, c: char) {
    if c.is_ascii_punctuation() && c != '<' && c != '>' {
        out.push('\\');
    }
    out.push(c);
}
