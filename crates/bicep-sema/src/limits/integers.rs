//! Integers are signed and have 64 bits. The parser reads the digits only; the sign decides here.

use bicep_syntax::SyntaxKind;
use bicep_syntax::ast::{Expr, IntLiteral, Unary};

use super::Limits;
use crate::messages::limits as messages;

pub(super) fn check(ctx: &mut Limits<'_>) {
    let most = i64::MAX.unsigned_abs();
    for literal in ctx.tree().nodes_of(&[SyntaxKind::IntLiteral]).filter_map(IntLiteral::cast) {
        let negated = literal.syntax().parent().and_then(Unary::cast).filter(|unary| {
            let is_minus = unary.operator().is_some_and(|token| token.kind() == SyntaxKind::Minus);
            is_minus && unary.operand() == Expr::IntLiteral(literal)
        });
        let (limit, range) = match negated {
            Some(unary) => (most + 1, unary.range()),
            None => (most, literal.range()),
        };
        if literal.value() > limit {
            ctx.report(messages::integer_too_large(range));
        }
    }
}
