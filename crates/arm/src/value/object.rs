//! Ordered members, found by exact name first and then in any letter case.

use std::collections::HashMap;
use std::sync::OnceLock;

use smol_str::SmolStr;

use super::{Marks, Value};

/// The members of an object in order. Names that differ only in letter case may stand side by side.
#[derive(Debug, Default)]
pub struct Object {
    members: Vec<(SmolStr, Value)>,
    marks: Marks,
    /// Name to position; only large objects have it.
    exact: Option<HashMap<SmolStr, usize>>,
    /// Name in upper case to position, made when an exact search fails on a large object.
    folded: OnceLock<HashMap<String, usize>>,
}

/// Up to this many members a search goes through them one by one, which is faster than hashing.
const SCAN: usize = 16;

impl Object {
    /// A member by name; the exact name wins over one in another letter case.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.find(name).map(|(_, value)| value)
    }

    /// A member by its exact name.
    pub fn get_exact(&self, name: &str) -> Option<&Value> {
        self.member(self.position(name)?).map(|(_, value)| value)
    }

    /// A member with its name as written.
    pub fn find(&self, name: &str) -> Option<(&SmolStr, &Value)> {
        if let Some(at) = self.position(name) {
            return self.member(at);
        }
        if self.members.len() <= SCAN {
            return self.iter().find(|(key, _)| json::eq_ignore_case(key, name));
        }
        let folded = self.folded.get_or_init(|| {
            let mut map = HashMap::with_capacity(self.members.len());
            for (index, key) in self.keys().enumerate() {
                map.entry(fold(key)).or_insert(index);
            }
            map
        });
        self.member(*folded.get(&fold(name))?)
    }

    fn member(&self, at: usize) -> Option<(&SmolStr, &Value)> {
        self.members.get(at).map(|(key, value)| (key, value))
    }

    fn position(&self, name: &str) -> Option<usize> {
        match &self.exact {
            None => self.members.iter().position(|(key, _)| key == name),
            Some(exact) => exact.get(name).copied(),
        }
    }

    /// Adds a member, or replaces the value of the one that has its name.
    fn insert(&mut self, name: SmolStr, value: Value) {
        if let Some((_, known)) = self.position(&name).and_then(|at| self.members.get_mut(at)) {
            *known = value;
            return;
        }
        let at = self.members.len();
        if let Some(exact) = &mut self.exact {
            exact.insert(name.clone(), at);
        }
        self.members.push((name, value));
        if at == SCAN {
            let all = self.members.iter().enumerate().map(|(at, (name, _))| (name.clone(), at));
            self.exact = Some(all.collect());
        }
    }

    /// Members in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&SmolStr, &Value)> + DoubleEndedIterator {
        self.members.iter().map(|(key, value)| (key, value))
    }

    /// Names in order.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &SmolStr> {
        self.members.iter().map(|(key, _)| key)
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
        let members = members.into_iter();
        let mut object = Self { members: Vec::with_capacity(members.size_hint().0), ..Self::default() };
        members.for_each(|(name, value)| object.insert(name, value));
        object.marks = Marks::of(object.members.iter().map(|(_, value)| value));
        object.marks.size += object.keys().map(|key| key.len() as u64 + 3).sum::<u64>();
        object
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

    #[test]
    fn a_later_member_replaces_an_earlier_one_in_its_place() {
        for count in [2, 16, 17, 40] {
            let names = (0..count).chain(0..count).map(|n| SmolStr::from(format!("x{n}")));
            let object: Object = names.zip((0i64..).map(Value::int)).collect();
            assert_eq!(object.len(), count);
            assert_eq!(object.iter().next().map(|(name, _)| name.as_str()), Some("x0"));
            let last = object.get_exact(&format!("x{}", count - 1)).and_then(Value::as_int);
            assert_eq!(last, i64::try_from(2 * count - 1).ok(), "{count}");
        }
    }
}
