//! Descriptions: compressed, and read only by those who show them.

use rustc_hash::FxHashMap;

use super::bytes::Cursor;
use super::format::{DESCRIPTIONS_PER_BLOCK, TYPES_PER_DOCS_BLOCK, section};
use super::{Catalogue, Corrupt, Ref};
use crate::def::{Def, Text};

/// Reads descriptions and keeps what it had to unpack for the next question.
#[derive(Debug)]
pub struct Descriptions {
    catalogue: Catalogue,
    /// For each type of a block, the numbers of the descriptions of its properties.
    numbers: FxHashMap<u32, Vec<Vec<Option<u32>>>>,
    texts: FxHashMap<usize, Vec<String>>,
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
        let at = id / DESCRIPTIONS_PER_BLOCK;
        if !self.texts.contains_key(&at) {
            self.texts.insert(at, read_texts(&self.block(section::DESCRIPTIONS, at)?)?);
        }
        let block = self.texts.get(&at).ok_or(Corrupt)?;
        block.get(id % DESCRIPTIONS_PER_BLOCK).cloned().ok_or(Corrupt)
    }

    /// Empty when no property has a description.
    fn numbers_of(&mut self, number: u32) -> Result<Vec<Option<u32>>, Corrupt> {
        let at = number / TYPES_PER_DOCS_BLOCK;
        if !self.numbers.contains_key(&at) {
            self.numbers.insert(at, read_numbers(&self.block(section::DOCS, at as usize)?)?);
        }
        let block = self.numbers.get(&at).ok_or(Corrupt)?;
        block.get((number % TYPES_PER_DOCS_BLOCK) as usize).cloned().ok_or(Corrupt)
    }

    fn block(&self, section: usize, at: usize) -> Result<Vec<u8>, Corrupt> {
        let mut cursor = Cursor::new(self.catalogue.table(section)?.get(at)?);
        let length = usize::try_from(cursor.number()?).map_err(|_| Corrupt)?;
        // DEFLATE makes at most about a thousand bytes of one.
        if length / 2048 > cursor.rest().len() {
            return Err(Corrupt);
        }
        let bytes = miniz_oxide::inflate::decompress_to_vec_with_limit(cursor.rest(), length);
        bytes.ok().filter(|bytes| bytes.len() == length).ok_or(Corrupt)
    }
}

fn read_texts(block: &[u8]) -> Result<Vec<String>, Corrupt> {
    let mut cursor = Cursor::new(block);
    let mut texts = Vec::new();
    while !cursor.rest().is_empty() {
        texts.push(cursor.text()?.to_owned());
    }
    Ok(texts)
}

fn read_numbers(block: &[u8]) -> Result<Vec<Vec<Option<u32>>>, Corrupt> {
    let mut cursor = Cursor::new(block);
    let mut next = cursor.id()?;
    let mut types = Vec::new();
    while !cursor.rest().is_empty() {
        let count = cursor.count()?;
        let mut numbers = Vec::with_capacity(count);
        for _ in 0..count {
            numbers.push(match cursor.number()? {
                0 => None,
                1 => {
                    next = next.checked_add(1).ok_or(Corrupt)?;
                    Some(next - 1)
                }
                number => Some(u32::try_from(number - 2).map_err(|_| Corrupt)?),
            });
        }
        types.push(numbers);
    }
    Ok(types)
}
