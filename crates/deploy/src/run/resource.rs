//! One resource: its last unknown parts evaluated, made by its provider, recorded.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use arm::Value;
use arm::expand::Planned;
use serde_json::{Value as Json, json};

use super::active_deployment::{ActiveDeployment, subject_of, symbol_of};
use super::operation::{BegunOperation, OperationRecorder};
use super::resolve::{ValueLabel, resolve};
use super::{DeploymentRun, Failure, extensible, nested};
use crate::document::OperationTarget;
use crate::engine::locks::Change;
use crate::engine::workers::raised;
use crate::error::ArmError;
use crate::messages;
use crate::provider::{Provider, ProviderError, Resource, ResourceRequest, ResourceTarget};
use crate::secrets::marked;
use crate::store::{ResourceWriter, until_available};
use crate::wait::WaitUntil;

/// Deploys one resource; an error says which part of the template it is about.
pub(super) async fn deploy(
    run: &DeploymentRun,
    unit: &ActiveDeployment,
    recorder: &OperationRecorder<'_>,
    planned: &Planned,
) -> Result<(), Failure> {
    deploy_once(run, unit, recorder, planned).await.map_err(|failure| match failure {
        Failure::Error(error) if error.additional_info.is_empty() => {
            Failure::Error(run.told(error.placed(&planned.path)))
        }
        Failure::Error(error) => Failure::Error(run.told(error)),
        other => other,
    })
}

/// Deploys one resource, unless that was done before.
async fn deploy_once(
    run: &DeploymentRun,
    unit: &ActiveDeployment,
    recorder: &OperationRecorder<'_>,
    planned: &Planned,
) -> Result<(), Failure> {
    if let Some(alias) = &planned.extension {
        return extensible::deploy(run, unit, recorder, planned, alias).await;
    }
    if planned.existing {
        return Ok(());
    }
    let subject = subject_of(planned);
    if planned.deployment.is_none()
        && let Some(before) = recorder.before(&subject)
    {
        let id = before.pointer("/properties/targetResource/id");
        unit.note_made(planned, id.map(|id| vec![json!({ "id": id })]).unwrap_or_default());
        return Ok(());
    }
    let request = match request(run, unit, planned).await {
        Ok(Some(request)) => request,
        Ok(None) => return Ok(()),
        Err(failure) => return refuse(recorder, planned, failure).await,
    };
    if planned.deployment.is_some() {
        return nested::deploy(run, unit, recorder, planned, &request).await;
    }
    let target = OperationTarget::asked(planned, &request.target);
    let made = target.made();
    // What is only written here is written together with its operation.
    let is_step = run.inner.options.providers.find(&request.target.resource_type).is_none()
        && WaitUntil::of(planned)?.is_none();
    if is_step {
        let begun = recorder.begin_step(&subject, "Create", target);
        document(run, recorder, begun, &request).await?;
        unit.note_made(planned, vec![made]);
        return Ok(());
    }
    if let Some(id) = &target.id
        && let Err(error) = until_available!(run.check_locks(id, Change::Write))
    {
        return refuse(recorder, planned, Failure::Error(error)).await;
    }
    let provider = run.inner.provider(&request.target);
    let known = match recorder.was_interrupted(&subject) {
        true => recognised(run, provider, &request).await?,
        false => None,
    };
    let begun = recorder.begin(&subject, "Create", Some(target)).await?;
    let result = match known {
        Some(resource) => Ok(resource),
        None => put(run, provider, &request, planned).await,
    };
    let result = match result {
        Ok(resource) => until(run, unit, planned, None).await.map(|()| resource),
        failed => failed,
    };
    conclude(recorder, begun, result).await?;
    unit.note_made(planned, vec![made]);
    Ok(())
}

/// Writes a document of the built-in provider and its operation in one transaction.
async fn document(
    run: &DeploymentRun,
    recorder: &OperationRecorder<'_>,
    begun: BegunOperation,
    request: &ResourceRequest,
) -> Result<(), Failure> {
    run.hide(&request.body);
    let record = |resource: &Resource| recorder.success(&begun, code(resource));
    let expects_new = run.expects_new.load(Ordering::Relaxed);
    let written = match until_available!(run.inner.documents.write_step(request, expects_new, record)) {
        Ok(Some(resource)) => Ok(resource),
        Ok(None) => {
            run.expects_new.store(false, Ordering::Relaxed);
            let slowly = || async {
                run.check_locks(request.target.id.as_deref().unwrap_or_default(), Change::Write).await?;
                run.inner.documents.write(request, |resource| Some(record(resource))).await
            };
            until_available!(slowly())
        }
        Err(error) => Err(error),
    };
    match written {
        Ok(_) => {
            recorder.tell_success(&begun);
            Ok(())
        }
        Err(error) => conclude(recorder, begun, Err(Failure::Error(error))).await,
    }
}

/// The resource as it is, if a provider has made it as asked for before the run was interrupted: then the end of the
/// operation is all that is missing.
async fn recognised(
    run: &DeploymentRun,
    provider: &dyn Provider,
    request: &ResourceRequest,
) -> Result<Option<Resource>, Failure> {
    let found = get(run, provider, &request.target).await?;
    Ok(found.filter(|resource| is_as_asked(resource, request)))
}

/// Whether a resource has all that is asked for. Of secrets nobody can tell.
pub(super) fn is_as_asked(resource: &Resource, request: &ResourceRequest) -> bool {
    let asked = crate::secrets::without(&request.body);
    !request.body.has_secure() && has_all(&resource.document, &asked)
}

/// Whether everything that is asked for is there as asked.
fn has_all(document: &Json, asked: &Json) -> bool {
    match (document, asked) {
        (Json::Object(document), Json::Object(asked)) => asked.iter().all(|(name, asked)| {
            asked.is_null() || document.get(name).is_some_and(|document| has_all(document, asked))
        }),
        (document, asked) => document == asked,
    }
}

/// The code of an operation that has made a resource.
fn code(resource: &Resource) -> &'static str {
    if resource.created { "Created" } else { "OK" }
}

/// Records what went wrong before anybody could be asked for the resource.
pub(super) async fn refuse(
    recorder: &OperationRecorder<'_>,
    planned: &Planned,
    failure: Failure,
) -> Result<(), Failure> {
    if let Failure::Error(error) = &failure {
        recorder.refuse(planned, error).await?;
    }
    Err(failure)
}

/// Records how an operation ended.
pub(super) async fn conclude(
    recorder: &OperationRecorder<'_>,
    begun: BegunOperation,
    result: Result<Resource, Failure>,
) -> Result<(), Failure> {
    match result {
        Ok(resource) => Ok(recorder.succeed(&begun, code(&resource)).await?),
        Err(Failure::Error(error)) => {
            recorder.fail(&begun, &error).await?;
            let target = begun.target.as_ref().and_then(|target| target.id.clone());
            Err(Failure::Error(ArmError { target: error.target.clone().or(target), ..error }))
        }
        Err(Failure::Canceled) => {
            recorder.cancel(&begun).await?;
            Err(Failure::Canceled)
        }
        Err(store) => Err(store),
    }
}

/// Removes a resource that a complete deployment does not have.
pub(super) async fn remove(
    run: &DeploymentRun,
    recorder: &OperationRecorder<'_>,
    id: &str,
) -> Result<(), Failure> {
    let Some(parts) = crate::scope::ResourceId::parse(id) else { return Ok(()) };
    let target = OperationTarget {
        id: Some(id.into()),
        resource_type: parts.resource_type,
        ..OperationTarget::default()
    };
    if let Err(error) = until_available!(run.check_locks(id, Change::Delete)) {
        let begun = recorder.begin(id, "Delete", Some(target)).await?;
        recorder.fail(&begun, &error).await?;
        return Err(messages::deployment_failed(vec![error]).into());
    }
    let begun = recorder.begin_step(id, "Delete", target);
    let writer = ResourceWriter { fence: Some(&run.fence) };
    let record = || Some(recorder.success(&begun, "OK"));
    until_available!(run.inner.store.delete_resource(writer, id, record()))?;
    recorder.tell_success(&begun);
    Ok(())
}

/// What messages call a resource.
pub(super) fn label(planned: &Planned) -> String {
    let id = planned.id.as_ref().and_then(Value::as_str).map(str::to_owned);
    id.or_else(|| symbol_of(planned)).unwrap_or_else(|| subject_of(planned))
}

/// What the provider is asked for; nothing if the condition does not hold, or if the resource is there and was only to be
/// made when it is not.
async fn request(
    run: &DeploymentRun,
    unit: &ActiveDeployment,
    planned: &Planned,
) -> Result<Option<ResourceRequest>, Failure> {
    let name = label(planned);
    let about = ValueLabel { name: &name, path: &planned.path };
    let condition = resolve(run, unit, &planned.condition, about).await?;
    if condition.as_bool() == Some(false) {
        return Ok(None);
    }
    let whole = |value: Option<&Value>| value.cloned().unwrap_or(Value::NULL);
    let parts = Value::object([
        ("type", planned.resource_type.clone()),
        ("apiVersion", whole(planned.api_version.as_ref())),
        ("id", whole(planned.id.as_ref())),
        ("body", planned.body.clone()),
    ]);
    let parts = resolve(run, unit, &parts, about).await?;
    let text = |name: &str| parts.get(name).and_then(Value::as_str).map(str::to_owned);
    let target = ResourceTarget {
        id: text("id"),
        resource_type: text("type").unwrap_or_default(),
        api_version: text("apiVersion"),
        identifiers: None,
        config: None,
    };
    let only_new = planned.options.as_ref().is_some_and(|options| options.get("onlyIfNotExists").is_some());
    if only_new && get(run, run.inner.provider(&target), &target).await?.is_some() {
        return Ok(None);
    }
    let method =
        unit.written(planned).and_then(|written| super::active_deployment::member(written, "method"));
    let patch = method.and_then(Json::as_str).is_some_and(|method| method.eq_ignore_ascii_case("PATCH"));
    let body = parts.get("body").cloned().unwrap_or(Value::NULL);
    Ok(Some(ResourceRequest { target, body, patch, fence: Some(run.fence.clone()) }))
}

/// How often a provider is asked.
struct RetryPolicy {
    attempts: u32,
    /// Errors that the template itself wants to be tried again.
    codes: Vec<String>,
}

impl RetryPolicy {
    fn of(run: &DeploymentRun, planned: &Planned) -> Self {
        let mut policy = Self { attempts: run.inner.options.attempts.max(1), codes: Vec::new() };
        let retry = planned.options.as_ref().and_then(|options| options.get("retryOn"));
        if let Some([codes, rest @ ..]) = retry.and_then(Value::as_array) {
            let codes = codes.as_array().unwrap_or_default().iter();
            policy.codes = codes.filter_map(|code| code.as_str().map(str::to_owned)).collect();
            if let Some(count) = rest.first().and_then(Value::as_int) {
                policy.attempts = u32::try_from(count.clamp(0, 100)).unwrap_or(0) + 1;
            }
        }
        policy
    }

    fn allows(&self, error: &ProviderError, attempt: u32) -> bool {
        let named = self.codes.iter().any(|code| code.eq_ignore_ascii_case(&error.error.code));
        attempt < self.attempts && (error.retry || named)
    }
}

/// Asks the provider, again while it says that this may help.
pub(super) async fn put(
    run: &DeploymentRun,
    provider: &dyn Provider,
    request: &ResourceRequest,
    planned: &Planned,
) -> Result<Resource, Failure> {
    let policy = RetryPolicy::of(run, planned);
    // What a provider says of it may quote it.
    run.hide(&request.body);
    let mut attempt = 1;
    loop {
        let answer = {
            let _slot = unless_stopped(run, run.slots.acquire()).await?;
            within_timeout(run, &request.target, provider.put(request)).await?
        };
        let error = match answer {
            Ok(resource) => return Ok(resource),
            Err(error) => error,
        };
        // That the state is away says nothing about the resource.
        if error.error.is_transient() {
            unless_stopped(run, tokio::time::sleep(Duration::from_millis(250))).await?;
            continue;
        }
        if !policy.allows(&error, attempt) {
            return Err(Failure::Error(error.error));
        }
        unless_stopped(run, tokio::time::sleep(Duration::from_millis(50 << attempt.min(7)))).await?;
        attempt += 1;
    }
}

/// Waits until a resource is as the template wants it, if it says so. One of an extension is asked for again meanwhile.
pub(super) async fn until(
    run: &DeploymentRun,
    unit: &ActiveDeployment,
    planned: &Planned,
    asked: Option<(&dyn Provider, &ResourceRequest)>,
) -> Result<(), Failure> {
    let Some(wait) = WaitUntil::of(planned)? else { return Ok(()) };
    let name = label(planned);
    let about = ValueLabel { name: &name, path: &planned.path };
    let end = Instant::now() + wait.longest;
    let mut pause = Duration::from_millis(50);
    loop {
        match resolve(run, unit, wait.predicate, about).await?.as_bool() {
            Some(true) => return Ok(()),
            Some(false) => {}
            None => return Err(messages::wait_predicate(&name).into()),
        }
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(messages::wait_over(&name, wait.longest.as_secs()).into());
        }
        unless_stopped(run, tokio::time::sleep(pause.min(left))).await?;
        pause = (pause * 2).min(Duration::from_secs(5));
        if let Some((provider, request)) = asked {
            let found = get(run, provider, &request.target).await?;
            let found = found.ok_or_else(|| messages::resource_not_found(&name))?;
            let value = marked(&Value::from(&found.document), &request.body);
            unit.remember(&symbol_of(planned).unwrap_or_default(), value);
        }
    }
}

/// Asks the provider for a resource; nothing if it is not there.
pub(super) async fn get(
    run: &DeploymentRun,
    provider: &dyn Provider,
    target: &ResourceTarget,
) -> Result<Option<Resource>, Failure> {
    loop {
        match within_timeout(run, target, provider.get(target)).await? {
            Err(error) if error.error.is_transient() => {
                unless_stopped(run, tokio::time::sleep(Duration::from_millis(250))).await?;
            }
            answer => return answer.map_err(|error| Failure::Error(error.error)),
        }
    }
}

/// What a provider answers, if it does so in time. It is given up at once when the deployment is to stop.
pub(super) async fn within_timeout<T>(
    run: &DeploymentRun,
    target: &ResourceTarget,
    call: impl Future<Output = Result<T, ProviderError>>,
) -> Result<Result<T, ProviderError>, Failure> {
    let timeout = run.inner.options.provider_timeout;
    let answer = unless_stopped(run, tokio::time::timeout(timeout, call)).await?;
    Ok(answer.unwrap_or_else(|_| {
        let id = target.id.as_deref().unwrap_or(&target.resource_type);
        Err(ProviderError { error: messages::timed_out(id, timeout.as_secs()), retry: true })
    }))
}

/// What a future gives, unless the deployment is to stop before.
async fn unless_stopped<T>(run: &DeploymentRun, future: impl Future<Output = T>) -> Result<T, Failure> {
    let mut stop = run.stop.clone();
    tokio::select! {
        biased;
        () = raised(&mut stop) => Err(Failure::Canceled),
        value = future => Ok(value),
    }
}
