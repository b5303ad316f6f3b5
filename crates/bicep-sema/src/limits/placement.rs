//! Functions that can only be called at certain places: their results never become values of the template.

use bicep_syntax::ast::{self, Property};
use bicep_syntax::{Node, SyntaxKind};
use bicep_types::ty::FunctionFlags;

use super::Limits;
use crate::expected::Expected;
use crate::messages::limits as messages;

pub(super) fn check(ctx: &mut Limits<'_>) {
    let mut expected = Expected::new(ctx.model);
    for node in ctx.tree().nodes_of(&[SyntaxKind::Call, SyntaxKind::MethodCall]) {
        let flags = ctx.function_flags(node);
        let name = node.children().filter_map(ast::Name::cast).next_back().map(ast::Name::display);
        let name = name.unwrap_or_default();
        if flags.contains(FunctionFlags::MODULE_SECURE_PARAMETER_ONLY)
            && !is_in_unknown_module(ctx, node)
            && !is_secure_parameter(&mut expected, node)
        {
            ctx.report(messages::only_for_secure_parameter(node.range(), name));
        }
        if flags.contains(FunctionFlags::DIRECT_ASSIGNMENT) && !is_assigned(&mut expected, node) {
            ctx.report(messages::only_assigned_directly(node.range(), name));
        }
    }
}

/// Whether a call is in a module of which nothing is known.
fn is_in_unknown_module(ctx: &Limits<'_>, node: Node<'_>) -> bool {
    let module = node.ancestors().find(|it| it.kind() == SyntaxKind::Module);
    module.is_some_and(|module| {
        let symbol = ctx.model.declared(module.id());
        symbol.and_then(|symbol| ctx.module_type(symbol)).is_none()
    })
}

/// Whether a call is the value of a parameter or a configuration of a module that takes secrets.
fn is_secure_parameter<'a>(expected: &mut Expected<'a>, node: Node<'a>) -> bool {
    let Some(property) = assigned_to(node).and_then(Property::cast) else { return false };
    let mut keys = property.syntax().ancestors().filter_map(Property::cast).filter_map(Property::key_text);
    let is_passed = keys.any(|key| matches!(&*key, "params" | "extensionConfigs"))
        && node.ancestors().any(|it| it.kind() == SyntaxKind::Module);
    let ty = expected.of(property.value().syntax());
    is_passed && ty.is_some_and(|ty| ty.remove_null().is_secure())
}

/// Whether a call is the whole value of something that has a name.
fn is_assigned<'a>(expected: &mut Expected<'a>, node: Node<'a>) -> bool {
    let Some(target) = assigned_to(node) else { return false };
    match target.kind() {
        SyntaxKind::Property => expected.of(node).is_some(),
        SyntaxKind::Param
        | SyntaxKind::ParamAssignment
        | SyntaxKind::Var
        | SyntaxKind::Output
        | SyntaxKind::Metadata
        | SyntaxKind::Assert
        | SyntaxKind::Resource
        | SyntaxKind::Module
        | SyntaxKind::Call
        | SyntaxKind::MethodCall => true,
        _ => false,
    }
}

/// What a call is the value of, chosen by a condition or not.
fn assigned_to(node: Node<'_>) -> Option<Node<'_>> {
    node.ancestors().find(|it| it.kind() != SyntaxKind::Ternary)
}
