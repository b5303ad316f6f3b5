//! What programs share. A program and a file come in; what an earlier program found out about the file goes out, if
//! everything that it was found from is still as it was.
//!
//! Nothing here is ever invalidated: a result is kept together with its [`Inputs`], and taken only by a program in which
//! they still hold. So programs of several revisions may use one [`Memo`] at the same time.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use base::world::Entry;
use base::{Diagnostic, ReadError, SourceFile, World};
use bicep_syntax::Parse;
use camino::{Utf8Path, Utf8PathBuf};
use config::Config;
use rustc_hash::FxHashMap;

use crate::interface::Interface;
use crate::model::Model;
use crate::program::{FileId, Program, Unit};

/// What programs with the same resource types share: trees, models and interfaces.
#[derive(Default)]
pub struct Memo {
    bicep: Mutex<FxHashMap<Utf8PathBuf, Parsed<Parse>>>,
    templates: Mutex<FxHashMap<(Utf8PathBuf, bool), Parsed<json::Parsed>>>,
    models: Table<Arc<Model>>,
    interfaces: Table<Option<Arc<Interface>>>,
}

/// A text and what was read from it. As long as the text stays the same, so do these two.
pub(crate) struct Parsed<T> {
    pub(crate) source: Arc<SourceFile>,
    pub(crate) parsed: Arc<T>,
}

impl<T> Clone for Parsed<T> {
    fn clone(&self) -> Self {
        Self { source: Arc::clone(&self.source), parsed: Arc::clone(&self.parsed) }
    }
}

impl Memo {
    /// Forgets everything about files that are not kept.
    pub fn retain(&self, is_kept: impl Fn(&Utf8Path) -> bool) {
        lock(&self.bicep).retain(|path, _| is_kept(path));
        lock(&self.templates).retain(|(path, _), _| is_kept(path));
        self.models.retain(&is_kept);
        self.interfaces.retain(&is_kept);
    }

    pub(crate) fn bicep(
        &self,
        source: Arc<SourceFile>,
        make: impl FnOnce(&SourceFile) -> Parse,
    ) -> Parsed<Parse> {
        parsed(&self.bicep, source.path().to_owned(), source, make)
    }

    pub(crate) fn template(
        &self,
        source: Arc<SourceFile>,
        is_template_spec: bool,
        make: impl FnOnce(&SourceFile) -> json::Parsed,
    ) -> Parsed<json::Parsed> {
        parsed(&self.templates, (source.path().to_owned(), is_template_spec), source, make)
    }

    pub(crate) fn model(
        &self,
        program: &Program<'_>,
        file: FileId,
        make: impl FnOnce() -> Model,
    ) -> Arc<Model> {
        self.models.find(program, file).unwrap_or_else(|| {
            let model = Arc::new(make());
            // The program has no model of this file yet: it is being made.
            self.models.keep(Inputs::of(program, file, Some(&model)), Arc::clone(&model));
            model
        })
    }

    pub(crate) fn interface(
        &self,
        program: &Program<'_>,
        file: FileId,
        make: impl FnOnce() -> Option<Arc<Interface>>,
    ) -> Option<Arc<Interface>> {
        self.interfaces.get(program, file, make)
    }
}

fn parsed<K: Eq + std::hash::Hash, T>(
    known: &Mutex<FxHashMap<K, Parsed<T>>>,
    key: K,
    source: Arc<SourceFile>,
    make: impl FnOnce(&SourceFile) -> T,
) -> Parsed<T> {
    if let Some(known) = lock(known).get(&key)
        && known.source.text() == source.text()
    {
        return known.clone();
    }
    let new = Parsed { parsed: Arc::new(make(&source)), source };
    lock(known).insert(key, new.clone());
    new
}

/// Results by file, each with what it was found from.
pub struct Table<T>(Mutex<FxHashMap<Utf8PathBuf, Vec<Known<T>>>>);

struct Known<T> {
    inputs: Arc<Inputs>,
    result: T,
}

/// How many results of a file are kept: the newest, and one for whoever still looks at the revision before.
const KEPT: usize = 2;

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Clone> Table<T> {
    /// The result for a file of a program, made if there is none whose inputs hold. It may depend on the file and on
    /// everything that the file refers to.
    pub fn get(&self, program: &Program<'_>, file: FileId, make: impl FnOnce() -> T) -> T {
        self.find(program, file).unwrap_or_else(|| {
            let result = make();
            self.keep(Inputs::of(program, file, None), result.clone());
            result
        })
    }

    /// The result for a file of a program, if there is one whose inputs hold.
    pub fn find(&self, program: &Program<'_>, file: FileId) -> Option<T> {
        let path = program.unit(file).source().path();
        let known: Vec<(Arc<Inputs>, T)> = {
            let all = lock(&self.0);
            all.get(path)?.iter().map(|known| (Arc::clone(&known.inputs), known.result.clone())).collect()
        };
        let own = FileInput::closure(program, file);
        known.into_iter().find(|(inputs, _)| inputs.hold(&own, program.world())).map(|(_, result)| result)
    }

    fn keep(&self, inputs: Inputs, result: T) {
        let mut all = lock(&self.0);
        let known = all.entry(inputs.path.clone()).or_default();
        known.insert(0, Known { inputs: Arc::new(inputs), result });
        known.truncate(KEPT);
    }

    /// Forgets files that are not kept.
    pub fn retain(&self, is_kept: impl Fn(&Utf8Path) -> bool) {
        lock(&self.0).retain(|path, _| is_kept(path));
    }
}

/// Everything that a result about a file was found from: the file and all that it refers to, their configurations, and
/// what they load.
struct Inputs {
    path: Utf8PathBuf,
    files: Vec<FileInput>,
    loaded: Vec<Loaded>,
}

impl Inputs {
    /// The inputs of a file; its own model, where the program does not have it yet.
    fn of(program: &Program<'_>, file: FileId, own: Option<&Model>) -> Self {
        let mut loaded: Vec<Utf8PathBuf> = Vec::new();
        for member in program.closure(file) {
            let model = if *member == file && own.is_some() { own } else { program.model(*member) };
            loaded.extend(model.into_iter().flat_map(Model::loaded).map(Utf8Path::to_owned));
        }
        loaded.sort();
        loaded.dedup();
        Self {
            path: program.unit(file).source().path().to_owned(),
            files: FileInput::closure(program, file),
            loaded: loaded.into_iter().map(|path| Loaded::of(path, program.world())).collect(),
        }
    }

    fn hold(&self, files: &[FileInput], world: &dyn World) -> bool {
        self.files.len() == files.len()
            && self.files.iter().zip(files).all(|(old, new)| old.is_same(new))
            && self.loaded.iter().all(|loaded| loaded.is_same(world))
    }
}

/// One of the files that a result was found from. Where its references lead follows from its text, its configuration and
/// which other files there are; where they fail is said.
struct FileInput {
    source: Arc<SourceFile>,
    config: Option<Arc<Config>>,
    failed: Vec<Diagnostic>,
    template_spec: Option<String>,
}

impl FileInput {
    /// The inputs of a file and of everything it refers to, ordered by path.
    fn closure(program: &Program<'_>, file: FileId) -> Vec<Self> {
        let mut inputs: Vec<Self> =
            program.closure(file).iter().map(|member| Self::of(program.unit(*member))).collect();
        inputs.sort_by(|a, b| a.source.path().cmp(b.source.path()));
        inputs
    }

    fn of(unit: &Unit) -> Self {
        let source = Arc::clone(unit.source());
        match unit {
            Unit::Bicep(bicep) => {
                let failed = bicep.references().filter_map(|(_, target)| target.as_ref().err().cloned());
                let config = Some(Arc::clone(&bicep.config));
                Self { source, config, failed: failed.collect(), template_spec: None }
            }
            Unit::Template(template) => {
                let template_spec = template.template_spec.clone();
                Self { source, config: None, failed: Vec::new(), template_spec }
            }
        }
    }

    fn is_same(&self, other: &Self) -> bool {
        let is_same_config = match (&self.config, &other.config) {
            (Some(own), Some(other)) => Arc::ptr_eq(own, other),
            (own, other) => own.is_none() && other.is_none(),
        };
        // A text that stays the same keeps its source: see `parsed`.
        Arc::ptr_eq(&self.source, &other.source)
            && is_same_config
            && self.template_spec == other.template_spec
            && self.failed == other.failed
    }
}

/// A file or folder that a file loads, as it was.
struct Loaded {
    path: Utf8PathBuf,
    read: Result<Arc<[u8]>, ReadError>,
    listed: Option<Result<Vec<Entry>, ReadError>>,
}

impl Loaded {
    fn of(path: Utf8PathBuf, world: &dyn World) -> Self {
        let read = world.read(&path);
        let listed = read.is_err().then(|| world.list(&path));
        Self { path, read, listed }
    }

    fn is_same(&self, world: &dyn World) -> bool {
        let is_read = match (&self.read, world.read(&self.path)) {
            (Ok(old), Ok(new)) => Arc::ptr_eq(old, &new) || **old == *new,
            (old, new) => *old == new,
        };
        is_read && self.listed.as_ref().is_none_or(|old| *old == world.list(&self.path))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
