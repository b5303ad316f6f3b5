//! From the source of a template to text and tokens of code. White space that `~` and `-` take away is gone here.

use super::error::{Error, Position};

/// A token with its place.
#[derive(Debug, Clone)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) position: Position,
    /// Whether white space stands before it, which tells `f [1]` from `f[1]`.
    pub(super) is_spaced: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum TokenKind {
    /// Text outside of code.
    Text(String),
    /// Code begins; what it prints is indented with this.
    Enter(String),
    /// Code ends.
    Exit,
    /// The end of a line, or `;`.
    Newline,
    /// A name or a keyword; variables of functions begin with `$`.
    Word(String),
    Int(i64),
    Float(f64),
    String(String),
    /// `$"a{code}b"`: texts, and code in between that is not yet understood.
    Interpolated(Vec<Piece>),
    Sign(&'static str),
    End,
}

/// A piece of an interpolated text.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Piece {
    Text(String),
    Code(String),
}

/// The signs of the language, longer ones first.
const SIGNS: [&str; 42] = [
    "..<", "//=", "...", "?.", "??", "?!", "&&", "||", "==", "!=", "<=", ">=", "..", "//", "+=", "-=", "*=",
    "/=", "%=", "++", "--", "(", ")", "[", "]", "{", "}", ",", ":", ".", "|", "?", "!", "<", ">", "=", "+",
    "-", "*", "/", "%", "@",
];

/// Cuts a source into tokens, the last of which is the end.
pub(super) fn tokens(template: &str, source: &str) -> Result<Vec<Token>, Error> {
    let mut lexer = Lexer { template, source, at: 0, line: 1, line_start: 0, tokens: Vec::new() };
    lexer.template()?;
    let position = lexer.position();
    lexer.tokens.push(Token { kind: TokenKind::End, position, is_spaced: true });
    Ok(lexer.tokens)
}

/// Cuts code without `{{` and `}}`.
pub(super) fn code_tokens(template: &str, source: &str) -> Result<Vec<Token>, Error> {
    let mut lexer = Lexer { template, source, at: 0, line: 1, line_start: 0, tokens: Vec::new() };
    lexer.code(None)?;
    let position = lexer.position();
    lexer.tokens.push(Token { kind: TokenKind::End, position, is_spaced: true });
    Ok(lexer.tokens)
}

struct Lexer<'s> {
    template: &'s str,
    source: &'s str,
    at: usize,
    line: usize,
    line_start: usize,
    tokens: Vec<Token>,
}

/// What an end of code takes away behind it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Strip {
    Nothing,
    /// `~`: blanks up to the end of the line, with it.
    Line,
    /// `-`: all white space.
    All,
}

impl<'s> Lexer<'s> {
    fn template(&mut self) -> Result<(), Error> {
        let mut strip = Strip::Nothing;
        loop {
            let start = self.at;
            let rest = self.rest();
            let found = rest.find("{{").into_iter().chain(escape_start(rest)).min();
            let end = start + found.unwrap_or(rest.len());
            let text = self.source.get(start..end).unwrap_or_default();
            let kept = stripped_front(text, strip);
            let position = self.position();
            self.advance(end - start);
            let opening = self.rest();
            let mark = opening
                .trim_start_matches(['{', '%'])
                .as_bytes()
                .first()
                .copied()
                .filter(|_| found.is_some());
            let (kept, indent) = match mark {
                Some(b'~') => (kept.trim_end_matches([' ', '\t']), ""),
                Some(b'-') => (kept.trim_end(), ""),
                // After `-}}` on the line before there is nothing to align with.
                _ => (
                    kept,
                    if strip == Strip::All { "" } else { indent_of(kept, start == 0 || text.contains('\n')) },
                ),
            };
            self.push(TokenKind::Text(kept.to_owned()), position);
            match found {
                None => return Ok(()),
                Some(_) if opening.starts_with("{{") => strip = self.code_block(indent)?,
                Some(_) => strip = self.escape_block()?,
            }
        }
    }

    /// `{{ … }}`
    fn code_block(&mut self, indent: &str) -> Result<Strip, Error> {
        let position = self.position();
        self.advance(2);
        if self.rest().starts_with(['~', '-']) {
            self.advance(1);
        }
        self.push(TokenKind::Enter(indent.to_owned()), position);
        self.code(Some(position))
    }

    /// `{%{ … }%}`, with any number of `%`.
    fn escape_block(&mut self) -> Result<Strip, Error> {
        let position = self.position();
        let count = self.rest().bytes().skip(1).take_while(|byte| *byte == b'%').count();
        self.advance(count + 2);
        if self.rest().starts_with(['~', '-']) {
            self.advance(1);
        }
        let close = format!("}}{}}}", "%".repeat(count));
        let start = self.position();
        let Some(length) = self.rest().find(&close) else {
            return Err(self.error(position, format!("the escaped text is not closed by `{close}`")));
        };
        let text = self.rest().get(..length).unwrap_or_default();
        let (text, strip) = match text.as_bytes().last() {
            Some(b'~') => (text.strip_suffix('~').unwrap_or(text), Strip::Line),
            Some(b'-') => (text.strip_suffix('-').unwrap_or(text), Strip::All),
            _ => (text, Strip::Nothing),
        };
        self.push(TokenKind::Text(text.to_owned()), start);
        self.advance(length + close.len());
        Ok(strip)
    }

    /// Code up to `}}`, or to the end of the source where it does not stand in braces.
    fn code(&mut self, opened: Option<Position>) -> Result<Strip, Error> {
        let mut braces = 0_usize;
        let mut is_spaced = true;
        loop {
            let rest = self.rest();
            let Some(next) = rest.chars().next() else {
                return match opened {
                    Some(position) => Err(self.error(position, "`{{` is not closed by `}}`")),
                    None => Ok(Strip::Nothing),
                };
            };
            if opened.is_some() && braces == 0 {
                for (close, strip) in [("}}", Strip::Nothing), ("~}}", Strip::Line), ("-}}", Strip::All)] {
                    if rest.starts_with(close) {
                        self.push(TokenKind::Exit, self.position());
                        self.advance(close.len());
                        return Ok(strip);
                    }
                }
            }
            let was_spaced = std::mem::replace(&mut is_spaced, false);
            match next {
                '\n' | ';' => {
                    self.push(TokenKind::Newline, self.position());
                    self.advance(1);
                    is_spaced = true;
                }
                _ if next.is_whitespace() => {
                    self.advance(next.len_utf8());
                    is_spaced = true;
                }
                '#' => {
                    self.comment();
                    is_spaced = true;
                }
                _ => {
                    let token = self.token(next)?;
                    match token.kind {
                        TokenKind::Sign("{") => braces += 1,
                        TokenKind::Sign("}") => braces = braces.saturating_sub(1),
                        _ => {}
                    }
                    self.tokens.push(Token { is_spaced: was_spaced, ..token });
                }
            }
        }
    }

    /// `# …` to the end of the line, `## … ##`; both also end with the code.
    fn comment(&mut self) {
        let rest = self.rest();
        let exit = rest.find("}}").unwrap_or(rest.len());
        let length = match rest.strip_prefix("##") {
            Some(inside) => inside.find("##").map_or(exit, |end| (end + 4).min(exit)),
            None => rest.find('\n').unwrap_or(rest.len()).min(exit),
        };
        // The white space control of the end of the code is no part of the comment.
        let shown = rest.get(..length).unwrap_or_default();
        let mark = usize::from(length == exit && shown.ends_with(['~', '-']));
        self.advance(length - mark);
    }

    fn token(&mut self, next: char) -> Result<Token, Error> {
        let position = self.position();
        let rest = self.rest();
        let kind = match next {
            '"' | '\'' => TokenKind::String(self.string(next)?),
            '`' => {
                let inside = rest.get(1..).unwrap_or_default();
                let length = inside.find('`').ok_or_else(|| self.error(position, UNCLOSED))?;
                let text = inside.get(..length).unwrap_or_default().to_owned();
                self.advance(length + 2);
                TokenKind::String(text)
            }
            '$' if rest.starts_with("$\"") || rest.starts_with("$'") => self.interpolated()?,
            '0'..='9' => self.number()?,
            '$' | '_' => TokenKind::Word(self.word()),
            _ if next.is_alphabetic() => TokenKind::Word(self.word()),
            _ => {
                let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign));
                let sign =
                    sign.ok_or_else(|| self.error(position, format!("`{next}` means nothing here")))?;
                self.advance(sign.len());
                TokenKind::Sign(sign)
            }
        };
        Ok(Token { kind, position, is_spaced: false })
    }

    fn word(&mut self) -> String {
        let rest = self.rest();
        let is_part = |(index, c): (usize, char)| c.is_alphanumeric() || c == '_' || index == 0 && c == '$';
        let length = rest.char_indices().find(|it| !is_part(*it)).map_or(rest.len(), |(index, _)| index);
        let mut word = rest.get(..length).unwrap_or_default().to_owned();
        self.advance(length);
        // `list.empty?` is a member.
        if word == "empty" && self.rest().starts_with('?') && !self.rest().starts_with("??") {
            self.advance(1);
            word.push('?');
        }
        word
    }

    fn number(&mut self) -> Result<TokenKind, Error> {
        let position = self.position();
        let rest = self.rest();
        let digits =
            |from: usize| rest.get(from..).unwrap_or_default().bytes().take_while(u8::is_ascii_digit).count();
        let mut length = digits(0);
        let fraction = if rest.as_bytes().get(length) == Some(&b'.') { digits(length + 1) } else { 0 };
        if fraction > 0 {
            length += 1 + fraction;
        }
        let text = rest.get(..length).unwrap_or_default();
        let kind = match fraction {
            0 => text.parse().ok().map(TokenKind::Int),
            _ => text.parse().ok().map(TokenKind::Float),
        };
        let kind = kind.ok_or_else(|| self.error(position, "the number is too large"))?;
        self.advance(length);
        Ok(kind)
    }

    fn string(&mut self, quote: char) -> Result<String, Error> {
        let position = self.position();
        self.advance(1);
        let mut text = String::new();
        loop {
            let next = self.rest().chars().next().ok_or_else(|| self.error(position, UNCLOSED))?;
            match next {
                '\\' => text.push(self.escape()?),
                _ if next == quote => {
                    self.advance(1);
                    return Ok(text);
                }
                _ => {
                    text.push(next);
                    self.advance(next.len_utf8());
                }
            }
        }
    }

    /// A character behind a backslash.
    fn escape(&mut self) -> Result<char, Error> {
        let position = self.position();
        let next = self.rest().chars().nth(1).unwrap_or_default();
        let code = |from: usize, length: usize| {
            let digits = self.rest().get(from..from + length)?;
            char::from_u32(u32::from_str_radix(digits, 16).ok()?)
        };
        let (c, length) = match next {
            'n' => (Some('\n'), 2),
            'r' => (Some('\r'), 2),
            't' => (Some('\t'), 2),
            'b' => (Some('\u{8}'), 2),
            'f' => (Some('\u{c}'), 2),
            '0' => (Some('\0'), 2),
            'u' => (code(2, 4), 6),
            'x' => (code(2, 2), 4),
            '\\' | '\'' | '"' | '{' | '}' => (Some(next), 2),
            _ => (None, 0),
        };
        let c = c.ok_or_else(|| self.error(position, "the escape sequence is not known"))?;
        self.advance(length);
        Ok(c)
    }

    fn interpolated(&mut self) -> Result<TokenKind, Error> {
        let position = self.position();
        self.advance(1);
        let quote = self.rest().chars().next().unwrap_or('"');
        self.advance(1);
        let mut pieces = Vec::new();
        let mut text = String::new();
        loop {
            let next = self.rest().chars().next().ok_or_else(|| self.error(position, UNCLOSED))?;
            match next {
                '\\' => text.push(self.escape()?),
                '{' => {
                    let inside = self.rest().get(1..).unwrap_or_default();
                    let length = inside.find('}').ok_or_else(|| self.error(position, UNCLOSED))?;
                    pieces.push(Piece::Text(std::mem::take(&mut text)));
                    pieces.push(Piece::Code(inside.get(..length).unwrap_or_default().to_owned()));
                    self.advance(length + 2);
                }
                _ if next == quote => {
                    self.advance(1);
                    pieces.push(Piece::Text(text));
                    return Ok(TokenKind::Interpolated(pieces));
                }
                _ => {
                    text.push(next);
                    self.advance(next.len_utf8());
                }
            }
        }
    }

    fn rest(&self) -> &'s str {
        self.source.get(self.at..).unwrap_or_default()
    }

    fn advance(&mut self, length: usize) {
        let passed = self.rest().get(..length).unwrap_or_default();
        if let Some(last) = passed.rfind('\n') {
            self.line += passed.matches('\n').count();
            self.line_start = self.at + last + 1;
        }
        self.at += length;
    }

    fn position(&self) -> Position {
        let before = self.source.get(self.line_start..self.at).unwrap_or_default();
        Position { line: self.line, column: before.chars().count() + 1 }
    }

    fn push(&mut self, kind: TokenKind, position: Position) {
        if kind != TokenKind::Text(String::new()) {
            self.tokens.push(Token { kind, position, is_spaced: true });
        }
    }

    fn error(&self, position: Position, message: impl Into<String>) -> Error {
        Error::new(self.template, position, message)
    }
}

const UNCLOSED: &str = "the text is not closed";

/// Where `{%…%{` begins.
fn escape_start(text: &str) -> Option<usize> {
    let mut from = 0;
    while let Some(found) = text.get(from..)?.find("{%") {
        let after = text.get(from + found + 1..)?.trim_start_matches('%');
        if after.starts_with('{') {
            return Some(from + found);
        }
        from += found + 2;
    }
    None
}

/// A text without what the code before it takes away.
fn stripped_front(text: &str, strip: Strip) -> &str {
    match strip {
        Strip::Nothing => text,
        Strip::All => text.trim_start(),
        Strip::Line => {
            let text = text.trim_start_matches([' ', '\t']);
            let text = text.strip_prefix('\r').filter(|rest| rest.starts_with('\n')).unwrap_or(text);
            text.strip_prefix('\n').unwrap_or(text)
        }
    }
}

/// The blanks that a line begins with, if there is nothing else on it.
fn indent_of(text: &str, starts_line: bool) -> &str {
    let line = match text.rfind('\n') {
        Some(at) => text.get(at + 1..).unwrap_or_default(),
        None if starts_line => text,
        None => "",
    };
    if line.bytes().all(|byte| matches!(byte, b' ' | b'\t')) { line } else { "" }
}
