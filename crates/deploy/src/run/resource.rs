//! One resource: its last unknown parts evaluated, made by its provider, recorded.

use std::time::Duration;

use arm::Value;
use arm::expand::Planned;
use serde_json::Value as Json;

use super::operation::{Begun, Recorder};
use super::resolve::resolve;
use super::unit::{Unit, subject_of, symbol_of};
use super::{Failure, Run, extensible, nested};
use crate::document::Target;
use crate::engine::work::raised;
use crate::error::ArmError;
use crate::messages;
use crate::provider::{Provider, ProviderError, Resource, ResourceRequest, ResourceTarget};

/// Deploys one resource; an error says which part of the template it is about.
pub(super) async fn deploy(
    run: &Run,
    unit: &Unit,
    recorder: &Recorder<'_>,
    planned: &Planned,
) -> Result<(), Failure> {
    deploy_once(run, unit, recorder, planned).await.map_err(|failure| match failure {
        Failure::Error(error) if error.additional_info.is_empty() => {
            Failure::Error(error.placed(&planned.path))
        }
        other => other,
    })
}

/// Deploys one resource, unless that was done before.
async fn deploy_once(
    run: &Run,
    unit: &Unit,
    recorder: &Recorder<'_>,
    planned: &Planned,
) -> Result<(), Failure> {
    if let Some(alias) = &planned.extension {
        return extensible::deploy(run, unit, recorder, (planned, alias)).await;
    }
    if planned.existing {
        return Ok(());
    }
    let subject = subject_of(planned);
    if recorder.before(&subject).is_some() && planned.deployment.is_none() {
        return Ok(());
    }
    let about = label(planned);
    let condition = resolve(run, unit, &planned.condition, &about).await?;
    if condition.as_bool() == Some(false) {
        return Ok(());
    }
    let Some(request) = request(run, unit, planned, &about).await? else { return Ok(()) };
    if planned.deployment.is_some() {
        return nested::deploy(run, unit, recorder, (planned, &request)).await;
    }
    let target = Target {
        id: request.target.id.clone(),
        resource_type: request.target.resource_type.clone(),
        api_version: request.target.api_version.clone(),
        symbol: symbol_of(planned),
        ..Target::default()
    };
    let begun = recorder.begin(&subject, "Create", Some(target)).await?;
    let result = put(run, run.inner.provider(&request.target), (&request, planned)).await;
    conclude(recorder, begun, result).await
}

/// Records how an operation ended.
pub(super) async fn conclude(
    recorder: &Recorder<'_>,
    begun: Begun,
    result: Result<Resource, Failure>,
) -> Result<(), Failure> {
    match result {
        Ok(resource) => {
            let code = if resource.created { "Created" } else { "OK" };
            Ok(recorder.succeed(&begun, code).await?)
        }
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
pub(super) async fn remove(run: &Run, recorder: &Recorder<'_>, id: &str) -> Result<(), Failure> {
    let Some(parts) = crate::scope::ResourceId::parse(id) else { return Ok(()) };
    let target = Target { id: Some(id.into()), resource_type: parts.resource_type, ..Target::default() };
    let begun = recorder.begin(id, "Delete", Some(target)).await?;
    run.inner.store.delete_resource(Some(&run.fence), id).await?;
    Ok(recorder.succeed(&begun, "OK").await?)
}

/// What messages call a resource.
pub(super) fn label(planned: &Planned) -> String {
    let id = planned.id.as_ref().and_then(Value::as_str).map(str::to_owned);
    id.or_else(|| symbol_of(planned)).unwrap_or_else(|| subject_of(planned))
}

/// What the provider is asked for; nothing if the resource is there and was only to be made when it is not.
async fn request(
    run: &Run,
    unit: &Unit,
    planned: &Planned,
    about: &str,
) -> Result<Option<ResourceRequest>, Failure> {
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
    if only_new && run.inner.provider(&target).get(&target).await.map_err(|error| error.error)?.is_some() {
        return Ok(None);
    }
    let method = unit.written(planned).and_then(|written| super::unit::member(written, "method"));
    let patch = method.and_then(Json::as_str).is_some_and(|method| method.eq_ignore_ascii_case("PATCH"));
    let body = parts.get("body").cloned().unwrap_or(Value::NULL);
    Ok(Some(ResourceRequest { target, body, patch, fence: Some(run.fence.clone()) }))
}

/// How long and how often a provider is asked.
struct Patience {
    timeout: Duration,
    attempts: u32,
    /// Errors that the template itself wants to be tried again.
    codes: Vec<String>,
}

impl Patience {
    fn of(run: &Run, planned: &Planned) -> Self {
        let options = &run.inner.options;
        let mut patience =
            Self { timeout: options.provider_timeout, attempts: options.attempts.max(1), codes: Vec::new() };
        let retry = planned.options.as_ref().and_then(|options| options.get("retryOn"));
        if let Some([codes, rest @ ..]) = retry.and_then(Value::as_array) {
            let codes = codes.as_array().unwrap_or_default().iter();
            patience.codes = codes.filter_map(|code| code.as_str().map(str::to_owned)).collect();
            if let Some(count) = rest.first().and_then(Value::as_int) {
                patience.attempts = u32::try_from(count.clamp(0, 100)).unwrap_or(0) + 1;
            }
        }
        patience
    }

    fn goes_on(&self, error: &ProviderError, attempt: u32) -> bool {
        let named = self.codes.iter().any(|code| code.eq_ignore_ascii_case(&error.error.code));
        attempt < self.attempts && (error.retry || named)
    }
}

/// Asks the provider, again while it says that this may help.
pub(super) async fn put(
    run: &Run,
    provider: &dyn Provider,
    (request, planned): (&ResourceRequest, &Planned),
) -> Result<Resource, Failure> {
    let patience = Patience::of(run, planned);
    let mut stop = run.stop.clone();
    let mut attempt = 1;
    loop {
        let slot = run.slots.acquire().await;
        if run.stopped() {
            return Err(Failure::Canceled);
        }
        let answer = tokio::time::timeout(patience.timeout, provider.put(request)).await;
        drop(slot);
        let error = match answer {
            Ok(Ok(resource)) => return Ok(resource),
            Ok(Err(error)) => error,
            Err(_) => {
                let id = request.target.id.as_deref().unwrap_or(&request.target.resource_type);
                ProviderError { error: messages::timed_out(id, patience.timeout.as_secs()), retry: true }
            }
        };
        if !patience.goes_on(&error, attempt) {
            return Err(Failure::Error(error.error));
        }
        let pause = Duration::from_millis(50 << attempt.min(7));
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            () = raised(&mut stop) => return Err(Failure::Canceled),
        }
        attempt += 1;
    }
}
