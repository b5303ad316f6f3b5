//! Compressed archives: read without following links or leaving the folder and within limits; written so that the
//! same content gives the same bytes.

use std::collections::BTreeMap;
use std::io::{Read, Write};

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use ruzstd::decoding::StreamingDecoder;

use crate::error::Error;

/// How much an archive may unpack to.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Bytes of all files together.
    pub bytes: u64,
    /// Number of entries.
    pub entries: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 2 << 30, entries: 200_000 }
    }
}

/// The files of a `.tgz`, by path. Folders are not kept; links and special files are refused.
pub fn read(bytes: &[u8], limits: Limits) -> Result<BTreeMap<Utf8PathBuf, Vec<u8>>, Error> {
    let mut files = BTreeMap::new();
    visit(MultiGzDecoder::new(bytes), limits, |path, content| {
        let mut file = Vec::new();
        content.read_to_end(&mut file).map_err(|error| invalid(&error.to_string()))?;
        match files.insert(path.clone(), file) {
            Some(_) => Err(invalid(&format!("\"{path}\" is in it twice"))),
            None => Ok(()),
        }
    })?;
    Ok(files)
}

/// Unpacks a `.tgz` into a folder that must be new or empty.
pub fn unpack(bytes: &[u8], folder: &Utf8Path, limits: Limits) -> Result<(), Error> {
    std::fs::create_dir_all(folder).map_err(Error::disk(folder))?;
    if folder.read_dir_utf8().map_err(Error::disk(folder))?.next().is_some() {
        return Err(Error::Archive(format!("the folder \"{folder}\" is not empty")));
    }
    visit(MultiGzDecoder::new(bytes), limits, |path, content| {
        let target = folder.join(path);
        let parent = target.parent().unwrap_or(folder);
        std::fs::create_dir_all(parent).map_err(Error::disk(parent))?;
        // The folder was empty and links are refused, so that nothing but our own files can be here.
        let mut file = std::fs::File::options()
            .write(true)
            .create_new(true)
            .open(&target)
            .map_err(Error::disk(&target))?;
        std::io::copy(content, &mut file).map_err(Error::disk(&target))?;
        Ok(())
    })
}

/// Makes a `.tgz` of files, in the order given. Times and owners are left out.
pub fn write<'a>(files: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Result<Vec<u8>, Error> {
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::new(6)));
    let failed = |error: std::io::Error| invalid(&error.to_string());
    for (path, bytes) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
        header.set_mode(0o644);
        header.set_entry_type(tar::EntryType::Regular);
        archive.append_data(&mut header, path, bytes).map_err(failed)?;
    }
    let mut encoder = archive.into_inner().map_err(failed)?;
    encoder.flush().map_err(failed)?;
    encoder.finish().map_err(failed)
}

/// Reads an archive from its first bytes on to its end, without keeping it: every file comes by with its path and its
/// content. The archive may be compressed with gzip or zstd.
pub fn walk(
    bytes: &[u8],
    limits: Limits,
    each: impl FnMut(&Utf8PathBuf, &mut dyn Read) -> Result<(), Error>,
) -> Result<(), Error> {
    match bytes {
        [0x1f, 0x8b, ..] => visit(MultiGzDecoder::new(bytes), limits, each),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => {
            let decoder = StreamingDecoder::new_with_max_window_size(bytes, MAX_WINDOW);
            visit(decoder.map_err(|error| invalid(&error.to_string()))?, limits, each)
        }
        _ if bytes.get(257..262) == Some(b"ustar") => visit(bytes, limits, each),
        _ => {
            Err(invalid("it is neither a tar archive, one compressed with gzip or zstd, nor a .NET package"))
        }
    }
}

/// How far back zstd may refer: so much memory is needed.
const MAX_WINDOW: u64 = 1 << 27;

/// Calls back for every file, with its path and content.
fn visit(
    reader: impl Read,
    limits: Limits,
    mut each: impl FnMut(&Utf8PathBuf, &mut dyn Read) -> Result<(), Error>,
) -> Result<(), Error> {
    // One byte more than allowed, so that an archive of exactly the limit passes.
    let padding = (limits.entries as u64).saturating_mul(2 * 512);
    let reader = reader.take(limits.bytes.saturating_add(padding).saturating_add(1 << 20));
    let mut archive = tar::Archive::new(reader);
    let failed = |error: std::io::Error| invalid(&error.to_string());
    let (mut total, mut count) = (0u64, 0usize);
    for entry in archive.entries().map_err(failed)? {
        let mut entry = entry.map_err(failed)?;
        count += 1;
        if count > limits.entries {
            return Err(invalid(&format!("it has more than {} entries", limits.entries)));
        }
        let path = safe_path(&entry.path_bytes())?;
        match entry.header().entry_type() {
            tar::EntryType::Directory => continue,
            tar::EntryType::Regular | tar::EntryType::Continuous => {}
            _ => return Err(invalid(&format!("\"{path}\" is a link or a special file"))),
        }
        total = total.saturating_add(entry.size());
        if total > limits.bytes {
            return Err(Error::TooLarge { what: "the unpacked archive".to_owned(), limit: limits.bytes });
        }
        if path.as_str().is_empty() {
            return Err(invalid("a file in it has no name"));
        }
        each(&path, &mut entry)?;
    }
    Ok(())
}

/// The path of an entry, if it stays inside: no root, no `..`, no drive, no backslash.
pub(crate) fn safe_path(bytes: &[u8]) -> Result<Utf8PathBuf, Error> {
    let text = std::str::from_utf8(bytes).map_err(|_| invalid("a path in it is not UTF-8"))?;
    let leaves = || invalid(&format!("the path \"{text}\" in it leaves the folder"));
    if text.contains(['\\', ':', '\0']) {
        return Err(leaves());
    }
    let mut path = Utf8PathBuf::new();
    for component in Utf8Path::new(text).components() {
        match component {
            Utf8Component::Normal(name) => path.push(name),
            Utf8Component::CurDir => {}
            _ => return Err(leaves()),
        }
    }
    Ok(path)
}

fn invalid(reason: &str) -> Error {
    Error::Archive(reason.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tgz(build: impl FnOnce(&mut tar::Builder<GzEncoder<Vec<u8>>>)) -> Vec<u8> {
        let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        build(&mut archive);
        archive.into_inner().unwrap().finish().unwrap()
    }

    /// An entry whose header says whatever we want it to.
    fn entry(path: &str, kind: tar::EntryType, link: &str, content: &[u8]) -> Vec<u8> {
        tgz(|archive| {
            let mut header = tar::Header::new_gnu();
            header.set_size(content.len() as u64);
            header.set_entry_type(kind);
            header.set_mode(0o644);
            let name = &mut header.as_old_mut().name;
            name[..path.len()].copy_from_slice(path.as_bytes());
            header.as_old_mut().linkname[..link.len()].copy_from_slice(link.as_bytes());
            header.set_cksum();
            archive.append(&header, content).unwrap();
        })
    }

    #[test]
    fn what_is_written_is_read_back_and_always_the_same() {
        let files = [("index.json", b"{}".as_slice()), ("a/b/types.json", b"[]")];
        let bytes = write(files).unwrap();
        assert_eq!(bytes, write(files).unwrap());
        let back = read(&bytes, Limits::default()).unwrap();
        assert_eq!(
            back.keys().map(|path| path.as_str()).collect::<Vec<_>>(),
            ["a/b/types.json", "index.json"]
        );
        let folder = tempfile::tempdir().unwrap();
        let folder = Utf8Path::from_path(folder.path()).unwrap().join("new");
        unpack(&bytes, &folder, Limits::default()).unwrap();
        assert_eq!(std::fs::read(folder.join("a/b/types.json")).unwrap(), b"[]");
        assert!(unpack(&bytes, &folder, Limits::default()).is_err());
    }

    #[test]
    fn archives_cannot_leave_or_link() {
        let check = |bytes: &[u8], expected: &str| {
            let error = read(bytes, Limits { bytes: 1000, entries: 3 }).unwrap_err().to_string();
            assert_eq!(error, format!("the archive is not valid: {expected}"));
        };
        use tar::EntryType::{Fifo, Link, Regular, Symlink};
        check(&entry("../x", Regular, "", b"x"), "the path \"../x\" in it leaves the folder");
        check(&entry("a/../../x", Regular, "", b"x"), "the path \"a/../../x\" in it leaves the folder");
        check(&entry("/etc/x", Regular, "", b"x"), "the path \"/etc/x\" in it leaves the folder");
        check(&entry("c:\\x", Regular, "", b"x"), "the path \"c:\\x\" in it leaves the folder");
        check(&entry("x", Symlink, "/etc/passwd", b""), "\"x\" is a link or a special file");
        check(&entry("x", Link, "y", b""), "\"x\" is a link or a special file");
        check(&entry("x", Fifo, "", b""), "\"x\" is a link or a special file");
        check(&entry(".", Regular, "", b""), "a file in it has no name");
    }

    #[test]
    fn archives_cannot_grow_without_end() {
        let limits = Limits { bytes: 1000, entries: 3 };
        let check = |files: &[(&str, usize)], fine: bool| {
            let content: Vec<_> = files.iter().map(|(name, size)| (*name, vec![0; *size])).collect();
            let bytes = write(content.iter().map(|(name, bytes)| (*name, bytes.as_slice()))).unwrap();
            assert_eq!(read(&bytes, limits).is_ok(), fine, "{files:?}");
        };
        check(&[("a", 1000)], true);
        check(&[("a", 600), ("b", 600)], false);
        check(&[("a", 1), ("b", 1), ("c", 1), ("d", 1)], false);
        // A header that promises more than there is.
        let bomb = write([("a", vec![0u8; 50 << 20].as_slice())]).unwrap();
        assert!(bomb.len() < 100 << 10);
        assert!(matches!(read(&bomb, limits), Err(Error::TooLarge { .. })));
        assert!(read(b"not gzip", limits).is_err());
        assert!(read(&bomb[..bomb.len() / 2], Limits::default()).is_err());
    }
}
