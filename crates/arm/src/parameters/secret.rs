//! Secrets inside values: the parts that a type calls secure are marked, so that nothing made from them is shown.

use super::check::Checker;
use super::resolve::Chain;
use crate::template::{Additional, Items, Names, TypeNode};
use crate::value::{Kind, Object, Value};

impl<'t> Checker<'t> {
    /// The value of a parameter or output with the marks that its type asks for.
    pub fn secured(&self, schema: &'t TypeNode, value: Value) -> Value {
        let chain = self.chain(schema).ok();
        chain.and_then(|chain| self.mark(&chain, &value)).unwrap_or(value)
    }

    /// The value with the marks that its type asks for.
    pub(super) fn marked(&self, chain: &Chain<'t>, value: &Value) -> Value {
        self.mark(chain, value).unwrap_or_else(|| value.clone())
    }

    /// The marked value; nothing if there is nothing to mark in it.
    fn mark(&self, chain: &Chain<'t>, value: &Value) -> Option<Value> {
        if chain.secure() {
            return Some(value.clone().into_secure());
        }
        let mut changed = false;
        let mut part = |schema: Option<&'t TypeNode>, value: &Value| {
            let inner = schema.and_then(|schema| self.chain(schema).ok());
            let deeper = || Ok(inner.and_then(|inner| self.mark(&inner, value)));
            // Too deep to be looked into: the check itself says so.
            let marked = self.evaluator.deeper(deeper).ok().flatten();
            changed |= marked.is_some();
            marked.unwrap_or_else(|| value.clone())
        };
        let marked = match value.kind() {
            Kind::Array(items) => {
                let items = items.iter().enumerate();
                Value::array(items.map(|(at, item)| part(item_type(chain, at), item)).collect())
            }
            Kind::Object(object) => {
                let members = object.iter();
                let members =
                    members.map(|(key, it)| (key.clone(), part(member_type(chain, object, key), it)));
                Value::from(members.collect::<Object>())
            }
            _ => return None,
        };
        changed.then_some(marked)
    }
}

fn item_type<'t>(chain: &Chain<'t>, at: usize) -> Option<&'t TypeNode> {
    chain.nodes.iter().find_map(|node| {
        let first = node.prefix_items.as_deref().unwrap_or_default();
        first.get(at).or(match &node.items {
            Some(Items::Of(schema)) => Some(schema),
            Some(Items::None) | None => None,
        })
    })
}

/// The type of a member: a declared one, else one of the variant that the value chooses, else that of all others.
fn member_type<'t>(chain: &Chain<'t>, object: &Object, key: &str) -> Option<&'t TypeNode> {
    let declared = |node: &&'t TypeNode| node.properties.as_ref().and_then(|properties| properties.get(key));
    let chosen = |node: &&'t TypeNode| {
        let discriminator = node.discriminator.as_ref()?;
        let variant = discriminator.mapping.get(object.get(&discriminator.property)?.as_str()?)?;
        variant.properties.as_ref().and_then(|properties: &Names<TypeNode>| properties.get(key))
    };
    let other = |node: &&'t TypeNode| match &node.additional {
        Some(Additional::Of(schema)) => Some(&**schema),
        Some(Additional::None) | None => None,
    };
    let nodes = || chain.nodes.iter();
    nodes().find_map(declared).or_else(|| nodes().find_map(chosen)).or_else(|| nodes().find_map(other))
}
