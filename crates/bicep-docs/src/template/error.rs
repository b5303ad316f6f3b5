//! What can be wrong with a template, and where.

use std::fmt;

/// A position in the source of a template, from one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) line: usize,
    pub(crate) column: usize,
}

/// What is wrong with a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    pub template: String,
    /// The line, from one.
    pub line: usize,
    /// The column, from one, in characters.
    pub column: usize,
    pub message: String,
}

impl Error {
    pub(crate) fn new(template: &str, position: Position, message: impl Into<String>) -> Self {
        Self {
            template: template.to_owned(),
            line: position.line,
            column: position.column,
            message: message.into(),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({},{}): {}", self.template, self.line, self.column, self.message)
    }
}

impl std::error::Error for Error {}
