//! The [`World`] of a running program: the real disk and the real environment.
#![expect(clippy::disallowed_methods, reason = "this is the implementation that pure code is kept away from")]

use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;
use std::time::{Duration, Instant};

use camino::Utf8Path;

use crate::Clock;
use crate::source::SourceFile;
use crate::world::{Artifact, Entry, MAX_SOURCE_BYTES, ReadError, World, source_of};

const BYTE_ORDER_MARK: u64 = 3;

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

    fn read_source(&self, path: &Utf8Path) -> Result<Arc<SourceFile>, ReadError> {
        // One byte more than is allowed is enough to know: the file may be endless.
        let limit = MAX_SOURCE_BYTES as u64 + BYTE_ORDER_MARK + 1;
        let mut bytes = Vec::new();
        let file = File::open(path).map_err(|error| read_error(&error, path))?;
        let size = file.metadata().map_or(0, |metadata| metadata.len());
        if size > limit {
            return Err(ReadError::TooLarge(usize::try_from(size).unwrap_or(usize::MAX)));
        }
        file.take(limit).read_to_end(&mut bytes).map_err(|error| read_error(&error, path))?;
        source_of(path, &bytes)
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
