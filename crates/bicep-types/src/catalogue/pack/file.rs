//! Brings the types of one file into the graph.

use super::cycles::KnownGroups;
use super::intern::{Graph, Link, Shape};
use crate::def::{Def, Entry};
use crate::protocol::{Position, Problem, messages};

/// What a file is added to.
pub(super) struct PackedGraph<'t> {
    pub graph: &'t mut Graph,
    pub groups: &'t mut KnownGroups,
    pub problems: &'t mut Vec<Problem>,
}

/// Adds the types of a file; gives the place of each entry in the graph, and `any` for what is no type.
pub(super) fn place(target: PackedGraph<'_>, path: &str, entries: &[Entry<'_, Position>]) -> Vec<Link> {
    let any = target.graph.node(Shape::Any);
    let links = vec![any; entries.len()];
    let mut file = File { target, path, entries, shapes: Vec::with_capacity(entries.len()), links, any };
    for (at, entry) in entries.iter().enumerate() {
        let shape = file.shape(at, entry);
        file.shapes.push(shape);
    }
    for at in endless(&file.shapes) {
        file.target.problems.push(messages::endless_type(path, at));
        set(&mut file.shapes, at, None);
    }
    let edges: Vec<Vec<u32>> =
        file.shapes.iter().map(|shape| local_edges(shape.as_ref(), &file.shapes)).collect();
    for component in base::graph::strongly_connected(&edges) {
        match component.as_slice() {
            [single] if !edges.get(*single as usize).is_some_and(|edges| edges.contains(single)) => {
                file.place_single(*single);
            }
            _ => file.place_group(component),
        }
    }
    file.links
}

struct File<'a> {
    target: PackedGraph<'a>,
    path: &'a str,
    entries: &'a [Entry<'a, Position>],
    /// The types other than literals, with links to positions in the file.
    shapes: Vec<Option<Shape>>,
    /// Where the types are in the graph, as far as they have been placed.
    links: Vec<Link>,
    any: Link,
}

impl File<'_> {
    fn shape(&mut self, at: usize, entry: &Entry<'_, Position>) -> Option<Shape> {
        match entry {
            Entry::Type(Def::StringLiteral(value)) => {
                let literal = Link::Literal(self.target.graph.strings.add(value));
                set(&mut self.links, at, literal);
                None
            }
            Entry::Type(def) => {
                let shape = self.target.graph.shape_of(def);
                Some(self.checked(at, shape))
            }
            _ => None,
        }
    }

    /// Reports references to what is no type of values, and leaves out alternatives that are no objects.
    fn checked(&mut self, at: usize, mut shape: Shape) -> Shape {
        let entry = |link: Link| match link {
            Link::Local(position) => self.entries.get(position as usize),
            _ => None,
        };
        let mut report = |link: Link| {
            if let Link::Local(position) = link {
                let reference = format!("#/{position}");
                self.target.problems.push(messages::bad_reference(self.path, at, &reference));
            }
        };
        shape.links(|link| {
            if matches!(entry(link), Some(entry) if !matches!(entry, Entry::Type(_))) {
                report(link);
            }
        });
        if let Shape::Discriminated { elements, .. } = &mut shape {
            elements.retain(|(_, link)| {
                let is_object = matches!(entry(*link), Some(Entry::Type(Def::Object(_))));
                if !is_object {
                    report(*link);
                }
                is_object
            });
        }
        shape
    }

    /// A type all of whose parts have been placed.
    fn place_single(&mut self, at: u32) {
        if let Some(Some(shape)) = self.shapes.get(at as usize) {
            let shape = shape.relink(|link| self.placed(link));
            let link = self.target.graph.node(shape);
            set(&mut self.links, at as usize, link);
        }
    }

    /// Types that contain each other, all of whose other parts have been placed.
    fn place_group(&mut self, mut members: Vec<u32>) {
        members.sort_unstable();
        let in_group = |link: Link| match link {
            Link::Local(position) => members.binary_search(&position).ok().map(|at| Link::Local(at as u32)),
            _ => None,
        };
        let group: Vec<Shape> = members
            .iter()
            .filter_map(|at| self.shapes.get(*at as usize)?.as_ref())
            .map(|shape| shape.relink(|link| in_group(link).unwrap_or_else(|| self.placed(link))))
            .collect();
        let places = self.target.groups.add(self.target.graph, &group);
        for (member, link) in members.iter().zip(places) {
            set(&mut self.links, *member as usize, link);
        }
    }

    fn placed(&self, link: Link) -> Link {
        match link {
            Link::Local(position) => self.links.get(position as usize).copied().unwrap_or(self.any),
            other => other,
        }
    }
}

fn set<T>(slots: &mut [T], at: usize, value: T) {
    if let Some(slot) = slots.get_mut(at) {
        *slot = value;
    }
}

fn local_edges(shape: Option<&Shape>, shapes: &[Option<Shape>]) -> Vec<u32> {
    let mut edges = Vec::new();
    if let Some(shape) = shape {
        shape.links(|link| match link {
            Link::Local(to) if matches!(shapes.get(to as usize), Some(Some(_))) => edges.push(to),
            _ => {}
        });
    }
    edges
}

/// The arrays and unions that lead to themselves without an object in between: no value could be of such a type.
fn endless(shapes: &[Option<Shape>]) -> Vec<usize> {
    let thin = |shape: &Option<Shape>| matches!(shape, Some(Shape::Array { .. } | Shape::Union(_)));
    let edges: Vec<Vec<u32>> = shapes
        .iter()
        .map(|shape| {
            let edges = if thin(shape) { local_edges(shape.as_ref(), shapes) } else { Vec::new() };
            edges.into_iter().filter(|to| shapes.get(*to as usize).is_some_and(thin)).collect()
        })
        .collect();
    let loops = |node: &u32| edges.get(*node as usize).is_some_and(|edges: &Vec<u32>| edges.contains(node));
    let mut found: Vec<usize> = base::graph::strongly_connected(&edges)
        .into_iter()
        .filter(|component| component.len() > 1 || component.iter().any(loops))
        .flatten()
        .map(|node| node as usize)
        .collect();
    found.sort_unstable();
    found
}
