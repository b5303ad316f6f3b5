//! Source files and the translation between byte offsets and the line and column a person counts.

use std::sync::{Arc, OnceLock};

use camino::{Utf8Path, Utf8PathBuf};
use text_size::{TextRange, TextSize};

/// A file's path, its text, and its line starts once somebody asks for them.
///
/// Diagnostics of one file are grouped under an `Arc<SourceFile>` (see [`crate::FileReport`]), so that a report can be
/// rendered without a table of files.
#[derive(Debug)]
pub struct SourceFile {
    path: Utf8PathBuf,
    text: Arc<str>,
    lines: OnceLock<LineIndex>,
}

impl SourceFile {
    /// A file with this path, as the user should see it, and this text.
    pub fn new(path: impl Into<Utf8PathBuf>, text: impl Into<Arc<str>>) -> Arc<Self> {
        Arc::new(Self { path: path.into(), text: text.into(), lines: OnceLock::new() })
    }

    /// The path as given.
    pub fn path(&self) -> &Utf8Path {
        &self.path
    }

    /// The whole text, without a byte order mark.
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// The line index, built on first use.
    pub fn lines(&self) -> &LineIndex {
        self.lines.get_or_init(|| LineIndex::new(&self.text))
    }

    /// Line and column, both counted from zero, the column in UTF-16 code units.
    pub fn position(&self, offset: TextSize) -> LineCol {
        self.lines().position(&self.text, offset)
    }

    /// The text of a range; empty when the range does not fit the file.
    pub fn slice(&self, range: TextRange) -> &str {
        self.text.get(usize::from(range.start())..usize::from(range.end())).unwrap_or_default()
    }
}

/// A place in a text: both numbers count from zero, the column counts UTF-16 code units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LineCol {
    /// Line, from zero.
    pub line: u32,
    /// Column in UTF-16 code units, from zero.
    pub col: u32,
}

/// The offsets at which lines start. `\n`, `\r\n` and a lone `\r` end a line.
#[derive(Debug, Clone)]
pub struct LineIndex {
    starts: Vec<TextSize>,
    len: TextSize,
}

impl LineIndex {
    /// Finds the line starts of a text. Texts of 4 GiB and more are not supported by [`TextSize`]; the rim refuses them.
    pub fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut starts = vec![TextSize::new(0)];
        for at in memchr::memchr2_iter(b'\n', b'\r', bytes) {
            // The first half of `\r\n` does not end a line.
            if bytes.get(at..at + 2) != Some(b"\r\n") {
                starts.push(offset(at + 1));
            }
        }
        Self { starts, len: offset(bytes.len()) }
    }

    /// How many lines there are: one more than line ends.
    pub fn line_count(&self) -> usize {
        self.starts.len()
    }

    /// The offset at which a line starts, or the end of the text for a line that does not exist.
    pub fn line_start(&self, line: u32) -> TextSize {
        self.starts.get(line as usize).copied().unwrap_or(self.len)
    }

    /// The line that holds an offset, counted from zero.
    pub fn line(&self, at: TextSize) -> u32 {
        let after = self.starts.partition_point(|start| *start <= at);
        u32::try_from(after.saturating_sub(1)).unwrap_or(u32::MAX)
    }

    /// Line and UTF-16 column of an offset; an offset past the end is that much further in the last line.
    pub fn position(&self, text: &str, at: TextSize) -> LineCol {
        let inside = at.min(self.len);
        let line = self.line(inside);
        let before = text.get(usize::from(self.line_start(line))..usize::from(inside)).unwrap_or_default();
        LineCol { line, col: utf16_len(before) + u32::from(at - inside) }
    }

    /// The offset of a line and UTF-16 column; past the end of the line, the end of the line.
    pub fn offset(&self, text: &str, at: LineCol) -> TextSize {
        let start = usize::from(self.line_start(at.line));
        let end = usize::from(self.line_start(at.line + 1));
        let line = text.get(start..end).unwrap_or_default();
        let mut col = 0;
        for (index, c) in line.char_indices() {
            if col >= at.col || c == '\n' || c == '\r' {
                return offset(start + index);
            }
            col += u32::from(c.len_utf16() == 2) + 1;
        }
        offset(end)
    }
}

/// The offset behind so many UTF-16 code units of a text; past the end, that much further.
pub fn offset_of_utf16(text: &str, units: u32) -> TextSize {
    let mut left = units;
    for (at, c) in text.char_indices() {
        if left == 0 {
            return offset(at);
        }
        left = left.saturating_sub(u32::from(c.len_utf16() == 2) + 1);
    }
    offset(text.len()) + TextSize::new(left)
}

/// Length of a text in UTF-16 code units.
pub fn utf16_len(text: &str) -> u32 {
    if text.is_ascii() {
        return u32::try_from(text.len()).unwrap_or(u32::MAX);
    }
    text.chars().map(|c| u32::from(c.len_utf16() == 2) + 1).sum()
}

fn offset(at: usize) -> TextSize {
    TextSize::new(u32::try_from(at).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, offset: u32) -> (u32, u32) {
        let position = LineIndex::new(text).position(text, TextSize::new(offset));
        (position.line, position.col)
    }

    #[test]
    fn all_three_line_ends_count() {
        assert_eq!(at("a\nb\r\nc\rd", 7), (3, 0));
        assert_eq!(at("a\r\nb", 2), (0, 2));
        assert_eq!(at("", 0), (0, 0));
        assert_eq!(at("ab", 99), (0, 99));
    }

    #[test]
    fn columns_are_utf16_units() {
        assert_eq!(at("é💪x", 2), (0, 1));
        assert_eq!(at("é💪x", 6), (0, 3));
    }

    #[test]
    fn offsets_invert_positions() {
        let text = "é💪x\r\nsecond\n";
        let lines = LineIndex::new(text);
        for (index, _) in text.char_indices().filter(|(_, c)| *c != '\n') {
            let offset = TextSize::new(u32::try_from(index).unwrap());
            assert_eq!(lines.offset(text, lines.position(text, offset)), offset);
        }
    }
}
