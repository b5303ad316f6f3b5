//! The manifest resources of a .NET assembly: bytes come in, the embedded files by name go out. Only what leads there is
//! read: the headers of the executable, and of the metadata the table of manifest resources (ECMA-335, partition II).

use crate::zip::{u16_at, u32_at};

/// The embedded files of an assembly, in the order of the table; none when the bytes are not one.
pub(crate) fn manifest_resources(bytes: &[u8]) -> Option<Vec<(&str, &[u8])>> {
    let image = Image::open(bytes)?;
    let cli = image.offset(image.cli_header)?;
    let metadata = image.offset(u32_at(bytes, cli + 8)?)?;
    let resources = image.offset(u32_at(bytes, cli + 24)?)?;
    let streams = Streams::open(bytes, metadata)?;
    let tables = Tables::open(streams.tables)?;
    let mut found = Vec::new();
    for row in 0..tables.count(MANIFEST_RESOURCE) {
        let resource = tables.manifest_resource(row)?;
        // What lies in another file of the assembly is not here.
        if resource.implementation != 0 {
            continue;
        }
        let start = resources.checked_add(resource.offset as usize)?;
        let length = u32_at(bytes, start)? as usize;
        let content = bytes.get(start + 4..start.checked_add(4)?.checked_add(length)?)?;
        found.push((text_at(streams.strings, resource.name as usize)?, content));
    }
    Some(found)
}

/// An executable file: sections that are loaded to addresses.
struct Image<'a> {
    bytes: &'a [u8],
    sections: usize,
    section_count: u16,
    cli_header: u32,
}

impl<'a> Image<'a> {
    fn open(bytes: &'a [u8]) -> Option<Self> {
        if !bytes.starts_with(b"MZ") {
            return None;
        }
        let header = u32_at(bytes, 0x3c)? as usize;
        if bytes.get(header..header.checked_add(4)?)? != b"PE\0\0" {
            return None;
        }
        let section_count = u16_at(bytes, header + 6)?;
        let optional = header + 24;
        let directories = match u16_at(bytes, optional)? {
            0x10b => optional + 96,
            0x20b => optional + 112,
            _ => return None,
        };
        let cli_header = u32_at(bytes, directories + CLI_DIRECTORY * 8)?;
        let sections = optional + usize::from(u16_at(bytes, header + 20)?);
        Some(Self { bytes, sections, section_count, cli_header })
    }

    /// Where in the file an address lies.
    fn offset(&self, address: u32) -> Option<usize> {
        (0..usize::from(self.section_count)).find_map(|index| {
            let at = self.sections + index * 40;
            let start = u32_at(self.bytes, at + 12)?;
            let length = u32_at(self.bytes, at + 16)?;
            let distance = address.checked_sub(start).filter(|distance| *distance < length)?;
            (u32_at(self.bytes, at + 20)? as usize).checked_add(distance as usize)
        })
    }
}

/// The directory of the header that makes an executable an assembly.
const CLI_DIRECTORY: usize = 14;

/// The streams of the metadata that are of interest.
struct Streams<'a> {
    tables: &'a [u8],
    strings: &'a [u8],
}

impl<'a> Streams<'a> {
    fn open(bytes: &'a [u8], root: usize) -> Option<Self> {
        if u32_at(bytes, root)? != 0x424a_5342 {
            return None;
        }
        let version_length = u32_at(bytes, root + 12)? as usize;
        let count = root.checked_add(16)?.checked_add(version_length)?.checked_add(2)?;
        let mut at = count + 2;
        let (mut tables, mut strings) = (None, None);
        for _ in 0..u16_at(bytes, count)? {
            let start = root.checked_add(u32_at(bytes, at)? as usize)?;
            let content = bytes.get(start..start.checked_add(u32_at(bytes, at + 4)? as usize)?)?;
            let name = text_at(bytes, at + 8)?;
            match name {
                "#~" => tables = Some(content),
                "#Strings" => strings = Some(content),
                _ => {}
            }
            // Names end with a zero and fill up groups of four bytes.
            at += 8 + (name.len() / 4 + 1) * 4;
        }
        Some(Self { tables: tables?, strings: strings? })
    }
}

/// The tables of the metadata.
struct Tables<'a> {
    bytes: &'a [u8],
    /// How many rows each table has.
    rows: [u32; 64],
    heap_sizes: u8,
    start: usize,
}

struct ManifestResource {
    offset: u32,
    name: u32,
    implementation: u32,
}

const MANIFEST_RESOURCE: usize = 0x28;

impl<'a> Tables<'a> {
    fn open(bytes: &'a [u8]) -> Option<Self> {
        let heap_sizes = *bytes.get(6)?;
        let present = u64::from(u32_at(bytes, 8)?) | u64::from(u32_at(bytes, 12)?) << 32;
        let mut rows = [0; 64];
        let mut start = 24;
        for (table, count) in rows.iter_mut().enumerate() {
            if present >> table & 1 == 1 {
                *count = u32_at(bytes, start)?;
                start += 4;
            }
        }
        Some(Self { bytes, rows, heap_sizes, start })
    }

    fn count(&self, table: usize) -> u32 {
        self.rows.get(table).copied().unwrap_or(0)
    }

    fn manifest_resource(&self, row: u32) -> Option<ManifestResource> {
        let before: usize = COLUMNS
            .iter()
            .take(MANIFEST_RESOURCE)
            .enumerate()
            .map(|(table, columns)| self.row_size(columns).saturating_mul(self.count(table) as usize))
            .sum();
        let columns = COLUMNS.get(MANIFEST_RESOURCE)?;
        let at = self.start.checked_add(before)?.checked_add(self.row_size(columns) * row as usize)?;
        let name_size = self.size(Text);
        Some(ManifestResource {
            offset: u32_at(self.bytes, at)?,
            name: self.number(at + 8, name_size)?,
            implementation: self.number(at + 8 + name_size, self.size(IMPLEMENTATION))?,
        })
    }

    fn number(&self, at: usize, size: usize) -> Option<u32> {
        match size {
            2 => u16_at(self.bytes, at).map(u32::from),
            _ => u32_at(self.bytes, at),
        }
    }

    fn row_size(&self, columns: &[Column]) -> usize {
        columns.iter().map(|column| self.size(*column)).sum()
    }

    /// Indexes are two bytes wide where that is enough, else four.
    fn size(&self, column: Column) -> usize {
        let heap = |bit: u8| if self.heap_sizes & bit == 0 { 2 } else { 4 };
        match column {
            Fixed(size) => size,
            Text => heap(1),
            Guid => heap(2),
            Blob => heap(4),
            Row(table) => {
                if self.count(table) < 1 << 16 {
                    2
                } else {
                    4
                }
            }
            Coded(bits, tables) => {
                let most = tables.iter().map(|table| self.count(*table)).max().unwrap_or(0);
                if most < 1 << (16 - bits) { 2 } else { 4 }
            }
        }
    }
}

/// What a column of a table holds.
#[derive(Clone, Copy)]
enum Column {
    /// A number of so many bytes.
    Fixed(usize),
    /// An index into the heap of texts.
    Text,
    Guid,
    Blob,
    /// A row of a table.
    Row(usize),
    /// A row of one of several tables, which the low bits tell apart.
    Coded(u32, &'static [usize]),
}

use Column::{Blob, Coded, Fixed, Guid, Row, Text};

const TYPE_DEF_OR_REF: Column = Coded(2, &[0x02, 0x01, 0x1b]);
const HAS_CONSTANT: Column = Coded(2, &[0x04, 0x08, 0x17]);
const HAS_CUSTOM_ATTRIBUTE: Column = Coded(
    5,
    &[
        0x06, 0x04, 0x01, 0x02, 0x08, 0x09, 0x0a, 0x00, 0x0e, 0x17, 0x14, 0x11, 0x1a, 0x1b, 0x20, 0x23, 0x26,
        0x27, 0x28, 0x2a, 0x2c, 0x2b,
    ],
);
const HAS_FIELD_MARSHAL: Column = Coded(1, &[0x04, 0x08]);
const HAS_DECL_SECURITY: Column = Coded(2, &[0x02, 0x06, 0x20]);
const MEMBER_REF_PARENT: Column = Coded(3, &[0x02, 0x01, 0x1a, 0x06, 0x1b]);
const HAS_SEMANTICS: Column = Coded(1, &[0x14, 0x17]);
const METHOD_DEF_OR_REF: Column = Coded(1, &[0x06, 0x0a]);
const MEMBER_FORWARDED: Column = Coded(1, &[0x04, 0x06]);
const IMPLEMENTATION: Column = Coded(2, &[0x26, 0x23, 0x27]);
const CUSTOM_ATTRIBUTE_TYPE: Column = Coded(3, &[0x06, 0x0a]);
const RESOLUTION_SCOPE: Column = Coded(2, &[0x00, 0x1a, 0x23, 0x01]);

/// The columns of the tables up to the one of manifest resources, by number.
const COLUMNS: [&[Column]; MANIFEST_RESOURCE + 1] = [
    &[Fixed(2), Text, Guid, Guid, Guid],                            // 00 Module
    &[RESOLUTION_SCOPE, Text, Text],                                // 01 TypeRef
    &[Fixed(4), Text, Text, TYPE_DEF_OR_REF, Row(0x04), Row(0x06)], // 02 TypeDef
    &[Row(0x04)],                                                   // 03 FieldPtr
    &[Fixed(2), Text, Blob],                                        // 04 Field
    &[Row(0x06)],                                                   // 05 MethodPtr
    &[Fixed(8), Text, Blob, Row(0x08)],                             // 06 MethodDef
    &[Row(0x08)],                                                   // 07 ParamPtr
    &[Fixed(4), Text],                                              // 08 Param
    &[Row(0x02), TYPE_DEF_OR_REF],                                  // 09 InterfaceImpl
    &[MEMBER_REF_PARENT, Text, Blob],                               // 0a MemberRef
    &[Fixed(2), HAS_CONSTANT, Blob],                                // 0b Constant
    &[HAS_CUSTOM_ATTRIBUTE, CUSTOM_ATTRIBUTE_TYPE, Blob],           // 0c CustomAttribute
    &[HAS_FIELD_MARSHAL, Blob],                                     // 0d FieldMarshal
    &[Fixed(2), HAS_DECL_SECURITY, Blob],                           // 0e DeclSecurity
    &[Fixed(6), Row(0x02)],                                         // 0f ClassLayout
    &[Fixed(4), Row(0x04)],                                         // 10 FieldLayout
    &[Blob],                                                        // 11 StandAloneSig
    &[Row(0x02), Row(0x14)],                                        // 12 EventMap
    &[Row(0x14)],                                                   // 13 EventPtr
    &[Fixed(2), Text, TYPE_DEF_OR_REF],                             // 14 Event
    &[Row(0x02), Row(0x17)],                                        // 15 PropertyMap
    &[Row(0x17)],                                                   // 16 PropertyPtr
    &[Fixed(2), Text, Blob],                                        // 17 Property
    &[Fixed(2), Row(0x06), HAS_SEMANTICS],                          // 18 MethodSemantics
    &[Row(0x02), METHOD_DEF_OR_REF, METHOD_DEF_OR_REF],             // 19 MethodImpl
    &[Text],                                                        // 1a ModuleRef
    &[Blob],                                                        // 1b TypeSpec
    &[Fixed(2), MEMBER_FORWARDED, Text, Row(0x1a)],                 // 1c ImplMap
    &[Fixed(4), Row(0x04)],                                         // 1d FieldRVA
    &[Fixed(8)],                                                    // 1e EncLog
    &[Fixed(4)],                                                    // 1f EncMap
    &[Fixed(16), Blob, Text, Text],                                 // 20 Assembly
    &[Fixed(4)],                                                    // 21 AssemblyProcessor
    &[Fixed(12)],                                                   // 22 AssemblyOS
    &[Fixed(12), Blob, Text, Text, Blob],                           // 23 AssemblyRef
    &[Fixed(4), Row(0x23)],                                         // 24 AssemblyRefProcessor
    &[Fixed(12), Row(0x23)],                                        // 25 AssemblyRefOS
    &[Fixed(4), Text, Blob],                                        // 26 File
    &[Fixed(8), Text, Text, IMPLEMENTATION],                        // 27 ExportedType
    &[Fixed(8), Text, IMPLEMENTATION],                              // 28 ManifestResource
];

/// The text that ends with a zero.
fn text_at(bytes: &[u8], at: usize) -> Option<&str> {
    let rest = bytes.get(at..)?;
    let end = rest.iter().position(|byte| *byte == 0)?;
    std::str::from_utf8(rest.get(..end)?).ok()
}
