//! JSON with comments. Text comes in; an ordered tree goes out in which every value and every name knows its range,
//! together with diagnostics and the comments. [`to_pretty`] prints values the way templates are printed.
//!
//! Reading never fails: what can be read is in the tree, what cannot is a diagnostic (see `messages.rs`).

pub mod borrowed;
mod case;
mod messages;
mod node;
mod parser;
pub mod path;
mod print;
mod scan;

use base::{Diagnostic, TextRange};

pub use case::eq_ignore_case;
pub use node::{Kind, Member, Node, Object};
pub use path::{Path, Segment};
pub use print::{to_compact, to_pretty};

/// No option allows deeper nesting than this, so that trees can be walked and dropped recursively on any thread.
pub const DEEPEST: u32 = 1024;

/// Reads a text. Never fails: see [`Parsed`].
pub fn parse(text: &str, options: Options) -> Parsed {
    parser::run(text, options)
}

/// What was read.
#[derive(Debug, Clone, Default)]
pub struct Parsed {
    /// The value; none when the text holds no value at all.
    pub root: Option<Node>,
    /// What is wrong, in reading order. At most a hundred, then one more that says so.
    pub diagnostics: Vec<Diagnostic>,
    /// All comments in reading order: directives are read from them.
    pub comments: Vec<Comment>,
}

/// A comment, with its slashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Comment {
    /// Where; a line comment ends before the line end.
    pub range: TextRange,
}

/// Which forms beyond RFC 8259 are taken. A form that is not taken is reported and read all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// `// …` and `/* … */`.
    pub comments: bool,
    /// `[1, 2,]` and `{"a": 1,}`.
    pub trailing_commas: bool,
    /// `'text'`.
    pub single_quotes: bool,
    /// `{name: 1}`.
    pub unquoted_keys: bool,
    /// Line ends and other control characters inside a text.
    pub multiline_strings: bool,
    /// White space beyond space, tab and line ends.
    pub any_whitespace: bool,
    /// `.5` and `5.`.
    pub half_fractions: bool,
    /// How deep arrays and objects may nest; [`DEEPEST`] at most.
    pub max_depth: u32,
    /// What to do about a name that occurs twice in an object.
    pub duplicates: Duplicates,
}

/// What to do about a name that occurs twice in an object. The last one wins either way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Duplicates {
    /// Nothing.
    Allow,
    /// Warn at the later one.
    Report,
}

impl Options {
    /// RFC 8259 and nothing else.
    pub const fn strict() -> Self {
        Self {
            comments: false,
            trailing_commas: false,
            single_quotes: false,
            unquoted_keys: false,
            multiline_strings: false,
            any_whitespace: false,
            half_fractions: false,
            max_depth: 512,
            duplicates: Duplicates::Allow,
        }
    }

    /// With comments and trailing commas: configuration files.
    pub const fn jsonc() -> Self {
        Self { comments: true, trailing_commas: true, ..Self::strict() }
    }

    /// Everything that the reference reader takes: templates and request bodies.
    pub const fn lenient() -> Self {
        Self {
            single_quotes: true,
            unquoted_keys: true,
            multiline_strings: true,
            any_whitespace: true,
            half_fractions: true,
            ..Self::jsonc()
        }
    }

    /// The same, with this treatment of repeated names.
    #[must_use]
    pub const fn with_duplicates(self, duplicates: Duplicates) -> Self {
        Self { duplicates, ..self }
    }
}
