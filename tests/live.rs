//! Every answer of the recording `live`, held against the library in this process. What has been equal before
//! (`ratchet/live.txt`) must stay equal; `SINEW_RATCHET` is as in the other corpora.
#![expect(clippy::disallowed_macros, reason = "the figures are for the person who runs this")]

use std::path::Path;
use std::process::ExitCode;

use camino::Utf8PathBuf;
use differential::run::run;
use differential::{Kind, Recording, Types};
use libtest_mimic::Arguments;
use tests::corpus::Corpus;
use tests::corpus::ratchet::{Mode, Ratchet};
use tests::shared;

const RATCHET: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/ratchet/live.txt");

/// More cases than this are only counted.
const MOST_SHOWN: usize = 20;

fn main() -> ExitCode {
    let is_list = Arguments::from_args().list;
    let (Some(live), Some(bicep), Some(types)) =
        (shared::folder("corpus/live"), shared::folder("corpus/bicep"), shared::folder("types"))
    else {
        println!("live: {}", shared::absent("corpus/live and types"));
        return ExitCode::SUCCESS;
    };
    if is_list {
        return ExitCode::SUCCESS;
    }
    match check(&live, bicep, &types) {
        Ok(code) => code,
        Err(error) => {
            println!("live: {error}");
            ExitCode::FAILURE
        }
    }
}

fn check(live: &Path, bicep: std::path::PathBuf, types: &Path) -> Result<ExitCode, String> {
    // The other corpus knows how to install types for a run.
    let corpus = Corpus::load(bicep, env!("CARGO_BIN_EXE_sinew-tested").into())?;
    corpus.install_types(types)?;
    let folder = Utf8PathBuf::from_path_buf(corpus.home().join("types"));
    let types = Types::open(&folder.map_err(|path| format!("{} is not UTF-8", path.display()))?);
    let recording = Recording::load(&live.join("live.json.xz"))?;
    let ratchet = Ratchet::load(Path::new(RATCHET));
    let mut lost = Vec::new();
    for compared in run(&recording, &types, &Kind::ALL, |_| true) {
        let Some(case) = recording.cases.get(compared.case) else { continue };
        let name = format!("{}::{}", compared.kind.name(), case.id);
        ratchet.record(&name, compared.result.is_ok());
        if let (true, Err(difference)) = (ratchet.holds(&name), compared.result) {
            lost.push(format!("{name}: {difference:?}"));
        }
    }
    for (kind, (passed, total)) in ratchet.figures() {
        println!("live {kind}: {passed}/{total}");
    }
    println!("{} pass for the first time (SINEW_RATCHET=update lists them)", ratchet.gains().len());
    lost.iter().take(MOST_SHOWN).for_each(|it| println!("was equal before: {it}"));
    let mode = Mode::from_environment();
    ratchet.save(mode).map_err(|error| format!("{RATCHET}: {error}"))?;
    println!("live: {} were equal before and are not any more", lost.len());
    Ok(if lost.is_empty() || mode == Mode::Force { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
