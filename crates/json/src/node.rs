//! The tree: values with ranges, objects in the order of the text.

use std::borrow::Cow;
use std::sync::OnceLock;

use base::{TextRange, TextSize};
use serde_json::{Map, Number, Value};

use crate::case::{cmp_ignore_case, eq_ignore_case};
use crate::parser::{Name, TreeValue};
use crate::scan::Scanner;
use crate::{Duplicates, messages, path};

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// From the first to the last character, quotes and brackets included.
    pub range: TextRange,
    /// What it is.
    pub value: Kind,
}

/// A JSON value.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// `null`, and what stands for a value that could not be read.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number: an integer when it was written as one and fits 64 bits, else a double.
    Number(Number),
    /// A text, unescaped.
    String(String),
    Array(Vec<Node>),
    Object(Object),
}

/// The members of an object in the order of the text, repeated names included.
#[derive(Clone, Default)]
pub struct Object {
    members: Vec<Member>,
    index: OnceLock<Box<Index>>,
}

/// A name and its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    /// The name, unescaped.
    pub key: String,
    /// Where the name stands, quotes included.
    pub key_range: TextRange,
    pub value: Node,
}

impl<'t> TreeValue<'t> for Node {
    type Member = Member;

    fn null(range: TextRange) -> Self {
        Self { range, value: Kind::Null }
    }

    fn bool(range: TextRange, value: bool) -> Self {
        Self { range, value: Kind::Bool(value) }
    }

    fn string(range: TextRange, text: Cow<'t, str>) -> Self {
        Self { range, value: Kind::String(text.into_owned()) }
    }

    fn number(scan: &mut Scanner<'t>) -> Self {
        let (number, range) = scan.number();
        Self { range, value: number.map_or(Kind::Null, Kind::Number) }
    }

    fn array(range: TextRange, items: Vec<Self>) -> Self {
        Self { range, value: Kind::Array(items) }
    }

    fn object(range: TextRange, members: Vec<Member>, scan: &mut Scanner<'t>) -> Self {
        let object = Object::new(members);
        if scan.options().duplicates == Duplicates::Report {
            for (first, later) in object.repeated() {
                scan.report(messages::repeated_name(later.key_range, first.key_range, &later.key));
            }
        }
        Self { range, value: Kind::Object(object) }
    }

    fn member(name: Name<'t>, value: Self) -> Member {
        Member { key: name.text.into_owned(), key_range: name.range, value }
    }

    fn value_of(member: &Member) -> &Self {
        &member.value
    }

    fn end(&self) -> Option<TextSize> {
        Some(self.range.end())
    }
}

impl Node {
    /// The same value without ranges. Of repeated names the last value counts, in the place of the first.
    pub fn to_value(&self) -> Value {
        match &self.value {
            Kind::Null => Value::Null,
            Kind::Bool(value) => Value::Bool(*value),
            Kind::Number(value) => Value::Number(value.clone()),
            Kind::String(value) => Value::String(value.clone()),
            Kind::Array(items) => Value::Array(items.iter().map(Self::to_value).collect()),
            Kind::Object(object) => Value::Object(object.to_map()),
        }
    }

    /// The text, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        match &self.value {
            Kind::String(value) => Some(value),
            _ => None,
        }
    }

    /// The truth value, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self.value {
            Kind::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// The number, if it is one.
    pub fn as_number(&self) -> Option<&Number> {
        match &self.value {
            Kind::Number(value) => Some(value),
            _ => None,
        }
    }

    /// The number as an integer, if it is one and fits.
    pub fn as_i64(&self) -> Option<i64> {
        self.as_number()?.as_i64()
    }

    /// The items, if it is an array.
    pub fn as_array(&self) -> Option<&[Self]> {
        match &self.value {
            Kind::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The object, if it is one.
    pub fn as_object(&self) -> Option<&Object> {
        match &self.value {
            Kind::Object(object) => Some(object),
            _ => None,
        }
    }

    /// Whether it is `null`.
    pub fn is_null(&self) -> bool {
        self.value == Kind::Null
    }

    /// The value of a member, if this is an object that has it.
    pub fn get(&self, key: &str) -> Option<&Self> {
        Some(&self.as_object()?.get(key)?.value)
    }

    /// As [`Self::get`], with the name in any case.
    pub fn get_ignore_case(&self, key: &str) -> Option<&Self> {
        Some(&self.as_object()?.get_ignore_case(key)?.value)
    }

    /// What a JSON pointer (RFC 6901) points to: `/resources/0/name`; the whole for an empty one.
    pub fn pointer(&self, pointer: &str) -> Option<&Self> {
        if pointer.is_empty() {
            return Some(self);
        }
        pointer.strip_prefix('/')?.split('/').try_fold(self, |node, token| {
            let token = path::unescape(token)?;
            match &node.value {
                Kind::Object(object) => Some(&object.get(&token)?.value),
                Kind::Array(items) => items.get(path::array_index(&token)?),
                _ => None,
            }
        })
    }
}

impl Object {
    /// An object of these members.
    pub fn new(members: Vec<Member>) -> Self {
        Self { members, index: OnceLock::new() }
    }

    /// The member of this name; the last one of several.
    pub fn get(&self, key: &str) -> Option<&Member> {
        match self.index() {
            None => self.members.iter().rev().find(|member| member.key == key),
            Some(index) => self.last_of(&index.exact, |member| member.key.as_str().cmp(key)),
        }
    }

    /// The member of this very name, else the last one whose name differs only in case.
    pub fn get_ignore_case(&self, key: &str) -> Option<&Member> {
        let Some(index) = self.index() else { return self.scan_ignore_case(key) };
        self.get(key)
            .or_else(|| self.last_of(index.folded(&self.members), |member| cmp_ignore_case(&member.key, key)))
    }

    fn scan_ignore_case(&self, key: &str) -> Option<&Member> {
        // Only names beyond ASCII can be alike and differ in length.
        let is_ascii = key.is_ascii();
        let candidates =
            self.members.iter().rev().filter(|member| !is_ascii || member.key.len() == key.len());
        let mut alike = None;
        for member in candidates {
            // Nearly every name is written as it is looked for.
            if member.key == key {
                return Some(member);
            }
            alike = alike.or_else(|| eq_ignore_case(&member.key, key).then_some(member));
        }
        alike
    }

    /// Whether there is a member of this name.
    pub fn contains_key(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// All members in the order of the text, repeated names included.
    pub fn iter(&self) -> std::slice::Iter<'_, Member> {
        self.members.iter()
    }

    /// All members in the order of the text, repeated names included.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// All members in the order of the text, repeated names included.
    pub fn into_members(self) -> Vec<Member> {
        self.members
    }

    /// How many members there are, repeated names included.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Every member whose name stood there before, with the first member of that name.
    pub fn repeated(&self) -> impl Iterator<Item = (&Member, &Member)> {
        self.members.iter().enumerate().filter_map(|(at, later)| {
            let first = self.first_position(&later.key).filter(|first| *first < at)?;
            Some((self.members.get(first)?, later))
        })
    }

    /// Whether a name occurs twice.
    pub fn has_repeated(&self) -> bool {
        let key = |at: &u32| self.members.get(*at as usize).map(|member| &member.key);
        match self.index() {
            Some(index) => index.exact.array_windows().any(|[one, next]| key(one) == key(next)),
            None => (self.members.iter().enumerate())
                .any(|(at, later)| self.members.iter().take(at).any(|first| first.key == later.key)),
        }
    }

    fn to_map(&self) -> Map<String, Value> {
        let mut map = Map::with_capacity(self.members.len());
        for member in &self.members {
            map.insert(member.key.clone(), member.value.to_value());
        }
        map
    }

    fn index(&self) -> Option<&Index> {
        if self.members.len() <= Index::WORTH_IT {
            return None;
        }
        Some(self.index.get_or_init(|| Box::new(Index::new(&self.members))))
    }

    /// The last member in an index that `order` calls equal.
    fn last_of(&self, index: &[u32], order: impl Fn(&Member) -> std::cmp::Ordering) -> Option<&Member> {
        let end =
            index.partition_point(|at| self.members.get(*at as usize).is_some_and(|m| order(m).is_le()));
        let member = self.members.get(*index.get(end.checked_sub(1)?)? as usize)?;
        order(member).is_eq().then_some(member)
    }

    fn first_position(&self, key: &str) -> Option<usize> {
        let Some(index) = self.index() else {
            return self.members.iter().position(|member| member.key == key);
        };
        let before = |at: &u32| self.members.get(*at as usize).is_some_and(|m| m.key.as_str() < key);
        index.exact.get(index.exact.partition_point(before)).map(|at| *at as usize)
    }
}

impl std::fmt::Debug for Object {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(&self.members).finish()
    }
}

impl PartialEq for Object {
    fn eq(&self, other: &Self) -> bool {
        self.members == other.members
    }
}

impl<'a> IntoIterator for &'a Object {
    type Item = &'a Member;
    type IntoIter = std::slice::Iter<'a, Member>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// The positions of an object's members in two orders, so that look-ups in large objects need no scan.
#[derive(Debug, Clone)]
struct Index {
    exact: Vec<u32>,
    /// Without regard to case, which takes longest to sort and is not asked for of every object.
    folded: OnceLock<Vec<u32>>,
}

impl Index {
    /// Objects up to this size are searched from end to end.
    const WORTH_IT: usize = 16;

    fn new(members: &[Member]) -> Self {
        Self { exact: Self::sorted(members, str::cmp), folded: OnceLock::new() }
    }

    fn folded(&self, members: &[Member]) -> &[u32] {
        self.folded.get_or_init(|| Self::sorted(members, cmp_ignore_case))
    }

    /// The sort is stable: equal names stay in the order of the text.
    fn sorted(members: &[Member], order: impl Fn(&str, &str) -> std::cmp::Ordering) -> Vec<u32> {
        let key = |at: &u32| members.get(*at as usize).map_or("", |member| member.key.as_str());
        let mut positions: Vec<u32> = (0u32..).take(members.len()).collect();
        positions.sort_by(|a, b| order(key(a), key(b)));
        positions
    }
}
