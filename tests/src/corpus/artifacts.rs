//! Modules, template specs and extensions that cases refer to: made from the corpus and put where a restore would have
//! put them, so that no registry is needed.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use camino::{Utf8Path, Utf8PathBuf};
use config::reference::OciReference;
use registry::manifest::{Descriptor, Manifest, media};
use registry::{Cache, Digest, archive};
use serde_json::{Value, json};

use super::folder::{Copy, Patch};
use super::{Corpus, Kind, read_json, string};
use crate::program;

impl Corpus {
    /// Puts everything that cases refer to into the cache. A recording with a feature was made with modules that were
    /// published with it, so there is a cache for each such feature.
    pub fn install_artifacts(&self) -> Result<(), String> {
        self.install("")?;
        let checks = self.checks();
        let features = checks.iter().filter(|check| check.kind == Kind::Build).map(|check| &check.option);
        let features: BTreeSet<_> = features.filter(|feature| !feature.is_empty()).collect();
        features.into_iter().try_for_each(|feature| self.install(feature))
    }

    /// The cache of the artifacts that were published with a feature, or without any.
    pub(super) fn cache(&self, feature: &str) -> PathBuf {
        if feature.is_empty() { self.home.join("cache") } else { self.home.join("cache-with").join(feature) }
    }

    fn install(&self, feature: &str) -> Result<(), String> {
        let root = Utf8PathBuf::from_path_buf(self.cache(feature))
            .map_err(|_| "the name of the folder is not UTF-8".to_owned())?;
        let cache = Cache::new(root);
        for (target, source) in self.modules()? {
            let template = self.template(&source, feature)?;
            match (target.strip_prefix("br:"), target.strip_prefix("ts:")) {
                (Some(reference), _) => put(&cache, reference, &Layer::module(template))?,
                (_, Some(reference)) => {
                    let parts = reference.to_lowercase().replace(':', "/");
                    write(&cache.root().join("ts").join(parts).join("main.json"), &template)?;
                }
                _ => return Err(format!("{target} is no reference to an artifact")),
            }
        }
        for (reference, folder) in self.extensions()? {
            put(&cache, &reference, &Layer::extension(&folder)?)?;
        }
        Ok(())
    }

    /// What is published, with the file that it is made from.
    fn modules(&self) -> Result<Vec<(String, PathBuf)>, String> {
        let shared = self.root.join("mocks/modules");
        let index = read_json(&shared.join("index.json"))?;
        let listed = index.get("modules").and_then(Value::as_object).into_iter().flatten();
        let mut modules: Vec<(String, PathBuf)> = listed
            .map(|(target, file)| (target.clone(), shared.join(file.as_str().unwrap_or_default())))
            .collect();
        for case in &self.cases {
            let entry = self.root.join(string(case, "dir")).join(string(case, "entry"));
            for folder in ["Publish", "TemplateSpecs"] {
                for path in files_of(&entry.with_file_name(folder)) {
                    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
                    let Some(stem) = name.strip_suffix(".metadata.json") else { continue };
                    let target = string(&read_json(&path)?, "target").to_owned();
                    let beside = ["bicep", "json"].map(|it| path.with_file_name(format!("{stem}.{it}")));
                    modules.extend(beside.into_iter().find(|it| it.is_file()).map(|source| (target, source)));
                }
            }
        }
        Ok(modules)
    }

    /// The references to mocked extensions in the cases, with the folders of their types.
    fn extensions(&self) -> Result<BTreeSet<(String, PathBuf)>, String> {
        let mut found = BTreeSet::new();
        let mocks = self.root.join("mocks/extensions");
        for case in &self.cases {
            let needs = case.get("needs").and_then(Value::as_array).into_iter().flatten();
            let needs: Vec<&str> = needs.filter_map(Value::as_str).collect();
            if !needs.iter().any(|need| need.ends_with("extensions")) {
                continue;
            }
            let entry = self.root.join(string(case, "dir")).join(string(case, "entry"));
            for path in entry.parent().map(files_of).unwrap_or_default() {
                let Ok(text) = fs::read_to_string(&path) else { continue };
                for reference in text.split(['\'', '"']).filter_map(|text| text.strip_prefix("br:")) {
                    let mock = mock_of(reference).map(|name| mocks.join(name)).filter(|it| it.is_dir());
                    found.extend(mock.map(|folder| (reference.to_owned(), folder)));
                }
            }
        }
        Ok(found)
    }

    /// The template of a file: compiled, or that of a template spec.
    fn template(&self, source: &Path, feature: &str) -> Result<Vec<u8>, String> {
        if source.extension().is_some_and(|extension| extension == "json") {
            let spec = read_json(source)?;
            let template = spec.pointer("/properties/mainTemplate").unwrap_or(&spec);
            return Ok(json::to_pretty(template).into_bytes());
        }
        let copy = with_feature(source, feature).map_err(|error| format!("{}: {error}", source.display()))?;
        let entry = copy.as_ref().map_or(source, |copy| &copy.entry);
        let arguments = ["build".as_ref(), entry.as_os_str(), "--stdout".as_ref()];
        let ran =
            program::run(&self.program, arguments, &self.variables).map_err(|error| error.to_string())?;
        match ran.code {
            Some(0) => Ok(ran.stdout.trim_ascii_end().to_vec()),
            _ => Err(format!("{}: {}", source.display(), ran.errors())),
        }
    }
}

/// A copy of the folder of a file with a feature switched on, if there is one.
fn with_feature(source: &Path, feature: &str) -> std::io::Result<Option<Copy>> {
    let (Some(folder), Some(name)) = (source.parent(), source.file_name().and_then(|name| name.to_str()))
    else {
        return Ok(None);
    };
    if feature.is_empty() {
        return Ok(None);
    }
    let copy = Copy::new(folder, name)?;
    copy.patch(&Patch { features: vec![feature], ..Patch::default() })?;
    Ok(Some(copy))
}

/// The name of the mocked extension that a reference means: `…/extensions/NAME/v1:1.2.3`, but for one.
fn mock_of(reference: &str) -> Option<&str> {
    match reference.contains("/extensions/snapshot:") {
        true => Some("http"),
        false => reference.rsplit('/').nth(1),
    }
}

/// The content of an artifact.
struct Layer {
    name: &'static str,
    bytes: Vec<u8>,
    /// The media types of the artifact, its configuration and the content.
    types: [&'static str; 3],
}

impl Layer {
    fn module(bytes: Vec<u8>) -> Self {
        let types = [media::MODULE_ARTIFACT, media::MODULE_CONFIG, media::MODULE_TEMPLATE];
        Self { name: "main.json", bytes, types }
    }

    fn extension(folder: &Path) -> Result<Self, String> {
        let mut files = Vec::new();
        collect(folder, "", &mut files)?;
        let bytes = archive::write(files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())))
            .map_err(|error| error.to_string())?;
        let types = [media::EXTENSION_ARTIFACT, media::EXTENSION_CONFIG, media::EXTENSION_TYPES];
        Ok(Self { name: "types.tgz", bytes, types })
    }
}

/// Writes an artifact the way the cache keeps it.
fn put(cache: &Cache, reference: &str, layer: &Layer) -> Result<(), String> {
    let reference = OciReference::parse(reference).map_err(|problem| problem.message)?;
    let folder = cache.folder(&reference);
    let [artifact, config, content] = layer.types;
    let describe = |media_type: &str, bytes: &[u8]| Descriptor {
        media_type: media_type.to_owned(),
        digest: Digest::of(bytes),
        size: bytes.len() as u64,
        annotations: std::collections::BTreeMap::new(),
    };
    let manifest = Manifest {
        schema_version: 2,
        media_type: Some(media::MANIFEST.to_owned()),
        artifact_type: Some(artifact.to_owned()),
        config: describe(config, b"{}"),
        layers: vec![describe(content, &layer.bytes)],
        annotations: std::collections::BTreeMap::new(),
    };
    let manifest = serde_json::to_vec(&manifest).map_err(|error| error.to_string())?;
    write(&folder.join(layer.name), &layer.bytes)?;
    write(&folder.join("manifest"), &manifest)?;
    let metadata = json!({ "manifestDigest": Digest::of(&manifest).as_str() });
    write(&folder.join("metadata"), metadata.to_string().as_bytes())
}

fn write(path: &Utf8Path, bytes: &[u8]) -> Result<(), String> {
    let folder = path.parent().map(Utf8Path::to_owned).unwrap_or_default();
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(path, bytes))
        .map_err(|error| format!("{path}: {error}"))
}

/// The files of a folder, sorted; none where there is no folder.
fn files_of(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_file()).collect();
    files.sort();
    files
}

/// All files below a folder with their paths from there.
fn collect(folder: &Path, prefix: &str, into: &mut Vec<(String, Vec<u8>)>) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            collect(&entry.path(), &format!("{name}/"), into)?;
        } else {
            into.push((name, fs::read(entry.path()).map_err(failed)?));
        }
    }
    into.sort();
    Ok(())
}
