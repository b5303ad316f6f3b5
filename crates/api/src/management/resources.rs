//! Resources of any type, and the providers that they belong to.

use axum::http::{Method, StatusCode};
use deploy::{ArmError, Engine, ResourceFilter, Scope};

use super::{not_allowed, only, read, top};
use crate::reply::{Answer, Content, Reply};
use crate::shell::Call;
use crate::{body, errors};

/// The resources of a subscription or group.
pub(super) async fn list(engine: &Engine, scope: &Scope, call: &Call<'_>) -> Answer {
    read(call)?;
    let mut found = engine.list_resources(scope, &filter(call.query.get("$filter"))?).await?;
    found.truncate(top(call)?.unwrap_or(usize::MAX));
    Ok(Reply::list(found))
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
        _ => Err(not_allowed(call.method, &["GET", "HEAD", "PUT", "PATCH", "DELETE"])),
    }
}

/// The providers, or one of them.
pub(super) async fn providers(engine: &Engine, namespace: Option<&str>, call: &Call<'_>) -> Answer {
    read(call)?;
    let mut found = engine.providers(namespace).await?;
    match (namespace, found.pop()) {
        (Some(_), Some(one)) => Ok(Reply::ok(one)),
        (_, last) => Ok(Reply::list(found.into_iter().chain(last).collect())),
    }
}

/// Switching a provider on: all of them are.
pub(super) async fn register(engine: &Engine, namespace: &str, call: &Call<'_>) -> Answer {
    only(call, &["POST"])?;
    let found = engine.providers(Some(namespace)).await?;
    Ok(Reply::ok(found.into_iter().next().unwrap_or_default()))
}

/// Reads `resourceType eq 'A.B/c' and resourceGroup eq 'g'`.
fn filter(text: Option<&str>) -> Result<ResourceFilter, ArmError> {
    let mut filter = ResourceFilter::default();
    let Some(text) = text else { return Ok(filter) };
    let words: Vec<&str> = text.split_whitespace().collect();
    for clause in words.split(|word| word.eq_ignore_ascii_case("and")) {
        let [name, operator, value] = clause else { return Err(errors::bad_filter(text)) };
        let member = match name.to_ascii_lowercase().as_str() {
            "resourcetype" => &mut filter.resource_type,
            "resourcegroup" => &mut filter.group,
            "name" => &mut filter.name,
            _ => return Err(errors::bad_filter(text)),
        };
        let value = value.strip_prefix('\'').and_then(|value| value.strip_suffix('\''));
        match value {
            Some(value) if operator.eq_ignore_ascii_case("eq") => *member = Some(value.to_owned()),
            _ => return Err(errors::bad_filter(text)),
        }
    }
    Ok(filter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters() {
        let read = |text: &str| filter(Some(text)).map(|it| (it.resource_type, it.group, it.name));
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(read("resourceType eq 'A.B/c'"), Ok((some("A.B/c"), None, None)));
        assert_eq!(read("ResourceGroup EQ 'g' AND name eq 'n'"), Ok((None, some("g"), some("n"))));
        for bad in ["name", "name ne 'x'", "tagName eq 'x'", "name eq x", "name eq 'x' or name eq 'y'", "and"]
        {
            assert_eq!(read(bad).map_err(|error| error.status), Err(400), "{bad}");
        }
    }
}
