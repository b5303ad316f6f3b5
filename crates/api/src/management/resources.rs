//! Resources of any type, and the providers that they belong to.

use axum::http::{Method, StatusCode};
use deploy::{Engine, Scope};

use super::paging;
use crate::reply::{Answer, Content, Reply};
use crate::shell::Call;
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
        Method::GET => engine.get_resource(id, version).await.map(Reply::ok),
        Method::HEAD => match engine.get_resource(id, version).await {
            Ok(_) => Ok(Reply::nothing()),
            Err(error) if error.status == 404 => Ok(Reply::new(StatusCode::NOT_FOUND, Content::Nothing)),
            Err(error) => Err(error),
        },
        Method::PUT => {
            let (document, created) =
                engine.put_resource(id, version, &body::reading(call.text, body::object).await?).await?;
            let status = if created { StatusCode::CREATED } else { StatusCode::OK };
            Ok(Reply::new(status, Content::Json(document)))
        }
        Method::PATCH => engine
            .patch_resource(id, version, &body::reading(call.text, body::object).await?)
            .await
            .map(Reply::ok),
        Method::DELETE => match engine.delete_resource(id).await? {
            true => Ok(Reply::new(StatusCode::OK, Content::Nothing)),
            false => Ok(Reply::nothing()),
        },
        _ => Err(errors::method_not_allowed(call.method.as_str())),
    }
}

/// The providers, or one of them.
pub(super) async fn providers(engine: &Engine, namespace: Option<&str>) -> Answer {
    let mut found = engine.providers(namespace).await?;
    match (namespace, found.pop()) {
        (Some(_), Some(one)) => Ok(Reply::ok(one)),
        (_, last) => Ok(Reply::list(found.into_iter().chain(last).collect())),
    }
}

/// Switching a provider on: all of them are.
pub(super) async fn register(engine: &Engine, namespace: &str) -> Answer {
    let found = engine.providers(Some(namespace)).await?;
    Ok(Reply::ok(found.into_iter().next().unwrap_or_default()))
}
