//! A file: its statements one below the other, each laid out or left as it is.

use base::{Diagnostic, TextSize};
use bicep_syntax::{Element, Node, Parse, SyntaxKind::*, Token, Tree};

use crate::Options;
use crate::doc::EmptyLines;
use crate::layout::Layout;
use crate::positions::Positions;
use crate::print::Printer;

/// What happens to statements that could not be parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Broken {
    /// They stay as they are.
    Kept,
    LaidOut,
}

pub(crate) fn format(parse: &Parse, options: &Options, broken: Broken) -> (String, Positions) {
    let mut file = File {
        diagnostics: &parse.diagnostics,
        broken,
        layout: Layout::new(options.newline.text().len()),
        printer: Printer::new(options, parse.tree.text()),
        empty_lines: EmptyLines::default(),
        is_empty: true,
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
    file.printer.finish(options.insert_final_newline)
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
    printer: Printer<'t>,
    /// Since the last thing that was printed.
    empty_lines: EmptyLines,
    is_empty: bool,
    /// What has been printed as it is reaches to here.
    printed: TextSize,
}

impl<'t> File<'t> {
    fn line_end(&mut self, token: Token<'t>) {
        if token.has_comment_before() && self.printed < token.range().start() {
            self.begin();
            self.layout.clear();
            self.layout.comments(token);
            self.printer.print(self.layout.doc.pieces());
        }
        self.empty_lines.add(token.text());
    }

    /// A statement. One with mistakes is left as it is; a decorator without a declaration is laid out in any case.
    fn statement(&mut self, node: Node<'t>) {
        self.begin();
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
        // The first line ends behind it are part of it.
        self.begin();
        self.verbatim(rest);
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
    }

    /// Begins a line, behind the empty ones that stay.
    fn begin(&mut self) {
        let empty_lines = self.empty_lines.take();
        if !self.is_empty {
            self.printer.line(0);
            (0..empty_lines).for_each(|_| self.printer.line(0));
        }
        self.is_empty = false;
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

/// The text of a node with the comments that belong to its first and last token, and where it ends.
fn text_with_comments(node: Node<'_>) -> (&str, TextSize) {
    let Some((first, last)) = node.first_token().zip(node.last_token()) else {
        return ("", node.range().end());
    };
    let start = first.leading_trivia().next().unwrap_or(first).range().start();
    let end = last.trailing_trivia().last().unwrap_or(last).range().end();
    let text = node.tree().text().get(usize::from(start)..usize::from(end)).unwrap_or_default();
    (text.trim(), end)
}
