//! Documents to text: decides for each group whether it stays on one line.

use base::{TextRange, TextSize};

use crate::doc::{Frame, Piece, lines, width_of};
use crate::positions::{Part, Positions};
use crate::{Indent, Options};

/// Wider indents are cut to this.
const MAX_INDENT: usize = 1000;

/// A statement that would need so much more text than the file has, by deep nesting and wide indents, is not laid out.
const MAX_GROWTH: usize = 64 << 20;

/// About as many bytes as a token and what is around it take.
const BYTES_PER_PART: usize = 8;

/// The text written so far.
pub(crate) struct Printer<'t> {
    /// The text that is laid out.
    source: &'t str,
    out: String,
    /// The parts of the source that have been written.
    parts: Vec<Part>,
    /// How much of the text is not white space at its end.
    solid: usize,
    column: usize,
    width: usize,
    newline: &'static str,
    indent: String,
    /// The white space before a line of a level, for all levels so far.
    indents: String,
    /// How long the text of one document may become.
    limit: usize,
    /// Only a line break may follow.
    must_end_line: bool,
    /// The states around the innermost frame.
    around: Vec<State>,
}

/// What holds for the pieces of a frame.
#[derive(Debug, Clone, Copy)]
struct State {
    is_flat: bool,
    level: usize,
}

impl<'t> Printer<'t> {
    /// Begins the new text of a file.
    pub(crate) fn new(options: &Options, source: &'t str) -> Self {
        let length = source.len();
        Self {
            source,
            out: String::with_capacity(length + length / 4),
            parts: Vec::with_capacity(length / BYTES_PER_PART),
            solid: 0,
            column: 0,
            width: options.width,
            newline: options.newline.text(),
            indent: match options.indent {
                Indent::Spaces(count) => " ".repeat(count.min(MAX_INDENT)),
                Indent::Tab => "\t".to_owned(),
            },
            indents: String::new(),
            limit: MAX_GROWTH.saturating_add(length),
            must_end_line: false,
            around: Vec::new(),
        }
    }

    /// Prints a document at the start of a line. If it becomes far too long nothing is printed; says whether it was.
    pub(crate) fn print(&mut self, pieces: &[Piece<'_>]) -> bool {
        let (start, parts) = (self.out.len(), self.parts.len());
        let mut state = State { is_flat: false, level: 0 };
        self.must_end_line = false;
        for piece in pieces {
            match *piece {
                Piece::Plain(text) => self.plain(text, state),
                Piece::Text(text) => self.text(text, state),
                Piece::Space => self.space(),
                Piece::ToLineEnd(text) => {
                    self.text(text, state);
                    self.must_end_line = true;
                }
                Piece::IfBroken(text) if !state.is_flat => self.plain(text, state),
                Piece::Line(" ") if state.is_flat => self.space(),
                Piece::Line(text) if state.is_flat => self.plain(text, state),
                Piece::Line(_) => self.line(state.level),
                Piece::Open(frame) => {
                    self.around.push(state);
                    state = self.enter(frame, state);
                }
                Piece::Close => state = self.around.pop().unwrap_or(state),
                Piece::IfBroken(_) | Piece::Gone => {}
            }
            if self.out.len() - start > self.limit {
                self.out.truncate(start);
                self.parts.truncate(parts);
                self.solid = self.solid.min(start);
                self.around.clear();
                return false;
            }
        }
        true
    }

    /// Writes text as it is, but for its line ends.
    pub(crate) fn verbatim(&mut self, text: &str) {
        for (index, line) in lines(text).enumerate() {
            if index > 0 {
                self.out.push_str(self.newline);
            }
            self.line_part(line);
        }
        self.solid = self.out.len();
    }

    /// Ends a line. White space at its end is dropped.
    pub(crate) fn line(&mut self, level: usize) {
        self.out.truncate(self.solid);
        self.out.push_str(self.newline);
        self.solid = self.out.len();
        self.must_end_line = false;
        self.column = self.indent.len() * level;
        while self.indents.len() < self.column {
            self.indents.push_str(&self.indent);
        }
        self.out.push_str(self.indents.get(..self.column).unwrap_or_default());
    }

    /// The whole text.
    pub(crate) fn finish(mut self, with_final_newline: bool) -> (String, Positions) {
        self.out.truncate(self.solid);
        if with_final_newline {
            self.out.push_str(self.newline);
        }
        (self.out, Positions::new(self.parts))
    }

    fn enter(&self, frame: Frame, state: State) -> State {
        let State { is_flat, level } = state;
        let in_frame = |is_flat| State { is_flat, level };
        match frame {
            Frame::Group { width, is_broken } => in_frame(is_flat || (!is_broken && self.fits(width))),
            Frame::Flat => in_frame(true),
            Frame::Indent if is_flat => state,
            Frame::Indent => State { level: level + 1, ..state },
            Frame::Tail => in_frame(false),
        }
    }

    fn fits(&self, width: usize) -> bool {
        self.column.saturating_add(width) <= self.width
    }

    fn plain(&mut self, text: &str, state: State) {
        if text.is_empty() {
            return;
        }
        self.end_line_if_needed(state);
        self.column += text.len();
        self.line_part(text);
        self.solid = self.out.len();
    }

    fn text(&mut self, text: &str, state: State) {
        if text.is_empty() {
            return;
        }
        self.end_line_if_needed(state);
        self.column += width_of(text, self.newline.len());
        self.verbatim(text);
    }

    fn end_line_if_needed(&mut self, state: State) {
        if self.must_end_line {
            // The layout puts a line break here. This is the last guard that no comment swallows what follows it.
            self.line(state.level);
        }
    }

    /// Writes a part of a line, and keeps where it is from.
    fn line_part(&mut self, text: &str) {
        // What is not from the source lies elsewhere in memory.
        let offset = text.as_ptr().addr().wrapping_sub(self.source.as_ptr().addr());
        if offset < self.source.len() {
            let before = TextRange::at(size(offset), TextSize::of(text));
            self.parts.push(Part { before, after: size(self.out.len()) });
        }
        self.out.push_str(text);
    }

    fn space(&mut self) {
        self.out.push(' ');
        self.column += 1;
    }
}

fn size(length: usize) -> TextSize {
    TextSize::new(u32::try_from(length).unwrap_or(u32::MAX))
}
