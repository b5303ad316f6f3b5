//! The one message type of all tools. Analysis returns diagnostics; only renderers turn them into text.

use std::sync::Arc;

use smol_str::SmolStr;
use text_size::TextRange;

use crate::{Check, SourceFile};

/// How bad it is. Ordered: `Info < Warning < Error`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// Probably a mistake; the work goes on.
    Warning,
    /// The work cannot be done.
    Error,
}

impl Severity {
    /// The word that the Bicep CLI and the corpus use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Info => "Info",
            Self::Warning => "Warning",
            Self::Error => "Error",
        }
    }
}

/// A message about a range of one file. Which file is said by the [`FileReport`] around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The check that made it.
    pub check: Check,
    /// Stable code, such as `BCP036`, `no-unused-params` or `TA-000001`.
    pub code: SmolStr,
    /// How bad it is.
    pub severity: Severity,
    /// One sentence: what is wrong and what would be right.
    pub message: String,
    pub range: TextRange,
    /// Further ranges of the same file, each with its own words.
    pub labels: Vec<Label>,
    /// Whole sentences shown below the excerpt.
    pub notes: Vec<String>,
    /// A page that explains the code.
    pub link: Option<String>,
    /// Ways out that a tool can apply.
    pub fixes: Vec<Fix>,
    /// Places in other files that have to do with it.
    pub related: Vec<Related>,
    /// Whether it says that a check could not be made. No report shows that as passed.
    pub is_undetermined: bool,
}

/// A second range of the same file, with its own words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    pub range: TextRange,
    /// What is to be seen there.
    pub message: String,
}

/// A named set of edits to the file of the diagnostic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// What the fix does, in the imperative.
    pub title: String,
    /// Non-overlapping edits in ascending order.
    pub edits: Vec<Edit>,
}

/// One replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// What is replaced; empty for an insertion.
    pub range: TextRange,
    /// What stands there afterwards.
    pub text: String,
}

/// A place in another file.
#[derive(Debug, Clone)]
pub struct Related {
    /// The other file.
    pub file: Arc<SourceFile>,
    /// Where in it.
    pub range: TextRange,
    /// What it has to do with the diagnostic.
    pub message: String,
}

impl PartialEq for Related {
    fn eq(&self, other: &Self) -> bool {
        (self.file.path(), self.range, &self.message) == (other.file.path(), other.range, &other.message)
    }
}

impl Eq for Related {}

impl Diagnostic {
    /// With one more labelled range.
    #[must_use]
    pub fn with_label(mut self, range: TextRange, message: impl Into<String>) -> Self {
        self.labels.push(Label { range, message: message.into() });
        self
    }

    /// With one more note.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// With a page that explains the code.
    #[must_use]
    pub fn with_link(mut self, link: impl Into<String>) -> Self {
        self.link = Some(link.into());
        self
    }

    /// With a fix of a single edit.
    #[must_use]
    pub fn with_fix(mut self, title: impl Into<String>, range: TextRange, text: impl Into<String>) -> Self {
        self.fixes.push(Fix { title: title.into(), edits: vec![Edit { range, text: text.into() }] });
        self
    }

    /// With a place in another file.
    #[must_use]
    pub fn with_related(
        mut self,
        file: Arc<SourceFile>,
        range: TextRange,
        message: impl Into<String>,
    ) -> Self {
        self.related.push(Related { file, range, message: message.into() });
        self
    }
}

/// The diagnostics of one file: what every renderer takes a slice of.
#[derive(Debug, Clone)]
pub struct FileReport {
    pub file: Arc<SourceFile>,
    pub diagnostics: Vec<Diagnostic>,
}

impl FileReport {
    /// A report with its diagnostics in reading order.
    pub fn new(file: Arc<SourceFile>, mut diagnostics: Vec<Diagnostic>) -> Self {
        diagnostics.sort_by(|a, b| {
            let key = |d: &Diagnostic| (d.range.start(), d.range.len());
            key(a).cmp(&key(b)).then_with(|| a.message.cmp(&b.message))
        });
        Self { file, diagnostics }
    }

    /// Whether any diagnostic is an error.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|d| d.severity == Severity::Error)
    }
}
