//! One revision of a project: questions about files come in; answers go out that stay true for this revision.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use base::{FileReport, Held, SourceFile, World};
use bicep_emit::Emitted;
use bicep_emit::parameters::Parameters;
use bicep_sema::{Setup, TypeSource};
use camino::{Utf8Path, Utf8PathBuf};
use config::{Config, Loader};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::compilation::{Compilation, Options, Tables};
use crate::dependencies::{Edges, Users};
use crate::files::{Files, lock};

/// One revision of a project. Cheap to clone; may be used from several threads.
#[derive(Clone)]
pub struct Snapshot {
    state: Arc<State>,
}

/// What a revision is made of. The tables are shared by all revisions with the same resource types.
pub(crate) struct State {
    revision: u64,
    files: Arc<Files>,
    configs: Arc<Loader<'static>>,
    types: Arc<dyn TypeSource>,
    options: Arc<Options>,
    workspace: Arc<BTreeSet<Utf8PathBuf>>,
    tables: Arc<Tables>,
    pub(crate) edges: Arc<Edges>,
    users: Users,
    compilations: Mutex<FxHashMap<Utf8PathBuf, Arc<Compilation<'static>>>>,
}

impl Snapshot {
    pub(crate) fn new(state: Arc<State>) -> Self {
        Self { state }
    }

    /// The number of the revision: later ones have larger numbers.
    pub fn revision(&self) -> u64 {
        self.state.revision
    }

    /// The files of this revision, unsaved texts included, as pure code sees them.
    pub fn world(&self) -> &dyn World {
        &*self.state.files
    }

    /// Where resource types come from.
    pub fn types(&self) -> &Arc<dyn TypeSource> {
        &self.state.types
    }

    /// The configuration that holds for a file.
    pub fn config(&self, path: &Utf8Path) -> Arc<Config> {
        self.state.configs.load_for(path)
    }

    /// The same files with another text for one of them, for a question beside the others.
    #[must_use]
    pub fn with_text(&self, path: &Utf8Path, text: impl Into<Arc<str>>) -> Self {
        let files = self.state.files.with_text(path, 0, text.into());
        Self::new(Arc::new(self.state.after_edit(files, path)))
    }

    /// What is wrong with the configuration files that were read so far.
    pub fn config_reports(&self) -> Vec<FileReport> {
        self.state.configs.reports()
    }

    /// Path and text of a file.
    pub fn source(&self, path: &Utf8Path) -> Option<Arc<SourceFile>> {
        self.state.files.read_source(path).ok()
    }

    /// The version of the text that an editor has laid over a file.
    pub fn version(&self, path: &Utf8Path) -> Option<i32> {
        self.state.files.version(path)
    }

    /// The files that editors have laid texts over.
    pub fn open_files(&self) -> impl Iterator<Item = &Utf8Path> {
        self.state.files.open()
    }

    /// The files of the workspace and those with unsaved texts.
    pub fn all_files(&self) -> BTreeSet<Utf8PathBuf> {
        let open = self.open_files().map(Utf8Path::to_owned);
        self.state.workspace.iter().cloned().chain(open).collect()
    }

    /// A file with everything it refers to.
    pub fn compilation(&self, path: &Utf8Path) -> Arc<Compilation<'static>> {
        if let Some(known) = lock(&self.state.compilations).get(path) {
            return Arc::clone(known);
        }
        let made = Arc::new(self.state.load(path));
        Arc::clone(lock(&self.state.compilations).entry(path.to_owned()).or_insert(made))
    }

    /// Everything that is wrong with a file: syntax, meaning, values, style. `None`: it cannot be read.
    pub fn diagnostics(&self, path: &Utf8Path) -> Option<Arc<FileReport>> {
        let compilation = self.compilation(path);
        Some(compilation.report(compilation.entry()?))
    }

    /// The template of a file. `None`: the file cannot be read. Of a file with errors it is some template; see
    /// [`Snapshot::is_sound`].
    pub fn template(&self, path: &Utf8Path) -> Option<Arc<Emitted>> {
        let compilation = self.compilation(path);
        Some(compilation.template(compilation.entry()?))
    }

    /// What a parameter file assigns. `None`: the file is none.
    pub fn parameters(&self, path: &Utf8Path) -> Option<Arc<Parameters>> {
        let compilation = self.compilation(path);
        compilation.parameters(compilation.entry()?)
    }

    /// Whether neither a file nor anything it refers to has errors.
    pub fn is_sound(&self, path: &Utf8Path) -> bool {
        let compilation = self.compilation(path);
        compilation.entry().is_some_and(|entry| compilation.is_sound(entry))
    }

    /// Forgets what is known about files that no open file refers to.
    pub(crate) fn forget_closed(&self) {
        let mut kept: FxHashSet<Utf8PathBuf> = FxHashSet::default();
        for path in self.open_files() {
            let compilation = self.compilation(path);
            let program = compilation.program();
            kept.extend(program.files().map(|file| program.unit(file).source().path().to_owned()));
        }
        self.state.tables.retain(|path| kept.contains(path));
    }

    /// The files that a file refers to itself, whether they exist or not: modules, imports, what it uses or extends.
    pub fn uses(&self, path: &Utf8Path) -> Arc<[Utf8PathBuf]> {
        self.state.edges.of(path, self)
    }

    /// Whether a file is one of the workspace or has an unsaved text.
    pub(crate) fn has(&self, path: &Utf8Path) -> bool {
        self.version(path).is_some() || self.state.workspace.contains(path)
    }

    /// The files that refer to a file themselves, in the order of their paths.
    pub fn used_by(&self, path: &Utf8Path) -> Vec<Utf8PathBuf> {
        self.state.users.table(self).used_by(path).cloned().collect()
    }

    /// The files that refer to some files, directly or not, in the order of their paths.
    pub fn dependents(&self, paths: &[Utf8PathBuf]) -> BTreeSet<Utf8PathBuf> {
        let table = self.state.users.table(self);
        let mut found = BTreeSet::new();
        let mut open: Vec<&Utf8PathBuf> = paths.iter().collect();
        while let Some(path) = open.pop() {
            for user in table.used_by(path) {
                if found.insert(user.clone()) {
                    open.push(user);
                }
            }
        }
        found
    }
}

impl State {
    pub(crate) fn new(files: Arc<Files>, types: Arc<dyn TypeSource>, options: Options) -> Self {
        Self {
            revision: 0,
            configs: configs(&files),
            files,
            types,
            options: Arc::new(options),
            workspace: Arc::default(),
            tables: Arc::default(),
            edges: Arc::default(),
            users: Users::default(),
            compilations: Mutex::default(),
        }
    }

    pub(crate) fn files(&self) -> &Files {
        &self.files
    }

    pub(crate) fn types(&self) -> &Arc<dyn TypeSource> {
        &self.types
    }

    /// The next revision, after the text of a file has changed.
    pub(crate) fn after_edit(&self, files: Files, path: &Utf8Path) -> Self {
        self.after_changes(files, std::slice::from_ref(&path.to_owned()))
    }

    /// The next revision, after files have changed. Configurations are read again when one of them may be among them.
    pub(crate) fn after_changes(&self, files: Files, paths: &[Utf8PathBuf]) -> Self {
        let files = Arc::new(files);
        let is_source = |path: &Utf8PathBuf| matches!(path.extension(), Some("bicep" | "bicepparam"));
        if !paths.iter().all(is_source) {
            let configs = configs(&files);
            return self.next(files, configs);
        }
        let users = self.users.after_edits(paths);
        Self { users, ..self.next(files, Arc::clone(&self.configs)) }
    }

    /// The next revision, with nothing known but texts.
    pub(crate) fn fresh(&self, files: Files, types: Arc<dyn TypeSource>) -> Self {
        let files = Arc::new(files);
        let configs = configs(&files);
        Self { types, tables: Arc::default(), ..self.next(files, configs) }
    }

    pub(crate) fn with_workspace(&self, workspace: BTreeSet<Utf8PathBuf>) -> Self {
        let next = self.next(Arc::clone(&self.files), Arc::clone(&self.configs));
        Self { workspace: Arc::new(workspace), ..next }
    }

    fn next(&self, files: Arc<Files>, configs: Arc<Loader<'static>>) -> Self {
        Self {
            revision: self.revision + 1,
            files,
            configs,
            types: Arc::clone(&self.types),
            options: Arc::clone(&self.options),
            workspace: Arc::clone(&self.workspace),
            tables: Arc::clone(&self.tables),
            edges: Arc::clone(&self.edges),
            users: Users::default(),
            compilations: Mutex::default(),
        }
    }

    fn load(&self, path: &Utf8Path) -> Compilation<'static> {
        let world: Arc<dyn World> = Arc::<Files>::clone(&self.files);
        let setup = Setup::shared(world, Arc::clone(&self.types)).with_configs(Arc::clone(&self.configs));
        let entries = [path.to_owned()];
        Compilation::sharing(setup, &entries, Arc::clone(&self.options), Arc::clone(&self.tables))
    }
}

fn configs(files: &Arc<Files>) -> Arc<Loader<'static>> {
    let world: Arc<dyn World> = Arc::<Files>::clone(files);
    Arc::new(Loader::held(Held::Shared(world)))
}
