//! Outputs of modules that are secrets or resources: how far a template can pass them on.

use bicep_syntax::ast::{self, Expr};
use bicep_syntax::{Node, SyntaxKind};
use bicep_types::ty::{Kind, ObjectType, Scopes, Type};

use super::parents::is_module_output;
use super::{Limits, without_non_null};
use crate::interface::Interface;
use crate::messages::limits as messages;
use crate::module::is_module;
use crate::resource::IDENTITY;
use crate::symbol::SymbolKind;

pub(super) fn check(ctx: &mut Limits<'_>) {
    let kinds = [SyntaxKind::Module, SyntaxKind::PropertyAccess, SyntaxKind::Index, SyntaxKind::MethodCall];
    for node in ctx.tree().nodes_of(&kinds) {
        match node.kind() {
            SyntaxKind::Module if ctx.model.target_scope() == Scopes::LOCAL => check_local(ctx, node),
            SyntaxKind::PropertyAccess => {
                check_resource_property(ctx, node);
                check_secure_output(ctx, node);
            }
            SyntaxKind::Index => check_secure_output(ctx, node),
            SyntaxKind::MethodCall => check_resource_method(ctx, node),
            _ => {}
        }
    }
}

fn check_local(ctx: &mut Limits<'_>, node: Node<'_>) {
    let (Some(symbol), Some(Ok(target))) = (ctx.model.declared(node.id()), ctx.bicep.reference(node)) else {
        return;
    };
    let interface = ctx.program.interface(target.file);
    if interface.is_some_and(Interface::has_secure_outputs) {
        ctx.report(messages::secure_output_locally(ctx.model.symbol(symbol).name_range, ctx.name(symbol)));
    }
}

fn check_resource_property(ctx: &mut Limits<'_>, node: Node<'_>) {
    let Some(access) = ast::PropertyAccess::cast(node) else { return };
    let is_identity = access.name().and_then(ast::Name::text).is_some_and(|name| IDENTITY.contains(&name));
    if !is_identity && is_module_output(ctx, access.base()) {
        ctx.report(messages::property_of_module_output(node.range()));
    }
}

fn check_resource_method(ctx: &mut Limits<'_>, node: Node<'_>) {
    let Some(call) = ast::MethodCall::cast(node) else { return };
    let is_secret = call.name().and_then(ast::Name::text) == Some("getSecret");
    if !is_secret && is_module_output(ctx, call.base()) {
        ctx.report(messages::property_of_module_output(node.range()));
    }
}

/// Secret outputs are fetched from the module itself, so it must be named right before them.
fn check_secure_output(ctx: &mut Limits<'_>, node: Node<'_>) {
    let Some((outputs, name)) = accessed(Expr::of(node)) else { return };
    let Some((module, word)) = accessed(outputs) else { return };
    let is_outputs = match Expr::of(word) {
        Expr::Str(text) => text.value().as_deref() == Some("outputs"),
        _ => word.kind() == SyntaxKind::Name && word.text() == "outputs",
    };
    let is_of_module = || ctx.model.type_of(module.syntax()).is_some_and(is_module);
    // Types are large: what an access is not about is known sooner.
    let is_secure = || ctx.model.type_of(node).is_some_and(|ty| contains_secure(ty, DEEPEST));
    if is_outputs && !is_direct(ctx, module) && is_of_module() && is_secure() {
        ctx.report(messages::indirect_secure_output(name.range()));
    }
}

/// The base and what is looked up in it, of `base.name` and `base[name]`.
fn accessed(expr: Expr<'_>) -> Option<(Expr<'_>, Node<'_>)> {
    match expr {
        Expr::PropertyAccess(access) => Some((access.base(), access.name()?.syntax())),
        Expr::Index(access) => Some((access.base(), access.index().syntax())),
        _ => None,
    }
}

fn is_direct(ctx: &Limits<'_>, module: Expr<'_>) -> bool {
    let is_module =
        |expr: Expr<'_>| ctx.symbol(expr.syntax()).is_some_and(|symbol| symbol.kind == SymbolKind::Module);
    match without_non_null(module) {
        Expr::Index(access) => is_module(access.base()) && ctx.is_collection(access.base().syntax()),
        _ => is_module(module),
    }
}

/// How deep secrets are looked for.
const DEEPEST: usize = 16;

/// Whether a type is that of a secret or of something with a secret in it.
fn contains_secure(ty: &Type, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    let inside = |ty: &Type| contains_secure(ty, depth);
    let in_object = |object: &ObjectType| {
        object.properties.values().any(|property| inside(&property.ty))
            || object.additional.as_ref().is_some_and(|property| inside(&property.ty))
    };
    ty.is_secure()
        || match ty.kind() {
            Kind::Object(object) => in_object(object),
            Kind::Discriminated(object) => object.objects().any(|(_, object)| in_object(object)),
            Kind::Array(array) => inside(&array.item),
            Kind::Tuple(tuple) => tuple.items.iter().any(inside),
            Kind::Union(members) => members.iter().any(inside),
            _ => false,
        }
}
