//! One configuration file: JSON comes in, values of the right shape and diagnostics go out. Whatever has the wrong
//! shape is reported and left out, so that the rest of the file still counts.

use base::{Diagnostic, SmolStr, TextRange};
use indexmap::IndexMap;
use indexmap::map::Entry as Slot;
use json::{Kind, Member, Node};

use crate::diagnostics;
use crate::feature::{Feature, SETTLED};
use crate::rules::{self, Level, RULES, Rule};
use crate::shape::{Field, Shape, TextKind};
use crate::table;
use crate::tree::{Entry, Origin, Value};

/// Reads the root of a file that is layer number `layer`. It is laid over `below`: what is given there need not be
/// given again.
pub(crate) fn read(root: &Node, layer: usize, below: Option<&Entry>) -> (Entry, Vec<Diagnostic>) {
    let mut reader = ConfigReader { layer, below, path: Vec::new(), diagnostics: Vec::new() };
    let entry = reader.value(root, &Shape::Record(table::ROOT));
    let entry = entry.unwrap_or_else(|| reader.entry(root.range, Value::Nothing));
    (entry, reader.diagnostics)
}

/// A file with more problems than this is not a configuration file; nobody reads the rest.
const MAX_REPORTS: usize = 100;

struct ConfigReader<'r> {
    layer: usize,
    /// The layers below, merged.
    below: Option<&'r Entry>,
    /// The keys from the root to the value at hand.
    path: Vec<SmolStr>,
    diagnostics: Vec<Diagnostic>,
}

/// A setting that is written under both of its names.
struct SecondName<'f> {
    field: &'f Field,
    /// Where the second name is written.
    range: TextRange,
    entry: Entry,
    /// Where the first name is written.
    other: TextRange,
}

impl ConfigReader<'_> {
    fn value(&mut self, node: &Node, shape: &Shape) -> Option<Entry> {
        if matches!(node.value, Kind::Null) {
            return Some(self.entry(node.range, Value::Nothing));
        }
        let value = match (shape, &node.value) {
            (Shape::Flag, Kind::Bool(flag)) => Value::Flag(*flag),
            (Shape::Integer { min, max }, Kind::Number(number)) => {
                Value::Integer(self.integer(node.range, number.as_f64().unwrap_or(f64::NAN), *min, *max)?)
            }
            (Shape::Text(kind), Kind::String(text)) => {
                if *kind != TextKind::Any && text.is_empty() {
                    self.report(diagnostics::empty_text(node.range, &self.place()));
                }
                Value::Text(text.as_str().into())
            }
            (Shape::Choice(choices), Kind::String(text)) => {
                Value::Text(self.choice(node.range, text, choices)?)
            }
            (Shape::List(item), Kind::Array(nodes)) => {
                Value::List(nodes.iter().filter_map(|node| self.value(node, item)).collect())
            }
            (Shape::Record(fields), Kind::Object(object)) => {
                self.record(node.range, &object.iter().collect::<Vec<_>>(), fields)
            }
            (Shape::Map(shape), Kind::Object(object)) => {
                let mut entries = IndexMap::new();
                for member in object {
                    self.member(&mut entries, member, shape);
                }
                Value::Object(entries)
            }
            (Shape::Providers, Kind::Object(object)) => self.providers(object.iter()),
            (Shape::Features, Kind::Object(object)) => self.features(object.iter()),
            (Shape::Rules, Kind::Object(object)) => self.rules(object.iter()),
            (shape, found) => {
                let (expected, found) = (expected(shape), found_kind(found));
                self.report(diagnostics::wrong_type(node.range, &self.place(), expected, found));
                return None;
            }
        };
        Some(self.entry(node.range, value))
    }

    fn record(&mut self, range: TextRange, members: &[&Member], fields: &[Field]) -> Value {
        let mut entries: IndexMap<SmolStr, Entry> = IndexMap::new();
        let mut written: Vec<(&str, &str, TextRange)> = Vec::new();
        for member in members {
            let key = member.key.as_str();
            let Some(field) = fields.iter().find(|field| field.key == key) else {
                let known = fields.iter().map(|field| field.key);
                self.report(diagnostics::unknown_key(member.key_range, key, &self.place(), known));
                continue;
            };
            if let Some((_, _, first)) = written.iter().find(|(earlier, ..)| *earlier == key) {
                self.report(diagnostics::duplicate_key(member.key_range, key, *first));
                entries.shift_remove(field.canonical());
            }
            let other = written
                .iter()
                .find(|(earlier, canonical, _)| *earlier != key && *canonical == field.canonical())
                .map(|(.., at)| *at);
            if !written.iter().any(|(earlier, ..)| *earlier == key) {
                written.push((field.key, field.canonical(), member.key_range));
            }
            let Some(entry) = self.within(key, |reader| reader.value(&member.value, &field.shape)) else {
                continue;
            };
            match other {
                Some(other) => {
                    let written = SecondName { field, range: member.key_range, entry, other };
                    self.both_names(&mut entries, written);
                }
                None => {
                    entries.insert(field.canonical().into(), entry);
                }
            }
        }
        let given_below = self.path.iter().try_fold(self.below, |entry, key| Some(entry?.get(key))).flatten();
        for field in fields.iter().filter(|field| field.required && !entries.contains_key(field.canonical()))
        {
            if given_below.is_some_and(|below| below.get(field.canonical()).is_some()) {
                continue;
            }
            self.report(diagnostics::missing_key(range, &self.place(), field.key));
        }
        Value::Object(entries)
    }

    /// Joins what is written under the two names of one setting; different values for one thing are an error.
    fn both_names(&mut self, entries: &mut IndexMap<SmolStr, Entry>, written: SecondName<'_>) {
        let SecondName { field, range, entry, other } = written;
        let Some(existing) = entries.get_mut(field.canonical()) else {
            entries.insert(field.canonical().into(), entry);
            return;
        };
        let (Value::Object(known), Value::Object(more)) = (&mut existing.value, &entry.value) else {
            if existing.to_json() != entry.to_json() {
                let what = format!("\"{}\"", field.canonical());
                self.report(diagnostics::two_names(range, &what, other));
            }
            return;
        };
        for (key, entry) in more {
            match known.entry(key.clone()) {
                Slot::Vacant(slot) => {
                    slot.insert(entry.clone());
                }
                Slot::Occupied(slot) if slot.get().to_json() == entry.to_json() => {}
                Slot::Occupied(slot) => {
                    let what = format!("\"{key}\"");
                    let (range, other) = (entry.origin.range, slot.get().origin.range);
                    self.report(diagnostics::two_names(range, &what, other));
                }
            }
        }
    }

    fn member(&mut self, entries: &mut IndexMap<SmolStr, Entry>, member: &Member, shape: &Shape) {
        let key = member.key.as_str();
        let Some(entry) = self.within(key, |reader| reader.value(&member.value, shape)) else { return };
        if let Some(first) = entries.insert(key.into(), entry) {
            self.report(diagnostics::duplicate_key(member.key_range, key, first.origin.range));
        }
    }

    fn providers<'a>(&mut self, members: impl Iterator<Item = &'a Member>) -> Value {
        let mut entries: IndexMap<SmolStr, Entry> = IndexMap::new();
        for member in members {
            let key = member.key.as_str();
            if key == "sys" {
                self.report(diagnostics::reserved_name(member.key_range, key));
                continue;
            }
            let shape = Shape::Text(TextKind::NonEmpty);
            let Some(entry) = self.within(key, |reader| reader.value(&member.value, &shape)) else {
                continue;
            };
            match entries.entry(key.into()) {
                Slot::Vacant(slot) => {
                    slot.insert(entry);
                }
                Slot::Occupied(slot) => {
                    let first = slot.get().origin.range;
                    self.report(diagnostics::duplicate_provider(member.key_range, key, first));
                }
            }
        }
        Value::Object(entries)
    }

    fn features<'a>(&mut self, members: impl Iterator<Item = &'a Member>) -> Value {
        let mut entries = IndexMap::new();
        for member in members {
            let key = member.key.as_str();
            if Feature::from_name(key).is_some() {
                self.member(&mut entries, member, &Shape::Flag);
            } else if SETTLED.contains(&key) {
                self.report(diagnostics::settled_feature(member.key_range, key));
            } else {
                let known = Feature::ALL.iter().map(|(_, name, _)| *name);
                self.report(diagnostics::unknown_key(member.key_range, key, &self.place(), known));
            }
        }
        Value::Object(entries)
    }

    fn rules<'a>(&mut self, members: impl Iterator<Item = &'a Member>) -> Value {
        let mut entries = IndexMap::new();
        for member in members {
            let key = member.key.as_str();
            let Some(rule) = Rule::find(key) else {
                let known = RULES.iter().map(|rule| rule.code);
                self.report(diagnostics::unknown_key(member.key_range, key, &self.place(), known));
                continue;
            };
            let Kind::Object(object) = &member.value.value else {
                self.member(&mut entries, member, &Shape::Record(&[]));
                continue;
            };
            let fields: Vec<_> = std::iter::once(rules::LEVEL).chain(rule.options.iter().copied()).collect();
            let members: Vec<_> = object.iter().collect();
            let range = member.value.range;
            let value = self.within(key, |reader| reader.record(range, &members, &fields));
            if let Some(first) = entries.insert(key.into(), self.entry(range, value)) {
                self.report(diagnostics::duplicate_key(member.key_range, key, first.origin.range));
            }
        }
        Value::Object(entries)
    }

    fn integer(&mut self, range: TextRange, number: f64, min: i64, max: i64) -> Option<i64> {
        if number.fract() != 0.0 || !number.is_finite() {
            self.report(diagnostics::wrong_type(range, &self.place(), "a whole number", "a fraction"));
            return None;
        }
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a saturated value is outside every range as well"
        )]
        let number = number as i64;
        let used = number.clamp(min, max);
        if used != number {
            self.report(diagnostics::out_of_range(range, &self.place(), used));
        }
        Some(used)
    }

    fn choice(&mut self, range: TextRange, text: &str, choices: &[&'static str]) -> Option<SmolStr> {
        let choice = choices.iter().find(|choice| choice.eq_ignore_ascii_case(text));
        if choice.is_none() {
            let is_level = choices == Level::NAMES;
            let refuse = if is_level { diagnostics::unknown_level } else { diagnostics::not_a_choice };
            self.report(refuse(range, &self.place(), text, choices));
        }
        choice.map(|choice| SmolStr::new_static(choice))
    }

    fn within<T>(&mut self, key: &str, read: impl FnOnce(&mut Self) -> T) -> T {
        self.path.push(key.into());
        let result = read(self);
        self.path.pop();
        result
    }

    fn entry(&self, range: TextRange, value: Value) -> Entry {
        Entry { value, origin: Origin { layer: self.layer, range } }
    }

    /// The path of the value at hand, as a user writes it.
    fn place(&self) -> String {
        self.path.join(".")
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() < MAX_REPORTS {
            self.diagnostics.push(diagnostic);
        }
    }
}

fn expected(shape: &Shape) -> &'static str {
    match shape {
        Shape::Flag => "true or false",
        Shape::Integer { .. } => "a whole number",
        Shape::Text(_) | Shape::Choice(_) => "a string",
        Shape::List(_) => "an array",
        Shape::Record(_) | Shape::Map(_) | Shape::Providers | Shape::Features | Shape::Rules => "an object",
    }
}

fn found_kind(kind: &Kind) -> &'static str {
    match kind {
        Kind::Null => "null",
        Kind::Bool(_) => "a boolean",
        Kind::Number(_) => "a number",
        Kind::String(_) => "a string",
        Kind::Array(_) => "an array",
        Kind::Object(_) => "an object",
    }
}
