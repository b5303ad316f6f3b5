//! The documents that the API returns about deployments and their operations.

use arm::expand::{Expansion, OutputValue, Planned};
use arm::template::Primitive;
use arm::value::Kind;
use arm::{Secrets, Template, Value};
use serde_json::{Map, Value as Json, json};
use smol_str::SmolStr;

use crate::clock;
use crate::error::ArmError;
use crate::job::Job;
use crate::messages;
use crate::provider::ResourceTarget;
use crate::scope::{DEPLOYMENT_TYPE, DeploymentId, ResourceId};

use crate::state::State;

/// What a document of a deployment is made of.
pub(crate) struct DocumentSource<'s> {
    pub id: &'s DeploymentId,
    pub job: &'s Job,
    pub template: &'s Template,
    pub source: &'s Json,
    pub expansion: &'s Expansion,
    /// The run, which is also the correlation of all it causes.
    pub run: &'s str,
    pub now: i64,
}

/// A deployment that was just accepted.
pub(crate) fn deployment(subject: &DocumentSource<'_>) -> Json {
    let DocumentSource { id, job, expansion, .. } = subject;
    let mut document = Map::new();
    document.insert("id".into(), json!(id.to_string()));
    document.insert("name".into(), json!(id.name.as_str()));
    document.insert("type".into(), json!(DEPLOYMENT_TYPE));
    if let Some(location) = &job.location {
        document.insert("location".into(), json!(location));
    }
    if let Some(tags) = &job.tags {
        document.insert("tags".into(), tags.clone());
    }
    let mut properties = Map::new();
    properties.insert("templateHash".into(), json!(arm::hash::template_hash(subject.source)));
    properties.insert("parameters".into(), parameters(subject.template, expansion));
    properties.extend(job.external_inputs.clone());
    properties.insert("mode".into(), json!(job.mode));
    properties.insert("provisioningState".into(), json!(State::Accepted));
    properties.insert("timestamp".into(), json!(clock::timestamp(subject.now)));
    properties.insert("duration".into(), json!("PT0S"));
    properties.insert("correlationId".into(), json!(subject.run));
    properties.insert("providers".into(), providers(expansion));
    properties.insert("dependencies".into(), dependencies(expansion));
    if !expansion.open.is_empty() {
        properties.insert("diagnostics".into(), open_checks(expansion));
    }
    if let Some(debug) = &job.debug {
        properties.insert("debugSetting".into(), debug.clone());
    }
    if let Some(on_error) = &job.on_error {
        properties.insert("onErrorDeployment".into(), json!(on_error));
    }
    document.insert("properties".into(), Json::Object(properties));
    Json::Object(document)
}

/// How a deployment ended, put into its document.
pub(crate) struct DeploymentEnd<'e> {
    pub state: State,
    pub outputs: Option<&'e [(SmolStr, OutputValue)]>,
    pub error: Option<&'e ArmError>,
    pub resources: Vec<Json>,
    pub started: i64,
    pub now: i64,
}

/// Puts the end of a deployment into its document.
pub(crate) fn finish(document: &mut Json, end: DeploymentEnd<'_>) {
    let Some(properties) = document.get_mut("properties").and_then(Json::as_object_mut) else { return };
    properties.insert("provisioningState".into(), json!(end.state));
    properties.insert("timestamp".into(), json!(clock::timestamp(end.now)));
    properties.insert("duration".into(), json!(clock::duration(end.now - end.started)));
    // By now every check has been made, or the deployment has failed before it.
    properties.shift_remove("diagnostics");
    if let Some(list) = end.outputs {
        properties.insert("outputs".into(), outputs(list));
    }
    if let Some(error) = end.error {
        properties.insert("error".into(), error.to_json());
    }
    properties.insert("outputResources".into(), Json::Array(end.resources));
}

/// Outputs as `{name: {type, value}}`; secure ones have no value.
fn outputs(list: &[(SmolStr, OutputValue)]) -> Json {
    let entry = |output: &OutputValue| {
        let kind = type_name(output.primitive, &output.value);
        if output.value.has_secure() {
            json!({ "type": kind })
        } else {
            json!({ "type": kind, "value": output.value.to_json(Secrets::Hidden) })
        }
    };
    Json::Object(list.iter().map(|(name, output)| (name.to_string(), entry(output))).collect())
}

fn parameters(template: &Template, expansion: &Expansion) -> Json {
    let mut all = Map::new();
    for (name, value) in &expansion.parameters {
        let declared = template.parameters.get(name).and_then(|parameter| parameter.schema.primitive);
        let kind = type_name(declared, value);
        let entry = if value.has_secure() || value.has_unknown() {
            json!({ "type": kind })
        } else {
            json!({ "type": kind, "value": value.to_json(Secrets::Hidden) })
        };
        all.insert(name.to_string(), entry);
    }
    Json::Object(all)
}

/// The type of a value as the API writes it.
fn type_name(declared: Option<Primitive>, value: &Value) -> &'static str {
    let primitive = declared.or_else(|| match value.kind() {
        Kind::String(_) => Some(Primitive::String),
        Kind::Int(_) | Kind::Float(_) => Some(Primitive::Int),
        Kind::Bool(_) => Some(Primitive::Bool),
        Kind::Array(_) => Some(Primitive::Array),
        Kind::Object(_) => Some(Primitive::Object),
        _ => None,
    });
    match (primitive, value.is_secure()) {
        (Some(Primitive::String) | None, true) => "SecureString",
        (Some(Primitive::Object | Primitive::Array), true) => "SecureObject",
        (Some(Primitive::String) | None, false) => "String",
        (Some(Primitive::Int), _) => "Int",
        (Some(Primitive::Bool), _) => "Bool",
        (Some(Primitive::Object), false) => "Object",
        (Some(Primitive::Array), false) => "Array",
    }
}

/// The code of a diagnostic about a check that could not be made before the deployment.
pub const CHECK_NOT_MADE: &str = "CheckNotMade";

/// Checks of values that could not be made before the deployment, as diagnostics of the API. The target is the path from
/// the root of the template.
pub(crate) fn open_checks(expansion: &Expansion) -> Json {
    let diagnostic = |open: &arm::Error| json!({ "level": "Warning", "code": CHECK_NOT_MADE, "message": open.message(), "target": open.path() });
    expansion.open.iter().map(diagnostic).collect()
}

fn providers(expansion: &Expansion) -> Json {
    let mut spaces: Vec<(String, Vec<Json>)> = Vec::new();
    for planned in expansion.resources.iter().filter(|planned| !planned.existing && planned.id.is_some()) {
        let Some((space, short)) = planned.resource_type.as_str().and_then(|of| of.split_once('/')) else {
            continue;
        };
        let location = planned.body.get("location").map_or(Json::Null, |at| at.to_json(Secrets::Hidden));
        let entry = json!({ "resourceType": short, "locations": [location] });
        match spaces.iter_mut().find(|(known, _)| known.eq_ignore_ascii_case(space)) {
            Some((_, types)) => {
                if !types.contains(&entry) {
                    types.push(entry);
                }
            }
            None => spaces.push((space.to_owned(), vec![entry])),
        }
    }
    spaces.into_iter().map(|(space, types)| json!({ "namespace": space, "resourceTypes": types })).collect()
}

fn dependencies(expansion: &Expansion) -> Json {
    let mut list = Vec::new();
    for planned in expansion.resources.iter().filter(|planned| !planned.depends_on.is_empty()) {
        let before = planned.depends_on.iter().filter_map(|at| expansion.resources.get(*at));
        let before: Vec<Json> = before.filter(|planned| !planned.existing).filter_map(brief).collect();
        let Some(Json::Object(mut entry)) = brief(planned).filter(|_| !before.is_empty()) else { continue };
        entry.shift_insert(0, "dependsOn".into(), Json::Array(before));
        list.push(Json::Object(entry));
    }
    Json::Array(list)
}

fn brief(planned: &Planned) -> Option<Json> {
    let id = planned.id.as_ref()?.as_str()?;
    let parts = ResourceId::parse(id)?;
    Some(json!({ "id": id, "resourceType": parts.resource_type, "resourceName": parts.name() }))
}

/// What an operation is about.
#[derive(Debug, Clone, Default)]
pub(crate) struct OperationTarget {
    /// The id, if it has one.
    pub id: Option<String>,
    pub resource_type: String,
    pub api_version: Option<String>,
    pub symbol: Option<String>,
    /// For resources of extensions.
    pub extension: Option<Json>,
    pub identifiers: Option<Json>,
}

impl OperationTarget {
    /// What an operation on a resource is about, as far as that is known before it is evaluated.
    pub fn planned(planned: &Planned) -> Self {
        let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
        Self {
            id: text(planned.id.as_ref()),
            resource_type: text(Some(&planned.resource_type)).unwrap_or_default(),
            api_version: text(planned.api_version.as_ref()),
            symbol: crate::run::symbol_of(planned),
            ..Self::default()
        }
    }

    /// What an operation on a resource is about.
    pub fn asked(planned: &Planned, target: &ResourceTarget) -> Self {
        Self {
            id: target.id.clone(),
            resource_type: target.resource_type.clone(),
            api_version: target.api_version.clone(),
            ..Self::planned(planned)
        }
    }

    /// The same as one of the resources that a deployment has made.
    pub fn made(&self) -> Json {
        match &self.id {
            Some(id) => json!({ "id": id }),
            None => {
                let mut members = self.to_json();
                if let Some(members) = members.as_object_mut() {
                    members.retain(|name, _| name != "symbolicName");
                }
                members
            }
        }
    }

    fn to_json(&self) -> Json {
        let mut members = Map::new();
        let name = self.id.as_deref().and_then(ResourceId::parse).map(|parts| parts.name());
        for (member, value) in [
            ("id", self.id.clone()),
            ("resourceType", Some(self.resource_type.clone())),
            ("resourceName", name),
            ("apiVersion", self.api_version.clone()),
            ("symbolicName", self.symbol.clone()),
        ] {
            if let Some(value) = value {
                members.insert(member.into(), json!(value));
            }
        }
        for (member, value) in [("extension", &self.extension), ("identifiers", &self.identifiers)] {
            if let Some(value) = value {
                members.insert(member.into(), value.clone());
            }
        }
        Json::Object(members)
    }
}

/// An operation as the API returns it.
pub(crate) struct Operation<'o> {
    pub deployment: &'o str,
    pub operation_id: &'o str,
    /// `Create`, `Delete`, `Read`, `EvaluateDeploymentOutput`.
    pub kind: &'o str,
    pub state: State,
    pub status_code: Option<&'o str>,
    pub message: Option<Json>,
    pub target: Option<&'o OperationTarget>,
    pub run: &'o str,
    pub started: i64,
    pub now: i64,
}

impl Operation<'_> {
    pub fn to_json(&self) -> Json {
        let mut properties = Map::new();
        properties.insert("provisioningOperation".into(), json!(self.kind));
        properties.insert("provisioningState".into(), json!(self.state));
        properties.insert("timestamp".into(), json!(clock::timestamp(self.now)));
        properties.insert("duration".into(), json!(clock::duration(self.now - self.started)));
        properties.insert("trackingId".into(), json!(self.run));
        properties.insert("serviceRequestId".into(), json!(self.run));
        if let Some(code) = self.status_code {
            properties.insert("statusCode".into(), json!(code));
        }
        if let Some(message) = &self.message {
            properties.insert("statusMessage".into(), message.clone());
        }
        if let Some(target) = self.target {
            properties.insert("targetResource".into(), target.to_json());
        }
        json!({
            "id": format!("{}/operations/{}", self.deployment, self.operation_id),
            "operationId": self.operation_id,
            "properties": properties,
        })
    }
}

/// Puts the end of an operation that was given up into its document.
pub(crate) fn cancel_operation(document: &mut Json) {
    let Some(properties) = document.get_mut("properties").and_then(Json::as_object_mut) else { return };
    properties.insert("provisioningState".into(), json!(State::Canceled));
    properties.insert("statusCode".into(), json!("Conflict"));
    properties
        .insert("statusMessage".into(), messages::status_message(State::Canceled, &messages::canceled()));
}
