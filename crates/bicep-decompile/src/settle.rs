//! What needs types, when everything else is done: names get the spelling of the resource types, declarations that refer to each
//! other in a circle are found, and what is wrong is repaired. Mostly nothing changes any more, so that one program answers all of it.

use std::collections::BTreeSet;

use bicep_sema::{Program, Setup};

use crate::rewrite::{self, Edit, apply};
use crate::{Draft, File, repair};

/// What is inside of a property with the wrong case has no type before that is put right.
const MOST_SPELLINGS: usize = 5;

/// One repair may show what else is wrong.
const MOST_REPAIRS: usize = 6;

/// Changes files until nothing more can be done. Where there are circles, their declarations are added to `plain`, and the files have
/// to be written again. A result that is exactly that of the reference is not repaired.
pub(crate) fn settle(
    mut drafts: Vec<Draft>,
    setup: &Setup<'_>,
    is_exact: bool,
    plain: &mut BTreeSet<(String, String)>,
) -> Option<Vec<File>> {
    let mut rounds =
        Rounds { is_exact, spellings: MOST_SPELLINGS, repairs: MOST_REPAIRS, may_have_cycles: true };
    loop {
        let world = Draft::world(&drafts, setup);
        let program = Draft::program(&drafts, setup, &world);
        match rounds.next(&drafts, &program, plain) {
            NextStep::Change(edits) => {
                drop(program);
                for (draft, edits) in drafts.iter_mut().zip(edits) {
                    apply(&mut draft.text, edits);
                }
            }
            NextStep::Cycles => return None,
            NextStep::End => return Some(drafts.iter().map(|draft| draft.file(&program)).collect()),
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
        drafts: &[Draft],
        program: &Program<'_>,
        plain: &mut BTreeSet<(String, String)>,
    ) -> NextStep {
        if self.spellings > 0 {
            self.spellings -= 1;
            let edits = rewrite::edits_by_types(drafts, program);
            if has_any(&edits) {
                return NextStep::Change(edits);
            }
            self.spellings = 0;
        }
        if self.is_exact {
            return NextStep::End;
        }
        if std::mem::take(&mut self.may_have_cycles) && repair::find_cycles(drafts, program, plain) {
            return NextStep::Cycles;
        }
        if self.repairs > 0 {
            self.repairs -= 1;
            let edits = repair::edits(drafts, program);
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
