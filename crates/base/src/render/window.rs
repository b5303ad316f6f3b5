//! Cut-outs of a file for showing: the lines between some marks, long lines shortened around the marks.

use std::ops::Range;

use text_size::{TextRange, TextSize};

use crate::SourceFile;

/// A cut-out. Lines end with `\n`, whatever they end with in the file.
pub(super) struct Window {
    pub text: String,
    /// The number of the first line, counted from one.
    pub first_line: usize,
    /// Whether no line was shortened.
    pub whole: bool,
    pieces: Vec<Piece>,
}

/// Bytes of the file, and where they stand in the cut-out.
struct Piece {
    source: Range<usize>,
    at: usize,
}

const LONGEST_LINE: usize = 240;
const KEPT_AROUND_A_MARK: usize = 60;

impl Window {
    /// The lines from the first to the last mark. Marks fit the file; there is at least one.
    pub(super) fn new(file: &SourceFile, marks: &[TextRange]) -> Self {
        let line = |at: TextSize| file.lines().line(at);
        let first = marks.iter().map(|mark| line(mark.start())).min().unwrap_or(0);
        let last = marks.iter().map(|mark| line(mark.end())).max().unwrap_or(first);
        let mut window =
            Self { text: String::new(), first_line: first as usize + 1, whole: true, pieces: Vec::new() };
        for number in first..=last {
            window.push_line(file, line_range(file, number), marks);
        }
        window
    }

    /// Where a range of the file stands in the cut-out.
    pub(super) fn place(&self, range: TextRange) -> Range<usize> {
        self.offset(range.start().into())..self.offset(range.end().into())
    }

    fn push_line(&mut self, file: &SourceFile, line: Range<usize>, marks: &[TextRange]) {
        let kept = kept_of_line(file.text(), &line, marks);
        self.whole &= kept.first() == Some(&line);
        let mut reached = line.start;
        for source in kept {
            if source.start > reached {
                self.text.push('…');
            }
            reached = source.end;
            self.pieces.push(Piece { source: source.clone(), at: self.text.len() });
            self.text.push_str(file.text().get(source).unwrap_or_default());
        }
        if reached < line.end {
            self.text.push('…');
        }
        self.text.push('\n');
    }

    fn offset(&self, at: usize) -> usize {
        let after = self.pieces.partition_point(|piece| piece.source.start <= at);
        match after.checked_sub(1).and_then(|index| self.pieces.get(index)) {
            Some(piece) => piece.at + (at - piece.source.start).min(piece.source.len()),
            None => 0,
        }
    }
}

/// A line without its line end.
fn line_range(file: &SourceFile, number: u32) -> Range<usize> {
    let start = usize::from(file.lines().line_start(number));
    let end = usize::from(file.lines().line_start(number + 1));
    let line = file.text().get(start..end).unwrap_or_default();
    start..start + line.trim_end_matches(['\r', '\n']).len()
}

/// The parts of a line that are shown: all of a short one, of a long one what is near the marks.
fn kept_of_line(text: &str, line: &Range<usize>, marks: &[TextRange]) -> Vec<Range<usize>> {
    if line.len() <= LONGEST_LINE {
        return vec![line.clone()];
    }
    let around = |at: usize| {
        let start = text.floor_char_boundary(at.saturating_sub(KEPT_AROUND_A_MARK));
        let end = text.floor_char_boundary(at + KEPT_AROUND_A_MARK);
        start.max(line.start)..end.min(line.end)
    };
    let ends = marks.iter().flat_map(|mark| [mark.start().into(), mark.end().into()]);
    let mut wanted: Vec<_> =
        ends.filter(|at: &usize| (line.start..=line.end).contains(at)).map(around).collect();
    if wanted.is_empty() {
        wanted.push(around(line.start));
    }
    wanted.sort_by_key(|range| (range.start, range.end));
    let mut kept: Vec<Range<usize>> = Vec::new();
    for range in wanted {
        match kept.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => kept.push(range),
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_shortened_around_the_marks() {
        let text = format!("first\n{}MARK{}END\nlast", "é".repeat(1000), "x".repeat(1000));
        let file = SourceFile::new("a", text.as_str());
        let at = text.find("MARK").unwrap();
        let mark = TextRange::at(u32::try_from(at).unwrap().into(), 4.into());
        let window = Window::new(&file, &[mark]);
        assert_eq!(window.text, format!("…{}MARK{}…\n", "é".repeat(30), "x".repeat(60)));
        assert_eq!(&window.text[window.place(mark)], "MARK");
        assert_eq!((window.first_line, window.whole), (2, false));
    }

    #[test]
    fn offsets_stay_in_order_and_inside() {
        let text = format!("a\r\n{}\rb💪\n\n", "xy".repeat(300));
        let file = SourceFile::new("a", text.as_str());
        let range = |start: usize, end: usize| {
            TextRange::new(u32::try_from(start).unwrap().into(), u32::try_from(end).unwrap().into())
        };
        let window = Window::new(&file, &[range(1, 300), range(610, text.len())]);
        let offsets: Vec<_> = (0..=text.len()).map(|at| window.offset(at)).collect();
        assert!(offsets.is_sorted());
        assert!(offsets.iter().all(|at| *at <= window.text.len()));
    }
}
