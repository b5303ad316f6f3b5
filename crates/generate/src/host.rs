//! What a script run needs of the outside, and a host made of values for tests.
//!
//! The library itself touches no disk: it asks its [`Host`] for files, hands it what scripts print, and returns the
//! files that are to be written.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use base::ReadError;
use base::world::Entry;
use camino::{Utf8Path, Utf8PathBuf};

use crate::messages;

/// The outside of a script run.
pub trait Host {
    /// The bytes of a file.
    fn read(&self, place: &ConfinedPath) -> Result<Arc<[u8]>, ReadError>;

    /// The bytes of a file that is read once, to be handed on as they are.
    fn read_owned(&self, place: &ConfinedPath) -> Result<Vec<u8>, ReadError> {
        self.read(place).map(|bytes| bytes.to_vec())
    }

    /// The regular files and folders in a folder, sorted by name.
    fn list(&self, place: &ConfinedPath) -> Result<Vec<Entry>, ReadError>;

    /// What is there, if it is a regular file or a folder.
    fn kind(&self, place: &ConfinedPath) -> Result<Kind, ReadError>;

    /// The path with all links followed, if it stays in its root and something is there.
    fn real_path(&self, place: &ConfinedPath) -> Result<Utf8PathBuf, ReadError> {
        self.kind(place).map(|_| place.path.clone())
    }

    /// The path with all links followed, and the bytes of the file there.
    fn read_following_links(&self, place: &ConfinedPath) -> Result<(Utf8PathBuf, Arc<[u8]>), ReadError> {
        Ok((self.real_path(place)?, self.read(place)?))
    }

    /// Random bytes; nothing where there are none to be had.
    fn random(&self, _count: usize) -> Option<Vec<u8>> {
        None
    }

    /// All of standard input.
    fn read_stdin(&self) -> Result<Vec<u8>, ReadError>;

    /// Text for standard output.
    fn print(&self, text: &str);

    /// A line for standard error.
    fn log(&self, line: &str);

    /// Time since some fixed moment; it bounds how long scripts run.
    fn elapsed(&self) -> Duration;

    /// Ends the program, unless [`Host::unwatch`] is called within this time. The engine looks at the clock between the
    /// steps of a script, but not inside of its built-in functions. Calls nest; a host without threads ignores them.
    fn watch(&self, _time: Duration, _watched: &dyn Fn() -> Watched) {}

    /// Ends the last [`Host::watch`].
    fn unwatch(&self) {}

    /// The engine is between two steps of a script. It says so often, but not while it is inside of a built-in function.
    fn tick(&self) {}

    /// The script has come to this place; only in runs that [announce](crate::Settings::announces_places) places.
    fn reach(&self, _place: &Arc<Place>) {}

    /// Lets output through again, in a run that repeats what an ended one has printed already.
    fn unmute(&self) {}
}

/// What is being watched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Watched {
    /// Which limit was overrun, and by what.
    pub message: String,
    /// Which call of a validation function it is, counted from one through the whole run; none for a script.
    pub validator_call: Option<usize>,
}

impl Watched {
    /// What to say when it has to be ended inside of a built-in function, with the place where that was called.
    pub fn ended_message(&self, place: Option<&str>) -> String {
        messages::inside_built_in(&self.message, place)
    }
}

/// What a host does about scripts that do not come back from a built-in function. The program gives it to its host;
/// see [`Host::watch`].
pub trait Watchdog {
    /// Ends the program when the time is over.
    fn start(&self, time: Duration, watched: Watched);

    /// Forgets the last start.
    fn stop(&self);

    /// See [`Host::tick`].
    fn tick(&self) {}

    /// See [`Host::reach`].
    fn reach(&self, _place: &Arc<Place>) {}

    /// This was read from standard input, which cannot be read again.
    fn keep_input(&self, _input: &[u8]) {}
}

/// A place in a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file, as it is shown.
    pub file: String,
    /// From one.
    pub line: u32,
    /// In characters, from one.
    pub column: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// A file or folder, and the folder it must not lead out of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfinedPath {
    /// Absolute, without `.` and `..`.
    pub path: Utf8PathBuf,
    /// The host refuses a path that, links followed, lies outside of this folder. `None`: anything goes, because the
    /// user named the path on the command line.
    pub root: Option<Utf8PathBuf>,
}

impl ConfinedPath {
    /// A place inside a folder.
    pub fn within(root: &Utf8Path, path: impl Into<Utf8PathBuf>) -> Self {
        Self { path: path.into(), root: Some(root.to_owned()) }
    }

    /// A place that the user named.
    pub fn unconfined(path: impl Into<Utf8PathBuf>) -> Self {
        Self { path: path.into(), root: None }
    }
}

/// What can be at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    Folder,
}

/// A host made of values. Its time stands still, unless every look at the clock is to take some.
#[derive(Debug, Default)]
pub struct MemoryHost {
    files: BTreeMap<Utf8PathBuf, Arc<[u8]>>,
    stdin: Vec<u8>,
    time_per_look: Duration,
    elapsed: RefCell<Duration>,
    printed: RefCell<String>,
    logged: RefCell<String>,
}

impl MemoryHost {
    /// A host without files.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds or replaces a file.
    #[must_use]
    pub fn with_file(mut self, path: impl Into<Utf8PathBuf>, content: impl AsRef<[u8]>) -> Self {
        self.files.insert(path.into(), Arc::from(content.as_ref()));
        self
    }

    /// Sets standard input.
    #[must_use]
    pub fn with_stdin(mut self, content: impl Into<Vec<u8>>) -> Self {
        self.stdin = content.into();
        self
    }

    /// Lets time pass whenever somebody looks at the clock.
    #[must_use]
    pub fn with_time_per_look(mut self, time: Duration) -> Self {
        self.time_per_look = time;
        self
    }

    /// What scripts have printed.
    pub fn printed(&self) -> String {
        self.printed.borrow().clone()
    }

    /// What scripts have logged, a line each.
    pub fn logged(&self) -> String {
        self.logged.borrow().clone()
    }
}

impl Host for MemoryHost {
    fn read(&self, place: &ConfinedPath) -> Result<Arc<[u8]>, ReadError> {
        match (self.files.get(&place.path), self.kind(place)) {
            (Some(bytes), _) => Ok(Arc::clone(bytes)),
            (None, Ok(_)) => Err(ReadError::IsFolder),
            (None, Err(error)) => Err(error),
        }
    }

    fn list(&self, place: &ConfinedPath) -> Result<Vec<Entry>, ReadError> {
        if self.kind(place)? == Kind::File {
            return Err(ReadError::IsFile);
        }
        let mut entries: Vec<Entry> = Vec::new();
        for file in self.files.keys() {
            let Ok(inside) = file.strip_prefix(&place.path) else { continue };
            let mut parts = inside.components();
            let Some(name) = parts.next() else { continue };
            let entry =
                Entry { name: name.as_str().to_owned(), is_folder: parts.next().is_some(), is_link: false };
            if entries.last() != Some(&entry) {
                entries.push(entry);
            }
        }
        Ok(entries)
    }

    fn kind(&self, place: &ConfinedPath) -> Result<Kind, ReadError> {
        if self.files.contains_key(&place.path) {
            return Ok(Kind::File);
        }
        let is_folder = self.files.keys().any(|file| file.starts_with(&place.path));
        if is_folder { Ok(Kind::Folder) } else { Err(ReadError::NotFound) }
    }

    fn read_stdin(&self) -> Result<Vec<u8>, ReadError> {
        Ok(self.stdin.clone())
    }

    fn print(&self, text: &str) {
        self.printed.borrow_mut().push_str(text);
    }

    fn log(&self, line: &str) {
        let mut logged = self.logged.borrow_mut();
        logged.push_str(line);
        logged.push('\n');
    }

    fn elapsed(&self) -> Duration {
        let mut elapsed = self.elapsed.borrow_mut();
        *elapsed += self.time_per_look;
        *elapsed
    }
}
