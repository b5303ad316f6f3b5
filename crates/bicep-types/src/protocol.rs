//! Reads published packages of types: the bytes of `index.json` and `types.json` files come in, definitions and
//! problems go out.
//!
//! A package is one `index.json` and any number of types files, each a list of entries that refer to each other by
//! position. What cannot be understood is reported and read as `any`; only a file that is no JSON of this shape is lost
//! as a whole.

use base::{TextRange, TextSize};

use crate::def::{
    BuiltIn, Def, DiscriminatedDef, Entry, FileKind, MethodDef, NamespaceFunctionDef, ObjectDef,
    ParameterDef, PropertyDef, ResourceDef, ResourceFunctionDef, Settings, StringDef, Text, scope,
};

pub(crate) mod messages;
mod raw;

pub use messages::Problem;
use raw::{Elements, Pairs, RawEntry, RawIndex, RawMethod, RawParameter, RawProperty, RawRef, Str};

/// The position of an entry in its file. [`Position::NOWHERE`] stands for a reference that could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position(pub u32);

impl Position {
    /// Not in the file.
    pub const NOWHERE: Self = Self(u32::MAX);
}

/// A reference from the index into a types file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRef<'a> {
    /// The file, relative to the index.
    pub path: Text<'a>,
    /// Where in it.
    pub position: Position,
}

/// The contents of `index.json`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Index<'a> {
    /// Resource types, by `Type@version`.
    pub resources: Vec<(Text<'a>, FileRef<'a>)>,
    /// Functions of resource types: type, version, functions.
    pub resource_functions: Vec<(Text<'a>, Text<'a>, Vec<FileRef<'a>>)>,
    /// Functions of the namespace.
    pub namespace_functions: Vec<FileRef<'a>>,
    /// What the package says about itself.
    pub settings: Option<Settings<'a, FileRef<'a>>>,
    /// What stands for resource types that the package does not know.
    pub fallback: Option<FileRef<'a>>,
}

impl<'a> Index<'a> {
    /// Every file that the index refers to, each once, in order of first mention.
    pub fn files(&self) -> Vec<Text<'a>> {
        let functions = self.resource_functions.iter().flat_map(|(_, _, functions)| functions);
        let settings = self.settings.iter().filter_map(|settings| settings.configuration.as_ref());
        let all = self.resources.iter().map(|(_, file)| file).chain(functions);
        let all = all.chain(&self.namespace_functions).chain(settings).chain(&self.fallback);
        let mut seen = rustc_hash::FxHashSet::default();
        all.filter(|file| seen.insert(file.path.as_ref())).map(|file| file.path.clone()).collect()
    }
}

/// Reads `index.json`.
pub fn read_index<'a>(file: &str, bytes: &'a [u8]) -> (Index<'a>, Vec<Problem>) {
    let raw: RawIndex<'a> = match serde_json::from_slice(without_mark(bytes)) {
        Ok(raw) => raw,
        Err(error) => return (Index::default(), vec![not_json(file, bytes, &error)]),
    };
    let mut problems = Vec::new();
    let mut refer = |key: &str, raw: RawRef<'a>| match file_ref(raw.target.0) {
        Ok(reference) => Some(reference),
        Err(target) => {
            problems.push(messages::bad_index_reference(file, key, &target, "a place in a types file"));
            None
        }
    };
    let mut index = Index::default();
    for (key, target) in raw.resources.0 {
        index.resources.extend(refer(&key.0, target).map(|target| (key.0, target)));
    }
    for (name, versions) in raw.resource_functions.0 {
        for (version, targets) in versions.0 {
            let functions = targets.into_iter().filter_map(|target| refer(&name.0, target)).collect();
            index.resource_functions.push((name.0.clone(), version.0, functions));
        }
    }
    index.namespace_functions = raw
        .namespace_functions
        .into_iter()
        .filter_map(|target| refer("namespaceFunctions", target))
        .collect();
    index.fallback = raw.fallback_resource_type.and_then(|target| refer("fallbackResourceType", target));
    index.settings = raw.settings.map(|settings| Settings {
        name: settings.name.0,
        version: settings.version.0,
        is_singleton: settings.is_singleton,
        is_preview: settings.is_preview.unwrap_or(false),
        is_deprecated: settings.is_deprecated.unwrap_or(false),
        configuration: settings.configuration_type.and_then(|target| refer("configurationType", target)),
    });
    (index, problems)
}

/// Reads a types file. There are as many entries as in the file, so that positions stay what they are.
pub fn read_types<'a>(file: &str, bytes: &'a [u8]) -> (Vec<Entry<'a, Position>>, Vec<Problem>) {
    let raw: Vec<RawEntry<'a>> = match serde_json::from_slice(without_mark(bytes)) {
        Ok(raw) => raw,
        Err(error) => return (Vec::new(), vec![not_json(file, bytes, &error)]),
    };
    let signatures = raw.iter().map(|entry| entry.kind.0 == "FunctionType").collect::<Vec<_>>();
    let mut reader = TypesFileReader { file, index: 0, problems: Vec::new(), signatures };
    let mut entries: Vec<_> = Vec::with_capacity(raw.len());
    for (index, entry) in raw.into_iter().enumerate() {
        reader.index = index;
        entries.push(reader.entry(entry).unwrap_or(Entry::Type(Def::Any)));
    }
    resolve_methods(&mut entries);
    (entries, reader.problems)
}

/// A method refers to its signature by position; afterwards it has a copy of it.
fn resolve_methods(entries: &mut [Entry<'_, Position>]) {
    let with_methods: Vec<usize> = (0..entries.len())
        .filter(|at| matches!(entries.get(*at), Some(Entry::Resource(r)) if !r.methods.is_empty()))
        .collect();
    for at in with_methods {
        let Some(Entry::Resource(resource)) = entries.get(at) else { continue };
        let mut methods = resource.methods.clone();
        for method in &mut methods {
            let signature = entries.get(method.output.0 as usize);
            if let Some(Entry::Function { parameters, output }) = signature {
                method.parameters.clone_from(parameters);
                method.output = *output;
            }
        }
        if let Some(Entry::Resource(resource)) = entries.get_mut(at) {
            resource.methods = methods;
        }
    }
}

fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes)
}

fn not_json(file: &str, bytes: &[u8], error: &serde_json::Error) -> Problem {
    let before = bytes.split(|byte| *byte == b'\n').take(error.line().saturating_sub(1));
    let start = before.map(|line| line.len() + 1).sum::<usize>() + error.column().saturating_sub(1);
    let at = TextSize::new(u32::try_from(start.min(bytes.len())).unwrap_or(u32::MAX));
    let text = error.to_string();
    let reason = text.split(" at line ").next().unwrap_or(&text);
    messages::not_json(file, TextRange::empty(at), reason)
}

/// `path#/12`; gives the text back when it is something else.
fn file_ref(target: Text<'_>) -> Result<FileRef<'_>, Text<'_>> {
    let parts = target.split_once("#/").and_then(|(path, at)| Some((path.len(), at.parse().ok()?)));
    match parts {
        Some((length, at)) if length > 0 => {
            let path = match target {
                Text::Borrowed(text) => Text::Borrowed(text.get(..length).unwrap_or_default()),
                Text::Owned(text) => Text::Owned(text.get(..length).unwrap_or_default().to_owned()),
            };
            Ok(FileRef { path, position: Position(at) })
        }
        _ => Err(target),
    }
}

struct TypesFileReader<'f> {
    file: &'f str,
    index: usize,
    problems: Vec<Problem>,
    /// Which entries are signatures of methods.
    signatures: Vec<bool>,
}

impl<'f> TypesFileReader<'f> {
    fn entry<'a>(&mut self, raw: RawEntry<'a>) -> Option<Entry<'a, Position>> {
        let def = match raw.kind.0.as_ref() {
            "AnyType" => Def::Any,
            "NullType" => Def::Null,
            "BooleanType" => Def::Bool,
            "IntegerType" => Def::Int { min: raw.min_value, max: raw.max_value },
            "StringType" => Def::String(StringDef {
                sensitive: raw.sensitive.unwrap_or(false),
                min_length: raw.min_length,
                max_length: raw.max_length,
                pattern: raw.pattern.map(|pattern| pattern.0),
            }),
            "StringLiteralType" => Def::StringLiteral(self.text("value", raw.value)?),
            "ArrayType" => Def::Array {
                item: self.reference("itemType", raw.item_type)?,
                min_length: raw.min_length,
                max_length: raw.max_length,
            },
            "UnionType" => self.union(raw)?,
            "ObjectType" => self.object(raw)?,
            "DiscriminatedObjectType" => self.discriminated(raw)?,
            "BuiltInType" => self.built_in(&raw)?,
            "ResourceType" => return self.resource(raw),
            "ResourceFunctionType" => return self.resource_function(raw),
            "FunctionType" => {
                return Some(Entry::Function {
                    output: self.reference("output", raw.output)?,
                    parameters: self.parameters(raw.parameters),
                });
            }
            "NamespaceFunctionType" => return self.namespace_function(raw),
            kind => {
                self.problems.push(messages::unknown_kind(self.file, self.index, kind));
                return None;
            }
        };
        Some(Entry::Type(def))
    }

    fn union<'a>(&mut self, raw: RawEntry<'a>) -> Option<Def<'a, Position>> {
        match self.field("elements", raw.elements)? {
            Elements::List(list) => Some(Def::Union(list.iter().map(|item| self.target(item)).collect())),
            Elements::Named(_) => self.bad("elements", "an array of references"),
        }
    }

    fn object<'a>(&mut self, raw: RawEntry<'a>) -> Option<Def<'a, Position>> {
        Some(Def::Object(ObjectDef {
            name: self.text("name", raw.name)?,
            properties: self.field("properties", raw.properties).map(|pairs| self.properties(pairs))?,
            additional: raw.additional_properties.map(|target| self.target(&target)),
            sensitive: raw.sensitive.unwrap_or(false),
        }))
    }

    fn discriminated<'a>(&mut self, raw: RawEntry<'a>) -> Option<Def<'a, Position>> {
        let elements = match self.field("elements", raw.elements)? {
            Elements::Named(named) => named,
            Elements::List(_) => return self.bad("elements", "an object of references"),
        };
        Some(Def::Discriminated(DiscriminatedDef {
            name: self.text("name", raw.name)?,
            discriminator: self.text("discriminator", raw.discriminator)?,
            base: self.field("baseProperties", raw.base_properties).map(|pairs| self.properties(pairs))?,
            elements: elements.into_iter().map(|(name, target)| (name.0, self.target(&target))).collect(),
        }))
    }

    fn built_in<'a>(&mut self, raw: &RawEntry<'_>) -> Option<Def<'a, Position>> {
        let number = self.field("kind", raw.built_in_kind)?;
        match BuiltIn::from_number(number) {
            Some(kind) => Some(Def::BuiltIn(kind)),
            None => self.bad("kind", "a number from 1 to 8"),
        }
    }

    fn resource<'a>(&mut self, raw: RawEntry<'a>) -> Option<Entry<'a, Position>> {
        let (readable_scopes, writable_scopes) = self.scopes(&raw);
        let methods = raw.functions.unwrap_or_default().0;
        Some(Entry::Resource(ResourceDef {
            name: self.text("name", raw.name)?,
            body: self.reference("body", raw.body)?,
            readable_scopes,
            writable_scopes,
            methods: methods.into_iter().filter_map(|(name, method)| self.method(name, method)).collect(),
        }))
    }

    /// The position of the signature stands in `output` until [`resolve_methods`] has run.
    fn method<'a>(&mut self, name: Str<'a>, raw: RawMethod<'a>) -> Option<MethodDef<'a, Position>> {
        let target = self.target(&raw.ty);
        if !self.signatures.get(target.0 as usize).is_some_and(|is_signature| *is_signature) {
            self.problems.push(messages::bad_reference(self.file, self.index, &raw.ty.target.0));
            return None;
        }
        let description = raw.description.map(|description| description.0);
        Some(MethodDef { name: name.0, description, parameters: Vec::new(), output: target })
    }

    /// Old packages say where a resource lives in other words; the new words are made of them.
    fn scopes(&mut self, raw: &RawEntry<'_>) -> (u8, u8) {
        let legacy = raw.scope_type.is_some() || raw.read_only_scopes.is_some() || raw.flags.is_some();
        match (raw.readable_scopes, raw.writable_scopes) {
            (Some(readable), Some(writable)) if !legacy => {
                (self.scope_set("readableScopes", readable), self.scope_set("writableScopes", writable))
            }
            (None, None) => {
                let written = match raw.scope_type {
                    None => 0,
                    Some(0) => scope::ALL,
                    Some(set) => self.scope_set("scopeType", set),
                };
                let read_only = self.scope_set("readOnlyScopes", raw.read_only_scopes.unwrap_or(0));
                let is_read_only = raw.flags.unwrap_or(0) & 1 != 0;
                (written | read_only, if is_read_only { 0 } else { written })
            }
            _ => {
                self.problems.push(messages::mixed_scopes(self.file, self.index));
                (0, 0)
            }
        }
    }

    fn scope_set(&mut self, field: &str, set: i64) -> u8 {
        self.small_set(field, set, scope::ALL)
    }

    fn small_set(&mut self, field: &str, set: i64, all: u8) -> u8 {
        match u8::try_from(set) {
            Ok(set) if set & !all == 0 => set,
            _ => {
                let expected = format!("a number from 0 to {all}");
                self.problems.push(messages::bad_value(self.file, self.index, field, &expected));
                u8::try_from(set & i64::from(all)).unwrap_or(0)
            }
        }
    }

    fn resource_function<'a>(&mut self, raw: RawEntry<'a>) -> Option<Entry<'a, Position>> {
        Some(Entry::ResourceFunction(ResourceFunctionDef {
            name: self.text("name", raw.name)?,
            resource_type: self.text("resourceType", raw.resource_type)?,
            api_version: self.text("apiVersion", raw.api_version)?,
            output: self.reference("output", raw.output)?,
            input: raw.input.map(|target| self.target(&target)),
        }))
    }

    fn namespace_function<'a>(&mut self, raw: RawEntry<'a>) -> Option<Entry<'a, Position>> {
        let visible_in = match raw.visible_in_file_kind {
            None | Some(0 | 3) => None,
            Some(1) => Some(FileKind::Bicep),
            Some(2) => Some(FileKind::Params),
            Some(_) => self.bad("visibleInFileKind", "1 or 2"),
        };
        Some(Entry::NamespaceFunction(NamespaceFunctionDef {
            name: self.text("name", raw.name)?,
            description: raw.description.map(|description| description.0),
            expression: raw.evaluated_language_expression.map(|expression| expression.0),
            parameters: self.parameters(raw.parameters),
            output: self.reference("outputType", raw.output_type)?,
            visible_in,
        }))
    }

    fn parameters<'a>(&mut self, raw: Option<Vec<RawParameter<'a>>>) -> Vec<ParameterDef<'a, Position>> {
        let read = |parameter: RawParameter<'a>| ParameterDef {
            name: parameter.name.0,
            ty: self.target(&parameter.ty),
            flags: self.small_set("flags", parameter.flags, 7),
            description: parameter.description.map(|description| description.0),
        };
        raw.unwrap_or_default().into_iter().map(read).collect()
    }

    fn properties<'a>(&mut self, pairs: Pairs<'a, RawProperty<'a>>) -> Vec<PropertyDef<'a, Position>> {
        let all = PropertyDef::<Position>::ALL;
        let read = |(name, property): (Str<'a>, RawProperty<'a>)| PropertyDef {
            name: name.0,
            ty: self.target(&property.ty),
            flags: self.small_set("flags", property.flags, all),
            description: property.description.map(|description| description.0),
        };
        pairs.0.into_iter().map(read).collect()
    }

    fn text<'a>(&mut self, field: &str, text: Option<Str<'a>>) -> Option<Text<'a>> {
        self.field(field, text).map(|text| text.0)
    }

    fn reference(&mut self, field: &str, raw: Option<RawRef<'_>>) -> Option<Position> {
        self.field(field, raw).map(|raw| self.target(&raw))
    }

    fn target(&mut self, raw: &RawRef<'_>) -> Position {
        let position = raw.target.0.strip_prefix("#/").and_then(|at| at.parse().ok());
        match position.filter(|at: &u32| (*at as usize) < self.signatures.len()) {
            Some(at) => Position(at),
            None => {
                self.problems.push(messages::bad_reference(self.file, self.index, &raw.target.0));
                Position::NOWHERE
            }
        }
    }

    fn field<T>(&mut self, field: &str, value: Option<T>) -> Option<T> {
        if value.is_none() {
            self.problems.push(messages::missing_field(self.file, self.index, field));
        }
        value
    }

    fn bad<T>(&mut self, field: &str, expected: &str) -> Option<T> {
        self.problems.push(messages::bad_value(self.file, self.index, field, expected));
        None
    }
}
