//! Packages of types: made from a folder with an `index.json`, and the form they have as a local file.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use serde_json::Value;

use crate::archive;
use crate::cache::{self, Cache, Depth, Lookup, Stored, Writer};
use crate::digest::Digest;
use crate::error::Error;
use crate::manifest::{ARCHITECTURES, BINARY, TYPES, architecture};

/// A package of types, with a program for some architectures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtensionPackage {
    /// `types.tgz`.
    pub types: Vec<u8>,
    /// Programs by architecture; see [`ARCHITECTURES`].
    pub binaries: BTreeMap<String, Vec<u8>>,
}

/// Larger packages are not read into memory.
const MAX_PACKAGE: u64 = 1 << 30;

impl ExtensionPackage {
    /// Packs the types that an `index.json` names.
    pub fn from_index(index: &Utf8Path) -> Result<Self, Error> {
        Ok(Self { types: pack_types(index)?, binaries: BTreeMap::new() })
    }

    /// Reads a package from the bytes of a local file.
    pub fn read(bytes: &[u8]) -> Result<Self, Error> {
        let mut files = archive::read(bytes, archive::Limits { bytes: MAX_PACKAGE, entries: 64 })?;
        let Some(types) = files.remove(Utf8Path::new(TYPES)) else {
            return Err(Error::Archive(format!("it is not an extension package: it has no \"{TYPES}\"")));
        };
        let binary =
            |name: &&str| Some(((*name).to_owned(), files.remove(Utf8Path::new(&format!("{name}.bin")))?));
        let binaries = ARCHITECTURES.iter().filter_map(binary).collect();
        Ok(Self { types, binaries })
    }

    /// The bytes of a local file.
    pub fn write(&self) -> Result<Vec<u8>, Error> {
        let binaries: Vec<_> =
            self.binaries.iter().map(|(name, bytes)| (format!("{name}.bin"), bytes.as_slice())).collect();
        let binaries = binaries.iter().map(|(name, bytes)| (name.as_str(), *bytes));
        archive::write([(TYPES, self.types.as_slice())].into_iter().chain(binaries))
    }
}

/// The package in a local file, if it has been put into the cache.
pub(crate) fn find(cache: &Cache, path: &Utf8Path, depth: Depth) -> Result<(Digest, Lookup), Error> {
    let digest = Digest::of(&read_package(path)?);
    let found = cache::examine(&cache.package_folder(&digest), Some(&digest), depth);
    Ok((digest, found))
}

/// Puts the package in a local file into the cache.
pub(crate) async fn restore(
    cache: &Cache,
    path: &Utf8Path,
    patience: std::time::Duration,
) -> Result<Stored, Error> {
    if let (_, Lookup::Found(stored)) = find(cache, path, Depth::Content)? {
        return Ok(stored);
    }
    let bytes = read_package(path)?;
    let digest = Digest::of(&bytes);
    let package = ExtensionPackage::read(&bytes)?;
    let writer = Writer::lock(&cache.package_folder(&digest), patience).await?;
    let mut files = vec![(TYPES.to_owned(), package.types)];
    let ours = architecture().and_then(|name| package.binaries.get(name));
    files.extend(ours.map(|bytes| (BINARY.to_owned(), bytes.clone())));
    writer.begin()?;
    for (name, bytes) in &files {
        writer.write(name, bytes)?;
    }
    writer.finish_package(&digest, &files)?;
    match cache::examine(writer.folder(), Some(&digest), Depth::Content) {
        Lookup::Found(stored) => Ok(stored),
        Lookup::Unusable(error) => Err(error),
        Lookup::Missing => Err(Error::Archive("it cannot be kept in the cache".to_owned())),
    }
}

fn read_package(path: &Utf8Path) -> Result<Vec<u8>, Error> {
    let length = std::fs::metadata(path).map_err(Error::disk(path))?.len();
    if length > MAX_PACKAGE {
        return Err(Error::TooLarge { what: format!("\"{path}\""), limit: MAX_PACKAGE });
    }
    std::fs::read(path).map_err(Error::disk(path))
}

/// `types.tgz` of an `index.json` and every file that it refers to.
fn pack_types(index: &Utf8Path) -> Result<Vec<u8>, Error> {
    let folder = index.parent().unwrap_or(Utf8Path::new(""));
    let index_bytes = std::fs::read(index).map_err(Error::disk(index))?;
    let value = parse(index, &index_bytes)?;
    let mut wanted = BTreeMap::<Utf8PathBuf, BTreeSet<u64>>::new();
    collect_references(&value, &mut wanted)?;
    if wanted.is_empty() {
        return Err(Error::Archive(format!("\"{index}\" refers to no types")));
    }
    let mut files = Vec::new();
    for (path, positions) in &wanted {
        let full = folder.join(path);
        let bytes = std::fs::read(&full).map_err(Error::disk(&full))?;
        let Value::Array(types) = parse(&full, &bytes)? else {
            return Err(Error::Archive(format!("\"{full}\" is not a list of types")));
        };
        let count = types.len() as u64;
        if let Some(position) = positions.iter().find(|position| **position >= count) {
            let reason =
                format!("\"{index}\" refers to type {position} of \"{path}\", which has only {count}");
            return Err(Error::Archive(reason));
        }
        files.push((path.as_str(), bytes));
    }
    let index_entry = ("index.json", index_bytes.as_slice());
    archive::write(
        [index_entry].into_iter().chain(files.iter().map(|(path, bytes)| (*path, bytes.as_slice()))),
    )
}

fn parse(path: &Utf8Path, bytes: &[u8]) -> Result<Value, Error> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    serde_json::from_slice(bytes)
        .map_err(|error| Error::Archive(format!("\"{path}\" is not valid JSON: {error}")))
}

/// Every `"$ref": "path#/position"`, wherever it stands. The reader limits how deep a value nests.
fn collect_references(value: &Value, wanted: &mut BTreeMap<Utf8PathBuf, BTreeSet<u64>>) -> Result<(), Error> {
    match value {
        Value::Object(members) => {
            for (key, member) in members {
                match member {
                    Value::String(text) if key == "$ref" => {
                        let (path, position) = split_reference(text)?;
                        wanted.entry(path).or_default().insert(position);
                    }
                    member => collect_references(member, wanted)?,
                }
            }
            Ok(())
        }
        Value::Array(items) => items.iter().try_for_each(|item| collect_references(item, wanted)),
        _ => Ok(()),
    }
}

fn split_reference(text: &str) -> Result<(Utf8PathBuf, u64), Error> {
    let wrong = || Error::Archive(format!("\"{text}\" is not a reference to a type"));
    let (path, position) = text.split_once("#/").ok_or_else(wrong)?;
    let is_inside = |component| matches!(component, Utf8Component::Normal(_));
    if path.is_empty() || path.contains(['\\', ':']) || !Utf8Path::new(path).components().all(is_inside) {
        return Err(wrong());
    }
    Ok((path.into(), position.parse().map_err(|_| wrong())?))
}
