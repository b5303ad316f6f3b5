//! A world in which one file has another text: that of standard input.

use std::sync::Arc;

use base::world::{Artifact, Entry, ReadError, World};
use camino::Utf8Path;

/// A world with another text in the place of one file.
pub(crate) struct Overlay<'a> {
    /// The world of everything else.
    pub(crate) world: &'a dyn World,
    /// The file.
    pub(crate) path: &'a Utf8Path,
    /// Its text.
    pub(crate) text: &'a str,
}

impl World for Overlay<'_> {
    fn read(&self, path: &Utf8Path) -> Result<Arc<[u8]>, ReadError> {
        if path == self.path { Ok(self.text.as_bytes().into()) } else { self.world.read(path) }
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
