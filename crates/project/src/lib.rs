//! A set of files over time. Files and edits come in; trees, models, diagnostics, templates and parameters of each file go
//! out, each computed once and again only when something that it depends on has changed.
//!
//! A [`Project`] takes the edits. Whoever asks questions takes a [`Snapshot`] of it: one revision that never changes, can be
//! sent to another thread and costs next to nothing. An edit makes a new revision that shares with the old one
//! everything that the edit does not reach. A [`Compilation`] is some entry files with all that they refer to, and
//! what is known about them; commands that look at files once make one without a project.

#[cfg(feature = "registry")]
pub mod artifacts;
pub mod best_practices;
mod compilation;
mod dependencies;
mod files;
mod snapshot;

use std::collections::BTreeSet;
use std::sync::Arc;

use base::World;
use bicep_sema::TypeSource;
use camino::{Utf8Path, Utf8PathBuf};

pub use compilation::{Compilation, Options};
pub use snapshot::Snapshot;

use files::{Disk, Files};
use snapshot::State;

/// A set of files over time.
pub struct Project {
    state: Arc<State>,
}

impl Project {
    /// A project of the files of a world. What is read is kept until [`Project::changed`] says that it is not true any more.
    pub fn new(world: Arc<dyn World>, types: Arc<dyn TypeSource>, options: Options) -> Self {
        let files = Arc::new(Files::new(Arc::new(Disk::new(world))));
        Self { state: Arc::new(State::new(files, types, options)) }
    }

    /// The current revision.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot::new(Arc::clone(&self.state))
    }

    /// Lays a text over a file, whether the file exists or not. The version is the editor's.
    pub fn open(&mut self, path: &Utf8Path, version: i32, text: impl Into<Arc<str>>) {
        let files = self.state.files().with_text(path, version, text.into());
        self.state = Arc::new(self.state.after_edit(files, path));
    }

    /// Takes the text away that was laid over a file: what the world has holds again.
    pub fn close(&mut self, path: &Utf8Path) {
        let files = self.state.files().without_text(path);
        self.state = Arc::new(self.state.after_edit(files, path));
        self.snapshot().forget_closed();
    }

    /// Says that files or folders of the world were created, changed or deleted.
    pub fn changed(&mut self, paths: &[Utf8PathBuf]) {
        let files = self.state.files().after_changes(paths);
        self.state = Arc::new(self.state.after_changes(files, paths));
    }

    /// Says that anything in the world may have changed: artifacts have been restored, variables are others.
    pub fn refresh(&mut self) {
        let files = self.state.files().fresh();
        self.state = Arc::new(self.state.fresh(files, Arc::clone(self.state.types())));
    }

    /// Takes resource types from elsewhere.
    pub fn set_types(&mut self, types: Arc<dyn TypeSource>) {
        let files = self.state.files().fresh();
        self.state = Arc::new(self.state.fresh(files, types));
    }

    /// Says which files the workspace has: among them, and those with text of their own, is looked for who uses a file.
    pub fn set_workspace(&mut self, files: BTreeSet<Utf8PathBuf>) {
        self.state = Arc::new(self.state.with_workspace(files));
    }
}
