//! Where the parts of a text have gone. A place in the text that was laid out comes in; its place in the result goes out.

use base::{TextRange, TextSize};

/// Where the parts of a file are in its new text.
#[derive(Debug, Default)]
pub struct Positions {
    /// In the order of where they were.
    parts: Vec<Part>,
}

/// A text without line ends that was moved as it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part {
    pub(crate) before: TextRange,
    pub(crate) after: TextSize,
}

impl Positions {
    pub(crate) fn new(mut parts: Vec<Part>) -> Self {
        // Comments may change places with what they stand beside.
        parts.sort_by_key(|part| part.before.start());
        Self { parts }
    }

    /// Where the things in a range have gone.
    pub fn range(&self, range: TextRange) -> TextRange {
        let start = self
            .after(self.parts.partition_point(|part| part.before.start() <= range.start()), range.start());
        let end = match range.is_empty() {
            true => start,
            // Not where the next thing begins, which may be on another line.
            false => {
                self.after(self.parts.partition_point(|part| part.before.start() < range.end()), range.end())
            }
        };
        TextRange::new(start, end.max(start))
    }

    /// Where a place is in the last part before a number of a part. What is between parts has moved to the end of the one before.
    fn after(&self, next: usize, at: TextSize) -> TextSize {
        let part = next.checked_sub(1).and_then(|last| self.parts.get(last));
        part.map_or_else(TextSize::default, |part| {
            part.after + (at - part.before.start()).min(part.before.len())
        })
    }
}

#[cfg(test)]
mod tests {
    use bicep_syntax::{Dialect, parse};

    use super::*;
    use crate::{Options, format_with_positions};

    /// What stands where a part of a text has gone.
    #[track_caller]
    fn moved(source: &str, part: &str) -> String {
        let start = source.find(part).unwrap();
        let range = TextRange::at(TextSize::try_from(start).unwrap(), TextSize::of(part));
        let (text, positions) = format_with_positions(&parse(source, Dialect::Bicep), &Options::default());
        text[std::ops::Range::<usize>::from(positions.range(range))].to_owned()
    }

    #[test]
    fn what_was_in_a_range_is_in_it_again() {
        let source = "var a=[1,2]\nvar long = concat('first','second')\nvar b= {\nc:a // why\nd:1}\n";
        assert_eq!(moved(source, "a"), "a");
        assert_eq!(moved(source, "[1,2]"), "[1, 2]");
        assert_eq!(moved(source, "concat('first','second')"), "concat('first', 'second')");
        assert_eq!(moved(source, "{\nc:a // why\nd:1}"), "{\n  c: a // why\n  d: 1\n}");
        assert_eq!(moved(source, "// why"), "// why");
    }

    #[test]
    fn what_could_not_be_parsed_stays_as_it_is() {
        assert_eq!(moved("var a=1\nvar = = 2\nvar b=3\n", "= = 2"), "= = 2");
        assert_eq!(moved("var a=1\nvar = = 2\nvar b=3\n", "b=3"), "b = 3");
    }

    #[test]
    fn lines_of_a_text_keep_their_places() {
        let source = "var a='''\r\nfirst\r\nsecond\r\n'''\r\nvar b=1\r\n";
        assert_eq!(moved(source, "second"), "second");
        assert_eq!(moved(source, "b=1"), "b = 1");
    }

    #[test]
    fn an_empty_range_stays_empty() {
        let (_, positions) = format_with_positions(&parse("var a=1\n", Dialect::Bicep), &Options::default());
        assert_eq!(positions.range(TextRange::empty(6.into())), TextRange::empty(8.into()));
        assert_eq!(Positions::default().range(TextRange::empty(6.into())), TextRange::empty(0.into()));
    }
}
