//! The management API: what a path means and a request come in; the engine is asked; an answer goes out.

mod deployments;
mod groups;
mod policies;
mod resources;
mod stacks;
mod statuses;
mod subscriptions;

use deploy::{ArmError, Paging};
use serde_json::json;

use crate::dispatch::{Call, Server};
use crate::reply::{Answer, Reply};
use crate::route::ManagementRoute;
use crate::{body, errors};

/// Answers a request.
pub(crate) async fn answer(server: &Server, target: &ManagementRoute, call: &Call<'_>) -> Answer {
    let version = api_version(call)?;
    let engine = &server.engine;
    match target {
        ManagementRoute::Tenants => Ok(subscriptions::tenants()),
        ManagementRoute::Subscriptions => subscriptions::list(engine).await,
        ManagementRoute::Subscription(id) => subscriptions::one(engine, id).await,
        ManagementRoute::TagNames(id) => engine.tag_names(id).await.map(Reply::list),
        ManagementRoute::TagName(tag) => subscriptions::tag_name(engine, tag, call).await,
        ManagementRoute::Move(group, is_real) => groups::move_resources(engine, group, *is_real, call).await,
        ManagementRoute::Stack(stack, part) => stacks::answer(engine, stack, *part, call).await,
        ManagementRoute::Collection(collection) => resources::collection(engine, collection, call).await,
        ManagementRoute::Locations(id) => Ok(subscriptions::locations(id)),
        ManagementRoute::Groups(subscription) => groups::list(engine, subscription, call).await,
        ManagementRoute::Group(group) => groups::one(engine, group, call).await,
        ManagementRoute::GroupExport(group) => groups::export(engine, group, call).await,
        ManagementRoute::Resources(scope) => resources::list(engine, scope, call).await,
        ManagementRoute::Resource(id) => resources::one(engine, id, version, call).await,
        ManagementRoute::Providers(namespace) => resources::providers(engine, namespace.as_deref()).await,
        ManagementRoute::ProviderOperations(namespace) => {
            resources::provider_operations(engine, namespace.as_deref()).await
        }
        ManagementRoute::OperationList(namespace) => resources::operation_list(engine, namespace).await,
        ManagementRoute::PolicyStates(query) => policies::answer(engine, query, call).await,
        ManagementRoute::Registration(namespace) => resources::register(engine, namespace).await,
        ManagementRoute::Deployments(scope) => deployments::list(engine, scope, call).await,
        ManagementRoute::Deployment(id, part) => deployments::answer(engine, id, part, call).await,
        ManagementRoute::TemplateHash => template_hash(call).await,
    }
}

/// The version that the client speaks. All dates are taken, as clients send very different ones.
fn api_version<'a>(call: &Call<'a>) -> Result<&'a str, ArmError> {
    let version = call.query.get("api-version").ok_or_else(errors::no_api_version)?;
    let bytes = version.as_bytes();
    let is_date = version.len() >= 10
        && version.len() <= 32
        && bytes.iter().take(10).enumerate().all(|(index, byte)| match index {
            4 | 7 => *byte == b'-',
            _ => byte.is_ascii_digit(),
        })
        && bytes.iter().skip(10).all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-');
    if is_date { Ok(version) } else { Err(errors::bad_api_version(version)) }
}

/// Which part of a list is wanted.
pub(crate) fn paging<'a>(call: &Call<'a>) -> Result<Paging<'a>, ArmError> {
    let parse = |text: &str| text.parse::<usize>().map_err(|_| errors::bad_top(text));
    let top = call.query.get("$top").map(parse).transpose()?;
    Ok(Paging { top, after: call.query.get("$skiptoken") })
}

async fn template_hash(call: &Call<'_>) -> Answer {
    let hash = |text: &str| {
        let template = body::object(text)?;
        Ok(json!({
            "minifiedTemplate": arm::hash::minified_template(&template),
            "templateHash": arm::hash::template_hash(&template),
        }))
    };
    body::reading(call.text, hash).await.map(Reply::ok)
}

#[cfg(test)]
mod tests {
    use axum::http::Method;

    use super::*;
    use crate::query::Query;

    #[test]
    fn versions_are_dates() {
        let check = |query: &str, expected: Result<&str, &str>| {
            let query = Query::parse(query);
            let call = Call { method: &Method::GET, path: "", query: &query, text: "", origin: "" };
            let version = api_version(&call).map_err(|error| error.code);
            assert_eq!(version, expected.map_err(str::to_owned));
        };
        check("api-version=2025-04-01", Ok("2025-04-01"));
        check("API-VERSION=2099-12-31-preview", Ok("2099-12-31-preview"));
        check("", Err("MissingApiVersionParameter"));
        check("api-version=", Err("MissingApiVersionParameter"));
        for bad in
            ["1", "latest", "2025_04_01", "2025-04-01'--", "2025-04-01-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"]
        {
            check(&format!("api-version={bad}"), Err("InvalidApiVersionParameter"));
        }
    }
}
