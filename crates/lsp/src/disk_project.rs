//! A project over the disk for servers that nobody tells about edits: before each request the files that were read are
//! compared with the disk, so that an answer is about the files as they are and costs what has changed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use base::SourceFile;
use base::world::{Artifact, Entry, ReadError, World};
use camino::{Utf8Path, Utf8PathBuf};
use project::{Project, Snapshot};

use crate::Setup;

/// After so many entry files everything is forgotten, so that a server that is asked about ever new files does not grow.
const MAX_ENTRIES: usize = 512;

/// The same for all files that were read.
const MAX_FILES: usize = 20_000;

/// A project whose files are compared with the disk before each request.
pub(crate) struct DiskProject {
    state: Mutex<State>,
    stamps: Arc<Stamps>,
}

struct State {
    project: Project,
    /// The files that were asked about since everything was last forgotten.
    entries: BTreeSet<Utf8PathBuf>,
}

impl DiskProject {
    /// A project over the world of a server.
    pub(crate) fn new(setup: &Setup) -> Self {
        let stamps = Arc::new(Stamps::default());
        let world = StampedWorld { inner: Arc::clone(&setup.world), stamps: Arc::clone(&stamps) };
        let project = Project::new(Arc::new(world), Arc::clone(&setup.types), setup.options.clone());
        Self { state: Mutex::new(State { project, entries: BTreeSet::new() }), stamps }
    }

    /// The files as they are now, for a question about one of them.
    pub(crate) fn snapshot(&self, path: &Utf8Path) -> Snapshot {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.entries.insert(path.to_owned());
        if state.entries.len() > MAX_ENTRIES || self.stamps.len() > MAX_FILES {
            state.entries = BTreeSet::from([path.to_owned()]);
            self.stamps.clear();
            state.project.refresh();
        }
        let changed = self.stamps.take_changed();
        if !changed.is_empty() {
            state.project.changed(&changed);
        }
        state.project.snapshot()
    }

    /// Forgets everything: artifacts have been restored.
    pub(crate) fn refresh(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        self.stamps.clear();
        state.project.refresh();
    }
}

/// How files and folders looked when they were read.
#[derive(Default)]
struct Stamps(Mutex<BTreeMap<Utf8PathBuf, Stamp>>);

/// How something on disk looked.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Stamp {
    /// When it was changed and how long it is; `None`: it was not there.
    state: Option<(SystemTime, u64)>,
    /// Whether it was so new that the next change may have the same time.
    is_fresh: bool,
}

/// File systems count time in steps of up to two seconds.
const TIME_STEP: Duration = Duration::from_secs(2);

impl Stamp {
    fn of(path: &Utf8Path) -> Self {
        let metadata = std::fs::metadata(path).ok();
        let state = metadata.and_then(|it| Some((it.modified().ok()?, it.len())));
        let is_fresh = state.is_some_and(|(changed, _)| {
            SystemTime::now().duration_since(changed).map_or(true, |age| age < TIME_STEP)
        });
        Self { state, is_fresh }
    }
}

impl Stamps {
    /// Notes how something looks before it is read, so that a change while it is read is noticed.
    fn note(&self, path: &Utf8Path) {
        let stamp = Stamp::of(path);
        // An older snapshot may still read: what was noted first is what the newest one may have seen.
        self.lock().entry(path.to_owned()).or_insert(stamp);
    }

    /// What may look different now. It is read again, and noted then.
    fn take_changed(&self) -> Vec<Utf8PathBuf> {
        let mut stamps = self.lock();
        let is_changed =
            |path: &Utf8Path, stamp: &Stamp| stamp.is_fresh || Stamp::of(path).state != stamp.state;
        let changed: Vec<Utf8PathBuf> = stamps
            .iter()
            .filter(|(path, stamp)| is_changed(path, stamp))
            .map(|(path, _)| path.clone())
            .collect();
        for path in &changed {
            stamps.remove(path);
        }
        changed
    }

    fn len(&self) -> usize {
        self.lock().len()
    }

    fn clear(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<Utf8PathBuf, Stamp>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A world that notes what is read from it.
struct StampedWorld {
    inner: Arc<dyn World>,
    stamps: Arc<Stamps>,
}

impl World for StampedWorld {
    fn read(&self, path: &Utf8Path) -> Result<Arc<[u8]>, ReadError> {
        self.stamps.note(path);
        self.inner.read(path)
    }

    fn list(&self, folder: &Utf8Path) -> Result<Vec<Entry>, ReadError> {
        self.stamps.note(folder);
        self.inner.list(folder)
    }

    fn variable(&self, name: &str) -> Option<String> {
        self.inner.variable(name)
    }

    fn variable_names(&self) -> Vec<String> {
        self.inner.variable_names()
    }

    fn artifact(&self, reference: &str) -> Artifact {
        self.inner.artifact(reference)
    }

    fn read_source(&self, path: &Utf8Path) -> Result<Arc<SourceFile>, ReadError> {
        self.stamps.note(path);
        self.inner.read_source(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_changed_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let folder = Utf8Path::from_path(folder.path()).unwrap().to_owned();
        std::fs::create_dir_all(&folder).unwrap();
        let (file, missing) = (folder.join("a"), folder.join("b"));
        let old = SystemTime::now() - Duration::from_secs(60);
        let put = |text: &str, time: SystemTime| {
            std::fs::write(&file, text).unwrap();
            std::fs::File::options().write(true).open(&file).unwrap().set_modified(time).unwrap();
        };
        put("1", old);
        let stamps = Stamps::default();
        stamps.note(&file);
        stamps.note(&missing);
        assert_eq!(stamps.take_changed(), Vec::<Utf8PathBuf>::new());
        put("22", old);
        std::fs::write(&missing, "").unwrap();
        assert_eq!(stamps.take_changed(), [file.clone(), missing.clone()]);
        // What is as new as the clock may be changed again without a trace.
        stamps.note(&missing);
        assert_eq!(stamps.take_changed(), [missing]);
        assert_eq!(stamps.take_changed(), Vec::<Utf8PathBuf>::new());
    }
}
