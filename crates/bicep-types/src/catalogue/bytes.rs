//! The bytes below the format: numbers, tables and the checksum. Reading checks every length; nothing here can panic.

use super::Corrupt;

/// How many items of a table share one stored offset.
const GROUP: usize = 16;

/// Appends numbers and strings.
#[derive(Debug, Default)]
pub(super) struct Writer(pub Vec<u8>);

impl Writer {
    /// Seven bits per byte, lowest first.
    pub(super) fn number(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push((value & 0x7F) as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    pub(super) fn signed(&mut self, value: i64) {
        self.number(zigzag(value));
    }

    pub(super) fn count(&mut self, count: usize) {
        self.number(count as u64);
    }

    pub(super) fn byte(&mut self, byte: u8) {
        self.0.push(byte);
    }

    pub(super) fn text(&mut self, text: &str) {
        self.count(text.len());
        self.0.extend_from_slice(text.as_bytes());
    }

    pub(super) fn u32(&mut self, value: u32) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }
}

pub(super) fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

/// Reads what a [`Writer`] has written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(super) fn byte(&mut self) -> Result<u8, Corrupt> {
        let (first, rest) = self.rest.split_first().ok_or(Corrupt)?;
        self.rest = rest;
        Ok(*first)
    }

    pub(super) fn number(&mut self) -> Result<u64, Corrupt> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(Corrupt)
    }

    pub(super) fn signed(&mut self) -> Result<i64, Corrupt> {
        let value = self.number()?;
        Ok((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    pub(super) fn id(&mut self) -> Result<u32, Corrupt> {
        u32::try_from(self.number()?).map_err(|_| Corrupt)
    }

    /// A number of things of which each takes at least one byte.
    pub(super) fn count(&mut self) -> Result<usize, Corrupt> {
        let count = usize::try_from(self.number()?).map_err(|_| Corrupt)?;
        if count > self.rest.len() { Err(Corrupt) } else { Ok(count) }
    }

    pub(super) fn bytes(&mut self) -> Result<&'a [u8], Corrupt> {
        let length = self.count()?;
        self.take(length)
    }

    pub(super) fn take(&mut self, length: usize) -> Result<&'a [u8], Corrupt> {
        let (bytes, rest) = self.rest.split_at_checked(length).ok_or(Corrupt)?;
        self.rest = rest;
        Ok(bytes)
    }

    pub(super) fn text(&mut self) -> Result<&'a str, Corrupt> {
        std::str::from_utf8(self.bytes()?).map_err(|_| Corrupt)
    }

    pub(super) fn u32(&mut self) -> Result<u32, Corrupt> {
        let bytes = self.take(4)?.try_into().map_err(|_| Corrupt)?;
        Ok(u32::from_le_bytes(bytes))
    }

    pub(super) fn u64(&mut self) -> Result<u64, Corrupt> {
        let bytes = self.take(8)?.try_into().map_err(|_| Corrupt)?;
        Ok(u64::from_le_bytes(bytes))
    }

    pub(super) fn rest(&self) -> &'a [u8] {
        self.rest
    }
}

/// Collects items that are found again by number.
#[derive(Debug, Default)]
pub(super) struct TableWriter {
    offsets: Vec<u32>,
    count: usize,
    data: Writer,
}

impl TableWriter {
    pub(super) fn push(&mut self, item: &[u8]) {
        if self.count.is_multiple_of(GROUP) {
            self.offsets.push(self.data.0.len() as u32);
        }
        self.data.count(item.len());
        self.data.0.extend_from_slice(item);
        self.count += 1;
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }

    pub(super) fn finish(self) -> Vec<u8> {
        let mut out = Writer::default();
        out.u32(self.count as u32);
        for offset in self.offsets {
            out.u32(offset);
        }
        out.0.extend_from_slice(&self.data.0);
        out.0
    }
}

/// Items by number: how many, one offset per group, then the items, each after its length.
#[derive(Debug, Clone, Copy)]
pub(super) struct Table<'a> {
    count: usize,
    offsets: &'a [u8],
    data: &'a [u8],
}

impl<'a> Table<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Result<Self, Corrupt> {
        let mut cursor = Cursor::new(bytes);
        let count = cursor.u32()? as usize;
        let offsets = cursor.take(count.div_ceil(GROUP).checked_mul(4).ok_or(Corrupt)?)?;
        Ok(Self { count, offsets, data: cursor.rest() })
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }

    pub(super) fn get(&self, index: usize) -> Result<&'a [u8], Corrupt> {
        if index >= self.count {
            return Err(Corrupt);
        }
        let mut cursor = self.group(index / GROUP)?;
        for _ in 0..index % GROUP {
            cursor.bytes()?;
        }
        cursor.bytes()
    }

    pub(super) fn text(&self, index: usize) -> Result<&'a str, Corrupt> {
        std::str::from_utf8(self.get(index)?).map_err(|_| Corrupt)
    }

    pub(super) fn group_count(&self) -> usize {
        self.count.div_ceil(GROUP)
    }

    /// The items of a group from its first on.
    pub(super) fn group(&self, group: usize) -> Result<Cursor<'a>, Corrupt> {
        let at = self.offsets.get(group * 4..).ok_or(Corrupt)?;
        let offset = Cursor::new(at).u32()? as usize;
        self.data.get(offset..).map(Cursor::new).ok_or(Corrupt)
    }

    /// How many items a group has.
    pub(super) fn group_len(&self, group: usize) -> usize {
        self.count.saturating_sub(group * GROUP).min(GROUP)
    }
}

/// FNV-1a over words of eight bytes: quick, and enough to notice a damaged file.
pub(super) fn checksum(bytes: &[u8]) -> u64 {
    const PRIME: u64 = 0x0000_0100_0000_01B3;
    let mut words = bytes.chunks_exact(8);
    let mut hash = 0xCBF2_9CE4_8422_2325_u64 ^ bytes.len() as u64;
    for word in words.by_ref() {
        let word = word.try_into().map_or(0, u64::from_le_bytes);
        hash = (hash ^ word).wrapping_mul(PRIME);
        hash ^= hash >> 32;
    }
    for byte in words.remainder() {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(PRIME);
    }
    hash
}
