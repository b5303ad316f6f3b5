//! The shared test data, where it is there.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::PathBuf;
use std::sync::OnceLock;

use bicep_types::Catalogue;
use bicep_types::catalogue::Packer;

/// The files of an archive by path.
pub type Files = BTreeMap<String, Vec<u8>>;

/// The catalogue of Azure's types, packed once for all tests.
pub fn az_catalogue() -> Option<&'static Catalogue> {
    static CATALOGUE: OnceLock<Option<Catalogue>> = OnceLock::new();
    CATALOGUE.get_or_init(|| types_archive("az-0.2.896.tar.zst").map(|files| packed(&files, ""))).as_ref()
}

/// The catalogue of the package in a folder of an archive.
pub fn packed(files: &Files, folder: &str) -> Catalogue {
    let mut packer = Packer::new("test");
    for (path, bytes) in files {
        if let Some(path) = path.strip_prefix(folder) {
            packer.add(path, bytes);
        }
    }
    let (bytes, problems) = packer.finish();
    assert_eq!(problems, []);
    assert!(bytes.len() < 6_000_000, "{}", bytes.len());
    let catalogue = Catalogue::open(bytes).unwrap();
    catalogue.verify().unwrap();
    catalogue
}

/// Unpacks an archive of the shared types; `None`, with a word about it, when there is no shared data.
#[expect(clippy::disallowed_methods, clippy::disallowed_macros, reason = "a test reads its data from disk")]
pub fn types_archive(name: &str) -> Option<Files> {
    let Some(path) = shared_folder().map(|folder| folder.join("types").join(name)) else {
        eprintln!("skipped: there is no folder `shared` beside the project and SINEW_SHARED is not set");
        return None;
    };
    let packed = std::fs::read(path).ok()?;
    let unpacked =
        ruzstd::decoding::StreamingDecoder::new_with_max_window_size(packed.as_slice(), 1 << 27).unwrap();
    let mut archive = tar::Archive::new(unpacked);
    let mut files = Files::new();
    for entry in archive.entries().unwrap() {
        let mut entry = entry.unwrap();
        let path = entry.path().unwrap().to_string_lossy().trim_start_matches("./").to_owned();
        if entry.header().entry_type().is_file() {
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).unwrap();
            files.insert(path, bytes);
        }
    }
    Some(files)
}

#[expect(clippy::disallowed_methods, reason = "a test finds its data on disk")]
fn shared_folder() -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os("SINEW_SHARED") {
        return Some(folder.into());
    }
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().map(|folder| folder.join("shared")).find(|folder| folder.is_dir())
}
