//! What makes written files what a person would write. Files come in; changes of their texts go out. `parents`, `dependencies` and
//! `loops` ask what names mean, `casing` asks for types: those that resources declare are known before anything is checked.

mod casing;
mod dependencies;
mod loops;
mod parents;

use std::sync::Arc;

use base::TextRange;
use bicep_sema::{Model, Program, Setup};
use bicep_syntax::Tree;

use crate::Draft;

/// A change of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Edit {
    pub(crate) range: TextRange,
    pub(crate) text: String,
}

/// Runs the passes that need names only: types are most of the work of a compiler.
pub(crate) fn by_names(drafts: &mut [Draft], setup: &Setup<'_>) {
    let is_concerned: Vec<bool> = drafts.iter().map(|draft| can_change(&draft.text)).collect();
    if is_concerned.iter().all(|it| !it) {
        return;
    }
    let world = Draft::world(drafts, setup);
    let program = Draft::program(drafts, setup, &world);
    let of_draft = |(draft, is_concerned): (&Draft, &bool)| {
        let id = program.file_at(&draft.path).filter(|_| *is_concerned)?;
        Some(edits_by_names(program.bicep(id)?.tree(), &program.names(id)?))
    };
    let found: Vec<Option<Vec<Edit>>> = drafts.iter().zip(&is_concerned).map(of_draft).collect();
    drop(program);
    for (draft, edits) in drafts.iter_mut().zip(found) {
        apply(&mut draft.text, edits.unwrap_or_default());
    }
}

/// The changes of all passes. They are made at once: loops stand where the others change nothing, `dependencies` is told what
/// `parents` does, and nobody else changes names of properties. Those that resources declare get their spelling here already, because
/// each change that is found later costs another check of the whole file.
fn edits_by_names(tree: &Tree, model: &Model) -> Vec<Edit> {
    let children = parents::children(tree, model);
    let mut edits = dependencies::edits(tree, model, &children);
    edits.extend(casing::edits_of_keys(tree, model, &children));
    edits.extend(children.into_iter().flat_map(parents::Child::edits));
    edits.extend(loops::edits(tree, model));
    edits
}

/// Whether one of these passes may change a text. A file that has none of what they look for need not be bound.
fn can_change(text: &str) -> bool {
    text.contains("dependsOn") || text.contains("length(") && text.contains("range(") || has_children(text)
}

/// Whether a text declares a resource of a type and one of the type below it. Statements begin at the start of a line.
fn has_children(text: &str) -> bool {
    let type_of =
        |line: &str| Some(line.strip_prefix("resource ")?.split(['\'', '@']).nth(1)?.to_ascii_lowercase());
    let types: Vec<String> = text.lines().filter_map(type_of).collect();
    let parents = types.iter().filter_map(|ty| Some(ty.rsplit_once('/')?.0));
    parents.into_iter().any(|parent| types.iter().any(|ty| ty == parent))
}

/// The changes that give names and values the spelling of the resource types, file by file.
pub(crate) fn edits_by_types(drafts: &[Draft], program: &Program<'_>) -> Vec<Vec<Edit>> {
    let of_draft = |draft: &Draft| {
        let id = program.file_at(&draft.path)?;
        Some(casing::edits(program.bicep(id)?.tree(), program.model(id)?))
    };
    drafts.iter().map(|draft| of_draft(draft).unwrap_or_default()).collect()
}

/// Applies changes that do not overlap.
pub(crate) fn apply(text: &mut Arc<str>, mut edits: Vec<Edit>) {
    if edits.is_empty() {
        return;
    }
    edits.sort_by_key(|edit| (edit.range.start(), edit.range.end()));
    let mut changed = String::with_capacity(text.len());
    let mut done = 0;
    for edit in &edits {
        changed.push_str(text.get(done..edit.range.start().into()).unwrap_or_default());
        changed.push_str(&edit.text);
        done = edit.range.end().into();
    }
    changed.push_str(text.get(done..).unwrap_or_default());
    *text = changed.into();
}
