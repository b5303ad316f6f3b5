//! Restoring: what source files refer to is fetched into the cache, checked, and written down in the lock file.

use std::io::Write as _;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use config::reference::{ArtifactKind, OciReference, TemplateSpecReference, Version};
use futures_util::StreamExt as _;
use futures_util::stream;

use crate::cache::{Cache, Depth, Lookup, Stored, Writer};
use crate::client::{Client, Patience, RepositoryTarget};
use crate::digest::{Digest, Hasher};
use crate::error::Error;
use crate::extension;
use crate::lockfile::{LockFile, Locked};
use crate::manifest::{Descriptor, Manifest, architecture};
use crate::runtime;
use crate::template_spec::{self, Azure};

/// Something that a source file refers to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ArtifactRequest {
    /// An artifact in a registry.
    Oci(OciReference, ArtifactKind),
    /// A package in a file.
    Package(Utf8PathBuf),
    TemplateSpec(TemplateSpecReference),
}

/// How to restore.
pub struct RestoreOptions<'a> {
    /// Where to.
    pub cache: Cache,
    /// The lock file to hold to and to write; none for no lock file.
    pub lock_file: Option<Utf8PathBuf>,
    /// Whether the lock file must not change.
    pub locked: bool,
    /// Whether to fetch what is there already, and to look anew at what tags mean.
    pub force: bool,
    /// Whether the network must not be used.
    pub offline: bool,
    /// How often and how patiently registries are asked.
    pub patience: Patience,
    /// The Docker configuration, for credentials.
    pub docker_config: Option<Utf8PathBuf>,
    /// The cloud that keeps template specs; without it they can only be taken from the cache.
    pub azure: Option<Azure>,
    /// How many artifacts are fetched at once.
    pub parallel: usize,
    /// How long to wait for another process that writes the same artifact.
    pub lock_wait: Duration,
    /// Is told what happens.
    pub progress: Option<&'a (dyn Fn(Event<'_>) + Sync)>,
}

impl RestoreOptions<'_> {
    /// What a user gets who says nothing.
    pub fn new(cache: Cache) -> Self {
        Self {
            cache,
            lock_file: None,
            locked: false,
            force: false,
            offline: false,
            patience: Patience::default(),
            docker_config: None,
            azure: None,
            parallel: 8,
            lock_wait: Duration::from_secs(300),
            progress: None,
        }
    }
}

/// What happens while restoring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event<'a> {
    /// So many bytes will be fetched for an artifact.
    Started {
        /// The artifact.
        reference: &'a str,
        /// Bytes of all its layers.
        bytes: u64,
    },
    /// So many more bytes have come in. A retry takes bytes back.
    Received {
        /// The artifact.
        reference: &'a str,
        /// Bytes since the last event.
        bytes: i64,
    },
    /// The cache has the artifact, but damaged; it is fetched anew.
    Damaged {
        /// The artifact.
        reference: &'a str,
        /// What is wrong with it.
        reason: &'a str,
    },
    /// The artifact is in the cache.
    Finished {
        /// The artifact.
        reference: &'a str,
    },
}

/// What became of something wanted.
#[derive(Debug)]
pub struct RestoreResult {
    /// What was wanted.
    pub wanted: ArtifactRequest,
    /// Where it is now, or why it is not there.
    pub result: Result<Stored, Error>,
}

/// Restores everything that is wanted. Errors of single artifacts are in the outcomes, in the order of what is wanted;
/// an error of the whole is one of the lock file.
pub fn restore(
    wanted: &[ArtifactRequest],
    options: &RestoreOptions<'_>,
) -> Result<Vec<RestoreResult>, Error> {
    runtime::run(restore_all(wanted, options))
}

impl ArtifactRequest {
    /// The reference as a user reads it.
    pub fn name(&self) -> String {
        match self {
            Self::Oci(reference, _) => reference.to_string(),
            Self::Package(path) => path.to_string(),
            Self::TemplateSpec(reference) => reference.to_string(),
        }
    }
}

async fn restore_all(
    wanted: &[ArtifactRequest],
    options: &RestoreOptions<'_>,
) -> Result<Vec<RestoreResult>, Error> {
    let lock = options.lock_file.as_ref().map(LockFile::load).transpose()?;
    // No client, no socket. A build that cannot have one still restores what needs none.
    let client = match options.offline {
        true => Err(Error::Offline),
        false => Client::new(options.patience, options.docker_config.clone()),
    };
    let client = match client {
        Ok(client) => Some(client),
        Err(Error::Offline | Error::NoNetwork) => None,
        Err(error) => return Err(error),
    };
    let work = Restorer { options, client: client.as_ref(), lock: lock.as_ref() };
    let mut unique: Vec<_> = wanted.to_vec();
    unique.sort();
    unique.dedup();
    let outcomes: Vec<_> = stream::iter(unique)
        .map(|wanted| async {
            let result = restore_one(&wanted, &work).await;
            RestoreResult { wanted, result }
        })
        .buffered(options.parallel.max(1))
        .collect()
        .await;
    if let Some(lock) = lock
        && !options.locked
    {
        write_lock(&lock, &outcomes, options).await?;
    }
    Ok(outcomes)
}

/// What the restoring of one artifact shares with the others.
struct Restorer<'a> {
    options: &'a RestoreOptions<'a>,
    client: Option<&'a Client>,
    lock: Option<&'a LockFile>,
}

impl Restorer<'_> {
    /// The digest that the lock file demands.
    fn pinned(&self, name: &str) -> Result<Option<Digest>, Error> {
        let Some(lock) = self.lock else { return Ok(None) };
        match lock.get(name) {
            _ if self.options.force && !self.options.locked => Ok(None),
            Some(locked) => Ok(Some(locked.digest.clone())),
            None if self.options.locked => Err(Error::NotLocked(lock.path().to_owned())),
            None => Ok(None),
        }
    }

    /// Why something that is not in the cache cannot be had without a client.
    fn no_client(&self) -> Error {
        if self.options.offline { Error::Offline } else { Error::NoNetwork }
    }

    fn tell(&self, event: Event<'_>) {
        if let Some(progress) = self.options.progress {
            progress(event);
        }
    }
}

async fn restore_one(wanted: &ArtifactRequest, work: &Restorer<'_>) -> Result<Stored, Error> {
    match wanted {
        ArtifactRequest::Oci(reference, kind) => {
            let stored = restore_oci(reference, *kind, work).await?;
            work.tell(Event::Finished { reference: &reference.to_string() });
            Ok(stored)
        }
        ArtifactRequest::Package(path) => restore_package(path, work).await,
        ArtifactRequest::TemplateSpec(reference) => restore_template_spec(reference, work).await,
    }
}

async fn restore_template_spec(
    reference: &TemplateSpecReference,
    work: &Restorer<'_>,
) -> Result<Stored, Error> {
    let cache = &work.options.cache;
    let known = || template_spec::find(cache, reference).filter(|_| !work.options.force);
    if let Some(stored) = known() {
        return Ok(stored);
    }
    let Some(client) = work.client else { return Err(work.no_client()) };
    let Some(azure) = &work.options.azure else {
        return Err(Error::Unsupported("a template spec that is not in the cache"));
    };
    let writer = Writer::lock(&cache.template_spec_folder(reference), work.options.lock_wait).await?;
    // Another process may have done the work while we waited.
    if let Some(stored) = known() {
        return Ok(stored);
    }
    let stored = template_spec::fetch(client, azure, reference, &writer).await?;
    work.tell(Event::Finished { reference: &reference.to_string() });
    Ok(stored)
}

async fn restore_package(path: &Utf8Path, work: &Restorer<'_>) -> Result<Stored, Error> {
    let pinned = match work.lock {
        Some(lock) => work.pinned(&lock.package_name(path))?,
        None => None,
    };
    let stored = extension::restore(&work.options.cache, path, work.options.lock_wait).await?;
    if let Some(expected) = pinned.filter(|_| work.options.locked) {
        expected.check(&stored.digest, || format!("\"{path}\"")).into_result()?;
    }
    Ok(stored)
}

async fn restore_oci(
    reference: &OciReference,
    kind: ArtifactKind,
    work: &Restorer<'_>,
) -> Result<Stored, Error> {
    let pinned = work.pinned(&reference.to_string())?;
    let cache = &work.options.cache;
    let known = cache.find(reference, pinned.as_ref(), Depth::Content);
    let Some(client) = work.client else {
        return match known {
            // Offline, there is nothing to look at anew.
            Lookup::Found(stored) if work.options.offline || !work.options.force => expect_kind(stored, kind),
            Lookup::Unusable(reason) => Err(reason),
            Lookup::Found(_) | Lookup::Missing => Err(work.no_client()),
        };
    };
    match known {
        Lookup::Found(stored) if !work.options.force => return expect_kind(stored, kind),
        Lookup::Unusable(reason) => {
            let (reference, reason) = (reference.to_string(), reason.to_string());
            work.tell(Event::Damaged { reference: &reference, reason: &reason });
        }
        Lookup::Found(_) | Lookup::Missing => {}
    }
    let folder = cache.folder_to_write(reference, pinned.as_ref());
    let writer = Writer::lock(&folder, work.options.lock_wait).await?;
    // Another process may have done the work while we waited.
    if !work.options.force
        && let Lookup::Found(stored) = cache.find(reference, pinned.as_ref(), Depth::Content)
    {
        return expect_kind(stored, kind);
    }
    let fetched = fetch(Fetch { client, reference, kind, work }, pinned.as_ref(), &writer).await;
    let locked = pinned.zip(work.lock.map(|lock| lock.path().to_owned()));
    match (fetched, locked) {
        (Err(Error::NotFound), Some((locked, file))) => Err(Error::LockedDigest { locked, file }),
        (result, _) => result,
    }
}

/// An artifact on its way.
#[derive(Clone, Copy)]
struct Fetch<'a> {
    client: &'a Client,
    reference: &'a OciReference,
    kind: ArtifactKind,
    work: &'a Restorer<'a>,
}

/// Fetches the manifest and the layers and puts them into a folder of the cache.
async fn fetch(fetch: Fetch<'_>, pinned: Option<&Digest>, writer: &Writer) -> Result<Stored, Error> {
    let Fetch { client, reference, kind, work } = fetch;
    let target = RepositoryTarget::pull(reference);
    let version = match (&reference.version, pinned) {
        (Version::Digest(digest), _) => digest.as_str(),
        (Version::Tag(_), Some(digest)) => digest.as_str(),
        (Version::Tag(tag), None) => tag.as_str(),
    };
    let manifest_bytes = client.manifest(target, version).await?;
    let (manifest, found) = Manifest::read(&manifest_bytes)?;
    if found != kind {
        return Err(Error::Kind { expected: kind, found: format!("of kind \"{}\"", found.name()) });
    }
    let files = manifest.files(kind, architecture())?;
    let name = reference.to_string();
    work.tell(Event::Started { reference: &name, bytes: files.iter().map(|(_, layer)| layer.size).sum() });
    let downloads = files.iter().map(|(file, layer)| async { (*file, download(fetch, layer, writer).await) });
    let downloads: Vec<_> = stream::iter(downloads).buffered(4).collect().await;
    let mut partial = Vec::new();
    for (file, download) in downloads {
        partial.push((file, download?));
    }
    // Everything is here and checked: from now on it is a matter of renaming.
    writer.begin()?;
    for (file, download) in partial {
        writer.keep(download, file)?;
    }
    writer.finish(&manifest_bytes)?;
    Ok(Stored { folder: writer.folder().to_owned(), digest: Digest::of(&manifest_bytes), kind })
}

/// Fetches a layer into a nameless file, again when the connection breaks.
async fn download(
    fetch: Fetch<'_>,
    layer: &Descriptor,
    writer: &Writer,
) -> Result<tempfile::NamedTempFile, Error> {
    if layer.size > MAX_LAYER {
        return Err(Error::TooLarge { what: format!("the layer {}", layer.digest), limit: MAX_LAYER });
    }
    let name = fetch.reference.to_string();
    let mut attempt = 1;
    loop {
        let mut received = 0i64;
        let result = download_once(fetch, layer, writer, &mut |bytes| {
            let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
            received += bytes;
            fetch.work.tell(Event::Received { reference: &name, bytes });
        })
        .await;
        let error = match result {
            Ok(file) => return Ok(file),
            Err(error) => error,
        };
        // The request itself has been made again often enough; only a broken answer is left to try again.
        let broken = error.is_temporary() && received > 0;
        let Some(wait) = fetch.client.wait_after(attempt).filter(|_| broken) else { return Err(error) };
        fetch.work.tell(Event::Received { reference: &name, bytes: -received });
        runtime::sleep(wait).await;
        attempt += 1;
    }
}

/// Larger layers are refused: types of a whole cloud have a few ten megabytes.
const MAX_LAYER: u64 = 1 << 30;

async fn download_once(
    fetch: Fetch<'_>,
    layer: &Descriptor,
    writer: &Writer,
    count: &mut dyn FnMut(usize),
) -> Result<tempfile::NamedTempFile, Error> {
    let target = RepositoryTarget::pull(fetch.reference);
    let what = || format!("the layer {}", layer.digest);
    let mut blob = fetch.client.blob(target, &layer.digest).await?;
    let mut file = writer.partial()?;
    let mut hasher = Hasher::default();
    let mut total = 0u64;
    while let Some(chunk) = blob.chunk().await? {
        let chunk: &[u8] = chunk.as_ref();
        total = total.saturating_add(chunk.len() as u64);
        if total > layer.size {
            return Err(Error::TooLarge { what: what(), limit: layer.size });
        }
        hasher.update(chunk);
        file.write_all(chunk).map_err(Error::disk(writer.folder()))?;
        count(chunk.len());
    }
    layer.digest.check(&hasher.finish(), what).into_result()?;
    Ok(file)
}

fn expect_kind(stored: Stored, expected: ArtifactKind) -> Result<Stored, Error> {
    if stored.kind != expected {
        return Err(Error::Kind { expected, found: format!("of kind \"{}\"", stored.kind.name()) });
    }
    Ok(stored)
}

/// Adds what was restored to the lock file, together with what another process may have added meanwhile.
async fn write_lock(
    lock: &LockFile,
    outcomes: &[RestoreResult],
    options: &RestoreOptions<'_>,
) -> Result<(), Error> {
    let restored: Vec<_> = outcomes
        .iter()
        .filter_map(|outcome| {
            let stored = outcome.result.as_ref().ok()?;
            let name = match &outcome.wanted {
                ArtifactRequest::Oci(OciReference { version: Version::Digest(_), .. }, _)
                | ArtifactRequest::TemplateSpec(_) => return None,
                ArtifactRequest::Oci(reference, _) => reference.to_string(),
                ArtifactRequest::Package(path) => lock.package_name(path),
            };
            Some((name, Locked { kind: stored.kind, digest: stored.digest.clone() }))
        })
        .filter(|(name, locked)| lock.get(name) != Some(locked))
        .collect();
    if restored.is_empty() {
        return Ok(());
    }
    let turn = options.cache.root().join("turns").join(Digest::of(lock.path().as_str().as_bytes()).hex());
    let _turn = Writer::lock(&turn, options.lock_wait).await?;
    let mut current = LockFile::load(lock.path())?;
    for (name, locked) in restored {
        current.set(name, locked);
    }
    current.save()
}
