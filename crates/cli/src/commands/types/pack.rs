//! `sinew types pack` and `sinew types install`: packages come in, catalogues go out.

use bicep_types::Catalogue;
use camino::Utf8Path;
use config::reference::{self, ArtifactKind, Reference};
use registry::published::{self, Source};
use registry::types::Packed;

use super::{InstallArgs, Package};
use crate::catalogue;
use crate::failure::Failure;
use crate::session::{Outcome, Session, Status};
use crate::type_install::{self, Getting};
use crate::write;

pub(super) fn pack(package: &Package, output: &Utf8Path, session: &Session) -> Outcome {
    let path = Utf8Path::new(&package.input);
    let packed = pack_path(path, package.package.as_deref())?;
    if is_unsound(&packed, path, session)? {
        return Ok(Status::Findings);
    }
    let catalogue =
        Catalogue::open(packed.bytes.clone()).map_err(|error| Failure::catalogue(path, &error))?;
    let count = catalogue.info().map_err(|error| Failure::catalogue(path, &error))?.resource_count;
    write::write_bytes(output, &packed.bytes)?;
    say(count, packed.bytes.len(), output, session)?;
    Ok(Status::Clean)
}

pub(super) fn install(args: &InstallArgs, session: &Session) -> Outcome {
    if let Some(from) = &args.from {
        let name = args.name.as_deref().or(args.input.as_deref());
        return install_from(from, name, args, session);
    }
    let input = args.input.as_deref().unwrap_or("az");
    let Some(published) = published::find(input) else {
        return install_from(input, args.name.as_deref(), args, session);
    };
    let source = type_install::source_of(published, &type_install::here(session))?;
    let name = args.name.as_deref().unwrap_or(published.name);
    install_source(&source, Some(name), args, session)
}

/// Installs what a reference, a file or a folder holds.
fn install_from(input: &str, name: Option<&str>, args: &InstallArgs, session: &Session) -> Outcome {
    if input.starts_with("br:") || input.starts_with("br/") {
        let config = type_install::here(session);
        let reference = match reference::parse(input, ArtifactKind::Extension, &config) {
            Ok(Reference::Oci(reference)) => reference,
            Ok(_) => return Err(Failure::bad_reference(input, "it does not lead to a registry")),
            Err(problem) => return Err(Failure::bad_reference(input, &problem.message)),
        };
        return install_source(&Source::Registry(reference), name, args, session);
    }
    install_source(&Source::File(input.into()), name, args, session)
}

fn install_source(source: &Source, name: Option<&str>, args: &InstallArgs, session: &Session) -> Outcome {
    let shown = source.to_string();
    let input = Utf8Path::new(&shown);
    let packed = match source {
        Source::File(path) => pack_path(path, args.package.as_deref())?,
        Source::Registry(_) => {
            type_install::get(source, &Getting { limit: None, offline: args.offline }, session)
                .map_err(|error| Failure::not_installed(&shown, &error))?
        }
    };
    if is_unsound(&packed, input, session)? {
        return Ok(Status::Findings);
    }
    let name = match name {
        Some(name) => name.to_owned(),
        None => {
            let catalogue =
                Catalogue::open(packed.bytes.clone()).map_err(|error| Failure::catalogue(input, &error))?;
            own_name(&catalogue).ok_or_else(|| Failure::nameless_package(&shown))?
        }
    };
    let (place, count) = type_install::put(&name, &packed.bytes, session)?;
    say(count, packed.bytes.len(), &place, session)?;
    Ok(Status::Clean)
}

/// Reports what is wrong with a package, and whether that keeps it from being used.
fn is_unsound(packed: &Packed, input: &Utf8Path, session: &Session) -> Result<bool, Failure> {
    catalogue::report_problems(packed, input, session)?;
    Ok(packed.error().is_some())
}

fn say(count: usize, bytes: usize, place: &Utf8Path, session: &Session) -> Result<(), Failure> {
    let (count, size) = (type_install::counted(count), bytes.div_ceil(1000));
    session.output.talk(&format!("{count}, {size} kB: `{place}`\n"))
}

fn pack_path(path: &Utf8Path, package: Option<&Utf8Path>) -> Result<Packed, Failure> {
    type_install::pack_path(path, package).map_err(|error| match error {
        registry::Error::SeveralPackages(folders) => Failure::several_packages(path, &folders),
        registry::Error::Disk { path: failed, error } if failed == path => match error.kind() {
            std::io::ErrorKind::NotFound => Failure::unreadable(path, &base::ReadError::NotFound),
            _ => Failure::unreadable(path, &base::ReadError::Other(error.to_string())),
        },
        error => Failure::package(path, &error),
    })
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
