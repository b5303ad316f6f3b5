//! Text of an expression to tokens.

use base::{TextRange, TextSize};

use crate::error::Error;
use crate::messages;

/// One token with its place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Token<'t> {
    pub kind: TokenKind<'t>,
    pub range: TextRange,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum TokenKind<'t> {
    /// A name without dots.
    Identifier(&'t str),
    /// The raw text between the quotes, quotes still doubled.
    String(&'t str),
    /// A number as written.
    Number(&'t str),
    OpenParen,
    CloseParen,
    OpenBracket,
    CloseBracket,
    Comma,
    Dot,
    End,
}

impl TokenKind<'_> {
    /// The name that messages use for the token.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Identifier(_) => "Identifier",
            Self::String(_) => "String",
            Self::Number(_) => "Number",
            Self::OpenParen => "LeftParenthesis",
            Self::CloseParen => "RightParenthesis",
            Self::OpenBracket => "LeftSquareBracket",
            Self::CloseBracket => "RightSquareBracket",
            Self::Comma => "Comma",
            Self::Dot => "Dot",
            Self::End => "EndOfData",
        }
    }
}

pub(super) struct Lexer<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    /// The next token; [`TokenKind::End`] for ever at the end.
    pub(super) fn next(&mut self) -> Result<Token<'t>, Error> {
        self.skip_white_space();
        let start = self.at;
        let kind = match self.peek() {
            None => TokenKind::End,
            Some(b'(') => self.single(TokenKind::OpenParen),
            Some(b')') => self.single(TokenKind::CloseParen),
            Some(b'[') => self.single(TokenKind::OpenBracket),
            Some(b']') => self.single(TokenKind::CloseBracket),
            Some(b',') => self.single(TokenKind::Comma),
            Some(b'.') => self.single(TokenKind::Dot),
            Some(b'\'') => self.string()?,
            Some(b'0'..=b'9') => self.number(),
            Some(b'-' | b'+') if self.digit_follows() => self.number(),
            Some(_) => self.name()?,
        };
        Ok(Token { kind, range: range(start, self.at) })
    }

    fn skip_white_space(&mut self) {
        while self.peek() == Some(b' ') {
            self.at += 1;
        }
        if !self.peek().is_some_and(|byte| byte.is_ascii_graphic()) {
            self.at += self.take_while(char::is_whitespace).len();
        }
    }

    fn single(&mut self, kind: TokenKind<'t>) -> TokenKind<'t> {
        self.at += 1;
        kind
    }

    fn string(&mut self) -> Result<TokenKind<'t>, Error> {
        let start = self.at + 1;
        let mut end = start;
        loop {
            // Most texts are too short for a search that has to be set up.
            let rest = self.text.as_bytes().get(end..).unwrap_or_default();
            let Some(length) = rest.iter().position(|byte| *byte == b'\'') else {
                let at = range(self.at, self.text.len());
                return Err(messages::unterminated_string(self.text).in_expression(at));
            };
            end += length;
            if rest.get(length + 1) == Some(&b'\'') {
                end += 2;
                continue;
            }
            self.at = end + 1;
            return Ok(TokenKind::String(self.text.get(start..end).unwrap_or_default()));
        }
    }

    /// A name. Hardly any has a character beyond ASCII.
    fn name(&mut self) -> Result<TokenKind<'t>, Error> {
        let rest = self.rest();
        let is_ascii_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
        let length = rest.bytes().take_while(is_ascii_name).count();
        let name = match rest.as_bytes().get(length) {
            Some(byte) if !byte.is_ascii() => self.take_while(is_name),
            _ => rest.get(..length).unwrap_or_default(),
        };
        if let Some(other) = rest.chars().next().filter(|_| name.is_empty()) {
            let at = range(self.at, self.at + other.len_utf8());
            return Err(messages::unexpected_character(self.text, other, self.at).in_expression(at));
        }
        self.at += name.len();
        Ok(TokenKind::Identifier(name))
    }

    fn number(&mut self) -> TokenKind<'t> {
        let start = self.at;
        self.at += 1;
        self.at += self.take_while(|c| c.is_ascii_digit()).len();
        if self.rest().starts_with('.') && self.rest().chars().nth(1).is_some_and(|c| c.is_ascii_digit()) {
            self.at += 1;
            self.at += self.take_while(|c| c.is_ascii_digit()).len();
        }
        TokenKind::Number(self.text.get(start..self.at).unwrap_or_default())
    }

    fn digit_follows(&self) -> bool {
        self.rest().chars().nth(1).is_some_and(|c| c.is_ascii_digit())
    }

    fn take_while(&self, mut accept: impl FnMut(char) -> bool) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|c| !accept(c)).unwrap_or(rest.len());
        rest.get(..end).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }
}

/// What names are made of. They may start with a digit only after a dot, which the parser does not need to know.
fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$')
}

fn range(start: usize, end: usize) -> TextRange {
    let offset = |at: usize| TextSize::new(u32::try_from(at).unwrap_or(u32::MAX));
    TextRange::new(offset(start), offset(end))
}
