//! Files that commands write: whole or not at all.

use std::io::Write;

use camino::Utf8Path;
use tempfile::NamedTempFile;

/// Writes a file: a new one takes the place of the old one.
pub(super) fn write(path: &Utf8Path, text: &str) -> Result<(), String> {
    let folder = path.parent().filter(|folder| !folder.as_str().is_empty()).unwrap_or(Utf8Path::new("."));
    let done = std::fs::create_dir_all(folder)
        .and_then(|()| NamedTempFile::new_in(folder))
        .and_then(|mut file| file.write_all(text.as_bytes()).map(|()| file))
        .and_then(|file| file.persist(path).map_err(|error| error.error));
    done.map(|_| ()).map_err(|error| format!("{path} cannot be written: {error}."))
}
