//! `sinew.lock.json`: which content each reference means. Restoring writes it; building holds to it.

use std::collections::BTreeMap;
use std::io::Write as _;

use camino::{Utf8Path, Utf8PathBuf};
use config::Config;
use config::reference::ArtifactKind;
use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::error::Error;

/// The name of the file.
pub const LOCK_FILE_NAME: &str = "sinew.lock.json";

/// The content that each reference means.
#[derive(Debug, Clone)]
pub struct LockFile {
    path: Utf8PathBuf,
    artifacts: BTreeMap<String, Locked>,
}

/// What a reference means.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Locked {
    #[serde(with = "kind")]
    /// What it leads to.
    pub kind: ArtifactKind,
    /// The digest of the manifest, or of a local package as a whole.
    pub digest: Digest,
}

#[derive(Serialize, Deserialize)]
struct LockFileContent {
    version: u32,
    artifacts: BTreeMap<String, Locked>,
}

const VERSION: u32 = 1;

impl LockFile {
    /// Where the lock file of a source file lies: beside its configuration file, else beside itself.
    pub fn path_for(source: &Utf8Path, config: &Config) -> Utf8PathBuf {
        let beside = config.path().unwrap_or(source);
        beside.parent().unwrap_or(Utf8Path::new("")).join(LOCK_FILE_NAME)
    }

    /// Reads a lock file; one that does not exist locks nothing.
    pub fn load(path: impl Into<Utf8PathBuf>) -> Result<Self, Error> {
        let path = path.into();
        let unusable = |reason: String| Error::LockFile { file: path.clone(), reason };
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Self { path, artifacts: BTreeMap::new() });
            }
            Err(error) => return Err(Error::Disk { path, error }),
        };
        let written: LockFileContent =
            serde_json::from_slice(&bytes).map_err(|error| unusable(error.to_string()))?;
        if written.version != VERSION {
            return Err(unusable(format!(
                "its version is {}, this program knows {VERSION}",
                written.version
            )));
        }
        Ok(Self { path, artifacts: written.artifacts })
    }

    /// Where it lies.
    pub fn path(&self) -> &Utf8Path {
        &self.path
    }

    /// What a reference means, if the file says it.
    pub fn get(&self, reference: &str) -> Option<&Locked> {
        self.artifacts.get(reference)
    }

    /// The name of a local package in the file: its path from the lock file, when it lies below.
    pub fn package_name(&self, package: &Utf8Path) -> String {
        let folder = self.path.parent().unwrap_or(Utf8Path::new(""));
        package.strip_prefix(folder).unwrap_or(package).as_str().replace('\\', "/")
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.artifacts.is_empty()
    }

    pub(crate) fn set(&mut self, reference: String, locked: Locked) {
        self.artifacts.insert(reference, locked);
    }

    /// Writes the file in one step.
    pub(crate) fn save(&self) -> Result<(), Error> {
        let written = LockFileContent { version: VERSION, artifacts: self.artifacts.clone() };
        let failed = |error: std::io::Error| Error::Disk { path: self.path.clone(), error };
        let mut text = serde_json::to_string_pretty(&written).map_err(|error| failed(error.into()))?;
        text.push('\n');
        let folder =
            self.path.parent().filter(|folder| !folder.as_str().is_empty()).unwrap_or(Utf8Path::new("."));
        let mut file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
        file.write_all(text.as_bytes()).map_err(failed)?;
        let file = file.persist(&self.path).map_err(|error| failed(error.error))?;
        crate::cache::set_mode(&file, false).map_err(failed)
    }
}

mod kind {
    use config::reference::ArtifactKind;
    use serde::{Deserialize as _, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(kind: &ArtifactKind, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(kind.name())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<ArtifactKind, D::Error> {
        match String::deserialize(deserializer)?.as_str() {
            "module" => Ok(ArtifactKind::Module),
            "extension" => Ok(ArtifactKind::Extension),
            other => Err(serde::de::Error::custom(format!("\"{other}\" is not a kind of artifact"))),
        }
    }
}
