//! `$ref`: types that are other types.

use super::check::Checker;
use crate::error::Error;
use crate::messages;
use crate::template::{Additional, Items, Primitive, Template, TypeNode};

/// A type and the types that it refers to, outermost first. All of them restrict a value; what is said further out
/// overrides whether `null` is allowed.
pub(super) struct Chain<'t> {
    pub nodes: Vec<&'t TypeNode>,
}

impl Chain<'_> {
    pub(super) fn nullable(&self) -> bool {
        self.nodes.iter().find_map(|node| node.nullable).unwrap_or(false)
    }

    pub(super) fn primitive(&self) -> Option<Primitive> {
        self.nodes.iter().find_map(|node| node.primitive)
    }

    pub(super) fn secure(&self) -> bool {
        self.nodes.iter().any(|node| node.secure)
    }
}

impl<'t> Checker<'t> {
    /// Follows `$ref` from a type. A type that refers back to itself is an error.
    pub(super) fn chain(&self, node: &'t TypeNode) -> Result<Chain<'t>, Error> {
        let mut nodes = vec![node];
        let mut current = node;
        while let Some(reference) = &current.reference {
            current = find(self.template, reference)
                .ok_or_else(|| messages::no_such_type(reference).at(node.range))?;
            if nodes.iter().any(|seen| std::ptr::eq(*seen, current)) {
                return Err(messages::cyclic_type(reference).at(node.range));
            }
            nodes.push(current);
        }
        Ok(Chain { nodes })
    }
}

/// Follows a pointer such as `#/definitions/a/properties/b/items`.
fn find<'t>(template: &'t Template, pointer: &str) -> Option<&'t TypeNode> {
    let mut segments = pointer.strip_prefix("#/definitions/")?.split('/');
    let name = json::path::unescape_fragment;
    let mut node = template.definitions.get(&name(segments.next()?))?;
    while let Some(segment) = segments.next() {
        node = match segment {
            "properties" => node.properties.as_ref()?.get(&name(segments.next()?))?,
            "prefixItems" => node.prefix_items.as_ref()?.get(segments.next()?.parse::<usize>().ok()?)?,
            "items" => match node.items.as_ref()? {
                Items::Of(inner) => inner,
                Items::None => return None,
            },
            "additionalProperties" => match node.additional.as_ref()? {
                Additional::Of(inner) => inner,
                Additional::None => return None,
            },
            "discriminator" => {
                segments.next().filter(|segment| *segment == "mapping")?;
                node.discriminator.as_ref()?.mapping.get(&name(segments.next()?))?
            }
            _ => return None,
        };
    }
    Some(node)
}
