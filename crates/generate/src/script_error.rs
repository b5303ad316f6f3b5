//! The error that ended a script, with the places it came through. Text for people and a [`FileReport`] go out.

use std::sync::Arc;

use base::{FileReport, LineCol, SourceFile, TextRange};

use crate::messages;

/// An exception or a rejected promise that nobody handled, or a limit that was passed.
#[derive(Debug, Clone)]
pub struct ScriptError {
    /// `TypeError`, `SyntaxError` and so on; empty for a thrown value that is no error.
    pub name: String,
    pub message: String,
    /// Where it happened, the innermost place first; only places in scripts of the user.
    pub frames: Vec<Frame>,
    /// The file of the innermost place.
    pub source: Option<Arc<SourceFile>>,
    /// Sentences that help to understand it.
    pub notes: Vec<String>,
}

/// A place that an error came through. Line and column count from one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// The function, if it has a name.
    pub function: String,
    /// The file, as the user should see it.
    pub file: String,
    pub line: u32,
    pub column: u32,
}

impl ScriptError {
    /// An error without a place.
    pub(crate) fn new(name: &str, message: impl Into<String>) -> Self {
        Self {
            name: name.to_owned(),
            message: message.into(),
            frames: Vec::new(),
            source: None,
            notes: Vec::new(),
        }
    }

    /// The error in the layout that JavaScript developers know: place, source line, message, stack.
    pub fn render(&self) -> String {
        let mut lines = Vec::new();
        if let (Some(frame), Some(text)) = (self.frames.first(), self.source_line()) {
            lines.push(format!("{}:{}", frame.file, frame.line));
            lines.push(text.to_owned());
            let before = text.chars().take(frame.column.saturating_sub(1) as usize);
            let indent: String = before.map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
            lines.push(format!("{indent}^"));
        }
        lines.push(self.headline());
        lines.extend(self.frames.iter().map(|frame| {
            let place = format!("{}:{}:{}", frame.file, frame.line, frame.column);
            if frame.function.is_empty() {
                format!("    at {place}")
            } else {
                format!("    at {} ({place})", frame.function)
            }
        }));
        lines.extend(self.notes.iter().cloned());
        lines.join("\n")
    }

    /// The name and the message.
    pub fn headline(&self) -> String {
        match (self.name.as_str(), self.message.as_str()) {
            ("", message) => format!("Uncaught {message}"),
            (name, "") => name.to_owned(),
            (name, message) => format!("{name}: {message}"),
        }
    }

    /// The error as a diagnostic of the script.
    pub fn report(&self) -> FileReport {
        let file = match &self.source {
            Some(source) => Arc::clone(source),
            None => SourceFile::new("(script)", ""),
        };
        let range = self.frames.first().filter(|_| self.source.is_some()).map(|frame| {
            let place = LineCol { line: frame.line.saturating_sub(1), col: frame.column.saturating_sub(1) };
            TextRange::empty(file.lines().offset(file.text(), place))
        });
        let mut diagnostic = messages::script_error(range.unwrap_or_default(), self.headline());
        diagnostic.notes.extend(self.notes.iter().cloned());
        FileReport::new(file, vec![diagnostic])
    }

    fn source_line(&self) -> Option<&str> {
        let line = self.frames.first()?.line.checked_sub(1)?;
        self.source.as_ref()?.text().lines().nth(line as usize)
    }
}
