//! The names that are known at a place: declarations, locals, namespaces and their functions.

use std::collections::BTreeSet;

use bicep_sema::interface::ExportKind;
use bicep_sema::symbol::{ScopeId, Symbol};
use bicep_sema::{BicepFile, FileId, SymbolId, SymbolKind};
use bicep_syntax::{Node, NodeId, SyntaxKind};
use bicep_types::ty::{FunctionFlags, FunctionName, Overload};

use super::context::{CompletionPlace, PlaceKind};
use super::item::{CompletionItem, CompletionKind, FollowUp, Priority};
use crate::FileContext;
use crate::entity::imported_interface;

pub(super) fn offer(context: &FileContext<'_>, place: &CompletionPlace<'_>, items: &mut Vec<CompletionItem>) {
    if let PlaceKind::NestedResource(access) = place.kind {
        nested_resources(context, place, access, items);
    }
    if !matches!(place.kind, PlaceKind::Value(_) | PlaceKind::Index(_)) {
        return;
    }
    let mut seen = BTreeSet::new();
    if is_in_resource_body(place) && seen.insert("this".to_owned()) {
        let item = CompletionItem::new(CompletionKind::Variable, "this", place.replaced).detail("this");
        items.push(item.inserting("this.").then(FollowUp::Suggest));
    }
    let reference = resource_reference(place);
    let (wants_resources, is_item) = (reference.is_some(), reference == Some(ResourceReference::DependsOn));
    for (id, symbol) in context.model.symbols() {
        if wants_resources && is_declared_inside(context, place, symbol) {
            continue;
        }
        if let Some(label) = label(context, place, symbol)
            && let Some(item) = item(context, place, id, symbol, &label)
            && seen.insert(label)
        {
            items.push(prioritized(item, is_item && !is_ancestor(place, symbol)));
        }
        if let Some(qualified) = qualified_name(context, place, id, symbol)
            && seen.insert(qualified.clone())
        {
            let item = resource(place, &qualified).documented(symbol_documentation(context, symbol));
            items.push(prioritized(item, is_item && !is_ancestor(place, symbol)));
        }
    }
    inherited(context, place, &mut seen, items);
    functions(context, place, items);
}

/// What a parameter file takes over from the one that it extends: each value by its name, and all of them as `base`.
fn inherited(
    context: &FileContext<'_>,
    place: &CompletionPlace<'_>,
    seen: &mut BTreeSet<String>,
    items: &mut Vec<CompletionItem>,
) {
    let mut names = BTreeSet::new();
    let mut visited = BTreeSet::from([context.file]);
    let mut open = extended(context.bicep);
    while let Some(file) = open.pop() {
        let Some(bicep) = context.program.bicep(file).filter(|_| visited.insert(file)) else { continue };
        let statements = bicep.tree().file().statements();
        let assigned = statements.filter_map(|it| bicep_syntax::ast::ParamAssignment::cast(it.syntax()));
        names.extend(assigned.filter_map(|it| Some(it.name()?.text()?.to_owned())));
        open.extend(extended(bicep));
    }
    let kinds = names.iter().map(|name| (name.as_str(), CompletionKind::Field));
    let base = (!names.is_empty()).then_some(("base", CompletionKind::Variable));
    for (name, kind) in kinds.clone().chain(base) {
        if seen.insert(name.to_owned()) {
            items.push(CompletionItem::new(kind, name, place.replaced).detail(name));
        }
    }
}

/// The parameter files that a parameter file names behind `extends`.
fn extended(bicep: &BicepFile) -> Vec<FileId> {
    let statements = bicep.tree().file().statements();
    let extends = statements.filter(|it| it.syntax().kind() == SyntaxKind::Extends);
    extends.filter_map(|it| Some(bicep.reference(it.syntax())?.as_ref().ok()?.file)).collect()
}

/// A property whose value is a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ResourceReference {
    /// An item of `dependsOn`, where nothing but resources is of use.
    DependsOn,
    /// `parent` or `scope`
    Other,
}

/// The property that the value is one of, if it is for resources.
pub(super) fn resource_reference(place: &CompletionPlace<'_>) -> Option<ResourceReference> {
    use SyntaxKind as K;
    let transparent = |node: &&Node<'_>| {
        matches!(
            node.kind(),
            K::Name
                | K::VarAccess
                | K::Skipped
                | K::Paren
                | K::Ternary
                | K::ArrayItem
                | K::Array
                | K::ResourceAccess
        )
    };
    let mut around = place.nodes.iter().rev().skip_while(transparent);
    let key = around
        .next()
        .and_then(|node| bicep_syntax::ast::Property::cast(*node))
        .and_then(bicep_syntax::ast::Property::key_text);
    let body = around.next().map(|node| node.ancestors());
    let mut holder = body.into_iter().flatten().skip_while(|node| matches!(node.kind(), K::If | K::For));
    let is_body = holder.next().is_some_and(|node| matches!(node.kind(), K::Resource | K::Module));
    match key.as_deref().filter(|_| is_body)? {
        "dependsOn" => Some(ResourceReference::DependsOn),
        "parent" | "scope" => Some(ResourceReference::Other),
        _ => None,
    }
}

/// Whether a resource is nested in the one whose value is written: what waits for its parent cannot be waited for by it.
fn is_declared_inside(context: &FileContext<'_>, place: &CompletionPlace<'_>, symbol: &Symbol) -> bool {
    let resource = place.nodes.iter().rev().find(|node| node.kind() == SyntaxKind::Resource);
    let declaration = context.tree().node(symbol.declaration);
    resource.is_some_and(|it| declaration == *it || declaration.ancestors().any(|node| node == *it))
        && !symbol.kind.is_local_variable()
}

/// Whether the value stands in the body of what a symbol declares.
fn is_ancestor(place: &CompletionPlace<'_>, symbol: &Symbol) -> bool {
    place.nodes.iter().any(|node| node.id() == symbol.declaration)
}

fn prioritized(item: CompletionItem, comes_first: bool) -> CompletionItem {
    match item.kind {
        CompletionKind::Interface | CompletionKind::Module if comes_first => {
            item.priority(Priority::VeryHigh)
        }
        _ => item,
    }
}

/// The type of a parameter and the description of any symbol.
fn symbol_documentation(context: &FileContext<'_>, symbol: &Symbol) -> Option<String> {
    let node = context.tree().node(symbol.declaration);
    let ty = match symbol.kind {
        SymbolKind::Param => context.model.type_of(node).or_else(|| context.model.declared_type_of(node)),
        _ => None,
    };
    let head = ty.map(|ty| format!("Type: `{ty}`  \n")).unwrap_or_default();
    let text = head + &crate::markdown::paragraph(crate::hover::description(context, node).as_deref());
    (!text.is_empty()).then_some(text)
}

/// All ways to call a function, and what it does.
pub(super) fn function_documentation<'o>(
    name: &str,
    overloads: impl Iterator<Item = &'o Overload> + Clone,
) -> Option<String> {
    let lines: Vec<String> = overloads.clone().map(|it| format!("{name}{}", it.signature())).collect();
    let description = overloads.map(|it| it.description.as_str()).find(|it| !it.is_empty());
    (!lines.is_empty()).then(|| crate::markdown::described_code(&lines.join("\n"), description))
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
    id: SymbolId,
    symbol: &Symbol,
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
    id: SymbolId,
    symbol: &Symbol,
    label: &str,
) -> Option<CompletionItem> {
    let documentation = symbol_documentation(context, symbol);
    let plain = |kind| {
        let item = CompletionItem::new(kind, label, place.replaced).detail(label);
        item.documented(documentation.clone())
    };
    Some(match symbol.kind {
        SymbolKind::Param | SymbolKind::ParamAssignment | SymbolKind::InheritedAssignment(_) => {
            plain(CompletionKind::Field)
        }
        SymbolKind::Var | SymbolKind::Base => plain(CompletionKind::Variable),
        kind if kind.is_local_variable() => plain(CompletionKind::Variable),
        SymbolKind::Type if is_in_function(place) => return None,
        SymbolKind::Type => plain(CompletionKind::TypeParameter),
        SymbolKind::Resource => resource(place, label).documented(documentation),
        SymbolKind::Module => plain(CompletionKind::Module),
        SymbolKind::Func => user_function(context, place, id, label),
        SymbolKind::WildcardImport => {
            plain(CompletionKind::Folder).inserting(format!("{label}.")).then(FollowUp::Suggest)
        }
        SymbolKind::BrokenImport | SymbolKind::Test | SymbolKind::Assert => plain(CompletionKind::Text),
        SymbolKind::ImportItem => match imported(context, id) {
            Some(ExportKind::Type(_)) if is_in_function(place) => return None,
            Some(ExportKind::Type(_)) => plain(CompletionKind::TypeParameter),
            Some(ExportKind::Function(_)) => user_function(context, place, id, label),
            _ => plain(CompletionKind::Variable),
        },
        _ => return None,
    })
}

/// Whether the value stands in the body of a function of the file.
fn is_in_function(place: &CompletionPlace<'_>) -> bool {
    place.nodes.iter().any(|node| node.kind() == SyntaxKind::TypedLambda)
}

fn user_function(
    context: &FileContext<'_>,
    place: &CompletionPlace<'_>,
    id: SymbolId,
    label: &str,
) -> CompletionItem {
    let overload = crate::hover::called_overload(context, id);
    let has_parameters = overload.as_ref().is_none_or(|it| !it.parameters.is_empty());
    let item = function(place, label, has_parameters);
    item.documented(function_documentation(label, overload.iter().map(|it| &**it)))
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

/// Whether the variable of a loop or an argument hides a name of a namespace.
fn is_hidden_by_local(context: &FileContext<'_>, place: &CompletionPlace<'_>, name: &str) -> bool {
    let mut symbols = context.model.symbols();
    symbols.any(|(_, it)| {
        it.kind.is_local_variable() && it.name.as_deref() == Some(name) && is_in_scope(context, place, it)
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
            let takes = |it: &Overload| !it.parameters.is_empty() || it.variadic.is_some();
            let has_parameters = namespace.overloads(function_name, false).any(|it| takes(it));
            let hiding = hiding_declaration(context, function_name);
            let is_hidden = hiding.is_some_and(|it| !place.is_inside(it))
                || is_hidden_by_local(context, place, function_name);
            let label = match is_hidden {
                true => format!("{name}.{function_name}"),
                false => function_name.to_string(),
            };
            let overloads = namespace.functions.iter().filter(|it| it.name == overload.name);
            let overloads: Vec<&Overload> = overloads.map(|it| &**it).collect();
            let documentation = function_documentation(function_name, overloads.into_iter());
            items.push(function(place, &label, has_parameters).documented(documentation));
        }
    }
}
