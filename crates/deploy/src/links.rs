//! Linked templates: what a request refers to is put where the reference stands, before anything is planned.
//!
//! A template comes from a template spec of this server (`id`), or from the folder of linked templates: `uri` with `file:`, or `uri`
//! with the address of this server and [`FOLDER_PATH`]. `relativePath` leads from a template of that folder to another, and from a
//! template of a template spec to another one that was packed with it. Nothing is fetched from other machines.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

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
    if !["templateLink", "parametersLink"].iter().any(|link| request.text.text().contains(link)) {
        return Ok(request);
    }
    let mut body = request.body.to_value();
    let Some(properties) = member_mut(&mut body, "properties") else { return Ok(request) };
    let mut place = TemplateLocation::Request;
    if has_link("templateLink") && !has_link("template") {
        let link = member(properties, "templateLink").cloned().unwrap_or_default();
        let found =
            fetch(inner, &link, LinkBase { origin: request.origin.as_deref(), place: &place }).await?;
        place = found.place;
        put(properties, "template", found.template);
        remove(properties, "templateLink");
    }
    link_parameters(inner, properties, LinkBase { origin: request.origin.as_deref(), place: &place }).await?;
    if let Some(template) = member_mut(properties, "template") {
        let base = LinkBase { origin: request.origin.as_deref(), place: &place };
        inside(inner, template, base, DEEPEST).await?;
    }
    let DeploymentRequest { id, stack, origin, .. } = request;
    Ok(DeploymentRequest { stack, origin, ..DeploymentRequest::new(id, &body)? })
}

/// Puts templates in place of the links of the deployments inside a template.
async fn inside(
    inner: &Inner,
    template: &mut Json,
    base: LinkBase<'_>,
    depth: usize,
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
        let mut place = base.place.clone();
        if let Some(link) = member(properties, "templateLink").filter(|link| link.is_object()).cloned() {
            if depth == 0 {
                return Err(messages::link_not_found("linked templates lead too deep"));
            }
            let found = fetch(inner, &link, base).await?;
            place = found.place;
            put(properties, "template", found.template);
            // Linked templates have a scope of their own.
            put(properties, "expressionEvaluationOptions", json!({ "scope": "inner" }));
            remove(properties, "templateLink");
        }
        link_parameters(inner, properties, base).await?;
        if let Some(template) = member_mut(properties, "template") {
            let base = LinkBase { place: &place, ..base };
            Box::pin(inside(inner, template, base, depth.saturating_sub(1))).await?;
        }
    }
    Ok(())
}

/// Puts the parameters of a file in place of the link to it. Whoever gives parameters too is refused later.
async fn link_parameters(inner: &Inner, properties: &mut Json, base: LinkBase<'_>) -> Result<(), ArmError> {
    let link = member(properties, "parametersLink").filter(|link| link.is_object()).cloned();
    let Some(link) = link.filter(|_| member(properties, "parameters").is_none()) else { return Ok(()) };
    let file = fetch(inner, &link, base).await?.template;
    put(properties, "parameters", member(&file, "parameters").cloned().unwrap_or_else(|| json!({})));
    remove(properties, "parametersLink");
    Ok(())
}

/// The base that relative links are resolved against.
#[derive(Clone, Copy)]
struct LinkBase<'b> {
    /// The address of this server, as its client knows it.
    origin: Option<&'b str>,
    /// Where the link stands.
    place: &'b TemplateLocation,
}

/// Where a template stands.
#[derive(Clone)]
enum TemplateLocation {
    /// In the request.
    Request,
    /// In a file of the folder.
    File(PathBuf),
    /// In a template spec, at a path there.
    Spec(Arc<PackedTemplates>, PathBuf),
}

/// The templates that were packed into a template spec: each `{path, template}`.
struct PackedTemplates(Vec<Json>);

impl PackedTemplates {
    /// The template at a path.
    fn get(&self, wanted: &Path) -> Option<&Json> {
        let path_of = |packed: &Json| {
            let path = member(packed, "path").and_then(Json::as_str)?.replace('\\', "/");
            Some(plain(Path::new(&path)))
        };
        let packed = self.0.iter().find(|packed| path_of(packed).as_deref() == Some(wanted))?;
        member(packed, "template").filter(|template| template.is_object())
    }
}

/// A template that a link leads to, and where it stands.
struct LinkedTemplate {
    template: Json,
    place: TemplateLocation,
}

async fn fetch(inner: &Inner, link: &Json, base: LinkBase<'_>) -> Result<LinkedTemplate, ArmError> {
    let text = |name: &str| member(link, name).and_then(Json::as_str);
    if let Some(id) = text("id") {
        return template_spec(inner, id).await;
    }
    let wanted = text("uri").or_else(|| text("relativePath")).unwrap_or_default();
    let missing = || messages::link_not_found(wanted);
    let relative = wanted.replace('\\', "/");
    if let (None, TemplateLocation::Spec(packed, at)) = (text("uri"), base.place) {
        let path = plain(&at.parent().unwrap_or(Path::new("")).join(relative));
        let template = packed.get(&path).ok_or_else(missing)?.clone();
        return Ok(LinkedTemplate { template, place: TemplateLocation::Spec(Arc::clone(packed), path) });
    }
    let folder = inner.options.linked_templates.as_ref().ok_or_else(missing)?;
    let path = match (text("uri"), base.place) {
        (Some(uri), _) => path_of_uri(uri, folder, base.origin).ok_or_else(missing)?,
        (None, TemplateLocation::File(file)) => file.parent().unwrap_or(folder).join(relative),
        (None, _) => folder.join(relative),
    };
    let path = plain(&path);
    let template = read(folder, &path).ok_or_else(missing)?;
    Ok(LinkedTemplate { template, place: TemplateLocation::File(path) })
}

/// The main template of a version of a template spec.
async fn template_spec(inner: &Inner, id: &str) -> Result<LinkedTemplate, ArmError> {
    let document = inner.documents.read(id).await?.unwrap_or_default();
    let part = |name: &str| document.pointer(&format!("/properties/{name}")).cloned();
    let template = part("mainTemplate").filter(Json::is_object);
    let template = template.ok_or_else(|| messages::link_not_found(id))?;
    let packed = match part("linkedTemplates") {
        Some(Json::Array(packed)) => packed,
        _ => Vec::new(),
    };
    let place = TemplateLocation::Spec(Arc::new(PackedTemplates(packed)), PathBuf::new());
    Ok(LinkedTemplate { template, place })
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
    remove(json, name);
    if let Some(members) = json.as_object_mut() {
        members.insert(name.to_owned(), value);
    }
}

fn remove(json: &mut Json, name: &str) {
    if let Some(members) = json.as_object_mut() {
        members.retain(|known, _| !known.eq_ignore_ascii_case(name));
    }
}
