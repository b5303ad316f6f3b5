//! Strings with holes.

use base::TextRange;

use super::{ALOUD, Allowed, CompletedNode, Parsed, Parser};
use crate::SyntaxKind::{self, *};
use crate::messages::{self, Message};
use crate::string_value::{Delimiters, TokenPosition};

const HOLE_ENDS: &[SyntaxKind] = &[StringMiddle, StringRight, NewLine];

impl Parser<'_> {
    /// A string, or the message that one is expected here.
    pub(super) fn string_or(&mut self, message: &Message) -> Parsed<CompletedNode> {
        let token = self.current();
        let string = self.string();
        if string.is_skipped() { Err(self.expected_at(token, message)) } else { Ok(string) }
    }

    /// A string. One that does not end, or has a bad escape in it, is skipped.
    pub(super) fn string(&mut self) -> CompletedNode {
        self.string_as(Str)
    }

    pub(super) fn string_as(&mut self, kind: SyntaxKind) -> CompletedNode {
        // The lexer reports every string that does not end and every bad escape.
        if self.check(StringComplete) && self.lexer_diagnostics.is_empty() {
            return self.single(kind);
        }
        let from = self.at;
        let node = self.start();
        let mut segments = Segments::default();
        loop {
            let is_first = self.at == from;
            let (end, hole) =
                if is_first { (StringComplete, StringLeft) } else { (StringRight, StringMiddle) };
            if self.check(end) {
                segments.push(self, true);
                self.bump();
                let kind = if segments.is_good { kind } else { Skipped };
                return self.finish(node, kind);
            }
            let goes_on = if self.check(hole) {
                segments.push(self, false);
                self.bump();
                self.hole();
                !self.check(NewLine) && !self.is_at_end()
            } else {
                self.skip_in_hole();
                self.check_any(&[StringMiddle, StringRight])
            };
            if !goes_on {
                let is_missing = self.at == from;
                return CompletedNode { is_missing, ..self.finish(node, Skipped) };
            }
        }
    }

    /// The expression of a hole and whatever else stands before the end of the hole.
    fn hole(&mut self) {
        let value = self.recover(ALOUD, HOLE_ENDS, |p| p.expression(Allowed::SIMPLE));
        if self.check_any(HOLE_ENDS) {
            return;
        }
        let node = self.start_around(value);
        self.skip_in_hole();
        self.finish(node, Skipped);
    }

    fn skip_in_hole(&mut self) {
        let start = self.here();
        let skipped = self.skip_from(self.at, HOLE_ENDS);
        let end = if skipped.is_missing { start } else { self.previous_end() };
        self.diagnostics.push(messages::JUNK_IN_HOLE.at(TextRange::new(start, end)));
    }
}

/// Checks the tokens of one string while they go by.
#[derive(Default)]
struct Segments {
    delimiters: Option<Delimiters>,
    is_good: bool,
}

impl Segments {
    fn push(&mut self, parser: &Parser<'_>, is_last: bool) {
        let text = parser.text_of(parser.current());
        let is_first = self.delimiters.is_none();
        let delimiters = self.delimiters.get_or_insert_with(|| Delimiters::of_first_token(text));
        let is_good = delimiters.value(text, TokenPosition { is_first, is_last }).is_some();
        self.is_good = is_good && (is_first || self.is_good);
    }
}
