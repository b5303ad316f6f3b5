//! What source files refer to outside of the project: found in their statements, restored into the cache, reported at
//! the statement when it cannot be had.

use std::collections::BTreeMap;
use std::sync::Mutex;

use base::disk::DiskWorld;
use base::{FileReport, TextRange};
use bicep_sema::{BicepFile, FileId, Program, Setup};
use bicep_syntax::ast::{Statement, Str};
use camino::{Utf8Path, Utf8PathBuf};
use config::Config;
use config::provider::{self, ProviderSource};
use config::reference::{self, ArtifactKind, Reference};
use indicatif::{ProgressBar, ProgressStyle};
use registry::{Azure, Cache, Event, LockFile, Patience, RegistryWorld, RestoreOptions, Wanted};

use crate::failure::Failure;
use crate::session::Session;

/// The arguments that say how artifacts are had, for every command that needs them.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub(crate) struct ArtifactArgs {
    /// Use only what is in the cache: open no connection
    #[arg(long)]
    pub(crate) offline: bool,

    /// Fail when the lock file `sinew.lock.json` would have to change
    #[arg(long)]
    pub(crate) locked: bool,
}

/// Where the artifacts of some files lie and what holds them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    cache: Utf8PathBuf,
    lock_file: Utf8PathBuf,
}

impl Place {
    /// The place for a source file and its configuration.
    pub(crate) fn of(source: &Utf8Path, config: &Config, session: &Session) -> Result<Self, Failure> {
        let cache = registry::home::cache_root(&session.world, config).ok_or_else(Failure::no_home)?;
        Ok(Self { cache, lock_file: LockFile::path_for(source, config) })
    }

    /// The folder of what has been restored.
    pub(crate) fn cache(&self) -> &Utf8Path {
        &self.cache
    }

    /// The outside with the artifacts of this place.
    pub(crate) fn world(&self, args: ArtifactArgs) -> Result<RegistryWorld<DiskWorld>, Failure> {
        let lock = LockFile::load(self.lock_file.clone()).map_err(|error| Failure::artifact(&error))?;
        Ok(RegistryWorld::new(DiskWorld, Cache::new(self.cache.clone())).with_lock(lock, args.locked))
    }
}

/// What could not be had.
#[derive(Debug, Default)]
pub(crate) struct Restored {
    /// At the statements, and what is wrong with configuration files.
    pub(crate) reports: Vec<FileReport>,
    /// By reference, with the reason.
    pub(crate) failures: BTreeMap<String, String>,
}

/// Restores everything that some files and the files they refer to want.
pub(crate) fn restore(
    entries: &[Utf8PathBuf],
    args: ArtifactArgs,
    force: bool,
    session: &Session,
) -> Result<Restored, Failure> {
    let configs = config::Loader::new(&session.world);
    let mut groups: BTreeMap<Place, Vec<Utf8PathBuf>> = BTreeMap::new();
    for entry in entries {
        let place = Place::of(entry, &configs.load_for(entry), session)?;
        groups.entry(place).or_default().push(entry.clone());
    }
    let mut restored = Restored { reports: configs.reports(), ..Restored::default() };
    for (place, entries) in groups {
        let mut group = restore_group(&place, &entries, (args, force), session)?;
        restored.reports.append(&mut group.reports);
        restored.failures.append(&mut group.failures);
    }
    Ok(restored)
}

fn restore_group(
    place: &Place,
    entries: &[Utf8PathBuf],
    (args, force): (ArtifactArgs, bool),
    session: &Session,
) -> Result<Restored, Failure> {
    let world = place.world(args)?;
    let program = Program::load(Setup::new(&world), entries);
    if let Some((path, Err(error))) = program.entries().iter().find(|(_, loaded)| loaded.is_err()) {
        return Err(Failure::unreadable(path, error));
    }
    let files: Vec<_> = program.files().filter_map(|file| program.bicep(file)).collect();
    let wanted: Vec<Vec<_>> = files.iter().map(|file| wanted_by(file)).collect();
    let all: Vec<Wanted> = wanted.iter().flatten().map(|(_, wanted)| wanted.clone()).collect();
    let bar = Bar::new(session);
    let tell = |event: Event<'_>| {
        if let Event::Damaged { reference, reason } = event {
            // Nobody is hindered by it: what cannot be said is left unsaid.
            let _ = session
                .output
                .warning(&format!("{reference} is damaged in the cache and is fetched anew: {reason}"));
        }
        bar.tell(event);
    };
    let options = RestoreOptions {
        lock_file: Some(place.lock_file.clone()),
        locked: args.locked,
        force,
        offline: args.offline,
        patience: Patience::default(),
        docker_config: registry::docker_config_path(&session.world),
        azure: files.first().map(|file| Azure::of(&file.config.cloud, &session.world)),
        progress: Some(&tell),
        ..RestoreOptions::new(Cache::new(place.cache.clone()))
    };
    let outcomes = registry::restore(&all, &options).map_err(|error| Failure::artifact(&error))?;
    bar.finish();
    let failed: BTreeMap<_, _> = outcomes
        .iter()
        .filter_map(|outcome| Some((&outcome.wanted, outcome.result.as_ref().err()?)))
        .collect();
    let failures = failed.iter().map(|(wanted, error)| (wanted.name(), error.to_string()));
    let mut restored = Restored { failures: failures.collect(), ..Restored::default() };
    for (file, wanted) in files.iter().zip(&wanted) {
        let diagnostics: Vec<_> = wanted
            .iter()
            .filter_map(|(range, wanted)| Some(failed.get(wanted)?.diagnostic(&wanted.name(), *range)))
            .collect();
        if !diagnostics.is_empty() {
            restored.reports.push(FileReport::new(std::sync::Arc::clone(&file.source), diagnostics));
        }
    }
    Ok(restored)
}

/// Whether a file wants anything from outside of the project.
pub(crate) fn are_wanted(program: &Program<'_>, file: FileId) -> bool {
    program.bicep(file).is_some_and(|file| !wanted_by(file).is_empty())
}

/// What a file wants, with the place that says so. What cannot be read is the compiler's to report.
fn wanted_by(file: &BicepFile) -> Vec<(TextRange, Wanted)> {
    let modules = file.tree().file().statements().filter_map(|it| module_of(it, &file.config));
    let packages = provider_sources(file).into_iter();
    modules.chain(packages.filter_map(|(range, source)| Some((range, to_wanted(source)?)))).collect()
}

/// Where the types of a file's extensions come from: those that it declares, with the place, and the implicit ones.
pub(crate) fn provider_sources(file: &BicepFile) -> Vec<(TextRange, ProviderSource)> {
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

fn module_of(statement: Statement<'_>, config: &Config) -> Option<(TextRange, Wanted)> {
    let path = path_of(statement)?;
    let wanted = match reference::parse(&path.value()?, ArtifactKind::Module, config).ok()? {
        Reference::Oci(reference) => Wanted::Oci(reference, ArtifactKind::Module),
        Reference::TemplateSpec(reference) => Wanted::TemplateSpec(reference),
        Reference::Local(_) | Reference::Mock(_) => return None,
    };
    Some((path.range(), wanted))
}

/// The text of a statement that refers to another file.
pub(crate) fn path_of(statement: Statement<'_>) -> Option<Str<'_>> {
    match statement {
        Statement::Module(module) => Str::cast(module.path_syntax()),
        Statement::Test(test) => Str::cast(test.path_syntax()),
        Statement::Import(import) => import.path(),
        Statement::Using(using) => using.path(),
        Statement::Extends(extends) => extends.path(),
        _ => None,
    }
}

fn to_wanted(source: ProviderSource) -> Option<Wanted> {
    match source {
        ProviderSource::Package(reference) => Some(Wanted::Oci(reference, ArtifactKind::Extension)),
        ProviderSource::File(path) => Some(Wanted::Package(path)),
        ProviderSource::System | ProviderSource::Builtin(_) => None,
    }
}

/// A progress bar, where somebody can see it.
pub(crate) struct Bar(Option<Mutex<ProgressBar>>);

impl Bar {
    pub(crate) fn new(session: &Session) -> Self {
        if !session.output.is_terminal {
            return Self(None);
        }
        let bar = ProgressBar::new(0);
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {bytes}/{total_bytes} {msg}") {
            bar.set_style(style);
        }
        Self(Some(Mutex::new(bar)))
    }

    pub(crate) fn tell(&self, event: Event<'_>) {
        let Some(Ok(bar)) = self.0.as_ref().map(Mutex::lock) else { return };
        match event {
            Event::Started { reference, bytes } => {
                bar.inc_length(bytes);
                bar.set_message(reference.to_owned());
            }
            Event::Received { bytes, .. } => bar.set_position(bar.position().saturating_add_signed(bytes)),
            Event::Damaged { .. } | Event::Finished { .. } => {}
        }
    }

    pub(crate) fn finish(&self) {
        if let Some(Ok(bar)) = self.0.as_ref().map(Mutex::lock) {
            bar.finish_and_clear();
        }
    }
}
