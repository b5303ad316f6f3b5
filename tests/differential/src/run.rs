//! All cases of a recording, on all cores, with results in the order of the cases.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::answer::with_case;
use crate::compare::{Difference, compare};
use crate::{Case, Kind, Recording, Types};

/// What became of one comparison.
#[derive(Debug)]
pub struct Compared {
    /// The number of the case in the recording.
    pub case: usize,
    /// What was compared.
    pub kind: Kind,
    /// The difference, if there is one.
    pub result: Result<(), Difference>,
}

/// As many as the program gives its threads.
const STACK_BYTES: usize = 16 << 20;

/// Compares the given cases.
pub fn run(
    recording: &Recording,
    types: &Types,
    kinds: &[Kind],
    is_wanted: impl Fn(&Case) -> bool,
) -> Vec<Compared> {
    let cases: Vec<(usize, &Case)> =
        recording.cases.iter().enumerate().filter(|(_, case)| is_wanted(case)).collect();
    let next = AtomicUsize::new(0);
    let results = Mutex::new(BTreeMap::new());
    let work = || {
        while let Some((number, case)) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            let compared = compare_case(case, recording, types, kinds);
            results.lock().unwrap_or_else(PoisonError::into_inner).insert(*number, compared);
        }
    };
    thread::scope(|scope| {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        for _ in 0..cores {
            // A machine that gives no thread gives no results either: the figures show it.
            let _ = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work);
        }
    });
    let results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    let flat = results.into_iter().flat_map(|(case, compared)| {
        compared.into_iter().map(move |(kind, result)| Compared { case, kind, result })
    });
    flat.collect()
}

type Results = Vec<(Kind, Result<(), Difference>)>;

fn compare_case(case: &Case, recording: &Recording, types: &Types, kinds: &[Kind]) -> Results {
    let is_there = |kind: Kind| match kind {
        Kind::Build => case.template.is_some(),
        Kind::Diagnostics => case.diags.is_some(),
        Kind::Format => case.formatted.is_some(),
    };
    let kinds: Vec<Kind> = kinds.iter().copied().filter(|kind| is_there(*kind)).collect();
    if kinds.is_empty() {
        return Vec::new();
    }
    let compared = catch_unwind(AssertUnwindSafe(|| {
        with_case(case, recording, types, |answers| {
            let each = |kind: &Kind| Some((*kind, compare(*kind, case, recording, answers)?));
            kinds.iter().filter_map(each).collect()
        })
    }));
    match compared {
        Ok(Some(results)) => results,
        Ok(None) | Err(_) => kinds.into_iter().map(|kind| (kind, Err(Difference::Panic))).collect(),
    }
}
