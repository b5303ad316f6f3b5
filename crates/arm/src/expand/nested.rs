//! Deployments inside a template: their place, their parameters, and what they deploy.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use smol_str::SmolStr;

use super::head::{Head, HeadKey};
use super::{Deployment, Errors, Expansion, NestedContext, Nesting, PlannedDeployment, Setup, Speculation};
use crate::context::Context;
use crate::error::{Error, Step};
use crate::evaluate::{ExpressionSite, ReferenceCall, Scope};
use crate::expression::{Accessor, Expr, ExprKind};
use crate::messages;
use crate::parameters::{Inputs, Supplied};
use crate::template::{Nested, Resource};
use crate::value::{Origin, Unknown, Value};

/// Expansions of the deployments inside, by the identity of their heads.
pub(super) type Cache = HashMap<HeadKey, Entry>;

/// What is known about a deployment inside.
#[derive(Debug, Clone)]
pub(super) enum Entry {
    /// Being expanded: to need its outputs now is a cycle.
    Busy,
    /// Expanded, with its context and parameters.
    Done(Rc<PlannedDeployment>),
}

impl Deployment<'_> {
    /// A deployment inside, with what it deploys. Every one is expanded once.
    pub(super) fn nested_deployment(
        &self,
        head: &Rc<Head>,
        nested: &Nested,
    ) -> Result<Rc<PlannedDeployment>, Error> {
        let key = head.key;
        match self.nested.borrow().get(&key) {
            Some(Entry::Done(planned)) => return Ok(Rc::clone(planned)),
            Some(Entry::Busy) => {
                let name = head.name.as_ref().and_then(Value::as_str).unwrap_or_default();
                return Err(messages::cycle("deployment", &[name, name]));
            }
            None => {}
        }
        self.nested.borrow_mut().insert(key, Entry::Busy);
        // Whoever asked, it gets no more than references outside of this template would give.
        let answers = self.collected.answers.take();
        let planned = self.evaluator().deeper(|| self.expand_nested(head, nested)).map(Rc::new);
        self.collected.answers.set(answers);
        match planned {
            Ok(planned) => {
                self.nested.borrow_mut().insert(key, Entry::Done(Rc::clone(&planned)));
                Ok(planned)
            }
            Err(error) => {
                self.nested.borrow_mut().remove(&key);
                Err(error)
            }
        }
    }

    fn expand_nested(&self, head: &Rc<Head>, nested: &Nested) -> Result<PlannedDeployment, Error> {
        let scope = head.names.at(ExpressionSite::ResourceBody);
        let parameters = match &nested.parameters {
            Some(term) => {
                let noted = self.noted.take();
                let value = self.handed_on(term, &scope);
                // What the parameters refer to is waited for by the deployment itself, whoever asked for it first.
                let own = self.noted.replace(noted);
                self.note_for(head, own);
                value.map_err(|error| error.within("parameters").within("properties"))?
            }
            None => Value::object::<SmolStr>([]),
        };
        let context = self.nested_context(head, nested)?;
        let Some(template) = &nested.template else {
            return Ok(PlannedDeployment { context, parameters, expansion: None });
        };
        let inputs = inputs_of(&parameters, self.setup.policy.errors)?;
        let setup = Setup { template, inputs: &inputs, context: &context, ..self.setup };
        let around = self.around_nested(head, nested);
        let noted = self.noted.take();
        let expansion = Deployment::inside(setup, around).expand();
        // What the template inside refers to in this one is waited for by the deployment.
        let own = self.noted.replace(noted);
        self.note_for(head, own);
        Ok(PlannedDeployment { context, parameters, expansion: Some(Arc::new(expansion)) })
    }

    fn around_nested(&self, head: &Head, nested: &Nested) -> Nesting<'_> {
        let own = self.setup.template.resources.get(head.resource).map(|resource| resource.path.as_slice());
        let inner = [Step::from("properties"), Step::from("template")];
        let path = self.around.path.iter().chain(own.unwrap_or_default()).chain(&inner).cloned().collect();
        Nesting {
            outer: nested.outer.then_some(self),
            names: if nested.outer { head.names.clone() } else { Scope::free() },
            nesting: self.around.nesting + 1,
            path,
        }
    }

    fn nested_context(&self, head: &Head, nested: &Nested) -> Result<Context, Error> {
        if self.setup.policy.nested == NestedContext::Around {
            return Ok(self.setup.context.clone());
        }
        let mut context = head.target.context(self.setup.context, self.setup.template.scope);
        context.deployment_name = head.name.as_ref().and_then(Value::as_str).map(SmolStr::new);
        if nested.template.is_some() {
            self.set_location(head, &mut context)?;
        }
        Ok(context)
    }

    /// The parameters that a resource which is a deployment hands on, once for each turn of its loop. A loop of unknown
    /// length gives those of some turn; what is left out gives none.
    pub fn nested_inputs(&self, at: usize) -> Result<Vec<Inputs>, Error> {
        let Some(resource) = self.setup.template.resources.get(at) else { return Ok(Vec::new()) };
        let Some(term) = resource.deployment.as_ref().and_then(|nested| nested.parameters.as_ref()) else {
            return Ok(Vec::new());
        };
        let list = self.heads(at)?;
        let known = list.heads.iter().filter(|head| !head.left_out);
        let mut scopes: Vec<Scope> = known.map(|head| head.names.at(ExpressionSite::ResourceBody)).collect();
        if list.open_count.is_some()
            && let Some(copy) = &resource.copy
        {
            scopes.push(Scope::new(ExpressionSite::ResourceBody).with_open_turn(copy.name.clone()));
        }
        scopes.iter().map(|scope| inputs_of(&self.evaluator().term(term, scope)?, Errors::Final)).collect()
    }

    /// At the scopes above groups a deployment has a region of its own.
    fn set_location(&self, head: &Head, context: &mut Context) -> Result<(), Error> {
        let resource = self.setup.template.resources.get(head.resource);
        let location =
            resource.and_then(|resource| resource.body.iter().find(|(name, _)| name == "location"));
        if let Some((_, term)) = location {
            let value = self.evaluator().term(term, &head.names.at(ExpressionSite::ResourceBody))?;
            if context.location.is_none() && context.resource_group.is_none() {
                context.location = value.as_str().map(SmolStr::new);
            }
        }
        Ok(())
    }

    /// The outputs of a deployment inside, as far as they can be known beforehand, in the form of a reference to it.
    pub(super) fn speculative_outputs(
        &self,
        head: &Rc<Head>,
        call: &ReferenceCall<'_>,
    ) -> Result<Option<Value>, Error> {
        let resource = self.setup.template.resources.get(head.resource);
        let Some(nested) = resource.and_then(|resource: &Resource| resource.deployment.as_ref()) else {
            return Ok(None);
        };
        let is_open = self.setup.policy.speculation == Speculation::Nothing;
        if is_open || call.full || head.left_out || nested.template.is_none() {
            return Ok(None);
        }
        let planned = self.nested_deployment(head, nested)?;
        let is_sound = |expansion: &&Arc<Expansion>| expansion.errors.is_empty() || self.collects();
        let Some(expansion) = planned.expansion.as_ref().filter(is_sound) else {
            return Ok(None);
        };
        Ok(self.as_reference(head, call, expansion))
    }

    fn as_reference(&self, head: &Head, call: &ReferenceCall<'_>, expansion: &Expansion) -> Option<Value> {
        let id = head.id.as_ref()?;
        let reference = Expr::call("reference", vec![Expr::of_value(id), Expr::string(call.api_version?)]);
        let origin = || Origin::Resource(id.as_str().unwrap_or(call.target).into());
        let part = |path: &[&str]| {
            let expression = path.iter().fold(reference.clone(), |expression, name| {
                expression.access(Accessor::Property(SmolStr::new(name)))
            });
            Value::unknown(Unknown::new(expression, origin()))
        };
        let outputs = expansion.outputs.iter().map(|(name, output)| {
            let value = if is_portable(&output.value) {
                output.value.clone()
            } else {
                part(&["outputs", name, "value"])
            };
            let kind = output.primitive.map_or(Value::NULL, |primitive| Value::from(primitive.name()));
            (name.clone(), Value::object([("type", kind), ("value", value)]))
        });
        let outputs = Value::object(outputs);
        let others = RUN_TIME.iter().map(|name| (*name, part(&[name])));
        Some(Value::object(std::iter::once(("outputs", outputs)).chain(others)))
    }
}

/// What a deployment has besides its outputs; none of it is known before it runs.
const RUN_TIME: &[&str] = &[
    "provisioningState",
    "correlationId",
    "timestamp",
    "duration",
    "mode",
    "parameters",
    "parametersLink",
    "templateHash",
    "templateLink",
    "providers",
    "dependencies",
    "outputResources",
    "validatedResources",
    "debugSetting",
    "onErrorDeployment",
    "error",
    "diagnostics",
];

/// The parameters of a deployment inside, as inputs: what is unknown is a value that is not known.
fn inputs_of(parameters: &Value, errors: Errors) -> Result<Inputs, Error> {
    let mut inputs = Inputs::default();
    let Some(object) = parameters.as_object() else { return Ok(inputs) };
    for (name, parameter) in object.iter() {
        let supplied = if let Some(value) = parameter.get("value") {
            Supplied::Value(value.clone(), None)
        } else if parameter.is_unknown() {
            Supplied::Value(crate::evaluate::part(parameter, &Value::from("value"))?, None)
        } else if parameter.get("reference").is_some() || errors == Errors::Collected {
            let call = Expr::call("parameters", vec![Expr::string(name.as_str())]);
            let secret = Value::unknown(Unknown::new(call, Origin::Secret(name.clone())));
            Supplied::Value(secret, None)
        } else {
            let error = messages::bad_parameter_form(name);
            return Err(error.within(name.clone()).within("parameters").within("properties"));
        };
        inputs.parameters.insert(name.clone(), supplied);
    }
    Ok(inputs)
}

/// Whether a value means the same in the template around: its unknown parts refer to resources by id only.
fn is_portable(value: &Value) -> bool {
    let mut gaps = Vec::new();
    value.gaps("", &mut gaps);
    gaps.iter().all(|gap| {
        // What failed failed in there.
        let mut portable = !gap.unknown.origins.iter().any(|origin| matches!(origin, Origin::Failed(_)));
        gap.unknown.expression.walk(&mut |expression| {
            let ExprKind::Call(call) = expression.kind() else { return };
            let name = call.name.to_ascii_lowercase();
            let by_name = matches!(name.as_str(), "reference" | "references" | "resourceinfo")
                || name.starts_with("list");
            if by_name && !call.args.first().is_some_and(is_id) {
                portable = false;
            }
            // A function of the template has its name there only.
            portable &= !name.contains('.')
                && !matches!(name.as_str(), "parameters" | "variables" | "deployment" | "lambdavariables");
        });
        portable
    })
}

fn is_id(expression: &Expr) -> bool {
    match expression.kind() {
        ExprKind::String(text) => text.starts_with('/'),
        ExprKind::Known(value) => value.as_str().is_some_and(|text| text.starts_with('/')),
        ExprKind::Call(call) => call.name.to_ascii_lowercase().ends_with("resourceid"),
        _ => false,
    }
}
