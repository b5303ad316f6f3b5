//! `--watch`: runs the command again and again, each time in a process of its own. A script that has to be ended takes
//! only its own process with it.

use std::time::{Duration, SystemTime};

use camino::{Utf8Path, Utf8PathBuf};

use super::restart;
use crate::failure::Failure;
use crate::session::{Outcome, Session};

/// Runs this command line, without `--watch`, whenever something changes that the last run depends on.
pub(crate) fn run(session: &Session, script: &Utf8Path) -> Outcome {
    let list = tempfile::NamedTempFile::new().map_err(|error| Failure::cannot_start(&error))?;
    let mut files = vec![script.to_owned()];
    loop {
        let _ = std::fs::write(list.path(), "");
        let mut command = restart::command().map_err(|error| Failure::cannot_start(&error))?;
        command.arg("--list-dependencies").arg(list.path());
        command.status().map_err(|error| Failure::cannot_start(&error))?;
        let listed = std::fs::read_to_string(list.path()).unwrap_or_default();
        let listed: Vec<Utf8PathBuf> = listed.lines().map(Utf8PathBuf::from).collect();
        // A run that was ended has not said what it depends on.
        if !listed.is_empty() {
            files = listed;
        }
        session.output.talk(&format!("watching {} files\n", files.len()))?;
        wait_for_change(&files);
    }
}

/// Returns when a file has another time or size than now. Files are asked twice a second; that is cheap for as many as a
/// script can have, and works on every file system.
fn wait_for_change(files: &[Utf8PathBuf]) {
    let state = || -> Vec<Option<(SystemTime, u64)>> {
        files
            .iter()
            .map(|file| file.metadata().ok().and_then(|m| Some((m.modified().ok()?, m.len()))))
            .collect()
    };
    let before = state();
    while state() == before {
        std::thread::sleep(Duration::from_millis(500));
    }
}
