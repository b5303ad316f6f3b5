//! Named things in order, found in any letter case.

use std::collections::HashMap;
use std::sync::OnceLock;

use smol_str::SmolStr;

use crate::value::fold;

/// Named things in the order in which they are written. Of several with the same name but for letter case, the last
/// one counts.
#[derive(Debug, Clone)]
pub struct Names<T> {
    items: Vec<(SmolStr, T)>,
    /// Positions by folded name, made when a long list is first searched: most templates inside others are read and
    /// never asked for a name.
    index: OnceLock<HashMap<String, usize>>,
}

/// Lists up to this length are searched from end to end.
const SCAN: usize = 16;

impl<T> Names<T> {
    /// Adds one.
    pub fn insert(&mut self, name: SmolStr, item: T) {
        if let Some(index) = self.index.get_mut() {
            index.insert(fold(&name), self.items.len());
        }
        self.items.push((name, item));
    }

    /// One by its name.
    pub fn get(&self, name: &str) -> Option<&T> {
        self.find(name).map(|(_, _, item)| item)
    }

    /// One by its name, to change it.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut T> {
        let at = self.position(name)?;
        self.items.get_mut(at).map(|(_, item)| item)
    }

    fn position(&self, name: &str) -> Option<usize> {
        if self.items.len() <= SCAN {
            return self.items.iter().rposition(|(known, _)| json::eq_ignore_case(known, name));
        }
        let index = self
            .index
            .get_or_init(|| self.items.iter().enumerate().map(|(at, (name, _))| (fold(name), at)).collect());
        index.get(&fold(name)).copied()
    }

    /// All in order, to change them.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.items.iter_mut().map(|(_, item)| item)
    }

    /// One by its name, with its position and the name as written.
    pub fn find(&self, name: &str) -> Option<(usize, &SmolStr, &T)> {
        let at = self.position(name)?;
        self.items.get(at).map(|(name, item)| (at, name, item))
    }

    /// All in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&SmolStr, &T)> {
        self.items.iter().map(|(name, item)| (name, item))
    }

    pub(super) fn into_items(self) -> impl Iterator<Item = (SmolStr, T)> {
        self.items.into_iter()
    }

    /// Adds those of others; what has the same name is replaced.
    pub fn merge(&mut self, others: Self) {
        for (name, item) in others.items {
            match self.get_mut(&name) {
                Some(known) => *known = item,
                None => self.insert(name, item),
            }
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
}

impl<T> Default for Names<T> {
    fn default() -> Self {
        Self { items: Vec::new(), index: OnceLock::new() }
    }
}

impl<T> FromIterator<(SmolStr, T)> for Names<T> {
    fn from_iter<I: IntoIterator<Item = (SmolStr, T)>>(items: I) -> Self {
        Self { items: items.into_iter().collect(), index: OnceLock::new() }
    }
}
