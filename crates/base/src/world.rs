//! The outside as pure code sees it: files, folders, environment variables and restored artifacts.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashMap;

use crate::SourceFile;

/// Everything that analysis may ask of the outside. It reads; it never writes and never downloads.
pub trait World: Send + Sync {
    /// The bytes of a file.
    fn read(&self, path: &Utf8Path) -> Result<Arc<[u8]>, ReadError>;

    /// What is in a folder, sorted by name.
    fn list(&self, folder: &Utf8Path) -> Result<Vec<Entry>, ReadError>;

    /// An environment variable.
    fn variable(&self, name: &str) -> Option<String>;

    /// The names of all environment variables, sorted; for suggestions.
    fn variable_names(&self) -> Vec<String>;

    /// Where the content of an artifact reference (`br:…`, `ts:…`) lies, if it has been restored.
    fn artifact(&self, reference: &str) -> Artifact;

    /// A file as text. A byte order mark is dropped; invalid UTF-8 is an error.
    fn read_source(&self, path: &Utf8Path) -> Result<Arc<SourceFile>, ReadError> {
        source_of(path, &self.read(path)?)
    }
}

impl<W: World + ?Sized> World for Arc<W> {
    fn read(&self, path: &Utf8Path) -> Result<Arc<[u8]>, ReadError> {
        (**self).read(path)
    }

    fn list(&self, folder: &Utf8Path) -> Result<Vec<Entry>, ReadError> {
        (**self).list(folder)
    }

    fn variable(&self, name: &str) -> Option<String> {
        (**self).variable(name)
    }

    fn variable_names(&self) -> Vec<String> {
        (**self).variable_names()
    }

    fn artifact(&self, reference: &str) -> Artifact {
        (**self).artifact(reference)
    }

    fn read_source(&self, path: &Utf8Path) -> Result<Arc<SourceFile>, ReadError> {
        (**self).read_source(path)
    }
}

/// Bytes as the text of a file. A byte order mark is dropped; invalid UTF-8 is an error.
pub fn source_of(path: &Utf8Path, bytes: &[u8]) -> Result<Arc<SourceFile>, ReadError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if bytes.len() > MAX_SOURCE_BYTES {
        return Err(ReadError::TooLarge(bytes.len()));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| ReadError::NotUtf8(error.valid_up_to()))?;
    Ok(SourceFile::new(path, text))
}

/// Larger texts are refused: no configuration that people read is that large, and a tree takes several times its text.
pub const MAX_SOURCE_BYTES: usize = 32 << 20;

/// One entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// Its name, without the folder.
    pub name: String,
    /// Whether it is itself a folder, or a link to one.
    pub is_folder: bool,
    /// Whether it is a symbolic link.
    pub is_link: bool,
}

/// Why something could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadError {
    /// There is nothing at this path.
    NotFound,
    /// A file was expected.
    IsFolder,
    /// A folder was expected.
    IsFile,
    /// The text is not UTF-8 from this byte on.
    NotUtf8(usize),
    /// The file has this many bytes, which is too many.
    TooLarge(usize),
    /// Anything else the system said.
    Other(String),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound => write!(f, "the file does not exist"),
            Self::IsFolder => write!(f, "the path is a folder, a file is expected"),
            Self::IsFile => write!(f, "the path is a file, a folder is expected"),
            Self::NotUtf8(at) => write!(f, "the file is not valid UTF-8 (byte {at})"),
            Self::TooLarge(bytes) => {
                write!(f, "the file has {bytes} bytes, more than the {MAX_SOURCE_BYTES} that are supported")
            }
            Self::Other(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for ReadError {}

/// What the World knows about an artifact reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Artifact {
    /// Its content lies in this folder.
    Restored(Utf8PathBuf),
    /// It has not been restored yet.
    Missing,
    /// Restoring it failed, for this reason.
    Failed(String),
}

/// Something that is borrowed for a while, or shared for as long as somebody holds it. With it one type serves commands,
/// which live shorter than their world, and servers, whose results outlive the call that made them.
pub enum Held<'a, T: ?Sized + 'a> {
    /// It belongs to somebody else.
    Borrowed(&'a T),
    /// It belongs to everybody who holds it.
    Shared(Arc<T>),
}

impl<'a, T: ?Sized + 'a> Clone for Held<'a, T> {
    fn clone(&self) -> Self {
        match self {
            Self::Borrowed(it) => Self::Borrowed(it),
            Self::Shared(it) => Self::Shared(Arc::clone(it)),
        }
    }
}

impl<'a, T: ?Sized + 'a> std::ops::Deref for Held<'a, T> {
    type Target = T;

    fn deref(&self) -> &T {
        match self {
            Self::Borrowed(it) => it,
            Self::Shared(it) => it,
        }
    }
}

/// A world in which some files have another text: what an editor has not saved, what came from standard input, or what
/// is compiled before it is written.
pub struct OverlayWorld<'a> {
    world: &'a dyn World,
    /// By paths of the standard library, which sees at once that two are written alike.
    texts: FxHashMap<&'a Path, Arc<str>>,
}

impl<'a> OverlayWorld<'a> {
    /// Texts, by path, over the files of a world.
    pub fn new<T: Into<Arc<str>>>(
        world: &'a dyn World,
        texts: impl IntoIterator<Item = (&'a Utf8Path, T)>,
    ) -> Self {
        let texts = texts.into_iter().map(|(path, text)| (path.as_std_path(), text.into()));
        Self { world, texts: texts.collect() }
    }
}

impl World for OverlayWorld<'_> {
    fn read(&self, path: &Utf8Path) -> Result<Arc<[u8]>, ReadError> {
        match self.texts.get(path.as_std_path()) {
            Some(text) => Ok(text.as_bytes().into()),
            None => self.world.read(path),
        }
    }

    fn read_source(&self, path: &Utf8Path) -> Result<Arc<SourceFile>, ReadError> {
        match self.texts.get(path.as_std_path()) {
            // It is known to be text, which need not be copied.
            Some(text) if text.len() <= MAX_SOURCE_BYTES && !text.starts_with('\u{feff}') => {
                Ok(SourceFile::new(path, Arc::clone(text)))
            }
            Some(text) => source_of(path, text.as_bytes()),
            None => self.world.read_source(path),
        }
    }

    fn list(&self, folder: &Utf8Path) -> Result<Vec<Entry>, ReadError> {
        self.world.list(folder)
    }

    fn variable(&self, name: &str) -> Option<String> {
        self.world.variable(name)
    }

    fn variable_names(&self) -> Vec<String> {
        self.world.variable_names()
    }

    fn artifact(&self, reference: &str) -> Artifact {
        self.world.artifact(reference)
    }
}

/// A world made of values: for tests and for everything that has no disk.
#[derive(Debug, Clone, Default)]
pub struct MemoryWorld {
    files: BTreeMap<Utf8PathBuf, Arc<[u8]>>,
    variables: BTreeMap<String, String>,
    artifacts: BTreeMap<String, Utf8PathBuf>,
}

impl MemoryWorld {
    /// A world without anything in it.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds or replaces a file.
    #[must_use]
    pub fn with_file(mut self, path: impl Into<Utf8PathBuf>, content: impl AsRef<[u8]>) -> Self {
        self.files.insert(path.into(), Arc::from(content.as_ref()));
        self
    }

    /// Sets an environment variable.
    #[must_use]
    pub fn with_variable(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.variables.insert(name.into(), value.into());
        self
    }

    /// Says in which folder the content of an artifact lies.
    #[must_use]
    pub fn with_artifact(mut self, reference: impl Into<String>, folder: impl Into<Utf8PathBuf>) -> Self {
        self.artifacts.insert(reference.into(), folder.into());
        self
    }

    fn is_folder(&self, path: &Utf8Path) -> bool {
        self.files.keys().any(|file| file != path && file.starts_with(path))
    }
}

impl World for MemoryWorld {
    fn read(&self, path: &Utf8Path) -> Result<Arc<[u8]>, ReadError> {
        match self.files.get(path) {
            Some(bytes) => Ok(Arc::clone(bytes)),
            None if self.is_folder(path) => Err(ReadError::IsFolder),
            None => Err(ReadError::NotFound),
        }
    }

    fn list(&self, folder: &Utf8Path) -> Result<Vec<Entry>, ReadError> {
        if self.files.contains_key(folder) {
            return Err(ReadError::IsFile);
        }
        let mut entries: Vec<Entry> = Vec::new();
        for file in self.files.keys() {
            let Ok(inside) = file.strip_prefix(folder) else { continue };
            let mut parts = inside.components();
            let Some(name) = parts.next() else { continue };
            let entry =
                Entry { name: name.as_str().to_owned(), is_folder: parts.next().is_some(), is_link: false };
            if entries.last() != Some(&entry) {
                entries.push(entry);
            }
        }
        if entries.is_empty() { Err(ReadError::NotFound) } else { Ok(entries) }
    }

    fn variable(&self, name: &str) -> Option<String> {
        self.variables.get(name).cloned()
    }

    fn variable_names(&self) -> Vec<String> {
        self.variables.keys().cloned().collect()
    }

    fn artifact(&self, reference: &str) -> Artifact {
        match self.artifacts.get(reference) {
            Some(folder) => Artifact::Restored(folder.clone()),
            None => Artifact::Missing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_world_behaves_like_a_disk() {
        let world = MemoryWorld::new()
            .with_file("a/main.bicep", b"\xef\xbb\xbfvar x = 1")
            .with_file("a/sub/m.bicep", "")
            .with_file("a/bad.bicep", b"ok\xff");
        assert_eq!(&**world.read_source("a/main.bicep".into()).unwrap().text(), "var x = 1");
        assert_eq!(world.read("a/sub".into()), Err(ReadError::IsFolder));
        assert_eq!(world.read("b".into()), Err(ReadError::NotFound));
        assert_eq!(world.read_source("a/bad.bicep".into()).unwrap_err(), ReadError::NotUtf8(2));
        let names: Vec<_> =
            world.list("a".into()).unwrap().into_iter().map(|e| (e.name, e.is_folder)).collect();
        let expected = [("bad.bicep", false), ("main.bicep", false), ("sub", true)];
        assert_eq!(names, expected.map(|(name, is_folder)| (name.to_owned(), is_folder)));
        assert_eq!(world.list("a/main.bicep".into()), Err(ReadError::IsFile));
    }
}
