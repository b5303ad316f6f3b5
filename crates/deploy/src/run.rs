//! The executor: a plan becomes resources, outputs and operations.
//!
//! Resources start when what they depend on is there, a bounded number at once. Effects are journaled before they are
//! acknowledged, so that a run that was interrupted at any point resumes with what is left.

mod active_deployment;
pub(crate) mod extensible;
mod graph;
pub(crate) mod mock;
pub(crate) mod nested;
mod operation;
mod resolve;
mod resource;

use std::collections::{HashMap, HashSet};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use arm::Value;
use arm::expand::{Expansion, OutputValue, Planned};
use arm::value::Hidden;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt};
use serde_json::Value as Json;
use smol_str::SmolStr;
use tokio::sync::{Semaphore, watch};

pub(crate) use self::active_deployment::{ActiveDeployment, TemplateRef, member, symbol_of};
use self::graph::Graph;
use self::operation::OperationRecorder;
use self::resolve::ValueLabel;
use crate::clock;
use crate::document::{self, DeploymentEnd};
use crate::engine::locks::Change;
use crate::engine::{Event, Inner};
use crate::error::ArmError;
use crate::job::Mode;
use crate::messages;
use crate::plan::Plan;
use crate::scope::{Scope, belongs, key};
use crate::secrets::clean_error;
use crate::state::State;
use crate::store::{Fence, FinishedDeployment, OperationRow, StoreError, until_available};

/// A run of a deployment with all that is inside it.
pub(crate) struct DeploymentRun {
    pub inner: Arc<Inner>,
    pub fence: Fence,
    /// The id of the outermost deployment.
    pub root: String,
    /// How many providers may work at once.
    pub slots: Semaphore,
    /// The deployment stack that it belongs to.
    pub stack: Option<String>,
    /// Whether to stop.
    pub stop: watch::Receiver<bool>,
    /// Whether resources are expected not to be there yet: then they are written without being read first. The write itself
    /// notices when that is wrong.
    expects_new: AtomicBool,
    /// The texts of secure values, which no error may tell.
    hidden: Mutex<Hidden>,
    /// The deployments that have run, as references give them, secrets included.
    outputs: Mutex<HashMap<String, Value>>,
}

/// How a deployment ended.
pub(crate) enum Ended {
    Succeeded,
    Failed(ArmError),
    Canceled,
}

/// Why something was not done.
pub(crate) enum Failure {
    /// It went wrong: the deployment fails.
    Error(ArmError),
    /// The deployment is to stop.
    Canceled,
    /// The state could not be written: nothing can be said, the run ends here and is resumed later.
    Store(StoreError),
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<ArmError> for Failure {
    fn from(error: ArmError) -> Self {
        Self::Error(error)
    }
}

impl DeploymentRun {
    pub fn new(inner: Arc<Inner>, fence: Fence, plan: &Plan, stop: watch::Receiver<bool>) -> Self {
        let slots = Semaphore::new(inner.options.parallel.max(1));
        let (root, hidden) = (plan.id.to_string(), Mutex::new(plan.hidden.clone()));
        let stack = plan.job.stack.clone();
        let (expects_new, outputs) = (AtomicBool::new(false), Mutex::default());
        Self { inner, fence, root, slots, stack, stop, expects_new, hidden, outputs }
    }

    /// The same for a deployment whose resources were not there, or were, when it was accepted.
    pub fn expecting_new(self, expects_new: bool) -> Self {
        Self { expects_new: AtomicBool::new(expects_new), ..self }
    }

    /// Keeps the secure parts of a value out of errors.
    fn hide(&self, value: &Value) {
        self.hidden.lock().unwrap_or_else(PoisonError::into_inner).add(value);
    }

    /// An error that may be told.
    fn told(&self, error: ArmError) -> ArmError {
        clean_error(&self.hidden.lock().unwrap_or_else(PoisonError::into_inner), error)
    }

    /// Refuses a change that is locked or denied.
    async fn check_locks(&self, id: &str, change: Change) -> Result<(), ArmError> {
        self.inner.check_locks_for(self.stack.as_deref(), id, change).await
    }

    fn stopped(&self) -> bool {
        *self.stop.borrow()
    }

    /// The reference to a deployment that has run.
    fn outputs_of(&self, key: &str) -> Option<Value> {
        self.outputs.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
    }

    fn keep_outputs(&self, key: &str, value: Value) {
        self.outputs.lock().unwrap_or_else(PoisonError::into_inner).insert(key.to_owned(), value);
    }

    pub fn tell(&self, unit: &ActiveDeployment, state: State, error: Option<&ArmError>) {
        // Nobody may be listening.
        let _ = self.inner.events.send(Event {
            root: self.root.clone(),
            deployment: unit.id.to_string(),
            resource: None,
            resource_type: None,
            state,
            error: error.map(ToString::to_string),
        });
    }
}

/// Runs a deployment to its end and records the end.
pub(crate) fn deploy<'r>(
    run: &'r DeploymentRun,
    unit: &'r mut ActiveDeployment,
) -> BoxFuture<'r, Result<Ended, StoreError>> {
    async move {
        let (ended, done) = match all(run, unit).await {
            Ok(done) => (Ended::Succeeded, Some(done)),
            Err(Failure::Error(error)) => (Ended::Failed(error), None),
            Err(Failure::Canceled) => (Ended::Canceled, None),
            Err(Failure::Store(error)) => return Err(error),
        };
        finish(run, unit, &ended, done.as_ref()).await?;
        Ok(ended)
    }
    .boxed()
}

type Outputs = Vec<(SmolStr, OutputValue)>;

/// What a deployment that succeeded gives.
struct DeploymentResult {
    outputs: Outputs,
    /// The evaluation of the outputs, to be recorded.
    operation: OperationRow,
}

/// All resources, then the outputs, then what complete mode removes.
async fn all(run: &DeploymentRun, unit: &ActiveDeployment) -> Result<DeploymentResult, Failure> {
    let recorder = OperationRecorder::new(run, unit).await?;
    resources(run, unit, &recorder).await?;
    let outputs = match outputs(run, unit).await {
        Ok(outputs) => outputs,
        Err(errors) => {
            let errors: Vec<ArmError> = errors.into_iter().map(|error| run.told(error)).collect();
            let (store, operation) =
                (&run.inner.store, recorder.outputs(Some(&messages::outputs_failed(&errors))));
            until_available!(store.put_operation(&run.fence, &unit.key, &operation))?;
            return Err(messages::deployment_failed(errors).into());
        }
    };
    if unit.mode == Mode::Complete {
        remove_others(run, unit, &recorder).await?;
    }
    Ok(DeploymentResult { outputs, operation: recorder.outputs(None) })
}

async fn resources(
    run: &DeploymentRun,
    unit: &ActiveDeployment,
    recorder: &OperationRecorder<'_>,
) -> Result<(), Failure> {
    let mut graph = Graph::new(&unit.expansion.resources);
    let mut running = FuturesUnordered::new();
    let mut failures = Vec::new();
    let mut canceled = false;
    loop {
        canceled |= run.stopped();
        while !canceled && let Some(at) = graph.next() {
            let Some(planned) = unit.expansion.resources.get(at) else { continue };
            running.push(resource::deploy(run, unit, recorder, planned).map(move |result| (at, result)));
        }
        let Some((at, result)) = running.next().await else { break };
        match result {
            Ok(()) => graph.done(at),
            // What depends on it never starts; the rest goes on.
            Err(Failure::Error(error)) => failures.push((at, error)),
            Err(Failure::Canceled) => canceled = true,
            Err(error @ Failure::Store(_)) => return Err(error),
        }
    }
    if canceled {
        return Err(Failure::Canceled);
    }
    if failures.is_empty() {
        return Ok(());
    }
    failures.sort_by_key(|(at, _)| *at);
    let details = failures.into_iter().map(|(_, error)| error).collect();
    Err(messages::deployment_failed(details).into())
}

/// All outputs, or everything that is wrong with them.
async fn outputs(run: &DeploymentRun, unit: &ActiveDeployment) -> Result<Outputs, Vec<ArmError>> {
    let mut outputs = Vec::with_capacity(unit.expansion.outputs.len());
    let mut errors = Vec::new();
    for (name, output) in &unit.expansion.outputs {
        let failed = |why: &str| messages::output_failed(name, why.trim_end_matches('.'));
        let value = match resolve::resolve(run, unit, &output.value, ValueLabel { name: "", path: &[] }).await
        {
            // What was known beforehand was checked then.
            Ok(value) if !output.value.has_unknown() => value,
            Ok(value) => match resolve::check_output(run, unit, name, value) {
                Ok(value) => value,
                Err(found) => {
                    errors.extend(found.iter().map(|error| failed(error.message())));
                    continue;
                }
            },
            Err(error) => {
                errors.push(failed(&error.message));
                continue;
            }
        };
        outputs.push((name.clone(), OutputValue { value, ..output.clone() }));
    }
    if errors.is_empty() { Ok(outputs) } else { Err(errors) }
}

/// Removes the resources of the group that the template does not have.
async fn remove_others(
    run: &DeploymentRun,
    unit: &ActiveDeployment,
    recorder: &OperationRecorder<'_>,
) -> Result<(), Failure> {
    let Scope::ResourceGroup { .. } = unit.id.scope else { return Ok(()) };
    let kept = kept(unit);
    let scope = unit.id.scope.key();
    let ids = until_available!(run.inner.store.ids_of_group(&scope))?;
    for id in ids.iter().rev().filter(|id| !belongs(&key(id), &kept)) {
        if run.stopped() {
            return Err(Failure::Canceled);
        }
        resource::remove(run, recorder, id).await?;
    }
    Ok(())
}

/// The keys of all resources that a deployment and those inside it have.
fn kept(unit: &ActiveDeployment) -> HashSet<String> {
    let mut kept = HashSet::new();
    each_planned(&unit.expansion, |planned| {
        kept.extend(planned.id.as_ref().and_then(Value::as_str).map(key));
    });
    kept
}

/// The keys of the resources that a deployment and those inside it will write, as far as they are known, as a JSON array.
pub(crate) fn written_keys(expansion: &Arc<Expansion>) -> String {
    let mut keys = Vec::new();
    each_planned(expansion, |planned| {
        let is_written = !planned.existing && planned.deployment.is_none() && planned.extension.is_none();
        keys.extend(
            planned.id.as_ref().filter(|_| is_written).and_then(Value::as_str).map(key).map(Json::from),
        );
    });
    Json::Array(keys).to_string()
}

fn each_planned(expansion: &Arc<Expansion>, mut visit: impl FnMut(&Planned)) {
    let mut open = vec![Arc::clone(expansion)];
    while let Some(expansion) = open.pop() {
        for planned in &expansion.resources {
            visit(planned);
            open.extend(planned.deployment.as_ref().and_then(|inner| inner.expansion.clone()));
        }
    }
}

/// Records the end of a deployment.
async fn finish(
    run: &DeploymentRun,
    unit: &mut ActiveDeployment,
    ended: &Ended,
    done: Option<&DeploymentResult>,
) -> Result<(), StoreError> {
    let outputs = done.map(|done| done.outputs.as_slice());
    let canceled = messages::canceled();
    let (state, error) = match ended {
        Ended::Succeeded => (State::Succeeded, None),
        Ended::Failed(error) => (State::Failed, Some(error)),
        Ended::Canceled => (State::Canceled, Some(&canceled)),
    };
    let now = clock::now();
    let end = DeploymentEnd { state, outputs, error, resources: unit.made(), started: unit.started, now };
    document::finish(&mut unit.document, end);
    if let Some(outputs) = outputs {
        run.keep_outputs(&unit.key, reference(unit, outputs));
    }
    let error_text = error.map(|error| error.to_json().to_string());
    let text = unit.document.to_string();
    let finish = FinishedDeployment {
        key: &unit.key,
        run: &unit.run,
        state,
        document: &text,
        error: error_text.as_deref(),
        operation: done.map(|done| &done.operation),
        now,
    };
    until_available!(run.inner.store.finish(&run.fence, &finish))?;
    run.tell(unit, state, error);
    Ok(())
}

/// A deployment as a reference to it gives it, with its secure outputs.
fn reference(unit: &ActiveDeployment, outputs: &[(SmolStr, OutputValue)]) -> Value {
    let whole = Value::from(&unit.document);
    let entry = |output: &OutputValue| {
        let kind = output.primitive.map_or(Value::NULL, |primitive| Value::from(primitive.name()));
        Value::object([("type", kind), ("value", output.value.clone())])
    };
    let outputs = Value::object(outputs.iter().map(|(name, output)| (name.clone(), entry(output))));
    let properties = whole.get("properties").and_then(Value::as_object);
    let properties = properties.into_iter().flat_map(arm::value::Object::iter);
    let properties: Vec<(SmolStr, Value)> = properties
        .filter(|(name, _)| *name != "outputs")
        .map(|(name, value)| (name.clone(), value.clone()))
        .chain(std::iter::once((SmolStr::new_static("outputs"), outputs)))
        .collect();
    let members = whole.as_object().into_iter().flat_map(arm::value::Object::iter);
    let members: Vec<(SmolStr, Value)> = members
        .filter(|(name, _)| *name != "properties")
        .map(|(name, value)| (name.clone(), value.clone()))
        .chain(std::iter::once((SmolStr::new_static("properties"), Value::object(properties))))
        .collect();
    Value::object(members)
}
