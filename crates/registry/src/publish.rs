//! Publishing: a compiled module or a package of types goes into a registry, or a package into a file.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::time::{SystemTime, UNIX_EPOCH};

use camino::{Utf8Path, Utf8PathBuf};
use config::reference::{OciReference, Version};
use serde_json::json;

use crate::client::{Client, Patience, RepositoryTarget};
use crate::digest::Digest;
use crate::error::Error;
use crate::extension::ExtensionPackage;
use crate::manifest::{BINARY, Descriptor, Manifest, TYPES, annotation, media};
use crate::runtime;

/// Where to publish and how.
pub struct PublishOptions {
    /// Under which reference.
    pub target: OciReference,
    /// Whether to replace what is there under the same tag.
    pub force: bool,
    /// When the artifact was made, in seconds since 1970; now when it is not said.
    pub created: Option<u64>,
    /// How often and how patiently the registry is asked.
    pub patience: Patience,
    /// The Docker configuration, for credentials.
    pub docker_config: Option<Utf8PathBuf>,
}

impl PublishOptions {
    /// What a user gets who says nothing.
    pub fn new(target: OciReference) -> Self {
        Self { target, force: false, created: None, patience: Patience::default(), docker_config: None }
    }
}

/// A module to publish.
pub struct Module<'a> {
    /// The compiled template.
    pub template: &'a [u8],
    /// The archive with its sources.
    pub sources: Option<&'a [u8]>,
    /// A page about it.
    pub documentation_uri: Option<&'a str>,
}

/// Publishes a module. Gives the digest of its manifest.
pub fn publish(module: &Module<'_>, options: &PublishOptions) -> Result<Digest, Error> {
    let template: serde_json::Value = serde_json::from_slice(module.template)
        .map_err(|error| Error::Manifest(format!("the template is not valid JSON: {error}")))?;
    let description = template.pointer("/metadata/description").and_then(|text| text.as_str());
    let mut layers = vec![Layer::new(module.template, media::MODULE_TEMPLATE, "Compiled ARM template")];
    layers.extend(module.sources.map(|bytes| Layer::new(bytes, media::MODULE_SOURCES, "Source files")));
    let mut annotations = BTreeMap::new();
    let described =
        [(annotation::DESCRIPTION, description), (annotation::DOCUMENTATION, module.documentation_uri)];
    for (key, text) in described {
        if let Some(text) = text.filter(|text| !text.trim().is_empty()) {
            annotations.insert(key.to_owned(), text.to_owned());
        }
    }
    let config = Layer::new(b"{}", media::MODULE_CONFIG, "");
    push(Parts { artifact_type: media::MODULE_ARTIFACT, config, layers, annotations }, options)
}

/// Publishes a package of types. Gives the digest of its manifest.
pub fn publish_extension(package: &ExtensionPackage, options: &PublishOptions) -> Result<Digest, Error> {
    let config = match package.binaries.is_empty() {
        true => json!({}),
        false => json!({
            "localDeployEnabled": true,
            "supportedArchitectures": package.binaries.keys().collect::<Vec<_>>(),
        }),
    };
    let config = config.to_string();
    let mut layers = vec![Layer::new(&package.types, media::EXTENSION_TYPES, TYPES)];
    for (architecture, bytes) in &package.binaries {
        layers.push(Layer::new(bytes, &media::extension_binary(architecture), BINARY));
    }
    let annotations = BTreeMap::from([(annotation::SERIALIZATION_FORMAT.to_owned(), "v1".to_owned())]);
    let config = Layer::new(config.as_bytes(), media::EXTENSION_CONFIG, "");
    push(Parts { artifact_type: media::EXTENSION_ARTIFACT, config, layers, annotations }, options)
}

/// Writes a package of types into a file, in one step.
pub fn write_extension(package: &ExtensionPackage, path: &Utf8Path) -> Result<(), Error> {
    let bytes = package.write()?;
    let folder = path.parent().filter(|folder| !folder.as_str().is_empty()).unwrap_or(Utf8Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(Error::disk(path))?;
    file.write_all(&bytes).map_err(Error::disk(path))?;
    let file =
        file.persist(path).map_err(|error| Error::Disk { path: path.to_owned(), error: error.error })?;
    crate::cache::set_mode(&file, false).map_err(Error::disk(path))
}

/// Content with its description.
struct Layer<'a> {
    bytes: &'a [u8],
    descriptor: Descriptor,
}

impl<'a> Layer<'a> {
    fn new(bytes: &'a [u8], media_type: &str, title: &str) -> Self {
        Self { bytes, descriptor: Descriptor::of(bytes, media_type, title) }
    }
}

/// What an artifact is made of.
struct Parts<'a> {
    artifact_type: &'static str,
    config: Layer<'a>,
    layers: Vec<Layer<'a>>,
    annotations: BTreeMap<String, String>,
}

fn push(parts: Parts<'_>, options: &PublishOptions) -> Result<Digest, Error> {
    let Version::Tag(tag) = &options.target.version else { return Err(Error::NoTag) };
    let Parts { artifact_type, config, layers, mut annotations } = parts;
    annotations.insert(annotation::CREATED.to_owned(), timestamp(options.created.unwrap_or_else(now)));
    let manifest = Manifest {
        schema_version: 2,
        media_type: Some(media::MANIFEST.to_owned()),
        artifact_type: Some(artifact_type.to_owned()),
        config: config.descriptor.clone(),
        layers: layers.iter().map(|layer| layer.descriptor.clone()).collect(),
        annotations,
    };
    let manifest = serde_json::to_vec(&manifest).map_err(|error| Error::Manifest(error.to_string()))?;
    let client = Client::new(options.patience, options.docker_config.clone())?;
    let target = RepositoryTarget::push(&options.target);
    runtime::run(async {
        if !options.force && client.has_manifest(target, tag).await? {
            return Err(Error::Exists);
        }
        for layer in layers.iter().chain([&config]) {
            client.put_blob(target, &layer.descriptor, layer.bytes).await?;
        }
        client.put_manifest(target, tag, &manifest).await?;
        Ok(Digest::of(&manifest))
    })
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// Seconds since 1970 as RFC 3339 in UTC.
fn timestamp(seconds: u64) -> String {
    let seconds = i64::try_from(seconds).ok().and_then(|seconds| jiff::Timestamp::from_second(seconds).ok());
    seconds.unwrap_or(jiff::Timestamp::MAX).to_string()
}

#[cfg(test)]
mod tests {
    use super::timestamp;

    #[test]
    fn times_are_written_as_people_write_them() {
        assert_eq!(timestamp(0), "1970-01-01T00:00:00Z");
        assert_eq!(timestamp(951_782_399), "2000-02-28T23:59:59Z");
        assert_eq!(timestamp(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(timestamp(1_709_210_096), "2024-02-29T12:34:56Z");
        assert_eq!(timestamp(1_735_689_600), "2025-01-01T00:00:00Z");
    }
}
