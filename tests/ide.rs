//! Every answer of the reference's language server in the recording `live`, held against the library in this process. A case whose
//! answers of a kind have all been equal before (`ratchet/ide.txt`) must stay so; `SINEW_RATCHET` is as in the other corpora.
#![expect(clippy::disallowed_macros, reason = "the figures are for the person who runs this")]

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use camino::Utf8PathBuf;
use differential::editor::{Answers, Figures, compare};
use differential::{Recording, Types};
use libtest_mimic::Arguments;
use tests::corpus::Corpus;
use tests::corpus::ratchet::{Mode, Ratchet};
use tests::shared;

const RATCHET: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/ratchet/ide.txt");

/// More cases than this are only counted.
const MOST_SHOWN: usize = 20;

fn main() -> ExitCode {
    let is_list = Arguments::from_args().list;
    let (Some(live), Some(bicep), Some(types)) =
        (shared::folder("corpus/live"), shared::folder("corpus/bicep"), shared::folder("types"))
    else {
        println!("ide: {}", shared::absent("corpus/live and types"));
        return ExitCode::SUCCESS;
    };
    if is_list {
        return ExitCode::SUCCESS;
    }
    match check(&live, bicep, &types) {
        Ok(code) => code,
        Err(error) => {
            println!("ide: {error}");
            ExitCode::FAILURE
        }
    }
}

fn check(live: &Path, bicep: std::path::PathBuf, types: &Path) -> Result<ExitCode, String> {
    let corpus = Corpus::load(bicep, env!("CARGO_BIN_EXE_sinew-tested").into())?;
    corpus.install_types(types)?;
    let folder = Utf8PathBuf::from_path_buf(corpus.home().join("types"));
    let types = Types::open(&folder.map_err(|path| format!("{} is not UTF-8", path.display()))?);
    let recording = Recording::load(&live.join("live.json.xz"))?;
    let answers = Answers::load(&live.join("ide.json.xz"))?;
    let results = run(&recording, &answers, &types);
    let ratchet = Ratchet::load(Path::new(RATCHET));
    let mut lost = Vec::new();
    let mut sums: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (id, figures) in &results {
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
    println!("{} pass for the first time (SINEW_RATCHET=update lists them)", ratchet.gains().len());
    lost.iter().take(MOST_SHOWN).for_each(|it| println!("was equal before: {it}"));
    let mode = Mode::from_environment();
    ratchet.save(mode).map_err(|error| format!("{RATCHET}: {error}"))?;
    println!("ide: {} were equal before and are not any more", lost.len());
    Ok(if lost.is_empty() || mode == Mode::Force { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// As many as the server gives its threads.
const STACK_BYTES: usize = 16 << 20;

fn run(recording: &Recording, answers: &Answers, types: &Types) -> BTreeMap<String, Figures> {
    let cases: BTreeMap<&str, _> = recording.cases.iter().map(|case| (case.id.as_str(), case)).collect();
    let next = AtomicUsize::new(0);
    let results = Mutex::new(BTreeMap::new());
    let work = || {
        while let Some(answered) = answers.cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            let Some(case) = cases.get(answered.id.as_str()) else { continue };
            let compared =
                catch_unwind(AssertUnwindSafe(|| compare(answers, answered, (case, recording), types)));
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
