//! What expressions can refer to.

use std::sync::Arc;

use base::Verdict;
use smol_str::SmolStr;

use crate::error::Error;
use crate::messages;
use crate::template::{FunctionParameter, TargetScope, UserFunction};
use crate::value::Value;

/// The surroundings of an expression. Every method has an answer for the case that there is nothing: so an environment
/// says only what it has.
pub trait Environment {
    /// The value of a parameter.
    fn parameter(&self, name: &str) -> Result<Value, Error> {
        Err(messages::no_such_parameter(name))
    }

    /// The value of a variable.
    fn variable(&self, name: &str) -> Result<Value, Error> {
        Err(messages::no_such_variable(name))
    }

    /// A function that the template defines.
    fn user_function(&self, _namespace: &str, _name: &str) -> Option<&UserFunction> {
        None
    }

    /// Checks an argument against what a user-defined function declares.
    fn check_argument(&self, _function: &str, _: &FunctionParameter, _value: &Value) -> Verdict<Error> {
        Verdict::Pass
    }

    /// Checks what a user-defined function gives against what it declares.
    fn check_result(&self, _function: &str, _declared: &UserFunction, _value: &Value) -> Verdict<Error> {
        Verdict::Pass
    }

    /// Takes note of checks that could not be made, so that they can be reported.
    fn note_unchecked(&self, _open: Vec<Error>) {}

    /// What the template is deployed to.
    fn target_scope(&self) -> TargetScope {
        TargetScope::ResourceGroup
    }

    /// The object that `resourceGroup()`, `deployment()` and the like give; `None` if nothing is known about it.
    fn subject(&self, _subject: ContextObject) -> Result<Option<Value>, Error> {
        Ok(None)
    }

    /// The run-time state of a resource; `None` if it is not known.
    fn reference(&self, _call: &ReferenceCall<'_>) -> Result<Option<Value>, Error> {
        Ok(None)
    }

    /// The run-time states of the resources of a loop; `None` if they are not known.
    fn references(&self, _symbol: &str, _full: bool) -> Result<Option<Value>, Error> {
        Ok(None)
    }

    /// The answer of a `list…` function; `None` if it is not known.
    fn list(&self, _call: &ListCall<'_>) -> Result<Option<Value>, Error> {
        Ok(None)
    }

    /// The subscription of ids that name none, in a deployment above subscriptions; `None` if it is not known.
    fn default_subscription(&self) -> Option<SmolStr> {
        None
    }

    /// The answer of a function that needs the service; `None` if it is not known.
    fn service(&self, _name: &str, _args: &[Value]) -> Result<Option<Value>, Error> {
        Ok(None)
    }

    /// Id, name, type and version of a resource that the template declares.
    fn resource_info(&self, symbol: &str) -> Result<Value, Error> {
        Err(messages::no_such_resource(symbol))
    }

    /// An external input; `None` if it was not supplied.
    fn external_input(&self, name: &str) -> Result<Option<Value>, Error> {
        Err(messages::no_such_external_input(name))
    }

    /// The time of evaluation in seconds since 1970, UTC; `None` without a clock.
    fn now(&self) -> Option<i64> {
        None
    }

    /// A new identifier; `None` without a source of them.
    fn new_guid(&self) -> Option<Arc<str>> {
        None
    }
}

/// An environment without anything: for constant expressions.
#[derive(Debug, Clone, Copy, Default)]
pub struct Nothing;

impl Environment for Nothing {}

/// The objects that describe where a deployment goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ContextObject {
    /// `tenant()`
    Tenant,
    /// `managementGroup()`
    ManagementGroup,
    /// `subscription()`
    Subscription,
    /// `resourceGroup()`
    ResourceGroup,
    /// `deployment()`
    Deployment,
    /// `environment()`
    Environment,
    /// `deployer()`
    Deployer,
}

impl ContextObject {
    /// The function that gives it.
    pub const fn function(self) -> &'static str {
        match self {
            Self::Tenant => "tenant",
            Self::ManagementGroup => "managementGroup",
            Self::Subscription => "subscription",
            Self::ResourceGroup => "resourceGroup",
            Self::Deployment => "deployment",
            Self::Environment => "environment",
            Self::Deployer => "deployer",
        }
    }
}

/// `reference(target, apiVersion, 'Full')`
#[derive(Debug, Clone, Copy)]
pub struct ReferenceCall<'a> {
    /// A resource id, a name, or a symbolic name.
    pub target: &'a str,
    /// The version, where one is given.
    pub api_version: Option<&'a str>,
    /// Whether the whole resource is asked for, not only its properties.
    pub full: bool,
}

/// `listKeys(target, apiVersion, body)`
#[derive(Debug, Clone)]
pub struct ListCall<'a> {
    /// The name of the function as written.
    pub function: SmolStr,
    /// A resource id, a name, or a symbolic name.
    pub target: &'a str,
    /// The version, where one is given.
    pub api_version: Option<&'a str>,
    /// What is sent along.
    pub body: Option<&'a Value>,
}
