//! Descriptions: compressed, and read only by those who show them.

use std::collections::hash_map::Entry;

use miniz_oxide::inflate::decompress_slice_iter_to_slice;
use rustc_hash::FxHashMap;

use super::bytes::Cursor;
use super::format::{DESCRIPTIONS_PER_BLOCK, TYPES_PER_DOCS_BLOCK, section};
use super::{Catalogue, Corrupt, Ref};
use crate::def::{Def, Text};

/// Reads descriptions and keeps what it had to unpack for the next question.
#[derive(Debug)]
pub struct Descriptions {
    catalogue: Catalogue,
    /// Unpacked blocks with the numbers of the descriptions of properties.
    numbers: FxHashMap<usize, Vec<u8>>,
    /// Unpacked blocks of texts.
    texts: FxHashMap<usize, Vec<u8>>,
}

impl Catalogue {
    /// A reader of descriptions, which unpacks nothing yet.
    pub fn descriptions(&self) -> Descriptions {
        Descriptions { catalogue: self.clone(), numbers: FxHashMap::default(), texts: FxHashMap::default() }
    }
}

impl Descriptions {
    /// Gives the properties of a definition their descriptions. `reference` is where the definition was read from.
    pub fn describe(&mut self, reference: Ref, def: &mut Def<'_, Ref>) -> Result<(), Corrupt> {
        let members = match def {
            Def::Object(object) => &mut object.properties,
            Def::Discriminated(object) => &mut object.base,
            _ => return Ok(()),
        };
        let Ref::Type(number) = reference else { return Ok(()) };
        for (member, id) in members.iter_mut().zip(self.numbers_of(number)?) {
            member.description = id.map(|id| self.text(id).map(Text::Owned)).transpose()?;
        }
        Ok(())
    }

    /// The description with this number.
    pub(super) fn text(&mut self, id: u32) -> Result<String, Corrupt> {
        let id = id as usize;
        let block =
            block(&self.catalogue, section::DESCRIPTIONS, id / DESCRIPTIONS_PER_BLOCK, &mut self.texts)?;
        let mut cursor = Cursor::new(block);
        for _ in 0..id % DESCRIPTIONS_PER_BLOCK {
            cursor.bytes()?;
        }
        cursor.text().map(str::to_owned)
    }

    /// The numbers of the descriptions of a type's properties; empty when none has one.
    fn numbers_of(&mut self, number: u32) -> Result<Vec<Option<u32>>, Corrupt> {
        let at = (number / TYPES_PER_DOCS_BLOCK) as usize;
        let mut cursor = Cursor::new(block(&self.catalogue, section::DOCS, at, &mut self.numbers)?);
        let mut next = cursor.id()?;
        // What comes before is read too, because most numbers go on from the last one.
        for _ in 0..number % TYPES_PER_DOCS_BLOCK {
            for _ in 0..cursor.count()? {
                read_number(&mut cursor, &mut next)?;
            }
        }
        let count = cursor.count()?;
        (0..count).map(|_| read_number(&mut cursor, &mut next)).collect()
    }
}

fn read_number(cursor: &mut Cursor<'_>, next: &mut u32) -> Result<Option<u32>, Corrupt> {
    Ok(match cursor.number()? {
        0 => None,
        1 => {
            *next = next.checked_add(1).ok_or(Corrupt)?;
            Some(*next - 1)
        }
        number => Some(u32::try_from(number - 2).map_err(|_| Corrupt)?),
    })
}

/// An unpacked block of a section; `known` keeps it.
fn block<'k>(
    catalogue: &Catalogue,
    section: usize,
    at: usize,
    known: &'k mut FxHashMap<usize, Vec<u8>>,
) -> Result<&'k [u8], Corrupt> {
    match known.entry(at) {
        Entry::Occupied(entry) => Ok(entry.into_mut()),
        Entry::Vacant(entry) => Ok(entry.insert(unpack(catalogue.table(section)?.get(at)?)?)),
    }
}

fn unpack(packed: &[u8]) -> Result<Vec<u8>, Corrupt> {
    let mut cursor = Cursor::new(packed);
    let length = usize::try_from(cursor.number()?).map_err(|_| Corrupt)?;
    // DEFLATE makes at most about a thousand bytes of one.
    if length / 2048 > cursor.rest().len() {
        return Err(Corrupt);
    }
    let mut bytes = vec![0; length];
    let source = std::iter::once(cursor.rest());
    match decompress_slice_iter_to_slice(&mut bytes, source, false, true) {
        Ok(written) if written == length => Ok(bytes),
        _ => Err(Corrupt),
    }
}
