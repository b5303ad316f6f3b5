//! Why a template cannot be decompiled. The texts are in `messages.rs`; here a place in the JSON joins them.

use std::fmt::{self, Display, Formatter};

use base::{TextRange, TextSize};
use json::{Kind, Member, Node};

/// Why a template cannot be decompiled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub message: String,
    /// Where, in the template's text; `None` where the reference gives no place either.
    pub at: Option<ErrorPosition>,
}

/// A place in the text of a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorPosition {
    /// Right behind what was read.
    Behind(TextSize),
    /// Behind the colon that follows a name which ends here.
    BehindColon(TextSize),
    /// Something that does not stand in the text: it was made while decompiling.
    Made,
}

pub(crate) type Result<T, E = Failure> = std::result::Result<T, E>;

impl Failure {
    /// Without a place.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), at: None }
    }

    /// At a value.
    pub(crate) fn at(node: &Node, message: impl Into<String>) -> Self {
        Self { message: message.into(), at: Some(spot(node)) }
    }

    /// At a member of an object.
    pub(crate) fn at_member(member: &Member, message: impl Into<String>) -> Self {
        let at = match member.key_range == TextRange::default() {
            true => ErrorPosition::Made,
            false => ErrorPosition::BehindColon(member.key_range.end()),
        };
        Self { message: message.into(), at: Some(at) }
    }

    /// The same at a place, unless it has one.
    pub(crate) fn or_at(self, node: &Node) -> Self {
        match self.at {
            // The reference wraps the inner message, place and all, in the outer one.
            Some(_) => self,
            None => Self { at: Some(spot(node)), ..self },
        }
    }

    /// The message with its place in front, as the reference writes it: `[line:column]: message`.
    pub fn describe(&self, source: &str) -> String {
        let Some(at) = self.at else { return self.message.clone() };
        let (line, column) = position(source, at);
        format!("[{line}:{column}]: {}", self.message)
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// The reader of the reference counts what it has consumed when it hands out a value: the bracket of an object or array,
/// the whole of anything else.
fn spot(node: &Node) -> ErrorPosition {
    if node.range == TextRange::default() {
        return ErrorPosition::Made;
    }
    match node.value {
        Kind::Object(_) | Kind::Array(_) => ErrorPosition::Behind(node.range.start() + TextSize::from(1)),
        _ => ErrorPosition::Behind(node.range.end()),
    }
}

/// Line and column, from one; columns count UTF-16 units.
fn position(source: &str, at: ErrorPosition) -> (usize, usize) {
    let offset = match at {
        ErrorPosition::Made => return (0, 0),
        ErrorPosition::Behind(offset) => usize::from(offset),
        ErrorPosition::BehindColon(offset) => {
            let rest = source.get(usize::from(offset)..).unwrap_or_default();
            usize::from(offset) + rest.find(':').map_or(0, |colon| colon + 1)
        }
    };
    let before = source.get(..offset).unwrap_or(source);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().encode_utf16().count();
    (line, column)
}
