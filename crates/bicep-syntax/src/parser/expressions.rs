//! Expressions.

use super::lists::ParenList;
use super::{ALOUD, Allowed, CompletedNode, Parsed, Parser};
use crate::SyntaxKind::{self, *};
use crate::keywords;
use crate::messages;

/// Where an operand that could not be read ends.
const OPERAND_ENDS: &[SyntaxKind] = &[StringRight, RightBrace, RightParen, RightSquare, NewLine];

/// A parenthesised expression, and whether its closing parenthesis is there.
pub(super) struct Parenthesised {
    pub(super) done: CompletedNode,
    pub(super) is_closed: bool,
}

impl Parser<'_> {
    /// Any expression.
    pub(super) fn expression(&mut self, allowed: Allowed) -> Parsed<CompletedNode> {
        self.nested(|p| {
            let condition = p.binary(allowed, 0)?;
            if p.ahead_over_lines(0).kind == Question { p.ternary(condition, allowed) } else { Ok(condition) }
        })
    }

    /// `? a : b` behind a condition.
    fn ternary(&mut self, condition: CompletedNode, allowed: Allowed) -> Parsed<CompletedNode> {
        let node = self.start_around(condition);
        self.bump_lines();
        self.bump();
        let ends = &[Colon, StringRight, RightBrace, RightParen, RightSquare, NewLine];
        let yes = self.recover(ALOUD, ends, |p| p.expression(allowed));
        if !yes.is_skipped() && self.ahead_over_lines(0).kind == Colon {
            self.bump_lines();
        }
        let colon = self.recover_token(yes.quiet(), OPERAND_ENDS, |p| p.expect(Colon));
        self.recover(colon.quiet(), OPERAND_ENDS, |p| p.expression(allowed));
        self.finish_around(node, Ternary)
    }

    fn binary(&mut self, allowed: Allowed, above: u8) -> Parsed<CompletedNode> {
        let mut left = self.unary(allowed)?;
        loop {
            let precedence = self.kind().precedence();
            if precedence <= above {
                return Ok(left);
            }
            let node = self.start_around(left);
            self.bump();
            self.recover(ALOUD, OPERAND_ENDS, |p| p.binary(allowed, precedence));
            left = self.finish_around(node, Binary)?;
        }
    }

    fn unary(&mut self, allowed: Allowed) -> Parsed<CompletedNode> {
        if !self.check_any(&[Bang, Minus]) {
            return self.member(allowed);
        }
        let node = self.start();
        self.bump();
        self.recover(ALOUD, OPERAND_ENDS, |p| p.member(allowed));
        Ok(self.finish(node, Unary))
    }

    /// A primary expression and the accesses behind it.
    fn member(&mut self, allowed: Allowed) -> Parsed<CompletedNode> {
        let mut current = self.primary(allowed)?;
        loop {
            let node = match self.kind() {
                LeftSquare | Dot | DoubleColon | Bang => self.start_around(current),
                _ => return Ok(current),
            };
            let kind = match self.kind() {
                LeftSquare => self.index(allowed)?,
                Dot => self.dot(allowed)?,
                DoubleColon => {
                    self.bump();
                    self.name_or_missing(&messages::EXPECTED_MEMBER_NAME);
                    ResourceAccess
                }
                _ => {
                    self.bump();
                    NonNull
                }
            };
            current = self.finish_around(node, kind)?;
        }
    }

    /// `[i]`, `[?i]`, `[^i]`.
    fn index(&mut self, allowed: Allowed) -> Parsed<SyntaxKind> {
        self.bump();
        self.bump_if(Question);
        self.bump_if(Hat);
        if self.check(RightSquare) {
            self.missing(Some(&messages::EMPTY_INDEX));
        } else {
            self.expression(allowed)?;
        }
        self.expect(RightSquare)?;
        Ok(Index)
    }

    /// `.name`, `.?name`, `.name(…)`.
    fn dot(&mut self, allowed: Allowed) -> Parsed<SyntaxKind> {
        self.bump();
        let question = self.current();
        let is_safe = self.check(Question);
        if !is_safe {
            self.name_or_missing(&messages::EXPECTED_MEMBER_NAME);
        } else if self.ahead(1).kind == LeftParen
            || (self.ahead(1).kind == Identifier && self.ahead(2).kind == LeftParen)
        {
            // A safe call does not exist: the marker and the name, if there is one, are skipped together.
            let name = self.start();
            let skipped = self.start();
            self.bump();
            self.name_or_missing(&messages::EXPECTED_MEMBER_NAME);
            self.finish(skipped, Skipped);
            self.finish(name, Name);
            self.diagnostics.push(messages::SAFE_METHOD_CALL.at(self.range_of(question)));
        } else {
            self.bump();
            self.name_or_missing(&messages::EXPECTED_MEMBER_NAME);
        }
        if self.check(LeftParen) {
            self.call_arguments(allowed)?;
            return Ok(MethodCall);
        }
        Ok(PropertyAccess)
    }

    fn bump_if(&mut self, kind: SyntaxKind) {
        if self.check(kind) {
            self.bump();
        }
    }

    /// `(a, b)` of a call.
    pub(super) fn call_arguments(&mut self, allowed: Allowed) -> Parsed<()> {
        self.expect(LeftParen)?;
        self.arguments(RightParen, |p| {
            let node = p.start();
            p.recover(ALOUD, &[NewLine, Comma, RightParen], |p| p.expression(allowed));
            p.finish(node, Argument);
        });
        if self.check(RightParen) {
            self.bump();
        } else {
            self.missing(Some(&messages::expected_character(")")));
        }
        Ok(())
    }

    fn primary(&mut self, allowed: Allowed) -> Parsed<CompletedNode> {
        match self.kind() {
            True | False => Ok(self.single(BoolLiteral)),
            Null => Ok(self.single(NullLiteral)),
            Integer => self.integer(IntLiteral),
            StringComplete | StringLeft => Ok(self.string()),
            LeftBrace if allowed.literals => self.object(allowed),
            LeftSquare if allowed.literals => {
                if self.is_keyword(self.ahead_over_lines(1), keywords::FOR) {
                    self.for_loop(allowed, false)
                } else {
                    self.array()
                }
            }
            LeftBrace | LeftSquare => Err(self.expected_here(&messages::LITERAL_NOT_ALLOWED)),
            LeftParen => self.paren_or_lambda(allowed),
            Identifier => self.call_or_variable(allowed),
            _ => Err(self.expected_here(&messages::EXPECTED_EXPRESSION)),
        }
    }

    /// An integer that fits 64 bits.
    pub(super) fn integer(&mut self, kind: SyntaxKind) -> Parsed<CompletedNode> {
        let token = self.current();
        let node = self.start();
        self.bump();
        if self.text_of(token).parse::<u64>().is_err() {
            return Err(self.expected_at(token, &messages::INTEGER_TOO_LARGE));
        }
        Ok(self.finish(node, kind))
    }

    fn array(&mut self) -> Parsed<CompletedNode> {
        let node = self.start();
        self.expect(LeftSquare)?;
        self.elements(RightSquare, |p| {
            p.recover(ALOUD, &[NewLine, RightSquare], Self::array_item);
        });
        self.expect(RightSquare)?;
        Ok(self.finish(node, Array))
    }

    fn array_item(&mut self) -> Parsed<CompletedNode> {
        if self.check(Ellipsis) {
            return Ok(self.spread(&[Comma, NewLine, RightSquare]));
        }
        let node = self.start();
        self.expression(Allowed::LITERALS)?;
        Ok(self.finish(node, ArrayItem))
    }

    fn spread(&mut self, ends: &[SyntaxKind]) -> CompletedNode {
        let node = self.start();
        self.bump();
        self.recover(ALOUD, ends, |p| p.expression(Allowed::LITERALS));
        self.finish(node, Spread)
    }

    pub(super) fn object(&mut self, allowed: Allowed) -> Parsed<CompletedNode> {
        self.nested(|p| {
            let node = p.start();
            p.expect(LeftBrace)?;
            p.elements(RightBrace, |p| {
                p.recover(ALOUD, &[NewLine, RightBrace], |p| p.object_element(allowed));
            });
            p.expect(RightBrace)?;
            Ok(p.finish(node, Object))
        })
    }

    fn object_element(&mut self, allowed: Allowed) -> Parsed<CompletedNode> {
        // `resource` is also a fine name for a property; only a name behind it makes it a declaration.
        let is_resource = || self.check_keyword(keywords::RESOURCE) && self.ahead(1).kind == Identifier;
        if allowed.resources && (self.check(At) || is_resource()) {
            return Ok(self.nested_resource());
        }
        if self.check(Ellipsis) {
            return Ok(self.spread(&[Comma, NewLine, RightBrace]));
        }
        let node = self.start();
        let key = self.recover(ALOUD, &[Colon, NewLine, RightBrace], Self::property_key);
        let ends = &[NewLine, RightBrace];
        let colon = self.recover_token(key.quiet(), ends, |p| p.expect(Colon));
        self.recover(colon.quiet(), ends, |p| p.expression(Allowed::LITERALS));
        Ok(self.finish(node, Property))
    }

    fn property_key(&mut self) -> Parsed<CompletedNode> {
        match self.kind() {
            Identifier => Ok(self.single(Name)),
            StringComplete | StringLeft => self.string_or(&messages::EXPECTED_PROPERTY_NAME),
            _ => Err(self.expected_here(&messages::EXPECTED_PROPERTY_NAME)),
        }
    }

    /// `(value)`.
    pub(super) fn paren(&mut self, allowed: Allowed) -> Parsed<Parenthesised> {
        let list = self.paren_list(true, |p| p.expression(allowed))?;
        let is_closed = list.is_closed;
        Ok(Parenthesised { done: self.finish_paren(&list, Paren), is_closed })
    }

    fn paren_or_lambda(&mut self, allowed: Allowed) -> Parsed<CompletedNode> {
        let list = self.paren_list(true, |p| p.expression(allowed))?;
        if !self.check(Arrow) {
            return Ok(self.finish_paren(&list, Paren));
        }
        let block = self.variable_block(list);
        let node = self.start_around(block);
        self.lambda_body();
        Ok(self.finish(node, Lambda))
    }

    /// Exactly one expression belongs between parentheses, and nothing else.
    pub(super) fn finish_paren(&mut self, list: &ParenList, kind: SyntaxKind) -> CompletedNode {
        if list.items.len() + list.separators != 1 {
            self.diagnostics.push(messages::ONE_EXPRESSION_IN_PARENTHESES.at(list.inside));
            list.items.iter().for_each(|item| self.rename(*item, Skipped));
        }
        self.finish(list.node, kind)
    }

    /// Makes variables of the names between parentheses; what is no name is skipped.
    pub(super) fn variable_block(&mut self, list: ParenList) -> CompletedNode {
        let block = self.finish(list.node, VarBlock);
        for item in list.items {
            self.rename(item, if item.kind == VarAccess { LocalVar } else { Skipped });
        }
        block
    }

    fn call_or_variable(&mut self, allowed: Allowed) -> Parsed<CompletedNode> {
        let name = self.single(Name);
        let node = self.start_around(name);
        match self.kind() {
            LeftParen => {
                self.call_arguments(allowed)?;
                Ok(self.finish(node, Call))
            }
            Arrow => {
                let variable = self.finish(node, LocalVar);
                let lambda = self.start_around(variable);
                self.lambda_body();
                Ok(self.finish(lambda, Lambda))
            }
            _ => Ok(self.finish(node, VarAccess)),
        }
    }

    /// `=> body`. A body on the next line must not look like the next statement.
    fn lambda_body(&mut self) {
        self.bump();
        self.bump_lines_unless_declaration();
        self.recover(ALOUD, &[NewLine, RightParen], |p| p.expression(Allowed::LITERALS));
    }

    fn bump_lines_unless_declaration(&mut self) {
        let next = self.text_of(self.ahead_over_lines(0));
        if !keywords::DECLARATIONS.contains(&next) {
            self.bump_lines();
        }
    }

    /// `(a T, b U) R => body` of a function.
    pub(super) fn typed_lambda(&mut self) -> Parsed<CompletedNode> {
        let list = self.paren_list(true, |p| Ok(p.typed_variable()))?;
        let block = self.finish(list.node, TypedVarBlock);
        let node = self.start_around(block);
        let ends = &[NewLine, RightParen];
        self.recover(ALOUD, ends, |p| p.type_or_resource_type(false));
        let arrow = self.recover_token(ALOUD, ends, |p| p.expect(Arrow));
        if !arrow.is_skipped() {
            self.bump_lines_unless_declaration();
        }
        self.recover(ALOUD, ends, |p| p.expression(Allowed::LITERALS));
        Ok(self.finish(node, TypedLambda))
    }

    fn typed_variable(&mut self) -> CompletedNode {
        let node = self.start();
        self.name_or_missing(&messages::EXPECTED_VAR_NAME);
        self.recover(ALOUD, &[NewLine, Comma, RightParen], |p| p.type_or_resource_type(false));
        self.finish(node, TypedLocalVar)
    }
}
