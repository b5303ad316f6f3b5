//! The disk: the [`Host`] of a running program, and the writing of generated files.
//!
//! Every path is followed through links before it is used, and refused when it leads out of its folder. Files are
//! written whole or not at all: everything is planned and staged first, then renamed into place (`transaction`); what a
//! killed run has left undone, the next one does (`journal`).
#![expect(clippy::disallowed_methods, reason = "this is the implementation that pure code is kept away from")]

mod journal;
mod transaction;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use base::ReadError;
use base::world::Entry;
use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashMap;
use serde_json::{Map, Value, json};

pub use journal::{Direction, JOURNAL, Recovery};
use transaction::Transaction;

use crate::format::Format;
use crate::host::{ConfinedPath, Host, Kind, Place, Watchdog, Watched};
use crate::outcome::OutputFile;

/// Reads the real disk; prints to the writers it is given.
pub struct DiskHost {
    start: Instant,
    out: RefCell<Box<dyn Write>>,
    err: RefCell<Box<dyn Write>>,
    /// Where folders really are. Scripts write nothing before they end, so that this does not change.
    folders: RefCell<FxHashMap<Utf8PathBuf, Result<Utf8PathBuf, ReadError>>>,
    max_file_size: u64,
    watchdog: Option<Box<dyn Watchdog>>,
    is_muted: Cell<bool>,
}

impl DiskHost {
    /// A host that prints to `out` and logs to `err`. What is printed is flushed before anything is logged, so that
    /// both stay in order on a terminal.
    pub fn new(out: Box<dyn Write>, err: Box<dyn Write>) -> Self {
        Self {
            start: Instant::now(),
            out: RefCell::new(out),
            err: RefCell::new(err),
            folders: RefCell::default(),
            max_file_size: base::world::MAX_SOURCE_BYTES as u64,
            watchdog: None,
            is_muted: Cell::new(false),
        }
    }

    /// Drops what scripts print until [`Host::unmute`] is called.
    #[must_use]
    pub fn muted(self) -> Self {
        self.is_muted.set(true);
        self
    }

    /// Refuses files with more bytes than this.
    #[must_use]
    pub fn with_max_file_size(mut self, bytes: u64) -> Self {
        self.max_file_size = bytes;
        self
    }

    /// Ends the program when a script does not come back from a built-in function.
    #[must_use]
    pub fn with_watchdog(mut self, watchdog: Box<dyn Watchdog>) -> Self {
        self.watchdog = Some(watchdog);
        self
    }

    /// Hands on everything that was printed.
    pub fn flush(&self) -> io::Result<()> {
        self.out.borrow_mut().flush()
    }

    /// The path with all links followed, if it stays in its root. Folders are followed once: most files of a run lie in
    /// few of them.
    fn follow_links(&self, place: &ConfinedPath) -> Result<Utf8PathBuf, ReadError> {
        let real = match (place.path.parent(), place.path.file_name()) {
            (Some(folder), Some(name)) => {
                let path = self.real_folder(folder)?.join(name);
                match path.symlink_metadata() {
                    Ok(metadata) if !metadata.is_symlink() => path,
                    Ok(_) => path.canonicalize_utf8().map_err(|error| read_error(&error))?,
                    Err(error) => return Err(read_error(&error)),
                }
            }
            _ => place.path.clone(),
        };
        let Some(root) = &place.root else { return Ok(real) };
        if real.starts_with(self.real_folder(root)?) {
            return Ok(real);
        }
        Err(ReadError::Other(leads_out(&place.path, root)))
    }

    /// The bytes of a file whose links have been followed.
    fn read_real(&self, path: &Utf8Path, place: &ConfinedPath) -> Result<Vec<u8>, ReadError> {
        let mut file = std::fs::File::open(path).map_err(|error| read_error(&error))?;
        let metadata = file.metadata().map_err(|error| read_error(&error))?;
        if metadata.is_dir() {
            return Err(ReadError::IsFolder);
        }
        if !metadata.is_file() && place.root.is_some() {
            return Err(ReadError::Other("it is not a regular file".to_owned()));
        }
        let limit = self.max_file_size;
        let size = usize::try_from(metadata.len()).unwrap_or(usize::MAX);
        if metadata.len() > limit {
            return Err(ReadError::TooLarge(size));
        }
        if metadata.is_file() && size > 0 {
            // The size is known, so that no second call has to find the end. The engine wants a zero behind texts: with
            // room for it, nothing is copied.
            let mut bytes = vec![0; size + 1];
            bytes.truncate(size);
            file.read_exact(&mut bytes).map_err(|error| read_error(&error))?;
            return Ok(bytes);
        }
        // A device has no size, and may have no end.
        let mut bytes = Vec::new();
        file.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(|error| read_error(&error))?;
        if bytes.len() as u64 > limit {
            return Err(ReadError::TooLarge(bytes.len()));
        }
        Ok(bytes)
    }

    fn real_folder(&self, folder: &Utf8Path) -> Result<Utf8PathBuf, ReadError> {
        if let Some(known) = self.folders.borrow().get(folder) {
            return known.clone();
        }
        let real = folder.canonicalize_utf8().map_err(|error| read_error(&error));
        self.folders.borrow_mut().insert(folder.to_owned(), real.clone());
        real
    }
}

impl Host for DiskHost {
    fn read(&self, place: &ConfinedPath) -> Result<Arc<[u8]>, ReadError> {
        let path = self.follow_links(place)?;
        self.read_real(&path, place).map(Arc::from)
    }

    fn read_owned(&self, place: &ConfinedPath) -> Result<Vec<u8>, ReadError> {
        let path = self.follow_links(place)?;
        self.read_real(&path, place)
    }

    fn read_following_links(&self, place: &ConfinedPath) -> Result<(Utf8PathBuf, Arc<[u8]>), ReadError> {
        let path = self.follow_links(place)?;
        let bytes = self.read_real(&path, place)?;
        Ok((path, bytes.into()))
    }

    fn list(&self, place: &ConfinedPath) -> Result<Vec<Entry>, ReadError> {
        let path = self.follow_links(place)?;
        let mut entries = Vec::new();
        for entry in path.read_dir_utf8().map_err(|error| read_error(&error))? {
            let entry = entry.map_err(|error| read_error(&error))?;
            let kind = entry.file_type().map_err(|error| read_error(&error))?;
            if kind.is_file() || kind.is_dir() {
                let is_folder = kind.is_dir();
                entries.push(Entry { name: entry.file_name().to_owned(), is_folder, is_link: false });
            }
        }
        entries.sort();
        Ok(entries)
    }

    fn kind(&self, place: &ConfinedPath) -> Result<Kind, ReadError> {
        let metadata = self.follow_links(place)?.metadata().map_err(|error| read_error(&error))?;
        match (metadata.is_dir(), metadata.is_file()) {
            (true, _) => Ok(Kind::Folder),
            (_, true) => Ok(Kind::File),
            _ => Err(ReadError::Other("it is not a regular file".to_owned())),
        }
    }

    fn real_path(&self, place: &ConfinedPath) -> Result<Utf8PathBuf, ReadError> {
        self.follow_links(place)
    }

    fn random(&self, count: usize) -> Option<Vec<u8>> {
        let mut bytes = vec![0; count];
        getrandom::fill(&mut bytes).ok()?;
        Some(bytes)
    }

    fn read_stdin(&self) -> Result<Vec<u8>, ReadError> {
        let mut bytes = Vec::new();
        let mut stdin = io::stdin().lock().take(self.max_file_size.saturating_add(1));
        stdin.read_to_end(&mut bytes).map_err(|error| read_error(&error))?;
        if bytes.len() as u64 > self.max_file_size {
            return Err(ReadError::TooLarge(bytes.len()));
        }
        if let Some(watchdog) = &self.watchdog {
            watchdog.keep_input(&bytes);
        }
        Ok(bytes)
    }

    // A reader that has gone away is no failure of the script.
    fn print(&self, text: &str) {
        if self.is_muted.get() {
            return;
        }
        let _ = self.out.borrow_mut().write_all(text.as_bytes());
    }

    fn log(&self, line: &str) {
        if self.is_muted.get() {
            return;
        }
        let _ = self.flush();
        let _ = writeln!(self.err.borrow_mut(), "{line}");
    }

    fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    fn watch(&self, time: Duration, watched: &dyn Fn() -> Watched) {
        if let Some(watchdog) = &self.watchdog {
            // What was printed must not be lost with the process.
            let _ = self.flush();
            watchdog.start(time, watched());
        }
    }

    fn unwatch(&self) {
        if let Some(watchdog) = &self.watchdog {
            watchdog.stop();
        }
    }

    fn tick(&self) {
        if let Some(watchdog) = &self.watchdog {
            watchdog.tick();
        }
    }

    fn reach(&self, place: &Arc<Place>) {
        if let Some(watchdog) = &self.watchdog {
            watchdog.reach(place);
        }
    }

    fn unmute(&self) {
        self.is_muted.set(false);
    }
}

fn read_error(error: &io::Error) -> ReadError {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => ReadError::NotFound,
        io::ErrorKind::IsADirectory => ReadError::IsFolder,
        _ => ReadError::Other(error.to_string()),
    }
}

fn leads_out(path: &Utf8Path, root: &Utf8Path) -> String {
    format!("'{path}' leads out of the folder '{root}'")
}

/// What is done with generated files.
#[derive(Debug, Clone, Default)]
pub struct WriteOptions {
    /// Only say what would change.
    pub check: bool,
    /// Remove files that earlier runs have written and this one has not. Holds the folder whose manifest knows them,
    /// and the name under which this script is entered there.
    pub prune: Option<(Utf8PathBuf, String)>,
}

/// What happened to a file, or would happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// It is new or has new content.
    Written,
    /// It had this content already and was not touched.
    Unchanged,
    /// It was written by an earlier run and is gone now.
    Removed,
    /// An earlier run wrote it, but somebody has changed it since; it stays.
    KeptModified,
}

/// What writing files has done.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Written {
    /// What became of each file, by the name that the script calls it by.
    pub changes: Vec<(Change, String)>,
    /// What earlier runs had left to do, because they were killed.
    pub recoveries: Vec<Recovery>,
}

/// Writes files, each with the path that the script called it by. Nothing is touched if any of them cannot be
/// written.
pub fn write_files(files: &[OutputFile], options: &WriteOptions) -> Result<Written, String> {
    let mut real_paths = Targets::default();
    let targets = files.iter().map(|file| real_paths.of(file)).collect::<Result<Vec<_>, _>>()?;
    let mut seen: FxHashMap<&Utf8Path, &str> = FxHashMap::default();
    for (file, target) in files.iter().zip(&targets) {
        if let Some(other) = seen.insert(target, &file.name) {
            return Err(format!("{}: the path is the same file as {other}", file.name));
        }
    }
    let recoveries = match options.check {
        true => Vec::new(),
        false => recover(&targets, options)?,
    };
    let mut changes: Vec<(Change, String)> = Vec::with_capacity(files.len());
    for (file, target) in files.iter().zip(&targets) {
        let is_same = std::fs::read(target).is_ok_and(|old| old == file.content);
        changes.push((if is_same { Change::Unchanged } else { Change::Written }, file.name.clone()));
    }
    let stale = match &options.prune {
        Some((folder, script)) => stale_files(folder, script, files)?,
        None => Vec::new(),
    };
    if !options.check {
        let written = |change: &(Change, String)| change.0 == Change::Written;
        let mut files_written =
            files.iter().zip(&targets).zip(&changes).filter(|(_, change)| written(change));
        let mut transaction = Transaction::default();
        let staged = files_written
            .try_for_each(|((file, target), _)| transaction.replace(file, target))
            .and_then(|()| stage_pruning(&mut transaction, &stale, files, options));
        match staged {
            Ok(()) => transaction.commit()?,
            Err(error) => {
                transaction.roll_back();
                return Err(error);
            }
        }
    }
    changes.extend(stale.into_iter().map(|file| (file.change, file.name)));
    Ok(Written { changes, recoveries })
}

fn recover(targets: &[Utf8PathBuf], options: &WriteOptions) -> Result<Vec<Recovery>, String> {
    let manifest = options.prune.as_ref().map(|(folder, _)| folder.join(MANIFEST));
    journal::recover(targets.iter().chain(&manifest).map(Utf8PathBuf::as_path))
}

/// Files that are no longer generated go together with the files that take their place, and so does the manifest.
fn stage_pruning(
    transaction: &mut Transaction,
    stale: &[StaleFile],
    files: &[OutputFile],
    options: &WriteOptions,
) -> Result<(), String> {
    let Some((folder, script)) = &options.prune else { return Ok(()) };
    for file in stale.iter().filter(|file| file.change == Change::Removed) {
        transaction.remove(&file.name, &file.path)?;
    }
    let manifest = manifest_file(folder, script, files)?;
    let is_same = std::fs::read(&manifest.path).is_ok_and(|old| old == manifest.content);
    if is_same { Ok(()) } else { transaction.replace(&manifest, &manifest.path) }
}

fn is_folder(file: &OutputFile) -> String {
    format!("{}: the path is a folder", file.name)
}

/// Finds out where files really go. Folders are followed once: most files of a run go to few of them.
#[derive(Default)]
struct Targets {
    folders: FxHashMap<Utf8PathBuf, Utf8PathBuf>,
}

impl Targets {
    /// Where a file really goes: links followed as far as there is something to follow.
    fn of(&mut self, file: &OutputFile) -> Result<Utf8PathBuf, String> {
        let described = |error: io::Error| format!("{}: {error}", file.name);
        let mut real = match (file.path.parent(), file.path.file_name()) {
            (Some(folder), Some(name)) => self.folder(folder).map_err(described)?.join(name),
            _ => file.path.clone(),
        };
        match real.symlink_metadata() {
            Ok(metadata) if metadata.is_symlink() => {
                real = follow(&file.path).map_err(described)?;
                if real.is_dir() {
                    return Err(is_folder(file));
                }
            }
            Ok(metadata) if metadata.is_dir() => return Err(is_folder(file)),
            _ => {}
        }
        let Some(root) = &file.root else { return Ok(real) };
        let real_root = self.folder(root).map_err(|error| format!("{root}: {error}"))?;
        if real.starts_with(real_root) { Ok(real) } else { Err(leads_out(&file.path, root)) }
    }

    fn folder(&mut self, folder: &Utf8Path) -> io::Result<Utf8PathBuf> {
        if let Some(real) = self.folders.get(folder) {
            return Ok(real.clone());
        }
        let real = follow(folder)?;
        self.folders.insert(folder.to_owned(), real.clone());
        Ok(real)
    }
}

fn follow(path: &Utf8Path) -> io::Result<Utf8PathBuf> {
    for ancestor in path.ancestors() {
        match ancestor.canonicalize_utf8() {
            Ok(real) => {
                let rest = path.strip_prefix(ancestor).unwrap_or_else(|_| Utf8Path::new(""));
                return Ok(if rest.as_str().is_empty() { real } else { real.join(rest) });
            }
            // A link to nothing is still a link: writing would create what it points to.
            Err(error) if error.kind() == io::ErrorKind::NotFound && !ancestor.is_symlink() => {}
            Err(error) => return Err(error),
        }
    }
    Ok(path.to_owned())
}

/// The file in the output folder that remembers what was written there.
pub const MANIFEST: &str = ".sinew-generated.json";

/// A file of an earlier run that this one has not generated.
struct StaleFile {
    change: Change,
    name: String,
    path: Utf8PathBuf,
}

/// Files of earlier runs of a script that are not among those of this one.
fn stale_files(folder: &Utf8Path, script: &str, files: &[OutputFile]) -> Result<Vec<StaleFile>, String> {
    let manifest = read_manifest(folder)?;
    let Some(Value::Object(known)) = manifest.get(script) else { return Ok(Vec::new()) };
    let mut stale = Vec::new();
    for (name, hash) in known {
        let path = folder.join(name);
        let is_current = files.iter().any(|file| file.path == path);
        let leads_out = crate::paths::confined(name, "", "").is_err();
        if is_current || leads_out {
            continue;
        }
        if let Ok(content) = std::fs::read(&path) {
            let is_ours = hash.as_str() == Some(&hash_of(&content));
            let change = if is_ours { Change::Removed } else { Change::KeptModified };
            stale.push(StaleFile { change, name: name.clone(), path });
        }
    }
    Ok(stale)
}

fn manifest_file(folder: &Utf8Path, script: &str, files: &[OutputFile]) -> Result<OutputFile, String> {
    let mut manifest = read_manifest(folder)?;
    let entries: BTreeMap<&str, Value> = files
        .iter()
        .filter_map(|file| {
            Some((file.path.strip_prefix(folder).ok()?.as_str(), json!(hash_of(&file.content))))
        })
        .collect();
    let entries: Map<String, Value> =
        entries.into_iter().map(|(name, hash)| (name.to_owned(), hash)).collect();
    manifest.insert(script.to_owned(), Value::Object(entries));
    let content = format!("{:#}\n", Value::Object(manifest)).into_bytes();
    let path = folder.join(MANIFEST);
    Ok(OutputFile { name: MANIFEST.to_owned(), path, root: None, content, format: Format::Json, json: None })
}

fn read_manifest(folder: &Utf8Path) -> Result<Map<String, Value>, String> {
    let path = folder.join(MANIFEST);
    match std::fs::read(&path) {
        Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| format!("{path}: {error}")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Map::new()),
        Err(error) => Err(format!("{path}: {error}")),
    }
}

/// FNV-1a: enough to notice that a file was edited.
fn hash_of(bytes: &[u8]) -> String {
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}
