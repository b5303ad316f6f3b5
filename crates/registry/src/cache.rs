//! The cache on disk. It is laid out like the reference implementation's, so that both can share it; nothing in it is
//! used without its digest being checked, so that a broken or half-written folder counts as not restored.

use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use config::reference::{ArtifactKind, OciReference, TemplateSpecReference, Version};
use serde::{Deserialize, Serialize};

use crate::digest::{Digest, Hasher};
use crate::error::Error;
use crate::manifest::{MAX_MANIFEST, Manifest, architecture};

/// The file that is locked while a folder is written.
const LOCK: &str = "lock";
/// The manifest, byte for byte.
const MANIFEST: &str = "manifest";
/// What is known about the folder; written last.
const METADATA: &str = "metadata";
/// The start of the names of files that are being written.
const PARTIAL: &str = ".partial-";

#[derive(Debug, Clone)]
pub struct Cache {
    root: Utf8PathBuf,
}

/// An artifact in the cache that is what it should be.
#[derive(Debug, Clone)]
pub struct Stored {
    /// Where its files lie.
    pub folder: Utf8PathBuf,
    /// The digest of its manifest, or of a local package as a whole.
    pub digest: Digest,
    pub kind: ArtifactKind,
}

/// What the cache knows about an artifact.
#[derive(Debug)]
pub enum Lookup {
    /// It is there.
    Found(Stored),
    /// It is not there.
    Missing,
    /// Something is there that must not be used, for this reason.
    Unusable(Error),
}

/// How closely files are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// The manifest is checked, files only have the right length. They are checked again when they are read.
    Manifest,
    /// Every byte is checked.
    Content,
}

impl Cache {
    /// The cache in a folder, which need not exist.
    pub fn new(root: impl Into<Utf8PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// The folder.
    pub fn root(&self) -> &Utf8Path {
        &self.root
    }

    /// The folder of an artifact.
    pub fn folder(&self, reference: &OciReference) -> Utf8PathBuf {
        let version = match &reference.version {
            Version::Tag(tag) => encode_tag(tag),
            Version::Digest(digest) => digest.replace(':', "#"),
        };
        let registry = reference.registry.replace(':', "$").to_lowercase();
        self.root.join("br").join(registry).join(reference.repository.replace('/', "$")).join(version)
    }

    /// The folder of a package that lies in a file with this digest.
    pub fn package_folder(&self, digest: &Digest) -> Utf8PathBuf {
        self.root.join("local").join(digest.as_str().replace(':', "_"))
    }

    /// The folder of a template spec.
    pub fn template_spec_folder(&self, reference: &TemplateSpecReference) -> Utf8PathBuf {
        let TemplateSpecReference { subscription, resource_group, name, version } = reference;
        let parts = [subscription, resource_group, name, version].map(|part| part.to_lowercase());
        parts.iter().fold(self.root.join("ts"), |folder, part| folder.join(part))
    }

    /// Looks for an artifact: by its reference, and when it is pinned to a digest, under that digest as well.
    pub fn find(&self, reference: &OciReference, pinned: Option<&Digest>, depth: Depth) -> Lookup {
        let found = examine(&self.folder(reference), expected_digest(reference, pinned).as_ref(), depth);
        match (found, pinned) {
            (Lookup::Found(stored), _) => Lookup::Found(stored),
            (other, Some(digest)) => {
                match examine(&self.folder(&at_digest(reference, digest)), Some(digest), depth) {
                    Lookup::Found(stored) => Lookup::Found(stored),
                    _ => other,
                }
            }
            (other, None) => other,
        }
    }

    /// The folder to write an artifact to: its own, unless another project keeps another version of the tag there.
    pub(crate) fn folder_to_write(&self, reference: &OciReference, pinned: Option<&Digest>) -> Utf8PathBuf {
        let folder = self.folder(reference);
        match (pinned, examine(&folder, None, Depth::Manifest)) {
            (Some(digest), Lookup::Found(other)) if other.digest != *digest => {
                self.folder(&at_digest(reference, digest))
            }
            _ => folder,
        }
    }

    /// The bytes of a file in the cache, if it is a file in the cache: checked against the digest it should have.
    pub fn read(&self, path: &Utf8Path) -> Option<Result<Vec<u8>, Error>> {
        let (folder, name) = (path.parent()?, path.file_name()?);
        self.contains(path).then(|| read_checked(folder, name))
    }

    /// Whether a path is that of a file in the cache.
    pub(crate) fn contains(&self, path: &Utf8Path) -> bool {
        // The root may hold other things: a project may keep its cache among its sources.
        let Ok(path) = path.strip_prefix(&self.root) else { return false };
        matches!(path.iter().collect::<Vec<_>>().as_slice(), ["br", _, _, _, _] | ["local", _, _])
    }
}

/// Looks at one folder.
pub(crate) fn examine(folder: &Utf8Path, expected: Option<&Digest>, depth: Depth) -> Lookup {
    match try_examine(folder, expected, depth) {
        Ok(Some(stored)) => Lookup::Found(stored),
        Ok(None) => Lookup::Missing,
        Err(error) => Lookup::Unusable(error),
    }
}

fn try_examine(folder: &Utf8Path, expected: Option<&Digest>, depth: Depth) -> Result<Option<Stored>, Error> {
    let Some(contents) = contents(folder)? else { return Ok(None) };
    if let Some(expected) = expected {
        expected.check(&contents.digest, || "the copy in the cache".to_owned()).into_result()?;
    }
    for (name, (digest, size)) in &contents.files {
        let path = folder.join(name);
        let length = match std::fs::metadata(&path) {
            Ok(metadata) => metadata.len(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::Disk { path, error }),
        };
        let actual = match depth {
            Depth::Manifest if length == *size => continue,
            _ => digest_of_file(&path)?,
        };
        digest.check(&actual, || format!("\"{path}\"")).into_result()?;
    }
    Ok(Some(Stored { folder: folder.to_owned(), digest: contents.digest, kind: contents.kind }))
}

/// What a folder should hold.
struct Contents {
    digest: Digest,
    kind: ArtifactKind,
    /// Names of files with digest and size.
    files: BTreeMap<String, (Digest, u64)>,
}

/// What the metadata and the manifest of a folder say; nothing when the folder has never been finished.
fn contents(folder: &Utf8Path) -> Result<Option<Contents>, Error> {
    let Some(metadata) = read_limited(&folder.join(METADATA))? else { return Ok(None) };
    let Ok(metadata) = serde_json::from_slice::<Metadata>(&metadata) else { return Ok(None) };
    if !metadata.files.is_empty() {
        let files = metadata.files.into_iter().map(|(name, file)| (name, (file.digest, file.size)));
        let (digest, kind) = (metadata.manifest_digest, ArtifactKind::Extension);
        return Ok(Some(Contents { digest, kind, files: files.collect() }));
    }
    let Some(manifest) = read_limited(&folder.join(MANIFEST))? else { return Ok(None) };
    let actual = Digest::of(&manifest);
    metadata.manifest_digest.check(&actual, || format!("\"{}\"", folder.join(MANIFEST))).into_result()?;
    let (manifest, kind) = Manifest::read(&manifest)?;
    let files = manifest.files(kind, architecture())?;
    let files = files.into_iter().map(|(name, layer)| (name.to_owned(), (layer.digest.clone(), layer.size)));
    Ok(Some(Contents { digest: actual, kind, files: files.collect() }))
}

/// The digest that a file of a folder should have.
pub(crate) fn digest_of(folder: &Utf8Path, name: &str) -> Result<Digest, Error> {
    let digest = contents(folder)?.and_then(|mut contents| contents.files.remove(name));
    let unknown = || Error::Manifest(format!("\"{}\" is not part of a restored artifact", folder.join(name)));
    digest.map(|(digest, _)| digest).ok_or_else(unknown)
}

/// The bytes of a file of a folder, if they are what they should be.
pub(crate) fn read_checked(folder: &Utf8Path, name: &str) -> Result<Vec<u8>, Error> {
    let path = folder.join(name);
    let unknown = || Error::Manifest(format!("\"{path}\" is not part of a restored artifact"));
    let contents = contents(folder)?.ok_or_else(unknown)?;
    let (expected, _) = contents.files.get(name).ok_or_else(unknown)?;
    let bytes = std::fs::read(&path).map_err(Error::disk(&path))?;
    expected.check(&Digest::of(&bytes), || format!("\"{path}\"")).into_result()?;
    Ok(bytes)
}

/// What is written last into a folder. The reference implementation writes and reads the first field.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metadata {
    manifest_digest: Digest,
    /// The files of a local package, which has no manifest.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    files: BTreeMap<String, FileMetadata>,
}

#[derive(Serialize, Deserialize)]
struct FileMetadata {
    digest: Digest,
    size: u64,
}

/// The right to write a folder of the cache. Other processes wait until it is dropped, or until we are gone.
pub(crate) struct Writer {
    folder: Utf8PathBuf,
    _lock: File,
}

impl Writer {
    /// Waits for the right to write a folder, asking `pause` to let time pass.
    pub(crate) async fn lock(folder: &Utf8Path, patience: Duration) -> Result<Self, Error> {
        std::fs::create_dir_all(folder).map_err(Error::disk(folder))?;
        let path = folder.join(LOCK);
        let started = Instant::now();
        let file = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(Error::disk(&path))?;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if started.elapsed() < patience => {
                    crate::runtime::sleep(Duration::from_millis(20)).await;
                }
                Err(TryLockError::WouldBlock) => return Err(Error::Busy(folder.to_owned())),
                Err(TryLockError::Error(error)) => return Err(Error::Disk { path, error }),
            }
        }
        let writer = Self { folder: folder.to_owned(), _lock: file };
        writer.remove_leftovers();
        Ok(writer)
    }

    pub(crate) fn folder(&self) -> &Utf8Path {
        &self.folder
    }

    /// Makes the folder count as not restored, until [`Writer::finish`].
    pub(crate) fn begin(&self) -> Result<(), Error> {
        let path = self.folder.join(METADATA);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Error::Disk { path, error }),
            _ => Ok(()),
        }
    }

    /// A file under a name that means nothing yet: see [`Writer::keep`].
    pub(crate) fn partial(&self) -> Result<tempfile::NamedTempFile, Error> {
        tempfile::Builder::new().prefix(PARTIAL).tempfile_in(&self.folder).map_err(Error::disk(&self.folder))
    }

    /// Gives a finished file its name, in one step.
    pub(crate) fn keep(&self, file: tempfile::NamedTempFile, name: &str) -> Result<(), Error> {
        let path = self.folder.join(name);
        let file =
            file.persist(&path).map_err(|error| Error::Disk { path: path.clone(), error: error.error })?;
        set_mode(&file, name == crate::manifest::BINARY).map_err(Error::disk(&path))
    }

    /// Writes a file in one step.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> Result<(), Error> {
        let mut file = self.partial()?;
        file.write_all(bytes).map_err(Error::disk(&self.folder.join(name)))?;
        self.keep(file, name)
    }

    /// Writes the manifest and what makes the folder count as restored.
    pub(crate) fn finish(&self, manifest: &[u8]) -> Result<(), Error> {
        self.write(MANIFEST, manifest)?;
        let metadata = Metadata { manifest_digest: Digest::of(manifest), files: BTreeMap::new() };
        self.write_metadata(&metadata)
    }

    /// Writes what makes the folder of a local package count as restored.
    pub(crate) fn finish_package(&self, package: &Digest, files: &[(String, Vec<u8>)]) -> Result<(), Error> {
        let describe = |bytes: &[u8]| FileMetadata {
            digest: Digest::of(bytes),
            size: u64::try_from(bytes.len()).unwrap_or(u64::MAX),
        };
        let files = files.iter().map(|(name, bytes)| (name.clone(), describe(bytes))).collect();
        self.write_metadata(&Metadata { manifest_digest: package.clone(), files })
    }

    fn write_metadata(&self, metadata: &Metadata) -> Result<(), Error> {
        let path = self.folder.join(METADATA);
        let bytes =
            serde_json::to_vec(metadata).map_err(|error| Error::Disk { path, error: error.into() })?;
        self.write(METADATA, &bytes)
    }

    /// Removes what a process left that was stopped while it wrote.
    fn remove_leftovers(&self) {
        let Ok(entries) = self.folder.read_dir_utf8() else { return };
        for entry in entries.flatten().filter(|entry| entry.file_name().starts_with(PARTIAL)) {
            // What cannot be removed only takes space.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// Which digest an artifact must have.
fn expected_digest(reference: &OciReference, pinned: Option<&Digest>) -> Option<Digest> {
    match &reference.version {
        Version::Digest(digest) => Digest::parse(digest),
        Version::Tag(_) => pinned.cloned(),
    }
}

/// The same artifact by content.
pub(crate) fn at_digest(reference: &OciReference, digest: &Digest) -> OciReference {
    OciReference { version: Version::Digest(digest.as_str().into()), ..reference.clone() }
}

/// A tag as the name of a folder that differs from that of any other tag even where letter case does not count: the
/// tag, `$`, and the positions of capital letters as a hexadecimal number.
fn encode_tag(tag: &str) -> String {
    let capitals = tag.bytes().take(128).enumerate().filter(|(_, byte)| byte.is_ascii_uppercase());
    let mask = capitals.fold(0u128, |mask, (at, _)| mask | 1 << at);
    if mask == 0 { format!("{tag}$") } else { format!("{tag}${mask:x}") }
}

fn digest_of_file(path: &Utf8Path) -> Result<Digest, Error> {
    let mut file = File::open(path).map_err(Error::disk(path))?;
    let mut hasher = Hasher::default();
    let mut buffer = vec![0; 64 << 10];
    loop {
        match file.read(&mut buffer).map_err(Error::disk(path))? {
            0 => return Ok(hasher.finish()),
            count => hasher.update(buffer.get(..count).unwrap_or_default()),
        }
    }
}

/// A small file; nothing when it is not there.
fn read_limited(path: &Utf8Path) -> Result<Option<Vec<u8>>, Error> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(Error::Disk { path: path.to_owned(), error }),
    };
    let mut bytes = Vec::new();
    file.take(MAX_MANIFEST + 1).read_to_end(&mut bytes).map_err(Error::disk(path))?;
    if bytes.len() as u64 > MAX_MANIFEST {
        return Err(Error::TooLarge { what: format!("\"{path}\""), limit: MAX_MANIFEST });
    }
    Ok(Some(bytes))
}

/// Temporary files are private; files of the cache are not, and programs can be run.
#[cfg(unix)]
pub(crate) fn set_mode(file: &File, executable: bool) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    file.set_permissions(std::fs::Permissions::from_mode(if executable { 0o755 } else { 0o644 }))
}

#[cfg(not(unix))]
pub(crate) fn set_mode(_file: &File, _executable: bool) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_those_of_the_reference_implementation() {
        let check = |reference: &str, expected: &str| {
            let reference = OciReference::parse(reference).unwrap();
            assert_eq!(Cache::new("/c").folder(&reference), expected);
        };
        check("br:Example.azurecr.io/a/b-c/d:v1", "/c/br/example.azurecr.io/a$b-c$d/v1$");
        check("br:localhost:5000/x:V1", "/c/br/localhost$5000/x/V1$1");
        check("br:h.io/x:aBcD", "/c/br/h.io/x/aBcD$a");
        let long = format!("{}B", "a".repeat(64));
        check(&format!("br:h.io/x:{long}"), &format!("/c/br/h.io/x/{long}$10000000000000000"));
        let digest = "0123456789abcdef".repeat(4);
        check(&format!("br:h.io/x@sha256:{digest}"), &format!("/c/br/h.io/x/sha256#{digest}"));
    }
}
