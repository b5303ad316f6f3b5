//! Namespaces: the functions, decorators and types that a file can use without declaring them.
//!
//! [`sys`], [`az`] and [`decorators`] are tables; [`extensions`] says which namespaces a file has.

mod az;
mod decorators;
mod extensions;
mod notation;
mod overloads;
pub(crate) mod sys;

use std::sync::Arc;

use base::SmolStr;
use bicep_syntax::{Dialect, NodeId};
use bicep_types::ResourceTypes;
use bicep_types::ty::{FunctionFlags, Overload, Scopes, Type};
use config::{Config, Feature};

pub(crate) use az::deployment;
pub use decorators::attachable;
pub(crate) use extensions::namespaces;
use notation::Declared;
pub use overloads::Overloads;
use overloads::Table;
pub(crate) use sys::items;
pub use sys::{BANNED, ENCODINGS, Emission, RESOURCE_DERIVED, emission};

/// The namespaces of a file.
#[derive(Debug, Default)]
pub struct Namespaces {
    /// All of them, the explicit ones first.
    pub all: Vec<Namespace>,
    /// The extensions that the file should have, and whose types cannot be had.
    pub missing: Vec<SmolStr>,
}

/// Functions, decorators and types under one name.
#[derive(Debug, Clone)]
pub struct Namespace {
    /// The name by which the file knows it.
    pub name: SmolStr,
    /// The name of the extension that it comes from.
    pub extension: SmolStr,
    /// The name and version by which a template refers to the extension.
    pub template: (SmolStr, SmolStr),
    /// Whether it is there without being declared.
    pub is_implicit: bool,
    /// The statement that declares it.
    pub declaration: Option<NodeId>,
    /// Its functions, all overloads.
    pub functions: Overloads,
    /// Its decorators, all overloads.
    pub decorators: Overloads,
    /// Its types by name.
    pub types: Vec<(SmolStr, Type)>,
    /// What `with { … }` takes, where it takes anything.
    pub configuration: Option<Type>,
    /// Whether a file may declare it only once.
    pub is_singleton: bool,
    /// Its resource types.
    pub resources: Option<Resources>,
}

/// The resource types of a namespace.
#[derive(Clone)]
pub struct Resources(pub Arc<ResourceTypes>);

impl std::fmt::Debug for Resources {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Resources")
    }
}

/// Who sees a function or a decorator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Audience {
    /// Every file.
    All,
    /// Every `.bicep` file.
    Bicep,
    /// `.bicep` files with a feature.
    BicepWith(Feature),
    /// `.bicep` files that are deployed to Azure.
    Azure,
    /// `.bicep` files with one of these target scopes.
    At(Scopes),
    /// Parameter files.
    Params,
    /// Parameter files with a feature.
    ParamsWith(Feature),
    /// Parameter files without a feature.
    ParamsWithout(Feature),
}

/// What decides which functions a file sees.
#[derive(Clone, Copy)]
pub(crate) struct Viewer<'c> {
    pub(crate) dialect: Dialect,
    pub(crate) config: &'c Config,
    pub(crate) target: Scopes,
}

impl Viewer<'_> {
    fn sees(&self, audience: Audience) -> bool {
        let is_params = self.dialect == Dialect::Params;
        match audience {
            Audience::All => true,
            Audience::Bicep => !is_params,
            Audience::BicepWith(feature) => !is_params && self.config.has(feature),
            Audience::Azure => !is_params && self.target != Scopes::LOCAL,
            Audience::At(scopes) => !is_params && scopes.contains(self.target),
            Audience::Params => is_params,
            Audience::ParamsWith(feature) => is_params && self.config.has(feature),
            Audience::ParamsWithout(feature) => is_params && !self.config.has(feature),
        }
    }

    fn visible(&self, table: &Arc<Table>) -> Overloads {
        Overloads::of_table(table, |function| self.sees(function.audience))
    }
}

/// Whether a name is that of a function that every parameter file has, and no other file.
pub(crate) fn is_for_parameter_files(name: &str) -> bool {
    let is_it = |function: &Declared| function.audience == Audience::Params && function.name.matches(name);
    sys::functions().iter().chain(az::functions()).any(is_it)
}

/// The functions of `this` in the body of a resource.
pub(crate) fn this_functions() -> &'static [Arc<Overload>] {
    az::this_functions()
}

impl Namespaces {
    /// The position of an implicit namespace.
    pub fn implicit(&self, name: &str) -> Option<usize> {
        self.all.iter().position(|namespace| namespace.is_implicit && namespace.name == name)
    }

    /// The position of the namespace that a statement declares.
    pub fn declared_by(&self, statement: NodeId) -> Option<usize> {
        self.all.iter().position(|namespace| namespace.declaration == Some(statement))
    }

    /// The namespace at a position.
    pub fn get(&self, index: usize) -> Option<&Namespace> {
        self.all.get(index)
    }

    /// The positions of the namespaces that have a function of a name, or a decorator if those are asked for.
    pub(crate) fn with_function<'n>(
        &'n self,
        name: &'n str,
        with_decorators: bool,
    ) -> impl Iterator<Item = usize> + 'n {
        self.all
            .iter()
            .enumerate()
            .filter(move |(_, namespace)| namespace.has_function(name, with_decorators))
            .map(|(index, _)| index)
    }

    /// Whether some namespace has a decorator of a name.
    pub(crate) fn has_decorator(&self, name: &str) -> bool {
        self.all.iter().any(|namespace| namespace.decorators.contains(name))
    }

    /// The positions of the namespaces that have a type of a name.
    pub(crate) fn with_type(&self, name: &str) -> impl Iterator<Item = usize> {
        self.all
            .iter()
            .enumerate()
            .filter(move |(_, namespace)| namespace.has_type(name))
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
        sorted(self.all.iter().flat_map(|namespace| namespace.function_names(with_decorators)).collect())
    }

    /// The names of all types, sorted without regard to case.
    pub(crate) fn type_names(&self) -> Vec<SmolStr> {
        sorted(self.all.iter().flat_map(Namespace::type_names).collect())
    }
}

impl Namespace {
    /// Whether it has a function of a name, or a decorator if those are asked for.
    pub fn has_function(&self, name: &str, with_decorators: bool) -> bool {
        self.functions.contains(name) || with_decorators && self.decorators.contains(name)
    }

    /// The overloads of a function; of a decorator only if the namespace has no such function and they are asked for.
    pub fn overloads<'n>(
        &'n self,
        name: &'n str,
        with_decorators: bool,
    ) -> impl Iterator<Item = &'n Arc<Overload>> {
        let is_decorator = with_decorators && !self.functions.contains(name);
        if is_decorator { self.decorators.named(name) } else { self.functions.named(name) }
    }

    /// A type of a name.
    pub fn named_type(&self, name: &str) -> Option<&Type> {
        self.types.iter().find(|(it, _)| it == name).map(|(_, ty)| ty)
    }

    /// Whether it has a type of a name, types that take arguments included.
    pub fn has_type(&self, name: &str) -> bool {
        self.named_type(name).is_some() || (self.extension == "sys" && RESOURCE_DERIVED.contains(&name))
    }

    /// The operator or other means to use instead of a function of templates that the language does not have.
    pub fn banned(&self, name: &str) -> Option<&'static str> {
        let mut banned = BANNED.iter().filter(|_| self.extension == "sys");
        banned.find(|(it, _)| *it == name).map(|(_, instead)| *instead)
    }

    pub(crate) fn function_names(&self, with_decorators: bool) -> impl Iterator<Item = SmolStr> {
        let decorators = self.decorators.names().filter(move |_| with_decorators);
        self.functions.names().chain(decorators).map(|name| SmolStr::new(name.to_string()))
    }

    pub(crate) fn type_names(&self) -> impl Iterator<Item = SmolStr> {
        let derived = RESOURCE_DERIVED.iter().filter(|_| self.extension == "sys");
        self.types.iter().map(|(name, _)| name.clone()).chain(derived.map(|name| SmolStr::new_static(name)))
    }
}

fn sorted(mut names: Vec<SmolStr>) -> Vec<SmolStr> {
    names.sort_by_cached_key(|name| name.to_ascii_uppercase());
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_signature_can_be_read() {
        let count =
            |table: &'static [Declared]| table.iter().map(Declared::overload).collect::<Vec<_>>().len();
        // Reading a signature that is not understood fails in debug builds.
        assert_eq!(count(sys::functions()), 90);
        assert_eq!(count(az::functions()), 32);
        assert_eq!(count(decorators::decorators()), 18);
        assert_eq!(this_functions().len(), 2);
        let substring =
            sys::functions().iter().map(Declared::overload).find(|it| it.name.matches("substring"));
        let signature = substring.map(|it| it.signature()).unwrap_or_default();
        assert_eq!(signature, "(stringToParse: string, startIndex: int, [length: int]): string");
    }

    /// Functions that only templates call: the compiler writes them for syntax of the language.
    const TEMPLATE_ONLY: [&str; 15] = [
        "copyIndex",
        "extensions",
        "externalInputs",
        "false",
        "float",
        "indexFromEnd",
        "invokeResourceMethod",
        "lambda",
        "lambdaVariables",
        "null",
        "references",
        "resourceInfo",
        "true",
        "tryGet",
        "tryIndexFromEnd",
    ];

    /// A function without an evaluation would compile and then fail when it is deployed.
    #[test]
    fn every_emitted_function_can_be_evaluated() {
        // `getSecret` becomes a reference to a key vault, which is no expression.
        let az = az::functions().iter().filter(|function| !function.name.matches("getSecret"));
        for overload in sys::functions().iter().chain(az).map(Declared::overload) {
            let name = overload.name.to_string();
            if emission(&name) != Emission::Call {
                continue;
            }
            // Some arguments are optional in the language alone: the least number may be refused.
            let arity = overload.arity();
            let most = arity.max.unwrap_or(arity.min);
            // With arguments, these name a scope: members of the resource or module say it, no expression does.
            let names_scope =
                ["managementGroup", "resourceGroup", "subscription", "tenant"].contains(&name.as_str());
            if names_scope && most > 0 {
                continue;
            }
            assert!(arm::accepts_call(&name.replace('*', "Keys"), most), "{name} with {most}");
        }
    }

    /// A function of templates without a signature could not be called from Bicep.
    #[test]
    fn every_function_of_templates_has_a_signature_or_a_reason_for_none() {
        let declared = sys::functions().iter().chain(az::functions());
        let declared: Vec<String> = declared.map(|function| function.name.to_string()).collect();
        for name in arm::function_names() {
            let is_declared = declared.iter().any(|declared| declared == name);
            let is_banned = BANNED.iter().any(|(banned, _)| *banned == name);
            let places = [is_declared, is_banned, TEMPLATE_ONLY.contains(&name)];
            assert_eq!(places.into_iter().filter(|it| *it).count(), 1, "{name}: {places:?}");
        }
    }
}
