//! `sinew types pack` and `sinew types install`: packages come in, catalogues go out.

use bicep_types::Catalogue;
use camino::{Utf8Path, Utf8PathBuf};
use config::reference::{self, ArtifactKind, Reference};
use registry::types::{Packed, pack_archive, pack_folder};
use registry::{Cache, Mapped, RestoreOptions, Wanted};

use super::Package;
use crate::catalogue;
use crate::failure::Failure;
use crate::session::{Outcome, Session, Status};
use crate::write;

/// How a catalogue is installed.
pub(super) struct Installing<'a> {
    /// The name, if the package should not choose it.
    pub(super) name: Option<&'a str>,
    /// Whether the network must not be used.
    pub(super) offline: bool,
}

pub(super) fn pack(package: &Package, output: &Utf8Path, session: &Session) -> Outcome {
    let path = Utf8Path::new(&package.input);
    let packed = pack_path(path, package.package.as_deref())?;
    finish(&packed, path, session, |bytes| {
        write::write_bytes(output, bytes)?;
        Ok(format!("`{output}`"))
    })
}

pub(super) fn install(package: &Package, how: &Installing<'_>, session: &Session) -> Outcome {
    let input = package.input.as_str();
    let path = Utf8Path::new(input);
    let packed = if input.starts_with("br:") || input.starts_with("br/") {
        pack_artifact(input, how.offline, session)?
    } else if let Some(bytes) = ready_catalogue(path)? {
        Packed { bytes, problems: Vec::new() }
    } else {
        pack_path(path, package.package.as_deref())?
    };
    finish(&packed, path, session, |bytes| {
        let catalogue = Catalogue::open(bytes.to_vec()).map_err(|error| Failure::catalogue(path, &error))?;
        catalogue.verify().map_err(|error| Failure::catalogue(path, &error))?;
        let name = match how.name {
            Some(name) => name.to_owned(),
            None => own_name(&catalogue).ok_or_else(|| Failure::nameless_package(input))?,
        };
        if !is_name(&name) {
            return Err(Failure::bad_catalogue_name(&name));
        }
        let place = catalogue::place_of(&name, &session.world)?;
        write::write_bytes(&place, bytes)?;
        Ok(format!("`{place}`"))
    })
}

/// Reports what is wrong with a package, and lets what is sound be written.
fn finish(
    packed: &Packed,
    input: &Utf8Path,
    session: &Session,
    write: impl FnOnce(&[u8]) -> Result<String, Failure>,
) -> Outcome {
    catalogue::report_problems(packed, input, session)?;
    if packed.error().is_some() {
        return Ok(Status::Findings);
    }
    let catalogue =
        Catalogue::open(packed.bytes.clone()).map_err(|error| Failure::catalogue(input, &error))?;
    let count = catalogue.info().map_err(|error| Failure::catalogue(input, &error))?.resource_count;
    let place = write(&packed.bytes)?;
    let size = packed.bytes.len().div_ceil(1000);
    session.output.talk(&format!("{count} resource types, {size} kB: {place}\n"))?;
    Ok(Status::Clean)
}

fn pack_path(path: &Utf8Path, package: Option<&Utf8Path>) -> Result<Packed, Failure> {
    let failed = |error: registry::Error| match error {
        registry::Error::SeveralPackages(folders) => Failure::several_packages(path, &folders),
        error => Failure::package(path, &error),
    };
    let origin = path.file_name().unwrap_or(path.as_str());
    if path.is_dir() {
        let folder = package.map_or_else(|| path.to_owned(), |package| path.join(package));
        return pack_folder(&folder, origin).map_err(failed);
    }
    if path.file_name() == Some(bicep_types::catalogue::INDEX) {
        let folder = path.parent().filter(|folder| *folder != "").unwrap_or(Utf8Path::new("."));
        return pack_folder(folder, origin).map_err(failed);
    }
    let bytes = map(path)?;
    pack_archive(bytes.as_ref(), package, origin).map_err(failed)
}

/// The bytes of a file that is a catalogue already.
fn ready_catalogue(path: &Utf8Path) -> Result<Option<Vec<u8>>, Failure> {
    if path.is_dir() {
        return Ok(None);
    }
    let bytes = map(path)?;
    let is_catalogue =
        path.extension() == Some(registry::home::CATALOGUE) || Catalogue::is_start_of(bytes.as_ref());
    Ok(is_catalogue.then(|| bytes.as_ref().to_vec()))
}

fn map(path: &Utf8Path) -> Result<Mapped, Failure> {
    Mapped::open(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Failure::unreadable(path, &base::ReadError::NotFound),
        _ => Failure::unreadable(path, &base::ReadError::Other(error.to_string())),
    })
}

/// Fetches a package from a registry and packs it.
fn pack_artifact(text: &str, offline: bool, session: &Session) -> Result<Packed, Failure> {
    let here = session.absolute(Utf8Path::new("main.bicep"))?;
    let config = config::load_for(&session.world, &here).0;
    let reference = match reference::parse(text, ArtifactKind::Extension, &config) {
        Ok(Reference::Oci(reference)) => reference,
        Ok(_) => return Err(Failure::bad_reference(text, "it does not lead to a registry")),
        Err(problem) => return Err(Failure::bad_reference(text, &problem.message)),
    };
    let cache = Cache::new(registry::home::cache_root(&session.world, &config).ok_or_else(Failure::no_home)?);
    let options = RestoreOptions {
        offline,
        docker_config: registry::docker_config_path(&session.world),
        ..RestoreOptions::new(cache.clone())
    };
    let name = reference.to_string();
    let failed = |error: &registry::Error| Failure::not_installed(&name, error);
    let wanted = [Wanted::Oci(reference, ArtifactKind::Extension)];
    let outcomes = registry::restore(&wanted, &options).map_err(|error| failed(&error))?;
    let outcome = outcomes.into_iter().next().map(|outcome| outcome.result);
    let stored = outcome.unwrap_or(Err(registry::Error::NotFound)).map_err(|error| failed(&error))?;
    let types: Utf8PathBuf = stored.folder.join(registry::manifest::TYPES);
    let bytes =
        cache.read(&types).unwrap_or(Err(registry::Error::NotFound)).map_err(|error| failed(&error))?;
    pack_archive(&bytes, None, &name).map_err(|error| failed(&error))
}

/// The name that a package has in the configuration.
fn own_name(catalogue: &Catalogue) -> Option<String> {
    let settings = catalogue.settings().ok()??;
    Some(match &*settings.name {
        "AzureResourceManager" => "az".to_owned(),
        "Kubernetes" => "kubernetes".to_owned(),
        other => other.to_owned(),
    })
}

/// Whether a name can be that of a file everywhere.
fn is_name(name: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.len() <= 64 && name.chars().all(is_letter)
}
