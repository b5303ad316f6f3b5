//! Types: those of the language, those that the file declares, and the types and versions of resources.

use std::cmp::Reverse;

use bicep_sema::SymbolKind;
use bicep_sema::interface::ExportKind;
use bicep_syntax::{Node, SyntaxKind};
use bicep_types::catalogue::Versioned;
use bicep_types::resources::ResourceTypes;
use bicep_types::ty::{Kind, Type};

use super::context::{CompletionPlace, PlaceKind};
use super::item::{CompletionItem, CompletionKind, FollowUp, Priority};
use super::symbols::imported;
use crate::FileContext;

pub(super) fn offer(context: &FileContext<'_>, place: &CompletionPlace<'_>, items: &mut Vec<CompletionItem>) {
    match place.kind {
        PlaceKind::Type => {
            built_in(context, place, items);
            declared(context, place, items);
            secure(place, items);
        }
        PlaceKind::UnionMember(_) => {
            let mut all = Vec::new();
            declared(context, place, &mut all);
            let is_literal = |it: &CompletionItem| is_literal_type(context, &it.label);
            items.extend(all.into_iter().filter(is_literal));
        }
        PlaceKind::ResourceType(text, parent) => match parent {
            Some(parent) => nested_types(context, place, text, parent, items),
            None => resource_types(context, place, text, items),
        },
        _ => {}
    }
}

fn built_in(context: &FileContext<'_>, place: &CompletionPlace<'_>, items: &mut Vec<CompletionItem>) {
    const WITH_ARGUMENTS: [(&str, &str); 2] = [
        ("resourceInput", "What a resource of this type takes"),
        ("resourceOutput", "What a resource of this type gives"),
    ];
    for namespace in &context.model.namespaces().all {
        if namespace.name == "sys" || namespace.extension == "sys" {
            let generic = WITH_ARGUMENTS.iter().filter(|(name, _)| namespace.named_type(name).is_none());
            items.extend(generic.map(|(name, detail)| generic_type(place, name, detail)));
        }
        for (name, _) in &namespace.types {
            let item = CompletionItem::new(CompletionKind::Class, name.as_str(), place.replaced);
            let generic = WITH_ARGUMENTS.iter().find(|(generic, _)| generic == name);
            items.push(match generic {
                Some((name, detail)) => generic_type(place, name, detail),
                None => item.detail(name.as_str()),
            });
        }
    }
}

fn generic_type(place: &CompletionPlace<'_>, name: &str, detail: &str) -> CompletionItem {
    let item = CompletionItem::new(CompletionKind::Class, name, place.replaced).detail(detail);
    item.snippet(format!("{name}<'$0'>")).then(FollowUp::ParameterHints)
}

fn declared(context: &FileContext<'_>, place: &CompletionPlace<'_>, items: &mut Vec<CompletionItem>) {
    let innermost = place.nodes.iter().rev().find(|node| {
        !matches!(
            node.kind(),
            SyntaxKind::Name
                | SyntaxKind::TypeVar
                | SyntaxKind::Skipped
                | SyntaxKind::UnionType
                | SyntaxKind::UnionTypeMember
        )
    });
    for (id, symbol) in context.model.symbols() {
        let is_type = match symbol.kind {
            SymbolKind::Type => true,
            SymbolKind::ImportItem => matches!(imported(context, id), Some(ExportKind::Type(_))),
            _ => false,
        };
        let is_declared_here = innermost.is_some_and(|node| node.id() == symbol.declaration);
        let Some(name) = symbol.name.as_deref().filter(|_| is_type && !is_declared_here) else { continue };
        let item = CompletionItem::new(CompletionKind::Class, name, place.replaced).detail(name);
        items.push(item.priority(Priority::High));
    }
    imported_types(context, place, items);
}

/// The types behind the names of whole files.
fn imported_types(context: &FileContext<'_>, place: &CompletionPlace<'_>, items: &mut Vec<CompletionItem>) {
    for (id, symbol) in context.model.symbols() {
        let is_wildcard = symbol.kind == SymbolKind::WildcardImport;
        let Some(name) = symbol.name.as_deref().filter(|_| is_wildcard) else { continue };
        let exports = crate::entity::imported_interface(context, id).into_iter().flat_map(|it| &it.exports);
        for export in exports.filter(|it| matches!(it.kind, ExportKind::Type(_))) {
            let label = match base::spelling::is_identifier(&export.name) {
                true => format!("{name}.{}", export.name),
                false => format!("{name}[{}]", bicep_types::ty::escape_string(&export.name)),
            };
            let detail = label.clone();
            let item = CompletionItem::new(CompletionKind::Class, label, place.replaced).detail(detail);
            items.push(item.priority(Priority::High));
        }
    }
}

/// Whether a declared type has only values that can be written down.
fn is_literal_type(context: &FileContext<'_>, name: &str) -> bool {
    let mut symbols = context.model.symbols();
    let found = symbols.find(|(_, it)| it.kind == SymbolKind::Type && it.name.as_deref() == Some(name));
    let ty = found.and_then(|(id, _)| context.model.declared_type(id)).map(crate::declared::unwrapped);
    ty.is_some_and(|ty| has_only_literals(&ty, MAX_DEPTH))
}

/// Deeper types are taken for something else: types may contain themselves.
const MAX_DEPTH: usize = 16;

fn has_only_literals(ty: &Type, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    match ty.kind() {
        Kind::Union(members) => members.iter().all(|it| has_only_literals(it, depth)),
        Kind::Tuple(tuple) => tuple.items.iter().all(|it| has_only_literals(it, depth)),
        Kind::Object(object) => {
            !object.has_explicit_additional()
                && object.properties.values().all(|it| has_only_literals(&it.ty, depth))
        }
        _ => ty.is_literal(),
    }
}

/// The types of children of a resource, by the last part of their names.
fn nested_types(
    context: &FileContext<'_>,
    place: &CompletionPlace<'_>,
    text: Option<Node<'_>>,
    parent: Node<'_>,
    items: &mut Vec<CompletionItem>,
) {
    let declared = context.model.declared_type_of(parent);
    let Some(parent) = declared.and_then(|ty| ty.item().unwrap_or(ty).as_resource()) else { return };
    let written = text.map(|text| text.text().trim_matches('\'').to_owned()).unwrap_or_default();
    let all = &context.model.namespaces().all;
    let catalogues: Vec<_> = all.iter().filter_map(|namespace| namespace.resources.as_ref()).collect();
    let start = format!("{}/", parent.reference.name().to_ascii_lowercase());
    let mut labels: Vec<(String, String, bool)> = Vec::new();
    for types in catalogues {
        for name in types.0.type_names() {
            let is_child =
                name.to_ascii_lowercase().strip_prefix(&start).is_some_and(|rest| !rest.contains('/'));
            let short = name.get(start.len()..).filter(|_| is_child);
            let Some(short) = short else { continue };
            match written.split_once('@') {
                Some((own, _)) if own.eq_ignore_ascii_case(short) => {
                    let versions = newest_first(&types.0, &name).into_iter();
                    labels.extend(versions.map(|(spelled, version)| {
                        let short = spelled.get(start.len()..).unwrap_or(short);
                        (version.clone(), format!("'{short}@{version}'"), false)
                    }));
                }
                Some(_) => {}
                None => labels.push((format!("'{short}'"), format!("'{short}@$0'"), true)),
            }
        }
    }
    push_resource_types(place, labels, items);
}

/// The versions of a type, each behind the type as that version spells it: by their dates, the newest first; of one date, the
/// stable version before its previews.
fn newest_first(types: &ResourceTypes, name: &str) -> Vec<(String, String)> {
    const DATE: usize = "2000-01-01".len();
    let entry = types.catalogue().and_then(|catalogue| catalogue.find_type(name).ok()?);
    let defined = entry.into_iter().flat_map(|it| it.versions).filter(Versioned::is_defined);
    let mut versions: Vec<_> = defined.map(|it| (it.name.to_string(), it.version.to_owned())).collect();
    versions.sort_by_cached_key(|(_, version)| {
        let date = version.get(..DATE).unwrap_or(version).to_owned();
        (Reverse(date), version.len() > DATE, Reverse(version.clone()))
    });
    versions
}

/// Secret parameters: the type here, the decorator above.
fn secure(place: &CompletionPlace<'_>, items: &mut Vec<CompletionItem>) {
    let mut around = place.nodes.iter().rev();
    let around = around.find(|node| !matches!(node.kind(), SyntaxKind::Name | SyntaxKind::TypeVar));
    let Some(statement) = around.filter(|node| node.kind() == SyntaxKind::Param) else { return };
    let keyword = statement.tokens().next().map_or(statement.range(), bicep_syntax::Token::range);
    for (label, ty, detail) in
        [("securestring", "string", "Secure string"), ("secureObject", "object", "Secure object")]
    {
        let mut item = CompletionItem::new(CompletionKind::Snippet, label, place.replaced);
        let above = base::TextRange::empty(keyword.start());
        item.additional_edits = vec![base::Edit { range: above, text: "@secure()\n".to_owned() }];
        items.push(item.detail(detail).snippet(ty));
    }
}

/// Without a version the types, with one the versions of the type.
fn resource_types(
    context: &FileContext<'_>,
    place: &CompletionPlace<'_>,
    text: Option<Node<'_>>,
    items: &mut Vec<CompletionItem>,
) {
    let written = text.map(|text| text.text().trim_matches('\'')).unwrap_or_default();
    let all = &context.model.namespaces().all;
    let catalogues = all.iter().filter_map(|namespace| namespace.resources.as_ref());
    let labels: Vec<(String, String, bool)> = match written.split_once('@') {
        Some((name, _)) => catalogues
            .flat_map(|types| newest_first(&types.0, name))
            .map(|(spelled, version)| (version.clone(), format!("'{spelled}@{version}'"), false))
            .collect(),
        None => catalogues
            .flat_map(|types| types.0.type_names())
            .map(|name| (format!("'{name}'"), format!("'{name}@$0'"), true))
            .collect(),
    };
    push_resource_types(place, labels, items);
}

/// Label, text and whether it is a type without a version, in the order of the list.
fn push_resource_types(
    place: &CompletionPlace<'_>,
    labels: Vec<(String, String, bool)>,
    items: &mut Vec<CompletionItem>,
) {
    for (index, (label, text, is_type)) in labels.into_iter().enumerate() {
        let mut item = CompletionItem::new(CompletionKind::Class, label, place.replaced);
        item.sort_text = format!("{index:08x}");
        items.push(if is_type {
            let name = item.label.trim_matches('\'').to_owned();
            let words = search_words(&[&name]);
            item.filter_text = (!words.is_empty()).then(|| format!("'{name} {words}'"));
            item.snippet(text).then(FollowUp::Suggest)
        } else {
            item.filter_text = Some(text.to_lowercase());
            item.inserting(text)
        });
    }
}

/// Words by which types are looked for, beside their names. A key covers the types below it.
const SEARCH_WORDS: [(&str, &str); 7] = [
    ("microsoft.web/sites", "appservice webapp function"),
    ("microsoft.web/serverfarms", "asp appserviceplan hostingplan"),
    ("microsoft.app", "containerapp"),
    ("microsoft.containerservice", "aks kubernetes k8s cluster"),
    ("microsoft.authorization", "rbac"),
    ("microsoft.documentdb", "cosmosdb"),
    ("microsoft.operationalinsights/workspaces", "loganalytics"),
];

/// The words for some types.
pub(super) fn search_words(types: &[&str]) -> String {
    let covers = |ty: &str, key: &str| {
        ty.to_ascii_lowercase().strip_prefix(key).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let found = SEARCH_WORDS.iter().filter(|(key, _)| types.iter().any(|ty| covers(ty, key)));
    found.map(|(_, words)| *words).collect::<Vec<_>>().join(" ")
}
