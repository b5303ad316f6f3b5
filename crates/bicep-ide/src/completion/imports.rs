//! Names in the list of an import, and the names of extensions.

use std::collections::BTreeSet;

use bicep_sema::interface::ExportKind;
use bicep_syntax::{Node, ast};

use super::context::{CompletionPlace, PlaceKind};
use super::item::{CompletionItem, CompletionKind};
use crate::FileContext;
use crate::hover::used_interface;

pub(super) fn offer(context: &FileContext<'_>, place: &CompletionPlace<'_>, items: &mut Vec<CompletionItem>) {
    match place.kind {
        PlaceKind::ImportItem(list) => names(context, place, list, items),
        PlaceKind::ExtensionSpecification => {
            let configured = context.bicep.config.extensions.keys().map(|it| it.as_str());
            // Types of this one are published as a package and are no longer part of the language.
            let built_in = configured.filter(|it| *it != "microsoftGraph").chain(["sys"]);
            let names: BTreeSet<&str> = built_in.collect();
            items.extend(
                names.into_iter().map(|name| {
                    CompletionItem::new(CompletionKind::Folder, name, place.replaced).detail(name)
                }),
            );
        }
        PlaceKind::ExtensionName => {
            let extensions = used_interface(context).into_iter().flat_map(|it| it.extensions.iter());
            items.extend(extensions.map(|it| {
                let alias = it.alias.as_str();
                CompletionItem::new(CompletionKind::Module, alias, place.replaced).detail(alias)
            }));
        }
        _ => {}
    }
}

/// What the file behind an import exports and the list does not name yet.
fn names(
    context: &FileContext<'_>,
    place: &CompletionPlace<'_>,
    list: Node<'_>,
    items: &mut Vec<CompletionItem>,
) {
    let Some(import) = list.parent() else { return };
    let Some(Ok(target)) = context.bicep.reference(import) else { return };
    let Some(interface) = context.program.interface(target.file) else { return };
    let view = ast::ImportList::cast(list);
    let touched = |item: &ast::ImportItem<'_>| item.range().contains_inclusive(place.offset);
    let given: BTreeSet<String> = view
        .into_iter()
        .flat_map(ast::ImportList::items)
        .filter(|item| !touched(item))
        .filter_map(ast::ImportItem::original_name)
        .collect();
    for export in interface.exports.iter().filter(|it| !given.contains(it.name.as_str())) {
        let kind = match &export.kind {
            ExportKind::Type(_) => CompletionKind::TypeParameter,
            ExportKind::Variable(_) => CompletionKind::Variable,
            ExportKind::Function(_) => CompletionKind::Function,
            ExportKind::Ambiguous => continue,
        };
        let name = export.name.as_str();
        let text = if base::spelling::is_identifier(name) {
            name.to_owned()
        } else {
            format!("{} as ", bicep_types::ty::escape_string(name))
        };
        let item = CompletionItem::new(kind, name, place.replaced).detail(name);
        items
            .push(item.inserting(text).documented(
                export.description.as_deref().map(|text| crate::markdown::paragraph(Some(text))),
            ));
    }
}
