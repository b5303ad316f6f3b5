//! Looking things up in a catalogue: resource types by name and version, definitions by reference.

use std::cmp::Ordering;
use std::ops::{Range, RangeBounds};

use base::SmolStr;

use super::bytes::{Cursor, Table};
use super::format::{flag, section, tag};
use super::{Catalogue, Corrupt};
use crate::def::{
    BuiltIn, Def, DiscriminatedDef, FileKind, MethodDef, NamespaceFunctionDef, ObjectDef, ParameterDef,
    PropertyDef, ResourceDef, ResourceFunctionDef, Settings, StringDef, Text,
};

/// Where a type is in a catalogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ref {
    /// A type by its number.
    Type(u32),
    /// The literal with this string.
    Literal(u32),
    /// The literal that is this API version.
    Version(u32),
}

/// What the catalogue says about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Info<'a> {
    /// Where its content came from, in the words of who packed it.
    pub origin: &'a str,
    /// How many resource types, counting each version.
    pub resource_count: usize,
    /// How many different types are stored.
    pub type_count: usize,
}

/// A resource type in all its versions.
#[derive(Debug, Clone)]
pub struct TypeEntry<'a> {
    /// Its name in the usual spelling.
    pub name: SmolStr,
    /// Its versions, oldest first, with those that have only functions.
    pub versions: Vec<Versioned<'a>>,
}

/// A resource type in one version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Versioned<'a> {
    /// The type in the spelling of its definition.
    pub name: SmolStr,
    /// The version in the spelling of its definition; empty for types without versions.
    pub version: &'a str,
    number: u32,
    record: Option<usize>,
    functions: Option<usize>,
}

impl Versioned<'_> {
    /// Whether the type is defined in this version, and not only functions of it.
    pub fn is_defined(&self) -> bool {
        self.record.is_some()
    }
}

impl Catalogue {
    /// What the catalogue says about itself.
    pub fn info(&self) -> Result<Info<'_>, Corrupt> {
        let mut meta = Cursor::new(self.section(section::META)?);
        Ok(Info {
            origin: meta.text()?,
            resource_count: usize::try_from(meta.number()?).map_err(|_| Corrupt)?,
            type_count: self.table(section::TYPES)?.len(),
        })
    }

    /// A resource type in one version, without regard to case.
    pub fn find(&self, name: &str, version: &str) -> Result<Option<Versioned<'_>>, Corrupt> {
        let Some((spelled, versions)) = self.find_name(name)? else { return Ok(None) };
        let wanted = self.version_numbers(version)?;
        self.read_versions(versions, &spelled, wanted)?.next().transpose()
    }

    /// A resource type in all its versions, without regard to case.
    pub fn find_type(&self, name: &str) -> Result<Option<TypeEntry<'_>>, Corrupt> {
        let Some((spelled, versions)) = self.find_name(name)? else { return Ok(None) };
        let versions = self.read_versions(versions, &spelled, ..)?.collect::<Result<_, _>>()?;
        Ok(Some(TypeEntry { name: spelled, versions }))
    }

    /// All resource types in the order of their names.
    pub fn types(&self) -> Result<Vec<TypeEntry<'_>>, Corrupt> {
        let table = self.table(section::NAMES)?;
        let mut entries = Vec::new();
        for group in 0..table.group_count() {
            let mut group = NameGroup::new(&table, group)?;
            while let Some(versions) = group.read()? {
                let name = SmolStr::new(&group.name);
                let versions = self.read_versions(versions, &name, ..)?.collect::<Result<_, _>>()?;
                entries.push(TypeEntry { name, versions });
            }
        }
        Ok(entries)
    }

    /// The names of all resource types in order.
    pub fn names(&self) -> Result<Vec<SmolStr>, Corrupt> {
        let table = self.table(section::NAMES)?;
        let mut names = Vec::new();
        for group in 0..table.group_count() {
            let mut group = NameGroup::new(&table, group)?;
            while group.read()?.is_some() {
                names.push(SmolStr::new(&group.name));
            }
        }
        Ok(names)
    }

    /// The definition of a resource type; `None` when only functions of it are known.
    pub fn resource(&self, of: &Versioned<'_>) -> Result<Option<ResourceDef<'_, Ref>>, Corrupt> {
        let Some(record) = of.record else { return Ok(None) };
        let name = match of.version {
            "" => of.name.to_string(),
            version => format!("{}@{version}", of.name),
        };
        self.record(record, name.into(), of.number).map(Some)
    }

    /// The functions of a resource type that are declared beside it.
    pub fn functions(&self, of: &Versioned<'_>) -> Result<Vec<ResourceFunctionDef<'_, Ref>>, Corrupt> {
        let Some(list) = of.functions else { return Ok(Vec::new()) };
        let mut list = Cursor::new(self.table(section::LISTS)?.get(list)?);
        let table = self.table(section::FUNCTIONS)?;
        let mut functions = Vec::new();
        while !list.rest().is_empty() {
            let mut item = Cursor::new(table.get(list.id()? as usize)?);
            let name = self.string(&mut item)?;
            let bits = item.byte()?;
            functions.push(ResourceFunctionDef {
                name,
                output: self.link(&mut item, 0)?,
                input: if bits & 1 != 0 { Some(self.link(&mut item, 0)?) } else { None },
                resource_type: if bits & 2 != 0 {
                    self.string(&mut item)?
                } else {
                    of.name.to_string().into()
                },
                api_version: if bits & 2 != 0 {
                    self.string(&mut item)?
                } else {
                    self.table(section::VERSIONS)?.text(of.number as usize)?.into()
                },
            });
        }
        Ok(functions)
    }

    /// What stands for resource types that the package does not know.
    pub fn fallback(&self) -> Result<Option<ResourceDef<'_, Ref>>, Corrupt> {
        self.meta().map(|meta| meta.fallback)
    }

    /// What the package says about itself.
    pub fn settings(&self) -> Result<Option<Settings<'_, Ref>>, Corrupt> {
        self.meta().map(|meta| meta.settings)
    }

    /// The functions of the namespace.
    pub fn namespace_functions(&self) -> Result<Vec<NamespaceFunctionDef<'_, Ref>>, Corrupt> {
        self.meta().map(|meta| meta.functions)
    }

    /// A definition without descriptions.
    pub fn def(&self, reference: Ref) -> Result<Def<'_, Ref>, Corrupt> {
        self.def_in(reference, None)
    }

    /// The body of a resource type, without descriptions. Only here does it know its version.
    pub fn body(&self, resource: &ResourceDef<'_, Ref>, of: &Versioned<'_>) -> Result<Def<'_, Ref>, Corrupt> {
        self.def_in(resource.body, Some(of.number))
    }

    fn def_in(&self, reference: Ref, version: Option<u32>) -> Result<Def<'_, Ref>, Corrupt> {
        match reference {
            Ref::Literal(string) => {
                Ok(Def::StringLiteral(self.table(section::STRINGS)?.text(string as usize)?.into()))
            }
            Ref::Version(version) => {
                Ok(Def::StringLiteral(self.table(section::VERSIONS)?.text(version as usize)?.into()))
            }
            Ref::Type(number) => {
                let item = Cursor::new(self.table(section::TYPES)?.get(number as usize)?);
                TypeReader { catalogue: self, strings: self.table(section::STRINGS)?, item, number, version }
                    .read()
            }
        }
    }
}

/// What *meta* holds.
struct Meta<'a> {
    fallback: Option<ResourceDef<'a, Ref>>,
    settings: Option<Settings<'a, Ref>>,
    functions: Vec<NamespaceFunctionDef<'a, Ref>>,
}

impl Catalogue {
    fn meta(&self) -> Result<Meta<'_>, Corrupt> {
        let mut meta = Cursor::new(self.section(section::META)?);
        meta.text()?;
        meta.number()?;
        let mut fallback = None;
        if meta.number()? != 0 {
            let name = meta.text()?;
            let version = meta.id()?;
            fallback = Some(self.record(meta.id()? as usize, name.into(), version)?);
        }
        let mut settings = None;
        if meta.number()? != 0 {
            let (name, version) = (meta.text()?, meta.text()?);
            let bits = meta.byte()?;
            settings = Some(Settings {
                name: name.into(),
                version: version.into(),
                is_singleton: bits & 1 != 0,
                is_preview: bits & 2 != 0,
                is_deprecated: bits & 4 != 0,
                configuration: if bits & 8 != 0 { Some(self.link(&mut meta, 0)?) } else { None },
            });
        }
        let count = meta.count()?;
        let mut functions = Vec::with_capacity(count);
        for _ in 0..count {
            functions.push(self.namespace_function(&mut meta)?);
        }
        Ok(Meta { fallback, settings, functions })
    }

    fn namespace_function(&self, meta: &mut Cursor<'_>) -> Result<NamespaceFunctionDef<'_, Ref>, Corrupt> {
        let name = self.string(meta)?;
        let description = self.description(meta)?;
        let expression = meta.text()?.to_owned();
        let has_expression = meta.byte()? != 0;
        let visible_in = match meta.byte()? {
            1 => Some(FileKind::Bicep),
            2 => Some(FileKind::Params),
            _ => None,
        };
        let output = self.link(meta, 0)?;
        Ok(NamespaceFunctionDef {
            name,
            description,
            expression: has_expression.then_some(expression.into()),
            parameters: self.parameters(meta)?,
            output,
            visible_in,
        })
    }

    fn record<'a>(
        &'a self,
        at: usize,
        name: Text<'a>,
        version: u32,
    ) -> Result<ResourceDef<'a, Ref>, Corrupt> {
        let mut item = Cursor::new(self.table(section::RECORDS)?.get(at)?);
        let (readable_scopes, writable_scopes) = (item.byte()?, item.byte()?);
        let body = match self.link(&mut item, 0)? {
            Ref::Type(0) => Ref::Version(version),
            other => other,
        };
        let count = item.count()?;
        let mut methods = Vec::with_capacity(count);
        for _ in 0..count {
            let name = self.string(&mut item)?;
            let description = self.description(&mut item)?;
            let output = self.link(&mut item, 0)?;
            methods.push(MethodDef { name, description, parameters: self.parameters(&mut item)?, output });
        }
        Ok(ResourceDef { name, body, readable_scopes, writable_scopes, methods })
    }

    fn parameters(&self, item: &mut Cursor<'_>) -> Result<Vec<ParameterDef<'_, Ref>>, Corrupt> {
        let count = item.count()?;
        let mut parameters = Vec::with_capacity(count);
        for _ in 0..count {
            let name = self.string(item)?;
            let flags = item.byte()?;
            let description = self.description(item)?;
            parameters.push(ParameterDef { name, ty: self.link(item, 0)?, flags, description });
        }
        Ok(parameters)
    }

    fn string(&self, item: &mut Cursor<'_>) -> Result<Text<'_>, Corrupt> {
        Ok(self.table(section::STRINGS)?.text(item.id()? as usize)?.into())
    }

    fn description(&self, item: &mut Cursor<'_>) -> Result<Option<Text<'_>>, Corrupt> {
        let id = item.id()?.checked_sub(1);
        id.map(|id| self.descriptions().text(id).map(Text::Owned)).transpose()
    }

    fn link(&self, item: &mut Cursor<'_>, from: u32) -> Result<Ref, Corrupt> {
        let code = item.number()?;
        if code & 1 == 0 {
            return Ok(Ref::Literal(u32::try_from(code >> 1).map_err(|_| Corrupt)?));
        }
        let value = code >> 2;
        let number = if code & 2 == 0 {
            i64::try_from(value).map_err(|_| Corrupt)?
        } else {
            i64::from(from) + ((value >> 1) as i64 ^ -((value & 1) as i64))
        };
        Ok(Ref::Type(u32::try_from(number).map_err(|_| Corrupt)?))
    }

    /// The usual spelling of a name, and the bytes that list its versions.
    fn find_name(&self, name: &str) -> Result<Option<(SmolStr, &[u8])>, Corrupt> {
        let table = self.table(section::NAMES)?;
        let (mut low, mut high) = (0, table.group_count());
        // The last group whose first name is not greater.
        while low < high {
            let middle = low + (high - low) / 2;
            match compare(first_name(&table, middle)?, name) {
                Ordering::Greater => high = middle,
                _ => low = middle + 1,
            }
        }
        let Some(group) = low.checked_sub(1) else { return Ok(None) };
        let mut group = NameGroup::new(&table, group)?;
        while let Some(versions) = group.read()? {
            if group.name.eq_ignore_ascii_case(name) {
                return Ok(Some((SmolStr::new(&group.name), versions)));
            }
        }
        Ok(None)
    }

    /// The numbers of a version in all its spellings.
    fn version_numbers(&self, version: &str) -> Result<Range<u32>, Corrupt> {
        let table = self.table(section::VERSIONS)?;
        let (mut low, mut high) = (0, table.len());
        while low < high {
            let middle = low + (high - low) / 2;
            match compare(table.text(middle)?, version) {
                Ordering::Less => low = middle + 1,
                _ => high = middle,
            }
        }
        let mut end = low;
        while end < table.len() && table.text(end)?.eq_ignore_ascii_case(version) {
            end += 1;
        }
        Ok(low as u32..end as u32)
    }

    /// The versions of a type whose numbers are in a range.
    fn read_versions<'a>(
        &'a self,
        bytes: &'a [u8],
        name: &SmolStr,
        wanted: impl RangeBounds<u32>,
    ) -> Result<impl Iterator<Item = Result<Versioned<'a>, Corrupt>>, Corrupt> {
        let mut cursor = Cursor::new(bytes);
        let count = cursor.count()?;
        let versions = self.table(section::VERSIONS)?;
        let name = name.clone();
        let (mut number, mut record, mut list) = (0_i64, 0_i64, 0_i64);
        let read = move || {
            let code = cursor.number()?;
            number = step(number, (code >> 4) as i64 ^ -((code >> 3 & 1) as i64))?;
            let spelled = if code & 4 != 0 { Some(cursor.text()?) } else { None };
            let mut next = |present: bool, last: &mut i64| {
                if !present {
                    return Ok(None);
                }
                *last = step(*last, cursor.signed()?)?;
                usize::try_from(*last).map(Some).map_err(|_| Corrupt)
            };
            let record = next(code & 1 != 0, &mut record)?;
            let functions = next(code & 2 != 0, &mut list)?;
            let number = u32::try_from(number).map_err(|_| Corrupt)?;
            if !wanted.contains(&number) {
                return Ok(None);
            }
            let name = spelled.map_or_else(|| name.clone(), SmolStr::new);
            let version = versions.text(number as usize)?;
            Ok(Some(Versioned { name, version, number, record, functions }))
        };
        Ok(std::iter::repeat_with(read).take(count).filter_map(Result::transpose))
    }
}

fn step(from: i64, by: i64) -> Result<i64, Corrupt> {
    from.checked_add(by).ok_or(Corrupt)
}

fn compare(a: &str, b: &str) -> Ordering {
    let lower = |byte: u8| byte.to_ascii_lowercase();
    a.bytes().map(lower).cmp(b.bytes().map(lower))
}

/// The names of one group, put together from what they share.
struct NameGroup<'a> {
    cursor: Cursor<'a>,
    left: usize,
    name: String,
}

impl<'a> NameGroup<'a> {
    fn new(table: &Table<'a>, group: usize) -> Result<Self, Corrupt> {
        Ok(Self { cursor: table.group(group)?, left: table.group_len(group), name: String::new() })
    }

    /// Goes to the next name and gives the bytes that list its versions.
    fn read(&mut self) -> Result<Option<&'a [u8]>, Corrupt> {
        let Some(left) = self.left.checked_sub(1) else { return Ok(None) };
        self.left = left;
        let mut item = Cursor::new(self.cursor.bytes()?);
        let shared = usize::try_from(item.number()?).map_err(|_| Corrupt)?;
        if !self.name.is_char_boundary(shared) {
            return Err(Corrupt);
        }
        self.name.truncate(shared);
        self.name.push_str(item.text()?);
        Ok(Some(item.rest()))
    }
}

/// The first name of a group, which stands there in full.
fn first_name<'a>(table: &Table<'a>, group: usize) -> Result<&'a str, Corrupt> {
    let mut item = Cursor::new(table.group(group)?.bytes()?);
    item.number()?;
    item.text()
}

struct TypeReader<'a> {
    catalogue: &'a Catalogue,
    strings: Table<'a>,
    item: Cursor<'a>,
    number: u32,
    /// The version of the resource whose body this is.
    version: Option<u32>,
}

impl<'a> TypeReader<'a> {
    fn read(mut self) -> Result<Def<'a, Ref>, Corrupt> {
        let first = self.item.byte()?;
        let has = |flag: u8| first & flag != 0;
        Ok(match first & tag::MASK {
            tag::ANY => Def::Any,
            tag::NULL => Def::Null,
            tag::BOOL => Def::Bool,
            tag::INT => Def::Int { min: self.bound(has(flag::MIN))?, max: self.bound(has(flag::MAX))? },
            tag::STRING => Def::String(StringDef {
                sensitive: has(flag::SENSITIVE),
                min_length: self.bound(has(flag::MIN))?,
                max_length: self.bound(has(flag::MAX))?,
                pattern: if has(flag::PATTERN) { Some(self.string()?) } else { None },
            }),
            tag::ARRAY => Def::Array {
                min_length: self.bound(has(flag::MIN))?,
                max_length: self.bound(has(flag::MAX))?,
                item: self.link()?,
            },
            tag::UNION => {
                let mut elements = Vec::new();
                while !self.item.rest().is_empty() {
                    elements.push(self.link()?);
                }
                Def::Union(elements)
            }
            tag::OBJECT => Def::Object(ObjectDef {
                name: self.string()?,
                additional: if has(flag::ADDITIONAL) { Some(self.link()?) } else { None },
                sensitive: has(flag::SENSITIVE),
                properties: self.members()?,
            }),
            tag::DISCRIMINATED => self.discriminated()?,
            tag::BUILT_IN => Def::BuiltIn(BuiltIn::from_number(u64::from(self.item.byte()?)).ok_or(Corrupt)?),
            _ => return Err(Corrupt),
        })
    }

    fn discriminated(&mut self) -> Result<Def<'a, Ref>, Corrupt> {
        let (name, discriminator) = (self.string()?, self.string()?);
        let count = self.item.count()?;
        let mut elements = Vec::with_capacity(count);
        for _ in 0..count {
            elements.push((self.string()?, self.link()?));
        }
        Ok(Def::Discriminated(DiscriminatedDef { name, discriminator, base: self.members()?, elements }))
    }

    fn members(&mut self) -> Result<Vec<PropertyDef<'a, Ref>>, Corrupt> {
        let keys = self.catalogue.section(section::KEYS)?;
        let mut members = Vec::new();
        while !self.item.rest().is_empty() {
            let at = (self.item.id()? as usize).checked_mul(4).ok_or(Corrupt)?;
            let key = Cursor::new(keys.get(at..).ok_or(Corrupt)?).u32()?;
            members.push(PropertyDef {
                name: self.strings.text((key >> 5) as usize)?.into(),
                flags: (key & 31) as u8,
                ty: self.link()?,
                description: None,
            });
        }
        Ok(members)
    }

    fn bound(&mut self, present: bool) -> Result<Option<i64>, Corrupt> {
        if present { self.item.signed().map(Some) } else { Ok(None) }
    }

    fn string(&mut self) -> Result<Text<'a>, Corrupt> {
        Ok(self.strings.text(self.item.id()? as usize)?.into())
    }

    fn link(&mut self) -> Result<Ref, Corrupt> {
        match self.catalogue.link(&mut self.item, self.number)? {
            Ref::Type(0) => self.version.map(Ref::Version).ok_or(Corrupt),
            other => Ok(other),
        }
    }
}
