//! `parent` says directly which resource it means.

use bicep_syntax::ast::{Expr, PropertyAccess, Resource};
use bicep_types::ty::{Kind, Type};

use super::Limits;
use crate::messages::limits as messages;
use crate::symbol::SymbolKind;

pub(super) fn check(ctx: &mut Limits<'_>) {
    // Nested resources have the parent they stand in.
    let statements = ctx.tree().file().statements();
    for resource in statements.filter_map(|statement| Resource::cast(statement.syntax())) {
        let Some(parent) = resource.body().and_then(|body| body.property("parent")) else { continue };
        let value = parent.value();
        let named = match value {
            Expr::Index(access) => access.base(),
            value => value,
        };
        let is_error = ctx.model.type_of(named.syntax()).is_none_or(Type::is_error);
        let is_understood = ctx.resources().of_expr(named, ctx.model).is_some_and(|it| ctx.is_deployed(it))
            || ctx.parameter_resource(named).is_some()
            || is_module_output(ctx, named);
        if !is_error && !is_understood {
            ctx.report(messages::parent_not_direct(value.range()));
        }
    }
}

/// Whether an expression is an output of a module that is a resource.
pub(super) fn is_module_output(ctx: &Limits<'_>, expr: Expr<'_>) -> bool {
    let Expr::PropertyAccess(output) = expr else { return false };
    let Some(module) = outputs_of(output) else { return false };
    let named = match module {
        Expr::Index(access) => access.base(),
        module => module,
    };
    let is_module = ctx.symbol(named.syntax()).is_some_and(|symbol| symbol.kind == SymbolKind::Module);
    let ty = ctx.model.type_of(output.syntax());
    is_module && ty.is_some_and(|ty| matches!(ty.remove_null().kind(), Kind::Resource(_)))
}

/// `module` of `module.outputs.name`
fn outputs_of(output: PropertyAccess<'_>) -> Option<Expr<'_>> {
    let Expr::PropertyAccess(outputs) = output.base() else { return None };
    (outputs.name()?.text()? == "outputs").then(|| outputs.base())
}
