//! Installing catalogues of types: a name comes in, a file in the user's folder goes out. `sinew types install` asks for
//! it, and so does a command that needs types and finds none ([`install_missing`]).

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bicep_sema::{BicepFile, Program};
use bicep_syntax::ast::Statement;
use bicep_types::Catalogue;
use camino::{Utf8Path, Utf8PathBuf};
use config::Config;
use config::provider::{self, Builtin, ProviderSource};
use config::reference::OciReference;
use registry::published::{self, Mirror, Published, Source};
use registry::types::{Packed, pack_archive, pack_folder};
use registry::{Cache, Event, Mapped, RestoreOptions};

use crate::artifacts::Bar;
use crate::catalogue;
use crate::compile::CompileArgs;
use crate::failure::Failure;
use crate::project_settings;
use crate::session::Session;
use crate::write;

/// The names that this process has tried to get types for: each is tried once.
#[derive(Debug, Default)]
pub(crate) struct Attempts(Mutex<BTreeSet<&'static str>>);

/// Gets the types that the files of a program need and that are not installed, as far as that is allowed. What cannot be
/// had is said once; the program is compiled all the same.
pub(crate) fn install_missing(
    program: &Program<'_>,
    args: CompileArgs,
    session: &Session,
) -> Result<(), Failure> {
    if args.no_restore || args.artifacts.offline {
        return Ok(());
    }
    let files = program.files().filter_map(|file| program.bicep(file)).filter(|file| has_resources(file));
    let needed: BTreeSet<Builtin> = files.flat_map(builtins_of).collect();
    for name in needed.into_iter().map(Builtin::name) {
        if catalogue::is_installed(name, &session.world) {
            continue;
        }
        // Held while types are fetched, so that programs side by side wait for them instead of fetching them too.
        let mut tried = session.type_attempts.0.lock().unwrap_or_else(PoisonError::into_inner);
        if tried.insert(name)
            && let Some(published) = published::find(name)
        {
            install_quietly(published, session)?;
        }
    }
    Ok(())
}

/// Whether a file declares resources or takes types from them.
fn has_resources(file: &BicepFile) -> bool {
    let mut statements = file.tree().file().statements();
    statements.any(|statement| matches!(statement, Statement::Resource(_)))
        || ["resourceInput<", "resourceOutput<"].iter().any(|name| file.source.text().contains(name))
}

fn builtins_of(file: &BicepFile) -> Vec<Builtin> {
    let sources = project::artifacts::provider_sources(file).into_iter().map(|(_, source)| source);
    let builtins = sources.filter_map(|source| match source {
        ProviderSource::Builtin(builtin) => Some(builtin),
        _ => None,
    });
    builtins.collect()
}

/// How long a command waits for a registry that nobody asked for.
const PATIENCE: Duration = Duration::from_secs(2);

fn install_quietly(published: &Published, session: &Session) -> Result<(), Failure> {
    let Ok(Some(source)) = published.source(&configured_mirror()) else { return Ok(()) };
    if published::recent_failure(&session.world, &source).is_some() {
        return Ok(());
    }
    match get(&source, &Getting { limit: Some(PATIENCE), offline: false }, session) {
        Ok(packed) => {
            let (place, count) = put(published.name, &packed.bytes, session)?;
            let (count, title) = (counted(count), published.title);
            session.output.talk(&format!("Installed {count} of {title}: `{place}`\n"))
        }
        // What a build cannot do is not remembered: another one may be able to.
        Err(error @ registry::Error::NoNetwork) => session.output.warning(&not_fetchable(published, &error)),
        Err(error) => {
            published::remember_failure(&session.world, &source, &error);
            session.output.warning(&not_fetched(published, &error))
        }
    }
}

fn not_fetched(published: &Published, error: &registry::Error) -> String {
    let Published { name, title, .. } = published;
    format!(
        "the resource types of {title} could not be fetched: {error}\n  \
         the next attempt is in ten minutes; `sinew types install {name}` tries now, `--offline` never"
    )
}

fn not_fetchable(published: &Published, error: &registry::Error) -> String {
    format!(
        "the resource types of {title} are not installed: {error}\n  \
         `sinew types install FILE` takes them from a file; with `--offline` nobody asks for them",
        title = published.title
    )
}

/// Where the types of a name come from: what the configuration of a folder says, else the mirror, else the registry that
/// they are published in.
pub(crate) fn source_of(published: &Published, config: &Config) -> Result<Source, Failure> {
    match provider::resolve_name(published.name, config) {
        Ok(ProviderSource::Package(reference)) => return Ok(Source::Registry(reference)),
        Ok(ProviderSource::File(path)) => return Ok(Source::File(path)),
        Ok(ProviderSource::System | ProviderSource::Builtin(_)) | Err(_) => {}
    }
    let mirror = configured_mirror();
    let found = published.source(&mirror).map_err(|error| Failure::artifact(&error))?;
    found.ok_or_else(|| Failure::not_in_mirror(published.name, &mirror))
}

/// Where the project and the environment say that published types are fetched from.
fn configured_mirror() -> Mirror {
    let configured = project_settings::get("types.mirror");
    Mirror::of(configured.and_then(|setting| setting.values.first()).map(String::as_str))
}

/// How types are had.
pub(crate) struct Getting {
    /// After which time a registry that does not answer is given up; none for the usual patience.
    pub(crate) limit: Option<Duration>,
    /// Whether the network must not be used.
    pub(crate) offline: bool,
}

/// The catalogue of a source, checked, with what is wrong with the package.
pub(crate) fn get(source: &Source, how: &Getting, session: &Session) -> Result<Packed, registry::Error> {
    match source {
        Source::File(path) => pack_path(path, None),
        Source::Registry(reference) => fetch(reference, how, session),
    }
}

fn fetch(reference: &OciReference, how: &Getting, session: &Session) -> Result<Packed, registry::Error> {
    let options = options(how.offline, session);
    if let Some(limit) = how.limit {
        published::probe(reference, limit, &options)?;
    }
    let bar = Bar::new(session);
    let tell = |event: Event<'_>| bar.tell(event);
    let packed = published::fetch(reference, &RestoreOptions { progress: Some(&tell), ..options });
    bar.finish();
    packed
}

/// How registries are asked for types: with the cache of the current folder.
pub(crate) fn options(offline: bool, session: &Session) -> RestoreOptions<'static> {
    let root = registry::home::cache_root(&session.world, &here(session));
    // Without a home there is nothing to keep.
    let temporary = || Utf8PathBuf::from(std::env::temp_dir().to_string_lossy().as_ref()).join("sinew-cache");
    RestoreOptions {
        offline,
        docker_config: registry::docker_config_path(&session.world),
        ..RestoreOptions::new(Cache::new(root.unwrap_or_else(temporary)))
    }
}

/// The configuration of the current folder.
pub(crate) fn here(session: &Session) -> Arc<Config> {
    let path = session.absolute(Utf8Path::new("main.bicep")).unwrap_or_else(|_| "main.bicep".into());
    config::load_for(&session.world, &path).0
}

/// The catalogue of a package in a folder or a file, which may be a catalogue already.
pub(crate) fn pack_path(path: &Utf8Path, package: Option<&Utf8Path>) -> Result<Packed, registry::Error> {
    let origin = path.file_name().unwrap_or(path.as_str());
    if path.is_dir() {
        let folder = package.map_or_else(|| path.to_owned(), |package| path.join(package));
        return pack_folder(&folder, origin);
    }
    if path.file_name() == Some(bicep_types::catalogue::INDEX) {
        let folder = path.parent().filter(|folder| *folder != "").unwrap_or(Utf8Path::new("."));
        return pack_folder(folder, origin);
    }
    let bytes = Mapped::open(path).map_err(|error| registry::Error::Disk { path: path.to_owned(), error })?;
    let is_catalogue =
        path.extension() == Some(registry::home::CATALOGUE) || Catalogue::is_start_of(bytes.as_ref());
    match is_catalogue {
        true => Ok(Packed { bytes: bytes.as_ref().to_vec(), problems: Vec::new() }),
        false => pack_archive(bytes.as_ref(), package, origin),
    }
}

/// Puts a catalogue in place in one step, after a look at all of it; gives its file and the number of its types.
pub(crate) fn put(name: &str, bytes: &[u8], session: &Session) -> Result<(Utf8PathBuf, usize), Failure> {
    if !is_name(name) {
        return Err(Failure::bad_catalogue_name(name));
    }
    let place = catalogue::place_of(name, &session.world)?;
    let damaged = |error: &dyn std::fmt::Display| Failure::catalogue(&place, error);
    let catalogue = Catalogue::open(bytes.to_vec()).map_err(|error| damaged(&error))?;
    catalogue.verify().map_err(|error| damaged(&error))?;
    let count = catalogue.info().map_err(|error| damaged(&error))?.resource_count;
    write::write_bytes(&place, bytes)?;
    Ok((place, count))
}

/// So many resource types.
pub(crate) fn counted(count: usize) -> String {
    let word = if count == 1 { "type" } else { "types" };
    format!("{count} resource {word}")
}

/// Whether a name can be that of a file everywhere.
fn is_name(name: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.len() <= 64 && name.chars().all(is_letter)
}
