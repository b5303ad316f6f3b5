//! Compilations as commands work with them: entry files come in; what they refer to is fetched, and compilations go out,
//! looked at on all cores.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use base::disk::{DiskWorld, SystemClock};
use base::{FileReport, OverlayWorld, SourceFile};
use bicep_emit::validation::Clocks;
use bicep_emit::{Emitted, Emitter, Generator, TOO_LARGE};
use bicep_sema::memo::{TemplateMemo, Texts};
use bicep_sema::{FileId, Program, Setup};
use camino::{Utf8Path, Utf8PathBuf};
use config::Loader;
use project::artifacts::{ArtifactStore, Demand, by_store, needy_entries};
use project::{Compilation, Options};
use registry::RegistryWorld;

use crate::artifacts::{self, ArtifactArgs, RestoreOptions};
use crate::catalogue::Types;
use crate::failure::Failure;
use crate::messages;
use crate::names::Name;
use crate::parallel::Portions;
use crate::session::Session;
use crate::{VERSION, parallel, type_install};

/// The arguments that say how programs are loaded.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct CompileArgs {
    /// Do not download missing modules, extensions and types
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
    let configs = Loader::new(&session.world);
    let store = artifacts::store_of(entry, &configs.load_for(entry), session)?;
    let group = Group { store, entries: vec![entry.to_owned()] };
    group.run(&Loading::new(None, args, session).with_configs(configs), work)
}

/// Loads entry files and does the work for each of their compilations, on all cores; the results are in their order.
///
/// All files that need nothing from outside of the project are one compilation, so that each module is looked at once.
/// Those that do are one for each lock file.
pub(crate) fn map_compilations<T: Send>(
    entries: &[Utf8PathBuf],
    replaced: Option<Replaced<'_>>,
    args: CompileArgs,
    session: &Session,
    work: impl Fn(&Compilation<'_>) -> Result<T, Failure> + Sync,
) -> Result<Vec<T>, Failure> {
    let configs = Loader::new(&session.world);
    let stores = stores(entries, &configs, session)?;
    let Some(store) = stores.keys().next().cloned() else { return Ok(Vec::new()) };
    let loading = Loading::new(replaced, args, session);
    let whole = Group { store, entries: entries.to_vec() };
    if stores.len() == 1 {
        return Ok(vec![whole.run(&loading.with_configs(configs), work)?]);
    }
    let tried = whole.load(&loading, BTreeMap::new(), |compilation| {
        let wanted = Wanted::of(compilation.program(), &entry_stores(&stores));
        if wanted.needy.is_empty() {
            return work(compilation).map(Ok);
        }
        let failures = wanted.fetch(&loading)?;
        Ok(Err((wanted.needy, failures)))
    })?;
    let (needy, failures) = match tried? {
        Ok(done) => return Ok(vec![done]),
        Err(fetched) => fetched,
    };
    let groups = split(stores, &needy);
    let results = parallel::map(&groups, |group| group.load(&loading, failures.clone(), &work)?);
    results.into_iter().collect()
}

/// The same for work that gives reports and nothing that compilations have to be kept for: they are made of so many files
/// at a time, and let go of. Memory does not grow with the number of files then, but for their reports and the interfaces
/// of the templates they refer to.
pub(crate) fn map_batches<T: Send>(
    entries: &[Utf8PathBuf],
    replaced: Option<Replaced<'_>>,
    args: CompileArgs,
    session: &Session,
    work: impl Fn(&Compilation<'_>) -> Result<T, Failure> + Sync,
) -> Result<Vec<T>, Failure> {
    if entries.len() <= BATCH {
        return map_compilations(entries, replaced, args, session, work);
    }
    let configs = Arc::new(Loader::new(&session.world));
    let stores = stores(entries, &configs, session)?;
    let Some(store) = stores.keys().next().cloned() else { return Ok(Vec::new()) };
    let whole = Group { store, entries: entries.to_vec() };
    // Texts are not shared: a file is let go of with its batch.
    let loading = || Loading { configs: Some(Arc::clone(&configs)), ..Loading::new(replaced, args, session) };
    let (groups, failures) = if args.no_restore && stores.len() == 1 {
        (vec![whole], BTreeMap::new())
    } else {
        // Everything that is missing is fetched before anything is checked.
        let wanted = wanted(&whole, &entry_stores(&stores), loading)?;
        let failures = wanted.fetch(&loading())?;
        let needy = wanted.needy;
        (split(stores, &needy), failures)
    };
    let shared: Vec<Shared<'_>> = groups.iter().map(|group| Shared::new(group, &failures)).collect();
    let batches: Vec<Batch<'_, '_>> = shared.iter().flat_map(Shared::batches).collect();
    let results = in_turns(&batches, |batch| batch.load(&loading(), &work)?);
    results.into_iter().collect()
}

/// What the files of a group want from outside of the project. They are looked at in batches, too.
fn wanted<'s, 'l>(
    group: &Group,
    stores: &EntryStores<'s>,
    loading: impl Fn() -> Loading<'l> + Sync,
) -> Result<Wanted<'s>, Failure> {
    let none = BTreeMap::new();
    let shared = Shared::new(group, &none);
    let batches: Vec<Batch<'_, '_>> = shared.batches().collect();
    let found = in_turns(&batches, |batch| {
        batch.load(&loading(), |compilation| Wanted::of(compilation.program(), stores))
    });
    let mut all = Wanted::default();
    for wanted in found {
        all.absorb(wanted?);
    }
    Ok(all)
}

/// How many files are compiled together, about. What is known of a file takes 170 KB on average.
const BATCH: usize = 64;

/// How many batches are in work at a time, at most: more cores than these share the work within batches.
const AT_ONCE: usize = 8;

/// Some files of a group.
struct Batch<'g, 'a> {
    shared: &'g Shared<'a>,
    entries: &'g [Utf8PathBuf],
}

impl Batch<'_, '_> {
    fn load<T>(&self, loading: &Loading<'_>, work: impl FnOnce(&Compilation<'_>) -> T) -> Result<T, Failure> {
        self.shared.outside(loading.args.artifacts)?.load(self.entries, loading, work)
    }
}

/// Does the work for all batches, so many at a time.
fn in_turns<T: Send>(batches: &[Batch<'_, '_>], work: impl Fn(&Batch<'_, '_>) -> T + Sync) -> Vec<T> {
    Portions { all: batches, at_once: AT_ONCE, files: |batch| batch.entries.len() }.map(work)
}

/// A group of which several batches are compiled.
struct Shared<'a> {
    group: &'a Group,
    failures: &'a BTreeMap<String, String>,
    batches: Vec<&'a [Utf8PathBuf]>,
    outside: Mutex<SharedOutside>,
}

/// Lives as long as one of its batches is in work: resource types that were looked into take memory.
#[derive(Default)]
struct SharedOutside {
    known: Option<Arc<Outside>>,
    /// How many batches have asked for it.
    asked: usize,
}

impl<'a> Shared<'a> {
    fn new(group: &'a Group, failures: &'a BTreeMap<String, String>) -> Self {
        Self { group, failures, batches: batches(&group.entries), outside: Mutex::default() }
    }

    fn batches(&self) -> impl Iterator<Item = Batch<'_, 'a>> {
        self.batches.iter().map(|entries| Batch { shared: self, entries })
    }

    /// The outside of the group: the batch that asks first makes it, the one that asks last takes it along.
    fn outside(&self, args: ArtifactArgs) -> Result<Arc<Outside>, Failure> {
        let mut shared = self.outside.lock().unwrap_or_else(PoisonError::into_inner);
        let outside = match shared.known.take() {
            Some(known) => known,
            None => Arc::new(Outside::new(&self.group.store, args, self.failures.clone())?),
        };
        shared.asked += 1;
        if shared.asked < self.batches.len() {
            shared.known = Some(Arc::clone(&outside));
        }
        Ok(outside)
    }
}

/// The files in batches. They end where one path has least in common with the next, since files that refer to each other
/// lie close to each other.
fn batches(entries: &[Utf8PathBuf]) -> Vec<&[Utf8PathBuf]> {
    let mut batches = Vec::new();
    let mut rest = entries;
    while rest.len() > BATCH {
        let in_common = |at: &usize| {
            let (before, after) = (rest.get(at - 1), rest.get(*at));
            let pairs = before.into_iter().flatten().zip(after.into_iter().flatten());
            (pairs.take_while(|(a, b)| a == b).count(), BATCH - at)
        };
        let end = (BATCH / 2..=BATCH).min_by_key(in_common).unwrap_or(BATCH);
        let (batch, after) = rest.split_at(end);
        batches.push(batch);
        rest = after;
    }
    batches.push(rest);
    batches
}

/// The reports of several compilations as those of one: configuration files first, then the entry files in their order,
/// then what they refer to. What several compilations have looked at is there once.
pub(crate) fn joined(parts: Vec<Vec<FileReport>>, entries: &[Utf8PathBuf]) -> Vec<FileReport> {
    if parts.len() == 1 {
        return parts.into_iter().flatten().collect();
    }
    let positions: BTreeMap<&Utf8Path, usize> =
        entries.iter().enumerate().rev().map(|(position, path)| (path.as_path(), position)).collect();
    let mut joined: BTreeMap<ReportPosition, FileReport> = BTreeMap::new();
    let mut others: BTreeSet<Utf8PathBuf> = BTreeSet::new();
    for report in parts.into_iter().flatten() {
        let path = report.file.path();
        let position = if let Some(position) = positions.get(path) {
            ReportPosition::Entry(*position)
        } else if !is_bicep(path) {
            // Nothing else is reported on but configuration files and those that they extend.
            ReportPosition::Configuration(path.to_owned())
        } else if others.insert(path.to_owned()) {
            ReportPosition::Other(others.len())
        } else {
            continue;
        };
        joined.entry(position).or_insert(report);
    }
    joined.into_values().collect()
}

fn is_bicep(path: &Utf8Path) -> bool {
    let is = |extension: &str| ["bicep", "bicepparam"].iter().any(|it| it.eq_ignore_ascii_case(extension));
    path.extension().is_some_and(is)
}

/// Where a report stands among those of all files.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ReportPosition {
    Configuration(Utf8PathBuf),
    Entry(usize),
    Other(usize),
}

/// The entry files by where their artifacts are kept.
fn stores(
    entries: &[Utf8PathBuf],
    configs: &Loader<'_>,
    session: &Session,
) -> Result<BTreeMap<ArtifactStore, Vec<Utf8PathBuf>>, Failure> {
    by_store(entries, configs, &session.world).ok_or_else(Failure::no_home)
}

/// The store of each entry file.
type EntryStores<'s> = BTreeMap<&'s Utf8Path, &'s ArtifactStore>;

fn entry_stores(stores: &BTreeMap<ArtifactStore, Vec<Utf8PathBuf>>) -> EntryStores<'_> {
    let entries = stores.iter().flat_map(|(store, entries)| entries.iter().map(move |entry| (entry, store)));
    entries.map(|(entry, store)| (entry.as_path(), store)).collect()
}

/// What files want from outside of the project.
#[derive(Default)]
struct Wanted<'s> {
    /// The entry files that refer to artifacts.
    needy: BTreeSet<Utf8PathBuf>,
    /// What they refer to, by where it is kept.
    demands: BTreeMap<&'s ArtifactStore, Demand>,
}

impl<'s> Wanted<'s> {
    fn of(program: &Program<'_>, stores: &EntryStores<'s>) -> Self {
        let needy = needy_entries(program);
        let mut by_store: BTreeMap<&ArtifactStore, Vec<&Utf8PathBuf>> = BTreeMap::new();
        for entry in &needy {
            if let Some(store) = stores.get(entry.as_path()) {
                by_store.entry(store).or_default().push(entry);
            }
        }
        let demand = |(store, entries)| (store, Demand::of(program, entries));
        let demands = by_store.into_iter().map(demand).collect();
        Self { needy, demands }
    }

    fn absorb(&mut self, other: Self) {
        self.needy.extend(other.needy);
        for (store, demand) in other.demands {
            self.demands.entry(store).or_default().absorb(demand);
        }
    }

    /// Fetches what is not there, unless nothing is to be fetched. Gives the reasons why artifacts could not be had.
    fn fetch(&self, loading: &Loading<'_>) -> Result<BTreeMap<String, String>, Failure> {
        let mut failures = BTreeMap::new();
        if loading.args.no_restore {
            return Ok(failures);
        }
        let options = RestoreOptions { artifacts: loading.args.artifacts, force: false };
        for (store, demand) in &self.demands {
            failures.extend(artifacts::restore(demand, store, options, loading.session)?.failures);
        }
        Ok(failures)
    }
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
    /// The configurations that are known, if all that they report belongs to the files that are loaded.
    configs: Option<Arc<Loader<'a>>>,
}

impl<'a> Loading<'a> {
    fn new(replaced: Option<Replaced<'a>>, args: CompileArgs, session: &'a Session) -> Self {
        Self { replaced, args, session, options: options(session), texts: Arc::default(), configs: None }
    }

    fn with_configs(self, configs: Loader<'a>) -> Self {
        Self { configs: Some(Arc::new(configs)), ..self }
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
            let restored = artifacts::restore(
                &Demand::of(compilation.program(), &self.entries),
                &self.store,
                RestoreOptions { artifacts: args.artifacts, force: false },
                session,
            )?;
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
        Outside::new(&self.store, loading.args.artifacts, failures)?.load(&self.entries, loading, work)
    }
}

/// What compilations of files with the same store share.
struct Outside {
    world: Arc<RegistryWorld<DiskWorld>>,
    types: Types<Arc<RegistryWorld<DiskWorld>>>,
    templates: Arc<TemplateMemo>,
}

impl Outside {
    /// The outside with the artifacts of a store. What could not be fetched comes with the reason.
    fn new(
        store: &ArtifactStore,
        args: ArtifactArgs,
        failures: BTreeMap<String, String>,
    ) -> Result<Self, Failure> {
        let world = Arc::new(artifacts::world_of(store, args)?.with_failures(failures));
        Ok(Self { types: Types::new(Arc::clone(&world)), world, templates: Arc::default() })
    }

    fn load<T>(
        &self,
        entries: &[Utf8PathBuf],
        loading: &Loading<'_>,
        work: impl FnOnce(&Compilation<'_>) -> T,
    ) -> Result<T, Failure> {
        let Loading { replaced, args, session, .. } = *loading;
        let world = &*self.world;
        let overlay = replaced.map(|Replaced { path, text }| OverlayWorld::new(world, [(path, text)]));
        let seen: &dyn base::World = overlay.as_ref().map_or(world, |overlay| overlay);
        let mut setup = Setup::new(seen)
            .with_types(&self.types)
            .with_texts(Arc::clone(&loading.texts))
            .with_templates(Arc::clone(&self.templates));
        if let Some(configs) = &loading.configs {
            setup = setup.with_configs(Arc::clone(configs));
        }
        let compilation = Compilation::load(setup, entries, Arc::clone(&loading.options));
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

/// The files of a program that can be compiled: neither they, nor anything they refer to, nor their configuration has
/// errors.
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
        let is_bad = |part: FileId| {
            let mut settings = self.program.bicep(part).into_iter().flat_map(|it| it.config.files());
            self.bad.contains(self.program.unit(part).source().path())
                || settings.any(|settings| self.bad.contains(settings.path()))
        };
        self.bad.is_empty() || !self.program.closure(file).iter().any(|part| is_bad(*part))
    }
}

/// What is wrong with the files of a compilation, in the order in which they were found.
pub(crate) fn reports(compilation: &Compilation<'_>) -> Vec<FileReport> {
    let mut reports = compilation.program().config_reports().to_vec();
    reports.extend(reports_without_configs(compilation));
    reports
}

/// The same without what is wrong with configuration files.
pub(crate) fn reports_without_configs(compilation: &Compilation<'_>) -> Vec<FileReport> {
    let program = compilation.program();
    let files: Vec<FileId> = program.files().filter(|file| program.bicep(*file).is_some()).collect();
    // Whether there are validators is known when all files have been looked at, on all cores.
    parallel::map(&files, |file| compilation.findings(*file));
    let of_files = parallel::map(&files, |file| compilation.report(*file));
    of_files.into_iter().map(Arc::unwrap_or_clone).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_end_between_folders() {
        let module =
            |number: usize| (0..7).map(move |file| format!("/library/module{number:03}/sub/{file}.bicep"));
        let entries: Vec<Utf8PathBuf> = (0..200).flat_map(module).map(Utf8PathBuf::from).collect();
        let batches = batches(&entries);
        assert_eq!(batches.concat(), entries);
        assert!(batches.len() > 4);
        for batch in batches {
            assert!(batch.len() <= BATCH);
            assert_eq!(batch.len() % 7, 0, "a folder is torn apart");
        }
    }

    #[test]
    fn joined_reports_are_in_the_order_of_the_files() {
        let report = |path: &str| FileReport::new(SourceFile::new(path, ""), Vec::new());
        let reports = |paths: &[&str]| paths.iter().map(|path| report(path)).collect::<Vec<_>>();
        let entries = ["/b.bicep", "/a.bicep", "/c.bicep"].map(Utf8PathBuf::from);
        let first = reports(&["/z/bicepconfig.json", "/b.bicep", "/a.bicep", "/other.bicep"]);
        let second = reports(&[
            "/bicepconfig.json",
            "/z/bicepconfig.json",
            "/c.bicep",
            "/a.bicep",
            "/other.bicep",
            "/more.bicep",
        ]);
        let joined = joined(vec![second, first], &entries);
        let paths: Vec<&str> = joined.iter().map(|report| report.file.path().as_str()).collect();
        let expected = [
            "/bicepconfig.json",
            "/z/bicepconfig.json",
            "/b.bicep",
            "/a.bicep",
            "/c.bicep",
            "/other.bicep",
            "/more.bicep",
        ];
        assert_eq!(paths, expected);
    }
}
