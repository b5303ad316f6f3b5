//! What is known about the value of an expression: its type.

use bicep_syntax::Node;
use bicep_syntax::ast::Expr;
use bicep_types::Type;
use bicep_types::ty::assignable;

use crate::View;

/// The type of an expression; `any` where nothing is known.
pub fn type_of(view: &View<'_, '_>, expr: Expr<'_>) -> Type {
    type_at(view, expr.syntax())
}

/// The type of an expression or of what a statement declares.
pub fn type_at(view: &View<'_, '_>, node: Node<'_>) -> Type {
    view.model.type_of(node).cloned().unwrap_or_else(Type::any)
}

/// The text of a string that is known already.
pub fn string_value(view: &View<'_, '_>, expr: Expr<'_>) -> Option<String> {
    type_of(view, expr).as_string_literal().map(ToString::to_string)
}

/// Whether it is a string, and not just anything.
pub fn is_string(ty: &Type) -> bool {
    is_surely(ty, &Type::string())
}

/// Whether it is an object, and not just anything.
pub fn is_object(ty: &Type) -> bool {
    is_surely(ty, &Type::object())
}

fn is_surely(ty: &Type, target: &Type) -> bool {
    !ty.is_any() && !ty.is_error() && !ty.is_never() && assignable(ty, target)
}
