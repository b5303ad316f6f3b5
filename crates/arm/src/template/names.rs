//! Named things in order, found in any letter case.

use std::collections::HashMap;

use smol_str::SmolStr;

use crate::value::fold;

/// Named things in the order in which they are written. Of several with the same name but for letter case, the last
/// one counts.
#[derive(Debug, Clone)]
pub struct Names<T> {
    items: Vec<(SmolStr, T)>,
    index: HashMap<String, usize>,
}

impl<T> Names<T> {
    /// Adds one.
    pub fn insert(&mut self, name: SmolStr, item: T) {
        self.index.insert(fold(&name), self.items.len());
        self.items.push((name, item));
    }

    /// One by its name.
    pub fn get(&self, name: &str) -> Option<&T> {
        self.find(name).map(|(_, _, item)| item)
    }

    /// One by its name, to change it.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut T> {
        let at = *self.index.get(&fold(name))?;
        self.items.get_mut(at).map(|(_, item)| item)
    }

    /// All in order, to change them.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.items.iter_mut().map(|(_, item)| item)
    }

    /// One by its name, with its position and the name as written.
    pub fn find(&self, name: &str) -> Option<(usize, &SmolStr, &T)> {
        let at = *self.index.get(&fold(name))?;
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
        Self { items: Vec::new(), index: HashMap::new() }
    }
}

impl<T> FromIterator<(SmolStr, T)> for Names<T> {
    fn from_iter<I: IntoIterator<Item = (SmolStr, T)>>(items: I) -> Self {
        let mut names = Self::default();
        for (name, item) in items {
            names.insert(name, item);
        }
        names
    }
}
