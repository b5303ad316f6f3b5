//! Which declarations an expression refers to.

use std::collections::BTreeSet;

use bicep_sema::{Binding, SymbolId, SymbolKind};
use bicep_syntax::{Node, SyntaxKind};

use crate::View;

/// The uses of declared names in and under a node, in the order of the text: variables, functions and types.
pub fn references<'p>(
    view: &View<'p, '_>,
    node: Node<'p>,
) -> impl Iterator<Item = (SymbolId, Node<'p>)> + use<'p> {
    let bindings = view.model.bindings();
    let uses = node.descendants().filter(|inner| {
        matches!(inner.kind(), SyntaxKind::VarAccess | SyntaxKind::Call | SyntaxKind::TypeVar)
    });
    uses.filter_map(move |inner| match bindings.get(inner)? {
        Binding::Symbol(symbol) => Some((symbol, inner)),
        _ => None,
    })
}

/// The symbols that a declaration refers to, directly and through other declarations, each once.
pub fn closure(view: &View<'_, '_>, of: SymbolId) -> BTreeSet<SymbolId> {
    let mut found = BTreeSet::new();
    let mut open = vec![of];
    while let Some(symbol) = open.pop() {
        let declaration = view.declaration(view.model.symbol(symbol));
        for (target, _) in references(view, declaration) {
            if target != of && found.insert(target) {
                open.push(target);
            }
        }
    }
    found
}

/// The parameters that decide the value of an expression: those in it, and those in the variables it uses. Defaults of
/// parameters are not followed.
pub fn deciding_parameters(view: &View<'_, '_>, node: Node<'_>) -> Vec<SymbolId> {
    let mut parameters = Vec::new();
    let mut seen = BTreeSet::new();
    let mut open = vec![view.tree().node(node.id())];
    while let Some(node) = open.pop() {
        for (symbol, _) in references(view, node) {
            if !seen.insert(symbol) {
                continue;
            }
            let declared = view.model.symbol(symbol);
            match declared.kind {
                SymbolKind::Param => parameters.push(symbol),
                SymbolKind::Var => open.push(view.declaration(declared)),
                _ => {}
            }
        }
    }
    parameters
}
