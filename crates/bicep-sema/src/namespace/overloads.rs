//! Overloads of functions in the order of their declaration, found by name.

use std::sync::Arc;

use bicep_types::ty::{FunctionName, Overload};

use super::notation::Declared;

/// The overloads of a namespace. Every call and every decorator of a file is looked up here, many of them several times.
#[derive(Debug, Clone, Default)]
pub struct Overloads {
    all: Vec<Entry>,
    /// Positions of the overloads with exact names, sorted by name; those of one name in the order of declaration.
    by_name: Vec<u16>,
    /// Positions of those whose name is only the start of a name.
    prefixes: Vec<u16>,
}

#[derive(Debug, Clone)]
enum Entry {
    Declared(&'static Declared),
    Made(Arc<Overload>),
}

impl Overloads {
    pub(super) fn of_table(functions: impl Iterator<Item = &'static Declared>) -> Self {
        Self::new(functions.map(Entry::Declared).collect())
    }

    fn new(all: Vec<Entry>) -> Self {
        // A package with more functions than these numbers reach would be larger than any that can be read.
        let is_exact = |(_, entry): &(u16, &Entry)| matches!(entry.name(), FunctionName::Exact(_));
        let (exact, prefixes): (Vec<_>, Vec<_>) = (0..=u16::MAX).zip(&all).partition(is_exact);
        let positions = |of: Vec<(u16, &Entry)>| of.into_iter().map(|(at, _)| at).collect();
        let (mut by_name, prefixes): (Vec<u16>, Vec<u16>) = (positions(exact), positions(prefixes));
        by_name.sort_by(|a, b| exact_name(&all, *a).cmp(exact_name(&all, *b)));
        Self { all, by_name, prefixes }
    }

    /// All of them, in the order of declaration.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Overload>> {
        self.all.iter().map(Entry::overload)
    }

    /// Their names, in the same order.
    pub(super) fn names(&self) -> impl Iterator<Item = &FunctionName> {
        self.all.iter().map(Entry::name)
    }

    /// The overloads that a call by a name may mean.
    pub fn named<'n>(&'n self, name: &'n str) -> impl Iterator<Item = &'n Arc<Overload>> {
        self.found(name).map(Entry::overload)
    }

    /// Whether there is an overload that a call by a name may mean.
    pub fn contains(&self, name: &str) -> bool {
        self.found(name).next().is_some()
    }

    fn found<'n>(&'n self, name: &'n str) -> impl Iterator<Item = &'n Entry> {
        let start = self.by_name.partition_point(|at| exact_name(&self.all, *at) < name);
        let exact = self.by_name.iter().skip(start);
        let exact = exact.take_while(move |at| exact_name(&self.all, **at) == name);
        let is_start = move |at: &&u16| get(&self.all, **at).is_some_and(|entry| entry.name().matches(name));
        exact.chain(self.prefixes.iter().filter(is_start)).filter_map(|at| get(&self.all, *at))
    }
}

fn get(all: &[Entry], at: u16) -> Option<&Entry> {
    all.get(usize::from(at))
}

fn exact_name(all: &[Entry], at: u16) -> &str {
    match get(all, at).map(Entry::name) {
        Some(FunctionName::Exact(name)) => name,
        Some(FunctionName::Prefix(_)) | None => "",
    }
}

impl Entry {
    fn name(&self) -> &FunctionName {
        match self {
            Self::Declared(function) => &function.name,
            Self::Made(overload) => &overload.name,
        }
    }

    fn overload(&self) -> &Arc<Overload> {
        match self {
            Self::Declared(function) => function.overload(),
            Self::Made(overload) => overload,
        }
    }
}

impl FromIterator<Arc<Overload>> for Overloads {
    fn from_iter<I: IntoIterator<Item = Arc<Overload>>>(overloads: I) -> Self {
        Self::new(overloads.into_iter().map(Entry::Made).collect())
    }
}

impl<'o> IntoIterator for &'o Overloads {
    type Item = &'o Arc<Overload>;
    type IntoIter = Box<dyn Iterator<Item = &'o Arc<Overload>> + 'o>;

    fn into_iter(self) -> Self::IntoIter {
        Box::new(self.iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bicep_types::ty::Type;

    #[test]
    fn overloads_of_a_name_are_found_in_their_order() {
        let overload = |name: &str, description: &str| Overload {
            description: description.into(),
            ..Overload::new(name, Type::any())
        };
        let list = Overload { name: FunctionName::Prefix("list".into()), ..overload("", "any list") };
        let all =
            [overload("b", "1"), list, overload("a", "2"), overload("b", "3"), overload("listAll", "4")];
        let overloads: Overloads = all.into_iter().map(Arc::new).collect();
        let check = |name: &str, expected: &[&str]| {
            let found: Vec<&str> = overloads.named(name).map(|it| it.description.as_str()).collect();
            assert_eq!(found, expected, "{name}");
            assert_eq!(overloads.contains(name), !expected.is_empty(), "{name}");
        };
        check("a", &["2"]);
        check("b", &["1", "3"]);
        check("listKeys", &["any list"]);
        check("listAll", &["4", "any list"]);
        check("list1", &[]);
        check("c", &[]);
        check("", &[]);
    }
}
