//! References to files: relative paths that mean the same on every system.

use std::fmt;

use camino::Utf8Path;
use smol_str::SmolStr;

use super::{Problem, problems};

/// A relative path with `/` between its parts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocalPath(SmolStr);

impl LocalPath {
    /// The path as written.
    pub fn as_path(&self) -> &Utf8Path {
        Utf8Path::new(&self.0)
    }
}

impl fmt::Display for LocalPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

pub(super) fn parse(text: &str) -> Result<LocalPath, Problem> {
    check_path(text).map(|()| LocalPath(text.into()))
}

/// Whether a text is a path that may be written into a source file.
pub fn check_path(text: &str) -> Result<(), Problem> {
    if text.is_empty() {
        return Err(problems::empty_path());
    }
    let drive = text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.get(1..2) == Some(":");
    if text.starts_with('/') || drive {
        return Err(problems::absolute_path());
    }
    for c in text.chars() {
        match c {
            '\\' => return Err(problems::backslash(text)),
            '"' | '*' | ':' | '<' | '>' | '?' | '|' => return Err(problems::forbidden_characters()),
            '\0'..='\u{1f}' => return Err(problems::control_characters()),
            _ => {}
        }
    }
    if text.ends_with([' ', '.']) {
        return Err(problems::forbidden_end());
    }
    Ok(())
}
