//! The names that are known at a place: declarations, locals, namespaces and their functions.

use bicep_sema::SymbolKind;

use super::context::{CompletionPlace, PlaceKind};
use super::item::{CompletionItem, CompletionKind, FollowUp, Priority};
use crate::FileContext;

pub(super) fn offer(context: &FileContext<'_>, place: &CompletionPlace<'_>, items: &mut Vec<CompletionItem>) {
    if place.kind != PlaceKind::Expression {
        return;
    }
    for (_, symbol) in context.model.symbols() {
        let is_global = symbol.scope == bicep_sema::symbol::ScopeId::FILE;
        let encloses = place.path.nodes.iter().any(|node| node.id() == symbol.declaration);
        let Some(name) = symbol.name.as_deref().filter(|_| is_global && !encloses) else { continue };
        let Some(kind) = kind(symbol.kind) else { continue };
        items.push(CompletionItem::new(kind, name, place.replaced).detail(name));
    }
    functions(context, place, items);
}

fn kind(kind: SymbolKind) -> Option<CompletionKind> {
    Some(match kind {
        SymbolKind::Param | SymbolKind::ParamAssignment => CompletionKind::Field,
        SymbolKind::Var => CompletionKind::Variable,
        SymbolKind::Resource => CompletionKind::Interface,
        SymbolKind::Module => CompletionKind::Module,
        SymbolKind::Func => CompletionKind::Function,
        _ => return None,
    })
}

fn functions(context: &FileContext<'_>, place: &CompletionPlace<'_>, items: &mut Vec<CompletionItem>) {
    let mut seen = std::collections::BTreeSet::new();
    for namespace in &context.model.namespaces().all {
        let folder = CompletionItem::new(CompletionKind::Folder, namespace.name.as_str(), place.replaced);
        items.push(
            folder.priority(Priority::Low).inserting(format!("{}.", namespace.name)).then(FollowUp::Suggest),
        );
        for overload in &namespace.functions {
            let name = overload.name.to_string();
            if seen.insert(name.clone()) {
                let item = CompletionItem::new(CompletionKind::Function, name.as_str(), place.replaced);
                items.push(
                    item.priority(Priority::Low)
                        .snippet(format!("{name}($0)"))
                        .then(FollowUp::ParameterHints),
                );
            }
        }
    }
}
