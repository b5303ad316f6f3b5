//! Linked templates: what a request refers to is put where the reference stands, before anything is planned.
//!
//! A template comes from a template spec of this server (`id`), or from the folder of linked templates: `uri` with `file:`, `uri`
//! with the address of this server and [`FOLDER_PATH`], or `relativePath` from a template of that folder. Nothing is fetched
//! from other machines.

use std::path::{Component, Path, PathBuf};

use serde_json::{Value as Json, json};

use crate::engine::{Engine, Inner};
use crate::error::ArmError;
use crate::messages;
use crate::request::DeploymentRequest;
use crate::run::member;
use crate::scope::DEPLOYMENT_TYPE;

/// The path under which a server gives the templates of its folder.
pub const FOLDER_PATH: &str = "/templates/";

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
        let found = fetch(inner, &link, Base { origin: request.origin.as_deref(), file: None }).await?;
        at = found.path;
        put(properties, "template", found.template);
        if let Some(members) = properties.as_object_mut() {
            members.retain(|name, _| !name.eq_ignore_ascii_case("templateLink"));
        }
    }
    if let Some(template) = member_mut(properties, "template") {
        let base = Base { origin: request.origin.as_deref(), file: at.as_deref() };
        inside(inner, template, base, DEEPEST).await?;
    }
    let DeploymentRequest { id, stack, origin, .. } = request;
    Ok(DeploymentRequest { stack, origin, ..DeploymentRequest::new(id, &body)? })
}

/// Puts templates in place of the links of the deployments inside a template.
async fn inside(inner: &Inner, template: &mut Json, base: Base<'_>, depth: usize) -> Result<(), ArmError> {
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
        let mut inner_at = base.file.map(Path::to_owned);
        if let Some(link) = member(properties, "templateLink").filter(|link| link.is_object()).cloned() {
            if depth == 0 {
                return Err(messages::link_not_found("linked templates lead too deep"));
            }
            let found = fetch(inner, &link, base).await?;
            inner_at = found.path;
            put(properties, "template", found.template);
            // Linked templates have a scope of their own.
            put(properties, "expressionEvaluationOptions", json!({ "scope": "inner" }));
            if let Some(members) = properties.as_object_mut() {
                members.retain(|name, _| !name.eq_ignore_ascii_case("templateLink"));
            }
        }
        if let Some(template) = member_mut(properties, "template") {
            let base = Base { file: inner_at.as_deref(), ..base };
            Box::pin(inside(inner, template, base, depth.saturating_sub(1))).await?;
        }
    }
    Ok(())
}

/// What links are relative to.
#[derive(Clone, Copy)]
struct Base<'b> {
    /// The address of this server, as its client knows it.
    origin: Option<&'b str>,
    /// The file that the link stands in.
    file: Option<&'b Path>,
}

/// A template that a link leads to, and the file that it stands in.
struct LinkedTemplate {
    template: Json,
    path: Option<PathBuf>,
}

async fn fetch(inner: &Inner, link: &Json, base: Base<'_>) -> Result<LinkedTemplate, ArmError> {
    let text = |name: &str| member(link, name).and_then(Json::as_str);
    if let Some(id) = text("id") {
        let document = inner.documents.read(id).await?;
        let template = document.as_ref().and_then(|it| it.pointer("/properties/mainTemplate")).cloned();
        let template = template.filter(Json::is_object).ok_or_else(|| messages::link_not_found(id))?;
        return Ok(LinkedTemplate { template, path: None });
    }
    let wanted = text("uri").or_else(|| text("relativePath")).unwrap_or_default();
    let folder = inner.options.linked_templates.as_ref().ok_or_else(|| messages::link_not_found(wanted))?;
    let path = match text("uri") {
        Some(uri) => path_of_uri(uri, folder, base.origin).ok_or_else(|| messages::link_not_found(uri))?,
        None => base.file.and_then(Path::parent).unwrap_or(folder).join(wanted),
    };
    let path = plain(&path);
    let template = read(folder, &path).ok_or_else(|| messages::link_not_found(wanted))?;
    Ok(LinkedTemplate { template, path: Some(path) })
}

/// The file that a URI means: `file:`, or one of this server.
fn path_of_uri(uri: &str, folder: &Path, origin: Option<&str>) -> Option<PathBuf> {
    if let Some(path) = uri.strip_prefix("file://") {
        return Some(PathBuf::from(path));
    }
    let (server, path) = (uri.get(..origin?.len())?, uri.get(origin?.len()..)?);
    let path = path.split(['?', '#']).next()?.strip_prefix(FOLDER_PATH)?;
    let path = percent_encoding::percent_decode_str(path).decode_utf8().ok()?;
    server.eq_ignore_ascii_case(origin?).then(|| folder.join(&*path))
}

impl Engine {
    /// A template of the folder of linked templates, by its path there.
    pub fn linked_template(&self, path: &str) -> Result<Json, ArmError> {
        let folder = self.inner.options.linked_templates.as_ref();
        let found = folder.and_then(|folder| read(folder, &plain(&folder.join(path))));
        found.ok_or_else(|| messages::link_not_found(path))
    }
}

/// A template file of a folder that is no larger than a template may be. Links of the file system do not lead out of it.
fn read(folder: &Path, path: &Path) -> Option<Json> {
    let real =
        path.canonicalize().ok().filter(|real| folder.canonicalize().is_ok_and(|it| real.starts_with(it)))?;
    std::fs::metadata(&real).ok().filter(|about| about.is_file() && about.len() <= LARGEST)?;
    let text = std::fs::read_to_string(real).ok()?;
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
