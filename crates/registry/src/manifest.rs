//! The manifest of an artifact: which layers it has and what they are.

use std::collections::BTreeMap;

use config::reference::ArtifactKind;
use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::error::Error;

/// Media types and names that the reference implementation uses; media types compare without letter case.
pub mod media {
    /// The manifest itself.
    pub const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
    /// An artifact that is a module.
    pub const MODULE_ARTIFACT: &str = "application/vnd.ms.bicep.module.artifact";
    /// The configuration of a module.
    pub const MODULE_CONFIG: &str = "application/vnd.ms.bicep.module.config.v1+json";
    /// The compiled template of a module.
    pub const MODULE_TEMPLATE: &str = "application/vnd.ms.bicep.module.layer.v1+json";
    /// The sources of a module.
    pub const MODULE_SOURCES: &str = "application/vnd.ms.bicep.module.source.v1.tar+gzip";
    /// An artifact that is an extension.
    pub const EXTENSION_ARTIFACT: &str = "application/vnd.ms.bicep.provider.artifact";
    /// The configuration of an extension.
    pub const EXTENSION_CONFIG: &str = "application/vnd.ms.bicep.provider.config.v1+json";
    /// The types of an extension.
    pub const EXTENSION_TYPES: &str = "application/vnd.ms.bicep.provider.layer.v1.tar+gzip";

    /// The program of an extension for one architecture.
    pub fn extension_binary(architecture: &str) -> String {
        format!("application/vnd.ms.bicep.provider.layer.v1.{architecture}.binary")
    }
}

/// Keys of annotations.
pub mod annotation {
    /// A page about the artifact.
    pub const DOCUMENTATION: &str = "org.opencontainers.image.documentation";
    /// What the artifact is.
    pub const DESCRIPTION: &str = "org.opencontainers.image.description";
    /// When it was made.
    pub const CREATED: &str = "org.opencontainers.image.created";
    /// The name of a layer.
    pub const TITLE: &str = "org.opencontainers.image.title";
    /// The format of an extension's types.
    pub const SERIALIZATION_FORMAT: &str = "bicep.serialization.format";
}

/// Larger manifests are refused.
pub(crate) const MAX_MANIFEST: u64 = 4 << 20;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    /// Always 2.
    pub schema_version: u32,
    /// What the manifest is.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub media_type: Option<String>,
    /// What the artifact is; a module when it is not said.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub artifact_type: Option<String>,
    /// Its configuration.
    pub config: Descriptor,
    /// Its content.
    #[serde(default)]
    pub layers: Vec<Descriptor>,
    /// What else is said about it.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub annotations: BTreeMap<String, String>,
}

/// A piece of content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Descriptor {
    /// What it is.
    pub media_type: String,
    /// Which bytes it is.
    pub digest: Digest,
    /// How many bytes it has.
    pub size: u64,
    /// What else is said about it.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub annotations: BTreeMap<String, String>,
}

impl Descriptor {
    /// The descriptor of some bytes, with a title if it is not empty.
    pub(crate) fn of(bytes: &[u8], media_type: &str, title: &str) -> Self {
        let annotations = match title {
            "" => BTreeMap::new(),
            title => BTreeMap::from([(annotation::TITLE.to_owned(), title.to_owned())]),
        };
        let size = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        Self { media_type: media_type.to_owned(), digest: Digest::of(bytes), size, annotations }
    }
}

impl Manifest {
    /// Reads a manifest and checks that it is one of ours; says of which kind.
    pub fn read(bytes: &[u8]) -> Result<(Self, ArtifactKind), Error> {
        let manifest: Self =
            serde_json::from_slice(bytes).map_err(|error| Error::Manifest(error.to_string()))?;
        if manifest.schema_version != 2 {
            return Err(Error::Manifest(format!("its schema version is {}, not 2", manifest.schema_version)));
        }
        let kind = manifest.kind()?;
        let config = match kind {
            ArtifactKind::Module => media::MODULE_CONFIG,
            ArtifactKind::Extension => media::EXTENSION_CONFIG,
        };
        let found = &manifest.config.media_type;
        if !found.eq_ignore_ascii_case(config) {
            return Err(Error::Manifest(format!("its configuration has the unknown type \"{found}\"")));
        }
        manifest.main_layer(kind)?;
        Ok((manifest, kind))
    }

    /// What the artifact is; a module when it is not said.
    fn kind(&self) -> Result<ArtifactKind, Error> {
        match self.artifact_type.as_deref() {
            None => Ok(ArtifactKind::Module),
            Some(kind) if kind.eq_ignore_ascii_case(media::MODULE_ARTIFACT) => Ok(ArtifactKind::Module),
            Some(kind) if kind.eq_ignore_ascii_case(media::EXTENSION_ARTIFACT) => Ok(ArtifactKind::Extension),
            Some(other) => Err(Error::Manifest(format!("its artifact type \"{other}\" is not known"))),
        }
    }

    /// The layer that makes the artifact: the template of a module, the types of an extension.
    pub fn main_layer(&self, kind: ArtifactKind) -> Result<&Descriptor, Error> {
        let media_type = match kind {
            ArtifactKind::Module => media::MODULE_TEMPLATE,
            ArtifactKind::Extension => media::EXTENSION_TYPES,
        };
        let mut found = self.layers.iter().filter(|layer| layer.media_type.eq_ignore_ascii_case(media_type));
        match (found.next(), found.next()) {
            (Some(layer), None) => Ok(layer),
            (None, _) => Err(Error::Manifest(format!("it has no layer of type \"{media_type}\""))),
            (Some(_), Some(_)) => {
                Err(Error::Manifest(format!("it has several layers of type \"{media_type}\"")))
            }
        }
    }

    /// A layer by its media type.
    pub fn layer(&self, media_type: &str) -> Option<&Descriptor> {
        self.layers.iter().find(|layer| layer.media_type.eq_ignore_ascii_case(media_type))
    }

    /// The files that the cache keeps of this artifact, each with what it holds. The main one comes first.
    pub(crate) fn files(
        &self,
        kind: ArtifactKind,
        architecture: Option<&str>,
    ) -> Result<Vec<(&'static str, &Descriptor)>, Error> {
        let main = self.main_layer(kind)?;
        let mut files = Vec::new();
        match kind {
            ArtifactKind::Module => {
                files.push((MAIN, main));
                files.extend(self.layer(media::MODULE_SOURCES).map(|layer| (SOURCES, layer)));
            }
            ArtifactKind::Extension => {
                files.push((TYPES, main));
                let binary = architecture.and_then(|name| self.layer(&media::extension_binary(name)));
                files.extend(binary.map(|layer| (BINARY, layer)));
            }
        }
        Ok(files)
    }
}

/// The template of a module.
pub const MAIN: &str = "main.json";
/// The sources of a module.
pub const SOURCES: &str = "source.tgz";
/// The types of an extension.
pub const TYPES: &str = "types.tgz";
/// The program of an extension.
pub const BINARY: &str = "extension.bin";

/// The name of this machine's architecture in media types; none where extensions have no programs.
pub fn architecture() -> Option<&'static str> {
    match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => Some("linux-x64"),
        ("linux", "aarch64") => Some("linux-arm64"),
        ("macos", "x86_64") => Some("osx-x64"),
        ("macos", "aarch64") => Some("osx-arm64"),
        ("windows", "x86_64") => Some("win-x64"),
        ("windows", "aarch64") => Some("win-arm64"),
        _ => None,
    }
}

/// Every architecture that an extension may have a program for.
pub const ARCHITECTURES: [&str; 6] =
    ["linux-x64", "linux-arm64", "osx-x64", "osx-arm64", "win-x64", "win-arm64"];
