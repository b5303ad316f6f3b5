//! Where loops may stand, and where the collections they declare may be used as a whole.

use bicep_syntax::ast::{For, Index, Module, Property};
use bicep_syntax::{Node, SyntaxKind};

use super::Limits;
use crate::messages::limits as messages;

pub(super) fn check(ctx: &mut Limits<'_>) {
    let kinds = [SyntaxKind::For, SyntaxKind::Resource, SyntaxKind::Module, SyntaxKind::Index];
    for node in ctx.tree().nodes_of(&kinds) {
        match node.kind() {
            SyntaxKind::For => {
                check_key(ctx, node);
                check_place(ctx, node);
            }
            SyntaxKind::Resource if node.ancestors().any(|it| it.kind() == SyntaxKind::For) => {
                ctx.report(messages::nested_resource_in_loop(node.range()));
            }
            SyntaxKind::Module => check_params(ctx, node),
            SyntaxKind::Index => check_safe_index(ctx, node),
            _ => {}
        }
    }
}

/// A loop is the whole value of a declaration, or of a property on a way of object and array literals.
fn check_place(ctx: &mut Limits<'_>, node: Node<'_>) {
    let Some(keyword) = For::cast(node).and_then(For::keyword) else { return };
    let Some(parent) = node.parent() else { return };
    match parent.kind() {
        SyntaxKind::Resource
        | SyntaxKind::Module
        | SyntaxKind::Output
        | SyntaxKind::Var
        | SyntaxKind::ParamAssignment => {}
        SyntaxKind::Property if is_on_literals_of_body(node) => {
            if node.ancestors().filter(|it| is_property_loop(*it)).count() > 0 {
                ctx.report(messages::nested_property_loop(keyword.range()));
            }
        }
        _ => ctx.report(messages::loop_not_allowed(keyword.range())),
    }
}

fn is_property_loop(node: Node<'_>) -> bool {
    node.kind() == SyntaxKind::For && node.parent().is_some_and(|it| it.kind() == SyntaxKind::Property)
}

/// Whether there is nothing but literals between a property and the body of the resource or module around it.
fn is_on_literals_of_body(node: Node<'_>) -> bool {
    for ancestor in node.ancestors() {
        match ancestor.kind() {
            SyntaxKind::Object
            | SyntaxKind::Property
            | SyntaxKind::Array
            | SyntaxKind::ArrayItem
            | SyntaxKind::For
            | SyntaxKind::If
            | SyntaxKind::WithClause => {}
            SyntaxKind::Resource | SyntaxKind::Module => return true,
            _ => return false,
        }
    }
    false
}

/// The property that a loop fills must have a name.
fn check_key(ctx: &mut Limits<'_>, node: Node<'_>) {
    let Some(property) = node.parent().and_then(Property::cast) else { return };
    if property.key_text().is_none() {
        ctx.report(messages::computed_key_with_loop(property.key().range()));
    }
}

/// The parameters of a module are taken apart by the emitter.
fn check_params(ctx: &mut Limits<'_>, node: Node<'_>) {
    let body = Module::cast(node).and_then(Module::body);
    let Some(params) = body.and_then(|body| body.property("params")) else { return };
    let value = params.value().syntax();
    if !matches!(value.kind(), SyntaxKind::Object | SyntaxKind::Skipped) {
        ctx.report(messages::not_literal(value.range(), "params"));
    }
}

fn check_safe_index(ctx: &mut Limits<'_>, node: Node<'_>) {
    let Some(index) = Index::cast(node).filter(|index| index.is_safe()) else { return };
    if ctx.is_collection(index.base().syntax())
        && let Some(marker) = node.token(SyntaxKind::Question)
    {
        ctx.report(messages::safe_index_of_collection(marker.range()));
    }
}
