//! Resource types for the compiler: names come in, [`Type`]s go out, made from a catalogue when somebody looks into them.
//!
//! What the published types leave out is added here: the properties that the language gives every resource, what changes
//! when a resource is `existing`, nested or has a `parent`, and a generic shape for types that the catalogue does not
//! know. [`Flavour`] says by whose rules.
//!
//! Types made here live as long as the [`ResourceTypes`] they come from; a part that is looked into afterwards is `any`.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use base::SmolStr;
use bitflags::bitflags;
use rustc_hash::FxHashMap;

use crate::catalogue::{Catalogue, Corrupt, Descriptions, Ref, Versioned};
use crate::def::FileKind;
use crate::ty::{Overload, ResourceReference, Type};

mod az;
mod convert;
mod extension;
mod kubernetes;
mod standard_properties;

use convert::Strictness;

/// Whose rules turn published types into resource types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Flavour {
    /// Azure Resource Manager.
    Az,
    /// The Kubernetes extension that comes with the language.
    Kubernetes,
    /// Any other extension.
    Extension,
}

bitflags! {
    /// How a resource is declared.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct Declaration: u8 {
        /// With the keyword `existing`.
        const EXISTING = 1 << 0;
        /// With a parent, by `parent:` or by nesting.
        const HAS_PARENT = 1 << 1;
        /// Within another resource.
        const NESTED = 1 << 2;
        /// In a file that allows values in `tags` and `sku` that are known only at run time.
        const RUNTIME_TAGS_AND_SKU = 1 << 3;
    }
}

/// The resource types of one namespace.
pub struct ResourceTypes {
    me: Weak<Self>,
    flavour: Flavour,
    namespace: SmolStr,
    catalogue: Option<Catalogue>,
    /// Present when types are made with descriptions.
    descriptions: Option<Mutex<Descriptions>>,
    types: Mutex<FxHashMap<(Ref, Strictness), Type>>,
    resources: Mutex<FxHashMap<(ResourceReference, Declaration), Type>>,
    /// Whether the catalogue knows a type in a version, as far as somebody has asked.
    defined: Mutex<FxHashMap<ResourceReference, bool>>,
    damaged: AtomicBool,
}

/// What a namespace says about itself.
#[derive(Debug, Clone)]
pub struct NamespaceSettings {
    pub name: SmolStr,
    /// The name that templates call it by.
    pub template_name: SmolStr,
    pub version: SmolStr,
    /// Whether a file may declare it only once.
    pub is_singleton: bool,
    /// What is given in `with {…}`.
    pub configuration: Option<Type>,
}

/// A function of a namespace.
#[derive(Debug, Clone)]
pub struct NamespaceFunction {
    /// How it is called.
    pub overload: Overload,
    /// The template expression that a call is replaced by.
    pub expression: Option<SmolStr>,
    /// The only kind of file that may use it.
    pub visible_in: Option<FileKind>,
}

/// The name by which the package of Azure's types calls itself.
const AZURE_SETTINGS_NAME: &str = "AzureResourceManager";

impl ResourceTypes {
    /// The types of the extension with this name. Without a catalogue only generic types are known.
    pub fn new(namespace: &str, flavour: Flavour, catalogue: Option<Catalogue>) -> Arc<Self> {
        Self::build(namespace, flavour, catalogue, false)
    }

    /// The same, with descriptions of properties: slower, for the editor.
    pub fn with_descriptions(namespace: &str, flavour: Flavour, catalogue: Option<Catalogue>) -> Arc<Self> {
        Self::build(namespace, flavour, catalogue, true)
    }

    /// By whose rules the types of a package are made: Azure's, if it calls itself so.
    pub fn flavour_of(catalogue: &Catalogue) -> Flavour {
        match catalogue.settings() {
            Ok(Some(settings)) if settings.name == AZURE_SETTINGS_NAME => Flavour::Az,
            _ => Flavour::Extension,
        }
    }

    fn build(namespace: &str, flavour: Flavour, catalogue: Option<Catalogue>, described: bool) -> Arc<Self> {
        let descriptions = catalogue.as_ref().filter(|_| described).map(Catalogue::descriptions);
        Arc::new_cyclic(|me| Self {
            me: me.clone(),
            flavour,
            namespace: namespace.into(),
            catalogue,
            descriptions: descriptions.map(Mutex::new),
            types: Mutex::default(),
            resources: Mutex::default(),
            defined: Mutex::default(),
            damaged: AtomicBool::new(false),
        })
    }

    /// By whose rules the types are made.
    pub fn flavour(&self) -> Flavour {
        self.flavour
    }

    /// The catalogue behind it.
    pub fn catalogue(&self) -> Option<&Catalogue> {
        self.catalogue.as_ref()
    }

    /// Whether a part of the catalogue was found to be damaged; what it should have said is `any` or missing.
    pub fn is_damaged(&self) -> bool {
        self.damaged.load(Ordering::Relaxed)
    }

    /// Whether the catalogue knows the type in this version.
    pub fn is_defined(&self, reference: &ResourceReference) -> bool {
        let known = self.defined.lock().unwrap_or_else(PoisonError::into_inner).get(reference).copied();
        known.unwrap_or_else(|| {
            let version = reference.version().map_or("", SmolStr::as_str);
            let found = self.ask(|catalogue| catalogue.find(reference.name(), version));
            let is_defined = found.flatten().is_some_and(|found| found.is_defined());
            let mut defined = self.defined.lock().unwrap_or_else(PoisonError::into_inner);
            defined.insert(reference.clone(), is_defined);
            is_defined
        })
    }

    /// The type as the catalogue knows it, in the spelling of its definition: a [`crate::Kind::Resource`].
    pub fn resource_type(&self, reference: &ResourceReference, declared: Declaration) -> Option<Type> {
        let key = (reference.clone(), declared);
        let known = self.resources.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        if known.is_some() {
            return known;
        }
        let made = match self.flavour {
            Flavour::Az => az::resource_type(self, reference, declared),
            Flavour::Kubernetes => kubernetes::resource_type(self, reference, declared),
            Flavour::Extension => extension::resource_type(self, reference, declared),
        }?;
        let mut resources = self.resources.lock().unwrap_or_else(PoisonError::into_inner);
        Some(resources.entry(key).or_insert(made).clone())
    }

    /// A type for what the catalogue does not know, if the namespace allows such: a [`crate::Kind::Resource`].
    pub fn generic_type(&self, reference: &ResourceReference, declared: Declaration) -> Option<Type> {
        match self.flavour {
            Flavour::Az => az::generic_type(self, reference, declared),
            Flavour::Kubernetes => Some(kubernetes::generic_type(self, reference, declared)),
            Flavour::Extension => extension::generic_type(self, reference),
        }
    }

    /// All type names in their order, in the usual spelling.
    pub fn type_names(&self) -> Vec<SmolStr> {
        let entries = self.ask(Catalogue::types).unwrap_or_default();
        let defined = entries.into_iter().filter(|entry| entry.versions.iter().any(Versioned::is_defined));
        defined.map(|entry| entry.name).collect()
    }

    /// All versions of a type, oldest first.
    pub fn versions(&self, type_name: &str) -> Vec<SmolStr> {
        let entry = self.ask(|catalogue| catalogue.find_type(type_name)).flatten();
        let versions = entry.into_iter().flat_map(|entry| entry.versions);
        versions.filter(Versioned::is_defined).map(|version| version.version.into()).collect()
    }

    /// What the package says about itself.
    pub fn settings(&self) -> Option<NamespaceSettings> {
        let settings = self.ask(Catalogue::settings)??;
        Some(NamespaceSettings {
            name: SmolStr::new(&settings.name),
            template_name: extension::template_name(&settings.name),
            version: SmolStr::new(&settings.version),
            is_singleton: settings.is_singleton,
            configuration: settings.configuration.map(|reference| self.convert(reference, Strictness::Deep)),
        })
    }

    /// The functions of the namespace.
    pub fn functions(&self) -> Vec<NamespaceFunction> {
        let functions = self.ask(Catalogue::namespace_functions).unwrap_or_default();
        functions.iter().map(|function| extension::namespace_function(self, function)).collect()
    }

    /// Asks the catalogue, if there is one, and remembers when it could not answer.
    fn ask<'a, T>(&'a self, question: impl FnOnce(&'a Catalogue) -> Result<T, Corrupt>) -> Option<T> {
        match question(self.catalogue.as_ref()?) {
            Ok(answer) => Some(answer),
            Err(Corrupt) => {
                self.damaged.store(true, Ordering::Relaxed);
                None
            }
        }
    }
}
