//! The built-in functions: one row in a table and one small function each, by family.

mod array;
mod cidr;
mod comparison;
mod context;
mod date;
mod encoding;
mod identity;
mod lambda;
mod logical;
mod numeric;
mod object;
pub(crate) mod resource_id;
mod state;
mod string;
#[cfg(test)]
mod testing;
mod uri;

use std::fmt;
use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::error::Error;
use crate::evaluate::{ExpressionSite, Invocation};
use crate::expression::Expr;
use crate::value::Value;

pub(crate) use self::string::to_text;

/// One built-in function.
#[derive(Debug)]
pub(crate) struct Function {
    /// The name in its usual letter case; calls may use any.
    pub name: &'static str,
    pub arity: Arity,
    pub places: ExpressionSites,
    pub run: Implementation,
}

/// How a function runs, by what it needs to know.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Implementation {
    /// Needs all arguments known to the last part; otherwise the result is unknown.
    Whole(Eager),
    /// Needs to know what arrays and objects its arguments are, but not all of their parts.
    Shape(Eager),
    /// Looks after unknown arguments itself.
    Open(Eager),
    /// Decides which arguments are evaluated at all.
    Lazy(Lazy),
}

type Eager = fn(&Invocation<'_>, &[Value]) -> Result<Value, Error>;
type Lazy = fn(&Invocation<'_>, &[Expr]) -> Result<Value, Error>;

/// How many arguments a function takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Arity {
    min: usize,
    max: usize,
}

impl Arity {
    pub(crate) fn accepts(self, count: usize) -> bool {
        (self.min..=self.max).contains(&count)
    }
}

impl fmt::Display for Arity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.min, self.max) {
            (min, max) if min == max => write!(f, "{min}"),
            (min, usize::MAX) => write!(f, "at least {min}"),
            (min, max) => write!(f, "{min} to {max}"),
        }
    }
}

/// Any number of arguments from a minimum on.
pub(crate) const MANY: usize = usize::MAX;

/// Where a function may stand: a set of [`ExpressionSite`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct ExpressionSites(u8);

impl ExpressionSites {
    const EVERYWHERE: Self = Self(u8::MAX);
    /// What exists only while a deployment runs.
    const RUN_TIME: Self =
        Self(ExpressionSite::Free as u8 | ExpressionSite::ResourceBody as u8 | ExpressionSite::Output as u8);
    /// What would differ from one evaluation to the next.
    const DEFAULTS: Self = Self(ExpressionSite::Free as u8 | ExpressionSite::ParameterDefault as u8);
    /// What a parameter file can ask for.
    const INPUTS: Self = Self(ExpressionSite::Free as u8 | ExpressionSite::ParameterExpression as u8);
    /// What belongs to the template and its place of deployment.
    const TEMPLATE: Self = Self(u8::MAX ^ ExpressionSite::ParameterExpression as u8);

    pub(crate) fn contains(self, place: ExpressionSite) -> bool {
        self.0 & place as u8 != 0
    }
}

const fn whole(name: &'static str, min: usize, max: usize, run: Eager) -> Function {
    row(name, Arity { min, max }, Implementation::Whole(run))
}

const fn shape(name: &'static str, min: usize, max: usize, run: Eager) -> Function {
    row(name, Arity { min, max }, Implementation::Shape(run))
}

const fn open(name: &'static str, min: usize, max: usize, run: Eager) -> Function {
    row(name, Arity { min, max }, Implementation::Open(run))
}

const fn lazy(name: &'static str, min: usize, max: usize, run: Lazy) -> Function {
    row(name, Arity { min, max }, Implementation::Lazy(run))
}

const fn row(name: &'static str, arity: Arity, run: Implementation) -> Function {
    Function { name, arity, places: ExpressionSites::EVERYWHERE, run }
}

impl Function {
    const fn only(mut self, places: ExpressionSites) -> Self {
        self.places = places;
        self
    }
}

const FAMILIES: [&[Function]; 15] = [
    array::TABLE,
    cidr::TABLE,
    comparison::TABLE,
    context::TABLE,
    date::TABLE,
    encoding::TABLE,
    identity::TABLE,
    lambda::TABLE,
    logical::TABLE,
    numeric::TABLE,
    object::TABLE,
    resource_id::TABLE,
    state::TABLE,
    string::TABLE,
    uri::TABLE,
];

/// The function of this name, in any letter case. Every name that starts with `list` is one.
pub(crate) fn find(name: &str) -> Option<&'static Function> {
    // By the usual letter case, which hardly a call differs from, and by small letters.
    static INDEX: LazyLock<FxHashMap<String, &'static Function>> = LazyLock::new(|| {
        let rows = FAMILIES.iter().flat_map(|family| family.iter());
        let spellings = |name: &str| [name.to_owned(), name.to_ascii_lowercase()];
        rows.flat_map(|function| spellings(function.name).map(|name| (name, function))).collect()
    });
    if let Some(function) = INDEX.get(name) {
        return Some(function);
    }
    let folded = name.to_ascii_lowercase();
    if let Some(function) = INDEX.get(&folded) {
        return Some(function);
    }
    let is_list = folded.starts_with("list") && !folded.contains('.');
    is_list.then_some(&state::LIST)
}

/// Whether there is a function of this name that can be called with so many arguments.
pub fn accepts(name: &str, arguments: usize) -> bool {
    find(name).is_some_and(|function| function.arity.accepts(arguments))
}

/// The names of all built-in functions, in the order of their families.
pub fn names() -> impl Iterator<Item = &'static str> {
    FAMILIES.iter().flat_map(|family| family.iter().map(|function| function.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_any_case_and_once() {
        let mut seen = std::collections::HashSet::new();
        for name in names() {
            assert!(seen.insert(name.to_lowercase()), "{name} is there twice");
            assert_eq!(find(&name.to_uppercase()).map(|f| f.name), Some(name));
        }
        assert!(names().count() >= 110, "{}", names().count());
        assert_eq!(find("listKeys").map(|f| f.name), Some("list*"));
        assert_eq!(find("list").map(|f| f.name), Some("list*"));
        assert!(find("nothing").is_none() && find("ns.listKeys").is_none());
    }
}
