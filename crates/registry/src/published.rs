//! Types that are published: a name comes in, the place to fetch them from goes out, then a catalogue. The version is
//! pinned here; a mirror of one's own may stand in for the public registry ([`Mirror`]).

use std::time::{Duration, SystemTime};

use base::World;
use camino::{Utf8Path, Utf8PathBuf};
use config::reference::{ArtifactKind, OciReference, Version};

use crate::archive::Limits;
use crate::client::{Client, Patience, RepositoryTarget};
use crate::error::Error;
use crate::home;
use crate::manifest::TYPES;
use crate::restore::{ArtifactRequest, RestoreOptions, restore};
use crate::runtime;
use crate::types::{Packed, pack_archive};

/// A package of types in the public registry.
#[derive(Debug)]
pub struct Published {
    /// The name that it is installed under.
    pub name: &'static str,
    /// What people call it.
    pub title: &'static str,
    repository: &'static str,
    version: &'static str,
    /// The digest of its manifest. Where it is known, nothing else is taken.
    digest: Option<&'static str>,
}

/// The packages that can be had by name.
pub const PUBLISHED: &[Published] = &[
    Published {
        name: "az",
        title: "Azure",
        repository: "bicep/providers/az",
        version: "0.2.896",
        digest: None,
    },
    Published {
        name: "kubernetes",
        title: "Kubernetes",
        repository: "bicep/providers/kubernetes",
        version: "1.33.0",
        digest: None,
    },
    Published {
        name: "microsoftGraph",
        title: "Microsoft Graph",
        repository: "bicep/extensions/microsoftgraph/v1.0",
        version: "1.0.0",
        digest: None,
    },
];

const PUBLIC_REGISTRY: &str = "mcr.microsoft.com";

/// The variable that names a mirror.
pub const MIRROR_VARIABLE: &str = "SINEW_TYPES_MIRROR";

/// Where published types are fetched from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mirror {
    /// The public registry.
    Public,
    /// A registry, with the path that the public repositories lie under: `br:HOST/PATH`.
    Registry(String),
    /// A folder with files such as `az.types`, `az.nupkg` or `az.tgz`.
    Folder(Utf8PathBuf),
    /// `none`: nothing is fetched unless somebody says from where.
    Nowhere,
}

/// Where the types of a name are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// In a registry.
    Registry(OciReference),
    /// In a file.
    File(Utf8PathBuf),
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Registry(reference) => write!(f, "{reference}"),
            Self::File(path) => write!(f, "{path}"),
        }
    }
}

/// The package with a name, whatever its case.
pub fn find(name: &str) -> Option<&'static Published> {
    PUBLISHED.iter().find(|known| known.name.eq_ignore_ascii_case(name))
}

impl Mirror {
    /// What `types.mirror` of a project or `SINEW_TYPES_MIRROR` says.
    pub fn of(configured: Option<&str>) -> Self {
        match configured.map(str::trim) {
            None | Some("") => Self::Public,
            Some("none") => Self::Nowhere,
            Some(text) => match text.strip_prefix("br:") {
                Some(address) => Self::Registry(address.trim_end_matches('/').to_owned()),
                None => Self::Folder(text.into()),
            },
        }
    }
}

impl Published {
    /// Where its types are, in the pinned version; none when the mirror has none of them.
    pub fn source(&self, mirror: &Mirror) -> Result<Option<Source>, Error> {
        let host = match mirror {
            Mirror::Nowhere => return Ok(None),
            Mirror::Folder(folder) => return Ok(self.file_in(folder).map(Source::File)),
            Mirror::Public => PUBLIC_REGISTRY,
            Mirror::Registry(address) => address,
        };
        let version = match self.digest {
            Some(digest) => format!("@{digest}"),
            None => format!(":{}", self.version),
        };
        let text = format!("{host}/{}{version}", self.repository);
        let reference = OciReference::parse(&text)
            .map_err(|problem| Error::Archive(format!("{MIRROR_VARIABLE}: {}", problem.message)))?;
        Ok(Some(Source::Registry(reference)))
    }

    fn file_in(&self, folder: &Utf8Path) -> Option<Utf8PathBuf> {
        ["types", "nupkg", "tgz", "tar.gz", "tar.zst", "tar"]
            .iter()
            .map(|ending| folder.join(format!("{}.{ending}", self.name)))
            .find(|path| path.is_file())
    }
}

/// Fetches a package of types into the cache and packs it.
pub fn fetch(reference: &OciReference, options: &RestoreOptions<'_>) -> Result<Packed, Error> {
    let wanted = [ArtifactRequest::Oci(reference.clone(), ArtifactKind::Extension)];
    let outcome = restore(&wanted, options)?.into_iter().next().map(|outcome| outcome.result);
    let stored = outcome.unwrap_or(Err(Error::NotFound))?;
    let path = stored.folder.join(TYPES);
    let bytes = options.cache.read(&path).unwrap_or(Err(Error::NotFound))?;
    if bytes.len() as u64 > Limits::default().bytes {
        return Err(Error::TooLarge { what: reference.to_string(), limit: Limits::default().bytes });
    }
    pack_archive(&bytes, None, &reference.to_string())
}

/// Whether a registry has an artifact, asked once and given up after `limit`.
pub fn probe(reference: &OciReference, limit: Duration, options: &RestoreOptions<'_>) -> Result<(), Error> {
    let patience = Patience { attempts: 1, connect: limit, read: limit, ..Patience::default() };
    let docker_config = options.docker_config.clone();
    runtime::run(async {
        let client = Client::new(patience, docker_config)?;
        let target = RepositoryTarget::pull(reference);
        match runtime::within(limit, client.has_manifest(target, version_of(reference))).await {
            Some(Ok(true)) => Ok(()),
            Some(Ok(false)) => Err(Error::NotFound),
            Some(Err(error)) => Err(error),
            None => Err(Error::Unreachable {
                registry: reference.registry.to_string(),
                reason: "it does not answer in time".to_owned(),
            }),
        }
    })
}

/// The newest version of an artifact in its registry: previews only where there is nothing else.
pub fn newest(reference: &OciReference, options: &RestoreOptions<'_>) -> Result<Option<String>, Error> {
    Ok(newest_of(&tags(reference, options)?).map(str::to_owned))
}

/// All tags of an artifact in its registry.
pub fn tags(reference: &OciReference, options: &RestoreOptions<'_>) -> Result<Vec<String>, Error> {
    let docker_config = options.docker_config.clone();
    let patience = options.patience;
    runtime::run(async {
        Client::new(patience, docker_config)?.tags(RepositoryTarget::pull(reference)).await
    })
}

fn version_of(reference: &OciReference) -> &str {
    match &reference.version {
        Version::Tag(text) | Version::Digest(text) => text,
    }
}

/// The newest of some tags that are versions.
fn newest_of(tags: &[String]) -> Option<&str> {
    let versions = tags.iter().filter_map(|tag| Some((VersionOrder::of(tag)?, tag.as_str())));
    versions.max().map(|(_, tag)| tag)
}

/// Releases come after previews of any number; then numbers decide.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct VersionOrder<'a> {
    is_release: bool,
    numbers: Vec<u64>,
    preview: &'a str,
}

impl<'a> VersionOrder<'a> {
    fn of(tag: &'a str) -> Option<Self> {
        let text = tag.strip_prefix('v').unwrap_or(tag);
        let (numbers, preview) = text.split_once('-').unwrap_or((text, ""));
        let numbers = numbers.split('.').map(|number| number.parse().ok()).collect::<Option<Vec<u64>>>()?;
        Some(Self { is_release: preview.is_empty(), numbers, preview })
    }
}

/// The reason why a source could not be reached, if that was less than ten minutes ago.
pub fn recent_failure(world: &dyn World, source: &Source) -> Option<String> {
    let path = failure_file(world)?;
    let age = SystemTime::now().duration_since(path.metadata().ok()?.modified().ok()?).unwrap_or_default();
    let text = std::fs::read_to_string(&path).ok().filter(|_| age < MEMORY)?;
    let (tried, reason) = text.split_once('\n')?;
    (tried == source.to_string()).then(|| reason.to_owned())
}

/// Remembers that a source could not be reached, so that the next commands do not wait for it. What cannot be written is
/// tried again.
pub fn remember_failure(world: &dyn World, source: &Source, reason: &Error) {
    let Some(path) = failure_file(world) else { return };
    let _ = crate::types::keep(&path, format!("{source}\n{reason}").as_bytes());
}

/// How long it is remembered.
const MEMORY: Duration = Duration::from_secs(10 * 60);

fn failure_file(world: &dyn World) -> Option<Utf8PathBuf> {
    Some(home::catalogue_folder(world)?.join("unreachable.txt"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mirror_stands_in_for_the_public_registry() {
        let check = |value: &str, expected: Option<&str>| {
            let source = find("AZ").unwrap().source(&Mirror::of(Some(value))).unwrap();
            assert_eq!(source.map(|source| source.to_string()).as_deref(), expected);
        };
        check("", Some("br:mcr.microsoft.com/bicep/providers/az:0.2.896"));
        check("br:mirror.example/msft/", Some("br:mirror.example/msft/bicep/providers/az:0.2.896"));
        check("br:localhost:5000", Some("br:localhost:5000/bicep/providers/az:0.2.896"));
        check("none", None);
        check("/nowhere", None);
    }

    #[test]
    fn releases_are_newer_than_previews() {
        let check = |tags: &[&str], expected: Option<&str>| {
            let tags: Vec<String> = tags.iter().map(ToString::to_string).collect();
            assert_eq!(newest_of(&tags), expected);
        };
        check(&["0.2.9", "0.2.10", "0.3.0-preview", "latest"], Some("0.2.10"));
        check(&["0.1.8-preview", "0.1.7-preview"], Some("0.1.8-preview"));
        check(&["v1.33.0", "v1.4.0"], Some("v1.33.0"));
        check(&["latest"], None);
    }
}
