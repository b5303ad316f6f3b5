//! Lists: elements between brackets, arguments, parenthesised expressions.

use base::{TextRange, TextSize};

use super::{ALOUD, CompletedNode, Parsed, Parser, Started};
use crate::SyntaxKind::{self, *};
use crate::messages;

/// What stood between parentheses.
pub(super) struct ParenList {
    pub(super) node: Started,
    /// The elements that are not commas or line ends.
    pub(super) items: Vec<CompletedNode>,
    /// How many commas and line ends there were.
    pub(super) separators: usize,
    /// From the first to the last of them; empty behind the opening parenthesis when there are none.
    pub(super) inside: TextRange,
    pub(super) is_closed: bool,
}

impl ParenList {
    fn extend(&mut self, end: TextSize) {
        self.inside = TextRange::new(self.inside.start(), end.max(self.inside.start()));
    }
}

impl Parser<'_> {
    /// Elements of an array, an object or the like: each on its own line, or separated by commas on one line.
    pub(super) fn elements(&mut self, close: SyntaxKind, mut element: impl FnMut(&mut Self)) {
        if self.check(close) {
            return;
        }
        self.bump_lines();
        let mut expects_element = true;
        while !self.is_at_end() && !self.check(close) {
            if expects_element {
                element(self);
            } else {
                self.element_separator();
            }
            expects_element = !expects_element;
        }
    }

    fn element_separator(&mut self) {
        match self.kind() {
            NewLine => self.bump_lines(),
            Comma => {
                self.bump();
                if self.check(NewLine) {
                    // Common when a list is changed from one line to several.
                    self.missing(Some(&messages::LINE_END_AFTER_COMMA));
                    self.bump();
                }
            }
            _ => {
                self.missing(Some(&messages::EXPECTED_LINE_END_OR_COMMA));
            }
        }
    }

    /// Arguments: separated by commas, line ends allowed behind them.
    pub(super) fn arguments(&mut self, close: SyntaxKind, mut argument: impl FnMut(&mut Self)) {
        if self.check(close) {
            return;
        }
        self.bump_lines();
        let mut expects_argument = true;
        while !self.is_at_end() && !self.check(close) {
            if expects_argument {
                argument(self);
                expects_argument = false;
                continue;
            }
            match self.kind() {
                NewLine => {
                    if !self.line_end_between_arguments(close) {
                        return;
                    }
                }
                Comma => {
                    self.bump();
                    self.bump_lines();
                    if self.check(close) {
                        // A comma too many: the argument behind it is missing.
                        argument(self);
                    }
                }
                _ => {
                    self.missing(Some(&messages::EXPECTED_LINE_END_OR_COMMA));
                }
            }
            expects_argument = true;
        }
    }

    /// Says whether the list goes on. At the end of the file it does not, and the line ends stay where they are, so
    /// that the missing bracket is reported at the end of the list.
    fn line_end_between_arguments(&mut self, close: SyntaxKind) -> bool {
        let mut ahead = 1;
        while self.ahead(ahead).kind == NewLine && self.ahead(ahead).has_comment {
            ahead += 1;
        }
        match self.ahead(ahead).kind {
            EndOfFile => return false,
            kind if kind == close => {}
            _ => {
                self.missing(Some(&messages::EXPECTED_COMMA));
            }
        }
        self.bump_lines();
        true
    }

    /// `(a, b, …)`. The node is left open: what it is becomes clear behind the closing parenthesis.
    pub(super) fn paren_list(
        &mut self,
        allows_lines: bool,
        mut item: impl FnMut(&mut Self) -> Parsed<CompletedNode>,
    ) -> Parsed<ParenList> {
        let node = self.start();
        self.expect(LeftParen)?;
        let start = TextRange::empty(self.previous_end());
        let mut list = ParenList { node, items: Vec::new(), separators: 0, inside: start, is_closed: true };
        self.lines_in_list(&mut list, allows_lines);
        let mut last = ALOUD;
        while !self.check(RightParen) {
            let ends = &[StringRight, RightBrace, RightParen, RightSquare, NewLine, Comma];
            if list.separators == 0 {
                list.inside = TextRange::empty(self.here());
            }
            let done = self.recover(ALOUD, ends, &mut item);
            list.items.push(done);
            list.extend(if done.is_missing { self.here() } else { self.previous_end() });
            let has_lines = self.lines_in_list(&mut list, allows_lines);
            last = if has_lines { ALOUD } else { done.quiet() };
            if !self.check(Comma) {
                break;
            }
            self.separator(&mut list);
            self.lines_in_list(&mut list, allows_lines);
            last = ALOUD;
        }
        let ends = &[StringRight, RightBrace, RightSquare, NewLine];
        let close = self.recover_token(last, ends, |p| p.expect(RightParen));
        list.is_closed = !close.is_skipped();
        Ok(list)
    }

    /// Line ends between parentheses, where they are allowed. Says whether there were any.
    fn lines_in_list(&mut self, list: &mut ParenList, allows_lines: bool) -> bool {
        let before = list.separators;
        while allows_lines && self.check(NewLine) {
            self.separator(list);
        }
        list.separators > before
    }

    fn separator(&mut self, list: &mut ParenList) {
        if list.items.is_empty() && list.separators == 0 {
            list.inside = TextRange::empty(self.here());
        }
        self.bump();
        list.separators += 1;
        list.extend(self.previous_end());
    }
}
