//! Packages of types become catalogues: a folder, an archive or a restored artifact comes in, a catalogue goes out.
//! Archives are read twice, once to find the package in them, so that they need not fit into memory.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;

use base::Severity;
use bicep_types::Catalogue;
use bicep_types::catalogue::{INDEX, Packer, pack};
use bicep_types::protocol::{self, Problem};
use camino::{Utf8Path, Utf8PathBuf};

use crate::archive::{self, Limits};
use crate::cache::{self, Cache};
use crate::error::Error;
use crate::manifest::TYPES;
use crate::mapped::Mapped;
use crate::{nupkg, zip};

/// A package that has been packed, with everything that is wrong with it.
#[derive(Debug)]
pub struct Packed {
    /// The catalogue.
    pub bytes: Vec<u8>,
    /// What is wrong with the package. An error means that something is missing in the catalogue.
    pub problems: Vec<Problem>,
}

impl Packed {
    /// The first problem that makes the catalogue incomplete.
    pub fn error(&self) -> Option<&Problem> {
        self.problems.iter().find(|problem| problem.diagnostic.severity == Severity::Error)
    }
}

/// Opens the catalogue in a file, by looking at its header only.
pub fn open_catalogue(path: &Utf8Path) -> Result<Catalogue, Error> {
    let bytes = Mapped::open(path).map_err(Error::disk(path))?;
    Catalogue::open(bytes).map_err(|error| Error::Catalogue { path: path.to_owned(), error })
}

/// Packs the package in a folder, which has an `index.json`. `origin` is what the catalogue says about itself.
pub fn pack_folder(folder: &Utf8Path, origin: &str) -> Result<Packed, Error> {
    let limit = Limits::default().bytes;
    let index = folder.join(INDEX);
    std::fs::metadata(&index).map_err(Error::disk(&index))?;
    let total = Cell::new(0u64);
    let (bytes, problems) = pack(origin, |path| {
        // What leaves the folder, cannot be read or is too much is missing, and the packer says so.
        let path = folder.join(archive::safe_path(path.as_bytes()).ok()?);
        total.set(total.get().saturating_add(path.metadata().ok()?.len()));
        if total.get() > limit { None } else { std::fs::read(path).ok() }
    });
    match total.get() > limit {
        true => Err(Error::TooLarge { what: format!("the package in \"{folder}\""), limit }),
        false => Ok(Packed { bytes, problems }),
    }
}

/// Packs the package in an archive (`.tar`, also compressed with gzip or zstd), in an extension package or in a .NET
/// package (`.nupkg`). `package` is the folder of `index.json` in the archive; without it the archive must have exactly
/// one.
pub fn pack_archive(bytes: &[u8], package: Option<&Utf8Path>, origin: &str) -> Result<Packed, Error> {
    if zip::is_start_of(bytes) {
        return nupkg::pack_nupkg(bytes, origin);
    }
    let mut found = survey(bytes)?;
    match (found.types.take(), package) {
        (Some(types), None) => pack_files(&types, &survey(&types)?.choose(None)?, origin),
        _ => pack_files(bytes, &found.choose(package)?, origin),
    }
}

/// The catalogue of an extension package that lies in a folder of the cache. The first time it is packed, which takes a
/// while for large packages; the result is kept in the cache.
pub fn restored_catalogue(cache: &Cache, folder: &Utf8Path) -> Result<Catalogue, Error> {
    let digest = cache::digest_of(folder, TYPES)?;
    let kept = cache.root().join("types").join(format!("{}.types", digest.hex()));
    if let Ok(catalogue) = open_catalogue(&kept)
        && catalogue.verify().is_ok()
    {
        return Ok(catalogue);
    }
    let bytes = cache::read_checked(folder, TYPES)?;
    let packed = pack_layer(&bytes, digest.as_str())?;
    // A cache that cannot be written is only slower.
    let _ = keep(&kept, &packed);
    Catalogue::open(packed).map_err(|error| Error::Catalogue { path: kept, error })
}

/// Packs `types.tgz`; anything wrong in it makes the whole unusable.
pub fn pack_layer(bytes: &[u8], origin: &str) -> Result<Vec<u8>, Error> {
    let packed = pack_archive(bytes, None, origin)?;
    match packed.error() {
        Some(problem) => {
            Err(Error::Types { file: problem.file.to_string(), reason: problem.diagnostic.message.clone() })
        }
        None => Ok(packed.bytes),
    }
}

/// Writes a file in one step.
pub(crate) fn keep(path: &Utf8Path, bytes: &[u8]) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Utf8Path::new(""));
    std::fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    cache::set_mode(file.as_file(), false)?;
    file.persist(path)?;
    Ok(())
}

/// What an archive holds, seen in one pass.
#[derive(Default)]
struct Survey {
    /// Every `index.json` by its folder.
    indexes: BTreeMap<Utf8PathBuf, Vec<u8>>,
    /// `types.tgz` of an extension package.
    types: Option<Vec<u8>>,
}

/// More packages are not looked for in one archive.
const MAX_PACKAGES: usize = 64;

fn survey(bytes: &[u8]) -> Result<Survey, Error> {
    let mut found = Survey::default();
    archive::walk(bytes, Limits::default(), |path, content| {
        let mut read = || {
            let mut file = Vec::new();
            content.read_to_end(&mut file).map_err(|error| Error::Archive(error.to_string()))?;
            Ok(file)
        };
        if path == TYPES {
            found.types = Some(read()?);
        } else if path.file_name() == Some(INDEX) {
            let folder = path.parent().unwrap_or(Utf8Path::new("")).to_owned();
            found.indexes.insert(folder, read()?);
            if found.indexes.len() > MAX_PACKAGES {
                return Err(Error::Archive(format!("it has more than {MAX_PACKAGES} files \"{INDEX}\"")));
            }
        }
        Ok(())
    })?;
    Ok(found)
}

/// A package within an archive.
struct Chosen {
    folder: Utf8PathBuf,
    index: Vec<u8>,
}

impl Survey {
    /// The package that is asked for, or the only one.
    fn choose(mut self, wanted: Option<&Utf8Path>) -> Result<Chosen, Error> {
        let folder = match wanted {
            Some(folder) => archive::safe_path(folder.as_str().as_bytes())?,
            None if self.indexes.contains_key(Utf8Path::new("")) => Utf8PathBuf::new(),
            None => match self.indexes.keys().collect::<Vec<_>>().as_slice() {
                [] => return Err(Error::Archive(format!("it has no \"{INDEX}\""))),
                [only] => (*only).clone(),
                several => return Err(Error::SeveralPackages(names(several))),
            },
        };
        match self.indexes.remove(&folder) {
            Some(index) => Ok(Chosen { folder, index }),
            None => {
                let there: Vec<_> = self.indexes.keys().collect();
                let reason =
                    format!("it has no \"{}\"; packages are in {}", folder.join(INDEX), names(&there));
                Err(Error::Archive(reason))
            }
        }
    }
}

fn names(folders: &[&Utf8PathBuf]) -> String {
    let shown = folders.iter().map(|folder| format!("\"{folder}\""));
    shown.collect::<Vec<_>>().join(", ")
}

fn pack_files(bytes: &[u8], chosen: &Chosen, origin: &str) -> Result<Packed, Error> {
    let (index, _) = protocol::read_index(INDEX, &chosen.index);
    let mut wanted: BTreeSet<String> = index.files().iter().map(ToString::to_string).collect();
    let mut packer = Packer::new(origin);
    let mut file = Vec::new();
    archive::walk(bytes, Limits::default(), |path, content| {
        let Ok(inside) = path.strip_prefix(&chosen.folder) else { return Ok(()) };
        // Each file is wanted once: a second one of the same name is not looked at.
        if wanted.remove(inside.as_str()) {
            file.clear();
            content.read_to_end(&mut file).map_err(|error| Error::Archive(error.to_string()))?;
            packer.add(inside.as_str(), &file);
        }
        Ok(())
    })?;
    packer.add(INDEX, &chosen.index);
    let (bytes, problems) = packer.finish();
    Ok(Packed { bytes, problems })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TYPES_JSON: &str = r##"[{"$type": "StringType"},
        {"$type": "ObjectType", "name": "body", "properties": {"name": {"type": {"$ref": "#/0"}, "flags": 1}}},
        {"$type": "ResourceType", "name": "thing@v1", "body": {"$ref": "#/1"}, "readableScopes": 0, "writableScopes": 0}]"##;
    const INDEX_JSON: &str = r#"{"resources": {"thing@v1": {"$ref": "t/types.json#/2"}}}"#;

    fn tgz(files: &[(&str, &[u8])]) -> Vec<u8> {
        archive::write(files.iter().copied()).unwrap()
    }

    fn package_in(folder: &str) -> Vec<u8> {
        let (index, types) = (format!("{folder}index.json"), format!("{folder}t/types.json"));
        tgz(&[(&index, INDEX_JSON.as_bytes()), (&types, TYPES_JSON.as_bytes()), ("notes.json", b"not types")])
    }

    fn is_packed(packed: Result<Packed, Error>) {
        let packed = packed.unwrap();
        assert_eq!(packed.problems, []);
        let catalogue = Catalogue::open(packed.bytes).unwrap();
        assert!(catalogue.find("thing", "v1").unwrap().is_some());
    }

    #[test]
    fn the_package_in_an_archive_is_found() {
        is_packed(pack_archive(&package_in(""), None, "test"));
        is_packed(pack_archive(&package_in("deep/folder/"), None, "test"));
        is_packed(pack_archive(&package_in("a/"), Some("./a/".into()), "test"));
        let mut tar = Vec::new();
        std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(package_in("").as_slice()), &mut tar)
            .unwrap();
        is_packed(pack_archive(&tar, None, "test"));
        is_packed(pack_archive(
            &tgz(&[("types.tgz", &package_in("")), ("linux-x64.bin", b"x")]),
            None,
            "test",
        ));
    }

    #[test]
    fn published_packages_are_packed_as_they_are() {
        let folders =
            Utf8Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|folder| folder.join("shared"));
        let named = std::env::var("SINEW_SHARED").ok().map(Utf8PathBuf::from);
        let archive = named.into_iter().chain(folders).map(|folder| folder.join("types/k8s.tar.zst"));
        let Some(path) = archive.into_iter().find(|path| path.is_file()) else {
            #[expect(clippy::disallowed_macros, reason = "a test that finds no data says so")]
            return eprintln!(
                "skipped: there is no folder `shared` beside the project and SINEW_SHARED is not set"
            );
        };
        let bytes = Mapped::open(&path).unwrap();
        assert!(matches!(pack_archive(bytes.as_ref(), None, "test"), Err(Error::SeveralPackages(_))));
        let packed = pack_archive(bytes.as_ref(), Some("v1.33.0".into()), "test").unwrap();
        assert_eq!(packed.problems, []);
        let catalogue = Catalogue::open(packed.bytes).unwrap();
        assert!(catalogue.find("apps/Deployment", "v1").unwrap().is_some());
    }

    #[test]
    fn archives_without_one_package_are_refused() {
        let check = |bytes: &[u8], package: Option<&str>, expected: &str| {
            let error = pack_archive(bytes, package.map(Utf8Path::new), "test").unwrap_err();
            assert_eq!(error.to_string(), expected);
        };
        let two: &[(&str, &[u8])] = &[("v1/index.json", b"{}"), ("v2/index.json", b"{}")];
        check(&tgz(two), None, "the archive has several packages, in \"v1\", \"v2\": choose one of them");
        let missing = "the archive is not valid: it has no \"v3/index.json\"; packages are in \"v1\", \"v2\"";
        check(&tgz(two), Some("v3"), missing);
        check(&tgz(&[("a.txt", b"")]), None, "the archive is not valid: it has no \"index.json\"");
        let neither = "it is neither a tar archive, one compressed with gzip or zstd, nor a .NET package";
        check(b"something", None, &format!("the archive is not valid: {neither}"));
        assert!(pack_archive(b"\x28\xb5\x2f\xfd????", None, "test").is_err());
    }

    #[test]
    fn the_package_in_a_folder_stays_in_the_folder() {
        let root = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(root.path()).unwrap();
        let folder = root.join("package");
        std::fs::create_dir_all(folder.join("t")).unwrap();
        std::fs::write(root.join("outside.json"), TYPES_JSON).unwrap();
        std::fs::write(folder.join("t/types.json"), TYPES_JSON).unwrap();
        assert!(matches!(pack_folder(&folder, "test"), Err(Error::Disk { .. })));
        std::fs::write(folder.join("index.json"), INDEX_JSON).unwrap();
        is_packed(pack_folder(&folder, "test"));
        let outside = INDEX_JSON.replace("t/types.json", "../outside.json");
        std::fs::write(folder.join("index.json"), outside).unwrap();
        let packed = pack_folder(&folder, "test").unwrap();
        assert_eq!(packed.error().unwrap().diagnostic.code, "types-missing-file");
    }

    #[test]
    fn a_restored_package_is_packed_once() {
        let root = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(root.path()).unwrap();
        let package = crate::ExtensionPackage { types: package_in(""), binaries: BTreeMap::new() };
        std::fs::write(root.join("package.tgz"), package.write().unwrap()).unwrap();
        let cache = Cache::new(root.join("cache"));
        let wanted = [crate::ArtifactRequest::Package(root.join("package.tgz"))];
        let outcomes = crate::restore(&wanted, &crate::RestoreOptions::new(cache.clone())).unwrap();
        let folder = outcomes[0].result.as_ref().unwrap().folder.clone();
        let is_good = || {
            let catalogue = restored_catalogue(&cache, &folder).unwrap();
            assert!(catalogue.find("thing", "v1").unwrap().is_some());
        };
        is_good();
        let kept: Vec<_> = root.join("cache/types").read_dir_utf8().unwrap().flatten().collect();
        assert_eq!(kept.len(), 1);
        // A damaged copy is made anew; a damaged source is not used when there is no copy.
        let sound = std::fs::read(kept[0].path()).unwrap();
        let mut damaged = sound.clone();
        *damaged.last_mut().unwrap() ^= 1;
        std::fs::write(kept[0].path(), damaged).unwrap();
        is_good();
        assert_eq!(std::fs::read(kept[0].path()).unwrap(), sound);
        std::fs::remove_file(kept[0].path()).unwrap();
        std::fs::write(folder.join(TYPES), tgz(&[])).unwrap();
        assert!(matches!(restored_catalogue(&cache, &folder), Err(Error::Digest { .. })));
    }

    #[test]
    fn a_layer_with_mistakes_is_not_used() {
        let broken = tgz(&[("index.json", INDEX_JSON.as_bytes()), ("t/types.json", b"[{")]);
        assert!(matches!(pack_layer(&broken, "test"), Err(Error::Types { .. })));
        assert!(pack_layer(&package_in(""), "test").is_ok());
    }
}
