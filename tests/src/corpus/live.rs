//! The frame of tests that hold every answer of the recording `live` against the library in this process. What has been
//! equal before (`ratchet/NAME.txt`) must stay equal; `SINEW_RATCHET` is as in the other corpora.
#![expect(clippy::disallowed_macros, reason = "the figures are for the person who runs this")]

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use camino::Utf8PathBuf;
use differential::{Recording, Types};
use libtest_mimic::Arguments;

use super::Corpus;
use super::ratchet::{Mode, Ratchet};
use crate::shared;

/// More cases than this are only counted.
const MOST_SHOWN: usize = 20;

/// What the answers are compared with.
pub struct Live {
    /// The folder of the recording.
    pub folder: PathBuf,
    /// The cases.
    pub recording: Recording,
    /// The resource types it was made with.
    pub types: Types,
}

/// Runs a test of this name: `compare` records every comparison and gives back those that were equal before and are not
/// any more. `program` installs the types.
pub fn run(
    name: &str,
    program: &str,
    compare: impl FnOnce(&Live, &Ratchet) -> Result<Vec<String>, String>,
) -> ExitCode {
    let is_list = Arguments::from_args().list;
    let (Some(folder), Some(bicep), Some(types)) =
        (shared::folder("corpus/live"), shared::folder("corpus/bicep"), shared::folder("types"))
    else {
        println!("{name}: {}", shared::absent("corpus/live and types"));
        return ExitCode::SUCCESS;
    };
    if is_list {
        return ExitCode::SUCCESS;
    }
    let checked = || {
        // The other corpus knows how to install types for a run.
        let corpus = Corpus::load(bicep, program.into())?;
        corpus.install_types(&types)?;
        let installed = Utf8PathBuf::from_path_buf(corpus.home().join("types"));
        let types = Types::open(&installed.map_err(|path| format!("{} is not UTF-8", path.display()))?);
        let recording = Recording::load(&folder.join("live.json.xz"))?;
        check(name, &Live { folder, recording, types }, compare)
    };
    checked().unwrap_or_else(|error: String| {
        println!("{name}: {error}");
        ExitCode::FAILURE
    })
}

fn check(
    name: &str,
    live: &Live,
    compare: impl FnOnce(&Live, &Ratchet) -> Result<Vec<String>, String>,
) -> Result<ExitCode, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("ratchet/{name}.txt"));
    let ratchet = Ratchet::load(&path);
    let lost = compare(live, &ratchet)?;
    println!("{} pass for the first time (SINEW_RATCHET=update lists them)", ratchet.gains().len());
    lost.iter().take(MOST_SHOWN).for_each(|it| println!("was equal before: {it}"));
    let mode = Mode::from_environment();
    ratchet.save(mode).map_err(|error| format!("{}: {error}", path.display()))?;
    println!("{name}: {} were equal before and are not any more", lost.len());
    Ok(if lost.is_empty() || mode == Mode::Force { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
