//! What is known of deployed resources. The deployment engine and tests supply it; without it, whatever depends on it
//! stays unknown.

use smol_str::SmolStr;

use crate::value::Value;

/// Answers for what only a running deployment or the service knows. `None` says: not known (yet).
pub trait State {
    /// The state of a resource: its properties, or all of it.
    fn resource(&self, _query: &ResourceQuery<'_>) -> Option<Value> {
        None
    }

    /// The answer of a `list…` function.
    fn list(&self, _query: &ListQuery<'_>) -> Option<Value> {
        None
    }

    /// The answer of another function of the service: `providers`, `pickZones`, `roleDefinitions` and the like.
    fn service(&self, _function: &str, _args: &[Value]) -> Option<Value> {
        None
    }
}

/// Nothing is deployed and nobody can be asked.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoState;

impl State for NoState {}

/// Which resource, and how much of it.
#[derive(Debug, Clone)]
pub struct ResourceQuery<'q> {
    /// Its id; for resources of extensions, which have none, their symbolic name.
    pub id: &'q str,
    /// Its symbolic name, if the template that asks declares it.
    pub symbol: Option<&'q str>,
    /// The version asked for.
    pub api_version: Option<&'q str>,
    /// Whether all of it is asked for, not only its properties.
    pub full: bool,
}

/// Which function of which resource.
#[derive(Debug, Clone)]
pub struct ListQuery<'q> {
    /// The function, such as `listKeys`.
    pub function: SmolStr,
    /// The id of the resource.
    pub id: &'q str,
    /// The version asked for.
    pub api_version: Option<&'q str>,
    /// What is sent along.
    pub body: Option<&'q Value>,
}
