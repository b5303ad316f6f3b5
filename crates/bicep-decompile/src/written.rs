//! A world with files that are not on disk yet: what is decompiled is compiled before it is written.

use std::sync::Arc;

use base::world::{Artifact, Entry, ReadError, World};
use camino::Utf8Path;

use crate::File;

/// The files that are being written over those that are there.
pub struct Written<'a> {
    /// The files; their texts are what is read.
    pub files: &'a [File],
    /// The world of everything else.
    pub world: &'a dyn World,
}

impl World for Written<'_> {
    fn read(&self, path: &Utf8Path) -> Result<Arc<[u8]>, ReadError> {
        match self.files.iter().find(|file| file.path == path) {
            Some(file) => Ok(file.text.as_bytes().into()),
            None => self.world.read(path),
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
