//! Deployments inside a deployment: each is one of its own, at its own scope, with its own operations.

use std::sync::{Arc, Mutex};

use arm::document::Node;
use arm::expand::{Deployment, Expansion, Planned, PlannedDeployment, Policy, Setup};
use arm::parameters::{Inputs, Supplied};
use arm::{Context, NoState, Step, Template, Value};
use serde_json::Value as Json;
use smol_str::SmolStr;
use uuid::Uuid;

use super::active_deployment::{ActiveDeployment, TemplateRef, member, subject_of};
use super::operation::OperationRecorder;
use super::resolve::{ValueLabel, resolve};
use super::resource::conclude;
use super::{DeploymentRun, Ended, Failure};
use crate::clock;
use crate::document::{self, DocumentSource, OperationTarget};
use crate::error::ArmError;
use crate::job::{Job, Mode};
use crate::messages;
use crate::plan::{ExtensionConfigs, configs, hidden, put_group};
use crate::provider::{Resource, ResourceRequest};
use crate::scope::{DeploymentId, Scope};
use crate::secrets::clean_error;
use crate::state::State;
use crate::store::{NestedStart, NewDeployment, until_available};

/// Runs a deployment that is a resource of another one.
pub(super) async fn deploy(
    run: &DeploymentRun,
    unit: &ActiveDeployment,
    recorder: &OperationRecorder<'_>,
    planned: &Planned,
    request: &ResourceRequest,
) -> Result<(), Failure> {
    let target = OperationTarget::asked(planned, &request.target);
    let begun = recorder.begin(&subject_of(planned), "Create", Some(target)).await?;
    let result = inside(run, unit, planned, request).await;
    let document = Json::Null;
    let result = result.map(|()| Resource { document, identifiers: None, created: true });
    conclude(recorder, begun, result).await
}

async fn inside(
    run: &DeploymentRun,
    around: &ActiveDeployment,
    planned: &Planned,
    request: &ResourceRequest,
) -> Result<(), Failure> {
    let id = request.target.id.as_deref().unwrap_or_default();
    let id = DeploymentId::parse(id).ok_or_else(|| messages::bad_resource_id(id))?;
    let unit = begin(run, around, planned, &id, &request.body).await?;
    carry_out(run, around, planned, unit, &request.body).await
}

/// Runs a module of a local deployment: `{name, template, parameters}`. Gives what references to it give.
pub(super) async fn deploy_local(
    run: &DeploymentRun,
    around: &ActiveDeployment,
    planned: &Planned,
    properties: &Value,
) -> Result<Value, Failure> {
    let id = local_id(around, properties);
    let source = properties.get("template").map(crate::secrets::without).unwrap_or_default();
    let parameters = properties.get("parameters").cloned().unwrap_or(Value::NULL);
    let mut context = around.context.clone();
    context.deployment_name = Some(id.name.clone());
    let limits = run.inner.options.limits;
    let (document, place) = (source.clone(), context.clone());
    let work = tokio::task::spawn_blocking(move || {
        let part = module_template(&document)?;
        let (expansion, configs) = expand(&part, &parameters, &place, limits)?;
        Ok::<_, ArmError>((part, expansion, configs))
    });
    let (template, expansion, configs) = work.await.map_err(|_| messages::canceled())??;
    let unit = ActiveDeployment {
        key: id.key(),
        run: run_inside(around, &id),
        id,
        mode: Mode::Incremental,
        functions: template.clone(),
        template,
        source: Arc::new(source),
        context,
        expansion: Arc::new(expansion),
        document: Json::Null,
        started: clock::now(),
        is_resumed: false,
        configs,
        symbols: Mutex::default(),
        made: Mutex::default(),
        around: Vec::new(),
    };
    let key = unit.key.clone();
    carry_out(run, around, planned, unit, &Value::NULL).await?;
    let whole = match run.outputs_of(&key) {
        Some(whole) => whole,
        // It was run before this process went on with the deployment around it.
        None => {
            let row = until_available!(run.inner.store.deployment(&key))?;
            let document = row.and_then(|row| crate::stored::object(&row.document));
            Value::from(&document.unwrap_or_default())
        }
    };
    Ok(whole.get("properties").cloned().unwrap_or(Value::NULL))
}

/// The template of a module of a local deployment.
pub(crate) fn module_template(source: &Json) -> Result<TemplateRef, ArmError> {
    let (mut template, errors) = Template::of(&Node::from(source));
    if !errors.is_empty() {
        return Err(messages::invalid_template(&errors, None));
    }
    crate::wait::bind(&mut template);
    Ok(TemplateRef::whole(Arc::new(template)))
}

/// The deployment that a module of a local deployment is.
pub(super) fn local_id(around: &ActiveDeployment, properties: &Value) -> DeploymentId {
    let name = properties.get("name").and_then(Value::as_str).unwrap_or_default();
    DeploymentId::new(around.id.scope.clone(), name)
}

/// The run of a deployment inside: the same in every attempt.
fn run_inside(around: &ActiveDeployment, id: &DeploymentId) -> String {
    let name = format!("{}\n{}", around.run, id.key());
    Uuid::new_v5(&Uuid::NAMESPACE_OID, name.as_bytes()).to_string()
}

/// Records a deployment inside and runs it to its end, unless it has one already.
async fn carry_out(
    run: &DeploymentRun,
    around: &ActiveDeployment,
    planned: &Planned,
    mut unit: ActiveDeployment,
    body: &Value,
) -> Result<(), Failure> {
    unit.expansion.parameters.iter().for_each(|(_, value)| run.hide(value));
    let new = row(&mut unit, around, body);
    match until_available!(run.inner.store.begin_nested(&run.fence, &new))? {
        NestedStart::Busy => return Err(messages::nested_active(&unit.id.name).into()),
        // A success is taken as it is; a failure is told again from its document.
        NestedStart::Ended { state, document } => {
            let document = crate::stored::json(&document);
            let made = document.pointer("/properties/outputResources").and_then(Json::as_array);
            around.note_made(planned, made.cloned().unwrap_or_default());
            return ended_before(state, &document);
        }
        NestedStart::New => {}
        NestedStart::Again => unit.is_resumed = true,
    }
    run.tell(&unit, State::Running, None);
    let ended = super::deploy(run, &mut unit).await?;
    around.note_made(planned, unit.made());
    match ended {
        Ended::Succeeded => Ok(()),
        Ended::Failed(error) => Err(messages::resource_failed(State::Failed, error).into()),
        Ended::Canceled => Err(Failure::Canceled),
    }
}

fn ended_before(state: State, document: &Json) -> Result<(), Failure> {
    match state {
        State::Succeeded => Ok(()),
        State::Canceled => Err(Failure::Canceled),
        _ => {
            let error = ArmError::from_json(document.pointer("/properties/error").unwrap_or(&Json::Null));
            Err(messages::resource_failed(State::Failed, error).into())
        }
    }
}

/// Evaluates the parameters of a deployment and expands its template with them.
async fn begin(
    run: &DeploymentRun,
    around: &ActiveDeployment,
    planned: &Planned,
    id: &DeploymentId,
    body: &Value,
) -> Result<ActiveDeployment, Failure> {
    let about = id.to_string();
    let (Some(deployment), Some(nested)) = (&planned.deployment, around.template.nested(planned.resource))
    else {
        return Err(messages::missing_template().into());
    };
    let mode = body.get("properties").and_then(|properties| properties.get("mode")).and_then(Value::as_str);
    if mode.is_some_and(|mode| mode.eq_ignore_ascii_case("Complete")) {
        return Err(messages::nested_complete().into());
    }
    let path: Vec<Step> =
        planned.path.iter().cloned().chain(["properties".into(), "parameters".into()]).collect();
    let about = ValueLabel { name: &about, path: &path };
    let parameters = resolve(run, around, &deployment.parameters, about).await?;
    let parameters = with_secrets(run, &parameters).await?;
    let context = context(run, deployment, id, body).await?;
    let template = around.template.inside(planned.resource);
    let (expansion, configs, functions) = if nested.outer {
        let expansion = deployment.expansion.clone().ok_or_else(messages::missing_template)?;
        (expansion, around.configs.clone(), around.functions.clone())
    } else {
        let limits = run.inner.options.limits;
        let (part, context) = (template.clone(), context.clone());
        let work = tokio::task::spawn_blocking(move || expand(&part, &parameters, &context, limits));
        let expanded = work.await.map_err(|_| messages::canceled())?;
        let (expansion, configs) = expanded.map_err(|error| error.inside(&planned.path))?;
        (Arc::new(expansion), configs, template.clone())
    };
    let seen = if nested.outer {
        std::iter::once(Arc::clone(&around.expansion)).chain(around.around.iter().cloned()).collect()
    } else {
        Vec::new()
    };
    let source = around.written(planned).and_then(|json| member(member(json, "properties")?, "template"));
    Ok(ActiveDeployment {
        key: id.key(),
        id: id.clone(),
        run: run_inside(around, id),
        mode: Mode::Incremental,
        template,
        functions,
        source: Arc::new(source.cloned().unwrap_or_default()),
        context,
        expansion,
        document: Json::Null,
        started: clock::now(),
        is_resumed: false,
        configs,
        symbols: Mutex::default(),
        made: Mutex::default(),
        around: seen,
    })
}

/// The parameters with the secrets of key vaults that they refer to.
async fn with_secrets(run: &DeploymentRun, parameters: &Value) -> Result<Value, ArmError> {
    let Some(object) = parameters.as_object() else { return Ok(parameters.clone()) };
    let mut members: Vec<(SmolStr, Value)> = Vec::new();
    for (name, parameter) in object.iter() {
        let value = match parameter.get("reference") {
            Some(reference) => {
                let reference = crate::secrets::without(reference);
                let secret = until_available!(crate::vault::secret(&run.inner, name, &reference))?;
                Value::object([("value", Value::string(secret).into_secure())])
            }
            None => parameter.clone(),
        };
        members.push((name.clone(), value));
    }
    Ok(Value::object(members))
}

/// Parameters that are given as `{name: {value}}`.
fn inputs_of(parameters: &Value) -> Result<Inputs, ArmError> {
    let mut inputs = Inputs::default();
    for (name, parameter) in parameters.as_object().into_iter().flat_map(arm::value::Object::iter) {
        let Some(value) = parameter.get("value") else {
            return Err(messages::vault_secret(name));
        };
        inputs.parameters.insert(name.clone(), Supplied::Value(value.clone(), None));
    }
    Ok(inputs)
}

/// The configurations that a template gives to extensions.
pub(crate) fn configs_of(
    part: &TemplateRef,
    parameters: &Value,
    context: &Context,
    limits: base::Limits,
) -> Result<ExtensionConfigs, ArmError> {
    let (inputs, budget) = (inputs_of(parameters)?, clock::budget(limits));
    let deployment = Deployment::new(Setup {
        template: part.get(),
        inputs: &inputs,
        context,
        state: &NoState,
        budget: &budget,
        policy: Policy::default(),
    });
    configs(&deployment, part.get(), None).map_err(|error| messages::invalid_template(&[error], None))
}

/// Expands a template with its parameters.
pub(crate) fn expand(
    part: &TemplateRef,
    parameters: &Value,
    context: &Context,
    limits: base::Limits,
) -> Result<(Expansion, ExtensionConfigs), ArmError> {
    let inputs = inputs_of(parameters)?;
    let budget = clock::budget(limits);
    let setup = Setup {
        template: part.get(),
        inputs: &inputs,
        context,
        state: &NoState,
        budget: &budget,
        policy: Policy::default(),
    };
    let deployment = Deployment::new(setup);
    let expansion = deployment.expand();
    if !expansion.errors.is_empty() {
        let hidden = hidden(part.get(), &inputs, &expansion);
        return Err(clean_error(&hidden, messages::invalid_template(&expansion.errors, None)));
    }
    let configs = configs(&deployment, part.get(), None);
    Ok((expansion, configs.map_err(|error| messages::invalid_template(&[error], None))?))
}

/// The place of a deployment inside: its group must be there by now.
async fn context(
    run: &DeploymentRun,
    deployment: &PlannedDeployment,
    id: &DeploymentId,
    body: &Value,
) -> Result<Context, ArmError> {
    let mut context = deployment.context.clone();
    context.deployment_name = Some(id.name.clone());
    match &id.scope {
        Scope::ResourceGroup { subscription, group } => {
            context.subscription_id = Some(subscription.clone());
            context.resource_group = Some(group.clone());
            let found = until_available!(run.inner.documents.read(&id.scope.id()))?;
            let found = found.ok_or_else(|| messages::group_not_found(group))?;
            put_group(&mut context, Some(&found));
        }
        Scope::Subscription { id } => context.subscription_id = Some(id.clone()),
        Scope::ManagementGroup { id } => context.management_group = Some(id.clone()),
        Scope::Tenant => {}
    }
    if !matches!(id.scope, Scope::ResourceGroup { .. }) {
        let location = body.get("location").and_then(Value::as_str).map(SmolStr::new);
        context.location = location.or(context.location);
    }
    Ok(context)
}

/// The record of a deployment inside; its document goes into the unit too.
fn row(unit: &mut ActiveDeployment, around: &ActiveDeployment, body: &Value) -> NewDeployment {
    let job = Job {
        location: unit
            .context
            .location
            .clone()
            .filter(|_| !matches!(unit.id.scope, Scope::ResourceGroup { .. }))
            .map(|location| location.to_string()),
        tags: body.get("tags").map(crate::secrets::without),
        now: around.context.now.unwrap_or_default(),
        ..Job::default()
    };
    let subject = DocumentSource {
        id: &unit.id,
        job: &job,
        template: unit.template.get(),
        source: &unit.source,
        expansion: &unit.expansion,
        run: &unit.run,
        now: unit.started,
    };
    unit.document = document::deployment(&subject);
    NewDeployment {
        key: unit.key.clone(),
        id: unit.id.to_string(),
        scope_key: unit.id.scope.key(),
        name: unit.id.name.to_string(),
        state: State::Running,
        run: unit.run.clone(),
        document: unit.document.to_string(),
        job: job.to_text(),
        template: unit.source.to_string(),
        owner: None,
        now: unit.started,
    }
}
