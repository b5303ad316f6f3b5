//! A document: text whose line breaks are not decided yet, as a flat list of pieces.
//!
//! While pieces are appended, two sums run along: the width of everything on one line, and the number of breaks that
//! cannot be avoided. What a group needs to know about its content is the difference between its end and its start,
//! so measuring costs nothing and printing looks at each piece once.

/// One piece of a document.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Piece<'t> {
    /// Text that is a part of a line in ASCII, as nearly all is: it is as wide as it is long.
    Plain(&'t str),
    /// Any other text. Line ends in it become those of the options.
    Text(&'t str),
    /// A space; dropped at the end of a line.
    Space,
    /// Text that reaches to the end of its line and does not count for the width.
    ToLineEnd(&'t str),
    /// Text that is there only in a broken group.
    IfBroken(&'static str),
    /// A line break, or this text in a group on one line.
    Line(&'static str),
    /// The start of a frame, up to its [`Piece::Close`].
    Open(Frame),
    /// The end of the innermost frame.
    Close,
    /// What has been taken away again.
    Gone,
}

/// What holds for the pieces between an [`Piece::Open`] and its [`Piece::Close`].
#[derive(Debug, Clone, Copy)]
pub(crate) enum Frame {
    /// On one line if nothing in it breaks and it fits into this width, broken at each of its own lines otherwise.
    Group { width: usize, is_broken: bool },
    /// On one line, fit or not.
    Flat,
    /// One level further in, if the group around it is broken.
    Indent,
    /// Broken, in a group that stays on one line up to here: the last argument of a call.
    Tail,
}

/// A place in a document, to measure from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mark {
    piece: usize,
    width: usize,
    breaks: usize,
    tails: usize,
}

/// A document that is being put together.
#[derive(Debug)]
pub(crate) struct Doc<'t> {
    pieces: Vec<Piece<'t>>,
    newline_width: usize,
    width: usize,
    breaks: usize,
    /// The widths at which tails start. The width of a group ends with the first of them.
    tails: Vec<usize>,
    /// The breaks inside the last tail. They do not break the call that it is an argument of.
    tail_breaks: usize,
    must_end_line: bool,
}

impl<'t> Doc<'t> {
    pub(crate) fn new(newline_width: usize) -> Self {
        Self {
            // Enough for most statements.
            pieces: Vec::with_capacity(1024),
            newline_width,
            width: 0,
            breaks: 0,
            tails: Vec::new(),
            tail_breaks: 0,
            must_end_line: false,
        }
    }

    pub(crate) fn clear(&mut self) {
        self.pieces.clear();
        self.tails.clear();
        self.width = 0;
        self.breaks = 0;
        self.tail_breaks = 0;
        self.must_end_line = false;
    }

    pub(crate) fn pieces(&self) -> &[Piece<'t>] {
        &self.pieces
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Whether nothing but a line break may follow.
    pub(crate) fn must_end_line(&self) -> bool {
        self.must_end_line
    }

    pub(crate) fn text(&mut self, text: &'t str) {
        if is_plain(text) {
            return self.plain(text);
        }
        self.width += width_of(text, self.newline_width);
        self.push(Piece::Text(text));
    }

    /// Text that is known to be a part of a line in ASCII.
    pub(crate) fn plain(&mut self, text: &'t str) {
        debug_assert!(is_plain(text));
        self.width += text.len();
        self.push(Piece::Plain(text));
    }

    pub(crate) fn space(&mut self) {
        self.width += 1;
        self.push(Piece::Space);
    }

    /// Text behind which the line must end. It breaks every group in which something follows.
    pub(crate) fn text_to_line_end(&mut self, text: &'t str) {
        self.push(Piece::ToLineEnd(text));
        self.end_line();
    }

    /// A space that does not count for the width.
    pub(crate) fn free_space(&mut self) {
        self.push(Piece::Space);
    }

    /// Nothing but a line break may follow.
    pub(crate) fn end_line(&mut self) {
        self.must_end_line = true;
    }

    pub(crate) fn text_if_broken(&mut self, text: &'static str) {
        self.push(Piece::IfBroken(text));
    }

    pub(crate) fn line(&mut self, or: &'static str) {
        self.width += or.len();
        self.push(Piece::Line(or));
    }

    /// A line break that cannot be avoided.
    pub(crate) fn hard_line(&mut self) {
        self.force_break();
        self.push(Piece::Line(""));
    }

    /// Breaks the groups around this place.
    pub(crate) fn force_break(&mut self) {
        self.breaks += 1;
    }

    pub(crate) fn open(&mut self, frame: Frame) -> Mark {
        let mark = self.mark();
        self.pieces.push(Piece::Open(frame));
        mark
    }

    pub(crate) fn open_group(&mut self) -> Mark {
        self.open(Frame::Group { width: 0, is_broken: false })
    }

    pub(crate) fn close(&mut self) {
        self.pieces.push(Piece::Close);
    }

    pub(crate) fn close_group(&mut self, start: Mark) {
        let is_broken = self.breaks - start.breaks > std::mem::take(&mut self.tail_breaks);
        let group = Frame::Group { width: self.width_since(start), is_broken };
        self.replace(start, Piece::Open(group));
        self.close();
    }

    /// The width from a mark to here, or to the first tail.
    fn width_since(&self, start: Mark) -> usize {
        let end = self.tails.get(start.tails).map_or(self.width, |tail| tail + 1);
        end.saturating_sub(start.width)
    }

    /// Closes a group that stays on one line, fit or not, unless something in it breaks.
    pub(crate) fn close_flat_group(&mut self, start: Mark) {
        let has_breaks = self.has_breaks_since(start);
        self.close_group(start);
        if !has_breaks {
            self.replace(start, Piece::Open(Frame::Flat));
        }
    }

    /// Closes what was opened as a group but should not decide anything: each group in it is on its own.
    pub(crate) fn close_without_group(&mut self, start: Mark) {
        self.close_group(start);
        self.replace(start, Piece::Open(Frame::Group { width: 0, is_broken: true }));
    }

    /// Makes a closed group what ends a call: broken, while the rest of the call stays on one line.
    pub(crate) fn end_call_with(&mut self, start: Mark) {
        self.replace(start, Piece::Open(Frame::Tail));
        self.tails.truncate(start.tails);
        self.tails.push(start.width);
        self.tail_breaks = self.breaks - start.breaks;
    }

    pub(crate) fn has_breaks_since(&self, start: Mark) -> bool {
        self.breaks > start.breaks
    }

    /// Takes away the piece at a place; a frame must be taken away together with its end.
    pub(crate) fn remove(&mut self, at: Mark) {
        self.replace(at, Piece::Gone);
    }

    /// The place of the next piece.
    pub(crate) fn mark(&self) -> Mark {
        Mark { piece: self.pieces.len(), width: self.width, breaks: self.breaks, tails: self.tails.len() }
    }

    fn replace(&mut self, at: Mark, piece: Piece<'t>) {
        if let Some(place) = self.pieces.get_mut(at.piece) {
            *place = piece;
        }
    }

    fn push(&mut self, piece: Piece<'t>) {
        if std::mem::take(&mut self.must_end_line) {
            self.breaks += 1;
        }
        self.pieces.push(piece);
    }
}

/// Whether a text is a part of a line in ASCII, as nearly all are. A loop without an early end is the fastest way to know.
pub(crate) fn is_plain(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii() & (byte != b'\n') & (byte != b'\r');
    text.bytes().fold(true, |all, byte| all & is_plain(byte))
}

/// The width of a text in UTF-16 code units.
pub(crate) fn width_of(text: &str, newline_width: usize) -> usize {
    let units: usize = lines(text).map(|line| line.encode_utf16().count()).sum();
    units + count_line_ends(text) * newline_width
}

/// The lines of a text. Line feed, carriage return and both together end a line.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let end = memchr::memchr2(b'\n', b'\r', text.as_bytes());
        let Some((line, after)) = end.and_then(|end| Some((text.get(..end)?, text.get(end + 1..)?))) else {
            rest = None;
            return Some(text);
        };
        let was_return = text.as_bytes().get(line.len()) == Some(&b'\r');
        rest = Some(if was_return { after.strip_prefix('\n').unwrap_or(after) } else { after });
        Some(line)
    })
}

/// The empty lines between two things. Line ends with nothing between them are one token, so that empty lines become one;
/// lines of white space are a token each and stay, as in the reference.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct EmptyLines {
    count: usize,
    last: Option<LineEnd>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum LineEnd {
    Single,
    Several,
}

impl EmptyLines {
    /// Goes on with a token of line ends.
    pub(crate) fn add(&mut self, token: &str) {
        let kind = match count_line_ends(token) {
            0 => return,
            1 => LineEnd::Single,
            _ => LineEnd::Several,
        };
        let adds = match kind {
            LineEnd::Single => self.last == Some(LineEnd::Single),
            LineEnd::Several => self.last != Some(LineEnd::Several),
        };
        self.count += usize::from(adds);
        self.last = Some(kind);
    }

    /// The same for line ends behind a decorator, where empty lines go.
    pub(crate) fn add_behind_decorator(&mut self, token: &str) {
        if count_line_ends(token) == 1 {
            self.add(token);
        }
    }

    /// How many there were; the next thing begins.
    pub(crate) fn take(&mut self) -> usize {
        std::mem::take(self).count
    }
}

/// How many line ends a text has.
pub(crate) fn count_line_ends(text: &str) -> usize {
    if text == "\n" {
        return 1;
    }
    lines(text).count().saturating_sub(1)
}
