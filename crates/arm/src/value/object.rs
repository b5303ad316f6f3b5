//! Ordered members, found by exact name first and then in any letter case.

use std::collections::HashMap;
use std::sync::OnceLock;

use indexmap::IndexMap;
use smol_str::SmolStr;

use super::{Marks, Value};

/// The members of an object in order. Names that differ only in letter case may stand side by side.
#[derive(Debug, Default)]
pub struct Object {
    members: IndexMap<SmolStr, Value>,
    marks: Marks,
    /// Name in upper case to position, made when an exact search fails on a large object.
    folded: OnceLock<HashMap<String, usize>>,
}

/// Up to this many members a search in any letter case goes through them one by one.
const SCAN: usize = 16;

impl Object {
    /// A member by name; the exact name wins over one in another letter case.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.find(name).map(|(_, value)| value)
    }

    /// A member by its exact name.
    pub fn get_exact(&self, name: &str) -> Option<&Value> {
        self.members.get(name)
    }

    /// A member with its name as written.
    pub fn find(&self, name: &str) -> Option<(&SmolStr, &Value)> {
        if let Some((_, key, value)) = self.members.get_full(name) {
            return Some((key, value));
        }
        if self.members.len() <= SCAN {
            return self.members.iter().find(|(key, _)| json::eq_ignore_case(key, name));
        }
        let folded = self.folded.get_or_init(|| {
            let mut map = HashMap::with_capacity(self.members.len());
            for (index, key) in self.members.keys().enumerate() {
                map.entry(fold(key)).or_insert(index);
            }
            map
        });
        self.members.get_index(*folded.get(&fold(name))?)
    }

    /// Members in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&SmolStr, &Value)> + DoubleEndedIterator {
        self.members.iter()
    }

    /// Names in order.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &SmolStr> {
        self.members.keys()
    }

    /// How many members there are.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    pub(super) fn marks(&self) -> Marks {
        self.marks
    }
}

impl FromIterator<(SmolStr, Value)> for Object {
    fn from_iter<I: IntoIterator<Item = (SmolStr, Value)>>(members: I) -> Self {
        let members: IndexMap<SmolStr, Value> = members.into_iter().collect();
        let mut marks = Marks::of(members.values());
        marks.size += members.keys().map(|key| key.len() as u64 + 3).sum::<u64>();
        Self { members, marks, folded: OnceLock::new() }
    }
}

/// The form under which names of any letter case meet: upper case, character by character.
pub(crate) fn fold(name: &str) -> String {
    let upper = |c: char| {
        let mut mapped = c.to_uppercase();
        match (mapped.next(), mapped.next()) {
            (Some(single), None) if c.is_ascii() || !single.is_ascii() => single,
            _ => c,
        }
    };
    if name.is_ascii() { name.to_ascii_uppercase() } else { name.chars().map(upper).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exact_name_wins_and_large_objects_are_searched_the_same_way() {
        for extra in [0, 100] {
            let object: Object = [("Key", 1), ("key", 2), ("Ünder", 3)]
                .into_iter()
                .map(|(name, value)| (SmolStr::new(name), Value::int(value)))
                .chain((0..extra).map(|n| (SmolStr::from(format!("x{n}")), Value::NULL)))
                .collect();
            assert_eq!(object.get("key").and_then(Value::as_int), Some(2));
            assert_eq!(object.get("KEY").and_then(Value::as_int), Some(1));
            assert_eq!(object.get("üNDER").and_then(Value::as_int), Some(3));
            assert_eq!(object.get("none").and_then(Value::as_int), None);
        }
    }
}
