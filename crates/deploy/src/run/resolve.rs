//! What could not be known before: expressions that ask for the state of resources, evaluated when it is there.
//!
//! Evaluation is synchronous and reading state is not. So a value is evaluated as far as it goes, what it asked for is
//! read, and it is evaluated again, until it asks for nothing new.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arm::evaluate::{ContextObject, Environment, Evaluator, ListCall, ReferenceCall};
use arm::parameters::Checker;
use arm::template::{FunctionParameter, UserFunction};
use arm::value::Kind;
use arm::{Error, Gap, Step, TargetScope, Value};
use base::{Budget, Limits, Verdict};
use serde_json::{Value as Json, json};
use smol_str::SmolStr;

use super::DeploymentRun;
use super::active_deployment::{ActiveDeployment, symbol_of};
use crate::error::ArmError;
use crate::messages;
use crate::scope::{DeploymentId, key};
use crate::state::State;
use crate::store::until_available;

/// How often evaluation may ask for more.
const ROUNDS: usize = 64;

/// What messages say of a value.
#[derive(Clone, Copy)]
pub(super) struct ValueLabel<'a> {
    /// What it belongs to: the id or name of a resource; empty if the caller names it.
    pub name: &'a str,
    /// Where that stands in the template.
    pub path: &'a [Step],
}

/// Evaluates what is unknown in a value, with the state as it is now.
pub(super) async fn resolve(
    run: &DeploymentRun,
    unit: &ActiveDeployment,
    value: &Value,
    about: ValueLabel<'_>,
) -> Result<Value, ArmError> {
    let mut known = BTreeMap::new();
    for _ in 0..ROUNDS {
        let (value, wanted, absent) = attempt(run, unit, value, &known, about)?;
        if let Some(id) = absent {
            return Err(messages::resource_not_found(&id).about(about.name));
        }
        if wanted.is_empty() {
            return finished(value, about.name);
        }
        for id in wanted {
            let found = read(run, &id).await?;
            known.insert(key(&id), found);
        }
    }
    Err(messages::still_unknown(about.name, "", "it asks for more and more resources"))
}

/// Holds an output against its whole type, and gives it with the marks that its type asks for.
pub(super) fn check_output(
    run: &DeploymentRun,
    unit: &ActiveDeployment,
    name: &str,
    value: Value,
) -> Result<Value, Vec<Error>> {
    let template = unit.template.get();
    let Some((_, name, output)) = template.outputs.find(name) else { return Ok(value) };
    let (budget, known) = (crate::clock::budget(run.inner.options.limits), BTreeMap::new());
    let environment =
        RuntimeEnvironment { unit, known: &known, wanted: RefCell::default(), absent: RefCell::default() };
    let checker = Checker::new(template, Evaluator::new(&environment, &budget));
    match checker.check_output(name, &output.schema, &value) {
        Verdict::Pass => Ok(checker.secured(&output.schema, value)),
        // There is no later moment at which it could be checked.
        Verdict::Fail(errors) | Verdict::Undetermined(errors) => Err(errors),
    }
}

/// One evaluation: the value so far, the ids that it asked for, and an id that is not there.
type EvaluationAttempt = (Value, Vec<String>, Option<String>);

fn attempt(
    run: &DeploymentRun,
    unit: &ActiveDeployment,
    value: &Value,
    known: &BTreeMap<String, Option<Value>>,
    about: ValueLabel<'_>,
) -> Result<EvaluationAttempt, ArmError> {
    let budget = crate::clock::budget(run.inner.options.limits);
    let environment =
        RuntimeEnvironment { unit, known, wanted: RefCell::default(), absent: RefCell::default() };
    let evaluator = Evaluator::new(&environment, &budget);
    let resumed = evaluator.resume(value).map_err(|error| {
        let place = messages::template_place(about.path, &culprit(&evaluator, value));
        messages::cannot_evaluate(about.name, &error, place)
    })?;
    Ok((resumed, environment.wanted.into_inner().into_iter().collect(), environment.absent.into_inner()))
}

/// The path of the first unknown part of a value that cannot be evaluated.
fn culprit(evaluator: &Evaluator<'_>, value: &Value) -> String {
    let mut gaps = Vec::new();
    value.gaps("", &mut gaps);
    let fails = |gap: &Gap| evaluator.resume(&Value::new(Kind::Unknown(Arc::clone(&gap.unknown)))).is_err();
    let path = gaps.into_iter().find(fails).map(|gap| gap.path).unwrap_or_default();
    // The members of a resource stand in the resource itself.
    path.strip_prefix("body.").map(str::to_owned).unwrap_or(path)
}

/// A value that must be whole by now.
fn finished(value: Value, about: &str) -> Result<Value, ArmError> {
    if !value.has_unknown() {
        return Ok(value);
    }
    let mut gaps = Vec::new();
    value.gaps("", &mut gaps);
    let Some(gap) = gaps.first() else { return Ok(value) };
    let why = gap.unknown.origins.first().map_or_else(String::new, |origin| match origin {
        arm::Origin::Secret(name) => messages::secrets_lost(name),
        other => other.to_string(),
    });
    Err(messages::still_unknown(about, &gap.path, &why))
}

/// Reads what is at an id: a resource, or a deployment with its outputs.
async fn read(run: &DeploymentRun, id: &str) -> Result<Option<Value>, ArmError> {
    if let Some(deployment) = DeploymentId::parse(id) {
        if let Some(value) = run.outputs_of(&deployment.key()) {
            return Ok(Some(value));
        }
        let row = until_available!(run.inner.store.deployment(&deployment.key()))?;
        let document = row.and_then(|row| crate::stored::object(&row.document));
        return Ok(document.map(|document| Value::from(&document)));
    }
    let document = until_available!(run.inner.documents.read(id))?;
    Ok(document.map(|document| Value::from(&document)))
}

/// The surroundings of expressions while a deployment runs.
struct RuntimeEnvironment<'n> {
    unit: &'n ActiveDeployment,
    known: &'n BTreeMap<String, Option<Value>>,
    wanted: RefCell<BTreeSet<String>>,
    absent: RefCell<Option<String>>,
}

impl RuntimeEnvironment<'_> {
    /// The state of the resource at an id, if it was read already.
    fn state(&self, id: &str, full: bool, optional: bool) -> Option<Value> {
        match self.known.get(&key(id)) {
            Some(Some(document)) if full => Some(document.clone()),
            Some(Some(document)) => Some(document.get("properties").cloned().unwrap_or(Value::NULL)),
            Some(None) if optional => Some(Value::NULL),
            Some(None) => {
                self.absent.borrow_mut().get_or_insert_with(|| id.to_owned());
                None
            }
            None => {
                self.wanted.borrow_mut().insert(id.to_owned());
                None
            }
        }
    }

    /// The state of what a template calls by a name or an id.
    fn target(&self, target: &str, full: bool) -> Option<Value> {
        let around = self.unit.around.iter().flat_map(|expansion| &expansion.resources);
        let mut resources = self.unit.expansion.resources.iter().chain(around);
        let same = |text: Option<&str>| text.is_some_and(|text| text.eq_ignore_ascii_case(target));
        let planned = resources.find(|planned| {
            same(symbol_of(planned).as_deref())
                || same(planned.id.as_ref().and_then(Value::as_str))
                || same(planned.name.as_ref().and_then(Value::as_str))
        });
        let Some(planned) = planned else {
            return target.starts_with('/').then(|| self.state(target, full, false)).flatten();
        };
        if planned.extension.is_some() {
            return self.unit.recall(&symbol_of(planned)?);
        }
        let optional =
            planned.options.as_ref().is_some_and(|options| options.get("nullIfNotFound").is_some());
        self.state(planned.id.as_ref()?.as_str()?, full, optional)
    }
}

impl Environment for RuntimeEnvironment<'_> {
    /// Whatever is still open of a parameter was a secret.
    fn parameter(&self, name: &str) -> Result<Value, Error> {
        Ok(crate::plan::lost_secret(name))
    }

    fn user_function(&self, namespace: &str, name: &str) -> Option<&UserFunction> {
        self.unit.functions.get().functions.get(&format!("{namespace}.{name}"))
    }

    fn check_argument(&self, function: &str, of: &FunctionParameter, value: &Value) -> Verdict<Error> {
        let functions = self.unit.functions.get();
        let declared =
            functions.functions.get(function).map(|it| it.parameters.as_slice()).unwrap_or_default();
        let Some(declared) = declared.iter().find(|known| known.name == of.name) else {
            return Verdict::Pass;
        };
        let budget = Budget::new(Limits::default());
        let checker = Checker::new(functions, Evaluator::new(self, &budget));
        checker.check(&format!("{function}.{}", declared.name), &declared.schema, value)
    }

    fn check_result(&self, function: &str, declared: &UserFunction, value: &Value) -> Verdict<Error> {
        let budget = Budget::new(Limits::default());
        let checker = Checker::new(self.unit.functions.get(), Evaluator::new(self, &budget));
        checker.check_result(function, declared, value)
    }

    fn target_scope(&self) -> TargetScope {
        self.unit.template.get().scope
    }

    fn default_subscription(&self) -> Option<SmolStr> {
        self.unit.context.default_subscription.clone()
    }

    fn subject(&self, subject: ContextObject) -> Result<Option<Value>, Error> {
        let template = self.unit.template.get();
        let value = self.unit.context.subject(subject, template.scope, template.content_version.as_deref());
        Ok(value.map(|value| match subject {
            ContextObject::Deployment => filled(&value, &deployment_parts(self.unit)),
            ContextObject::ResourceGroup => filled(
                &value,
                &json!({ "managedBy": null, "properties": { "provisioningState": "Succeeded" } }),
            ),
            ContextObject::Tenant => filled(&value, &json!({ "countryCode": "", "displayName": "Local" })),
            ContextObject::ManagementGroup => filled(&value, &json!({ "properties": {} })),
            _ => value,
        }))
    }

    fn reference(&self, call: &ReferenceCall<'_>) -> Result<Option<Value>, Error> {
        Ok(self.target(call.target, call.full))
    }

    fn references(&self, symbol: &str, full: bool) -> Result<Option<Value>, Error> {
        let turns = self.unit.expansion.resources.iter().filter(|planned| {
            planned.symbol.as_ref().is_some_and(|known| known.eq_ignore_ascii_case(symbol))
        });
        let turns: Vec<Option<Value>> =
            turns.map(|planned| self.target(&symbol_of(planned)?, full)).collect();
        Ok(turns.into_iter().collect::<Option<Vec<Value>>>().map(Value::array))
    }

    fn list(&self, call: &ListCall<'_>) -> Result<Option<Value>, Error> {
        let answer = super::mock::list(&call.function, call.target);
        if !call.function.eq_ignore_ascii_case("list") {
            return Ok(Some(answer));
        }
        // `list` alone is how settings are read: those that were deployed, or none.
        Ok(self.state(call.target, false, true).map(|settings| {
            let settings = if settings.is_null() { Value::object::<&str>([]) } else { settings };
            let members = answer.as_object().into_iter().flat_map(arm::value::Object::iter);
            let members = members.map(|(name, value)| (name.clone(), value.clone()));
            Value::object(members.chain([(SmolStr::new_static("properties"), settings)]))
        }))
    }

    fn service(&self, name: &str, args: &[Value]) -> Result<Option<Value>, Error> {
        Ok(super::mock::service(name, args))
    }

    fn now(&self) -> Option<i64> {
        self.unit.context.now
    }

    fn new_guid(&self) -> Option<Arc<str>> {
        Some(uuid::Uuid::new_v4().to_string().into())
    }
}

/// What `deployment()` gives besides its name.
fn deployment_parts(unit: &ActiveDeployment) -> Json {
    let properties = unit.document.get("properties");
    let part = |name: &str| properties.and_then(|all| all.get(name)).cloned().unwrap_or_default();
    json!({ "properties": {
        "templateLink": null, "templateHash": part("templateHash"), "parameters": part("parameters"),
        "mode": part("mode"), "provisioningState": State::Running,
    } })
}

/// A value with what is unknown in it taken from another.
fn filled(value: &Value, parts: &Json) -> Value {
    let Some(object) = value.as_object() else { return value.clone() };
    Value::object(object.iter().map(|(name, member)| {
        let part = parts.get(name.as_str());
        let member = match part {
            Some(part) if member.is_unknown() => Value::from(part),
            Some(part) if member.has_unknown() => filled(member, part),
            _ => member.clone(),
        };
        (name.clone(), member)
    }))
}
