//! Whether a value is known when a deployment starts, or only after something has been deployed.

use std::collections::BTreeSet;

use bicep_sema::{SymbolId, SymbolKind};
use bicep_syntax::ast::{Expr, Name, Var};
use bicep_syntax::{Node, SyntaxKind};
use bicep_types::Kind;
use bicep_types::ty::{ObjectType, PropertyFlags};

use crate::View;
use crate::calls::built_in;

/// Whether nothing in an expression has to be asked of what has been deployed. Variables are followed.
pub fn is_known_at_start(view: &View<'_, '_>, value: Expr<'_>) -> bool {
    let mut seen: BTreeSet<SymbolId> = BTreeSet::new();
    let mut open = vec![view.tree().node(value.syntax().id())];
    while let Some(node) = open.pop() {
        if asks_service(view, node) || reads_deployed(view, node) {
            return false;
        }
        open.extend(node.children());
        if let Some((id, symbol)) = view.referenced(node)
            && symbol.kind == SymbolKind::Var
            && seen.insert(id)
        {
            open.extend(Var::cast(view.declaration(symbol)).map(|it| it.value().syntax()));
        }
    }
    true
}

/// Whether a node calls a function that is answered by the service: `reference()`, `list…()`.
fn asks_service(view: &View<'_, '_>, node: Node<'_>) -> bool {
    let of_azure = built_in(view.model, node, "az").and_then(super::calls::AnyCall::name);
    let of_resource = match Expr::of(node) {
        Expr::MethodCall(call) => deployed(view, call.base().syntax()).and(call.name()).and_then(Name::text),
        _ => None,
    };
    of_azure.is_some_and(|name| name == "reference" || name.starts_with("list"))
        || of_resource.is_some_and(|name| name != "getSecret")
}

/// Whether a node reads something of a resource or module that is known only after its deployment.
fn reads_deployed(view: &View<'_, '_>, node: Node<'_>) -> bool {
    let is_name = matches!(node.kind(), SyntaxKind::VarAccess | SyntaxKind::ResourceAccess);
    let Some(symbol) = deployed(view, node).filter(|_| is_name) else { return false };
    let mut node = node;
    // Which one of a collection is meant, and that it is not null, says nothing yet.
    while let Some(parent) = node.parent() {
        match Expr::of(parent) {
            Expr::NonNull(_) => node = parent,
            Expr::Index(access) if access.base().syntax() == node => match access.index() {
                Expr::Str(key) => {
                    return !key.value().is_some_and(|key| is_known_property(view, symbol, &key));
                }
                _ => node = parent,
            },
            Expr::PropertyAccess(access) => {
                let name = access.name().and_then(Name::text);
                return !name.is_some_and(|name| is_known_property(view, symbol, name));
            }
            Expr::ResourceAccess(_) => return false,
            _ => return true,
        }
    }
    true
}

/// Whether a property of a resource or module is known before it is deployed.
fn is_known_property(view: &View<'_, '_>, symbol: SymbolId, name: &str) -> bool {
    let declaration = view.declaration(view.model.symbol(symbol));
    let Some(ty) = view.model.type_of(declaration) else { return false };
    let one = ty.item().unwrap_or(ty);
    let body = match one.kind() {
        Kind::Resource(resource) => &resource.body,
        Kind::Module(module) => &module.body,
        _ => return false,
    };
    let flags = |object: &ObjectType| object.properties.get(name).map(|property| property.flags);
    let flags = match body.kind() {
        Kind::Object(object) => flags(object),
        Kind::Discriminated(ty) => ty.members.values().find_map(|member| flags(member.as_object()?)),
        _ => None,
    };
    flags.is_some_and(|flags| flags.contains(PropertyFlags::DEPLOY_TIME_CONSTANT))
}

/// The resource or module that a node names.
fn deployed(view: &View<'_, '_>, node: Node<'_>) -> Option<SymbolId> {
    let (id, symbol) = view.referenced(node)?;
    matches!(symbol.kind, SymbolKind::Resource | SymbolKind::Module).then_some(id)
}
