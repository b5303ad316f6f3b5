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
        read_within(path, MAX_SOURCE_BYTES as u64).map(Arc::from)
    }

    fn read_source(&self, path: &Utf8Path) -> Result<Arc<SourceFile>, ReadError> {
        source_of(path, &read_within(path, MAX_SOURCE_BYTES as u64 + BYTE_ORDER_MARK)?)
    }

    fn list(&self, folder: &Utf8Path) -> Result<Vec<Entry>, ReadError> {
        let reader = folder.read_dir_utf8().map_err(|error| read_error(&error, folder))?;
        let mut entries = Vec::new();
        for entry in reader {
            let entry = entry.map_err(|error| read_error(&error, folder))?;
            let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
            let is_folder = entry.path().is_dir();
            entries.push(Entry { name: entry.file_name().to_owned(), is_folder, is_link });
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

/// A file of at most so many bytes.
fn read_within(path: &Utf8Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    let of_system = |error: io::Error| read_error(&error, path);
    let metadata = std::fs::metadata(path).map_err(of_system)?;
    if metadata.is_dir() {
        return Err(ReadError::IsFolder);
    }
    // Nobody may ever write to a pipe that lies about. The system's own are what `<(…)` and `/dev/stdin` stand for.
    if !metadata.is_file() && !path.starts_with("/dev") && !path.starts_with("/proc") {
        return Err(ReadError::Other(String::from("the path is neither a file nor a folder")));
    }
    if metadata.len() > limit {
        return Err(ReadError::TooLarge(usize::try_from(metadata.len()).unwrap_or(usize::MAX)));
    }
    // With a byte to spare, the end of the file is found without another allocation.
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or_default() + 1);
    // One byte more than is allowed is enough to know: the file may be endless.
    File::open(path).and_then(|file| file.take(limit + 1).read_to_end(&mut bytes)).map_err(of_system)?;
    if bytes.len() as u64 > limit {
        return Err(ReadError::TooLarge(bytes.len()));
    }
    Ok(bytes)
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

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_file_is_not_waited_for() {
        let folder = std::env::temp_dir();
        let path = folder.join(format!("sinew-base-{}.bicep", std::process::id()));
        let _listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
        let read = DiskWorld.read_source(Utf8Path::from_path(&path).unwrap());
        std::fs::remove_file(&path).unwrap();
        let expected = "the path is neither a file nor a folder";
        assert_eq!(read.map(|_| ()), Err(ReadError::Other(expected.to_owned())));
    }

    #[test]
    fn what_has_no_end_is_not_read_to_the_end() {
        assert!(matches!(DiskWorld.read("/dev/zero".into()), Err(ReadError::TooLarge(_))));
    }
}
