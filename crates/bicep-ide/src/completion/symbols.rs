//! The names that are known at a place: declarations, locals, namespaces and their functions.

use std::collections::BTreeSet;

use bicep_sema::interface::ExportKind;
use bicep_sema::symbol::{ScopeId, Symbol};
use bicep_sema::{SymbolId, SymbolKind};
use bicep_syntax::{Node, NodeId, SyntaxKind};
use bicep_types::ty::{FunctionFlags, FunctionName};

use super::context::{CompletionPlace, PlaceKind};
use super::item::{CompletionItem, CompletionKind, FollowUp, Priority};
use crate::FileContext;
use crate::entity::imported_interface;

pub(super) fn offer(context: &FileContext<'_>, place: &CompletionPlace<'_>, items: &mut Vec<CompletionItem>) {
    if let PlaceKind::NestedResource(access) = place.kind {
        nested_resources(context, place, access, items);
    }
    if !matches!(place.kind, PlaceKind::Value(_)) {
        return;
    }
    let mut seen = BTreeSet::new();
    for (id, symbol) in context.model.symbols() {
        if let Some(label) = label(context, place, symbol)
            && let Some(item) = item(context, place, (id, symbol), &label)
            && seen.insert(label)
        {
            items.push(item);
        }
        if let Some(qualified) = qualified_name(context, place, (id, symbol))
            && seen.insert(qualified.clone())
        {
            items.push(resource(place, &qualified));
        }
    }
    if is_in_resource_body(place) && seen.insert("this".to_owned()) {
        let item = CompletionItem::new(CompletionKind::Variable, "this", place.replaced).detail("this");
        items.push(item.inserting("this.").then(FollowUp::Suggest));
    }
    functions(context, place, items);
}

/// The resources in the body of the one before the `::`.
fn nested_resources(
    context: &FileContext<'_>,
    place: &CompletionPlace<'_>,
    access: Node<'_>,
    items: &mut Vec<CompletionItem>,
) {
    let base = access.children().next().and_then(|base| context.model.bindings().symbol(base));
    let Some(base) = base else { return };
    let is_nested = |parent: &bicep_sema::resource::Parent| parent.is_nested && parent.resource == base;
    for nested in context.model.resources().iter().filter(|it| it.parent.as_ref().is_some_and(is_nested)) {
        if let Some(name) = context.model.symbol(nested.symbol).name.as_deref() {
            items.push(resource(place, name));
        }
    }
}

/// Behind the `=` of a resource, `this` is the resource.
fn is_in_resource_body(place: &CompletionPlace<'_>) -> bool {
    let resource = place.nodes.iter().rposition(|node| node.kind() == SyntaxKind::Resource);
    let inner = resource.and_then(|index| place.nodes.get(index + 1));
    let is_existing = resource.and_then(|index| place.nodes.get(index)).is_some_and(|node| {
        bicep_syntax::ast::Resource::cast(*node).is_some_and(|it| it.existing().is_some())
    });
    let is_condition = inner.is_some_and(|node| node.kind() == SyntaxKind::If)
        && !place.nodes.iter().any(|node| node.kind() == SyntaxKind::Object);
    let is_decorator = inner.is_some_and(|node| node.kind() == SyntaxKind::Decorator);
    resource.is_some() && !is_existing && !is_condition && !is_decorator
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
    is_in_scope(context, place, symbol).then(|| name.to_owned())
}

/// The name of a resource behind the resources that it is nested in, or that its parent is nested in.
fn qualified_name(
    context: &FileContext<'_>,
    place: &CompletionPlace<'_>,
    (id, symbol): (SymbolId, &Symbol),
) -> Option<String> {
    let name = symbol.name.as_deref().filter(|_| !place.is_inside(symbol.declaration))?;
    let resources = context.model.resources();
    let ancestors = resources.ancestors(resources.get(id)?);
    let nested = ancestors.iter().filter(|(_, link)| link.is_nested);
    let mut names: Vec<&str> =
        nested.filter_map(|(ancestor, _)| context.model.symbol(ancestor.symbol).name.as_deref()).collect();
    names.push(name);
    (names.len() > 1).then(|| names.join("::"))
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
        SymbolKind::BrokenImport | SymbolKind::Test | SymbolKind::Assert => plain(CompletionKind::Text),
        SymbolKind::ImportItem => match imported(context, id) {
            Some(ExportKind::Type(_)) => plain(CompletionKind::TypeParameter),
            Some(ExportKind::Function(_)) => function(place, label, true),
            _ => plain(CompletionKind::Variable),
        },
        _ => return None,
    })
}

fn resource(place: &CompletionPlace<'_>, label: &str) -> CompletionItem {
    let mut item = CompletionItem::new(CompletionKind::Interface, label, place.replaced).detail(label);
    item.commit_characters = vec![":"];
    item
}

/// What an item of an import list brings in.
pub(super) fn imported<'a>(context: &FileContext<'a>, symbol: SymbolId) -> Option<&'a ExportKind> {
    let declaration = context.tree().node(context.model.symbol(symbol).declaration);
    let name = bicep_syntax::ast::ImportItem::cast(declaration)?.original_name()?;
    Some(&imported_interface(context, symbol)?.export(&name)?.kind)
}

/// A function that is called.
pub(super) fn function(place: &CompletionPlace<'_>, label: &str, has_parameters: bool) -> CompletionItem {
    let item = CompletionItem::new(CompletionKind::Function, label, place.replaced).priority(Priority::Low);
    match has_parameters {
        true => item.snippet(format!("{label}($0)")).then(FollowUp::ParameterHints),
        false => item.snippet(format!("{label}()$0")),
    }
}

/// The declaration of the file that hides a name of a namespace.
pub(super) fn hiding_declaration(context: &FileContext<'_>, name: &str) -> Option<NodeId> {
    let mut symbols = context.model.symbols();
    let hiding = symbols.find(|(_, symbol)| {
        symbol.scope == ScopeId::FILE
            && symbol.kind.can_be_referenced()
            && symbol.name.as_deref() == Some(name)
    });
    hiding.map(|(_, symbol)| symbol.declaration)
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
            let hiding = hiding_declaration(context, function_name);
            let label = match hiding.is_some_and(|it| !place.is_inside(it)) {
                true => format!("{name}.{function_name}"),
                false => function_name.to_string(),
            };
            items.push(function(place, &label, has_parameters));
        }
    }
}
