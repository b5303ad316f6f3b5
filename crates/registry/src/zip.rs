//! Zip archives, reading only: bytes come in, entries by name go out. Enough for packages as NuGet writes them: stored
//! and deflated entries, found through the central directory. Sizes that the archive claims are limits, not promises.

use std::io::Read as _;

use flate2::read::DeflateDecoder;

use crate::error::Error;

/// The entries of an archive.
#[derive(Debug)]
pub(crate) struct Zip<'a> {
    bytes: &'a [u8],
    entries: Vec<ZipEntry>,
}

#[derive(Debug)]
struct ZipEntry {
    name: String,
    is_deflated: bool,
    /// Bytes in the archive.
    packed: usize,
    /// Bytes when unpacked.
    size: u64,
    /// Where its own header starts.
    header: usize,
}

/// Whether bytes start like a zip archive.
pub(crate) fn is_start_of(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04")
}

impl<'a> Zip<'a> {
    /// Reads the central directory.
    pub(crate) fn open(bytes: &'a [u8]) -> Result<Self, Error> {
        let end = end_record(bytes).ok_or_else(|| invalid("it is not a complete zip archive"))?;
        let cut = || invalid("its list of files is cut off");
        let count = usize::from(u16_at(bytes, end + 10).ok_or_else(cut)?);
        let mut at = u32_at(bytes, end + 16).ok_or_else(cut)? as usize;
        let mut entries = Vec::new();
        for _ in 0..count {
            let (entry, next) = directory_entry(bytes, at).ok_or_else(cut)?;
            entries.push(entry?);
            at = next;
        }
        Ok(Self { bytes, entries })
    }

    /// The names of all entries.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| entry.name.as_str())
    }

    /// The content of an entry, up to a limit.
    pub(crate) fn read(&self, name: &str, limit: u64) -> Result<Vec<u8>, Error> {
        let entry = self.entries.iter().find(|entry| entry.name == name);
        let entry = entry.ok_or_else(|| invalid(&format!("it has no \"{name}\"")))?;
        if entry.size > limit {
            return Err(Error::TooLarge { what: format!("\"{name}\""), limit });
        }
        let cut = || invalid(&format!("\"{name}\" in it is cut off"));
        let packed = content(self.bytes, entry).ok_or_else(cut)?;
        match entry.is_deflated {
            true => {
                inflate(packed, entry.size).map_err(|reason| invalid(&format!("\"{name}\" in it {reason}")))
            }
            false => Ok(packed.to_vec()),
        }
    }
}

/// Inflates raw DEFLATE up to a limit.
pub(crate) fn inflate(packed: &[u8], limit: u64) -> Result<Vec<u8>, String> {
    let mut content = Vec::new();
    let mut reader = DeflateDecoder::new(packed).take(limit.saturating_add(1));
    reader.read_to_end(&mut content).map_err(|error| format!("cannot be inflated: {error}"))?;
    match content.len() as u64 > limit {
        true => Err(format!("is longer than the {limit} bytes that are allowed")),
        false => Ok(content),
    }
}

/// Where the record at the end of the archive starts: a comment of up to 64 kB may follow it.
fn end_record(bytes: &[u8]) -> Option<usize> {
    let last = bytes.len().checked_sub(END_LENGTH)?;
    let first = last.saturating_sub(usize::from(u16::MAX));
    (first..=last).rev().find(|at| bytes.get(*at..).is_some_and(|rest| rest.starts_with(b"PK\x05\x06")))
}

const END_LENGTH: usize = 22;

/// An entry of the central directory, and where the next one starts. The inner error is for entries that cannot be used.
fn directory_entry(bytes: &[u8], at: usize) -> Option<(Result<ZipEntry, Error>, usize)> {
    if !bytes.get(at..)?.starts_with(b"PK\x01\x02") {
        return None;
    }
    let flags = u16_at(bytes, at + 8)?;
    let method = u16_at(bytes, at + 10)?;
    let lengths =
        [u16_at(bytes, at + 28)?, u16_at(bytes, at + 30)?, u16_at(bytes, at + 32)?].map(usize::from);
    let [name_length, extra_length, comment_length] = lengths;
    let start = at + DIRECTORY_LENGTH;
    let name = String::from_utf8_lossy(bytes.get(start..start + name_length)?).into_owned();
    let next = start + name_length + extra_length + comment_length;
    let packed = u32_at(bytes, at + 20)?;
    let entry = ZipEntry {
        is_deflated: method == 8,
        packed: packed as usize,
        size: u32_at(bytes, at + 24)?.into(),
        header: u32_at(bytes, at + 42)? as usize,
        name,
    };
    let reason = match (flags & 1, method) {
        (1, _) => Some("is encrypted"),
        (_, 0 | 8) if packed == u32::MAX => Some("is larger than 4 GB"),
        (_, 0 | 8) => None,
        _ => Some("is compressed in a way that is not supported"),
    };
    let entry = match reason {
        Some(reason) => Err(invalid(&format!("\"{}\" in it {reason}", entry.name))),
        None => Ok(entry),
    };
    Some((entry, next))
}

const DIRECTORY_LENGTH: usize = 46;

/// The packed bytes of an entry: they follow its own header, whose variable parts may differ from the directory's.
fn content<'a>(bytes: &'a [u8], entry: &ZipEntry) -> Option<&'a [u8]> {
    let at = entry.header;
    if !bytes.get(at..)?.starts_with(b"PK\x03\x04") {
        return None;
    }
    let start =
        at + HEADER_LENGTH + usize::from(u16_at(bytes, at + 26)?) + usize::from(u16_at(bytes, at + 28)?);
    bytes.get(start..start.checked_add(entry.packed)?)
}

const HEADER_LENGTH: usize = 30;

pub(crate) fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at.checked_add(2)?)?.try_into().ok()?))
}

pub(crate) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

fn invalid(reason: &str) -> Error {
    Error::Archive(reason.to_owned())
}
