//! Resource groups.

use axum::http::{Method, StatusCode};
use deploy::Engine;

use super::paging;
use crate::reply::{Answer, Content, Reply};
use crate::route::Group;
use crate::shell::Call;
use crate::{body, errors, filter};

/// The groups of a subscription.
pub(super) async fn list(engine: &Engine, subscription: &str, call: &Call<'_>) -> Answer {
    let filter = call.query.get("$filter").map(filter::resources).transpose()?.unwrap_or_default();
    let groups = engine.list_groups(subscription, &filter, &paging(call)?).await?;
    Ok(Reply::page(groups, call))
}

/// A group as a template.
pub(super) async fn export(engine: &Engine, group: &Group, call: &Call<'_>) -> Answer {
    let wanted = body::reading(call.text, body::object).await?;
    engine.export_group(&group.subscription, &group.name, &wanted).await.map(Reply::ok)
}

/// Moves resources of a group elsewhere, or only checks that.
pub(super) async fn move_resources(
    engine: &Engine,
    (group, is_real): (&Group, bool),
    call: &Call<'_>,
) -> Answer {
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
