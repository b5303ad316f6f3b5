//! Extensions: where they can be named, and what the configuration that a module gets can be.

use bicep_syntax::ast::{self, Expr, Property};
use bicep_syntax::{Node, SyntaxKind};
use config::Feature;

use super::Limits;
use crate::messages::limits as messages;
use crate::symbol::SymbolKind;

pub(super) fn check(ctx: &mut Limits<'_>) {
    for node in ctx.tree().nodes_of(&[SyntaxKind::VarAccess, SyntaxKind::Module]) {
        if node.kind() == SyntaxKind::VarAccess {
            check_reference(ctx, node);
        } else if ctx.bicep.config.has(Feature::ModuleExtensionConfigs) {
            check_configurations(ctx, node);
        }
    }
}

/// An extension is not a value: its functions can be called, and modules can inherit its configuration.
fn check_reference(ctx: &mut Limits<'_>, node: Node<'_>) {
    if !is_extension(ctx, node) {
        return;
    }
    let is_called =
        node.parent().and_then(ast::MethodCall::cast).is_some_and(|call| call.base().syntax() == node);
    let is_inherited = ctx.bicep.config.has(Feature::ModuleExtensionConfigs)
        && node.ancestors().filter_map(Property::cast).any(is_configuration);
    if !is_called && !is_inherited {
        ctx.report(messages::extension_as_value(node.range()));
    }
}

fn is_extension(ctx: &Limits<'_>, node: Node<'_>) -> bool {
    ctx.symbol(node).is_some_and(|symbol| symbol.kind == SymbolKind::Extension)
}

/// Whether a property is `extensionConfigs` of a module.
fn is_configuration(property: Property<'_>) -> bool {
    let body = property.syntax().parent();
    let around = body.and_then(Node::parent);
    let declaration = match around {
        Some(each) if each.kind() == SyntaxKind::For => each.parent(),
        around => around,
    };
    property.key_text().as_deref() == Some("extensionConfigs")
        && declaration.is_some_and(|it| it.kind() == SyntaxKind::Module)
}

/// The emitter takes configurations apart, except those that are inherited as they are.
fn check_configurations(ctx: &mut Limits<'_>, node: Node<'_>) {
    let body = ast::Module::cast(node).and_then(ast::Module::body);
    let Some(configurations) = body.and_then(|body| body.property("extensionConfigs")) else {
        return;
    };
    let object = match configurations.value() {
        Expr::Object(object) => object,
        Expr::Skipped(_) => return,
        other => return ctx.report(messages::not_literal(other.range(), "extensionConfigs")),
    };
    for property in object.properties() {
        let value = property.value();
        if !matches!(value, Expr::Object(_) | Expr::Skipped(_)) && !is_inherited(ctx, value) {
            let name = property.key_text().unwrap_or_default();
            ctx.report(messages::configuration_not_literal(property.range(), &name));
        }
    }
}

/// Whether an expression is nothing but the configuration of an extension of the file.
fn is_inherited(ctx: &Limits<'_>, expr: Expr<'_>) -> bool {
    let mut open = vec![expr];
    while let Some(expr) = open.pop() {
        match expr {
            Expr::Paren(paren) => open.push(paren.value()),
            Expr::Ternary(choice) => open.extend([choice.if_true(), choice.if_false()]),
            expr if is_configuration_access(ctx, expr) => {}
            _ => return false,
        }
    }
    true
}

fn is_configuration_access(ctx: &Limits<'_>, expr: Expr<'_>) -> bool {
    let (base, name) = match expr {
        Expr::PropertyAccess(access) => {
            (access.base(), access.name().and_then(ast::Name::text).map(str::to_owned))
        }
        Expr::Index(access) => match access.index() {
            Expr::Str(text) => (access.base(), text.value()),
            _ => return false,
        },
        _ => return false,
    };
    is_extension(ctx, base.syntax()) && name.as_deref() == Some("config")
}
