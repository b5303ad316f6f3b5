//! Byte ranges → the lines and columns that reports show, in linear time even when a file is one endless line.

use text_size::{TextRange, TextSize};

use crate::source::utf16_len;
use crate::{LineCol, SourceFile};

/// A range as people count: lines and UTF-16 columns from one, the end exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Region {
    pub start_line: u32,
    pub start_column: u32,
    pub end_line: u32,
    pub end_column: u32,
}

/// Finds regions of one file; cheap when asked for ranges in ascending order.
pub(super) struct RegionFinder<'f> {
    file: &'f SourceFile,
    last: KnownPosition,
}

/// An offset whose line and column have been counted.
#[derive(Clone, Copy)]
struct KnownPosition {
    offset: TextSize,
    position: LineCol,
}

impl<'f> RegionFinder<'f> {
    pub(super) fn new(file: &'f SourceFile) -> Self {
        Self { file, last: KnownPosition { offset: 0.into(), position: LineCol { line: 0, col: 0 } } }
    }

    pub(super) fn region(&mut self, range: TextRange) -> Region {
        // Past the end of the file columns go on: diagnostics of other files may be reported with their own offsets.
        let length = TextSize::of(&**self.file.text());
        let past_end = |at: TextSize| at.checked_sub(length).map_or(0, u32::from);
        let (past_start, past_end) = (past_end(range.start()), past_end(range.end()));
        let range = fitted(self.file, range);
        let start = self.forward(range.start());
        self.last = KnownPosition { offset: range.start(), position: start };
        let end = self.forward(range.end());
        Region {
            start_line: start.line + 1,
            start_column: start.col + past_start + 1,
            end_line: end.line + 1,
            end_column: end.col + past_end + 1,
        }
    }

    /// The position of an offset, counted from the last known one when that is before it on the same line.
    fn forward(&self, at: TextSize) -> LineCol {
        let KnownPosition { offset, position } = self.last;
        if at < offset || self.file.lines().line(at) != position.line {
            return self.file.position(at);
        }
        let between = self.file.slice(TextRange::new(offset, at));
        LineCol { line: position.line, col: position.col + utf16_len(between) }
    }
}

/// The region of a single range.
pub(super) fn region(file: &SourceFile, range: TextRange) -> Region {
    RegionFinder::new(file).region(range)
}

/// The range moved into the file, both ends between characters.
pub(super) fn fitted(file: &SourceFile, range: TextRange) -> TextRange {
    let fit = |at: TextSize| TextSize::try_from(file.text().floor_char_boundary(at.into())).unwrap_or(at);
    TextRange::new(fit(range.start()), fit(range.end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ascending_and_single_questions_have_the_same_answers() {
        let file = SourceFile::new("a", "é💪x\r\nsecond 💪 line\rthird\n\nlast");
        let length = u32::try_from(file.text().len()).unwrap();
        let mut places = RegionFinder::new(&file);
        for start in 0..length + 3 {
            for end in start..length + 3 {
                let range = TextRange::new(start.into(), end.into());
                assert_eq!(places.region(range), region(&file, range), "{range:?}");
            }
        }
        let last = region(&file, TextRange::new(length.into(), (length + 9).into()));
        assert_eq!(last, Region { start_line: 5, start_column: 5, end_line: 5, end_column: 14 });
    }
}
