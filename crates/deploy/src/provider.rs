//! Whoever makes resources. The built-in provider keeps them as documents; extensions are programs of their own.

mod assigned;
pub(crate) mod built_in_roles;
mod documents;
pub mod extension;
mod tags;
mod types;

use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::Value as Json;

pub(crate) use self::assigned::{embed, embedded_types, inline_children, is_assigned};
pub(crate) use self::documents::Documents;
pub use self::extension::Extensions;
pub(crate) use self::tags::{TagChange, TagsId, check_tags, is_tags};
pub use self::types::Types;
use crate::error::ArmError;

/// Makes, reads and removes resources of some kind.
pub trait Provider: Send + Sync {
    /// Makes the resource as asked for, or changes it.
    fn put<'p>(&'p self, request: &'p ResourceRequest) -> BoxFuture<'p, Result<Resource, ProviderError>>;

    /// Reads a resource; nothing if it is not there.
    fn get<'p>(
        &'p self,
        target: &'p ResourceTarget,
    ) -> BoxFuture<'p, Result<Option<Resource>, ProviderError>>;

    /// Removes a resource. Says whether it was there.
    fn delete<'p>(&'p self, target: &'p ResourceTarget) -> BoxFuture<'p, Result<bool, ProviderError>>;
}

/// Providers by the types they make.
#[derive(Clone, Default)]
pub struct Providers {
    list: Vec<(String, Arc<dyn Provider>)>,
}

impl Providers {
    /// Adds a provider for a type, or for all types of a namespace.
    #[must_use]
    pub fn with(mut self, resource_type: &str, provider: Arc<dyn Provider>) -> Self {
        self.list.push((resource_type.to_lowercase(), provider));
        self
    }

    /// The provider of a type; that of the whole type goes before that of its namespace.
    pub(crate) fn find(&self, resource_type: &str) -> Option<&dyn Provider> {
        let of = resource_type.to_lowercase();
        let space = of.split('/').next().unwrap_or_default();
        let find = |name: &str| self.list.iter().find(|(known, _)| known == name);
        find(&of).or_else(|| find(space)).map(|(_, provider)| &**provider)
    }
}

impl std::fmt::Debug for Providers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.list.iter().map(|(of, _)| of)).finish()
    }
}

/// Which resource.
#[derive(Debug, Clone, PartialEq)]
pub struct ResourceTarget {
    /// Its id; none for resources of extensions.
    pub id: Option<String>,
    /// Its full type.
    pub resource_type: String,
    /// The version of its type.
    pub api_version: Option<String>,
    /// What identifies a resource of an extension.
    pub identifiers: Option<Json>,
    /// The configuration of the extension.
    pub config: Option<Json>,
}

/// A resource that is asked for. It has its secrets: they go to the provider and nowhere else.
#[derive(Debug, Clone)]
pub struct ResourceRequest {
    /// Which.
    pub target: ResourceTarget,
    /// What it should be: `{location, tags, properties, …}`; for extensions only their properties.
    pub body: arm::Value,
    /// Whether members that are not named stay as they are.
    pub patch: bool,
    /// Who asks, so that a provider that keeps state can refuse a worker whose time is over.
    pub(crate) fence: Option<crate::store::Fence>,
}

/// A resource as its provider tells it.
#[derive(Debug, Clone, PartialEq)]
pub struct Resource {
    /// The whole document: `{id, name, type, location, properties, …}`; for extensions their properties.
    pub document: Json,
    /// What identifies a resource of an extension.
    pub identifiers: Option<Json>,
    /// Whether it was made, not changed.
    pub created: bool,
}

/// Why a provider did not do it.
#[derive(Debug, Clone)]
pub struct ProviderError {
    /// What it says.
    pub error: ArmError,
    /// Whether to try again may help.
    pub retry: bool,
}

impl From<ArmError> for ProviderError {
    fn from(error: ArmError) -> Self {
        let retry = matches!(error.status, 408 | 409 | 429 | 500..=599);
        Self { error, retry }
    }
}
