//! Catalogues of types on this machine: which are installed, and what programs get from them and from packages.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};

use base::disk::DiskWorld;
use base::world::{Artifact, World};
use bicep_sema::{MissingTypes, TypeSource};
use bicep_types::protocol::Problem;
use bicep_types::resources::Flavour;
use bicep_types::{Catalogue, ResourceTypes};
use camino::{Utf8Path, Utf8PathBuf};
use config::provider::{Builtin, ProviderSource};
use registry::types::Packed;
use registry::{Error, ExtensionPackage, RegistryWorld, home};

use crate::bundled;
use crate::failure::Failure;
use crate::session::Session;

/// A catalogue that has been found and opened.
#[derive(Debug)]
pub(crate) struct Installed {
    /// The name it is installed under.
    pub(crate) name: String,
    /// Its file.
    pub(crate) path: Utf8PathBuf,
    /// What is in it.
    pub(crate) catalogue: Catalogue,
}

/// The catalogue with a name (`az`) or in a file (`./az.types`).
pub(crate) fn open(name: &str, session: &Session) -> Result<Installed, Failure> {
    let is_path = name.contains(['/', '\\']) || Utf8Path::new(name).extension() == Some(home::CATALOGUE);
    if is_path {
        let path = Utf8Path::new(name);
        return open_file(path.file_stem().unwrap_or(name), path.to_owned());
    }
    if let Some(path) = home::find_catalogue(&session.world, binary().as_deref(), name) {
        return open_file(name, path);
    }
    match bundled::find(name) {
        Some(catalogue) => Ok(Installed { name: name.to_owned(), path: bundled::PATH.into(), catalogue }),
        None => {
            let mut known = home::find_catalogues(&session.world, binary().as_deref());
            known.extend(bundled::names().map(|name| (name.to_owned(), bundled::PATH.into())));
            Err(Failure::unknown_catalogue(name, known.keys()))
        }
    }
}

/// Whether there is a catalogue with a name.
pub(crate) fn is_installed(name: &str, world: &dyn World) -> bool {
    home::find_catalogue(world, binary().as_deref(), name).is_some() || bundled::find(name).is_some()
}

/// All catalogues, in the order of their names, each opened when it comes up; at least one.
pub(crate) fn open_all(
    session: &Session,
) -> Result<impl Iterator<Item = Result<Installed, Failure>> + use<>, Failure> {
    let mut found: BTreeMap<String, Option<Utf8PathBuf>> =
        bundled::names().map(|name| (name.to_owned(), None)).collect();
    let files = home::find_catalogues(&session.world, binary().as_deref());
    found.extend(files.into_iter().map(|(name, path)| (name, Some(path))));
    if found.is_empty() {
        return Err(Failure::no_catalogue());
    }
    Ok(found.into_iter().map(|(name, path)| match (path, bundled::find(&name)) {
        (None, Some(catalogue)) => Ok(Installed { name, path: bundled::PATH.into(), catalogue }),
        (path, _) => open_file(&name, path.unwrap_or_default()),
    }))
}

/// Where a catalogue is installed to.
pub(crate) fn place_of(name: &str, world: &dyn World) -> Result<Utf8PathBuf, Failure> {
    let folder = home::catalogue_folder(world).ok_or_else(Failure::no_home)?;
    Ok(folder.join(format!("{name}.{}", home::CATALOGUE)))
}

/// Says what is wrong with a package of types.
pub(crate) fn report_problems(packed: &Packed, input: &Utf8Path, session: &Session) -> Result<(), Failure> {
    let mut text = String::new();
    for Problem { file, diagnostic } in packed.problems.iter().take(MAX_PROBLEMS) {
        let (severity, code) = (diagnostic.severity.name(), &diagnostic.code);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{input}: {file}: {severity} {code}: {}", diagnostic.message);
    }
    if let Some(more) = packed.problems.len().checked_sub(MAX_PROBLEMS).filter(|more| *more > 0) {
        let _ = writeln!(text, "{input}: and {more} more of the kind");
    }
    session.output.talk(&text)
}

/// More problems than this are only counted.
const MAX_PROBLEMS: usize = 50;

/// The resource types of a program: installed catalogues for what is built in, restored packages for the rest. What
/// was asked for is kept.
pub(crate) struct Types<W> {
    world: W,
    /// Whether the words about properties are read as well: only editors show them.
    with_descriptions: bool,
    known: Mutex<BTreeMap<ProviderSource, LoadedTypes>>,
}

type LoadedTypes = Result<Arc<ResourceTypes>, MissingTypes>;

impl<W: Deref<Target = RegistryWorld<DiskWorld>>> Types<W> {
    /// The types for a program that is loaded from this world.
    pub(crate) fn new(world: W) -> Self {
        Self { world, with_descriptions: false, known: Mutex::default() }
    }

    /// The same with the words about properties.
    pub(crate) fn with_descriptions(self) -> Self {
        Self { with_descriptions: true, ..self }
    }

    fn find(&self, source: &ProviderSource) -> LoadedTypes {
        match source {
            ProviderSource::System => Err(MissingTypes::NotRestored),
            ProviderSource::Builtin(builtin) => self.built_in(*builtin),
            ProviderSource::Package(reference) => match self.world.artifact(&reference.to_string()) {
                Artifact::Missing => Err(MissingTypes::NotRestored),
                Artifact::Failed(reason) => Err(MissingTypes::Unreadable(reason)),
                Artifact::Restored(folder) => self.restored(&folder),
            },
            ProviderSource::File(path) => match self.world.artifact(path.as_str()) {
                Artifact::Missing => self.package(path),
                Artifact::Failed(reason) => Err(MissingTypes::Unreadable(reason)),
                Artifact::Restored(folder) => self.restored(&folder),
            },
        }
    }

    /// Without a catalogue, resources are untyped.
    fn built_in(&self, builtin: Builtin) -> LoadedTypes {
        let flavour = match builtin {
            Builtin::Az => Flavour::Az,
            Builtin::Kubernetes => Flavour::Kubernetes,
        };
        let catalogue = match (builtin, self.world.variable(AZ_TYPES)) {
            (Builtin::Az, Some(folder)) => packed_folder(Utf8Path::new(&folder)).map(Some),
            _ => {
                let path = home::find_catalogue(&*self.world, binary().as_deref(), builtin.name());
                path.map(|path| registry::types::open_catalogue(&path)).transpose()
            }
        };
        let catalogue = catalogue.map_err(|error| MissingTypes::Unreadable(error.to_string()))?;
        let catalogue = catalogue.or_else(|| bundled::find(builtin.name()));
        Ok(self.resource_types(builtin.name(), flavour, catalogue))
    }

    fn resource_types(
        &self,
        name: &str,
        flavour: Flavour,
        catalogue: Option<Catalogue>,
    ) -> Arc<ResourceTypes> {
        if self.with_descriptions {
            ResourceTypes::with_descriptions(name, flavour, catalogue)
        } else {
            ResourceTypes::new(name, flavour, catalogue)
        }
    }

    fn restored(&self, folder: &Utf8Path) -> LoadedTypes {
        self.of_package(registry::types::restored_catalogue(self.world.cache(), folder))
    }

    /// A package in a file that has not been restored: it can be read all the same.
    fn package(&self, path: &Utf8Path) -> LoadedTypes {
        let bytes = self.world.read(path).map_err(|error| MissingTypes::Unreadable(error.to_string()))?;
        self.of_package(ExtensionPackage::read(&bytes).and_then(|package| {
            let bytes = registry::types::pack_layer(&package.types, path.as_str())?;
            Catalogue::open(bytes).map_err(|error| Error::Catalogue { path: path.to_owned(), error })
        }))
    }

    /// A package is known by the name that it gives itself.
    fn of_package(&self, catalogue: Result<Catalogue, Error>) -> LoadedTypes {
        let catalogue = catalogue.map_err(|error| match error {
            Error::Types { .. } | Error::Archive(_) | Error::Catalogue { .. } => {
                MissingTypes::Malformed(error.to_string())
            }
            error => MissingTypes::Unreadable(error.to_string()),
        })?;
        let flavour = ResourceTypes::flavour_of(&catalogue);
        let settings = catalogue.settings().map_err(|error| MissingTypes::Malformed(error.to_string()))?;
        let name = match (flavour, settings) {
            (Flavour::Az, _) => "az".to_owned(),
            (_, Some(settings)) => settings.name.into_owned(),
            (_, None) => String::new(),
        };
        Ok(self.resource_types(&name, flavour, Some(catalogue)))
    }
}

/// A folder with published types that takes the place of the installed catalogue.
const AZ_TYPES: &str = "SINEW_AZ_TYPES";

fn packed_folder(folder: &Utf8Path) -> Result<Catalogue, Error> {
    let packed = registry::types::pack_folder(folder, folder.as_str())?;
    Catalogue::open(packed.bytes).map_err(|error| Error::Catalogue { path: folder.to_owned(), error })
}

impl<W: Deref<Target = RegistryWorld<DiskWorld>> + Send + Sync> TypeSource for Types<W> {
    fn types(&self, source: &ProviderSource) -> LoadedTypes {
        // Held while types are looked for, so that nothing is looked for twice.
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry(source.clone()).or_insert_with(|| self.find(source)).clone()
    }
}

fn open_file(name: &str, path: Utf8PathBuf) -> Result<Installed, Failure> {
    let catalogue = registry::types::open_catalogue(&path).map_err(|error| Failure::artifact(&error))?;
    Ok(Installed { name: name.to_owned(), path, catalogue })
}

/// The file of this program, with links followed.
fn binary() -> Option<Utf8PathBuf> {
    Utf8PathBuf::from_path_buf(std::env::current_exe().ok()?).ok()
}
