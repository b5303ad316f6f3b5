//! Building again whenever a file changes.

use std::collections::BTreeSet;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

use super::{Args, build};
use crate::failure::Failure;
use crate::session::{Outcome, Session};

/// Editors write files in several steps; this long nothing must have happened before the next build.
const SETTLE: Duration = Duration::from_millis(80);

/// Builds, waits for a change, and builds again, until the program is stopped. Mistakes in the files are reported and
/// waited out.
pub(super) fn run(args: &Args, session: &Session) -> Outcome {
    let (send, changes) = channel();
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
        // The receiver is gone only when the program ends.
        let _ = send.send(event);
    })
    .map_err(|error| Failure::watch(&error))?;
    let mut watched = BTreeSet::new();
    loop {
        let built = build(args, session)?;
        follow(&mut watcher, &mut watched, &built.sources)?;
        session.output.talk("watching for changes\n")?;
        if !wait(&changes, &built.sources) {
            return Ok(built.status);
        }
    }
}

/// Watches the folders of all sources. Folders and not files: many editors replace a file instead of writing it.
fn follow(
    watcher: &mut RecommendedWatcher,
    watched: &mut BTreeSet<Utf8PathBuf>,
    sources: &BTreeSet<Utf8PathBuf>,
) -> Result<(), Failure> {
    let folders =
        sources.iter().filter_map(|source| if source.is_dir() { Some(&**source) } else { source.parent() });
    for folder in folders.filter(|folder| folder.is_dir()) {
        if watched.insert(folder.to_owned()) {
            watcher
                .watch(folder.as_std_path(), RecursiveMode::NonRecursive)
                .map_err(|error| Failure::watch(&error))?;
        }
    }
    Ok(())
}

/// Waits until a source changes and everything is quiet again. False when there is nothing left to wait for.
fn wait(changes: &Receiver<notify::Result<Event>>, sources: &BTreeSet<Utf8PathBuf>) -> bool {
    loop {
        match changes.recv() {
            Ok(Ok(event)) if concerns(&event, sources) => break,
            Ok(_) => {}
            Err(_) => return false,
        }
    }
    loop {
        match changes.recv_timeout(SETTLE) {
            Ok(_) => {}
            Err(RecvTimeoutError::Timeout) => return true,
            Err(RecvTimeoutError::Disconnected) => return false,
        }
    }
}

/// Whether a change is one of a source or of a configuration, and not of what was written here.
fn concerns(event: &Event, sources: &BTreeSet<Utf8PathBuf>) -> bool {
    if matches!(event.kind, EventKind::Access(_)) {
        return false;
    }
    let is_output =
        |path: &Utf8Path| path.extension() == Some("json") && sources.contains(&path.with_extension("bicep"));
    event.paths.iter().filter_map(|path| Utf8Path::from_path(path)).any(|path| {
        sources.contains(path)
            || path.parent().is_some_and(|folder| sources.contains(folder)) && !is_output(path)
            || path.extension() == Some("bicep")
            || path.file_name() == Some("bicepconfig.json")
    })
}
