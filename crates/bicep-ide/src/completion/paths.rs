//! Paths of modules, used files and loaded files: what lies in the folder that is written so far, and references to registries.

use bicep_sema::Unit;
use bicep_syntax::{Node, SyntaxKind, Token};
use bicep_types::ty::{Type, TypeFlags};
use camino::Utf8Path;

use super::context::{CompletionPlace, PlaceKind};
use super::item::{CompletionItem, CompletionKind, FollowUp, Priority};
use super::references;
use super::values::slot_type;
use super::{CompletionSources, context::ValueSlot};
use crate::FileContext;

/// A template in JSON shows its schema within so many characters.
const SCHEMA_WITHIN: usize = 2000;

/// Which files are offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileFilter {
    /// Bicep files and templates.
    Modules,
    /// Parameter files.
    Parameters,
    /// All, those with these extensions first.
    All(&'static [&'static str]),
    /// Only folders.
    Folders,
}

pub(super) fn offer(
    context: &FileContext<'_>,
    place: &CompletionPlace<'_>,
    sources: &dyn CompletionSources,
    items: &mut Vec<CompletionItem>,
) {
    match place.kind {
        PlaceKind::FilePath(holder, text) => {
            let typed = place.text.map(Token::text).or_else(|| text.map(Node::text)).unwrap_or_default();
            let path = typed.trim_matches('\'').to_owned();
            // A string without an end says nothing about a file yet.
            let is_ended = typed.len() > 1 && typed.ends_with('\'');
            let file = if is_ended || references::is_reference(&path) { path.as_str() } else { "" };
            statement_path(context, place, holder, file, items);
            // Who types a word and no string means a file.
            let is_string = place.text.is_some() || text.is_some() || place.replaced.is_empty();
            if holder.kind() != SyntaxKind::Extends && is_string {
                references::offer(context, place, &path, sources, items);
            }
        }
        PlaceKind::Value(slot) => {
            loaded_path(context, place, slot, items);
            reference_text(context, place, sources, items);
        }
        PlaceKind::Nothing => reference_text(context, place, sources, items),
        _ => {}
    }
}

/// A text that is a reference to a registry, wherever it stands.
fn reference_text(
    context: &FileContext<'_>,
    place: &CompletionPlace<'_>,
    sources: &dyn CompletionSources,
    items: &mut Vec<CompletionItem>,
) {
    let text = place.text.map(|token| token.text().trim_matches('\''));
    if let Some(text) = text.filter(|text| text.starts_with("br:") || text.starts_with("br/")) {
        references::offer(context, place, text, sources, items);
    }
}

/// What is written between the quotes of a string.
fn written(text: Node<'_>) -> String {
    text.text().trim_matches('\'').to_owned()
}

fn statement_path(
    context: &FileContext<'_>,
    place: &CompletionPlace<'_>,
    holder: Node<'_>,
    written: &str,
    items: &mut Vec<CompletionItem>,
) {
    let filter =
        if holder.kind() == SyntaxKind::Extends { FileFilter::Parameters } else { FileFilter::Modules };
    if !references::is_reference(written) {
        files(context, place, written, filter, items);
    }
    if holder.kind() == SyntaxKind::Using && !references::is_reference(written) {
        let mut item = CompletionItem::new(CompletionKind::Enum, "none", place.replaced);
        item.filter_text = Some("none".to_owned());
        items.push(item);
    }
}

/// A file that a function reads.
fn loaded_path(
    context: &FileContext<'_>,
    place: &CompletionPlace<'_>,
    slot: ValueSlot<'_>,
    items: &mut Vec<CompletionItem>,
) {
    let Some(filter) = slot_type(context, slot).as_ref().and_then(loaded_filter) else { return };
    let text = match slot {
        ValueSlot::Node(node) if node.kind() == SyntaxKind::Str => written(node),
        _ => String::new(),
    };
    files(context, place, &text, filter, items);
}

fn loaded_filter(ty: &Type) -> Option<FileFilter> {
    let flags = ty.members().iter().fold(ty.flags(), |all, member| all | member.flags());
    [
        (TypeFlags::JSON_FILE_PATH, FileFilter::All(&["json", "jsonc"])),
        (TypeFlags::YAML_FILE_PATH, FileFilter::All(&["yaml", "yml"])),
        (TypeFlags::DIRECTORY_PATH, FileFilter::Folders),
        (TypeFlags::FILE_PATH, FileFilter::All(&[])),
    ]
    .into_iter()
    .find(|(flag, _)| flags.contains(*flag))
    .map(|(_, filter)| filter)
}

fn files(
    context: &FileContext<'_>,
    place: &CompletionPlace<'_>,
    written: &str,
    filter: FileFilter,
    items: &mut Vec<CompletionItem>,
) {
    let typed = written.rfind('/').and_then(|end| written.get(..=end)).unwrap_or_default();
    let folder = config::paths::normalize(&context.bicep.folder().join(typed));
    let Ok(entries) = context.program.world().list(&folder) else { return };
    let own = context.bicep.source.path();
    let to_text = |path: &Utf8Path, end: &str| {
        let relative = config::paths::relative(context.bicep.folder(), path);
        let dot = if typed.starts_with("./") && !relative.starts_with("..") { "./" } else { "" };
        let gap = if relative.is_empty() || end.is_empty() { "" } else { end };
        format!("{dot}{relative}{gap}")
    };
    let folder_priority = if filter == FileFilter::Folders { Priority::High } else { Priority::Low };
    if let Some(above) = folder.parent() {
        items.push(subfolder(place, "../", &to_text(above, "/")).priority(folder_priority));
    }
    for entry in entries {
        let path = folder.join(&entry.name);
        if entry.is_folder {
            let item = subfolder(place, &format!("{}/", entry.name), &to_text(&path, "/"));
            items.push(item.priority(folder_priority));
            continue;
        }
        let Some(priority) = rank(context, &path, filter).filter(|_| path != own) else { continue };
        let text = format!("'{}'", to_text(&path, ""));
        let mut item = CompletionItem::new(CompletionKind::File, entry.name, place.replaced);
        item.filter_text = Some(text.clone());
        items.push(item.priority(priority).inserting(text));
    }
}

/// Where a file stands in the list; `None` when it is not offered.
fn rank(context: &FileContext<'_>, path: &Utf8Path, filter: FileFilter) -> Option<Priority> {
    let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
    match filter {
        FileFilter::Modules => match extension.as_str() {
            "bicep" => Some(Priority::High),
            "arm" => Some(Priority::Medium),
            "json" | "jsonc" => is_template(context, path).then_some(Priority::Medium),
            _ => None,
        },
        FileFilter::Parameters => (extension == "bicepparam").then_some(Priority::High),
        FileFilter::All(preferred) => {
            let is_first = preferred.is_empty() || preferred.contains(&extension.as_str());
            Some(if is_first { Priority::High } else { Priority::Medium })
        }
        FileFilter::Folders => None,
    }
}

/// Whether a file is used as a template already, or shows the schema of one near its start.
fn is_template(context: &FileContext<'_>, path: &Utf8Path) -> bool {
    let used = context.program.file_at(path).map(|file| context.program.unit(file));
    if used.is_some_and(|unit| matches!(unit, Unit::Template(_))) {
        return true;
    }
    let Ok(content) = context.program.world().read(path) else { return false };
    let start = String::from_utf8_lossy(content.get(..SCHEMA_WITHIN.min(content.len())).unwrap_or_default());
    let mut schemas = start.split("://schema.management.azure.com/schemas/").skip(1);
    schemas.any(|rest| {
        let name = rest.split_once('/').map(|(_, name)| name.to_ascii_lowercase()).unwrap_or_default();
        let word: String = name.chars().take_while(char::is_ascii_alphabetic).collect();
        word.ends_with("deploymenttemplate")
            && name.get(word.len()..).is_some_and(|it| it.starts_with(".json"))
    })
}

fn subfolder(place: &CompletionPlace<'_>, label: &str, path: &str) -> CompletionItem {
    let path = if path.is_empty() || path.ends_with('/') { path.to_owned() } else { format!("{path}/") };
    let mut item = CompletionItem::new(CompletionKind::Folder, label, place.replaced);
    item.filter_text = Some(format!("'{path}'"));
    item.snippet(format!("'{path}$0'")).then(FollowUp::Suggest)
}
