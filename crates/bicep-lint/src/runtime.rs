//! Whether a value is known when a deployment starts, or only after something has been deployed.

use std::collections::BTreeSet;

use bicep_sema::{SymbolId, SymbolKind};
use bicep_syntax::ast::{Expr, Name, Var};
use bicep_syntax::{Node, SyntaxKind};

use crate::View;
use crate::calls::built_in;

/// Properties of a resource or module that are known before it is deployed.
const KNOWN: [&str; 4] = ["id", "name", "type", "apiVersion"];

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
    if !matches!(node.kind(), SyntaxKind::VarAccess | SyntaxKind::ResourceAccess)
        || deployed(view, node).is_none()
    {
        return false;
    }
    let mut node = node;
    // Which one of a collection is meant, and that it is not null, says nothing yet.
    while let Some(parent) = node.parent() {
        match Expr::of(parent) {
            Expr::NonNull(_) => node = parent,
            Expr::Index(access) if access.base().syntax() == node => match access.index() {
                Expr::Str(key) => return !key.value().is_some_and(|key| KNOWN.contains(&key.as_str())),
                _ => node = parent,
            },
            Expr::PropertyAccess(access) => {
                return !access.name().and_then(Name::text).is_some_and(|name| KNOWN.contains(&name));
            }
            Expr::ResourceAccess(_) => return false,
            _ => return true,
        }
    }
    true
}

/// The resource or module that a node names.
fn deployed(view: &View<'_, '_>, node: Node<'_>) -> Option<SymbolId> {
    let (id, symbol) = view.referenced(node)?;
    matches!(symbol.kind, SymbolKind::Resource | SymbolKind::Module).then_some(id)
}
