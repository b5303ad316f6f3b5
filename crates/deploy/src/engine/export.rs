//! A resource group as a template that would make it again.

use std::collections::HashSet;

use serde_json::{Map, Value as Json, json};

use super::Engine;
use crate::error::ArmError;
use crate::messages;
use crate::provider::{Types, is_assigned, is_tags};
use crate::scope::{ResourceId, Scope, key};
use crate::store::{Paging, ResourceRow};

/// How many resources a template has at most.
const MOST: usize = 800;

/// What is wanted of a template.
struct ExportOptions {
    /// Whether names are parameters.
    parameters: bool,
    /// Whether these have the names as defaults.
    defaults: bool,
    /// The keys of the resources; all if there are none.
    only: HashSet<String>,
}

impl Engine {
    /// A template with the resources of a group, as `{resources, options}` asks for it: `{template}`.
    pub async fn export_group(&self, subscription: &str, group: &str, body: &Json) -> Result<Json, ArmError> {
        self.get_group(subscription, group).await?;
        let wanted = read(body)?;
        let scope = Scope::ResourceGroup { subscription: subscription.into(), group: group.into() };
        let item = |row: &ResourceRow| {
            let is_wanted = wanted.only.is_empty() || wanted.only.contains(&key(&row.id));
            if is_wanted && !is_tags(&row.id) { crate::stored::object(&row.document) } else { None }
        };
        let paging = Paging { top: Some(MOST), after: None };
        let found = self.inner.store.resources_page(&scope.key(), None, &paging, item).await?;
        if found.next.is_some() {
            return Err(messages::export_too_large(MOST));
        }
        let keys: HashSet<String> = found.items.iter().filter_map(|it| it["id"].as_str()).map(key).collect();
        if let Some(absent) = wanted.only.iter().find(|id| !keys.contains(*id)) {
            return Err(messages::resource_not_found(absent));
        }
        Ok(json!({ "template": template(&found.items, &wanted, &self.inner.options.types) }))
    }
}

fn read(body: &Json) -> Result<ExportOptions, ArmError> {
    let text = |name: &str| body.get(name).and_then(Json::as_str).unwrap_or_default();
    let format = text("outputFormat");
    if !format.is_empty() && !format.eq_ignore_ascii_case("Json") {
        return Err(messages::export_format(format));
    }
    let options = text("options").to_ascii_lowercase();
    let has = |option: &str| options.split(',').any(|known| known.trim() == option);
    let ids = body.get("resources").and_then(Json::as_array).into_iter().flatten();
    let only = ids.filter_map(Json::as_str).filter(|id| *id != "*").map(key).collect();
    Ok(ExportOptions {
        parameters: !has("skipresourcenameparameterization") && !has("skipallparameterization"),
        defaults: has("includeparameterdefaultvalue"),
        only,
    })
}

fn template(documents: &[Json], wanted: &ExportOptions, types: &Types) -> Json {
    let exported: HashSet<String> = documents.iter().filter_map(|it| it["id"].as_str()).map(key).collect();
    let mut names = NameParameters::default();
    if wanted.parameters {
        let ids = documents.iter().filter_map(|document| ResourceId::parse(document["id"].as_str()?));
        ids.for_each(|id| names.add(&id));
    }
    let resources: Vec<Json> =
        documents.iter().filter_map(|document| resource(document, &names, &exported, types)).collect();
    let parameter = |name: &str| match wanted.defaults {
        true => json!({ "type": "String", "defaultValue": name }),
        false => json!({ "type": "String" }),
    };
    let parameters = names.list.iter().map(|(_, name, as_parameter)| (as_parameter.clone(), parameter(name)));
    json!({
        "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
        "contentVersion": "1.0.0.0",
        "parameters": Json::Object(parameters.collect()),
        "variables": {},
        "resources": resources,
    })
}

/// The names that are parameters: the first type and the first name of a resource, and the parameter.
#[derive(Default)]
struct NameParameters {
    list: Vec<(String, String, String)>,
}

impl NameParameters {
    /// Adds the names of a resource and of what it extends.
    fn add(&mut self, id: &ResourceId) {
        if let Some(around) = extended(id) {
            self.add(&around);
        }
        let (Some((of, name)), None) = (first(id), self.parameter(id)) else { return };
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let short = of.rsplit('/').next().unwrap_or_default();
        let wanted: String = format!("{short}_{name}_name").chars().map(plain).collect();
        let is_taken = |text: &str| self.list.iter().any(|(_, _, known)| known.eq_ignore_ascii_case(text));
        let numbered = (2..).map(|number| format!("{wanted}_{number}"));
        let free = std::iter::once(wanted.clone()).chain(numbered).find(|text| !is_taken(text));
        self.list.push((of.to_owned(), name.to_owned(), free.unwrap_or(wanted)));
    }

    /// The parameter that stands for the first name of a resource.
    fn parameter(&self, id: &ResourceId) -> Option<&str> {
        let (of, name) = first(id)?;
        let same = |(known, its, _): &&(String, String, String)| {
            known.eq_ignore_ascii_case(of) && its.eq_ignore_ascii_case(name)
        };
        self.list.iter().find(same).map(|(_, _, parameter)| parameter.as_str())
    }

    /// The name of a resource as it stands in the template.
    fn whole(&self, id: &ResourceId) -> String {
        let Some(parameter) = self.parameter(id) else { return id.name() };
        match id.names.get(1..).unwrap_or_default() {
            [] => format!("[parameters('{parameter}')]"),
            rest => {
                format!("[concat(parameters('{parameter}'), {})]", quoted(&format!("/{}", rest.join("/"))))
            }
        }
    }

    /// The expression that gives the id of a resource.
    fn id(&self, id: &ResourceId) -> String {
        let mut names: Vec<String> = id.names.iter().map(|name| quoted(name)).collect();
        if let (Some(first), Some(parameter)) = (names.first_mut(), self.parameter(id)) {
            *first = format!("parameters('{parameter}')");
        }
        format!("[resourceId('{}', {})]", id.resource_type, names.join(", "))
    }
}

/// The first type with its namespace, and the first name.
fn first(id: &ResourceId) -> Option<(&str, &str)> {
    let of = &id.resource_type;
    let end = of.match_indices('/').nth(1).map_or(of.len(), |(at, _)| at);
    Some((of.get(..end)?, id.names.first()?))
}

/// The resource that another one extends.
fn extended(id: &ResourceId) -> Option<ResourceId> {
    ResourceId::parse(&id.scope).filter(|_| Scope::parse(&id.scope).is_none())
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// Members of a document that do not stand in a template, or that are written by hand.
const OWN: &[&str] = &["id", "name", "type", "apiVersion", "etag", "properties"];

fn resource(
    document: &Json,
    names: &NameParameters,
    exported: &HashSet<String>,
    types: &Types,
) -> Option<Json> {
    let text = document["id"].as_str()?;
    let id = ResourceId::parse(text)?;
    let version = document["apiVersion"].as_str();
    let mut members = Map::new();
    members.insert("type".into(), json!(id.resource_type));
    members.insert("apiVersion".into(), json!(version));
    members.insert("name".into(), json!(names.whole(&id)));
    if let Some(around) = extended(&id) {
        members.insert("scope".into(), json!(names.id(&around)));
    }
    let rest = document.as_object()?.iter().filter(|(name, _)| !OWN.contains(&name.as_str()));
    members.extend(rest.map(|(name, value)| (name.clone(), literal(value))));
    let parent = text.rsplitn(3, '/').last().filter(|parent| exported.contains(&key(parent)));
    if let Some(parent) = parent.and_then(ResourceId::parse) {
        members.insert("dependsOn".into(), json!([names.id(&parent)]));
    }
    let ty = types.body(&id.resource_type, version);
    let is_read_only =
        |path: &str| types.is_read_only(ty.as_ref(), path) || is_assigned(&id.resource_type, path);
    let properties = settable(&document["properties"], "properties", &is_read_only);
    members.insert("properties".into(), literal(&properties));
    Some(Json::Object(members))
}

/// What a template may set: nothing that only the provider decides on.
fn settable(value: &Json, path: &str, is_read_only: &dyn Fn(&str) -> bool) -> Json {
    match value {
        Json::Array(items) => {
            let item = |(at, item): (usize, &Json)| settable(item, &format!("{path}[{at}]"), is_read_only);
            items.iter().enumerate().map(item).collect()
        }
        Json::Object(members) => {
            let inside = members.iter().map(|(name, value)| (name, value, format!("{path}.{name}")));
            let open =
                inside.filter(|(_, _, path)| path != "properties.provisioningState" && !is_read_only(path));
            open.map(|(name, value, path)| (name.clone(), settable(value, &path, is_read_only))).collect()
        }
        other => other.clone(),
    }
}

/// A value that no template evaluates.
fn literal(value: &Json) -> Json {
    match value {
        Json::String(text) if text.starts_with('[') && text.ends_with(']') => json!(format!("[{text}")),
        Json::Array(items) => items.iter().map(literal).collect(),
        Json::Object(members) => members.iter().map(|(name, value)| (name.clone(), literal(value))).collect(),
        other => other.clone(),
    }
}
