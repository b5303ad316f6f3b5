//! What source files refer to outside of the project: programs come in; what they want, where it is kept, and what became
//! of fetching it go out. Nothing is fetched unless somebody asks for it ([`restore`]).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use base::{FileReport, ReadError, SourceFile, TextRange, World};
use bicep_sema::{BicepFile, FileId, Program};
use bicep_syntax::ast::Statement;
use camino::{Utf8Path, Utf8PathBuf};
use config::provider::{self, ProviderSource};
use config::reference::{self, ArtifactKind, Reference};
use config::{Config, Loader};
use registry::{ArtifactRequest, Azure, Cache, Error, Event, LockFile, RegistryWorld, RestoreOptions};

/// Where the artifacts of some files are kept, and what pins their versions.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ArtifactStore {
    cache: Utf8PathBuf,
    lock_file: Utf8PathBuf,
}

impl ArtifactStore {
    /// The store for a source file and its configuration. `None`: there is no home folder to keep anything in.
    pub fn of(source: &Utf8Path, config: &Config, world: &dyn World) -> Option<Self> {
        let cache = registry::home::cache_root(world, config)?;
        Some(Self { cache, lock_file: LockFile::path_for(source, config) })
    }

    /// The folder of what has been restored.
    pub fn cache(&self) -> &Utf8Path {
        &self.cache
    }

    /// The outside with the artifacts of this store; `locked` says whether what is not in the lock file must not be used.
    pub fn world<W: World>(&self, inner: W, locked: bool) -> Result<RegistryWorld<W>, Error> {
        let lock = LockFile::load(self.lock_file.clone())?;
        Ok(RegistryWorld::new(inner, Cache::new(self.cache.clone())).with_lock(lock, locked))
    }
}

/// Entry files by the store of their artifacts. `None`: there is no home folder.
pub fn by_store(
    entries: &[Utf8PathBuf],
    configs: &Loader<'_>,
    world: &dyn World,
) -> Option<BTreeMap<ArtifactStore, Vec<Utf8PathBuf>>> {
    let mut groups: BTreeMap<ArtifactStore, Vec<Utf8PathBuf>> = BTreeMap::new();
    for (folder, store) in stores_of_folders(entries, configs, world) {
        groups.entry(store?).or_default().extend_from_slice(folder);
    }
    Some(groups)
}

/// The store for each folder of entry files. Files of one folder have one, and they mostly stand together.
fn stores_of_folders<'e>(
    entries: &'e [Utf8PathBuf],
    configs: &Loader<'_>,
    world: &dyn World,
) -> impl Iterator<Item = (&'e [Utf8PathBuf], Option<ArtifactStore>)> {
    entries.chunk_by(|a, b| a.parent() == b.parent()).filter_map(|folder| {
        let first = folder.first()?;
        Some((folder, ArtifactStore::of(first, &configs.load_for(first), world)))
    })
}

/// The same for who only reads: a lock file that does not exist pins nothing, so that all files without one share a store. Otherwise every
/// folder without a configuration would be a program of its own.
pub fn by_store_for_reading(
    entries: &[Utf8PathBuf],
    configs: &Loader<'_>,
    world: &dyn World,
) -> Option<BTreeMap<ArtifactStore, Vec<Utf8PathBuf>>> {
    let mut without_lock: BTreeMap<Utf8PathBuf, ArtifactStore> = BTreeMap::new();
    let mut groups: BTreeMap<ArtifactStore, Vec<Utf8PathBuf>> = BTreeMap::new();
    for (folder, store) in stores_of_folders(entries, configs, world) {
        let store = store?;
        let store = match world.read(&store.lock_file) {
            Err(ReadError::NotFound) => without_lock.entry(store.cache.clone()).or_insert(store).clone(),
            _ => store,
        };
        groups.entry(store).or_default().extend_from_slice(folder);
    }
    groups.values_mut().for_each(|entries| entries.sort());
    Some(groups)
}

/// The entry files of a program that need something from outside of the project, directly or not.
pub fn needy_entries(program: &Program<'_>) -> BTreeSet<Utf8PathBuf> {
    let needy: BTreeSet<FileId> = program.files().filter(|file| is_needy(program, *file)).collect();
    if needy.is_empty() {
        return BTreeSet::new();
    }
    let loaded = program.entries().iter().filter_map(|(path, loaded)| Some((path, *loaded.as_ref().ok()?)));
    let needy = loaded.filter(|(_, file)| program.closure(*file).iter().any(|part| needy.contains(part)));
    needy.map(|(path, _)| path.clone()).collect()
}

/// Whether files of a program refer to something outside of the project that is not there.
pub fn has_missing(program: &Program<'_>) -> bool {
    let files = program.files().filter_map(|file| program.bicep(file));
    let mut wanted = files.flat_map(wanted_by).map(|(_, wanted)| wanted);
    wanted.any(|wanted| program.world().artifact(&wanted.name()) == base::Artifact::Missing)
}

fn is_needy(program: &Program<'_>, file: FileId) -> bool {
    program.bicep(file).is_some_and(|file| !wanted_by(file).is_empty())
}

/// How artifacts are fetched.
#[derive(Clone, Copy, Default)]
pub struct RestoreRequest<'a> {
    /// Whether the lock file must not change.
    pub locked: bool,
    /// Whether to fetch what is there already, and to look anew at what tags mean.
    pub force: bool,
    /// Whether the network must not be used.
    pub offline: bool,
    /// Is told what happens.
    pub progress: Option<&'a (dyn Fn(Event<'_>) + Sync)>,
}

/// What became of fetching artifacts.
#[derive(Debug, Default)]
pub struct Restored {
    /// What could not be had, at the statements that want it.
    pub reports: Vec<FileReport>,
    /// The same by reference, with the reason.
    pub failures: BTreeMap<String, String>,
    /// Whether a program that was loaded before may look different now.
    pub has_changed: bool,
}

/// What files want from outside of the project. It keeps nothing of the program it was found in but texts.
#[derive(Default)]
pub struct Demand {
    files: Vec<FileDemand>,
    docker_config: Option<Utf8PathBuf>,
    azure: Option<Azure>,
    /// Whether the store lacked something when the program was loaded.
    has_missing: bool,
}

struct FileDemand {
    source: Arc<SourceFile>,
    wanted: Vec<(TextRange, ArtifactRequest)>,
}

impl Demand {
    /// What some entry files of a program want, and the files they refer to.
    pub fn of<'e>(program: &Program<'_>, entries: impl IntoIterator<Item = &'e Utf8PathBuf>) -> Self {
        let world = program.world();
        let entries = entries.into_iter().filter_map(|entry| program.file_at(entry));
        let parts: BTreeSet<FileId> = entries.flat_map(|entry| program.closure(entry)).copied().collect();
        let mut demand = Self::default();
        for file in parts.iter().filter_map(|part| program.bicep(*part)) {
            let wanted = wanted_by(file);
            if wanted.is_empty() {
                continue;
            }
            demand.azure.get_or_insert_with(|| Azure::of(&file.config.cloud, world));
            demand.has_missing |= wanted
                .iter()
                .any(|(_, wanted)| !matches!(world.artifact(&wanted.name()), base::Artifact::Restored(_)));
            demand.files.push(FileDemand { source: Arc::clone(&file.source), wanted });
        }
        if !demand.files.is_empty() {
            demand.docker_config = registry::docker_config_path(world);
        }
        demand
    }

    /// Adds what other files of the same store want.
    pub fn absorb(&mut self, other: Self) {
        self.files.extend(other.files);
        self.docker_config = self.docker_config.take().or(other.docker_config);
        self.azure = self.azure.take().or(other.azure);
        self.has_missing |= other.has_missing;
    }
}

/// Fetches everything that files want and that is not in their store.
pub fn restore(
    demand: &Demand,
    store: &ArtifactStore,
    request: RestoreRequest<'_>,
) -> Result<Restored, Error> {
    let wanted = demand.files.iter().flat_map(|file| &file.wanted);
    let all: Vec<ArtifactRequest> = wanted.map(|(_, wanted)| wanted.clone()).collect();
    if all.is_empty() {
        return Ok(Restored::default());
    }
    let has_fetched = AtomicBool::new(false);
    let tell = |event: Event<'_>| {
        has_fetched
            .fetch_or(matches!(event, Event::Started { .. } | Event::Damaged { .. }), Ordering::Relaxed);
        request.progress.into_iter().for_each(|progress| progress(event));
    };
    let options = RestoreOptions {
        lock_file: Some(store.lock_file.clone()),
        locked: request.locked,
        force: request.force,
        offline: request.offline,
        docker_config: demand.docker_config.clone(),
        azure: demand.azure.clone(),
        progress: Some(&tell),
        ..RestoreOptions::new(Cache::new(store.cache.clone()))
    };
    let outcomes = registry::restore(&all, &options)?;
    let failed: BTreeMap<&ArtifactRequest, &Error> = outcomes
        .iter()
        .filter_map(|outcome| Some((&outcome.wanted, outcome.result.as_ref().err()?)))
        .collect();
    Ok(Restored {
        reports: demand.files.iter().filter_map(|file| report(file, &failed)).collect(),
        failures: failed.iter().map(|(wanted, error)| (wanted.name(), error.to_string())).collect(),
        has_changed: has_fetched.into_inner() || !failed.is_empty() || demand.has_missing,
    })
}

fn report(file: &FileDemand, failed: &BTreeMap<&ArtifactRequest, &Error>) -> Option<FileReport> {
    let wanted = file.wanted.iter();
    let diagnostics: Vec<_> = wanted
        .filter_map(|(range, wanted)| Some(failed.get(wanted)?.diagnostic(&wanted.name(), *range)))
        .collect();
    (!diagnostics.is_empty()).then(|| FileReport::new(Arc::clone(&file.source), diagnostics))
}

/// What a file wants, with the place that says so. What cannot be read is the compiler's to report.
fn wanted_by(file: &BicepFile) -> Vec<(TextRange, ArtifactRequest)> {
    let modules = file.tree().file().statements().filter_map(|it| module_of(it, &file.config));
    let packages = provider_sources(file).into_iter();
    modules.chain(packages.filter_map(|(range, source)| Some((range, to_wanted(source)?)))).collect()
}

/// Where the types of a file's extensions come from: those that it declares, with the place, and the implicit ones.
pub fn provider_sources(file: &BicepFile) -> Vec<(TextRange, ProviderSource)> {
    let mut sources = Vec::new();
    for statement in file.tree().file().statements() {
        let Statement::Extension(extension) = statement else { continue };
        let source = match (extension.spec_name(), extension.spec_string()) {
            (Some(name), _) => name.text().map(|text| provider::resolve_name(text, &file.config)),
            (None, Some(text)) => {
                text.value().map(|text| provider::resolve_reference(&text, file.folder(), &file.config))
            }
            (None, None) => None,
        };
        let range = extension.spec().unwrap_or(extension.syntax()).range();
        sources.extend(source.and_then(Result::ok).map(|source| (range, source)));
    }
    let implicit = provider::implicit(&file.config).map(|(_, source)| (TextRange::default(), source));
    sources.extend(implicit);
    sources
}

fn module_of(statement: Statement<'_>, config: &Config) -> Option<(TextRange, ArtifactRequest)> {
    let path = bicep_sema::path_of(statement)?;
    let wanted = match reference::parse(&path.value()?, ArtifactKind::Module, config).ok()? {
        Reference::Oci(reference) => ArtifactRequest::Oci(reference, ArtifactKind::Module),
        Reference::TemplateSpec(reference) => ArtifactRequest::TemplateSpec(reference),
        Reference::Local(_) | Reference::Mock(_) => return None,
    };
    Some((path.range(), wanted))
}

fn to_wanted(source: ProviderSource) -> Option<ArtifactRequest> {
    match source {
        ProviderSource::Package(reference) => Some(ArtifactRequest::Oci(reference, ArtifactKind::Extension)),
        ProviderSource::File(path) => Some(ArtifactRequest::Package(path)),
        ProviderSource::System | ProviderSource::Builtin(_) => None,
    }
}
