//! A parsed Bicep file in; its text in the one agreed layout out.
//!
//! [`format`] never fails. Statements that could not be parsed are left as they are, everything around them is laid
//! out. No comment is lost, and formatting the result of a sound file again changes nothing.
//!
//! The work goes in three steps for one statement after the other: `layout` turns the tree into a flat list of pieces
//! (`doc`) that still leaves open where lines break, `print` decides that from the widths of the pieces, and `file`
//! puts the statements together.

mod doc;
mod file;
mod layout;
mod positions;
mod print;

use bicep_syntax::Parse;

pub use positions::Positions;

/// How the text should look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// What a line is indented with, once per level.
    pub indent: Indent,
    /// What ends a line.
    pub newline: Newline,
    /// How wide a line may become before it is broken where that is possible, in UTF-16 code units.
    pub width: usize,
    /// Whether the text ends with a line end.
    pub insert_final_newline: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { indent: Indent::Spaces(2), newline: Newline::Lf, width: 120, insert_final_newline: true }
    }
}

impl From<config::Formatting> for Options {
    fn from(formatting: config::Formatting) -> Self {
        Self {
            indent: match formatting.indent_kind {
                config::IndentKind::Space => Indent::Spaces(formatting.indent_size as usize),
                config::IndentKind::Tab => Indent::Tab,
            },
            newline: match formatting.newline_kind {
                config::NewlineKind::Lf => Newline::Lf,
                config::NewlineKind::CrLf => Newline::CrLf,
                config::NewlineKind::Cr => Newline::Cr,
            },
            width: formatting.width as usize,
            insert_final_newline: formatting.insert_final_newline,
        }
    }
}

/// What a line is indented with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Indent {
    /// So many spaces, at most 1000.
    Spaces(usize),
    Tab,
}

/// What ends a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Newline {
    /// Line feed.
    Lf,
    /// Carriage return and line feed.
    CrLf,
    /// Carriage return.
    Cr,
}

impl Newline {
    /// Its characters.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Lf => "\n",
            Self::CrLf => "\r\n",
            Self::Cr => "\r",
        }
    }
}

/// Lays out a file.
pub fn format(parse: &Parse, options: &Options) -> String {
    file::format(parse, options, file::Broken::Kept).0
}

/// Lays out a file, and says where its parts have gone: what was found out about the file still holds, at other places.
pub fn format_with_positions(parse: &Parse, options: &Options) -> (String, Positions) {
    file::format(parse, options, file::Broken::Kept)
}

/// Lays out a file with the statements that could not be parsed. Their words are kept and may mean something else: it is for
/// text that is moved elsewhere, not for files.
pub fn format_broken(parse: &Parse, options: &Options) -> String {
    file::format(parse, options, file::Broken::LaidOut).0
}
