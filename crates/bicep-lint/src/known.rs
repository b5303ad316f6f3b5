//! What is known about the value of an expression: its type, as far as rules ask for it.

use bicep_sema::SymbolKind;
use bicep_syntax::ast::{self, Expr, TypeExpr};
use bicep_syntax::{Node, SyntaxKind};
use bicep_types::Type;
use bicep_types::ty::{TypeFlags, assignable, union};

use crate::View;
use crate::calls::built_in;
use crate::resources::DeclaredResource;

/// The type of an expression; `any` where nothing is known.
pub fn type_of(ctx: &View<'_, '_>, expr: Expr<'_>) -> Type {
    stacker::maybe_grow(64 << 10, 1 << 20, || infer(ctx, expr))
}

/// The text of a string that is known already.
pub fn string_value(ctx: &View<'_, '_>, expr: Expr<'_>) -> Option<String> {
    type_of(ctx, expr).as_string_literal().map(ToString::to_string)
}

/// Whether it is a string, and not just anything.
pub fn is_string(ty: &Type) -> bool {
    !ty.is_any() && !ty.is_error() && assignable(ty, &Type::string())
}

/// Whether it is an object, and not just anything.
pub fn is_object(ty: &Type) -> bool {
    !ty.is_any() && !ty.is_error() && assignable(ty, &Type::object())
}

/// Whether a declaration is decorated with `@secure()`.
pub fn is_marked_secure(ctx: &View<'_, '_>, declaration: Node<'_>) -> bool {
    ctx.decorator(declaration, "secure").is_some()
}

/// The type of the body of a resource, if it is known.
pub fn resource_body(_: &View<'_, '_>, _: &DeclaredResource<'_>) -> Option<Type> {
    None
}

fn infer(ctx: &View<'_, '_>, expr: Expr<'_>) -> Type {
    match expr {
        Expr::Str(text) => text.value().map_or_else(Type::string, Type::string_literal),
        Expr::BoolLiteral(it) => Type::bool_literal(it.value()),
        Expr::IntLiteral(_) => Type::int(),
        Expr::NullLiteral(_) => Type::null(),
        Expr::Array(_) | Expr::For(_) => Type::array(),
        Expr::Object(_) => Type::object(),
        Expr::Paren(inner) => type_of(ctx, inner.value()),
        Expr::Ternary(it) => union([type_of(ctx, it.if_true()), type_of(ctx, it.if_false())]),
        Expr::VarAccess(_) => variable(ctx, expr.syntax()),
        Expr::Call(_) | Expr::MethodCall(_) => call(ctx, expr.syntax()),
        Expr::PropertyAccess(access) if is_text_property(ctx, access) => Type::string(),
        _ => Type::any(),
    }
}

fn is_text_property(ctx: &View<'_, '_>, access: ast::PropertyAccess<'_>) -> bool {
    let is_text =
        matches!(access.name().and_then(ast::Name::text), Some("id" | "name" | "type" | "apiVersion"));
    is_text && crate::resources::resource_named(ctx, access.base()).is_some()
}

fn variable(ctx: &View<'_, '_>, node: Node<'_>) -> Type {
    let Some((id, symbol)) = ctx.referenced(node) else { return Type::any() };
    if ctx.model.cycle(id).is_some() {
        return Type::error();
    }
    let declaration = ctx.declaration(symbol);
    match symbol.kind {
        SymbolKind::Var => ast::Var::cast(declaration).map_or_else(Type::any, |it| type_of(ctx, it.value())),
        SymbolKind::Param => {
            ast::Param::cast(declaration).map_or_else(Type::any, |it| parameter_type(ctx, it))
        }
        _ => Type::any(),
    }
}

/// The type of a parameter.
pub fn parameter_type(ctx: &View<'_, '_>, parameter: ast::Param<'_>) -> Type {
    let ty = written(parameter.ty());
    if is_marked_secure(ctx, parameter.syntax()) { ty.with_more_flags(TypeFlags::SECURE) } else { ty }
}

fn written(ty: TypeExpr<'_>) -> Type {
    match ty {
        TypeExpr::TypeVar(name) => match name.name().and_then(ast::Name::text) {
            Some("string") => Type::string(),
            Some("int") => Type::int(),
            Some("bool") => Type::bool(),
            Some("object") => Type::object(),
            Some("array") => Type::array(),
            _ => Type::any(),
        },
        TypeExpr::StringType(_) => Type::string(),
        TypeExpr::ObjectType(_) => Type::object(),
        TypeExpr::ArrayType(_) | TypeExpr::TupleType(_) => Type::array(),
        TypeExpr::NullableType(inner) => written(inner.inner()).make_nullable(),
        TypeExpr::ParenType(inner) => written(inner.inner()),
        TypeExpr::UnionType(members) => {
            union(members.members().map(|member| written(member.inner())).collect::<Vec<_>>())
        }
        _ => Type::any(),
    }
}

fn call(ctx: &View<'_, '_>, node: Node<'_>) -> Type {
    let Some(call) = built_in(ctx.model, node, "sys").or_else(|| built_in(ctx.model, node, "az")) else {
        return user_function(ctx, node);
    };
    let arguments: Vec<Type> = call.arguments().into_iter().map(|argument| type_of(ctx, argument)).collect();
    let Some(name) = call.name() else { return Type::any() };
    let namespaces = ctx.model.namespaces().all.iter();
    let overloads = namespaces.flat_map(|namespace| namespace.overloads(name, false));
    let fitting: Vec<Type> = overloads
        .filter(|it| it.arity().allows(arguments.len()) && it.first_mismatch(&arguments).is_none())
        .map(|it| it.result.clone())
        .collect();
    match fitting.as_slice() {
        [] => Type::error(),
        [only] => only.clone(),
        _ => union(fitting),
    }
}

fn user_function(ctx: &View<'_, '_>, node: Node<'_>) -> Type {
    let declared = ctx.referenced(node).map(|(_, symbol)| ctx.declaration(symbol));
    let function = declared.filter(|it| it.kind() == SyntaxKind::Func).and_then(ast::Func::cast);
    function.and_then(ast::Func::lambda).map_or_else(Type::any, |lambda| written(lambda.return_type()))
}
