//! Values that have to be constants: made of literals alone.

use base::Diagnostic;
use bicep_syntax::ast::{self, Expr};
use bicep_syntax::{Node, SyntaxKind};

use crate::messages::types as messages;

/// Reports every part of an expression that is not a literal.
pub(super) fn require_constant(expression: Node<'_>, sink: &mut Vec<Diagnostic>) {
    base::recurse(|| visit(expression, sink));
}

fn visit(node: Node<'_>, sink: &mut Vec<Diagnostic>) {
    let is_constant = match Expr::of(node) {
        Expr::Index(_)
        | Expr::Binary(_)
        | Expr::Call(_)
        | Expr::MethodCall(_)
        | Expr::For(_)
        | Expr::Paren(_)
        | Expr::PropertyAccess(_)
        | Expr::Ternary(_)
        | Expr::VarAccess(_) => false,
        Expr::Str(text) => !text.is_interpolated(),
        Expr::Unary(unary) => is_minus(unary),
        _ => true,
    };
    if is_constant {
        node.understood_children().for_each(|child| require_constant(child, sink));
    } else {
        sink.push(messages::constant_required(node.range()));
    }
}

fn is_minus(unary: ast::Unary<'_>) -> bool {
    unary.operator().is_some_and(|operator| operator.kind() == SyntaxKind::Minus)
}
