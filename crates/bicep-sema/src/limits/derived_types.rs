//! Types taken from resources: only parts of them, because a template has no type for a whole resource.

use bicep_syntax::ast::{GenericType, MemberGenericType, Name};
use bicep_syntax::{Node, SyntaxKind};

use super::Limits;
use crate::bind::Binding;
use crate::messages::limits as messages;
use crate::namespace::RESOURCE_DERIVED;

pub(super) fn check(ctx: &mut Limits<'_>) {
    for node in ctx.tree().nodes_of(&[SyntaxKind::GenericType, SyntaxKind::MemberGenericType]) {
        if is_derived(ctx, node) && !is_taken_apart(node) {
            ctx.report(messages::whole_resource_as_type(node.range()));
        }
    }
}

fn is_derived(ctx: &Limits<'_>, node: Node<'_>) -> bool {
    let name = match node.kind() {
        SyntaxKind::GenericType => GenericType::cast(node).and_then(GenericType::name),
        SyntaxKind::MemberGenericType => MemberGenericType::cast(node).and_then(MemberGenericType::name),
        _ => return false,
    };
    let is_named = name.and_then(Name::text).is_some_and(|name| RESOURCE_DERIVED.contains(&name));
    let is_built_in = !matches!(ctx.model.bindings().get(node), Some(Binding::Symbol(_)));
    let is_known = ctx.model.declared_type_of(node).is_none_or(|ty| !ty.is_error());
    is_named && is_built_in && is_known
}

/// Whether a type is only used for something in it.
fn is_taken_apart(node: Node<'_>) -> bool {
    let user = node.ancestors().find(|node| node.kind() != SyntaxKind::NullableType);
    user.is_some_and(|user| {
        matches!(
            user.kind(),
            SyntaxKind::TypePropertyAccess
                | SyntaxKind::TypeItemsAccess
                | SyntaxKind::TypeAdditionalAccess
                | SyntaxKind::TypeIndex
        )
    })
}
