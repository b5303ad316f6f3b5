//! The files of one revision: texts that editors have not saved yet, over what the world has. The world is asked once for
//! each thing and its answers are kept, so that a revision does not change while somebody looks at it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use base::world::Entry;
use base::{Artifact, ReadError, SourceFile, World};
use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashMap;

/// A world with texts laid over it.
pub(crate) struct Files {
    disk: Arc<Disk>,
    open: Arc<BTreeMap<Utf8PathBuf, Open>>,
}

/// A text that is laid over a file.
#[derive(Clone)]
struct Open {
    version: i32,
    source: Arc<SourceFile>,
}

impl Files {
    /// The files of a world as they are.
    pub(crate) fn new(disk: Arc<Disk>) -> Self {
        Self { disk, open: Arc::default() }
    }

    /// The same with another text for a file.
    pub(crate) fn with_text(&self, path: &Utf8Path, version: i32, text: Arc<str>) -> Self {
        let mut open = BTreeMap::clone(&self.open);
        open.insert(path.to_owned(), Open { version, source: SourceFile::new(path, text) });
        Self { disk: Arc::clone(&self.disk), open: Arc::new(open) }
    }

    /// The same with the text that the world has for a file.
    pub(crate) fn without_text(&self, path: &Utf8Path) -> Self {
        let mut open = BTreeMap::clone(&self.open);
        open.remove(path);
        Self { disk: Arc::clone(&self.disk), open: Arc::new(open) }
    }

    /// The same after files of the world have changed.
    pub(crate) fn after_changes(&self, paths: &[Utf8PathBuf]) -> Self {
        Self { disk: Arc::new(self.disk.without(paths)), open: Arc::clone(&self.open) }
    }

    /// The same after anything may have changed in the world.
    pub(crate) fn fresh(&self) -> Self {
        Self { disk: Arc::new(Disk::new(Arc::clone(&self.disk.world))), open: Arc::clone(&self.open) }
    }

    /// The paths of the texts that are laid over files.
    pub(crate) fn open(&self) -> impl Iterator<Item = &Utf8Path> {
        self.open.keys().map(Utf8PathBuf::as_path)
    }

    /// The version of the text that is laid over a file.
    pub(crate) fn version(&self, path: &Utf8Path) -> Option<i32> {
        self.open.get(path).map(|open| open.version)
    }
}

impl World for Files {
    fn read(&self, path: &Utf8Path) -> Result<Arc<[u8]>, ReadError> {
        match self.open.get(path) {
            Some(open) => Ok(open.source.text().as_bytes().into()),
            None => self.disk.read(path),
        }
    }

    fn list(&self, folder: &Utf8Path) -> Result<Vec<Entry>, ReadError> {
        let listed = self.disk.list(folder);
        let mut added = Vec::new();
        for path in self.open.keys() {
            let Ok(inside) = path.strip_prefix(folder) else { continue };
            let mut parts = inside.components();
            let Some(name) = parts.next() else { continue };
            let is_folder = parts.next().is_some();
            added.push(Entry { name: name.as_str().to_owned(), is_folder, is_link: false });
        }
        if added.is_empty() {
            return listed;
        }
        let mut entries = match listed {
            Ok(entries) => entries,
            Err(ReadError::NotFound) => Vec::new(),
            Err(error) => return Err(error),
        };
        entries.append(&mut added);
        entries.sort();
        // A file that is open stays what it is on disk, also where that is a link.
        entries.dedup_by(|open, listed| (&open.name, open.is_folder) == (&listed.name, listed.is_folder));
        Ok(entries)
    }

    fn variable(&self, name: &str) -> Option<String> {
        self.disk.world.variable(name)
    }

    fn variable_names(&self) -> Vec<String> {
        self.disk.world.variable_names()
    }

    fn artifact(&self, reference: &str) -> Artifact {
        self.disk.artifact(reference)
    }

    fn read_source(&self, path: &Utf8Path) -> Result<Arc<SourceFile>, ReadError> {
        match self.open.get(path) {
            Some(open) => Ok(Arc::clone(&open.source)),
            None => self.disk.read_source(path),
        }
    }
}

/// The answers of a world, kept.
pub(crate) struct Disk {
    world: Arc<dyn World>,
    sources: Answers<Result<Arc<SourceFile>, ReadError>>,
    contents: Answers<Result<Arc<[u8]>, ReadError>>,
    folders: Answers<Result<Vec<Entry>, ReadError>>,
    artifacts: Mutex<FxHashMap<String, Artifact>>,
}

type Answers<T> = Mutex<FxHashMap<Utf8PathBuf, T>>;

impl Disk {
    /// No answer is known yet.
    pub(crate) fn new(world: Arc<dyn World>) -> Self {
        Self {
            world,
            sources: Mutex::default(),
            contents: Mutex::default(),
            folders: Mutex::default(),
            artifacts: Mutex::default(),
        }
    }

    /// The answers that stay true when these paths have changed: what is in a folder that has changed, or above a file
    /// that has, may be another.
    fn without(&self, paths: &[Utf8PathBuf]) -> Self {
        let is_inside = |path: &Utf8Path| paths.iter().any(|changed| path.starts_with(changed));
        let is_above = |folder: &Utf8Path| paths.iter().any(|changed| changed.starts_with(folder));
        fn kept<T: Clone>(answers: &Answers<T>, is_kept: impl Fn(&Utf8Path) -> bool) -> Answers<T> {
            let mut answers = lock(answers).clone();
            answers.retain(|path, _| is_kept(path));
            Mutex::new(answers)
        }
        Self {
            world: Arc::clone(&self.world),
            sources: kept(&self.sources, |path| !is_inside(path)),
            contents: kept(&self.contents, |path| !is_inside(path) && !is_above(path)),
            folders: kept(&self.folders, |path| !is_inside(path) && !is_above(path)),
            artifacts: Mutex::new(lock(&self.artifacts).clone()),
        }
    }

    fn read(&self, path: &Utf8Path) -> Result<Arc<[u8]>, ReadError> {
        answer(&self.contents, path, || self.world.read(path))
    }

    fn read_source(&self, path: &Utf8Path) -> Result<Arc<SourceFile>, ReadError> {
        answer(&self.sources, path, || self.world.read_source(path))
    }

    fn list(&self, folder: &Utf8Path) -> Result<Vec<Entry>, ReadError> {
        answer(&self.folders, folder, || self.world.list(folder))
    }

    fn artifact(&self, reference: &str) -> Artifact {
        if let Some(known) = lock(&self.artifacts).get(reference) {
            return known.clone();
        }
        let found = self.world.artifact(reference);
        lock(&self.artifacts).entry(reference.to_owned()).or_insert(found).clone()
    }
}

/// The first answer holds, should two threads have asked at once.
fn answer<T: Clone>(answers: &Answers<T>, path: &Utf8Path, ask: impl FnOnce() -> T) -> T {
    if let Some(known) = lock(answers).get(path) {
        return known.clone();
    }
    let found = ask();
    lock(answers).entry(path.to_owned()).or_insert(found).clone()
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
