//! Text to tokens. Every byte of the text is in exactly one token, trivia included.

mod directive;
mod string;

use base::{Diagnostic, TextRange, TextSize};

use crate::SyntaxKind::{self, *};
use crate::messages;

/// One token: its kind and where it starts. It ends where the next one starts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RawToken {
    pub(crate) kind: SyntaxKind,
    /// Whether a comment or a directive before it belongs to it.
    pub(crate) has_comment_before: bool,
    /// Whether a comment behind it belongs to it.
    pub(crate) has_comment_behind: bool,
    pub(crate) start: TextSize,
}

/// A token as the grammar sees it: not trivia.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GrammarToken {
    pub(crate) kind: SyntaxKind,
    /// Whether a comment before it belongs to it.
    pub(crate) has_comment: bool,
    /// Its position among all tokens.
    pub(crate) index: u32,
}

impl GrammarToken {
    /// What stands behind the last token.
    pub(crate) const END: Self = Self { kind: EndOfFile, has_comment: false, index: u32::MAX };
}

/// A text in tokens.
pub(crate) struct Lexed {
    /// All of them. The last one is always [`SyntaxKind::EndOfFile`].
    pub(crate) tokens: Vec<RawToken>,
    pub(crate) grammar: Vec<GrammarToken>,
    /// The positions of the directives.
    pub(crate) directives: Vec<u32>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Longer names are refused.
const MAX_IDENTIFIER_LENGTH: usize = 255;

/// Splits a text into tokens.
pub(crate) fn lex(text: &str) -> Lexed {
    let mut lexer = Lexer {
        text,
        at: 0,
        token_start: 0,
        holes: Vec::new(),
        // Few texts have shorter tokens.
        tokens: Vec::with_capacity(text.len() / 3 + 1),
        grammar: Vec::with_capacity(text.len() / 5 + 1),
        directives: Vec::new(),
        diagnostics: Vec::new(),
        leading: LeadingTrivia::default(),
        is_behind_token: false,
    };
    while lexer.lex_token() != EndOfFile {}
    let Lexer { tokens, grammar, directives, diagnostics, .. } = lexer;
    Lexed { tokens, grammar, directives, diagnostics }
}

/// An open `{` that decides what the next `}` means.
#[derive(Debug, Clone, Copy)]
enum Hole {
    /// A brace inside an interpolation hole.
    Brace,
    /// A hole of a single-line string.
    Line,
    /// A hole of a multi-line string with this many `$`.
    Block { dollars: usize },
}

/// What there is before a token that belongs to it.
#[derive(Debug, Clone, Copy, Default)]
struct LeadingTrivia {
    has_comment: bool,
    has_directive: bool,
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
    token_start: usize,
    holes: Vec<Hole>,
    tokens: Vec<RawToken>,
    grammar: Vec<GrammarToken>,
    directives: Vec<u32>,
    diagnostics: Vec<Diagnostic>,
    /// What there is before the next token that grammar sees.
    leading: LeadingTrivia,
    /// Whether there is nothing since the last token that grammar sees but what belongs to it.
    is_behind_token: bool,
}

impl Lexer<'_> {
    /// Scans one token, trivia included.
    fn lex_token(&mut self) -> SyntaxKind {
        self.token_start = self.at;
        let kind = self.scan();
        let has_comment_before =
            !kind.is_trivia() && (self.leading.has_comment || self.leading.has_directive);
        let token =
            RawToken { kind, has_comment_before, has_comment_behind: false, start: size(self.token_start) };
        let index = u32::try_from(self.tokens.len()).unwrap_or(u32::MAX);
        self.tokens.push(token);
        match kind {
            Whitespace => {}
            LineComment | BlockComment => self.attach_comment(),
            Directive => {
                self.directives.push(index);
                self.is_behind_token = false;
                self.leading.has_directive = true;
            }
            _ => {
                let has_comment = std::mem::take(&mut self.leading).has_comment;
                self.grammar.push(GrammarToken { kind, has_comment, index });
                self.is_behind_token = true;
            }
        }
        if kind == Unrecognized {
            let text = &self.text[self.token_start..self.at];
            self.diagnostics.push(messages::unrecognized_token(self.token_range(), text));
        }
        kind
    }

    /// A comment belongs to the token before it if that keeps comments, and to the next one otherwise.
    fn attach_comment(&mut self) {
        let before = self.grammar.last().filter(|token| token.kind.keeps_trailing_comments());
        match before.and_then(|token| self.tokens.get_mut(token.index as usize)) {
            Some(token) if self.is_behind_token => token.has_comment_behind = true,
            _ => {
                self.is_behind_token = false;
                self.leading.has_comment = true;
            }
        }
    }

    fn at_comment(&self) -> bool {
        matches!(self.peek_at(1), Some(b'/' | b'*'))
    }

    fn comment(&mut self) -> SyntaxKind {
        if self.peek_at(1) == Some(b'/') {
            self.skip_while(|byte| !is_line_end(byte));
            return LineComment;
        }
        match self.text.get(self.at + 2..).and_then(|rest| rest.find("*/")) {
            Some(length) => self.at += 2 + length + 2,
            None => {
                self.at = self.text.len();
                self.diagnostics.push(messages::unterminated_comment(self.token_range()));
            }
        }
        BlockComment
    }

    /// Scans one token without recording it.
    fn scan(&mut self) -> SyntaxKind {
        let Some(byte) = self.peek() else { return EndOfFile };
        match byte {
            b' ' | b'\t' => {
                self.skip_while(|byte| matches!(byte, b' ' | b'\t'));
                Whitespace
            }
            b'\n' | b'\r' => self.line_end(),
            b'{' => self.open_brace(),
            b'}' => self.close_brace(),
            b'\'' => self.string_start(),
            b'$' => self.dollars(),
            b'0'..=b'9' => {
                self.skip_while(|byte| byte.is_ascii_digit());
                Integer
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.identifier(),
            b'/' if self.at_comment() => self.comment(),
            b'#' if self.directive() => Directive,
            _ => self.punctuation(byte),
        }
    }

    fn line_end(&mut self) -> SyntaxKind {
        if !self.holes.is_empty() {
            // A hole does not go on over the end of a line, not even in a multi-line string. The line end itself is
            // scanned again as a token of its own.
            self.holes.clear();
            self.diagnostics.push(messages::unterminated_string_at_line_end(self.token_range()));
            return StringRight;
        }
        self.skip_while(is_line_end);
        NewLine
    }

    fn open_brace(&mut self) -> SyntaxKind {
        self.at += 1;
        if !self.holes.is_empty() {
            self.holes.push(Hole::Brace);
        }
        LeftBrace
    }

    fn identifier(&mut self) -> SyntaxKind {
        self.skip_class(IN_IDENTIFIER);
        let name = self.text.as_bytes().get(self.token_start..self.at).unwrap_or_default();
        match name {
            b"true" => True,
            b"false" => False,
            b"null" => Null,
            name => {
                if name.len() > MAX_IDENTIFIER_LENGTH {
                    self.diagnostics.push(messages::identifier_too_long(self.token_range()));
                }
                Identifier
            }
        }
    }

    fn punctuation(&mut self, byte: u8) -> SyntaxKind {
        let next = self.peek_at(1);
        let (kind, length) = match (byte, next) {
            (b'.', Some(b'.')) if self.peek_at(2) == Some(b'.') => (Ellipsis, 3),
            (b'?', Some(b'?')) => (DoubleQuestion, 2),
            (b':', Some(b':')) => (DoubleColon, 2),
            (b'!', Some(b'=')) => (NotEqual, 2),
            (b'!', Some(b'~')) => (NotEqualIgnoreCase, 2),
            (b'<', Some(b'=')) => (LessOrEqual, 2),
            (b'>', Some(b'=')) => (GreaterOrEqual, 2),
            (b'=', Some(b'=')) => (EqualEqual, 2),
            (b'=', Some(b'~')) => (EqualIgnoreCase, 2),
            (b'=', Some(b'>')) => (Arrow, 2),
            (b'&', Some(b'&')) => (AndAnd, 2),
            (b'|', Some(b'|')) => (OrOr, 2),
            _ => match single_byte_kind(byte) {
                Unrecognized => return self.unrecognized(),
                kind => (kind, 1),
            },
        };
        self.at += length;
        kind
    }

    /// One character that means nothing.
    fn unrecognized(&mut self) -> SyntaxKind {
        self.at += self.text[self.at..].chars().next().map_or(1, char::len_utf8);
        Unrecognized
    }

    fn skip_while(&mut self, condition: impl Fn(u8) -> bool) {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        self.at += rest.iter().position(|byte| !condition(*byte)).unwrap_or(rest.len());
    }

    /// Skips all bytes of a class: most of a text is names and the insides of strings.
    fn skip_class(&mut self, class: u8) {
        self.skip_while(|byte| CLASSES.get(usize::from(byte)).is_some_and(|classes| classes & class != 0));
    }

    fn peek(&self) -> Option<u8> {
        self.peek_at(0)
    }

    fn peek_at(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    fn token_range(&self) -> TextRange {
        range(self.token_start, self.at)
    }
}

/// Letters, digits and the underscore.
const IN_IDENTIFIER: u8 = 1;
/// What means nothing in a single-line string: neither its end, nor a hole, an escape or the end of the line.
const IN_STRING: u8 = 2;

/// The classes that each byte is in.
#[expect(clippy::indexing_slicing, reason = "computed by the compiler")]
const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < classes.len() {
        let is_letter = (byte as u8).is_ascii_alphanumeric() || byte as u8 == b'_';
        let is_plain = !matches!(byte as u8, b'\'' | b'$' | b'\\' | b'\n' | b'\r');
        classes[byte] = (is_letter as u8 * IN_IDENTIFIER) | (is_plain as u8 * IN_STRING);
        byte += 1;
    }
    classes
};

fn single_byte_kind(byte: u8) -> SyntaxKind {
    match byte {
        b'(' => LeftParen,
        b')' => RightParen,
        b'[' => LeftSquare,
        b']' => RightSquare,
        b'@' => At,
        b',' => Comma,
        b'.' => Dot,
        b'?' => Question,
        b':' => Colon,
        b';' => Semicolon,
        b'=' => Assign,
        b'+' => Plus,
        b'-' => Minus,
        b'*' => Star,
        b'/' => Slash,
        b'%' => Percent,
        b'^' => Hat,
        b'!' => Bang,
        b'<' => Less,
        b'>' => Greater,
        b'|' => Pipe,
        _ => Unrecognized,
    }
}

fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

fn range(start: usize, end: usize) -> TextRange {
    TextRange::new(size(start), size(end.max(start)))
}

/// Texts too long for 32 bits are refused before they get here.
fn size(at: usize) -> TextSize {
    TextSize::new(u32::try_from(at).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<SyntaxKind> {
        lex(text)
            .tokens
            .iter()
            .map(|token| token.kind)
            .filter(|kind| !matches!(kind, Whitespace | EndOfFile))
            .collect()
    }

    #[test]
    fn operators_take_the_longest_match() {
        assert_eq!(
            kinds("a ?? b::c => !~ ... .. <= |"),
            [
                Identifier,
                DoubleQuestion,
                Identifier,
                DoubleColon,
                Identifier,
                Arrow,
                NotEqualIgnoreCase,
                Ellipsis,
                Dot,
                Dot,
                LessOrEqual,
                Pipe
            ]
        );
    }

    #[test]
    fn holes_nest() {
        assert_eq!(kinds("'a${'b${c}d'}e'"), [StringLeft, StringLeft, Identifier, StringRight, StringRight]);
        assert_eq!(kinds("$$'''a${b}$${c}'''"), [StringLeft, Identifier, StringRight]);
    }

    #[test]
    fn a_hole_ends_with_its_line() {
        assert_eq!(kinds("'a${b\nc"), [StringLeft, Identifier, StringRight, NewLine, Identifier]);
    }

    #[test]
    fn directives_stand_alone_on_their_line() {
        assert_eq!(
            kinds("#disable-next-line BCP037 // why\nx"),
            [Directive, LineComment, NewLine, Identifier]
        );
        assert_eq!(
            kinds("x #disable-next-line"),
            [Identifier, Unrecognized, Identifier, Minus, Identifier, Minus, Identifier]
        );
    }
}
