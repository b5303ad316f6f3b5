//! What makes written files what a person would write. Files come in and are changed in four passes, each of which sees the
//! meaning of all of them: `parents`, `dependencies`, `loops`, `casing`.

mod casing;
mod dependencies;
mod loops;
mod parents;

use crate::{File, Outside, Written};
use base::TextRange;
use bicep_sema::{Model, Program, Setup};
use bicep_syntax::Tree;

/// A change of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Edit {
    pub(crate) range: TextRange,
    pub(crate) text: String,
}

type Pass = fn(&Tree, &Model) -> Vec<Edit>;

/// The passes in their order. The last is repeated: what is inside of a property with the wrong case has no type yet.
const PASSES: [Pass; 4] = [parents::edits, dependencies::edits, loops::edits, casing::edits];
const MOST_ROUNDS: usize = 5;

/// Runs all passes. A program is loaded again only after something has changed.
pub(crate) fn rewrite(files: &mut [File], outside: Outside<'_>) {
    let mut next = 0;
    let mut rounds = 0;
    while let Some((pass, changes)) = first_changes(files, outside, next) {
        for (file, edits) in files.iter_mut().zip(changes) {
            apply(&mut file.text, edits);
        }
        if pass + 1 < PASSES.len() {
            next = pass + 1;
        } else {
            next = pass;
            rounds += 1;
            if rounds == MOST_ROUNDS {
                return;
            }
        }
    }
}

/// The first pass from this one on that changes something, and what it changes in each file.
fn first_changes(files: &[File], outside: Outside<'_>, from: usize) -> Option<(usize, Vec<Vec<Edit>>)> {
    let entry = files.first()?.path.clone();
    let world = Written { files, world: outside.world };
    let program = Program::load(Setup::new(&world).with_types(outside.types), &[entry]);
    PASSES.iter().enumerate().skip(from).find_map(|(number, pass)| {
        let changes: Vec<Vec<Edit>> = files.iter().map(|file| edits_of(&program, file, *pass)).collect();
        changes.iter().any(|edits| !edits.is_empty()).then_some((number, changes))
    })
}

fn edits_of(program: &Program<'_>, file: &File, pass: Pass) -> Vec<Edit> {
    let found = program.file_at(&file.path).and_then(|id| Some((program.bicep(id)?, program.model(id)?)));
    found.map(|(bicep, model)| pass(bicep.tree(), model)).unwrap_or_default()
}

/// Applies changes that do not overlap.
pub(crate) fn apply(text: &mut String, mut edits: Vec<Edit>) {
    edits.sort_by_key(|edit| (edit.range.start(), edit.range.end()));
    for edit in edits.into_iter().rev() {
        text.replace_range(std::ops::Range::<usize>::from(edit.range), &edit.text);
    }
}
