//! Where in a value: JSON pointers (`/rules/0/name`) for programs, dotted paths (`rules[0].name`) for people.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use base::{TextSize, percent};

use crate::{Kind, Node};

/// One token of a JSON pointer, escaped.
pub fn escape(token: &str) -> Cow<'_, str> {
    if token.contains(['~', '/']) {
        return Cow::Owned(token.replace('~', "~0").replace('/', "~1"));
    }
    Cow::Borrowed(token)
}

/// One token of a JSON pointer, unescaped; none when a `~` is not followed by `0` or `1`.
pub fn unescape(token: &str) -> Option<Cow<'_, str>> {
    if !token.contains('~') {
        return Some(Cow::Borrowed(token));
    }
    let mut out = String::with_capacity(token.len());
    let mut chars = token.chars();
    while let Some(c) = chars.next() {
        out.push(match c {
            '~' => match chars.next()? {
                '0' => '~',
                '1' => '/',
                _ => return None,
            },
            c => c,
        });
    }
    Some(Cow::Owned(out))
}

/// One token of a JSON pointer in a URI, as in `#/definitions/a%20b`: escaped, and encoded for URIs.
pub fn escape_fragment(token: &str) -> String {
    percent::encode(&escape(token), b"")
}

/// One token of a JSON pointer in a URI, decoded.
pub fn unescape_fragment(token: &str) -> String {
    percent::decode(&token.replace("~1", "/").replace("~0", "~"))
}

/// A JSON pointer with one more token.
pub fn join(pointer: &str, token: &str) -> String {
    format!("{pointer}/{}", escape(token))
}

/// The index that a pointer token means: digits without leading zeros.
pub(crate) fn array_index(token: &str) -> Option<usize> {
    let plain = token == "0" || !token.starts_with(['0', '+']);
    token.parse().ok().filter(|_| plain)
}

/// The way from the root to a value. It prints as `properties.rules[0]['a name']`; the root itself prints as nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Path(pub Vec<Segment>);

/// One step.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Segment {
    /// Into an object.
    Key(String),
    /// Into an array.
    Index(usize),
}

/// The path to the innermost value that holds an offset. On a property name, it is the path of that property.
pub fn node_at(root: &Node, offset: TextSize) -> Path {
    let mut path = Path::default();
    let mut node = root;
    while let Some((segment, inner)) = child_at(node, offset) {
        path.0.push(segment);
        node = inner;
    }
    path
}

fn child_at(node: &Node, offset: TextSize) -> Option<(Segment, &Node)> {
    match &node.value {
        Kind::Array(items) => {
            let at = items.partition_point(|item| item.range.start() <= offset).checked_sub(1)?;
            let item = items.get(at).filter(|item| reaches(item, offset))?;
            Some((Segment::Index(at), item))
        }
        Kind::Object(object) => {
            let members = object.members();
            let at = members.partition_point(|member| member.key_range.start() <= offset).checked_sub(1)?;
            let member = members.get(at).filter(|member| reaches(&member.value, offset))?;
            Some((Segment::Key(member.key.clone()), &member.value))
        }
        _ => None,
    }
}

/// Whether a value that starts before an offset holds it. A cursor right behind a text or number still touches it.
fn reaches(node: &Node, offset: TextSize) -> bool {
    let touches = !matches!(node.value, Kind::Array(_) | Kind::Object(_));
    offset < node.range.end() || (touches && offset == node.range.end())
}

impl Path {
    /// The same way as a JSON pointer.
    pub fn to_pointer(&self) -> String {
        self.0.iter().fold(String::new(), |pointer, segment| match segment {
            Segment::Key(key) => join(&pointer, key),
            Segment::Index(index) => format!("{pointer}/{index}"),
        })
    }

    /// The path with one more key.
    #[must_use]
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.0.push(Segment::Key(key.into()));
        self
    }

    /// The path with one more index.
    #[must_use]
    pub fn index(mut self, index: usize) -> Self {
        self.0.push(Segment::Index(index));
        self
    }

    /// The value at the end of the way.
    pub fn find<'n>(&self, root: &'n Node) -> Option<&'n Node> {
        self.0.iter().try_fold(root, |node, segment| match (segment, &node.value) {
            (Segment::Key(key), Kind::Object(object)) => Some(&object.get(key)?.value),
            (Segment::Index(index), Kind::Array(items)) => items.get(*index),
            _ => None,
        })
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, segment) in self.0.iter().enumerate() {
            match segment {
                Segment::Index(index) => write!(f, "[{index}]")?,
                Segment::Key(key) if needs_quotes(key) => {
                    write!(f, "['{}']", key.replace('\\', "\\\\").replace('\'', "\\'"))?;
                }
                Segment::Key(key) if at == 0 => f.write_str(key)?,
                Segment::Key(key) => write!(f, ".{key}")?,
            }
        }
        Ok(())
    }
}

fn needs_quotes(key: &str) -> bool {
    let special = |c: char| c.is_whitespace() || c.is_control() || ".'\"[]()/\\".contains(c);
    key.is_empty() || key.contains(special)
}

/// Why a text is not a path, and at which byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathError {
    /// The offset of what cannot stand there.
    pub at: usize,
    /// What would be right.
    pub expected: &'static str,
}

impl fmt::Display for PathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is expected at offset {} of the path", self.expected, self.at)
    }
}

impl std::error::Error for PathError {}

impl FromStr for Path {
    type Err = PathError;

    fn from_str(text: &str) -> Result<Self, PathError> {
        let mut segments = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let at = text.len() - rest.len();
            let (segment, after) = if let Some(inner) = rest.strip_prefix("['") {
                quoted(inner).ok_or(PathError { at, expected: "`['name']`" })?
            } else if let Some(inner) = rest.strip_prefix('[') {
                bracketed(inner).ok_or(PathError { at, expected: "`[index]`" })?
            } else {
                let name = if segments.is_empty() { Some(rest) } else { rest.strip_prefix('.') };
                name.and_then(plain).ok_or(PathError { at, expected: "`.name`" })?
            };
            segments.push(segment);
            rest = after;
        }
        Ok(Self(segments))
    }
}

fn quoted(inner: &str) -> Option<(Segment, &str)> {
    let mut key = String::new();
    let mut chars = inner.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\'' => return Some((Segment::Key(key), inner.get(at + 1..)?.strip_prefix(']')?)),
            '\\' => key.push(chars.next()?.1),
            c => key.push(c),
        }
    }
    None
}

fn bracketed(inner: &str) -> Option<(Segment, &str)> {
    let (digits, after) = inner.split_once(']')?;
    let all_digits = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    Some((Segment::Index(digits.parse().ok().filter(|_| all_digits)?), after))
}

fn plain(rest: &str) -> Option<(Segment, &str)> {
    let end = rest.find(['.', '[']).unwrap_or(rest.len());
    let (key, after) = rest.split_at_checked(end)?;
    (!needs_quotes(key)).then(|| (Segment::Key(key.to_owned()), after))
}
