//! A map from nodes of one tree to values. Every walk over a file asks it at every node, and most have no value: numbers of nodes are
//! dense, so that a place in a vector answers where a hash table would have to be searched.

use bicep_syntax::{NodeId, Tree};

#[derive(Debug)]
pub struct NodeMap<T> {
    /// By node, the position of its value.
    positions: Vec<u32>,
    values: Vec<T>,
}

const NONE: u32 = u32::MAX;

impl<T> Default for NodeMap<T> {
    fn default() -> Self {
        Self { positions: Vec::new(), values: Vec::new() }
    }
}

impl<T> NodeMap<T> {
    /// A map for the nodes of a tree.
    pub(crate) fn for_tree(tree: &Tree) -> Self {
        Self { positions: vec![NONE; tree.node_count()], values: Vec::new() }
    }

    #[inline]
    pub fn get(&self, node: &NodeId) -> Option<&T> {
        let position = *self.positions.get(node.index())?;
        self.values.get(position as usize)
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = &T> {
        self.values.iter()
    }

    pub(crate) fn insert(&mut self, node: NodeId, value: T) {
        if self.positions.len() <= node.index() {
            self.positions.resize(node.index() + 1, NONE);
        }
        let Some(position) = self.positions.get_mut(node.index()) else { return };
        match self.values.get_mut(*position as usize) {
            Some(known) => *known = value,
            None => {
                *position = u32::try_from(self.values.len()).unwrap_or(NONE);
                self.values.push(value);
            }
        }
    }
}
