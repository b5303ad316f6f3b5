//! Whole templates to resources.
//!
//! A [`Deployment`] puts a template, its inputs, a place and what is known of deployed resources together. It is the
//! [`Environment`](crate::evaluate::Environment) of the template's expressions, and [`Deployment::expand`] goes through
//! the template in the order of the service: parameters, variables, the heads of resources (condition, loop, name,
//! scope), their bodies, dependencies, outputs. How it does so is said by a [`Policy`]: for a deployment a stage with
//! errors is the last one; an analysis has errors collected and gets all that can be evaluated.

mod bindings;
mod body;
mod declared_state;
mod environment;
mod graph;
mod head;
mod lenient;
mod nested;
mod plan;
mod policy;
mod target;

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{HashMap, HashSet};

use base::{Budget, TextRange, Verdict};
use smol_str::SmolStr;

use self::bindings::Memo;
use self::head::Heads;
pub use self::head::is_full_type;
use self::lenient::Collected;
pub use self::plan::{Batch, Expansion, OutputValue, Planned, PlannedDeployment};
pub use self::policy::{Conditions, Errors, Missing, NestedContext, Policy, Speculation};
use crate::context::Context;
use crate::error::{Error, Step};
use crate::evaluate::{Environment as _, Evaluator, ExpressionSite, Scope};
use crate::limits::{MAX_NESTING, MAX_OUTPUTS, MAX_PARAMETERS, MAX_RESOURCES, MAX_VARIABLES};
use crate::messages;
use crate::parameters::Inputs;
use crate::state::State;
use crate::template::Template;
use crate::value::{Gap, Hidden, Value};

/// Everything that an expansion needs.
#[derive(Clone, Copy)]
pub struct Setup<'d> {
    pub template: &'d Template,
    /// Parameter values and external inputs.
    pub inputs: &'d Inputs,
    /// The place of deployment.
    pub context: &'d Context,
    /// What is known of deployed resources.
    pub state: &'d dyn State,
    /// How much work it may be.
    pub budget: &'d Budget,
    /// How it is done.
    pub policy: Policy,
}

/// A template in its place, with what has been evaluated of it so far.
pub struct Deployment<'d> {
    setup: Setup<'d>,
    around: Nesting<'d>,
    parameters: Vec<RefCell<Memo>>,
    variables: Vec<RefCell<Memo>>,
    /// What is being evaluated, for the report of cycles.
    active: RefCell<Vec<SmolStr>>,
    heads: Vec<RefCell<Heads>>,
    /// All heads by id, name and loop, once all are known.
    index: OnceCell<head::Index>,
    nested: RefCell<nested::Cache>,
    /// Which resources the resource that is being evaluated refers to.
    noted: RefCell<Vec<usize>>,
    edges: RefCell<Vec<graph::Edge>>,
    /// Where the planned resources stand in the expansion.
    positions: RefCell<HashMap<head::HeadKey, usize>>,
    guids: Cell<u64>,
    /// What `resourceGroup()` and the like give, in the order of [`ContextObject`](crate::evaluate::ContextObject).
    subjects: [OnceCell<Option<Value>>; 7],
    /// Checks that could not be made.
    open: RefCell<Vec<Error>>,
    collected: Collected,
}

/// Where a template stands.
#[derive(Default)]
struct Nesting<'d> {
    /// For a nested template whose expressions belong to the template around it.
    outer: Option<&'d Deployment<'d>>,
    /// The loops around such a template.
    names: Scope,
    /// How many templates are around it.
    nesting: usize,
    /// The way to it from the outermost template.
    path: Vec<Step>,
}

impl<'d> Deployment<'d> {
    /// A template in its place. Nothing is evaluated yet.
    pub fn new(setup: Setup<'d>) -> Self {
        Self::inside(setup, Nesting::default())
    }

    fn inside(setup: Setup<'d>, around: Nesting<'d>) -> Self {
        let template = setup.template;
        Self {
            setup,
            around,
            parameters: slots(template.parameters.len()),
            variables: slots(template.variables.len()),
            active: RefCell::default(),
            heads: template.resources.iter().map(|_| RefCell::default()).collect(),
            index: OnceCell::new(),
            nested: RefCell::default(),
            noted: RefCell::default(),
            edges: RefCell::default(),
            positions: RefCell::default(),
            guids: Cell::new(0),
            subjects: Default::default(),
            open: RefCell::default(),
            collected: Collected::default(),
        }
    }

    /// An evaluator for expressions of this template.
    pub fn evaluator(&self) -> Evaluator<'_> {
        Evaluator::new(self, self.setup.budget)
    }

    /// Checks the values of all parameters, supplied ones and defaults.
    pub fn check_parameters(&self) -> Verdict<Error> {
        let mut expansion = Expansion::default();
        self.check_limits(&mut expansion);
        if expansion.errors.is_empty() {
            self.bind_parameters(&mut expansion);
        }
        Verdict::of(expansion.errors, self.unchecked())
    }

    /// The checks that could not be made since the last time somebody asked.
    pub fn unchecked(&self) -> Vec<Error> {
        self.open.take()
    }

    /// Goes through the whole template.
    pub fn expand(&self) -> Expansion {
        let mut expansion = Expansion {
            scope: self.setup.template.scope,
            context: self.setup.context.clone(),
            path: self.around.path.clone(),
            ..Expansion::default()
        };
        match self.setup.policy.errors {
            Errors::Final => self.run(&mut expansion),
            Errors::Collected => self.run_on(&mut expansion),
        }
        expansion.open = self.unchecked();
        for list in [&mut expansion.errors, &mut expansion.open] {
            let mut seen = HashSet::new();
            list.retain(|error| seen.insert((error.message().to_owned(), error.range())));
        }
        self.hide_secrets(&mut expansion);
        expansion
    }

    /// Messages quote what they are about; what nobody may be told is taken out of them.
    fn hide_secrets(&self, expansion: &mut Expansion) {
        let mut hidden = Hidden::of_inputs(self.setup.template, self.setup.inputs);
        hidden.add_parameters(self.setup.inputs, &expansion.parameters);
        if hidden.is_empty() {
            return;
        }
        for error in expansion.errors.iter_mut().chain(&mut expansion.open) {
            let mut message = error.message().to_owned();
            hidden.message(&mut message);
            *error = error.clone().reword(message);
        }
    }

    fn run(&self, expansion: &mut Expansion) {
        let stages: [fn(&Self, &mut Expansion); 6] = [
            Self::check_limits,
            Self::bind_parameters,
            Self::evaluate_variables,
            Self::plan_resources,
            Self::connect,
            Self::finish,
        ];
        for stage in stages {
            stage(self, expansion);
            if !expansion.errors.is_empty() {
                return;
            }
        }
    }

    /// Goes through the template without an end before it is all done.
    fn run_on(&self, expansion: &mut Expansion) {
        if self.around.nesting > MAX_NESTING {
            let error = messages::nested_too_deeply(MAX_NESTING).at(self.setup.template.range);
            return expansion.errors.push(error);
        }
        self.plan_resources(expansion);
        if self.setup.policy.dependencies {
            self.connect(expansion);
        }
        if self.setup.policy.declarations {
            self.declare(expansion);
        }
        if self.setup.policy.declarations || self.around.nesting > 0 {
            let told = self.collected.errors.borrow().len();
            self.finish(expansion);
            if !self.setup.policy.declarations {
                // The outputs are there for the template around only.
                self.collected.errors.borrow_mut().truncate(told);
            }
        }
        expansion.errors.append(&mut self.collected.errors.take());
        expansion.open_loops = self.collected.open_loops.take();
    }

    /// Parameters and variables, as they are declared in this template.
    fn declare(&self, expansion: &mut Expansion) {
        let (template, scope) = (self.setup.template, Scope::new(ExpressionSite::Variable));
        for (name, _) in template.parameters.iter() {
            // What fails is told where it is used.
            expansion.parameters.extend(self.parameter(name).ok().map(|value| (name.clone(), value)));
        }
        for (name, term) in template.variables.iter() {
            let bound = if self.around.outer.is_none() { self.bound_variable(name).ok() } else { None };
            if let Some(value) = bound.or_else(|| self.value(term, &scope).ok()) {
                expansion.variables.push((name.clone(), value));
            }
        }
    }

    fn check_limits(&self, expansion: &mut Expansion) {
        let template = self.setup.template;
        for (what, count, limit) in [
            ("parameters", template.parameters.len(), MAX_PARAMETERS),
            ("variables", template.variables.len(), MAX_VARIABLES),
            ("outputs", template.outputs.len(), MAX_OUTPUTS),
            ("resources", template.resources.len(), MAX_RESOURCES),
        ] {
            if count > limit {
                expansion.errors.push(messages::too_many(what, count, limit).within(what).at(template.range));
            }
        }
        if self.around.nesting > MAX_NESTING {
            expansion.errors.push(messages::nested_too_deeply(MAX_NESTING).at(template.range));
        }
    }

    fn bind_parameters(&self, expansion: &mut Expansion) {
        if self.around.outer.is_some() {
            return;
        }
        expansion.errors.extend(self.unknown_supplied());
        for (name, _) in self.setup.template.parameters.iter() {
            match self.bound_parameter(name) {
                Ok((value, errors)) => {
                    value.gaps(&format!("parameters.{name}"), &mut expansion.gaps);
                    expansion.parameters.push((name.clone(), value));
                    expansion.errors.extend(errors);
                }
                Err(error) => expansion.errors.push(error),
            }
            if expansion.errors.last().is_some_and(Error::is_overrun) {
                return;
            }
        }
    }

    fn evaluate_variables(&self, expansion: &mut Expansion) {
        if self.around.outer.is_some() {
            return;
        }
        for (name, _) in self.setup.template.variables.iter() {
            if let Err(error) = self.bound_variable(name) {
                let stop = error.is_overrun();
                expansion.errors.push(error);
                if stop {
                    return;
                }
            }
        }
    }

    /// Outputs and assertions.
    fn finish(&self, expansion: &mut Expansion) {
        for (name, output) in self.setup.template.outputs.iter() {
            match self.output(name, output) {
                Ok(Some(output)) => {
                    output.value.gaps(&format!("outputs.{name}"), &mut expansion.gaps);
                    expansion.outputs.push((name.clone(), output));
                }
                Ok(None) => {}
                Err(error) => expansion.errors.push(error.within(name.clone()).within("outputs")),
            }
        }
        let asserts = &self.setup.template.asserts;
        for (name, assertion) in asserts.iter().filter(|_| !self.collects()) {
            let scope = self.around.names.at(ExpressionSite::Output);
            match self.evaluator().term(assertion, &scope) {
                Ok(value) => expansion.asserts.push((name.clone(), value)),
                Err(error) => expansion.errors.push(error.within(name.clone()).within("asserts")),
            }
        }
    }
}

fn slots(count: usize) -> Vec<RefCell<Memo>> {
    (0..count).map(|_| RefCell::default()).collect()
}

/// An error with the way to the part of the template it is about.
fn placed(error: Error, path: &[Step], range: TextRange) -> Error {
    path.iter().rev().cloned().fold(error.at(range), Error::within)
}

/// A gap with the way to the part of the template it is about.
fn gaps_of(value: &Value, path: &[Step], part: &str, into: &mut Vec<Gap>) {
    if value.has_unknown() {
        let steps = path.iter().map(|step| match step {
            Step::Key(key) => key.to_string(),
            Step::Index(index) => index.to_string(),
        });
        let mut whole = steps.collect::<Vec<_>>().join(".");
        if !part.is_empty() {
            whole = format!("{whole}.{part}");
        }
        value.gaps(&whole, into);
    }
}
