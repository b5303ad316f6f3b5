//! Replacements in a text, and the way back from a position in the result.

use std::ops::Range;

/// Replacements that do not overlap.
#[derive(Debug, Default)]
pub(super) struct Edits {
    list: Vec<Edit>,
}

#[derive(Debug)]
struct Edit {
    range: Range<usize>,
    text: String,
}

impl Edits {
    /// Replaces a range.
    pub(super) fn replace(&mut self, range: Range<usize>, text: String) {
        self.list.push(Edit { range, text });
    }

    /// Inserts a text.
    pub(super) fn insert(&mut self, at: usize, text: String) {
        self.replace(at..at, text);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The text with all replacements made. Those at the same place stand in the order in which they were asked for.
    pub(super) fn apply(&mut self, text: &str) -> String {
        self.list.sort_by_key(|edit| (edit.range.start, edit.range.end));
        let mut out = String::with_capacity(text.len() * 2);
        let mut from = 0;
        for edit in &self.list {
            out.push_str(text.get(from..edit.range.start).unwrap_or_default());
            out.push_str(&edit.text);
            from = edit.range.end;
        }
        out.push_str(text.get(from..).unwrap_or_default());
        out
    }

    /// Where a byte of the result was before; for a byte of a replacement, where the replaced range started.
    pub(super) fn original(&self, offset: usize) -> usize {
        let mut shift = 0_isize;
        for edit in &self.list {
            let start = edit.range.start.saturating_add_signed(shift);
            if offset < start {
                break;
            }
            if offset < start + edit.text.len() {
                return edit.range.start;
            }
            shift += edit.text.len() as isize - edit.range.len() as isize;
        }
        offset.saturating_add_signed(-shift)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_lead_back() {
        let mut edits = Edits::default();
        edits.replace(6..9, "longer".to_owned());
        edits.insert(2, "++".to_owned());
        let text = edits.apply("abcdef---xyz");
        assert_eq!(text, "ab++cdeflongerxyz");
        let back = |part: &str| edits.original(text.find(part).unwrap());
        assert_eq!(
            (back("a"), back("+"), back("c"), back("longer"), back("ger"), back("x")),
            (0, 2, 2, 6, 6, 9)
        );
    }
}
