//! Loops that would deploy the same resource or module again and again.

use base::Diagnostic;
use bicep_syntax::ast::{self, Expr, For, LocalVar, Object};
use bicep_syntax::{Node, SyntaxKind};
use bicep_types::ty::{ObjectType, PropertyFlags};

use super::Limits;
use crate::messages::limits as messages;
use crate::symbol::SymbolId;

pub(super) fn check(ctx: &mut Limits<'_>) {
    let resources = ctx.deployed().filter(|resource| !resource.is_existing).map(|it| it.symbol);
    let modules = ctx.tree().file().statements().filter_map(|it| ast::Module::cast(it.syntax()));
    let modules = modules.filter(|module| module.body().is_some_and(|body| body.property("name").is_some()));
    let modules = modules.filter_map(|module| ctx.model.declared(module.syntax().id()));
    let found: Vec<Diagnostic> =
        resources.chain(modules).filter_map(|symbol| check_loop(ctx, symbol)).collect();
    ctx.diagnostics.extend(found);
}

fn check_loop(ctx: &Limits<'_>, symbol: SymbolId) -> Option<Diagnostic> {
    let declaration = ctx.tree().node(ctx.model.symbol(symbol).declaration);
    let each = declaration.children().next_back().and_then(For::cast)?;
    let item = each.item()?;
    let body = Expr::For(each).body_object()?;
    let ty = ctx.body_type(symbol)?;
    let varying: Vec<_> =
        ty.sorted().into_iter().filter(|(_, it)| it.flags.contains(PropertyFlags::LOOP_VARIANT)).collect();
    let set: Vec<(&str, Node<'_>)> =
        varying.iter().filter_map(|(name, _)| Some((name.as_str(), value(body, name)?))).collect();
    let is_identified =
        set.iter().any(|(name, _)| is_required(ty, name) || is_module_name(declaration, name));
    let is_invariant =
        |value: Node<'_>| !uses(ctx, value, item) && each.index().is_none_or(|it| !uses(ctx, value, it));
    if !is_identified || !set.iter().all(|(_, value)| is_invariant(*value)) {
        return None;
    }
    let names: Vec<&str> = varying.iter().map(|(name, _)| name.as_str()).collect();
    let item = item.name().map(ast::Name::display).unwrap_or_default();
    Some(messages::invariant_loop(ctx.model.symbol(symbol).name_range, item, &names))
}

fn value<'t>(body: Object<'t>, name: &str) -> Option<Node<'t>> {
    let value = body.property(name)?.value().syntax();
    (value.kind() != SyntaxKind::Skipped).then_some(value)
}

fn is_required(ty: &ObjectType, name: &str) -> bool {
    ty.properties.get(name).is_some_and(|it| it.flags.contains(PropertyFlags::REQUIRED))
}

fn is_module_name(declaration: Node<'_>, name: &str) -> bool {
    declaration.kind() == SyntaxKind::Module && name == "name"
}

fn uses(ctx: &Limits<'_>, value: Node<'_>, variable: LocalVar<'_>) -> bool {
    let symbol = ctx.model.declared(variable.syntax().id());
    let mut accesses = value.descendants().filter(|node| node.kind() == SyntaxKind::VarAccess);
    symbol.is_none() || accesses.any(|access| ctx.model.bindings().symbol(access) == symbol)
}
