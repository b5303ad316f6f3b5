//! Deployments at all scopes.

use std::time::{Duration, Instant};

use axum::http::{HeaderName, Method, StatusCode, header};
use deploy::{
    ArmError, DeploymentId, DeploymentRequest, Engine, Events, OperationStatusId, Page, Scope, State,
};
use serde_json::{Value, json};

use super::paging;
use crate::reply::{Answer, Content, Reply};
use crate::route::Part;
use crate::shell::Call;
use crate::{body, errors, filter};

/// How long a question about a running deployment is held back, so that clients that ask again at once cost little.
const PATIENCE: Duration = Duration::from_secs(2);

/// How often the state is looked at in between.
const GLANCE: Duration = Duration::from_millis(250);

/// The deployments of a scope.
pub(super) async fn list(engine: &Engine, scope: &Scope, call: &Call<'_>) -> Answer {
    let state = call.query.get("$filter").map(filter::state).transpose()?;
    let found = match state.as_deref().map(State::parse) {
        // No deployment is in a state that we do not know.
        Some(None) => Page::default(),
        state => engine.list(scope, state.flatten(), &paging(call)?).await?,
    };
    Ok(Reply::page(found, call))
}

/// A deployment, or a part of it.
pub(super) async fn answer(
    engine: &Engine,
    (id, part): (&DeploymentId, &Part),
    version: &str,
    call: &Call<'_>,
) -> Answer {
    match part {
        Part::Whole => whole(engine, id, version, call).await,
        Part::Cancel => {
            engine.cancel(id).await?;
            Ok(Reply::nothing())
        }
        Part::Validate => engine.validate(request(id, call).await?).await.map(Reply::ok),
        Part::WhatIf => what_if(engine, id, call).await,
        Part::ExportTemplate => engine.export_template(id).await.map(Reply::ok),
        Part::Operations => {
            let state = call.query.get("$filter").map(filter::state).transpose()?;
            let found = match state.as_deref().map(State::parse) {
                Some(None) => Page::default(),
                state => engine.operations_in(id, state.flatten(), &paging(call)?).await?,
            };
            Ok(Reply::page(found, call))
        }
        Part::Operation(operation) => engine.operation(id, operation).await.map(Reply::ok),
        // Without the header, clients wait for half a minute. The answer itself was held back.
        Part::Status(status) => {
            Ok(Reply::ok(self::status(engine, id, status).await?).with(header::RETRY_AFTER, "0"))
        }
    }
}

/// What a deployment would change. What is wrong with the template is the result, not a failure of the request.
async fn what_if(engine: &Engine, id: &DeploymentId, call: &Call<'_>) -> Answer {
    match engine.what_if(request(id, call).await?).await {
        Err(error) if error.status == 400 => {
            Ok(Reply::ok(json!({ "status": State::Failed, "error": error.to_json() })))
        }
        answer => answer.map(Reply::ok),
    }
}

async fn whole(engine: &Engine, id: &DeploymentId, version: &str, call: &Call<'_>) -> Answer {
    match *call.method {
        Method::GET => engine.get(id).await.map(Reply::ok),
        Method::HEAD => match engine.exists(id).await? {
            true => Ok(Reply::nothing()),
            false => Ok(Reply::new(StatusCode::NOT_FOUND, Content::Nothing)),
        },
        Method::DELETE => {
            engine.delete(id).await?;
            Ok(Reply::nothing())
        }
        Method::PUT => put(engine, id, version, call).await,
        _ => Err(errors::method_not_allowed(call.method.as_str())),
    }
}

async fn put(engine: &Engine, id: &DeploymentId, version: &str, call: &Call<'_>) -> Answer {
    let accepted = engine.put(request(id, call).await?).await?;
    let status = if accepted.created { StatusCode::CREATED } else { StatusCode::OK };
    let poll =
        format!("{}{id}/operationStatuses/{}?api-version={version}", call.origin, accepted.operation.0);
    Ok(Reply::new(status, Content::Json(accepted.deployment))
        .with(HeaderName::from_static("azure-asyncoperation"), &poll)
        .with(header::RETRY_AFTER, "0"))
}

/// The state of a run. While it goes on, the answer is held back for a while. Another process may be running it, whose
/// events do not come here: so the state is looked at now and then.
async fn status(engine: &Engine, id: &DeploymentId, status: &str) -> Result<Value, ArmError> {
    let (status, until) = (OperationStatusId(status.to_owned()), Instant::now() + PATIENCE);
    let mut events = engine.events(id);
    loop {
        let answer = engine.operation_status(&status).await?;
        if is_final(&answer) || Instant::now() >= until {
            return Ok(answer);
        }
        let _ = tokio::time::timeout(GLANCE, ended(&mut events, id)).await;
    }
}

/// Waits until the deployment itself is over.
async fn ended(events: &mut Events, id: &DeploymentId) {
    while let Some(event) = events.next().await {
        let is_whole =
            event.resource.is_none() && DeploymentId::parse(&event.deployment).as_ref() == Some(id);
        if is_whole && event.state.is_over() {
            return;
        }
    }
}

fn is_final(status: &Value) -> bool {
    let state = status.get("status").and_then(Value::as_str).and_then(State::parse);
    state.is_none_or(State::is_over)
}

async fn request(id: &DeploymentId, call: &Call<'_>) -> Result<DeploymentRequest, ArmError> {
    let id = id.clone();
    let request = body::reading(call.text, |text| DeploymentRequest::parse(id, text)).await?;
    Ok(request.sent_to(call.origin))
}
