//! A file as bytes without reading it: the system brings in the pages that are looked at. The only place with `unsafe`.

use std::fs::File;
use std::io;

use camino::Utf8Path;

/// The bytes of a file.
#[derive(Debug)]
pub struct Mapped(memmap2::Mmap);

impl Mapped {
    /// Maps a regular file.
    pub fn open(path: &Utf8Path) -> io::Result<Self> {
        // Asked first: opening a pipe would wait for its other end.
        if !path.metadata()?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "this is not a regular file"));
        }
        let file = File::open(path)?;
        #[expect(unsafe_code, reason = "a map of a file is only as constant as the file")]
        // SAFETY: the map is private and only read. Files that this program maps are never written in place: a new
        // version is another file that takes over the name, and the old one lives as long as its map. Should somebody
        // else write into the file, other bytes are seen; readers of catalogues and archives take any bytes, keep no
        // reference beyond a bounds check, and answer damage with an error.
        let map = unsafe { memmap2::Mmap::map(&file)? };
        Ok(Self(map))
    }
}

impl AsRef<[u8]> for Mapped {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regular_files_are_mapped_and_nothing_else_is() {
        let folder = tempfile::tempdir().unwrap();
        let folder = Utf8Path::from_path(folder.path()).unwrap();
        for content in ["", "some bytes"] {
            let path = folder.join("file");
            std::fs::write(&path, content).unwrap();
            assert_eq!(Mapped::open(&path).unwrap().as_ref(), content.as_bytes());
        }
        assert!(Mapped::open(folder).is_err());
        assert_eq!(Mapped::open(&folder.join("nothing")).unwrap_err().kind(), io::ErrorKind::NotFound);
        #[cfg(unix)]
        assert!(Mapped::open("/dev/zero".into()).is_err());
    }

    #[test]
    fn a_map_outlives_the_replacement_of_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = Utf8Path::from_path(folder.path()).unwrap().join("file");
        std::fs::write(&path, "old").unwrap();
        let map = Mapped::open(&path).unwrap();
        let mut new = tempfile::NamedTempFile::new_in(folder.path()).unwrap();
        io::Write::write_all(&mut new, b"another").unwrap();
        new.persist(&path).unwrap();
        assert_eq!(map.as_ref(), b"old");
        assert_eq!(Mapped::open(&path).unwrap().as_ref(), b"another");
    }
}
