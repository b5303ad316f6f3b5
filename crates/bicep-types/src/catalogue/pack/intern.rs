//! Brings the types of all files into one graph in which equal types exist once.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use crate::def::{BuiltIn, Def, PropertyDef};
use crate::protocol::Position;

/// Strings by number.
#[derive(Default)]
pub(super) struct Strings(IndexSet<Box<str>, FxBuildHasher>);

/// The number of a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct StrId(pub u32);

impl Strings {
    pub(super) fn add(&mut self, text: &str) -> StrId {
        let index = match self.0.get_index_of(text) {
            Some(index) => index,
            None => self.0.insert_full(text.into()).0,
        };
        StrId(index as u32)
    }

    pub(super) fn get(&self, id: StrId) -> &str {
        self.0.get_index(id.0 as usize).map_or("", |text| text)
    }
}

/// What a type refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Link {
    /// Another type of the graph.
    Node(u32),
    /// A string literal, which is no node of its own.
    Literal(StrId),
    /// The literal that is the version of the resource, whatever it is. So bodies are shared between versions.
    Version,
    /// While a group of types that contain each other is looked at: a member of the group.
    Local(u32),
}

/// A type with its strings and descriptions by number; equal shapes are equal types.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Shape {
    Any,
    Null,
    Bool,
    Int { min: Option<i64>, max: Option<i64> },
    String { sensitive: bool, min: Option<i64>, max: Option<i64>, pattern: Option<StrId> },
    Array { item: Link, min: Option<i64>, max: Option<i64> },
    Union(Vec<Link>),
    Object { name: StrId, properties: Vec<Member>, additional: Option<Link>, sensitive: bool },
    Discriminated { name: StrId, discriminator: StrId, base: Vec<Member>, elements: Vec<(StrId, Link)> },
    BuiltIn(BuiltIn),
}

/// A property with its strings by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Member {
    pub name: StrId,
    pub flags: u8,
    pub ty: Link,
    pub description: Option<StrId>,
}

impl Shape {
    /// Calls `visit` for everything that the type refers to, in order.
    pub(super) fn links(&self, mut visit: impl FnMut(Link)) {
        match self {
            Self::Array { item, .. } => visit(*item),
            Self::Union(links) => links.iter().copied().for_each(visit),
            Self::Object { properties, additional, .. } => {
                properties.iter().for_each(|member| visit(member.ty));
                additional.iter().copied().for_each(visit);
            }
            Self::Discriminated { base, elements, .. } => {
                base.iter().for_each(|member| visit(member.ty));
                elements.iter().for_each(|(_, link)| visit(*link));
            }
            _ => {}
        }
    }

    /// The same type with other links.
    pub(super) fn relink(&self, mut change: impl FnMut(Link) -> Link) -> Self {
        let mut shape = self.clone();
        match &mut shape {
            Self::Array { item, .. } => *item = change(*item),
            Self::Union(links) => links.iter_mut().for_each(|link| *link = change(*link)),
            Self::Object { properties, additional, .. } => {
                properties.iter_mut().for_each(|member| member.ty = change(member.ty));
                additional.iter_mut().for_each(|link| *link = change(*link));
            }
            Self::Discriminated { base, elements, .. } => {
                base.iter_mut().for_each(|member| member.ty = change(member.ty));
                elements.iter_mut().for_each(|(_, link)| *link = change(*link));
            }
            _ => {}
        }
        shape
    }

    pub(super) fn members(&self) -> &[Member] {
        match self {
            Self::Object { properties, .. } => properties,
            Self::Discriminated { base, .. } => base,
            _ => &[],
        }
    }
}

/// The graph with the strings that it uses.
#[derive(Default)]
pub(super) struct Graph {
    pub strings: Strings,
    pub descriptions: Strings,
    pub nodes: IndexSet<Shape, FxBuildHasher>,
}

impl Graph {
    pub(super) fn node(&mut self, shape: Shape) -> Link {
        let index = match self.nodes.get_index_of(&shape) {
            Some(index) => index,
            None => self.nodes.insert_full(shape).0,
        };
        Link::Node(index as u32)
    }

    pub(super) fn shape(&self, node: u32) -> Option<&Shape> {
        self.nodes.get_index(node as usize)
    }

    /// The shape of a definition that is no literal; links are positions in the file.
    pub(super) fn shape_of(&mut self, def: &Def<'_, Position>) -> Shape {
        let local = |position: &Position| Link::Local(position.0);
        match def {
            Def::Any | Def::StringLiteral(_) => Shape::Any,
            Def::Null => Shape::Null,
            Def::Bool => Shape::Bool,
            Def::Int { min, max } => Shape::Int { min: *min, max: *max },
            Def::String(string) => Shape::String {
                sensitive: string.sensitive,
                min: string.min_length,
                max: string.max_length,
                pattern: string.pattern.as_ref().map(|pattern| self.strings.add(pattern)),
            },
            Def::Array { item, min_length, max_length } => {
                Shape::Array { item: local(item), min: *min_length, max: *max_length }
            }
            Def::Union(elements) => Shape::Union(elements.iter().map(local).collect()),
            Def::Object(object) => Shape::Object {
                name: self.strings.add(&object.name),
                properties: self.members_of(&object.properties),
                additional: object.additional.as_ref().map(local),
                sensitive: object.sensitive,
            },
            Def::Discriminated(object) => Shape::Discriminated {
                name: self.strings.add(&object.name),
                discriminator: self.strings.add(&object.discriminator),
                base: self.members_of(&object.base),
                elements: object
                    .elements
                    .iter()
                    .map(|(name, target)| (self.strings.add(name), local(target)))
                    .collect(),
            },
            Def::BuiltIn(kind) => Shape::BuiltIn(*kind),
        }
    }

    fn members_of(&mut self, properties: &[PropertyDef<'_, Position>]) -> Vec<Member> {
        let member = |property: &PropertyDef<'_, Position>| Member {
            name: self.strings.add(&property.name),
            flags: property.flags,
            ty: Link::Local(property.ty.0),
            description: property.description.as_ref().map(|text| self.descriptions.add(text)),
        };
        properties.iter().map(member).collect()
    }
}
