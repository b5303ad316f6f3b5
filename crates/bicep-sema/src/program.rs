//! A program: some entry files and everything they refer to. Immutable; models are computed when first asked for.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use base::{Diagnostic, FileReport, SourceFile, World};
use bicep_syntax::{Dialect, Node, NodeId, Parse, Tree};
use camino::{Utf8Path, Utf8PathBuf};
use config::Config;
use rustc_hash::FxHashMap;

use crate::load;
use crate::model::Model;

/// The number of a file in its program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub(crate) u32);

impl FileId {
    /// The number, for indexing into vectors beside the program.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a program is loaded with.
#[derive(Clone, Copy)]
pub struct Setup<'w> {
    /// The outside.
    pub world: &'w dyn World,
}

/// Some entry files and everything they refer to.
pub struct Program<'w> {
    pub(crate) setup: Setup<'w>,
    pub(crate) units: Vec<Unit>,
    pub(crate) by_path: FxHashMap<Utf8PathBuf, FileId>,
    pub(crate) entries: Vec<(Utf8PathBuf, Result<FileId, base::ReadError>)>,
    pub(crate) config_reports: Vec<FileReport>,
    pub(crate) models: Vec<OnceLock<Model>>,
}

/// A file of a program.
#[derive(Debug)]
pub enum Unit {
    /// `.bicep` or `.bicepparam`
    Bicep(BicepFile),
    /// A template in JSON.
    Template(TemplateFile),
}

/// A Bicep file with its tree and its configuration.
#[derive(Debug)]
pub struct BicepFile {
    /// Path and text.
    pub source: Arc<SourceFile>,
    /// Which statements it may have.
    pub dialect: Dialect,
    /// Tree and syntax diagnostics.
    pub parse: Parse,
    /// The configuration that holds for it.
    pub config: Arc<Config>,
    /// Where its statements that refer to other files lead, by the statement's node.
    pub(crate) references: BTreeMap<NodeId, Result<Target, Diagnostic>>,
}

/// What a statement refers to.
#[derive(Debug, Clone)]
pub struct Target {
    /// The file.
    pub file: FileId,
    /// What was written, with aliases replaced.
    pub reference: config::reference::Reference,
}

/// A template in JSON.
#[derive(Debug)]
pub struct TemplateFile {
    /// Path and text.
    pub source: Arc<SourceFile>,
    /// The parsed text.
    pub parsed: json::Parsed,
    /// The id of the template spec it comes from, if it comes from one.
    pub template_spec: Option<String>,
}

impl BicepFile {
    /// Its tree.
    pub fn tree(&self) -> &Tree {
        &self.parse.tree
    }

    /// The folder it is in.
    pub fn folder(&self) -> &Utf8Path {
        self.source.path().parent().unwrap_or(Utf8Path::new(""))
    }

    /// Where a statement that refers to another file leads. `None`: it refers to nothing, or not to a file.
    pub fn reference(&self, statement: Node<'_>) -> Option<&Result<Target, Diagnostic>> {
        self.references.get(&statement.id())
    }
}

impl Unit {
    /// Path and text.
    pub fn source(&self) -> &Arc<SourceFile> {
        match self {
            Self::Bicep(file) => &file.source,
            Self::Template(file) => &file.source,
        }
    }
}

impl<'w> Program<'w> {
    /// Loads entry files and everything they refer to.
    pub fn load(setup: Setup<'w>, entries: &[Utf8PathBuf]) -> Self {
        load::load(setup, entries)
    }

    /// The outside.
    pub fn world(&self) -> &'w dyn World {
        self.setup.world
    }

    /// What became of each entry file.
    pub fn entries(&self) -> &[(Utf8PathBuf, Result<FileId, base::ReadError>)] {
        &self.entries
    }

    /// All files.
    pub fn files(&self) -> impl Iterator<Item = FileId> {
        (0..self.units.len()).map(|index| FileId(u32::try_from(index).unwrap_or(u32::MAX)))
    }

    /// A file.
    pub fn unit(&self, file: FileId) -> &Unit {
        #[expect(clippy::indexing_slicing, reason = "ids are only made by the loader of this program")]
        &self.units[file.index()]
    }

    /// A Bicep file.
    pub fn bicep(&self, file: FileId) -> Option<&BicepFile> {
        match self.unit(file) {
            Unit::Bicep(bicep) => Some(bicep),
            Unit::Template(_) => None,
        }
    }

    /// The file at a path.
    pub fn file_at(&self, path: &Utf8Path) -> Option<FileId> {
        self.by_path.get(path).copied()
    }

    /// What is wrong with the configuration files that were read.
    pub fn config_reports(&self) -> &[FileReport] {
        &self.config_reports
    }

    /// The model of a Bicep file, computed on first use. Files that refer to each other in a circle never get here:
    /// the loader has replaced such references by diagnostics.
    pub fn model(&self, file: FileId) -> Option<&Model> {
        let bicep = self.bicep(file)?;
        let slot = self.models.get(file.index())?;
        Some(slot.get_or_init(|| Model::new(self, file, bicep)))
    }
}
