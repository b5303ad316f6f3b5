//! Lays the graph out as bytes. The order of everything follows from the content alone, so equal packages give equal
//! catalogues. [`super::super`] describes the format.

use std::collections::BTreeMap;

use indexmap::{IndexMap, IndexSet};
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::intern::{Link, Member, Shape, StrId};
use super::{Package, Packer, Parameter, Record, ResourceFunction};
use crate::catalogue::bytes::{TableWriter, Writer, checksum, zigzag};
use crate::catalogue::format::{
    COMMON, DESCRIPTIONS_PER_BLOCK, FORMAT, MAGIC, SECTIONS, TYPES_PER_DOCS_BLOCK, flag, tag,
};

/// Names the part that does not fit.
pub(super) struct TooLarge(pub &'static str);

/// The bytes of the catalogue.
pub(super) fn write(packer: &Packer, package: &Package) -> Result<Vec<u8>, TooLarge> {
    let entries = entries(packer, package);
    let types = number_types(packer, package, &entries);
    let strings = number_strings(packer, package, &types);
    let keys = number_keys(packer, &types);
    if strings.texts.len() >= 1 << 27 {
        return Err(TooLarge("strings"));
    }
    let mut out = Output { packer, types, strings, keys, descriptions: IndexSet::default() };
    let versions: Vec<&str> = versions(&entries, packer, package);
    let (type_table, docs) = out.types();
    let mut records: IndexSet<&Record, FxBuildHasher> = IndexSet::default();
    let mut functions: IndexSet<Function, FxBuildHasher> = IndexSet::default();
    let mut lists: IndexSet<Vec<u32>, FxBuildHasher> = IndexSet::default();
    let names = {
        let mut writer = NamesWriter {
            out: &mut out,
            versions: versions.iter().zip(0..).map(|(version, number)| (*version, number)).collect(),
            records: &mut records,
            functions: &mut functions,
            lists: &mut lists,
        };
        writer.names(&entries)
    };
    let meta = out.meta(package, &versions, &mut records);
    let records = table(records.iter().map(|record| out.record(record)));
    let functions = table(functions.iter().map(|function| out.function(function)));
    let lists = table(lists.iter().map(|list| {
        let mut item = Writer::default();
        list.iter().for_each(|function| item.number(u64::from(*function)));
        item.0
    }));
    let keys = out
        .keys
        .order
        .iter()
        .flat_map(|(name, flags)| (out.string(*name) << 5 | u32::from(*flags)).to_le_bytes());
    let sections = [
        meta,
        table(versions.iter().map(|version| version.as_bytes().to_vec())),
        names,
        records,
        functions,
        lists,
        keys.collect(),
        type_table,
        table(out.strings.texts.iter().map(|id| out.packer.graph.strings.get(*id).as_bytes().to_vec())),
        docs,
        out.descriptions(),
    ];
    assemble(&sections)
}

fn table(items: impl Iterator<Item = Vec<u8>>) -> Vec<u8> {
    let mut table = TableWriter::default();
    items.for_each(|item| table.push(&item));
    table.finish()
}

/// Puts the header before the sections.
fn assemble(sections: &[Vec<u8>; SECTIONS]) -> Result<Vec<u8>, TooLarge> {
    let header_length = 32 + 8 * SECTIONS + 8;
    let body: Vec<u8> = sections.concat();
    let total = u32::try_from(header_length + body.len()).map_err(|_| TooLarge("bytes"))?;
    let mut out = Writer::default();
    out.0.extend_from_slice(MAGIC);
    out.u32(FORMAT);
    out.u32(SECTIONS as u32);
    out.0.extend_from_slice(&u64::from(total).to_le_bytes());
    out.0.extend_from_slice(&checksum(&body).to_le_bytes());
    let mut offset = header_length;
    for section in sections {
        out.u32(offset as u32);
        out.u32(section.len() as u32);
        offset += section.len();
    }
    let header_checksum = checksum(&out.0);
    out.0.extend_from_slice(&header_checksum.to_le_bytes());
    out.0.extend_from_slice(&body);
    Ok(out.0)
}

/// All versions of one resource type.
struct Named<'p> {
    name: &'p str,
    versions: BTreeMap<String, Versioned<'p>>,
}

/// One version of a resource type: its definition, or functions of it, or both.
struct Versioned<'p> {
    name: &'p str,
    version: &'p str,
    resource: Option<usize>,
    functions: &'p [u32],
}

/// Resource types by lower-case name, their versions by lower-case version. The first of equal keys wins.
fn entries<'p>(packer: &'p Packer, package: &'p Package) -> BTreeMap<String, Named<'p>> {
    let mut entries: BTreeMap<String, Named<'p>> = BTreeMap::new();
    for (name, version, resource) in &package.resources {
        let named = entries.entry(name.to_ascii_lowercase());
        let named = named.or_insert_with(|| Named { name, versions: BTreeMap::new() });
        let versioned = Versioned { name, version, resource: Some(*resource), functions: &[] };
        named.versions.entry(version.to_ascii_lowercase()).or_insert(versioned);
    }
    for (name, version, functions) in &package.functions {
        let first = functions.first().and_then(|function| packer.functions.get(*function as usize));
        let spelled = |id: Option<StrId>, key: &'p str| {
            let text = id.map_or("", |id| packer.graph.strings.get(id));
            if text.eq_ignore_ascii_case(key) { text } else { key }
        };
        let spelled_name = spelled(first.map(|function| function.resource_type), name);
        let spelled_version = spelled(first.map(|function| function.api_version), version);
        let named = entries.entry(name.to_ascii_lowercase());
        let named = named.or_insert_with(|| Named { name: spelled_name, versions: BTreeMap::new() });
        let versioned = named.versions.entry(version.to_ascii_lowercase()).or_insert(Versioned {
            name: spelled_name,
            version: spelled_version,
            resource: None,
            functions: &[],
        });
        if versioned.functions.is_empty() {
            versioned.functions = functions;
        }
    }
    for named in entries.values_mut() {
        // The newest spelling is the usual one.
        named.name = named.versions.values().next_back().map_or(named.name, |newest| newest.name);
    }
    entries
}

/// The version of the fallback type, as its name says it.
fn fallback_version<'p>(packer: &'p Packer, package: &Package) -> Option<&'p str> {
    let resource = packer.resources.get(package.fallback?)?;
    let name = packer.graph.strings.get(resource.name);
    Some(name.split_once('@').map_or("", |(_, version)| version))
}

fn versions<'p>(
    entries: &BTreeMap<String, Named<'p>>,
    packer: &'p Packer,
    package: &Package,
) -> Vec<&'p str> {
    let used = entries.values().flat_map(|named| named.versions.values().map(|versioned| versioned.version));
    let mut versions: Vec<&str> = used.chain(fallback_version(packer, package)).collect();
    versions.sort_by_key(|version| (version.to_ascii_lowercase(), *version));
    versions.dedup();
    versions
}

/// The number of each type that is stored. Number 0 is the version of the resource.
struct Types {
    order: Vec<u32>,
    numbers: FxHashMap<u32, u32>,
}

/// Numbers types breadth first from each resource, newest version first, so that the types of a resource stand close
/// together; the most used ones come before all others because small numbers take less room.
fn number_types(packer: &Packer, package: &Package, entries: &BTreeMap<String, Named<'_>>) -> Types {
    let mut found: IndexMap<u32, u32, FxBuildHasher> = IndexMap::default();
    let mut walk = |link: Link| {
        let mut at = found.len();
        note(&mut found, link);
        while let Some((node, _)) = found.get_index(at) {
            at += 1;
            if let Some(shape) = packer.graph.shape(*node) {
                shape.links(|link| note(&mut found, link));
            }
        }
    };
    for named in entries.values() {
        for versioned in named.versions.values().rev() {
            let resource = versioned.resource.and_then(|resource| packer.resources.get(resource));
            resource.iter().for_each(|resource| record_links(&resource.record, &mut walk));
            for function in versioned.functions.iter().filter_map(|at| packer.functions.get(*at as usize)) {
                walk(function.output);
                function.input.into_iter().for_each(&mut walk);
            }
        }
    }
    let fallback = package.fallback.and_then(|resource| packer.resources.get(resource));
    fallback.iter().for_each(|resource| record_links(&resource.record, &mut walk));
    package.settings.iter().filter_map(|settings| settings.configuration).for_each(&mut walk);
    for function in
        package.namespace_functions.iter().filter_map(|at| packer.namespace_functions.get(*at as usize))
    {
        walk(function.output);
        function.parameters.iter().for_each(|parameter| walk(parameter.ty));
    }
    let mut by_use: Vec<(u32, u32)> = found.iter().map(|(node, uses)| (*node, *uses)).collect();
    by_use.sort_by_key(|(_, uses)| std::cmp::Reverse(*uses));
    let common: IndexSet<u32, FxBuildHasher> = by_use.iter().take(COMMON).map(|(node, _)| *node).collect();
    let rest = found.keys().copied().filter(|node| !common.contains(node));
    let order: Vec<u32> = common.iter().copied().chain(rest).collect();
    let numbers = order.iter().zip(1..).map(|(node, number)| (*node, number)).collect();
    Types { order, numbers }
}

fn note(found: &mut IndexMap<u32, u32, FxBuildHasher>, link: Link) {
    if let Link::Node(node) = link {
        *found.entry(node).or_insert(0) += 1;
    }
}

fn record_links(record: &Record, walk: &mut dyn FnMut(Link)) {
    walk(record.body);
    for method in &record.methods {
        method.parameters.iter().for_each(|parameter| walk(parameter.ty));
        walk(method.output);
    }
}

/// The number of each string.
struct StringNumbers {
    texts: Vec<StrId>,
    numbers: FxHashMap<StrId, u32>,
}

/// Numbers the strings that are stored, the most used ones first. Names of properties are written once, in the keys, so
/// their use does not count.
fn number_strings(packer: &Packer, package: &Package, types: &Types) -> StringNumbers {
    let mut uses: IndexMap<StrId, u32, FxBuildHasher> = IndexMap::default();
    let mut used = |id: StrId| *uses.entry(id).or_insert(0) += 1;
    let shapes = || types.order.iter().filter_map(|node| packer.graph.shape(*node));
    for shape in shapes() {
        shape.links(|link| {
            if let Link::Literal(id) = link {
                used(id);
            }
        });
        match shape {
            Shape::String { pattern: Some(pattern), .. } => used(*pattern),
            Shape::Object { name, .. } => used(*name),
            Shape::Discriminated { name, discriminator, elements, .. } => {
                used(*name);
                used(*discriminator);
                elements.iter().for_each(|(name, _)| used(*name));
            }
            _ => {}
        }
    }
    for shape in shapes() {
        shape.members().iter().for_each(|member| {
            uses.entry(member.name).or_insert(0);
        });
    }
    record_strings(packer, package, &mut |id| {
        uses.entry(id).or_insert(0);
    });
    uses.sort_by(|_, a, _, b| b.cmp(a));
    let texts: Vec<StrId> = uses.into_keys().collect();
    let numbers = texts.iter().zip(0..).map(|(id, number)| (*id, number)).collect();
    StringNumbers { texts, numbers }
}

/// The strings of resource types and functions apart from their types.
fn record_strings(packer: &Packer, package: &Package, used: &mut dyn FnMut(StrId)) {
    let literal = |link: Link, used: &mut dyn FnMut(StrId)| {
        if let Link::Literal(id) = link {
            used(id);
        }
    };
    let records = package.resources.iter().map(|(_, _, resource)| *resource).chain(package.fallback);
    for record in records.filter_map(|resource| packer.resources.get(resource)).map(|r| &r.record) {
        literal(record.body, used);
        for method in &record.methods {
            used(method.name);
            literal(method.output, used);
            method.parameters.iter().for_each(|parameter| {
                used(parameter.name);
                literal(parameter.ty, used);
            });
        }
    }
    let functions = package.functions.iter().flat_map(|(_, _, functions)| functions);
    for function in functions.filter_map(|at| packer.functions.get(*at as usize)) {
        [function.name, function.resource_type, function.api_version].into_iter().for_each(&mut *used);
        [Some(function.output), function.input].into_iter().flatten().for_each(|link| literal(link, used));
    }
    for function in
        package.namespace_functions.iter().filter_map(|at| packer.namespace_functions.get(*at as usize))
    {
        used(function.name);
        literal(function.output, used);
        function.parameters.iter().for_each(|parameter| {
            used(parameter.name);
            literal(parameter.ty, used);
        });
    }
}

/// The number of each pair of property name and flags.
struct Keys {
    order: Vec<(StrId, u8)>,
    numbers: FxHashMap<(StrId, u8), u32>,
}

fn number_keys(packer: &Packer, types: &Types) -> Keys {
    let mut uses: IndexMap<(StrId, u8), u32, FxBuildHasher> = IndexMap::default();
    for shape in types.order.iter().filter_map(|node| packer.graph.shape(*node)) {
        for member in shape.members() {
            *uses.entry((member.name, member.flags)).or_insert(0) += 1;
        }
    }
    uses.sort_by(|_, a, _, b| b.cmp(a));
    let order: Vec<(StrId, u8)> = uses.into_keys().collect();
    let numbers = order.iter().zip(0..).map(|(key, number)| (*key, number)).collect();
    Keys { order, numbers }
}

/// A function of a resource type; the resource type and version are said only when they are not those that lead to it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Function {
    name: StrId,
    output: Link,
    input: Option<Link>,
    owner: Option<(StrId, StrId)>,
}

struct Output<'p> {
    packer: &'p Packer,
    types: Types,
    strings: StringNumbers,
    keys: Keys,
    /// The descriptions in the order of their first use.
    descriptions: IndexSet<StrId, FxBuildHasher>,
}

impl<'p> Output<'p> {
    fn string(&self, id: StrId) -> u32 {
        self.strings.numbers.get(&id).copied().unwrap_or(0)
    }

    fn type_number(&self, node: u32) -> u32 {
        self.types.numbers.get(&node).copied().unwrap_or(0)
    }

    fn description(&mut self, id: Option<StrId>) -> u64 {
        id.map_or(0, |id| self.descriptions.insert_full(id).0 as u64 + 1)
    }

    /// The types, and beside them their descriptions in blocks.
    fn types(&mut self) -> (Vec<u8>, Vec<u8>) {
        let mut types = TableWriter::default();
        types.push(&[tag::VERSION]);
        let mut docs = TableWriter::default();
        let mut block = Writer::default();
        block.number(0);
        block.number(0);
        for (node, number) in self.types.order.clone().into_iter().zip(1_u32..) {
            let Some(shape) = self.packer.graph.shape(node) else { continue };
            types.push(&self.shape(shape, number));
            if number.is_multiple_of(TYPES_PER_DOCS_BLOCK) {
                docs.push(&deflate(&std::mem::take(&mut block).0));
                block.number(self.descriptions.len() as u64);
            }
            self.docs(shape.members(), &mut block);
        }
        docs.push(&deflate(&block.0));
        (types.finish(), docs.finish())
    }

    /// How many properties, then for each: 0 no description, 1 the next that has not been used yet, else two more than
    /// its number. Nothing but a 0 when there are none.
    fn docs(&mut self, members: &[Member], block: &mut Writer) {
        if members.iter().all(|member| member.description.is_none()) {
            return block.number(0);
        }
        block.count(members.len());
        for member in members {
            let next = self.descriptions.len();
            block.number(match member.description.map(|id| self.descriptions.insert_full(id).0) {
                None => 0,
                Some(number) if number == next => 1,
                Some(number) => number as u64 + 2,
            });
        }
    }

    fn descriptions(&self) -> Vec<u8> {
        let all: Vec<StrId> = self.descriptions.iter().copied().collect();
        table(all.chunks(DESCRIPTIONS_PER_BLOCK).map(|ids| {
            let mut block = Writer::default();
            ids.iter().for_each(|id| block.text(self.packer.graph.descriptions.get(*id)));
            deflate(&block.0)
        }))
    }

    fn shape(&self, shape: &Shape, number: u32) -> Vec<u8> {
        let mut out = Writer::default();
        let bits = |low: &Option<i64>, high: &Option<i64>| {
            bit(low.is_some(), flag::MIN) | bit(high.is_some(), flag::MAX)
        };
        match shape {
            Shape::Any => out.byte(tag::ANY),
            Shape::Null => out.byte(tag::NULL),
            Shape::Bool => out.byte(tag::BOOL),
            Shape::Int { min, max } => {
                out.byte(tag::INT | bits(min, max));
                min.iter().chain(max).for_each(|bound| out.signed(*bound));
            }
            Shape::String { sensitive, min, max, pattern } => {
                let more = bit(*sensitive, flag::SENSITIVE) | bit(pattern.is_some(), flag::PATTERN);
                out.byte(tag::STRING | bits(min, max) | more);
                min.iter().chain(max).for_each(|bound| out.signed(*bound));
                pattern.iter().for_each(|pattern| out.number(u64::from(self.string(*pattern))));
            }
            Shape::Array { item, min, max } => {
                out.byte(tag::ARRAY | bits(min, max));
                min.iter().chain(max).for_each(|bound| out.signed(*bound));
                self.link(&mut out, *item, number);
            }
            Shape::Union(links) => {
                out.byte(tag::UNION);
                links.iter().for_each(|link| self.link(&mut out, *link, number));
            }
            Shape::Object { name, properties, additional, sensitive } => {
                let more = bit(*sensitive, flag::SENSITIVE);
                out.byte(tag::OBJECT | more | bit(additional.is_some(), flag::ADDITIONAL));
                out.number(u64::from(self.string(*name)));
                additional.iter().for_each(|link| self.link(&mut out, *link, number));
                self.members(&mut out, properties, number);
            }
            Shape::Discriminated { name, discriminator, base, elements } => {
                out.byte(tag::DISCRIMINATED);
                out.number(u64::from(self.string(*name)));
                out.number(u64::from(self.string(*discriminator)));
                out.count(elements.len());
                for (name, link) in elements {
                    out.number(u64::from(self.string(*name)));
                    self.link(&mut out, *link, number);
                }
                self.members(&mut out, base, number);
            }
            Shape::BuiltIn(kind) => {
                out.byte(tag::BUILT_IN);
                out.byte(*kind as u8);
            }
        }
        out.0
    }

    /// To the end of the record.
    fn members(&self, out: &mut Writer, members: &[Member], number: u32) {
        for member in members {
            let key = self.keys.numbers.get(&(member.name, member.flags)).copied().unwrap_or(0);
            out.number(u64::from(key));
            self.link(out, member.ty, number);
        }
    }

    /// A link from the type with this number: a literal, a type by number, or a type by distance.
    fn link(&self, out: &mut Writer, link: Link, from: u32) {
        out.number(match link {
            Link::Literal(id) => u64::from(self.string(id)) << 1,
            Link::Version | Link::Local(_) => 0b01,
            Link::Node(node) => {
                let number = self.type_number(node);
                let absolute = u64::from(number) << 2 | 0b01;
                let relative = zigzag(i64::from(number) - i64::from(from)) << 2 | 0b11;
                absolute.min(relative)
            }
        });
    }

    fn record(&self, record: &Record) -> Vec<u8> {
        let mut out = Writer::default();
        out.byte(record.readable);
        out.byte(record.writable);
        self.link(&mut out, record.body, 0);
        out.count(record.methods.len());
        for method in &record.methods {
            out.number(u64::from(self.string(method.name)));
            out.number(self.known_description(method.description));
            self.link(&mut out, method.output, 0);
            self.parameters(&mut out, &method.parameters);
        }
        out.0
    }

    fn parameters(&self, out: &mut Writer, parameters: &[Parameter]) {
        out.count(parameters.len());
        for parameter in parameters {
            out.number(u64::from(self.string(parameter.name)));
            out.byte(parameter.flags);
            out.number(self.known_description(parameter.description));
            self.link(out, parameter.ty, 0);
        }
    }

    fn known_description(&self, id: Option<StrId>) -> u64 {
        id.and_then(|id| self.descriptions.get_index_of(&id)).map_or(0, |number| number as u64 + 1)
    }

    fn function(&self, function: &Function) -> Vec<u8> {
        let mut out = Writer::default();
        out.number(u64::from(self.string(function.name)));
        out.byte(u8::from(function.input.is_some()) | u8::from(function.owner.is_some()) << 1);
        self.link(&mut out, function.output, 0);
        function.input.iter().for_each(|input| self.link(&mut out, *input, 0));
        if let Some((name, version)) = &function.owner {
            out.number(u64::from(self.string(*name)));
            out.number(u64::from(self.string(*version)));
        }
        out.0
    }

    /// Also numbers the descriptions of methods and functions, which come after those of types.
    fn meta<'r>(
        &mut self,
        package: &Package,
        versions: &[&str],
        records: &mut IndexSet<&'r Record, FxBuildHasher>,
    ) -> Vec<u8>
    where
        'p: 'r,
    {
        let packer = self.packer;
        let mut out = Writer::default();
        out.text(&packer.origin);
        out.count(package.resources.len());
        let fallback = package.fallback.and_then(|resource| packer.resources.get(resource));
        out.count(fallback.iter().count());
        if let Some(resource) = fallback {
            let version = fallback_version(packer, package).unwrap_or_default();
            out.text(packer.graph.strings.get(resource.name));
            out.count(versions.iter().position(|known| *known == version).unwrap_or(0));
            out.count(records.insert_full(&resource.record).0);
        }
        for method in records.iter().flat_map(|record| &record.methods) {
            self.description(method.description);
            method.parameters.iter().for_each(|parameter| {
                self.description(parameter.description);
            });
        }
        out.count(package.settings.iter().count());
        if let Some(settings) = &package.settings {
            out.text(&settings.name);
            out.text(&settings.version);
            let bits = [settings.is_singleton, settings.is_preview, settings.is_deprecated];
            let bits = bits.into_iter().chain([settings.configuration.is_some()]);
            out.byte(bits.zip(0..).map(|(bit, at)| u8::from(bit) << at).sum());
            settings.configuration.iter().for_each(|link| self.link(&mut out, *link, 0));
        }
        out.count(package.namespace_functions.len());
        for function in
            package.namespace_functions.iter().filter_map(|at| packer.namespace_functions.get(*at as usize))
        {
            out.number(u64::from(self.string(function.name)));
            out.number(self.description(function.description));
            out.text(function.expression.map_or("", |id| packer.graph.strings.get(id)));
            out.byte(u8::from(function.expression.is_some()));
            out.byte(function.visible_in.map_or(0, |kind| kind as u8));
            self.link(&mut out, function.output, 0);
            function.parameters.iter().for_each(|parameter| {
                self.description(parameter.description);
            });
            self.parameters(&mut out, &function.parameters);
        }
        out.0
    }
}

struct NamesWriter<'w, 'p> {
    out: &'w mut Output<'p>,
    versions: FxHashMap<&'p str, i64>,
    records: &'w mut IndexSet<&'p Record, FxBuildHasher>,
    functions: &'w mut IndexSet<Function, FxBuildHasher>,
    lists: &'w mut IndexSet<Vec<u32>, FxBuildHasher>,
}

impl NamesWriter<'_, '_> {
    /// Each name without the beginning that it shares with the one before, unless it starts a group of the table; then
    /// its versions.
    fn names(&mut self, entries: &BTreeMap<String, Named<'_>>) -> Vec<u8> {
        let mut table = TableWriter::default();
        let mut previous = "";
        for named in entries.values() {
            let starts_group = table.len().is_multiple_of(16);
            let shared = if starts_group { 0 } else { shared_prefix(previous, named.name) };
            let mut item = Writer::default();
            item.count(shared);
            item.text(named.name.get(shared..).unwrap_or_default());
            item.count(named.versions.len());
            self.versions(&mut item, named);
            table.push(&item.0);
            previous = named.name;
        }
        table.finish()
    }

    fn versions(&mut self, item: &mut Writer, named: &Named<'_>) {
        let (mut last_version, mut last_record, mut last_list) = (0, 0, 0);
        for versioned in named.versions.values() {
            let version = self.versions.get(versioned.version).copied().unwrap_or(0);
            let resource = versioned.resource.and_then(|resource| self.out.packer.resources.get(resource));
            let respelled = versioned.name != named.name;
            let bits = u64::from(resource.is_some())
                | u64::from(!versioned.functions.is_empty()) << 1
                | u64::from(respelled) << 2;
            item.number(zigzag(version - last_version) << 3 | bits);
            last_version = version;
            if respelled {
                item.text(versioned.name);
            }
            if let Some(resource) = resource {
                let record = self.records.insert_full(&resource.record).0 as i64;
                item.signed(record - last_record);
                last_record = record;
            }
            if !versioned.functions.is_empty() {
                let list = self.list(versioned);
                item.signed(list - last_list);
                last_list = list;
            }
        }
    }

    fn list(&mut self, versioned: &Versioned<'_>) -> i64 {
        let packer = self.out.packer;
        let text = |id: StrId| packer.graph.strings.get(id);
        let implied = |function: &ResourceFunction| {
            text(function.resource_type) == versioned.name && text(function.api_version) == versioned.version
        };
        let functions = versioned.functions.iter().filter_map(|at| packer.functions.get(*at as usize));
        let list: Vec<u32> = functions
            .map(|function| {
                let owner = (!implied(function)).then_some((function.resource_type, function.api_version));
                let (name, output, input) = (function.name, function.output, function.input);
                self.functions.insert_full(Function { name, output, input, owner }).0 as u32
            })
            .collect();
        self.lists.insert_full(list).0 as i64
    }
}

fn shared_prefix(a: &str, b: &str) -> usize {
    let same = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    (0..=same).rev().find(|at| b.is_char_boundary(*at)).unwrap_or(0)
}

fn bit(set: bool, flag: u8) -> u8 {
    if set { flag } else { 0 }
}

/// How long, then the compressed bytes.
fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut out = Writer::default();
    out.count(bytes.len());
    out.0.extend_from_slice(&miniz_oxide::deflate::compress_to_vec(bytes, 9));
    out.0
}
