//! Packs a types package into a catalogue: files come in one by one, the bytes of the catalogue go out.
//!
//! Types that are equal in all their parts are stored once, whatever file, version or resource they come from, also when
//! they contain themselves. What is not reachable from the index is left out.

use rustc_hash::FxHashMap;

use crate::def::{Entry, FileKind, ParameterDef, ResourceDef, Settings};
use crate::protocol::{self, FileRef, Index, Position, Problem, messages};

mod cycles;
mod file;
mod intern;
mod layout;

use cycles::KnownGroups;
use intern::{Graph, Link, Shape, StrId};

/// Packs a package whose files are given by `read`: the path comes in, the bytes go out. `index.json` is read first.
pub fn pack<B: AsRef<[u8]>>(origin: &str, read: impl Fn(&str) -> Option<B>) -> (Vec<u8>, Vec<Problem>) {
    let mut packer = Packer::new(origin);
    let Some(bytes) = read(INDEX) else { return packer.finish() };
    let (index, _) = protocol::read_index(INDEX, bytes.as_ref());
    for path in index.files() {
        if let Some(bytes) = read(&path) {
            packer.add(&path, bytes.as_ref());
        }
    }
    packer.add(INDEX, bytes.as_ref());
    packer.finish()
}

/// The name of the index file.
pub const INDEX: &str = "index.json";

/// Packs a package whose files come in any order, each once, such as the members of an archive.
pub struct Packer {
    origin: String,
    graph: Graph,
    groups: KnownGroups,
    files: FxHashMap<Box<str>, Vec<PackedEntry>>,
    resources: Vec<Resource>,
    functions: Vec<ResourceFunction>,
    namespace_functions: Vec<NamespaceFunction>,
    index: Option<Vec<u8>>,
    problems: Vec<Problem>,
}

/// What an entry of a file has become.
#[derive(Debug, Clone, Copy)]
enum PackedEntry {
    Type(Link),
    Resource(u32),
    Function(u32),
    NamespaceFunction(u32),
    /// Only used from within its file.
    Signature,
}

struct Resource {
    name: StrId,
    record: Record,
}

/// A resource type apart from its name; many versions share one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Record {
    readable: u8,
    writable: u8,
    body: Link,
    methods: Vec<Method>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Method {
    name: StrId,
    description: Option<StrId>,
    parameters: Vec<Parameter>,
    output: Link,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Parameter {
    name: StrId,
    ty: Link,
    flags: u8,
    description: Option<StrId>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct ResourceFunction {
    name: StrId,
    resource_type: StrId,
    api_version: StrId,
    output: Link,
    input: Option<Link>,
}

struct NamespaceFunction {
    name: StrId,
    description: Option<StrId>,
    expression: Option<StrId>,
    parameters: Vec<Parameter>,
    output: Link,
    visible_in: Option<FileKind>,
}

/// What the index leads to, with all files read.
struct Package {
    /// Name, version and definition.
    resources: Vec<(String, String, usize)>,
    functions: Vec<(String, String, Vec<u32>)>,
    namespace_functions: Vec<u32>,
    settings: Option<Settings<'static, Link>>,
    fallback: Option<usize>,
}

impl Packer {
    /// A packer for a package from `origin`, which is any text that tells the user what is in the catalogue.
    pub fn new(origin: &str) -> Self {
        Self {
            origin: origin.to_owned(),
            graph: Graph::default(),
            groups: KnownGroups::default(),
            files: FxHashMap::default(),
            resources: Vec::new(),
            functions: Vec::new(),
            namespace_functions: Vec::new(),
            index: None,
            problems: Vec::new(),
        }
    }

    /// Adds a file. The path is relative to the index, which is the file named `index.json`.
    pub fn add(&mut self, path: &str, bytes: &[u8]) {
        if path == INDEX {
            self.index = Some(bytes.to_vec());
        } else if !self.files.contains_key(path) {
            let (entries, problems) = protocol::read_types(path, bytes);
            self.problems.extend(problems);
            let slots = self.file(path, &entries);
            self.files.insert(path.into(), slots);
        }
    }

    /// The catalogue, and what was wrong with the package. Without an index there is nothing to pack: the catalogue is
    /// empty, as its readers will notice.
    pub fn finish(mut self) -> (Vec<u8>, Vec<Problem>) {
        let Some(index) = self.index.take() else {
            self.problems.push(messages::missing_file(INDEX));
            return (Vec::new(), self.problems);
        };
        let (index, problems) = protocol::read_index(INDEX, &index);
        self.problems.extend(problems);
        let package = self.package(index);
        match layout::write(&self, &package) {
            Ok(bytes) => (bytes, self.problems),
            Err(layout::TooLarge(what)) => {
                self.problems.push(messages::too_large(what));
                (Vec::new(), self.problems)
            }
        }
    }

    fn file(&mut self, path: &str, entries: &[Entry<'_, Position>]) -> Vec<PackedEntry> {
        let target = file::PackedGraph {
            graph: &mut self.graph,
            groups: &mut self.groups,
            problems: &mut self.problems,
        };
        let links = file::place(target, path, entries);
        let link = |position: Position| links.get(position.0 as usize).copied();
        let any = self.graph.node(Shape::Any);
        let mut slots = Vec::with_capacity(entries.len());
        for (at, entry) in entries.iter().enumerate() {
            let resolve = |position: Position| link(position).unwrap_or(any);
            slots.push(match entry {
                Entry::Type(_) => PackedEntry::Type(links.get(at).copied().unwrap_or(any)),
                Entry::Function { .. } => PackedEntry::Signature,
                Entry::Resource(resource) => {
                    let record = self.record(resource, &resolve);
                    let name = self.graph.strings.add(&resource.name);
                    self.resources.push(Resource { name, record });
                    PackedEntry::Resource(self.resources.len() as u32 - 1)
                }
                Entry::ResourceFunction(function) => {
                    let strings = &mut self.graph.strings;
                    self.functions.push(ResourceFunction {
                        name: strings.add(&function.name),
                        resource_type: strings.add(&function.resource_type),
                        api_version: strings.add(&function.api_version),
                        output: resolve(function.output),
                        input: function.input.map(resolve),
                    });
                    PackedEntry::Function(self.functions.len() as u32 - 1)
                }
                Entry::NamespaceFunction(function) => {
                    let parameters = self.parameters(&function.parameters, &resolve);
                    self.namespace_functions.push(NamespaceFunction {
                        name: self.graph.strings.add(&function.name),
                        description: function.description.as_ref().map(|d| self.graph.descriptions.add(d)),
                        expression: function.expression.as_ref().map(|e| self.graph.strings.add(e)),
                        parameters,
                        output: resolve(function.output),
                        visible_in: function.visible_in,
                    });
                    PackedEntry::NamespaceFunction(self.namespace_functions.len() as u32 - 1)
                }
            });
        }
        slots
    }

    fn record(&mut self, resource: &ResourceDef<'_, Position>, resolve: &dyn Fn(Position) -> Link) -> Record {
        let version = resource.name.split_once('@').map_or("", |(_, version)| version);
        let body = self.body(resolve(resource.body), version);
        let methods = resource.methods.iter().map(|method| Method {
            name: self.graph.strings.add(&method.name),
            description: method.description.as_ref().map(|text| self.graph.descriptions.add(text)),
            parameters: self.parameters(&method.parameters, resolve),
            output: resolve(method.output),
        });
        let methods = methods.collect();
        let (readable, writable) = (resource.readable_scopes, resource.writable_scopes);
        Record { readable, writable, body, methods }
    }

    /// The body with the version taken out: otherwise no two versions would have the same.
    fn body(&mut self, body: Link, version: &str) -> Link {
        let Link::Node(node) = body else { return body };
        let Some(shape) = self.graph.shape(node) else { return body };
        let is_version =
            |link: Link| matches!(link, Link::Literal(id) if self.graph.strings.get(id) == version);
        let has_version = |name: StrId| self.graph.strings.get(name) == "apiVersion";
        let at = shape.members().iter().position(|m| has_version(m.name) && is_version(m.ty));
        let Some(at) = at else { return body };
        let mut shape = shape.clone();
        let (Shape::Object { properties: members, .. } | Shape::Discriminated { base: members, .. }) =
            &mut shape
        else {
            return body;
        };
        if let Some(member) = members.get_mut(at) {
            member.ty = Link::Version;
        }
        self.graph.node(shape)
    }

    fn parameters(
        &mut self,
        parameters: &[ParameterDef<'_, Position>],
        resolve: &dyn Fn(Position) -> Link,
    ) -> Vec<Parameter> {
        let parameter = |parameter: &ParameterDef<'_, Position>| Parameter {
            name: self.graph.strings.add(&parameter.name),
            ty: resolve(parameter.ty),
            flags: parameter.flags,
            description: parameter.description.as_ref().map(|text| self.graph.descriptions.add(text)),
        };
        parameters.iter().map(parameter).collect()
    }

    /// Follows the references of the index.
    fn package(&mut self, index: Index<'_>) -> Package {
        let mut resources: Vec<(String, String, usize)> = Vec::new();
        for (key, target) in index.resources {
            // Resource types of extensions need not have a version.
            let (name, version) = key.split_once('@').unwrap_or((&key, ""));
            if name.is_empty() || (version.is_empty() && key.contains('@')) {
                self.problems.push(messages::bad_resource_key(INDEX, &key));
                continue;
            }
            let Some(resource) = self.resource_at(&key, &target) else { continue };
            let defined = self.resources.get(resource).map_or("", |r| self.graph.strings.get(r.name));
            // The spelling of the definition is what ends up in templates.
            let (name, version) = if defined.eq_ignore_ascii_case(&key) {
                defined.split_once('@').unwrap_or((defined, ""))
            } else {
                self.problems.push(messages::other_resource(INDEX, &key, defined));
                (name, version)
            };
            resources.push((name.to_owned(), version.to_owned(), resource));
        }
        let mut functions = Vec::new();
        for (name, version, targets) in &index.resource_functions {
            let list: Vec<u32> = targets.iter().filter_map(|target| self.function_at(name, target)).collect();
            if !list.is_empty() {
                functions.push((name.clone().into_owned(), version.clone().into_owned(), list));
            }
        }
        let namespace_functions = index.namespace_functions.iter();
        let namespace_functions = namespace_functions.filter_map(|t| self.namespace_function_at(t)).collect();
        let fallback =
            index.fallback.as_ref().and_then(|target| self.resource_at("fallbackResourceType", target));
        let settings = index.settings.map(|settings| Settings {
            name: settings.name.into_owned().into(),
            version: settings.version.into_owned().into(),
            is_singleton: settings.is_singleton,
            is_preview: settings.is_preview,
            is_deprecated: settings.is_deprecated,
            configuration: settings.configuration.and_then(|target| self.configuration_at(&target)),
        });
        Package { resources, functions, namespace_functions, settings, fallback }
    }

    fn resource_at(&mut self, key: &str, target: &FileRef<'_>) -> Option<usize> {
        match self.slot(target)? {
            PackedEntry::Resource(at) => Some(at as usize),
            _ => self.bad_target(key, target, "a resource type"),
        }
    }

    fn function_at(&mut self, key: &str, target: &FileRef<'_>) -> Option<u32> {
        match self.slot(target)? {
            PackedEntry::Function(at) => Some(at),
            _ => self.bad_target(key, target, "a function of a resource type"),
        }
    }

    fn namespace_function_at(&mut self, target: &FileRef<'_>) -> Option<u32> {
        match self.slot(target)? {
            PackedEntry::NamespaceFunction(at) => Some(at),
            _ => self.bad_target("namespaceFunctions", target, "a function of the namespace"),
        }
    }

    fn configuration_at(&mut self, target: &FileRef<'_>) -> Option<Link> {
        match self.slot(target)? {
            PackedEntry::Type(link) if self.is_object(link) => Some(link),
            _ => self.bad_target("configurationType", target, "an object type"),
        }
    }

    fn is_object(&self, link: Link) -> bool {
        let Link::Node(node) = link else { return false };
        matches!(self.graph.shape(node), Some(Shape::Object { .. } | Shape::Discriminated { .. }))
    }

    fn slot(&mut self, target: &FileRef<'_>) -> Option<PackedEntry> {
        let Some(slots) = self.files.get(target.path.as_ref()) else {
            let problem = messages::missing_file(&target.path);
            if !self.problems.contains(&problem) {
                self.problems.push(problem);
            }
            return None;
        };
        // A position outside of the file is as wrong as one of another kind.
        Some(slots.get(target.position.0 as usize).copied().unwrap_or(PackedEntry::Signature))
    }

    fn bad_target<T>(&mut self, key: &str, target: &FileRef<'_>, expected: &str) -> Option<T> {
        let reference = format!("{}#/{}", target.path, target.position.0);
        self.problems.push(messages::bad_index_reference(INDEX, key, &reference, expected));
        None
    }
}
