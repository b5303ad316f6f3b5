//! What an expansion gives: resources with their values and dependencies, outputs, and what stayed open.

use std::sync::Arc;

use base::TextRange;
use smol_str::SmolStr;

use crate::context::Context;
use crate::error::{Error, Step};
use crate::template::{Primitive, TargetScope};
use crate::value::{Gap, Value};

/// A template, expanded.
#[derive(Debug, Default)]
pub struct Expansion {
    /// What it is deployed to.
    pub scope: TargetScope,
    /// The place of deployment.
    pub context: Context,
    /// The way to the template from the outermost one; empty for that.
    pub path: Vec<Step>,
    /// Parameters with their values.
    pub parameters: Vec<(SmolStr, Value)>,
    /// Variables with their values, if the policy asks for them.
    pub variables: Vec<(SmolStr, Value)>,
    /// Resources in the order of the template, loops run. Those whose condition is false are left out, unless the policy
    /// ignores conditions; those that are only read are here.
    pub resources: Vec<Planned>,
    /// Outputs in order; those whose condition is false are left out.
    pub outputs: Vec<(SmolStr, OutputValue)>,
    /// Assertions with their results.
    pub asserts: Vec<(SmolStr, Value)>,
    /// What is wrong. When there is anything, the rest is incomplete, unless the policy has errors collected: then each
    /// belongs to an unknown part of the rest. Those of deployments inside stay with these then.
    pub errors: Vec<Error>,
    /// Everything that is not known, each with its place in the template.
    pub gaps: Vec<Gap>,
    /// Checks of parameters, of arguments and results of functions, and of outputs that could not be made.
    pub open: Vec<Error>,
    /// The counts of loops that have one turn because nobody knows how many; only if errors are collected.
    pub open_loops: Vec<TextRange>,
}

/// The value of an output.
#[derive(Debug, Clone)]
pub struct OutputValue {
    /// The kind of value that is declared.
    pub primitive: Option<Primitive>,
    /// The condition, if it has one.
    pub condition: Option<Value>,
    /// The value with what the template writes about its own resources, if the policy asks for declarations and that says
    /// more.
    pub written: Option<Value>,
    /// The value, as far as it is known. It carries the secure mark if it is declared as a secret.
    pub value: Value,
}

/// One resource to be deployed, or to be read.
#[derive(Debug)]
pub struct Planned {
    /// Its position in the template's list of resources.
    pub resource: usize,
    /// The way to it from the root of its template.
    pub path: Vec<Step>,
    pub range: TextRange,
    /// The resource it is written inside of, by its position in [`Expansion::resources`].
    pub parent: Option<usize>,
    /// Its symbolic name.
    pub symbol: Option<SmolStr>,
    /// Its place in its loop.
    pub batch: Option<Batch>,
    /// Whether it is only read.
    pub existing: bool,
    /// The alias of the extension it belongs to.
    pub extension: Option<SmolStr>,
    /// What the template writes for the members that are not sent to the provider, each evaluated: `type`, `name`,
    /// `condition` and the like. Below a parent, type and name are the last segments.
    pub own: Vec<(&'static str, Value)>,
    /// `true`, or what is not known yet; `false` only if the policy ignores conditions.
    pub condition: Value,
    /// Its full type.
    pub resource_type: Value,
    /// The version of its type.
    pub api_version: Option<Value>,
    /// Its full name; none for resources of extensions.
    pub name: Option<Value>,
    /// Its id; none for resources of extensions.
    pub id: Option<Value>,
    /// The scope that is written in the template, as evaluated.
    pub scope: Option<Value>,
    /// What is sent to the provider: an object with `location`, `properties` and the like.
    pub body: Value,
    /// How it is deployed.
    pub options: Option<Value>,
    /// Positions in [`Expansion::resources`] of what it waits for, ascending.
    pub depends_on: Vec<usize>,
    /// For deployments inside the template.
    pub deployment: Option<PlannedDeployment>,
}

/// The place of a resource in its loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    /// The name of the loop.
    pub name: SmolStr,
    /// Which turn.
    pub index: usize,
    /// Which batch, if batches are deployed one after the other.
    pub number: Option<usize>,
}

/// A deployment inside a template.
#[derive(Debug)]
pub struct PlannedDeployment {
    /// Where it goes.
    pub context: Context,
    /// Its parameters, as far as they are known: each `{value}`, `{reference}` or `{expression}`.
    pub parameters: Value,
    /// What it deploys, if its template is written in place and was expanded.
    pub expansion: Option<Arc<Expansion>>,
}
