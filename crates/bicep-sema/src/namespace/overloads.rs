//! Overloads of functions in the order of their declaration, found by name.

use std::sync::Arc;

use base::SmolStr;
use bicep_types::ty::{FunctionName, Overload};
use rustc_hash::FxHashMap;

use super::notation::Declared;

/// The overloads of a namespace. Every call and every decorator of a file is looked up here, many of them several times.
#[derive(Debug, Clone, Default)]
pub struct Overloads {
    table: Arc<Table>,
    /// By position in the table; all are visible where nothing is said.
    is_visible: Option<Box<[bool]>>,
}

/// Functions in the order of their declaration, with what is needed to find them. The tables of the language are made once.
#[derive(Debug, Default)]
pub(super) struct Table {
    all: Vec<FunctionEntry>,
    /// The first overload of each exact name.
    first: FxHashMap<SmolStr, u16>,
    /// By position, the next overload of the same name.
    next: Vec<Option<u16>>,
    /// Positions of those whose name is only the start of a name.
    prefixes: Vec<u16>,
}

#[derive(Debug, Clone)]
enum FunctionEntry {
    Declared(&'static Declared),
    Made(Arc<Overload>),
}

impl Table {
    pub(super) fn of(functions: &'static [Declared]) -> Arc<Self> {
        Arc::new(Self::new(functions.iter().map(FunctionEntry::Declared).collect()))
    }

    fn new(all: Vec<FunctionEntry>) -> Self {
        let (mut first, mut prefixes) = (FxHashMap::default(), Vec::new());
        let mut next = vec![None; all.len()];
        // A package with more functions than these numbers reach would be larger than any that can be read.
        let positions = 0..u16::try_from(all.len()).unwrap_or(u16::MAX);
        for ((at, entry), next) in positions.zip(&all).zip(&mut next).rev() {
            match entry.name() {
                FunctionName::Exact(name) => *next = first.insert(name.clone(), at),
                FunctionName::Prefix(_) => prefixes.insert(0, at),
            }
        }
        Self { all, first, next, prefixes }
    }

    /// The positions of the overloads that a call by a name may mean.
    fn found<'n>(&'n self, name: &'n str) -> impl Iterator<Item = u16> + 'n {
        let next = |at: &u16| self.next.get(usize::from(*at)).copied().flatten();
        let exact = std::iter::successors(self.first.get(name).copied(), next);
        let is_start =
            move |at: &u16| self.all.get(usize::from(*at)).is_some_and(|entry| entry.name().matches(name));
        exact.chain(self.prefixes.iter().copied().filter(is_start))
    }
}

impl Overloads {
    /// Those of a table that can be seen.
    pub(super) fn of_table(table: &Arc<Table>, is_visible: impl Fn(&Declared) -> bool) -> Self {
        let is_visible = table.all.iter().map(|entry| match entry {
            FunctionEntry::Declared(function) => is_visible(function),
            FunctionEntry::Made(_) => true,
        });
        Self { is_visible: Some(is_visible.collect()), table: Arc::clone(table) }
    }

    fn visible(&self) -> impl Iterator<Item = &FunctionEntry> {
        self.table.all.iter().enumerate().filter(|(at, _)| self.sees(*at)).map(|(_, entry)| entry)
    }

    fn sees(&self, at: usize) -> bool {
        self.is_visible.as_ref().is_none_or(|visible| visible.get(at) == Some(&true))
    }

    /// All of them, in the order of declaration.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Overload>> {
        self.visible().map(FunctionEntry::overload)
    }

    /// Their names, in the same order.
    pub(super) fn names(&self) -> impl Iterator<Item = &FunctionName> {
        self.visible().map(FunctionEntry::name)
    }

    /// The overloads that a call by a name may mean.
    pub fn named<'n>(&'n self, name: &'n str) -> impl Iterator<Item = &'n Arc<Overload>> {
        self.found(name).filter_map(|at| self.table.all.get(at)).map(FunctionEntry::overload)
    }

    /// Whether there is an overload that a call by a name may mean.
    pub fn contains(&self, name: &str) -> bool {
        self.found(name).next().is_some()
    }

    fn found<'n>(&'n self, name: &'n str) -> impl Iterator<Item = usize> + 'n {
        self.table.found(name).map(usize::from).filter(|at| self.sees(*at))
    }
}

impl FunctionEntry {
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
        let all = overloads.into_iter().map(FunctionEntry::Made).collect();
        Self { table: Arc::new(Table::new(all)), is_visible: None }
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
