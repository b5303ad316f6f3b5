//! The names that are known at a place: declarations, locals, namespaces and their functions.

use std::collections::BTreeSet;

use bicep_sema::symbol::{ScopeId, Symbol};
use bicep_sema::{SymbolId, SymbolKind};
use bicep_syntax::{Node, SyntaxKind};
use bicep_types::ty::{FunctionFlags, FunctionName, Kind};

use super::context::{CompletionPlace, PlaceKind};
use super::item::{CompletionItem, CompletionKind, FollowUp, Priority};
use crate::FileContext;

pub(super) fn offer(context: &FileContext<'_>, place: &CompletionPlace<'_>, items: &mut Vec<CompletionItem>) {
    if !matches!(place.kind, PlaceKind::Value(_)) {
        return;
    }
    let mut seen = BTreeSet::new();
    for (id, symbol) in context.model.symbols() {
        let Some(label) = label(context, place, symbol) else { continue };
        let Some(item) = item(context, place, (id, symbol), &label) else { continue };
        if seen.insert(label) {
            items.push(item);
        }
        // Inside of its parent a nested resource has two names.
        if symbol.kind == SymbolKind::Resource
            && symbol.scope != ScopeId::FILE
            && let Some(name) = symbol.name.as_deref().filter(|_| is_in_scope(context, place, symbol))
            && seen.insert(name.to_owned())
        {
            items.push(resource(place, name));
        }
    }
    if is_in_resource_body(place) && seen.insert("this".to_owned()) {
        let item = CompletionItem::new(CompletionKind::Variable, "this", place.replaced).detail("this");
        items.push(item.inserting("this.").then(FollowUp::Suggest));
    }
    functions(context, place, items);
}

/// Behind the `=` of a resource, `this` is the resource.
fn is_in_resource_body(place: &CompletionPlace<'_>) -> bool {
    let resource = place.nodes.iter().rposition(|node| node.kind() == SyntaxKind::Resource);
    let inner = resource.and_then(|index| place.nodes.get(index + 1));
    resource.is_some() && inner.is_none_or(|node| node.kind() != SyntaxKind::Decorator)
}

/// How a symbol is called here; `None` where it is not known.
fn label(context: &FileContext<'_>, place: &CompletionPlace<'_>, symbol: &Symbol) -> Option<String> {
    let name = symbol.name.as_deref()?;
    if place.is_inside(symbol.declaration) {
        return None;
    }
    if symbol.scope == ScopeId::FILE {
        return Some(name.to_owned());
    }
    if symbol.kind == SymbolKind::Resource {
        let node = context.tree().node(symbol.declaration);
        let around =
            std::iter::once(node).chain(node.ancestors()).filter(|it| it.kind() == SyntaxKind::Resource);
        let mut names: Vec<&str> = around.filter_map(declared_name).collect();
        names.reverse();
        return Some(names.join("::"));
    }
    is_in_scope(context, place, symbol).then(|| name.to_owned())
}

fn declared_name(node: Node<'_>) -> Option<&str> {
    crate::lookup::name_of(node)?.text()
}

fn is_in_scope(context: &FileContext<'_>, place: &CompletionPlace<'_>, symbol: &Symbol) -> bool {
    let scope = context.model.scope(symbol.scope);
    scope.is_some_and(|scope| place.nodes.iter().any(|node| node.id() == scope.node))
}

fn item(
    context: &FileContext<'_>,
    place: &CompletionPlace<'_>,
    (id, symbol): (SymbolId, &Symbol),
    label: &str,
) -> Option<CompletionItem> {
    let plain = |kind| CompletionItem::new(kind, label, place.replaced).detail(label);
    Some(match symbol.kind {
        SymbolKind::Param | SymbolKind::ParamAssignment | SymbolKind::InheritedAssignment(_) => {
            plain(CompletionKind::Field)
        }
        SymbolKind::Var | SymbolKind::Base => plain(CompletionKind::Variable),
        kind if kind.is_local_variable() => plain(CompletionKind::Variable),
        SymbolKind::Type => plain(CompletionKind::TypeParameter),
        SymbolKind::Resource => resource(place, label),
        SymbolKind::Module => plain(CompletionKind::Module),
        SymbolKind::Func => function(place, label, true),
        SymbolKind::WildcardImport => {
            plain(CompletionKind::Folder).inserting(format!("{label}.")).then(FollowUp::Suggest)
        }
        SymbolKind::BrokenImport => plain(CompletionKind::Text),
        SymbolKind::ImportItem => {
            let ty = context.model.declared_type(id).cloned();
            let ty = ty.unwrap_or_else(|| context.type_of(context.tree().node(symbol.declaration)));
            match ty.kind() {
                Kind::TypeOf(_) => plain(CompletionKind::TypeParameter),
                Kind::Lambda(_) => function(place, label, true),
                _ => plain(CompletionKind::Variable),
            }
        }
        _ => return None,
    })
}

fn resource(place: &CompletionPlace<'_>, label: &str) -> CompletionItem {
    let mut item = CompletionItem::new(CompletionKind::Interface, label, place.replaced).detail(label);
    item.commit_characters = vec![":"];
    item
}

/// A function that is called.
pub(super) fn function(place: &CompletionPlace<'_>, label: &str, has_parameters: bool) -> CompletionItem {
    let item = CompletionItem::new(CompletionKind::Function, label, place.replaced).priority(Priority::Low);
    match has_parameters {
        true => item.snippet(format!("{label}($0)")).then(FollowUp::ParameterHints),
        false => item.snippet(format!("{label}()$0")),
    }
}

/// Whether a declaration of the file hides a name of a namespace.
pub(super) fn is_hidden(context: &FileContext<'_>, place: &CompletionPlace<'_>, name: &str) -> bool {
    let mut symbols = context.model.symbols();
    symbols.any(|(_, symbol)| {
        symbol.scope == ScopeId::FILE
            && symbol.kind.can_be_referenced()
            && symbol.name.as_deref().is_some_and(|it| it == name)
            && !place.is_inside(symbol.declaration)
    })
}

fn functions(context: &FileContext<'_>, place: &CompletionPlace<'_>, items: &mut Vec<CompletionItem>) {
    let is_in_param = place.nodes.iter().any(|node| node.kind() == SyntaxKind::Param);
    let mut seen = BTreeSet::new();
    for namespace in &context.model.namespaces().all {
        let name = namespace.name.as_str();
        let folder = CompletionItem::new(CompletionKind::Folder, name, place.replaced).detail(name);
        items.push(folder.priority(Priority::Low).inserting(format!("{name}.")).then(FollowUp::Suggest));
        for overload in &namespace.functions {
            let FunctionName::Exact(function_name) = &overload.name else { continue };
            let is_for_defaults = overload.flags.contains(FunctionFlags::PARAM_DEFAULTS_ONLY);
            if (is_for_defaults && !is_in_param) || !seen.insert(function_name.clone()) {
                continue;
            }
            let takes = |it: &bicep_types::ty::Overload| !it.parameters.is_empty() || it.variadic.is_some();
            let has_parameters = namespace.overloads(function_name, false).any(|it| takes(it));
            let label = match is_hidden(context, place, function_name) {
                true => format!("{name}.{function_name}"),
                false => function_name.to_string(),
            };
            items.push(function(place, &label, has_parameters));
        }
    }
}
