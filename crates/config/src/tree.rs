//! Values with the place each came from, and how one layer of configuration goes over another.

use base::{SmolStr, TextRange};
use indexmap::IndexMap;

/// Where a value was written: in which layer of the configuration, and where in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin {
    pub(crate) layer: usize,
    pub(crate) range: TextRange,
}

/// The layer of what is built in.
pub(crate) const BUILT_IN: usize = 0;

/// A value and where it was written.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub value: Value,
    pub origin: Origin,
}

/// A value that has the shape it should have.
#[derive(Debug, Clone)]
pub(crate) enum Value {
    /// `null`: says nothing, so that a lower layer shows through.
    Nothing,
    Flag(bool),
    Integer(i64),
    Text(SmolStr),
    List(Vec<Entry>),
    Object(IndexMap<SmolStr, Entry>),
}

impl Entry {
    /// The entry under a key.
    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        match &self.value {
            Value::Object(entries) => entries.get(key),
            _ => None,
        }
    }

    /// The entry under a chain of keys.
    pub(crate) fn at(&self, path: &[&str]) -> Option<&Self> {
        path.iter().try_fold(self, |entry, key| entry.get(key))
    }

    /// The entries of an object, in order; nothing for other values.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&SmolStr, &Self)> {
        match &self.value {
            Value::Object(entries) => Some(entries.iter()),
            _ => None,
        }
        .into_iter()
        .flatten()
    }

    /// The items of a list; nothing for other values.
    pub(crate) fn items(&self) -> &[Self] {
        match &self.value {
            Value::List(items) => items,
            _ => &[],
        }
    }

    pub(crate) fn text(&self) -> Option<&SmolStr> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn flag(&self) -> Option<bool> {
        match self.value {
            Value::Flag(flag) => Some(flag),
            _ => None,
        }
    }

    pub(crate) fn integer(&self) -> Option<i64> {
        match self.value {
            Value::Integer(number) => Some(number),
            _ => None,
        }
    }

    /// The texts of a list of texts.
    pub(crate) fn texts(&self) -> Vec<SmolStr> {
        self.items().iter().filter_map(|item| item.text().cloned()).collect()
    }

    /// The value without its origins.
    pub(crate) fn to_json(&self) -> serde_json::Value {
        match &self.value {
            Value::Nothing => serde_json::Value::Null,
            Value::Flag(flag) => (*flag).into(),
            Value::Integer(number) => (*number).into(),
            Value::Text(text) => text.as_str().into(),
            Value::List(items) => items.iter().map(Self::to_json).collect(),
            Value::Object(entries) => serde_json::Value::Object(
                entries.iter().map(|(key, entry)| (key.to_string(), entry.to_json())).collect(),
            ),
        }
    }

    /// Puts a higher layer over this one: objects key by key, everything else replaced, `null` without effect.
    pub(crate) fn overlay(&mut self, upper: Self) {
        match (&mut self.value, upper.value) {
            (_, Value::Nothing) => {}
            (Value::Object(lower), Value::Object(upper_entries)) => {
                self.origin = upper.origin;
                for (key, entry) in upper_entries {
                    match lower.get_mut(&key) {
                        Some(existing) => existing.overlay(entry),
                        None => {
                            lower.insert(key, entry);
                        }
                    }
                }
            }
            (lower, value) => {
                *lower = value;
                self.origin = upper.origin;
            }
        }
    }
}
