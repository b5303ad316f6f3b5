//! The [`World`] of a running program: the real disk and the real environment.
#![expect(clippy::disallowed_methods, reason = "this is the implementation that pure code is kept away from")]

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use camino::Utf8Path;

use crate::Clock;
use crate::world::{Artifact, Entry, ReadError, World};

/// Reads files and variables of this machine. Artifacts are not its business: the registry wraps it for that.
#[derive(Debug, Clone, Copy, Default)]
pub struct DiskWorld;

impl World for DiskWorld {
    fn read(&self, path: &Utf8Path) -> Result<Arc<[u8]>, ReadError> {
        match std::fs::read(path) {
            Ok(bytes) => Ok(bytes.into()),
            Err(error) => Err(read_error(&error, path)),
        }
    }

    fn list(&self, folder: &Utf8Path) -> Result<Vec<Entry>, ReadError> {
        let reader = folder.read_dir_utf8().map_err(|error| read_error(&error, folder))?;
        let mut entries = Vec::new();
        for entry in reader {
            let entry = entry.map_err(|error| read_error(&error, folder))?;
            entries.push(Entry { name: entry.file_name().to_owned(), is_folder: entry.path().is_dir() });
        }
        entries.sort();
        Ok(entries)
    }

    fn variable(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }

    fn variable_names(&self) -> Vec<String> {
        let mut names: Vec<_> = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok()).collect();
        names.sort();
        names
    }

    fn artifact(&self, _reference: &str) -> Artifact {
        Artifact::Missing
    }
}

fn read_error(error: &io::Error, path: &Utf8Path) -> ReadError {
    match error.kind() {
        io::ErrorKind::NotADirectory if path.is_file() => ReadError::IsFile,
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => ReadError::NotFound,
        io::ErrorKind::IsADirectory => ReadError::IsFolder,
        _ => ReadError::Other(error.to_string()),
    }
}

/// The clock of this machine, started when it is made.
#[derive(Debug, Clone, Copy)]
pub struct SystemClock(Instant);

impl Default for SystemClock {
    fn default() -> Self {
        Self(Instant::now())
    }
}

impl Clock for SystemClock {
    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}
