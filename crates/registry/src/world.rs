//! The [`World`] with artifacts: pure code asks for a reference and gets a folder of the cache, or a reason.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use base::world::{Artifact, Entry, ReadError, World, source_of};
use base::{SourceFile, Verdict};
use camino::Utf8Path;
use config::reference::OciReference;

use crate::cache::{Cache, Depth, Lookup};
use crate::error::Error;
use crate::extension;
use crate::lockfile::LockFile;
use crate::manifest::MAIN;

/// A world whose artifacts come from a cache. It opens no socket. Files of the cache are checked whenever they are read.
pub struct RegistryWorld<W> {
    inner: W,
    cache: Cache,
    lock: Option<LockFile>,
    locked: bool,
    failures: BTreeMap<String, String>,
    known: Mutex<BTreeMap<String, Artifact>>,
}

impl<W: World> RegistryWorld<W> {
    /// A world with the artifacts of a cache.
    pub fn new(inner: W, cache: Cache) -> Self {
        Self { inner, cache, lock: None, locked: false, failures: BTreeMap::new(), known: Mutex::default() }
    }

    /// The same, held to a lock file; `locked` says whether what is not in it must not be used.
    #[must_use]
    pub fn with_lock(mut self, lock: LockFile, locked: bool) -> Self {
        self.lock = Some(lock);
        self.locked = locked;
        self
    }

    /// The same, with the reasons why some references could not be restored just now.
    #[must_use]
    pub fn with_failures(mut self, failures: BTreeMap<String, String>) -> Self {
        self.failures = failures;
        self
    }

    pub fn cache(&self) -> &Cache {
        &self.cache
    }

    fn look_up(&self, reference: &str) -> Artifact {
        if let Some(rest) = reference.strip_prefix("ts:") {
            return self.look_up_template_spec(rest);
        }
        let oci = match reference.strip_prefix("br:") {
            Some(rest) => OciReference::parse(rest),
            None => return self.look_up_package(reference.into()),
        };
        let oci = match oci {
            Ok(oci) => oci,
            Err(problem) => return Artifact::Failed(problem.message),
        };
        let locked = self.lock.as_ref().and_then(|lock| lock.get(reference));
        if let (None, true, Some(lock)) = (locked, self.locked, &self.lock) {
            return Artifact::Failed(Error::NotLocked(lock.path().to_owned()).to_string());
        }
        let pinned = locked.map(|locked| &locked.digest);
        to_artifact(self.cache.find(&oci, pinned, Depth::Manifest))
    }

    fn look_up_package(&self, path: &Utf8Path) -> Artifact {
        match extension::find(&self.cache, path, Depth::Manifest) {
            Ok((digest, lookup)) => {
                let lock = self.lock.as_ref();
                let locked = lock.and_then(|lock| lock.get(&lock.package_name(path)));
                let pinned = locked.filter(|_| self.locked).map(|locked| &locked.digest);
                let verdict = pinned.map(|pinned| pinned.check(&digest, || format!("\"{path}\"")));
                match verdict.map(Verdict::into_result) {
                    Some(Err(error)) => Artifact::Failed(error.to_string()),
                    Some(Ok(())) | None => to_artifact(lookup),
                }
            }
            Err(error) => Artifact::Failed(error.to_string()),
        }
    }

    /// `subscription/group/name:version`; there is nothing to check such a copy by.
    fn look_up_template_spec(&self, rest: &str) -> Artifact {
        let parts = rest.to_lowercase().replace(':', "/");
        let folder = parts.split('/').fold(self.cache.root().join("ts"), |folder, part| folder.join(part));
        if parts.split('/').any(|part| part.is_empty() || part.starts_with('.'))
            || !folder.join(MAIN).is_file()
        {
            return Artifact::Missing;
        }
        Artifact::Restored(folder)
    }
}

fn to_artifact(lookup: Lookup) -> Artifact {
    match lookup {
        Lookup::Found(stored) => Artifact::Restored(stored.folder),
        Lookup::Missing => Artifact::Missing,
        Lookup::Unusable(error) => Artifact::Failed(format!("{error}; run `sinew restore`")),
    }
}

impl<W: World> World for RegistryWorld<W> {
    fn read(&self, path: &Utf8Path) -> Result<Arc<[u8]>, ReadError> {
        match self.cache.read(path) {
            Some(Ok(bytes)) => Ok(bytes.into()),
            Some(Err(Error::Disk { error, .. })) if error.kind() == std::io::ErrorKind::NotFound => {
                Err(ReadError::NotFound)
            }
            Some(Err(error)) => Err(ReadError::Other(error.to_string())),
            None => self.inner.read(path),
        }
    }

    fn read_source(&self, path: &Utf8Path) -> Result<Arc<SourceFile>, ReadError> {
        if self.cache.contains(path) {
            return source_of(path, &self.read(path)?);
        }
        self.inner.read_source(path)
    }

    fn list(&self, folder: &Utf8Path) -> Result<Vec<Entry>, ReadError> {
        self.inner.list(folder)
    }

    fn variable(&self, name: &str) -> Option<String> {
        self.inner.variable(name)
    }

    fn variable_names(&self) -> Vec<String> {
        self.inner.variable_names()
    }

    fn artifact(&self, reference: &str) -> Artifact {
        if let Some(known) = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(reference) {
            return known.clone();
        }
        let found = match (self.look_up(reference), self.failures.get(reference)) {
            (Artifact::Missing | Artifact::Failed(_), Some(reason)) => Artifact::Failed(reason.clone()),
            (found, _) => found,
        };
        self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(reference.to_owned(), found.clone());
        found
    }
}
