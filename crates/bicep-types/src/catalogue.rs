//! The catalogue: one file with all resource types of a package, made to be looked into without being read.
//!
//! Bytes come in (from a file, a memory map, the binary itself), definitions go out. Opening looks at the header only; a
//! lookup touches the few pages on its way. Nothing in the file is trusted: a wrong byte gives [`Corrupt`], not a panic.
//!
//! # Format
//!
//! Numbers are little-endian or, where their size varies, in groups of seven bits (`n`; `±n` when signed).
//!
//! | part | content |
//! |---|---|
//! | header | `SNWTYPES`, format, number of sections, length of the file (u64), checksum of all sections, offset and length of each section, checksum of the header |
//! | meta | origin, number of resource types, fallback type, settings, functions of the namespace |
//! | versions | all API versions in order |
//! | names | resource types in order, without regard to case: shared beginning, rest, versions with their records |
//! | records | scopes, body, methods |
//! | functions | functions of resource types |
//! | lists | which functions belong together |
//! | keys | u32 each: name and flags of a property |
//! | types | kind and flags in one byte, then what belongs to the kind; number 0 stands for the version of the resource at hand |
//! | strings | names, literals, patterns |
//! | docs | compressed: the numbers of the descriptions of a type's properties |
//! | descriptions | compressed texts |
//!
//! All but *meta* and *keys* are tables: items by number, found through one offset per sixteen. Beside types, a reference
//! is a number whose low bits say what it is: `…0` a literal by the number of its string, `…01` a type by its number,
//! `…11` a type by its distance from the referring one.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

mod bytes;
mod docs;
mod format;
mod pack;
mod read;

pub use docs::Descriptions;
pub use pack::{INDEX, Packer, pack};
pub use read::{Info, Ref, TypeEntry, Versioned};

use bytes::{Cursor, Table, checksum};
use format::{FORMAT, MAGIC, SECTIONS};

/// A part of the catalogue is not what its writer wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Corrupt;

impl fmt::Display for Corrupt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the catalogue is damaged; pack or install it again")
    }
}

impl std::error::Error for Corrupt {}

/// Why bytes cannot be opened as a catalogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenError {
    /// They are something else.
    NotACatalogue,
    /// They are a catalogue of another format.
    OtherFormat(u32),
    /// They are damaged or incomplete.
    Corrupt,
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotACatalogue => f.write_str("this is not a catalogue of types"),
            Self::OtherFormat(format) => {
                write!(
                    f,
                    "the catalogue has format {format}, and this program reads format {FORMAT}; pack it again"
                )
            }
            Self::Corrupt => fmt::Display::fmt(&Corrupt, f),
        }
    }
}

impl std::error::Error for OpenError {}

impl From<Corrupt> for OpenError {
    fn from(_: Corrupt) -> Self {
        Self::Corrupt
    }
}

/// An opened catalogue. Cheap to clone.
#[derive(Clone)]
pub struct Catalogue {
    bytes: Arc<dyn AsRef<[u8]> + Send + Sync>,
    sections: [Range<usize>; SECTIONS],
    checksum: u64,
}

impl Catalogue {
    /// Opens a catalogue. Only the header is looked at.
    pub fn open(bytes: impl AsRef<[u8]> + Send + Sync + 'static) -> Result<Self, OpenError> {
        let all = bytes.as_ref();
        let mut cursor = Cursor::new(all);
        if cursor.take(MAGIC.len()) != Ok(MAGIC) {
            return Err(OpenError::NotACatalogue);
        }
        let format = cursor.u32()?;
        if format != FORMAT {
            return Err(OpenError::OtherFormat(format));
        }
        let section_count = cursor.u32()? as usize;
        let length = cursor.u64()?;
        let body_checksum = cursor.u64()?;
        if section_count != SECTIONS || length != all.len() as u64 {
            return Err(OpenError::Corrupt);
        }
        let mut sections: [Range<usize>; SECTIONS] = Default::default();
        for section in &mut sections {
            let start = cursor.u32()? as usize;
            let end = start.checked_add(cursor.u32()? as usize).ok_or(Corrupt)?;
            if end > all.len() {
                return Err(OpenError::Corrupt);
            }
            *section = start..end;
        }
        let header = all.get(..all.len() - cursor.rest().len()).ok_or(Corrupt)?;
        if checksum(header) != cursor.u64()? {
            return Err(OpenError::Corrupt);
        }
        Ok(Self { bytes: Arc::new(bytes), sections, checksum: body_checksum })
    }

    /// Whether bytes start like a catalogue, of whatever format.
    pub fn is_start_of(bytes: &[u8]) -> bool {
        bytes.starts_with(MAGIC)
    }

    /// Compares the checksum of all bytes: worth it once, when a catalogue is installed.
    pub fn verify(&self) -> Result<(), Corrupt> {
        let start = self.sections.first().map_or(0, |first| first.start);
        let body = (*self.bytes).as_ref().get(start..).ok_or(Corrupt)?;
        if checksum(body) == self.checksum { Ok(()) } else { Err(Corrupt) }
    }

    /// A number that tells catalogues with different content apart.
    pub fn content_id(&self) -> u64 {
        self.checksum
    }

    fn section(&self, section: usize) -> Result<&[u8], Corrupt> {
        let range = self.sections.get(section).ok_or(Corrupt)?;
        (*self.bytes).as_ref().get(range.clone()).ok_or(Corrupt)
    }

    fn table(&self, section: usize) -> Result<Table<'_>, Corrupt> {
        Table::new(self.section(section)?)
    }
}

impl fmt::Debug for Catalogue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Catalogue").field("content_id", &self.checksum).finish_non_exhaustive()
    }
}
