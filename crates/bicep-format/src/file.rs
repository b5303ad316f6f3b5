//! A file: its statements one below the other, each laid out or left as it is.

use base::{Diagnostic, TextRange};
use bicep_syntax::{Element, Node, Parse, SyntaxKind::*, Token, Tree};

use crate::Options;
use crate::doc::count_line_ends;
use crate::layout::{Layout, has_comments};
use crate::print::Printer;

/// Words that begin a statement in some kind of file.
const STATEMENT_KEYWORDS: [&str; 18] = [
    "assert",
    "extends",
    "extension",
    "extensionConfig",
    "func",
    "import",
    "metadata",
    "module",
    "output",
    "param",
    "provider",
    "resource",
    "targetScope",
    "test",
    "type",
    "using",
    "var",
    "with",
];

pub(crate) fn format(parse: &Parse, options: &Options) -> String {
    let mut file = File {
        tree: &parse.tree,
        diagnostics: &parse.diagnostics,
        layout: Layout::new(options.newline.text().len()),
        printer: Printer::new(options),
        line_ends: 0,
        is_empty: true,
    };
    let mut elements = elements(&parse.tree).peekable();
    while let Some(element) = elements.next() {
        match element {
            Element::Token(token) => file.line_end(token),
            Element::Node(node) if node.kind() == Skipped => file.left_alone(node, node),
            Element::Node(node) => {
                // Text behind a statement on its last line.
                let rest = elements.next_if(|next| next.kind() == Skipped).and_then(Element::node);
                file.statement(node, rest);
            }
        }
    }
    file.printer.finish(options.insert_final_newline)
}

/// The elements of the file; decorators without a declaration count for themselves.
fn elements(tree: &Tree) -> impl Iterator<Item = Element<'_>> {
    tree.root().elements().flat_map(|element| match element {
        Element::Node(node) if node.kind() == MissingDeclaration => node.elements().collect(),
        element => vec![element],
    })
}

struct File<'t> {
    tree: &'t Tree,
    diagnostics: &'t [Diagnostic],
    layout: Layout<'t>,
    printer: Printer,
    /// Line ends since the last thing that was printed.
    line_ends: usize,
    is_empty: bool,
}

impl<'t> File<'t> {
    fn line_end(&mut self, token: Token<'t>) {
        if has_comments(token) {
            self.begin();
            self.layout.clear();
            self.layout.comments(token);
            self.printer.print(self.layout.doc.pieces());
        }
        self.line_ends += count_line_ends(token.text());
    }

    fn statement(&mut self, node: Node<'t>, rest: Option<Node<'t>>) {
        match rest {
            Some(rest) if !may_move(rest) => self.left_alone(node, rest),
            _ => {
                self.begin();
                let is_laid_out = !self.is_broken(node.range())
                    && self.layout.statement(node)
                    && self.printer.print(self.layout.doc.pieces());
                if !is_laid_out {
                    self.verbatim(node, node);
                }
                if let Some(rest) = rest {
                    self.begin();
                    self.verbatim(rest, rest);
                    self.line_ends = 1;
                }
            }
        }
    }

    /// From the first to the last node as it is.
    fn left_alone(&mut self, first: Node<'t>, last: Node<'t>) {
        if last.range().is_empty() {
            return;
        }
        self.begin();
        self.verbatim(first, last);
        self.line_ends = last
            .last_token()
            .filter(|token| token.kind() == NewLine)
            .map_or(0, |token| count_line_ends(token.text()));
    }

    fn verbatim(&mut self, first: Node<'t>, last: Node<'t>) {
        let start = first.first_token().map_or(first.range().start(), |token| {
            token.leading_trivia().next().map_or(token.range().start(), |trivia| trivia.range().start())
        });
        let end = last.last_token().map_or(last.range().end(), |token| {
            token.trailing_trivia().last().map_or(token.range().end(), |trivia| trivia.range().end())
        });
        let text = self.tree.text().get(usize::from(start)..usize::from(end)).unwrap_or_default();
        self.printer.verbatim(text.trim_matches([' ', '\t', '\r', '\n']));
    }

    /// Begins a line, behind an empty one if there were any.
    fn begin(&mut self) {
        if !self.is_empty {
            self.printer.line(0);
            if self.line_ends > 1 {
                self.printer.line(0);
            }
        }
        self.is_empty = false;
        self.line_ends = 0;
    }

    /// Whether there is a mistake in a range. The diagnostics are sorted by where they start.
    fn is_broken(&self, range: TextRange) -> bool {
        let first = self.diagnostics.partition_point(|diagnostic| diagnostic.range.start() < range.start());
        let rest = self.diagnostics.get(first..).unwrap_or_default();
        rest.iter()
            .take_while(|diagnostic| diagnostic.range.start() <= range.end())
            .any(|diagnostic| diagnostic.range.end() <= range.end())
    }
}

/// Whether text behind a statement may be put on a line of its own. It must mean no more there than it does here.
fn may_move(rest: Node<'_>) -> bool {
    let Some(first) = rest.first_token() else { return true };
    match first.kind() {
        At => false,
        Identifier => !STATEMENT_KEYWORDS.contains(&first.text()),
        _ => true,
    }
}
