//! What programs share. A program and a file come in; what an earlier program found out about the file goes out, if
//! everything that it was found from is still as it was.
//!
//! Nothing here is ever invalidated: a result is kept together with its [`Inputs`], and taken only by a program in which
//! they still hold. So programs of several revisions may use one [`Memo`] at the same time.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use base::world::Entry;
use base::{Diagnostic, ReadError, SourceFile, World};
use bicep_syntax::{Dialect, Parse};
use camino::{Utf8Path, Utf8PathBuf};
use config::Config;
use rustc_hash::FxHashMap;

use crate::interface::Interface;
use crate::model::Model;
use crate::program::{BicepFile, FileId, ParsedTemplate, Program, Unit};

/// What programs with the same resource types share: trees, models and interfaces.
#[derive(Default)]
pub struct Memo {
    texts: Arc<Texts>,
    models: Mutex<FxHashMap<Utf8PathBuf, Vec<Arc<KnownModel>>>>,
    interfaces: Table<Option<Arc<Interface>>>,
}

/// Parsed texts by path, for programs that have files in common.
#[derive(Default)]
pub struct Texts {
    bicep: Mutex<FxHashMap<Utf8PathBuf, Parsed<Parse>>>,
    templates: Mutex<FxHashMap<(Utf8PathBuf, bool), Parsed<ParsedTemplate>>>,
}

/// A text and what was read from it. As long as the text stays the same, so do these two.
pub(crate) struct Parsed<T> {
    pub(crate) source: Arc<SourceFile>,
    pub(crate) parsed: Arc<T>,
}

impl<T> Parsed<T> {
    pub(crate) fn new(source: Arc<SourceFile>, make: impl FnOnce(&Arc<SourceFile>) -> T) -> Self {
        Self { parsed: Arc::new(make(&source)), source }
    }
}

impl<T> Clone for Parsed<T> {
    fn clone(&self) -> Self {
        Self { source: Arc::clone(&self.source), parsed: Arc::clone(&self.parsed) }
    }
}

impl Memo {
    /// Forgets everything about files that are not kept.
    pub fn retain(&self, is_kept: impl Fn(&Utf8Path) -> bool) {
        lock(&self.texts.bicep).retain(|path, _| is_kept(path));
        lock(&self.texts.templates).retain(|(path, _), _| is_kept(path));
        lock(&self.models).retain(|path, _| is_kept(path));
        self.interfaces.retain(&is_kept);
    }

    pub(crate) fn texts(&self) -> &Arc<Texts> {
        &self.texts
    }

    /// The model of a file. It depends on the file, on what it loads, and on the interfaces of the files it refers to: a
    /// module may change as it likes as long as it looks the same from outside.
    pub(crate) fn model(
        &self,
        program: &Program<'_>,
        file: FileId,
        bicep: &BicepFile,
        make: impl FnOnce() -> Model,
    ) -> Arc<Model> {
        let path = bicep.source.path();
        let known = lock(&self.models).get(path).cloned().unwrap_or_default();
        let used = Used::of(program, file, bicep);
        let own = FileInput::of(program.unit(file));
        if let Some(known) = known.iter().find(|known| known.holds(&own, &used, program.world())) {
            return Arc::clone(&known.model);
        }
        let model = Arc::new(make());
        let loaded = Loaded::all(model.loaded(), program.world());
        let new = Arc::new(KnownModel { own, used, loaded, model: Arc::clone(&model) });
        let mut all = lock(&self.models);
        let known = all.entry(path.to_owned()).or_default();
        known.insert(0, new);
        known.truncate(KEPT);
        model
    }

    /// The interface of a file. One that nobody can tell from an earlier one is the earlier one, so that what was found
    /// with that still holds.
    pub(crate) fn interface(
        &self,
        program: &Program<'_>,
        file: FileId,
        make: impl FnOnce() -> Option<Arc<Interface>>,
    ) -> Option<Arc<Interface>> {
        let path = program.unit(file).source().path();
        self.interfaces.get(program, file, || {
            let new = make()?;
            let known = self.interfaces.all(path).into_iter().flatten();
            Some(known.into_iter().find(|known| known.is_identical(&new)).unwrap_or(new))
        })
    }
}

struct KnownModel {
    own: FileInput,
    used: Used,
    loaded: Vec<Loaded>,
    model: Arc<Model>,
}

impl KnownModel {
    fn holds(&self, own: &FileInput, used: &Used, world: &dyn World) -> bool {
        self.own.is_same(own)
            && self.used.is_same(used)
            && self.loaded.iter().all(|loaded| loaded.is_same(world))
    }
}

/// What a model depends on in other files.
enum Used {
    /// What the files that it refers to show, in the order of its statements.
    Interfaces(Vec<Option<Arc<Interface>>>),
    /// Everything in them: parameter files look into the functions that they import.
    Inputs(Inputs),
}

impl Used {
    fn of(program: &Program<'_>, file: FileId, bicep: &BicepFile) -> Self {
        let targets = bicep.references().filter_map(|(_, target)| target.as_ref().ok());
        match bicep.dialect {
            Dialect::Bicep => {
                let interfaces = targets.map(|target| program.shared_interface(target.file).cloned());
                Self::Interfaces(interfaces.collect())
            }
            Dialect::Params => Self::Inputs(Inputs::of_others(program, file)),
        }
    }

    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Interfaces(own), Self::Interfaces(other)) => {
                own.len() == other.len()
                    && own.iter().zip(other).all(|pair| match pair {
                        (Some(own), Some(other)) => Arc::ptr_eq(own, other),
                        (own, other) => own.is_none() && other.is_none(),
                    })
            }
            (Self::Inputs(own), Self::Inputs(other)) => own.is_same(other),
            _ => false,
        }
    }
}

impl Texts {
    pub(crate) fn bicep(
        &self,
        source: Arc<SourceFile>,
        make: impl FnOnce(&Arc<SourceFile>) -> Parse,
    ) -> Parsed<Parse> {
        parsed(&self.bicep, source.path().to_owned(), source, make)
    }

    pub(crate) fn template(
        &self,
        source: Arc<SourceFile>,
        is_template_spec: bool,
        make: impl FnOnce(&Arc<SourceFile>) -> ParsedTemplate,
    ) -> Parsed<ParsedTemplate> {
        parsed(&self.templates, (source.path().to_owned(), is_template_spec), source, make)
    }
}

fn parsed<K: Eq + std::hash::Hash, T>(
    known: &Mutex<FxHashMap<K, Parsed<T>>>,
    key: K,
    source: Arc<SourceFile>,
    make: impl FnOnce(&Arc<SourceFile>) -> T,
) -> Parsed<T> {
    if let Some(known) = lock(known).get(&key)
        && is_same_text(known.source.text(), source.text())
    {
        return known.clone();
    }
    let new = Parsed::new(source, make);
    lock(known).insert(key, new.clone());
    new
}

/// A text that is shared need not be compared.
fn is_same_text(one: &Arc<str>, other: &Arc<str>) -> bool {
    Arc::ptr_eq(one, other) || one == other
}

/// Templates in JSON as programs of one run share them: each is read once, and its interface is made once. Unlike a
/// [`Memo`] it does not look at files again, and it keeps no trees, which are many times as large as their texts.
#[derive(Default)]
pub struct TemplateMemo(Mutex<FxHashMap<(Utf8PathBuf, bool), Arc<KnownTemplate>>>);

impl TemplateMemo {
    /// The template at a path, read by whoever asks first.
    pub(crate) fn template(
        &self,
        path: &Utf8Path,
        is_template_spec: bool,
        read: impl FnOnce() -> Result<Arc<SourceFile>, ReadError>,
    ) -> Result<Arc<KnownTemplate>, ReadError> {
        let key = (path.to_owned(), is_template_spec);
        if let Some(known) = lock(&self.0).get(&key) {
            return Ok(Arc::clone(known));
        }
        // Not held while a file is read: two programs may do it at once, and the first result stays.
        let new = Arc::new(KnownTemplate { source: read()?, interface: OnceLock::new() });
        Ok(Arc::clone(lock(&self.0).entry(key).or_insert(new)))
    }
}

/// What is known about a template.
#[derive(Debug)]
pub(crate) struct KnownTemplate {
    source: Arc<SourceFile>,
    interface: OnceLock<Option<Arc<Interface>>>,
}

impl KnownTemplate {
    pub(crate) fn source(&self) -> &Arc<SourceFile> {
        &self.source
    }

    pub(crate) fn interface(&self, make: impl FnOnce() -> Option<Arc<Interface>>) -> Option<Arc<Interface>> {
        self.interface.get_or_init(make).clone()
    }
}

/// A memo table: results by file, each with the inputs it was computed from.
pub struct Table<T>(Mutex<FxHashMap<Utf8PathBuf, Vec<MemoEntry<T>>>>);

struct MemoEntry<T> {
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
            self.keep(Inputs::of(program, file), result.clone());
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

    /// All results for a path, the newest first, whether their inputs hold or not.
    fn all(&self, path: &Utf8Path) -> Vec<T> {
        lock(&self.0).get(path).into_iter().flatten().map(|known| known.result.clone()).collect()
    }

    fn keep(&self, inputs: Inputs, result: T) {
        let mut all = lock(&self.0);
        let known = all.entry(inputs.path.clone()).or_default();
        known.insert(0, MemoEntry { inputs: Arc::new(inputs), result });
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
    /// The inputs of a file.
    fn of(program: &Program<'_>, file: FileId) -> Self {
        let models = program.closure(file).iter().filter_map(|member| program.model(*member));
        Self {
            path: program.unit(file).source().path().to_owned(),
            files: FileInput::closure(program, file),
            loaded: Loaded::all(models.flat_map(Model::loaded), program.world()),
        }
    }

    /// The same without what the file itself loads: its model may be in the making.
    fn of_others(program: &Program<'_>, file: FileId) -> Self {
        let others = program.closure(file).iter().filter(|member| **member != file);
        let models = others.filter_map(|member| program.model(*member));
        Self {
            path: program.unit(file).source().path().to_owned(),
            files: FileInput::closure(program, file),
            loaded: Loaded::all(models.flat_map(Model::loaded), program.world()),
        }
    }

    fn is_same(&self, other: &Self) -> bool {
        self.loaded == other.loaded
            && self.files.len() == other.files.len()
            && self.files.iter().zip(&other.files).all(|(own, other)| own.is_same(other))
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
#[derive(PartialEq)]
struct Loaded {
    path: Utf8PathBuf,
    read: Result<Arc<[u8]>, ReadError>,
    listed: Option<Result<Vec<Entry>, ReadError>>,
}

impl Loaded {
    /// All of these paths, each once.
    fn all<'p>(paths: impl Iterator<Item = &'p Utf8Path>, world: &dyn World) -> Vec<Self> {
        let paths: BTreeSet<&Utf8Path> = paths.collect();
        paths.into_iter().map(|path| Self::of(path.to_owned(), world)).collect()
    }

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::Setup;
    use base::MemoryWorld;

    /// Whether a module in JSON with this parameter can be used with the parameter `a`.
    fn is_usable(parameter: &str, templates: Option<&Arc<TemplateMemo>>) -> bool {
        let schema = "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#";
        let template = format!(
            r#"{{ "$schema": "{schema}", "contentVersion": "1.0.0.0", "parameters": {{ "{parameter}": {{ "type": "string" }} }}, "resources": [] }}"#
        );
        let world = MemoryWorld::new()
            .with_file("/main.bicep", "module m 'm.json' = { params: { a: 'x' } }")
            .with_file("/m.json", template);
        let setup = Setup::new(&world);
        let setup = match templates {
            Some(templates) => setup.with_templates(Arc::clone(templates)),
            None => setup,
        };
        let program = Program::load(setup, &[Utf8PathBuf::from("/main.bicep")]);
        let main = program.file_at("/main.bicep".into()).unwrap();
        !program.report(main).has_errors()
    }

    #[test]
    fn a_template_is_read_once_for_all_programs_of_a_run() {
        assert!(is_usable("a", None));
        assert!(!is_usable("b", None));
        let templates = Arc::default();
        assert!(is_usable("a", Some(&templates)));
        assert!(is_usable("b", Some(&templates)), "the file was read again");
    }
}
