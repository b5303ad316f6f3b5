//! What makes written files what a person would write. Files come in and are changed in four passes, each of which sees the
//! meaning of all of them: `parents`, `dependencies`, `loops` ask what names mean, `casing` asks for types.

mod casing;
mod dependencies;
mod loops;
mod parents;

use crate::{File, Outside};
use base::TextRange;
use bicep_sema::Model;
use bicep_syntax::Tree;

/// A change of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Edit {
    pub(crate) range: TextRange,
    pub(crate) text: String,
}

type Pass = fn(&Tree, &Model) -> Vec<Edit>;

/// The passes that need names only, in their order. Types are most of the work of a compiler.
const NAME_PASSES: [Pass; 3] = [parents::edits, dependencies::edits, loops::edits];

/// What is inside of a property with the wrong case has no type before that is put right.
const MOST_ROUNDS: usize = 5;

/// Runs the passes that need names only. A program is loaded again only after something has changed.
pub(crate) fn by_names(files: &mut [File], outside: Outside<'_>) {
    let mut passes = NAME_PASSES.as_slice();
    while let Some((changes, rest)) = first_changes(files, outside, passes) {
        apply_all(files, changes);
        passes = rest;
    }
}

/// Gives names and values the spelling of the resource types.
pub(crate) fn by_types(files: &mut [File], outside: Outside<'_>) {
    for _ in 0..MOST_ROUNDS {
        let world = outside.with(files);
        let program = outside.program(files, &world);
        let edits = files.iter().map(|file| {
            let id = program.file_at(&file.path)?;
            Some(casing::edits(program.bicep(id)?.tree(), program.model(id)?))
        });
        let changes: Vec<Vec<Edit>> = edits.map(Option::unwrap_or_default).collect();
        if changes.iter().all(Vec::is_empty) {
            return;
        }
        drop(program);
        apply_all(files, changes);
    }
}

/// What the first pass that changes something changes in each file, and the passes behind it.
fn first_changes<'p>(
    files: &[File],
    outside: Outside<'_>,
    passes: &'p [Pass],
) -> Option<(Vec<Vec<Edit>>, &'p [Pass])> {
    if passes.is_empty() {
        return None;
    }
    let world = outside.with(files);
    let program = outside.program(files, &world);
    let of_file = |file: &File| {
        let id = program.file_at(&file.path)?;
        Some((program.bicep(id)?.tree(), program.names(id)?))
    };
    let known: Vec<Option<(&Tree, Model)>> = files.iter().map(of_file).collect();
    passes.iter().enumerate().find_map(|(number, pass)| {
        let edits = known.iter().map(|known| known.as_ref().map(|(tree, model)| pass(tree, model)));
        let changes: Vec<Vec<Edit>> = edits.map(Option::unwrap_or_default).collect();
        let has_changed = changes.iter().any(|edits| !edits.is_empty());
        has_changed.then(|| (changes, passes.get(number + 1..).unwrap_or_default()))
    })
}

fn apply_all(files: &mut [File], changes: Vec<Vec<Edit>>) {
    for (file, edits) in files.iter_mut().zip(changes) {
        apply(&mut file.text, edits);
    }
}

/// Applies changes that do not overlap.
pub(crate) fn apply(text: &mut String, mut edits: Vec<Edit>) {
    edits.sort_by_key(|edit| (edit.range.start(), edit.range.end()));
    for edit in edits.into_iter().rev() {
        text.replace_range(std::ops::Range::<usize>::from(edit.range), &edit.text);
    }
}
