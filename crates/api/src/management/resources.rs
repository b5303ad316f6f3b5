//! Resources of any type, and the providers that they belong to.

use axum::http::{Method, StatusCode, header};
use deploy::{Engine, Scope};
use serde_json::{Value, json};

use super::{paging, statuses};
use crate::dispatch::Call;
use crate::reply::{Answer, Content, Reply};
use crate::route::Collection;
use crate::{body, errors, filter};

/// The resources of a subscription or group.
pub(super) async fn list(engine: &Engine, scope: &Scope, call: &Call<'_>) -> Answer {
    let filter = call.query.get("$filter").map(filter::resources).transpose()?.unwrap_or_default();
    let found = engine.list_resources(scope, &filter, &paging(call)?).await?;
    Ok(Reply::page(found, call))
}

/// A resource.
pub(super) async fn one(engine: &Engine, id: &str, version: &str, call: &Call<'_>) -> Answer {
    match *call.method {
        Method::GET if call.query.get("$expand") == Some("versions") => {
            engine.get_template_spec(id).await.map(Reply::ok)
        }
        Method::GET => engine.get_resource(id, version).await.map(Reply::ok),
        Method::HEAD => match engine.get_resource(id, version).await {
            Ok(_) => Ok(Reply::nothing()),
            Err(error) if error.status == 404 => Ok(Reply::new(StatusCode::NOT_FOUND, Content::Nothing)),
            Err(error) => Err(error),
        },
        Method::PUT => {
            let (document, created) =
                engine.put_resource(id, version, &body::reading(call.text, body::object).await?).await?;
            Ok(written(statuses::written(&type_of(id), created), document, call))
        }
        Method::PATCH => {
            let document =
                engine.patch_resource(id, version, &body::reading(call.text, body::object).await?).await?;
            Ok(written(statuses::changed(&type_of(id)), document, call))
        }
        Method::DELETE if is_told_when_deleted(id) => {
            let document = engine.get_resource(id, version).await;
            match (engine.delete_resource(id).await?, document) {
                (true, Ok(document)) => Ok(Reply::ok(document)),
                _ => Ok(Reply::nothing()),
            }
        }
        Method::DELETE => {
            let was_there = engine.delete_resource(id).await?;
            Ok(Reply::new(statuses::deleted(&type_of(id), was_there), Content::Nothing))
        }
        _ => Err(errors::method_not_allowed(call.method.as_str())),
    }
}

/// The full type in the id of a resource: the namespace and every other part after it.
fn type_of(id: &str) -> String {
    let lower = id.to_ascii_lowercase();
    let mut parts = lower.rsplit("/providers/").next().unwrap_or_default().split('/');
    let namespace = parts.next().unwrap_or_default().to_owned();
    parts.step_by(2).fold(namespace, |of, part| format!("{of}/{part}"))
}

/// The answer to whoever has written a resource. It is done already; a client that expects a long-running operation is told to read
/// the resource.
fn written(status: StatusCode, document: Value, call: &Call<'_>) -> Reply {
    match status {
        StatusCode::NO_CONTENT => Reply::nothing(),
        StatusCode::ACCEPTED => {
            let version = call.query.get("api-version").unwrap_or_default();
            let place = format!("{}{}?api-version={version}", call.origin, call.path);
            let reply = Reply::new(status, Content::Json(document));
            reply.with(header::LOCATION, &place).with(header::RETRY_AFTER, "0")
        }
        _ => Reply::new(status, Content::Json(document)),
    }
}

/// Types whose clients want the resource that they delete as the answer.
fn is_told_when_deleted(id: &str) -> bool {
    let id = id.to_ascii_lowercase();
    let is_role = |of: &str| of.starts_with("roleassignments/") || of.starts_with("roledefinitions/");
    id.rsplit_once("/providers/microsoft.authorization/").is_some_and(|(_, of)| is_role(of))
}

/// The resources of a type, or an action.
pub(super) async fn collection(engine: &Engine, collection: &Collection, call: &Call<'_>) -> Answer {
    let Collection { above, resource_type, last } = collection;
    if *call.method == Method::GET {
        if resource_type.eq_ignore_ascii_case("Microsoft.Insights/eventtypes/values") {
            return activity(engine, above).await;
        }
        if resource_type.eq_ignore_ascii_case("Microsoft.Authorization/roleAssignments") {
            let filter = call.query.get("$filter").map(filter::role_assignments).transpose()?;
            let found = engine.list_role_assignments(above, &filter.unwrap_or_default()).await;
            return found.map(Reply::list);
        }
        if resource_type.eq_ignore_ascii_case("Microsoft.Authorization/roleDefinitions") {
            let name = call.query.get("$filter").and_then(filter::role_name);
            return engine.list_roles(above, name.as_deref()).await.map(Reply::list);
        }
        let found = match resource_type.eq_ignore_ascii_case("Microsoft.Resources/deploymentStacks") {
            true => engine.list_stacks(above, &paging(call)?).await?,
            false => engine.list_of_type(above, resource_type, &paging(call)?).await?,
        };
        return Ok(Reply::page(found, call));
    }
    let action = last.to_ascii_lowercase();
    if action == "checknameavailability" {
        let subscription = above.trim_start_matches('/').split('/').nth(1).unwrap_or_default();
        let body = body::reading(call.text, body::object).await?;
        return engine.check_name(subscription, &body).await.map(Reply::ok);
    }
    match action.starts_with("list") && above.contains("/providers/") {
        true => engine.list_action(above, last).await.map(Reply::ok),
        false => Err(errors::unknown_action(last)),
    }
}

/// How many events the activity log tells.
const EVENTS: usize = 200;

/// The activity log: the newest deployments of a subscription.
async fn activity(engine: &Engine, above: &str) -> Answer {
    let scope = above.split("/providers/").next().unwrap_or_default().to_ascii_lowercase();
    let mut events = Vec::new();
    for deployment in engine.newest(EVENTS).await? {
        let text = |name: &str| deployment.get(name).and_then(Value::as_str).unwrap_or_default();
        if !text("id").to_ascii_lowercase().starts_with(&scope) {
            continue;
        }
        let named = |value: &str| json!({ "value": value, "localizedValue": value });
        events.push(json!({
            "id": format!("{}/events/{}", text("id"), text("timestamp")),
            "eventTimestamp": text("timestamp"),
            "resourceId": text("id"),
            "operationName": named("Microsoft.Resources/deployments/write"),
            "resourceType": named("Microsoft.Resources/deployments"),
            "resourceProviderName": named("Microsoft.Resources"),
            "category": named("Administrative"),
            "status": named(text("provisioningState")),
            "level": if text("provisioningState") == deploy::State::Failed.name() { "Error" } else { "Informational" },
            "caller": "local",
        }));
    }
    Ok(Reply::list(events))
}

/// The providers, or one of them.
pub(super) async fn providers(engine: &Engine, namespace: Option<&str>) -> Answer {
    let mut found = engine.providers(namespace).await?;
    match (namespace, found.pop()) {
        (Some(_), Some(one)) => Ok(Reply::ok(one)),
        (_, last) => Ok(Reply::list(found.into_iter().chain(last).collect())),
    }
}

/// The operations of the providers, or of one of them, by type.
pub(super) async fn provider_operations(engine: &Engine, namespace: Option<&str>) -> Answer {
    let mut found = engine.provider_operations(namespace).await?;
    match (namespace, found.pop()) {
        (Some(_), Some(one)) => Ok(Reply::ok(one)),
        (_, last) => Ok(Reply::list(found.into_iter().chain(last).collect())),
    }
}

/// The operations of a provider, as it lists them itself.
pub(super) async fn operation_list(engine: &Engine, namespace: &str) -> Answer {
    let found = engine.provider_operations(Some(namespace)).await?;
    let types = found.iter().filter_map(|provider| provider["resourceTypes"].as_array()).flatten();
    let operations = types.flat_map(|of| {
        let all = of["operations"].as_array().into_iter().flatten();
        all.map(move |operation| {
            json!({
                "name": operation["name"],
                "isDataAction": operation["isDataAction"],
                "origin": operation["origin"],
                "display": {
                    "provider": namespace, "resource": of["name"],
                    "operation": operation["displayName"], "description": operation["description"],
                },
            })
        })
    });
    Ok(Reply::list(operations.collect()))
}

/// Switching a provider on: all of them are.
pub(super) async fn register(engine: &Engine, namespace: &str) -> Answer {
    let found = engine.providers(Some(namespace)).await?;
    Ok(Reply::ok(found.into_iter().next().unwrap_or_default()))
}
