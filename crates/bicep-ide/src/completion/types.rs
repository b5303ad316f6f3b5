//! Types: those of the language, those that the file declares, and the types and versions of resources.

use bicep_sema::SymbolKind;
use bicep_sema::interface::ExportKind;
use bicep_syntax::{Node, SyntaxKind};

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
        PlaceKind::ResourceType(text) => resource_types(context, place, text, items),
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
    let innermost =
        place.nodes.iter().rev().find(|node| {
            !matches!(node.kind(), SyntaxKind::Name | SyntaxKind::TypeVar | SyntaxKind::Skipped)
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
    text: Node<'_>,
    items: &mut Vec<CompletionItem>,
) {
    let written = text.text().trim_matches('\'');
    let all = &context.model.namespaces().all;
    let catalogues = all.iter().filter_map(|namespace| namespace.resources.as_ref());
    let labels: Vec<(String, String, bool)> = match written.split_once('@') {
        Some((name, _)) => catalogues
            .flat_map(|types| types.0.versions(name).into_iter().rev())
            .map(|version| (version.to_string(), format!("'{name}@{version}'"), false))
            .collect(),
        None => catalogues
            .flat_map(|types| types.0.type_names())
            .map(|name| (format!("'{name}'"), format!("'{name}@$0'"), true))
            .collect(),
    };
    for (index, (label, text, is_type)) in labels.into_iter().enumerate() {
        let mut item = CompletionItem::new(CompletionKind::Class, label, place.replaced);
        item.sort_text = format!("{index:08x}");
        items.push(if is_type {
            item.snippet(text).then(FollowUp::Suggest)
        } else {
            item.filter_text = Some(text.to_lowercase());
            item.inserting(text)
        });
    }
}
