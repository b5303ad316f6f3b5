//! Resource groups.

use axum::http::{Method, StatusCode};
use deploy::Engine;

use super::{not_allowed, read, top};
use crate::body;
use crate::reply::{Answer, Content, Reply};
use crate::route::Group;
use crate::shell::Call;

/// The groups of a subscription.
pub(super) async fn list(engine: &Engine, subscription: &str, call: &Call<'_>) -> Answer {
    read(call)?;
    let mut groups = engine.list_groups(subscription).await?;
    groups.truncate(top(call)?.unwrap_or(usize::MAX));
    Ok(Reply::list(groups))
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
            let is_new = engine.get_group(subscription, name).await.is_err();
            let document = engine.put_group(subscription, name, &body).await?;
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
        _ => Err(not_allowed(call.method, &["GET", "HEAD", "PUT", "PATCH", "DELETE"])),
    }
}
