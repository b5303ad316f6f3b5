//! Namespaces: the functions, decorators and types that a file can use without declaring them.

use base::SmolStr;
use bicep_types::ty::{FunctionFlags, Overload, Type};

/// The namespaces of a file.
#[derive(Debug, Default)]
pub struct Namespaces {
    /// All of them, the implicit ones first.
    pub all: Vec<Namespace>,
}

/// Functions, decorators and types under one name.
#[derive(Debug, Clone)]
pub struct Namespace {
    /// The name by which the file knows it.
    pub name: SmolStr,
    /// Whether it is there without being declared.
    pub is_implicit: bool,
    /// Its functions, all overloads.
    pub functions: Vec<Overload>,
    /// Its decorators, all overloads.
    pub decorators: Vec<Overload>,
    /// Its types by name.
    pub types: Vec<(SmolStr, Type)>,
}

impl Namespaces {
    /// The position of an implicit namespace.
    pub fn implicit(&self, name: &str) -> Option<usize> {
        self.all.iter().position(|namespace| namespace.is_implicit && namespace.name == name)
    }

    /// The positions of the namespaces that have a function of a name, or a decorator if those are asked for.
    pub(crate) fn with_function(&self, name: &str, with_decorators: bool) -> impl Iterator<Item = usize> {
        self.all
            .iter()
            .enumerate()
            .filter(move |(_, namespace)| namespace.overloads(name, with_decorators).next().is_some())
            .map(|(index, _)| index)
    }

    /// The positions of the namespaces that have a type of a name.
    pub(crate) fn with_type(&self, name: &str) -> impl Iterator<Item = usize> {
        self.all
            .iter()
            .enumerate()
            .filter(move |(_, namespace)| namespace.types.iter().any(|(it, _)| it == name))
            .map(|(index, _)| index)
    }

    /// The flags of all overloads of a function together.
    pub(crate) fn function_flags(
        &self,
        namespace: usize,
        name: &str,
        with_decorators: bool,
    ) -> FunctionFlags {
        let overloads =
            self.all.get(namespace).into_iter().flat_map(|it| it.overloads(name, with_decorators));
        overloads.fold(FunctionFlags::empty(), |flags, overload| flags | overload.flags)
    }

    /// The names of all functions, sorted without regard to case.
    pub(crate) fn function_names(&self, with_decorators: bool) -> Vec<SmolStr> {
        let names = self.all.iter().flat_map(|namespace| {
            let decorators = namespace.decorators.iter().filter(move |_| with_decorators);
            namespace
                .functions
                .iter()
                .chain(decorators)
                .map(|overload| SmolStr::new(overload.name.to_string()))
        });
        sorted(names.collect())
    }

    /// The names of all types, sorted without regard to case.
    pub(crate) fn type_names(&self) -> Vec<SmolStr> {
        sorted(
            self.all
                .iter()
                .flat_map(|namespace| namespace.types.iter().map(|(name, _)| name.clone()))
                .collect(),
        )
    }
}

impl Namespace {
    /// The overloads of a function; of a decorator only if the namespace has no such function and they are asked for.
    pub fn overloads(&self, name: &str, with_decorators: bool) -> impl Iterator<Item = &Overload> {
        let is_function = self.functions.iter().any(|overload| overload.name.matches(name));
        let decorators = if with_decorators && !is_function { self.decorators.as_slice() } else { &[] };
        self.functions.iter().chain(decorators).filter(move |overload| overload.name.matches(name))
    }
}

fn sorted(mut names: Vec<SmolStr>) -> Vec<SmolStr> {
    names.sort_by_cached_key(|name| name.to_ascii_uppercase());
    names.dedup();
    names
}
