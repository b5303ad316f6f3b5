//! Paths of modules and used files: what lies in the folder that is written so far, and the starts of references.

use bicep_syntax::{Node, SyntaxKind};

use super::context::{CompletionPlace, PlaceKind};
use super::item::{CompletionItem, CompletionKind, FollowUp, Priority};
use crate::FileContext;

/// Start, description, rank in the list.
const REFERENCES: [(&str, &str, u8); 4] = [
    ("br/public:", "Public Bicep registry", 90),
    ("ts/", "Template spec (alias)", 90),
    ("br:", "Bicep registry", 92),
    ("ts:", "Template spec", 92),
];

pub(super) fn offer(context: &FileContext<'_>, place: &CompletionPlace<'_>, items: &mut Vec<CompletionItem>) {
    let PlaceKind::FilePath(text) = place.kind else { return };
    let written = text.text().trim_matches('\'');
    if REFERENCES.iter().any(|(start, ..)| written.starts_with(start)) {
        return;
    }
    files(context, place, written, items);
    if !written.is_empty() {
        return;
    }
    if is_of_using(text) {
        let mut item = CompletionItem::new(CompletionKind::EnumMember, "none", place.replaced);
        item.filter_text = Some("none".to_owned());
        items.push(item);
    }
    for (start, description, rank) in REFERENCES {
        let mut item = CompletionItem::new(CompletionKind::Reference, start, place.replaced);
        item.sort_text = format!("{rank}_{start}");
        item.filter_text = Some(format!("'{start}$0'"));
        items.push(item.detail(description).snippet(format!("'{start}$0'")).then(FollowUp::Suggest));
    }
}

fn is_of_using(text: Node<'_>) -> bool {
    text.parent().is_some_and(|node| node.kind() == SyntaxKind::Using)
}

fn files(
    context: &FileContext<'_>,
    place: &CompletionPlace<'_>,
    written: &str,
    items: &mut Vec<CompletionItem>,
) {
    let typed = written.rfind('/').and_then(|end| written.get(..=end)).unwrap_or_default();
    let folder = config::paths::normalize(&context.bicep.folder().join(typed));
    let Ok(entries) = context.program.world().list(&folder) else { return };
    let own = context.bicep.source.path();
    if folder.parent().is_some() {
        items.push(subfolder(place, typed, ".."));
    }
    for entry in entries {
        if entry.is_folder {
            items.push(subfolder(place, typed, &entry.name));
        } else if entry.name.ends_with(".bicep") && folder.join(&entry.name) != own {
            let text = format!("'{typed}{}'", entry.name);
            let mut item = CompletionItem::new(CompletionKind::File, entry.name, place.replaced);
            item.filter_text = Some(text.clone());
            items.push(item.priority(Priority::High).inserting(text));
        }
    }
}

fn subfolder(place: &CompletionPlace<'_>, typed: &str, name: &str) -> CompletionItem {
    let mut item = CompletionItem::new(CompletionKind::Folder, format!("{name}/"), place.replaced);
    item.filter_text = Some(format!("'{typed}{name}/'"));
    item.priority(Priority::Low).snippet(format!("'{typed}{name}/$0'")).then(FollowUp::Suggest)
}
