//! A file: its statements one below the other, each laid out or left as it is.

use base::{Diagnostic, TextSize};
use bicep_syntax::{Element, Node, Parse, SyntaxKind::*, Token, Tree};

use crate::Options;
use crate::doc::count_line_ends;
use crate::layout::{Layout, has_comments, is_laid_out_directive};
use crate::print::Printer;

const LINE_ENDS: [char; 2] = ['\r', '\n'];
const WHITE_SPACE: [char; 4] = [' ', '\t', '\r', '\n'];

/// What happens to statements that could not be parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Broken {
    /// They stay as they are.
    Kept,
    LaidOut,
}

pub(crate) fn format(parse: &Parse, options: &Options, broken: Broken) -> String {
    let mut file = File {
        diagnostics: &parse.diagnostics,
        broken,
        layout: Layout::new(options.newline.text().len()),
        printer: Printer::new(options, parse.tree.text().len()),
        line_ends: 0,
        is_empty: true,
        is_tight: false,
        is_last_broken: false,
        printed: TextSize::new(0),
    };
    let elements = elements(&parse.tree);
    let mut rest = elements.as_slice();
    while let Some((element, after)) = rest.split_first() {
        rest = after;
        match *element {
            Element::Token(token) => file.line_end(token),
            Element::Node(node) if node.is_skipped() => file.left_alone(node),
            Element::Node(node) => {
                file.statement(node);
                if let Some((Element::Node(behind), after)) = after.split_first()
                    && behind.is_skipped()
                {
                    file.text_behind(*behind);
                    rest = after;
                }
            }
        }
    }
    // What is broken at the end of a file may be read in another way when the last line end is taken away.
    let keeps_line_end = file.is_last_broken && parse.tree.text().ends_with(['\n', '\r']);
    file.printer.finish(options.insert_final_newline || keeps_line_end)
}

/// The elements of the file; decorators without a declaration count for themselves.
fn elements(tree: &Tree) -> Vec<Element<'_>> {
    let mut elements = Vec::with_capacity(tree.root().elements().len());
    for element in tree.root().elements() {
        match element {
            Element::Node(node) if node.kind() == MissingDeclaration => elements.extend(node.elements()),
            element => elements.push(element),
        }
    }
    elements
}

struct File<'t> {
    diagnostics: &'t [Diagnostic],
    broken: Broken,
    layout: Layout<'t>,
    printer: Printer,
    /// Line ends since the last thing that was printed.
    line_ends: usize,
    is_empty: bool,
    /// No empty line may follow.
    is_tight: bool,
    /// Whether the last statement was printed as it is.
    is_last_broken: bool,
    /// What has been printed as it is reaches to here.
    printed: TextSize,
}

impl<'t> File<'t> {
    fn line_end(&mut self, token: Token<'t>) {
        if has_comments(token) && self.printed < token.range().start() {
            self.begin();
            self.layout.clear();
            self.layout.comments(token);
            self.printer.print(self.layout.doc.pieces());
        }
        self.line_ends += count_line_ends(token.text());
    }

    /// A statement. One with mistakes is left as it is; a decorator without a declaration is laid out in any case.
    fn statement(&mut self, node: Node<'t>) {
        self.begin();
        self.is_last_broken = false;
        let is_laid_out = match (self.is_broken(node), node.kind()) {
            (false, _) => self.layout.statement(node),
            (true, Decorator) => self.layout.broken(node),
            (true, _) => self.broken == Broken::LaidOut && self.layout.broken(node),
        };
        if !is_laid_out || !self.printer.print(self.layout.doc.pieces()) {
            self.verbatim(node);
        }
    }

    /// Text behind a statement that does not belong to it: it goes on a line of its own.
    fn text_behind(&mut self, rest: Node<'t>) {
        if rest.range().is_empty() {
            return;
        }
        self.begin();
        self.verbatim(rest);
        self.is_last_broken &= !is_directive(rest);
        // The line ends behind it are part of it.
        self.is_tight = true;
    }

    /// Text that could not be read at all.
    fn left_alone(&mut self, node: Node<'t>) {
        if !node.range().is_empty() {
            self.begin();
            self.verbatim(node);
        }
    }

    fn verbatim(&mut self, node: Node<'t>) {
        let (text, end) = text_with_comments(node);
        self.printer.verbatim(text);
        self.printed = end;
        self.is_last_broken = true;
    }

    /// Begins a line, behind an empty one if there were any.
    fn begin(&mut self) {
        if !self.is_empty {
            self.printer.line(0);
            if self.line_ends > 1 && !self.is_tight {
                self.printer.line(0);
            }
        }
        self.is_empty = false;
        self.is_tight = false;
        self.line_ends = 0;
    }

    /// Whether there is a mistake in a statement. The diagnostics are sorted by where they start.
    fn is_broken(&self, node: Node<'_>) -> bool {
        let range = node.range();
        let first = self.diagnostics.partition_point(|diagnostic| diagnostic.range.start() < range.start());
        let rest = self.diagnostics.get(first..).unwrap_or_default();
        let is_inside = |diagnostic: &&Diagnostic| match node.kind() {
            // That the end of its line is missing is no mistake in a decorator.
            Decorator => diagnostic.range.start() < range.end(),
            _ => diagnostic.range.start() <= range.end(),
        };
        rest.iter().take_while(is_inside).any(|diagnostic| diagnostic.range.end() <= range.end())
    }
}

/// The text of a node with the comments around it, and where it ends.
fn text_with_comments(node: Node<'_>) -> (&str, TextSize) {
    let Some((first, last_token)) = node.first_token().zip(node.last_token()) else {
        return ("", node.range().end());
    };
    let start = first.leading_trivia().next().unwrap_or(first).range().start();
    let end = end_with_comments(last_token, node);
    // White space at the end goes, but for what belongs to a string that does not end.
    let solid = std::iter::successors(Some(last_token), |token| token.previous())
        .find(|token| token.kind() != NewLine && !token.range().is_empty())
        .map_or(start, |token| token.range().end().max(start));
    let text = |from: TextSize, to: TextSize| {
        node.tree().text().get(usize::from(from)..usize::from(to)).unwrap_or_default()
    };
    let length = text(start, solid).len() + text(solid, end).trim_end_matches(WHITE_SPACE).len();
    let text = text(start, end).get(..length).unwrap_or_default();
    (text.trim_start_matches(WHITE_SPACE).trim_end_matches(LINE_ENDS), end)
}

/// Where broken text ends, with the comments behind it. Whether these are inside or outside of it can depend on as
/// little as the last line end of the file, so they stay with it in any case.
fn end_with_comments(token: Token<'_>, node: Node<'_>) -> TextSize {
    let next = token.next().filter(|next| match next.kind() {
        NewLine => token.kind() != NewLine,
        EndOfFile => token.kind() != NewLine || !node.is_skipped(),
        _ => false,
    });
    match next {
        Some(next) => next.range().start(),
        None => token.trailing_trivia().last().unwrap_or(token).range().end(),
    }
}

/// Whether text behind a statement becomes a directive when it is moved.
fn is_directive(rest: Node<'_>) -> bool {
    is_laid_out_directive(text_with_comments(rest).0).is_some()
}
