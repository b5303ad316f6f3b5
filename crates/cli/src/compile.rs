//! Compilations as commands work with them: entry files come in; what they refer to is fetched, and compilations go out,
//! looked at on all cores.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use base::disk::SystemClock;
use base::{FileReport, SourceFile};
use bicep_emit::validation::Clocks;
use bicep_emit::{Emitted, Emitter, Generator, TOO_LARGE};
use bicep_sema::memo::Texts;
use bicep_sema::{FileId, Program, Setup};
use camino::{Utf8Path, Utf8PathBuf};
use project::artifacts::{ArtifactStore, by_store, needy_entries};
use project::{Compilation, Options};

use crate::artifacts::{self, ArtifactArgs};
use crate::catalogue::Types;
use crate::failure::Failure;
use crate::messages;
use crate::names::Name;
use crate::overlay::Overlay;
use crate::session::Session;
use crate::{VERSION, parallel, type_install};

/// The arguments that say how programs are loaded.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct CompileArgs {
    /// Do not fetch modules, extensions and types that are not there
    #[arg(long)]
    pub(crate) no_restore: bool,

    #[command(flatten)]
    pub(crate) artifacts: ArtifactArgs,
}

/// A file with another text than it has on disk.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Replaced<'a> {
    /// The file.
    pub(crate) path: &'a Utf8Path,
    /// Its text.
    pub(crate) text: &'a str,
}

/// Loads an entry file with everything it refers to. What is not in the cache is fetched first; what could not be fetched
/// is reported where a file refers to it.
pub(crate) fn with_compilation<T>(
    entry: &Utf8Path,
    args: CompileArgs,
    session: &Session,
    work: impl FnOnce(&Compilation<'_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let config = config::Loader::new(&session.world).load_for(entry);
    let group =
        Group { store: artifacts::store_of(entry, &config, session)?, entries: vec![entry.to_owned()] };
    group.run(&Loading::new(None, args, session), work)
}

/// Loads entry files and does the work for each of their compilations, on all cores; the results are in their order.
///
/// All files that need nothing from outside of the project are one compilation, so that each module is looked at once.
/// Those that do are one for each lock file.
pub(crate) fn map_compilations<T: Send>(
    entries: &[Utf8PathBuf],
    replaced: Option<Replaced<'_>>,
    (args, session): (CompileArgs, &Session),
    work: impl Fn(&Compilation<'_>) -> Result<T, Failure> + Sync,
) -> Result<Vec<T>, Failure> {
    let configs = config::Loader::new(&session.world);
    let stores = by_store(entries, &configs, &session.world).ok_or_else(Failure::no_home)?;
    let Some(store) = stores.keys().next().cloned() else { return Ok(Vec::new()) };
    let loading = Loading::new(replaced, args, session);
    let whole = Group { store, entries: entries.to_vec() };
    if stores.len() == 1 {
        return Ok(vec![whole.run(&loading, work)?]);
    }
    let tried = whole.load(&loading, BTreeMap::new(), |compilation| {
        let program = compilation.program();
        let needy = needy_entries(program);
        if needy.is_empty() {
            return Ok(Ok(work(compilation)?));
        }
        let mut failures = BTreeMap::new();
        for (store, entries) in stores.iter().filter(|_| !args.no_restore) {
            let needy: Vec<_> = entries.iter().filter(|entry| needy.contains(*entry)).cloned().collect();
            let restored = artifacts::restore((program, &needy), store, (args.artifacts, false), session)?;
            failures.extend(restored.failures);
        }
        Ok(Err((needy, failures)))
    })?;
    let (needy, failures) = match tried? {
        Ok(done) => return Ok(vec![done]),
        Err(needy) => needy,
    };
    let groups = split(stores, &needy);
    let results = parallel::map(&groups, |group| group.load(&loading, failures.clone(), &work)?);
    results.into_iter().collect()
}

/// One group for all stores without needy files, and one for each of the others.
fn split(stores: BTreeMap<ArtifactStore, Vec<Utf8PathBuf>>, needy: &BTreeSet<Utf8PathBuf>) -> Vec<Group> {
    let groups = stores.into_iter().map(|(store, entries)| Group { store, entries });
    let (mut groups, others): (Vec<Group>, Vec<Group>) =
        groups.partition(|group| group.entries.iter().any(|entry| needy.contains(entry)));
    let merged = others.into_iter().reduce(|mut all, group| {
        all.entries.extend(group.entries);
        all
    });
    groups.extend(merged);
    groups
}

/// How files are loaded.
struct Loading<'a> {
    replaced: Option<Replaced<'a>>,
    args: CompileArgs,
    session: &'a Session,
    options: Arc<Options>,
    /// Files that are loaded again, with artifacts that were fetched in between, are not parsed again.
    texts: Arc<Texts>,
}

impl<'a> Loading<'a> {
    fn new(replaced: Option<Replaced<'a>>, args: CompileArgs, session: &'a Session) -> Self {
        Self { replaced, args, session, options: options(session), texts: Arc::default() }
    }
}

/// Entry files that are compiled together.
struct Group {
    store: ArtifactStore,
    entries: Vec<Utf8PathBuf>,
}

impl Group {
    /// Loads the files; once more if something that they refer to had to be fetched.
    fn run<T>(
        &self,
        loading: &Loading<'_>,
        work: impl FnOnce(&Compilation<'_>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let Loading { args, session, .. } = *loading;
        let tried = self.load(loading, BTreeMap::new(), |compilation| {
            if args.no_restore {
                return work(compilation).map(Ok);
            }
            let program = (compilation.program(), self.entries.as_slice());
            let restored = artifacts::restore(program, &self.store, (args.artifacts, false), session)?;
            if restored.has_changed { Ok(Err((work, restored.failures))) } else { work(compilation).map(Ok) }
        })?;
        match tried? {
            Ok(done) => Ok(done),
            Err((work, failures)) => self.load(loading, failures, work)?,
        }
    }

    /// Loads the files with what there is. What could not be fetched comes with the reason.
    fn load<T>(
        &self,
        loading: &Loading<'_>,
        failures: BTreeMap<String, String>,
        work: impl FnOnce(&Compilation<'_>) -> T,
    ) -> Result<T, Failure> {
        let Loading { replaced, args, session, .. } = *loading;
        let world = artifacts::world_of(&self.store, args.artifacts)?.with_failures(failures);
        let types = Types::new(&world);
        let overlay = replaced.map(|Replaced { path, text }| Overlay { world: &world, path, text });
        let seen: &dyn base::World = overlay.as_ref().map_or(&world, |overlay| overlay);
        let setup = Setup::new(seen).with_types(&types).with_texts(Arc::clone(&loading.texts));
        let compilation = Compilation::load(setup, &self.entries, Arc::clone(&loading.options));
        // Types are looked for when the first file is checked, which is not before the work.
        type_install::install_missing(compilation.program(), args, session)?;
        Ok(work(&compilation))
    }
}

/// The file that a program of one entry file is about; `path` is how the user calls it.
pub(crate) fn entry(program: &Program<'_>, path: &Utf8Path) -> Result<FileId, Failure> {
    match program.entries().first() {
        Some((_, Ok(file))) => Ok(*file),
        Some((_, Err(error))) => Err(Failure::unreadable(path, error)),
        None => Err(Failure::not_bicep(path)),
    }
}

/// The files of a program that can be compiled: neither they nor anything they refer to has errors.
pub(crate) struct Sound<'p> {
    program: &'p Program<'p>,
    bad: BTreeSet<&'p Utf8Path>,
}

impl<'p> Sound<'p> {
    /// Those that are left by these reports.
    pub(crate) fn new(program: &'p Program<'p>, reports: &'p [FileReport]) -> Self {
        let bad = reports.iter().filter(|report| report.has_errors()).map(|report| report.file.path());
        Self { program, bad: bad.collect() }
    }

    /// Whether a file is one of them.
    pub(crate) fn contains(&self, file: FileId) -> bool {
        let path_of = |part: FileId| self.program.unit(part).source().path();
        let closure = || self.program.closure(file).iter();
        self.bad.is_empty() || !closure().any(|part| self.bad.contains(path_of(*part)))
    }
}

/// What is wrong with the files of a compilation, in the order in which they were found.
pub(crate) fn reports(compilation: &Compilation<'_>) -> Vec<FileReport> {
    let program = compilation.program();
    let files: Vec<FileId> = program.files().filter(|file| program.bicep(*file).is_some()).collect();
    // Whether there are validators is known when all files have been looked at, on all cores.
    parallel::map(&files, |file| compilation.findings(*file));
    let of_files = parallel::map(&files, |file| compilation.report(*file));
    let of_files = of_files.into_iter().map(Arc::unwrap_or_clone);
    program.config_reports().iter().cloned().chain(of_files).collect()
}

/// What keeps the files of a compilation from being compiled. Style is not looked at.
pub(crate) fn errors(compilation: &Compilation<'_>) -> Vec<FileReport> {
    let program = compilation.program();
    let files: Vec<FileId> = program.files().filter(|file| program.bicep(*file).is_some()).collect();
    let of_files = parallel::map(&files, |file| {
        let mut report = program.report(*file);
        let values = compilation.parameters(*file);
        report.diagnostics.extend(values.iter().flat_map(|values| values.diagnostics.iter().cloned()));
        report
    });
    let all = program.config_reports().iter().cloned().chain(of_files);
    all.filter_map(|report| {
        let errors = report.diagnostics.into_iter().filter(|it| it.severity == base::Severity::Error);
        let errors: Vec<_> = errors.collect();
        (!errors.is_empty()).then(|| FileReport::new(report.file, errors))
    })
    .collect()
}

/// The date: that of `SOURCE_DATE_EPOCH` where a build must give the same result on every day.
pub(crate) fn today(world: &dyn base::World) -> Option<bicep_lint::Date> {
    const SECONDS_A_DAY: u64 = 24 * 60 * 60;
    let fixed = world.variable("SOURCE_DATE_EPOCH").and_then(|text| text.parse().ok());
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).ok().map(|since| since.as_secs());
    let seconds = fixed.or_else(now)?;
    bicep_lint::Date::from_unix_days((seconds / SECONDS_A_DAY).try_into().ok()?)
}

/// What the results of compilations depend on beside their files.
pub(crate) fn options(session: &Session) -> Arc<Options> {
    let clocks: Clocks = || Arc::new(SystemClock::default());
    Arc::new(Options { generator: generator(session), today: today(&session.world), clocks: Some(clocks) })
}

/// The template of a file, if it is one that anybody could deploy.
pub(crate) fn template(emitter: &Emitter<'_>, file: FileId) -> Result<Arc<Emitted>, Failure> {
    let emitted = emitter.template(file);
    if emitted.is_cut {
        return Err(Failure::endless(emitter.program().unit(file).source().path()));
    }
    Ok(emitted)
}

/// The same as a report.
pub(crate) fn too_large(file: &Arc<SourceFile>) -> FileReport {
    FileReport::new(Arc::clone(file), vec![messages::template_too_large(TOO_LARGE)])
}

/// Who templates are said to be made by: `SINEW_GENERATOR=name@version` decides, else the name of the program.
pub(crate) fn generator(session: &Session) -> Generator {
    use base::World as _;
    let asked = session.world.variable("SINEW_GENERATOR");
    let (name, version) = match asked.as_deref().and_then(|asked| asked.split_once('@')) {
        Some((name, version)) => (name.to_owned(), version.to_owned()),
        None if session.name == Name::Bicep => {
            ("bicep".to_owned(), crate::names::LANGUAGE_VERSION.to_owned())
        }
        None => ("sinew".to_owned(), VERSION.to_owned()),
    };
    Generator { name, version }
}
