//! Every answer of the reference's language server in the recording `live`, held against the library in this process. A case
//! counts as equal for a kind when all its answers of that kind are.
#![expect(clippy::disallowed_macros, reason = "the figures are for the person who runs this")]

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use differential::editor::{Answers, Figures, compare};
use tests::corpus::live;
use tests::corpus::ratchet::Ratchet;

fn main() -> ExitCode {
    live::run("ide", env!("CARGO_BIN_EXE_sinew-tested"), check)
}

fn check(live: &live::Live, ratchet: &Ratchet) -> Result<Vec<String>, String> {
    let answers = Answers::load(&live.folder.join("ide.json.xz"))?;
    let mut lost = Vec::new();
    let mut sums: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (id, figures) in &figures(live, &answers) {
        for (kind, (equal, all)) in figures {
            let sum = sums.entry(kind).or_default();
            *sum = (sum.0 + equal, sum.1 + all);
            let name = format!("{kind}::{id}");
            ratchet.record(&name, equal == all);
            if ratchet.holds(&name) && equal != all {
                lost.push(name);
            }
        }
    }
    for (kind, (equal, all)) in sums {
        println!("ide {kind}: {equal}/{all}");
    }
    Ok(lost)
}

/// As many as the server gives its threads.
const STACK_BYTES: usize = 16 << 20;

fn figures(live: &live::Live, answers: &Answers) -> BTreeMap<String, Figures> {
    let (recording, types) = (&live.recording, &live.types);
    let cases: BTreeMap<&str, _> = recording.cases.iter().map(|case| (case.id.as_str(), case)).collect();
    let next = AtomicUsize::new(0);
    let results = Mutex::new(BTreeMap::new());
    let work = || {
        while let Some(answered) = answers.cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            let Some(case) = cases.get(answered.id.as_str()) else { continue };
            let compared =
                catch_unwind(AssertUnwindSafe(|| compare(answers, answered, case, recording, types)));
            let figures = compared.unwrap_or_else(|_| Figures::from([("panics", (0, 1))]));
            results.lock().unwrap_or_else(PoisonError::into_inner).insert(answered.id.clone(), figures);
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            // A machine that gives no thread gives no results either: the figures show it.
            let _ = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work);
        }
    });
    results.into_inner().unwrap_or_else(PoisonError::into_inner)
}
