//! Linked templates: what a request refers to is put where the reference stands, before anything is planned.
//!
//! A template comes from a template spec of this server (`id`), or from the folder of linked templates (`uri` with `file:`, or
//! `relativePath` from a template of that folder). Nothing is fetched from other machines.

use std::path::{Component, Path, PathBuf};

use serde_json::{Value as Json, json};

use crate::engine::Inner;
use crate::error::ArmError;
use crate::messages;
use crate::request::DeploymentRequest;
use crate::run::member;
use crate::scope::DEPLOYMENT_TYPE;

/// How many templates deep links may lead.
const DEEPEST: usize = 8;

/// The largest linked template.
const LARGEST: u64 = 4 << 20;

/// A request with what it links to.
pub(crate) async fn resolve(
    inner: &Inner,
    request: DeploymentRequest,
) -> Result<DeploymentRequest, ArmError> {
    let properties = request.body.get_ignore_case("properties");
    let has_link = |name: &str| {
        properties.and_then(|properties| properties.get_ignore_case(name)).is_some_and(|node| !node.is_null())
    };
    // Whoever links to nothing is left as it is, with its positions.
    if !has_link("templateLink") && !request.text.text().contains("templateLink") {
        return Ok(request);
    }
    let mut body = request.body.to_value();
    let Some(properties) = member_mut(&mut body, "properties") else { return Ok(request) };
    let mut at = None;
    if has_link("templateLink") && !has_link("template") {
        let link = member(properties, "templateLink").cloned().unwrap_or_default();
        let found = fetch(inner, &link, None).await?;
        at = found.path;
        put(properties, "template", found.template);
        if let Some(members) = properties.as_object_mut() {
            members.retain(|name, _| !name.eq_ignore_ascii_case("templateLink"));
        }
    }
    if let Some(template) = member_mut(properties, "template") {
        inside(inner, template, (at.as_deref(), DEEPEST)).await?;
    }
    DeploymentRequest::new(request.id, &body)
}

/// Puts templates in place of the links of the deployments inside a template.
async fn inside(
    inner: &Inner,
    template: &mut Json,
    (at, depth): (Option<&Path>, usize),
) -> Result<(), ArmError> {
    let resources: Vec<&mut Json> = match member_mut(template, "resources") {
        Some(Json::Array(list)) => list.iter_mut().collect(),
        Some(Json::Object(named)) => named.values_mut().collect(),
        _ => return Ok(()),
    };
    for resource in resources {
        let is_deployment = member(resource, "type")
            .and_then(Json::as_str)
            .is_some_and(|of| of.split('@').next().unwrap_or(of).eq_ignore_ascii_case(DEPLOYMENT_TYPE));
        let Some(properties) = member_mut(resource, "properties").filter(|_| is_deployment) else { continue };
        let mut inner_at = at.map(Path::to_owned);
        if let Some(link) = member(properties, "templateLink").filter(|link| link.is_object()).cloned() {
            if depth == 0 {
                return Err(messages::link_not_found("linked templates lead too deep"));
            }
            let found = fetch(inner, &link, at).await?;
            inner_at = found.path;
            put(properties, "template", found.template);
            // Linked templates have a scope of their own.
            put(properties, "expressionEvaluationOptions", json!({ "scope": "inner" }));
            if let Some(members) = properties.as_object_mut() {
                members.retain(|name, _| !name.eq_ignore_ascii_case("templateLink"));
            }
        }
        if let Some(template) = member_mut(properties, "template") {
            Box::pin(inside(inner, template, (inner_at.as_deref(), depth.saturating_sub(1)))).await?;
        }
    }
    Ok(())
}

/// A template, and the file that it stands in.
struct Found {
    template: Json,
    path: Option<PathBuf>,
}

async fn fetch(inner: &Inner, link: &Json, from: Option<&Path>) -> Result<Found, ArmError> {
    let text = |name: &str| member(link, name).and_then(Json::as_str);
    if let Some(id) = text("id") {
        let document = inner.documents.read(id).await?;
        let template = document.as_ref().and_then(|it| it.pointer("/properties/mainTemplate")).cloned();
        let template = template.filter(Json::is_object).ok_or_else(|| messages::link_not_found(id))?;
        return Ok(Found { template, path: None });
    }
    let wanted = text("uri").or_else(|| text("relativePath")).unwrap_or_default();
    let folder = inner.options.linked_templates.as_ref().ok_or_else(|| messages::link_not_found(wanted))?;
    let path = match text("uri") {
        Some(uri) => PathBuf::from(uri.strip_prefix("file://").ok_or_else(|| messages::link_not_found(uri))?),
        None => from.and_then(Path::parent).unwrap_or(folder).join(wanted),
    };
    let path = plain(&path);
    if !path.starts_with(plain(folder)) {
        return Err(messages::link_not_found(wanted));
    }
    read(&path)
        .map(|template| Found { template, path: Some(path) })
        .ok_or_else(|| messages::link_not_found(wanted))
}

/// A template file that is no larger than a template may be, and no link that leads elsewhere.
fn read(path: &Path) -> Option<Json> {
    let about =
        std::fs::symlink_metadata(path).ok().filter(|about| about.is_file() && about.len() <= LARGEST)?;
    debug_assert!(about.is_file());
    let text = std::fs::read_to_string(path).ok()?;
    json::parse(&text, json::Options::lenient()).root.map(|root| root.to_value()).filter(Json::is_object)
}

/// A path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                result.pop();
            }
            part => result.push(part),
        }
    }
    result
}

fn member_mut<'j>(json: &'j mut Json, name: &str) -> Option<&'j mut Json> {
    let members = json.as_object_mut()?;
    members.iter_mut().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}

fn put(json: &mut Json, name: &str, value: Json) {
    if let Some(members) = json.as_object_mut() {
        members.retain(|known, _| !known.eq_ignore_ascii_case(name));
        members.insert(name.to_owned(), value);
    }
}
