//! What is not known, why, and what would give it.

use std::fmt;
use std::sync::Arc;

use smol_str::SmolStr;

use super::{Kind, Value};
use crate::expression::Expr;

/// A value that cannot be given yet.
///
/// The expression is closed: parameters, variables and loop indexes are already put in, so that it can be evaluated
/// later, when what it waits for is there (see [`crate::evaluate::resume`]).
#[derive(Debug, Clone)]
pub struct Unknown {
    /// What would give the value.
    pub expression: Expr,
    /// What it waits for; at least one, without repetition, at most [`Unknown::MAX_ORIGINS`].
    pub origins: Arc<[Origin]>,
}

/// Why a value is not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// The run-time properties of a resource, by id or symbolic name.
    Resource(SmolStr),
    /// The answer of a `list…` function.
    List(SmolStr),
    /// An external input that was not supplied.
    ExternalInput(SmolStr),
    /// A parameter whose value is kept in a vault.
    Secret(SmolStr),
    /// A parameter whose value was left open on purpose.
    Parameter(SmolStr),
    /// A part of the place of deployment, such as `resourceGroup().location`.
    Context(SmolStr),
    /// The time, when no clock is given.
    Clock,
    /// A new identifier, when no source of them is given.
    NewGuid,
    /// A function that only the service can answer.
    Service(SmolStr),
    /// A variable of a lambda whose input is not known.
    Lambda(SmolStr),
    /// The expression is wrong, and whoever evaluates goes on without its value: the message says how.
    Failed(SmolStr),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Resource(id) => write!(f, "resource '{id}' is not deployed yet"),
            Self::List(id) => write!(f, "the keys or settings of '{id}' are only known once it is deployed"),
            Self::ExternalInput(name) => write!(f, "external input '{name}' is not supplied"),
            Self::Secret(name) => write!(f, "parameter '{name}' is read from a vault during deployment"),
            Self::Parameter(name) => write!(f, "parameter '{name}' has no value"),
            Self::Context(name) => write!(f, "'{name}' is not given"),
            Self::Clock => write!(f, "the time of deployment is not given"),
            Self::NewGuid => write!(f, "a new identifier is made during deployment"),
            Self::Service(name) => write!(f, "function '{name}' is answered by the service"),
            Self::Lambda(name) => write!(f, "lambda variable '{name}' has no value"),
            Self::Failed(message) => write!(f, "its expression cannot be evaluated: {message}"),
        }
    }
}

impl Unknown {
    /// More reasons than these are not kept.
    pub const MAX_ORIGINS: usize = 16;

    /// An unknown with one reason.
    pub fn new(expression: Expr, origin: Origin) -> Self {
        Self { expression, origins: Arc::new([origin]) }
    }

    /// An unknown that comes of values with unknown parts: it has all their reasons.
    pub(crate) fn of_parts<'v>(expression: Expr, parts: impl IntoIterator<Item = &'v Value>) -> Self {
        let mut origins = Vec::new();
        for part in parts {
            part.collect_origins(&mut origins);
        }
        Self { expression, origins: origins.into() }
    }
}

/// One unknown part of a result.
#[derive(Debug, Clone)]
pub struct Gap {
    /// Where in the value, as `a.b[0]`; empty for the whole.
    pub path: String,
    /// What is missing.
    pub unknown: Arc<Unknown>,
}

/// A value and the list of its unknown parts.
#[derive(Debug, Clone)]
pub struct PartialValue {
    /// The value, as far as it is known.
    pub value: Value,
    /// What is unknown in it, in order.
    pub unknowns: Vec<Gap>,
}

impl From<Value> for PartialValue {
    fn from(value: Value) -> Self {
        let mut unknowns = Vec::new();
        value.gaps("", &mut unknowns);
        Self { value, unknowns }
    }
}

impl Value {
    /// Adds the unknown parts of this value to a list, with their paths below `path`.
    pub fn gaps(&self, path: &str, into: &mut Vec<Gap>) {
        if !self.has_unknown() {
            return;
        }
        match self.kind() {
            Kind::Unknown(unknown) => into.push(Gap { path: path.into(), unknown: Arc::clone(unknown) }),
            Kind::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    item.gaps(&format!("{path}[{index}]"), into);
                }
            }
            Kind::Object(object) => {
                for (key, member) in object.iter() {
                    member.gaps(&crate::error::member_path(path, key), into);
                }
            }
            _ => {}
        }
    }

    fn collect_origins(&self, into: &mut Vec<Origin>) {
        if !self.has_unknown() || into.len() >= Unknown::MAX_ORIGINS {
            return;
        }
        match self.kind() {
            Kind::Unknown(unknown) => {
                for origin in unknown.origins.iter() {
                    if into.len() < Unknown::MAX_ORIGINS && !into.contains(origin) {
                        into.push(origin.clone());
                    }
                }
            }
            Kind::Array(items) => items.iter().for_each(|item| item.collect_origins(into)),
            Kind::Object(object) => object.iter().for_each(|(_, member)| member.collect_origins(into)),
            _ => {}
        }
    }
}
