//! The numbers that writer and reader of a catalogue share.

/// The first bytes of every catalogue.
pub(super) const MAGIC: &[u8; 8] = b"SNWTYPES";

/// Raised whenever an older reader could not read the result.
pub(super) const FORMAT: u32 = 1;

/// How many sections there are.
pub(super) const SECTIONS: usize = 11;

/// The sections in their order.
pub(super) mod section {
    pub const META: usize = 0;
    pub const VERSIONS: usize = 1;
    pub const NAMES: usize = 2;
    pub const RECORDS: usize = 3;
    pub const FUNCTIONS: usize = 4;
    pub const LISTS: usize = 5;
    pub const KEYS: usize = 6;
    pub const TYPES: usize = 7;
    pub const STRINGS: usize = 8;
    pub const DOCS: usize = 9;
    pub const DESCRIPTIONS: usize = 10;
}

/// How many types have numbers that fit into one byte of a reference.
pub(super) const COMMON: usize = 31;

/// How many types share a compressed block of descriptions' numbers.
pub(super) const TYPES_PER_DOCS_BLOCK: u32 = 256;

/// How many descriptions share a compressed block.
pub(super) const DESCRIPTIONS_PER_BLOCK: usize = 128;

/// The low four bits of the first byte of a type.
pub(super) mod tag {
    pub const VERSION: u8 = 0;
    pub const ANY: u8 = 1;
    pub const NULL: u8 = 2;
    pub const BOOL: u8 = 3;
    pub const INT: u8 = 4;
    pub const STRING: u8 = 5;
    pub const ARRAY: u8 = 6;
    pub const UNION: u8 = 7;
    pub const OBJECT: u8 = 8;
    pub const DISCRIMINATED: u8 = 9;
    pub const BUILT_IN: u8 = 10;
    pub const MASK: u8 = 0x0F;
}

/// The high four bits of the first byte of a type.
pub(super) mod flag {
    pub const MIN: u8 = 0x10;
    pub const MAX: u8 = 0x20;
    pub const SENSITIVE: u8 = 0x40;
    pub const PATTERN: u8 = 0x80;
    pub const ADDITIONAL: u8 = 0x80;
}
