//! One test per check of the corpus, run in parallel on the real program. A check that has passed before
//! (`ratchet/bicep.txt`) must pass; one that has not is shown as ignored while it fails.
//!
//! `SINEW_RATCHET=update` adds what passes for the first time; `force` also takes away what fails. `SINEW_CORPUS_HOME`
//! names a folder for what the cases need (types, restored artifacts) that stays for other runs as their `SINEW_HOME`.
#![expect(clippy::disallowed_macros, reason = "the figures are for the person who runs this")]

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use tests::corpus::ratchet::{Mode, Ratchet};
use tests::corpus::{Check, Corpus};
use tests::shared;

const RATCHET: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/ratchet/bicep.txt");

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let Some(root) = shared::folder("corpus/bicep") else {
        eprintln!("corpus: {}", shared::absent("corpus/bicep"));
        return libtest_mimic::run(&arguments, Vec::new()).exit_code();
    };
    let corpus = match Corpus::load(root, env!("CARGO_BIN_EXE_sinew-tested").into()) {
        Ok(corpus) => Arc::new(corpus),
        Err(error) => {
            eprintln!("corpus: {error}");
            return ExitCode::FAILURE;
        }
    };
    match shared::folder("types").map(|folder| corpus.install_types(&folder)) {
        Some(Ok(())) => {}
        Some(Err(error)) => eprintln!("corpus: the resource types are not installed: {error}"),
        None => eprintln!("corpus: {}", shared::absent("types")),
    }
    if let Err(error) = corpus.install_artifacts() {
        eprintln!("corpus: what cases refer to is not there: {error}");
    }
    let ratchet = Arc::new(Ratchet::load(Path::new(RATCHET)));
    let trials = corpus.checks().into_iter().map(|check| trial(check, &corpus, &ratchet)).collect();
    let conclusion = libtest_mimic::run(&arguments, trials);
    if !arguments.list {
        conclude(&ratchet);
    }
    conclusion.exit_code()
}

fn trial(check: Check, corpus: &Arc<Corpus>, ratchet: &Arc<Ratchet>) -> Trial {
    let (corpus, ratchet) = (Arc::clone(corpus), Arc::clone(ratchet));
    Trial::ignorable_test(check.name.clone(), move || {
        let result = corpus.run(&check);
        ratchet.record(&check.name, result.is_ok());
        match result {
            Ok(()) => Ok(Completion::Completed),
            Err(difference) if ratchet.holds(&check.name) => Err(Failed::from(difference)),
            Err(_) => Ok(Completion::ignored_with("not reached yet")),
        }
    })
}

fn conclude(ratchet: &Ratchet) {
    for (kind, (passed, total)) in ratchet.figures() {
        println!("{kind}: {passed}/{total}");
    }
    let mode = Mode::from_environment();
    let gains = ratchet.gains();
    if !gains.is_empty() {
        let what =
            if mode == Mode::Hold { "not listed yet (SINEW_RATCHET=update adds them)" } else { "now listed" };
        println!("{} checks pass and are {what}:", gains.len());
        gains.iter().take(20).for_each(|name| println!("    {name}"));
    }
    if let Err(error) = ratchet.save(mode) {
        println!("{RATCHET}: {error}");
    }
}
