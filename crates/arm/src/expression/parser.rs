//! Tokens to an [`Expr`].

use base::TextRange;
use smol_str::SmolStr;

use super::lexer::{Lexer, Token, TokenKind};
use super::{Accessor, Call, Expr, ExprKind};
use crate::error::Error;
use crate::limits::MAX_EXPRESSION;
use crate::{functions, messages};

/// Parses an expression with its brackets, as it stands in a template: `[parameters('a')]`.
pub fn parse(text: &str) -> Result<Expr, Error> {
    check_length(text)?;
    let mut lexer = Lexer::new(text);
    let ahead = lexer.next()?;
    let mut parser = Parser { text, lexer, ahead, depth: 0 };
    parser.expect(TokenKind::OpenBracket)?;
    let expression = parser.expression()?;
    parser.expect(TokenKind::CloseBracket)?;
    parser.expect(TokenKind::End)?;
    Ok(expression)
}

/// Whether the service takes an expression that was put together without its text.
pub(crate) fn check_limits(expression: &Expr, text: &str) -> Result<(), Error> {
    check_length(text)?;
    if expression.depth() > MAX_DEPTH {
        return Err(messages::expression_too_deep(MAX_DEPTH));
    }
    Ok(())
}

fn check_length(text: &str) -> Result<(), Error> {
    if text.len() > MAX_EXPRESSION && text.chars().count() > MAX_EXPRESSION {
        return Err(messages::expression_too_long(MAX_EXPRESSION));
    }
    Ok(())
}

/// Nesting beyond this is refused, so that neither parsing nor dropping an expression can exhaust the stack.
const MAX_DEPTH: u16 = 256;

/// Hardly a call has more arguments: their list does not grow.
const USUAL_ARGUMENTS: usize = 4;

struct Parser<'t> {
    text: &'t str,
    lexer: Lexer<'t>,
    ahead: Token<'t>,
    depth: u16,
}

impl<'t> Parser<'t> {
    fn expression(&mut self) -> Result<Expr, Error> {
        if self.depth >= MAX_DEPTH {
            return Err(messages::expression_too_deep(MAX_DEPTH).in_expression(self.ahead.range));
        }
        self.depth += 1;
        let base = self.primary()?;
        let whole = match self.ahead.kind {
            TokenKind::Dot | TokenKind::OpenBracket => self.access(base)?,
            _ => base,
        };
        self.depth -= 1;
        Ok(whole)
    }

    /// A value, and the steps into it that follow: at least one.
    fn access(&mut self, base: Expr) -> Result<Expr, Error> {
        let mut path = Vec::new();
        let start = base.range().start();
        let mut end = base.range().end();
        loop {
            match self.ahead.kind {
                TokenKind::Dot => {
                    self.advance()?;
                    let (name, range) = self.name()?;
                    end = range.end();
                    path.push(Accessor::Property(name));
                }
                TokenKind::OpenBracket => {
                    self.advance()?;
                    let index = self.expression()?;
                    end = self.expect(TokenKind::CloseBracket)?.end();
                    path.push(Accessor::Index(index));
                }
                _ => break,
            }
        }
        Ok(Expr::new(ExprKind::Access { base, path }, TextRange::new(start, end)))
    }

    fn primary(&mut self) -> Result<Expr, Error> {
        let token = self.ahead;
        match token.kind {
            TokenKind::String(raw) => {
                self.advance()?;
                let has_quotes = raw.bytes().any(|byte| byte == b'\'');
                let text = if has_quotes { raw.replace("''", "'").into() } else { raw.into() };
                Ok(Expr::new(ExprKind::String(text), token.range))
            }
            TokenKind::Number(raw) => {
                self.advance()?;
                number(raw, token.range, self.text)
            }
            TokenKind::Identifier(_) => self.call(),
            other => Err(self.unexpected("Identifier", other)),
        }
    }

    fn call(&mut self) -> Result<Expr, Error> {
        let start = self.ahead.range.start();
        let (mut name, _) = self.name()?;
        while self.ahead.kind == TokenKind::Dot {
            self.advance()?;
            let (part, _) = self.name()?;
            name = SmolStr::from(format!("{name}.{part}"));
        }
        self.expect(TokenKind::OpenParen)?;
        let args = match self.ahead.kind {
            TokenKind::CloseParen => Vec::new(),
            _ => self.arguments()?,
        };
        let end = self.expect(TokenKind::CloseParen)?.end();
        let call = Call { function: functions::find(&name), name, args };
        Ok(Expr::new(ExprKind::Call(call), TextRange::new(start, end)))
    }

    fn arguments(&mut self) -> Result<Vec<Expr>, Error> {
        let mut args = Vec::with_capacity(USUAL_ARGUMENTS);
        args.push(self.expression()?);
        while self.ahead.kind == TokenKind::Comma {
            self.advance()?;
            args.push(self.expression()?);
        }
        Ok(args)
    }

    fn name(&mut self) -> Result<(SmolStr, TextRange), Error> {
        let Token { kind, range } = self.ahead;
        match kind {
            // After a dot a name may look like a number.
            TokenKind::Identifier(name) | TokenKind::Number(name) => {
                self.advance()?;
                Ok((name.into(), range))
            }
            other => Err(self.unexpected("Identifier", other)),
        }
    }

    fn expect(&mut self, kind: TokenKind<'t>) -> Result<TextRange, Error> {
        let token = self.ahead;
        if std::mem::discriminant(&token.kind) != std::mem::discriminant(&kind) {
            return Err(self.unexpected(kind.name(), token.kind));
        }
        if kind != TokenKind::End {
            self.advance()?;
        }
        Ok(token.range)
    }

    fn advance(&mut self) -> Result<(), Error> {
        self.ahead = self.lexer.next()?;
        Ok(())
    }

    fn unexpected(&self, expected: &str, actual: TokenKind<'_>) -> Error {
        messages::unexpected_token(self.text, expected, actual.name()).in_expression(self.ahead.range)
    }
}

fn number(raw: &str, range: TextRange, text: &str) -> Result<Expr, Error> {
    if raw.contains('.') {
        return Ok(Expr::new(ExprKind::Float(raw.into()), range));
    }
    match raw.parse() {
        Ok(value) => Ok(Expr::new(ExprKind::Int(value), range)),
        Err(_) => Err(messages::integer_out_of_range(text, raw).in_expression(range)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parses and prints; an error prints as its reason and its place.
    fn check(text: &str, expected: &str) {
        let actual = match parse(text) {
            Ok(expression) => format!("[{expression}]"),
            Err(error) => format!("{} {:?}", error.reason(), error.range_in_expression()),
        };
        assert_eq!(actual, expected, "{text}");
    }

    #[test]
    fn what_the_compiler_writes_prints_back_the_same() {
        for text in [
            "['it''s']",
            "[parameters('a')]",
            "[-1]",
            "[format('{0}/{1}', parameters('p').a.b[0], variables('v')['x-y'])]",
            "[reference(resourceId('A.B/c', 'n'), '2020-01-01', 'full').identity.principalId]",
            "[map(parameters('xs'), lambda('x', add(lambdaVariables('x'), 1)))]",
            "[__bicep.isEven(copyIndex())]",
            "['']",
            "[parameters('Ünïcode')]",
            "[parameters('a')[parameters('b')[0]]]",
        ] {
            check(text, text);
        }
    }

    #[test]
    fn white_space_is_free() {
        check("[ concat ( 'a' ,\n'b' ) . c [ 0 ] ]", "[concat('a', 'b').c[0]]");
    }

    #[test]
    fn errors_say_where() {
        check("[concat('a']", "unexpected-token Some(11..12)");
        check("[concat('a]", "unterminated-string Some(8..11)");
        check("[a + b]", "unexpected-character Some(3..4)");
        check("[a() # b]", "unexpected-character Some(5..6)");
        check("[]", "unexpected-token Some(1..2)");
        check("[a()]]", "unexpected-token Some(5..6)");
        check("[99999999999999999999]", "integer-out-of-range Some(1..21)");
        check("[true]", "unexpected-token Some(5..6)");
    }

    #[test]
    fn depth_and_length_are_bounded() {
        let deep = format!("[{}1{}]", "a(".repeat(5_000), ")".repeat(5_000));
        assert_eq!(parse(&deep).unwrap_err().reason(), "expression-too-deep");
        let chain = format!("[a(){}]", ".b".repeat(10_000));
        assert_eq!(parse(&chain).map(|e| format!("[{e}]")).ok(), Some(chain));
        let long = format!("['{}']", "x".repeat(MAX_EXPRESSION));
        assert_eq!(parse(&long).unwrap_err().reason(), "expression-too-long");
    }
}
