//! Resource groups.

use axum::http::{Method, StatusCode};
use deploy::Engine;
use serde_json::Value;

use super::paging;
use crate::dispatch::Call;
use crate::reply::{Answer, Content, Reply};
use crate::route::Group;
use crate::{bicep, body, errors, filter};

/// The groups of a subscription.
pub(super) async fn list(engine: &Engine, subscription: &str, call: &Call<'_>) -> Answer {
    let filter = call.query.get("$filter").map(filter::resources).transpose()?.unwrap_or_default();
    let groups = engine.list_groups(subscription, &filter, &paging(call)?).await?;
    Ok(Reply::page(groups, call))
}

/// The member of a request that says which form is wanted.
const OUTPUT_FORMAT: &str = "outputFormat";

fn is_bicep(wanted: &Value) -> bool {
    let format = wanted.get(OUTPUT_FORMAT).and_then(Value::as_str);
    format.is_some_and(|format| format.eq_ignore_ascii_case("bicep"))
}

/// A group as a template, in JSON or also as Bicep.
pub(super) async fn export(engine: &Engine, group: &Group, call: &Call<'_>) -> Answer {
    let mut wanted = body::reading(call.text, body::object).await?;
    let is_bicep = is_bicep(&wanted);
    if let Some(members) = wanted.as_object_mut().filter(|_| is_bicep) {
        members.retain(|name, _| !name.eq_ignore_ascii_case(OUTPUT_FORMAT));
    }
    let mut exported = engine.export_group(&group.subscription, &group.name, &wanted).await?;
    if is_bicep {
        let template = exported.get("template").map(Value::to_string).unwrap_or_default();
        let bicep = tokio::task::spawn_blocking(move || bicep::decompiled(&template)).await;
        let bicep = Value::String(bicep.unwrap_or_else(|_| Err(errors::internal()))?);
        if let Some(members) = exported.as_object_mut() {
            members.insert("output".into(), bicep);
        }
    }
    Ok(Reply::ok(exported))
}

/// Moves resources of a group elsewhere, or only checks that.
pub(super) async fn move_resources(engine: &Engine, group: &Group, is_real: bool, call: &Call<'_>) -> Answer {
    let body = body::reading(call.text, body::object).await?;
    engine.move_resources(&group.scope(), &body, is_real).await?;
    Ok(Reply::nothing())
}

/// A group.
pub(super) async fn one(engine: &Engine, group: &Group, call: &Call<'_>) -> Answer {
    let Group { subscription, name } = group;
    match *call.method {
        Method::GET => engine.get_group(subscription, name).await.map(Reply::ok),
        Method::HEAD => match engine.get_group(subscription, name).await {
            Ok(_) => Ok(Reply::nothing()),
            Err(error) if error.status == 404 => Ok(Reply::new(StatusCode::NOT_FOUND, Content::Nothing)),
            Err(error) => Err(error),
        },
        Method::PUT => {
            let body = body::reading(call.text, body::object).await?;
            let (document, is_new) = engine.put_group(subscription, name, &body).await?;
            let status = if is_new { StatusCode::CREATED } else { StatusCode::OK };
            Ok(Reply::new(status, Content::Json(document)))
        }
        Method::PATCH => engine
            .patch_group(subscription, name, &body::reading(call.text, body::object).await?)
            .await
            .map(Reply::ok),
        Method::DELETE => {
            engine.delete_group(subscription, name).await?;
            Ok(Reply::new(StatusCode::OK, Content::Nothing))
        }
        _ => Err(errors::method_not_allowed(call.method.as_str())),
    }
}
