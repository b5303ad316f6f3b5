//! Strings and their holes.

use super::Hole;
use super::{IN_STRING, Lexer, is_line_end, range};
use crate::SyntaxKind::{self, *};
use crate::messages;
use crate::string_value::{Escape, scan_escape};

/// How many quotes open and close a multi-line string.
const BLOCK_QUOTES: usize = 3;

impl Lexer<'_> {
    /// At `'`.
    pub(super) fn string_start(&mut self) -> SyntaxKind {
        if self.is_at("'''") {
            self.at += BLOCK_QUOTES;
            return self.block_segment(true, 0);
        }
        self.at += 1;
        let kind = self.line_segment(true);
        if kind == StringLeft {
            self.holes.push(Hole::Line);
        }
        kind
    }

    /// At `$`: the start of an interpolated multi-line string, or nothing the language knows.
    pub(super) fn dollars(&mut self) -> SyntaxKind {
        let dollars = self.skip_run(b'$');
        if !self.is_at("'''") {
            return Unrecognized;
        }
        self.at += BLOCK_QUOTES;
        let kind = self.block_segment(true, dollars);
        if kind == StringLeft {
            self.holes.push(Hole::Block { dollars });
        }
        kind
    }

    /// At `}`: the end of an object, or of a hole.
    pub(super) fn close_brace(&mut self) -> SyntaxKind {
        self.at += 1;
        let kind = match self.holes.last() {
            Some(Hole::Line) => self.line_segment(false),
            Some(Hole::Block { dollars }) => self.block_segment(false, *dollars),
            // A brace inside a hole stays open: objects are not allowed there, and the reference goes on like this too.
            Some(Hole::Brace) | None => return RightBrace,
        };
        if kind == StringRight {
            self.holes.pop();
        }
        kind
    }

    /// The rest of a multi-line string up to its end or its next hole.
    fn block_segment(&mut self, is_first: bool, dollars: usize) -> SyntaxKind {
        while let Some(byte) = self.peek() {
            match byte {
                b'$' => {
                    let run = self.skip_run(b'$');
                    if dollars > 0 && run >= dollars && self.peek() == Some(b'{') {
                        self.at += 1;
                        return if is_first { StringLeft } else { StringMiddle };
                    }
                }
                b'\'' => {
                    if self.skip_run(b'\'') >= BLOCK_QUOTES {
                        return string_end(is_first);
                    }
                }
                _ => self.at += 1,
            }
        }
        self.diagnostics.push(messages::unterminated_block_string(self.token_range()));
        string_end(is_first)
    }

    /// The rest of a single-line string up to its end or its next hole.
    fn line_segment(&mut self, is_first: bool) -> SyntaxKind {
        loop {
            self.skip_class(IN_STRING);
            let Some(byte) = self.peek() else {
                self.diagnostics.push(messages::unterminated_string(self.token_range()));
                return string_end(is_first);
            };
            match byte {
                b'\'' => {
                    self.at += 1;
                    return string_end(is_first);
                }
                b'$' if self.peek_at(1) == Some(b'{') => {
                    self.at += 2;
                    return if is_first { StringLeft } else { StringMiddle };
                }
                b'\\' if self.at + 1 == self.text.len() => {
                    self.at += 1;
                    self.diagnostics.push(messages::unterminated_escape(self.token_range()));
                    return string_end(is_first);
                }
                b'\\' => self.escape(),
                _ if is_line_end(byte) => {
                    self.diagnostics.push(messages::unterminated_string_at_line_end(self.token_range()));
                    return string_end(is_first);
                }
                _ => self.at += 1,
            }
        }
    }

    /// At a backslash with something after it.
    fn escape(&mut self) {
        let start = self.at;
        match scan_escape(&self.text[start..]) {
            Escape::Valid { length, .. } => self.at += length,
            Escape::BadUnicode { length, is_cut_off } => {
                self.at += length;
                // A string that ends in the middle of the escape has only that mistake.
                if !is_cut_off {
                    self.diagnostics.push(messages::bad_unicode_escape(range(start, self.at)));
                }
            }
            Escape::Unknown { length } => {
                self.at += length;
                self.diagnostics.push(messages::unknown_escape(range(start, self.at)));
            }
        }
    }

    fn is_at(&self, text: &str) -> bool {
        self.text.as_bytes().get(self.at..).is_some_and(|rest| rest.starts_with(text.as_bytes()))
    }

    fn skip_run(&mut self, byte: u8) -> usize {
        let start = self.at;
        self.skip_while(|next| next == byte);
        self.at - start
    }
}

fn string_end(is_first: bool) -> SyntaxKind {
    if is_first { StringComplete } else { StringRight }
}
