//! Container images as folders of files. A reference comes in; a folder of the cache goes out that holds what the image
//! has below one path, its layers laid over each other.

use std::collections::BTreeMap;
use std::io::Read;

use camino::{Utf8Path, Utf8PathBuf};
use config::reference::{OciReference, Version};
use flate2::read::MultiGzDecoder;
use serde::Deserialize;

use crate::archive::{Limits, safe_path};
use crate::client::{Client, Patience, RepositoryTarget};
use crate::digest::Digest;
use crate::error::Error;
use crate::manifest::Descriptor;
use crate::runtime;

/// What to take of an image, and where it is kept.
#[derive(Debug, Clone)]
pub struct ImageOptions {
    /// The path in the image; nothing else is unpacked.
    pub path: Utf8PathBuf,
    /// The folder of unpacked images.
    pub cache: Utf8PathBuf,
    /// Docker's configuration, for credentials.
    pub docker_config: Option<Utf8PathBuf>,
}

/// Unpacks a part of an image, unless it is in the cache. An image is known by the digest of its manifest.
pub fn unpack_image(reference: &OciReference, options: &ImageOptions) -> Result<Utf8PathBuf, Error> {
    runtime::run(unpack(reference, options))
}

/// An image of one platform, or the list of all.
#[derive(Deserialize)]
struct ImageManifest {
    #[serde(default)]
    layers: Vec<Descriptor>,
    #[serde(default)]
    manifests: Vec<Descriptor>,
}

/// How large a layer may be.
const MAX_LAYER: u64 = 512 << 20;

async fn unpack(reference: &OciReference, options: &ImageOptions) -> Result<Utf8PathBuf, Error> {
    let client = Client::new(Patience::default(), options.docker_config.clone())?;
    let target = RepositoryTarget::pull(reference);
    let version = match &reference.version {
        Version::Tag(tag) => tag.clone(),
        Version::Digest(digest) => digest.clone(),
    };
    let mut bytes = client.image_manifest(target, &version).await?;
    let mut manifest = read(&bytes)?;
    if let Some(first) = manifest.manifests.first() {
        // Modules are the same on every platform.
        bytes = client.image_manifest(target, first.digest.as_str()).await?;
        manifest = read(&bytes)?;
    }
    let folder = options.cache.join(Digest::of(&bytes).hex());
    if folder.is_dir() {
        return Ok(folder);
    }
    let mut files = BTreeMap::new();
    for layer in &manifest.layers {
        let bytes = client.whole_blob(target, &layer.digest, MAX_LAYER).await?;
        apply(&bytes, &options.path, &mut files)?;
    }
    write(&files, &folder)?;
    Ok(folder)
}

fn read(bytes: &[u8]) -> Result<ImageManifest, Error> {
    serde_json::from_slice(bytes).map_err(|error| Error::Manifest(error.to_string()))
}

type Files = BTreeMap<Utf8PathBuf, Vec<u8>>;

/// What the name of a file starts with that hides one of the layers below.
const WHITEOUT: &str = ".wh.";
/// The file that hides everything in its folder of the layers below.
const OPAQUE: &str = ".wh..wh..opq";

/// Lays a layer over those below it. Links are left out: modules are files.
fn apply(layer: &[u8], root: &Utf8Path, files: &mut Files) -> Result<(), Error> {
    let invalid = |error: std::io::Error| Error::Archive(error.to_string());
    let limits = Limits::default();
    let content: Box<dyn Read + '_> =
        if layer.starts_with(&[0x1f, 0x8b]) { Box::new(MultiGzDecoder::new(layer)) } else { Box::new(layer) };
    let mut archive = tar::Archive::new(content.take(limits.bytes));
    let mut own = Files::new();
    for entry in archive.entries().map_err(invalid)? {
        let mut entry = entry.map_err(invalid)?;
        let path = safe_path(&entry.path_bytes())?;
        let Ok(inside) = path.strip_prefix(root).map(Utf8Path::to_owned) else { continue };
        let folder = inside.parent().unwrap_or_else(|| Utf8Path::new("")).to_owned();
        match inside.file_name() {
            Some(OPAQUE) => files.retain(|file, _| !file.starts_with(&folder)),
            Some(name) if name.starts_with(WHITEOUT) => {
                let hidden = folder.join(name.trim_start_matches(WHITEOUT));
                files.retain(|file, _| !file.starts_with(&hidden));
            }
            Some(_) if entry.header().entry_type().is_file() => {
                let mut bytes = Vec::new();
                entry.read_to_end(&mut bytes).map_err(invalid)?;
                own.insert(inside, bytes);
            }
            _ => {}
        }
        if own.len() > limits.entries {
            return Err(Error::Archive(format!("it has more than {} entries", limits.entries)));
        }
    }
    files.append(&mut own);
    Ok(())
}

/// Writes the files to a new folder, all of them or none.
fn write(files: &Files, folder: &Utf8Path) -> Result<(), Error> {
    let parent = folder.parent().unwrap_or(folder);
    std::fs::create_dir_all(parent).map_err(Error::disk(parent))?;
    let temporary = tempfile::tempdir_in(parent).map_err(Error::disk(parent))?;
    let staged = Utf8Path::from_path(temporary.path()).unwrap_or(parent).join("image");
    std::fs::create_dir_all(&staged).map_err(Error::disk(&staged))?;
    for (path, bytes) in files {
        let target = staged.join(path);
        let inner = target.parent().unwrap_or(&staged);
        std::fs::create_dir_all(inner).map_err(Error::disk(inner))?;
        std::fs::write(&target, bytes).map_err(Error::disk(&target))?;
    }
    match std::fs::rename(&staged, folder) {
        // Another process may have been faster.
        Err(_) if folder.is_dir() => Ok(()),
        result => result.map_err(Error::disk(folder)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive;

    #[test]
    fn later_layers_hide_what_is_below() {
        let layer = |files: &[(&str, &str)]| {
            archive::write(files.iter().map(|(path, text)| (*path, text.as_bytes()))).unwrap()
        };
        let mut files = Files::new();
        let first = layer(&[("m/a.js", "a1"), ("m/b.js", "b"), ("m/c/d.js", "d"), ("etc/x", "x")]);
        let second =
            layer(&[("m/a.js", "a2"), ("m/.wh.b.js", ""), ("m/c/.wh..wh..opq", ""), ("m/c/e.js", "e")]);
        for layer in [first, second] {
            apply(&layer, "m".into(), &mut files).unwrap();
        }
        let shown: Vec<_> =
            files.iter().map(|(path, text)| format!("{path} {}", String::from_utf8_lossy(text))).collect();
        assert_eq!(shown, ["a.js a2", "c/e.js e"]);
    }
}
