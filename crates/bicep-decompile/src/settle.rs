//! What needs types, after files have been laid out: names get the spelling of the resource types, declarations that refer to each
//! other in a circle are found, and what is wrong is repaired. Mostly nothing changes any more, so that one program answers all of it.

use std::collections::BTreeSet;
use std::sync::Arc;

use bicep_sema::Program;
use bicep_syntax::Parse;

use crate::rewrite::{self, Edit, apply};
use crate::{File, Outside, repair};

/// What is inside of a property with the wrong case has no type before that is put right.
const MOST_SPELLINGS: usize = 5;

/// One repair may show what else is wrong.
const MOST_REPAIRS: usize = 6;

/// Changes files until nothing more can be done; gives the trees of those that have changed. Where there are circles, their
/// declarations are added to `plain`, and the files have to be written again. A result that is exactly that of the reference is not
/// repaired.
pub(crate) fn settle(
    files: &mut [File],
    outside: Outside<'_>,
    is_exact: bool,
    plain: &mut BTreeSet<(String, String)>,
) -> Option<Vec<Option<Arc<Parse>>>> {
    let mut has_changed = vec![false; files.len()];
    let mut rounds =
        Rounds { is_exact, spellings: MOST_SPELLINGS, repairs: MOST_REPAIRS, may_have_cycles: true };
    loop {
        let world = outside.with(files);
        let program = outside.program(files, &world);
        match rounds.next(files, &program, plain) {
            NextStep::Change(edits) => {
                drop(program);
                for ((file, edits), has_changed) in files.iter_mut().zip(edits).zip(&mut has_changed) {
                    *has_changed |= !edits.is_empty();
                    apply(&mut file.text, edits);
                }
            }
            NextStep::Cycles => return None,
            NextStep::End => {
                let tree =
                    |file: &File| Some(Arc::clone(&program.bicep(program.file_at(&file.path)?)?.parse));
                let trees = files.iter().zip(&has_changed).map(|(file, it)| tree(file).filter(|_| *it));
                return Some(trees.collect());
            }
        }
    }
}

/// What is still to be done.
struct Rounds {
    is_exact: bool,
    spellings: usize,
    repairs: usize,
    may_have_cycles: bool,
}

enum NextStep {
    /// Changes, file by file.
    Change(Vec<Vec<Edit>>),
    Cycles,
    End,
}

impl Rounds {
    fn next(
        &mut self,
        files: &[File],
        program: &Program<'_>,
        plain: &mut BTreeSet<(String, String)>,
    ) -> NextStep {
        if self.spellings > 0 {
            self.spellings -= 1;
            let edits = rewrite::edits_by_types(files, program);
            if has_any(&edits) {
                return NextStep::Change(edits);
            }
            self.spellings = 0;
        }
        if self.is_exact {
            return NextStep::End;
        }
        if std::mem::take(&mut self.may_have_cycles) && repair::find_cycles(files, program, plain) {
            return NextStep::Cycles;
        }
        if self.repairs > 0 {
            self.repairs -= 1;
            let edits = repair::edits(files, program);
            if has_any(&edits) {
                return NextStep::Change(edits);
            }
        }
        NextStep::End
    }
}

fn has_any(edits: &[Vec<Edit>]) -> bool {
    edits.iter().any(|edits| !edits.is_empty())
}
