//! The predicted result of a deployment, without deploying: what `sinew snapshot` writes and compares.

use base::Budget;
use serde_json::{Map, Value as Json, json};

use crate::context::Context;
use crate::error::Error;
use crate::expand::{Deployment, Expansion, Planned, Policy, Setup, Speculation};
use crate::expression::{Expr, ExprKind};
use crate::parameters::Inputs;
use crate::state::NoState;
use crate::template::Template;
use crate::value::{Kind, Secrets, Value};

/// What a deployment would do, as far as it can be known.
#[derive(Debug)]
pub struct Snapshot {
    /// The document `{predictedResources, diagnostics, outputs}`. What cannot be known stays as an expression; secure
    /// values are hidden. Deployments inside are replaced by what they deploy.
    pub document: Json,
    /// The checks that could not be made.
    pub open: Vec<Error>,
}

/// Predicts a deployment.
pub fn snapshot(
    template: &Template,
    inputs: &Inputs,
    context: &Context,
    budget: &Budget,
) -> Result<Snapshot, Vec<Error>> {
    let policy = Policy { speculation: Speculation::Outputs, ..Policy::default() };
    let setup = Setup { template, inputs, context, state: &NoState, budget, policy };
    let expansion = Deployment::new(setup).expand();
    if !expansion.errors.is_empty() {
        return Err(expansion.errors);
    }
    Ok(Snapshot { document: prediction(&expansion), open: expansion.open })
}

/// The same document of a template that has been expanded.
pub fn prediction(expansion: &Expansion) -> Json {
    let mut lists = Lists::default();
    lists.collect(expansion);
    lists.resources.append(&mut lists.extensible);
    let outputs: Map<String, Json> =
        expansion.outputs.iter().map(|(name, output)| (name.to_string(), whole(&output.value))).collect();
    json!({
        "predictedResources": lists.resources,
        "diagnostics": lists.diagnostics,
        "outputs": outputs,
    })
}

#[derive(Default)]
struct Lists {
    resources: Vec<Json>,
    /// Resources of extensions come after all others.
    extensible: Vec<Json>,
    diagnostics: Vec<String>,
}

impl Lists {
    fn collect(&mut self, expansion: &Expansion) {
        for planned in expansion.resources.iter().filter(|planned| !planned.existing) {
            let inner = planned.deployment.as_ref().map(|deployment| deployment.expansion.as_ref());
            match inner {
                Some(Some(inner)) => self.collect(inner),
                Some(None) => {
                    let target = planned.id.as_ref().map(part).unwrap_or_default();
                    self.diagnostics.push(format!(
                        "{} Warning NestedDeploymentSkippedFromInternalExpansion: the template of this deployment is \
                         linked, so its resources are not shown",
                        target.as_str().unwrap_or_default()
                    ));
                    self.resources.push(resource(planned));
                }
                None if planned.extension.is_some() => self.extensible.push(extensible(planned)),
                None => self.resources.push(resource(planned)),
            }
        }
    }
}

/// Members in the order of the reference's documents; others follow in the order of the template.
const ORDER: &[&str] =
    &["location", "extendedLocation", "sku", "kind", "identity", "plan", "zones", "tags", "properties"];

fn resource(planned: &Planned) -> Json {
    let mut members = Map::new();
    let mut add = |name: &str, value: Option<&Value>| {
        if let Some(value) = value.filter(|value| !value.is_null()) {
            members.insert(name.into(), part(value));
        }
    };
    add("id", planned.id.as_ref());
    add("type", Some(&planned.resource_type));
    add("name", planned.name.as_ref());
    add("apiVersion", planned.api_version.as_ref());
    if planned.condition.is_unknown() {
        add("condition", Some(&planned.condition));
    }
    let body: Vec<_> = planned.body.as_object().into_iter().flat_map(crate::value::Object::iter).collect();
    for name in ORDER {
        let found = body.iter().find(|(key, _)| json::eq_ignore_case(key, name));
        add(name, found.map(|(_, value)| *value));
    }
    for (name, value) in body {
        if !ORDER.iter().any(|known| json::eq_ignore_case(known, name)) {
            add(name, Some(value));
        }
    }
    Json::Object(members)
}

fn extensible(planned: &Planned) -> Json {
    let mut members = Map::new();
    if let Some(properties) = planned.body.get("properties") {
        members.insert("properties".into(), part(properties));
    }
    members.insert("type".into(), part(&planned.resource_type));
    if let Some(version) = &planned.api_version {
        members.insert("apiVersion".into(), part(version));
    }
    Json::Object(members)
}

/// An output: one expression, if any part of it is unknown.
fn whole(value: &Value) -> Json {
    if value.is_unknown() || (value.has_unknown() && !value.is_secure()) {
        return Json::String(format!("[{}]", Expr::of_value(value)));
    }
    value.to_json(Secrets::Hidden)
}

/// A part of a resource: only what is unknown is an expression. An object of which only a name is unknown stays an
/// object.
fn part(value: &Value) -> Json {
    if !value.has_unknown() || (value.is_secure() && !value.is_unknown()) {
        return value.to_json(Secrets::Hidden);
    }
    match value.kind() {
        Kind::Array(items) => Json::Array(items.iter().map(part).collect()),
        Kind::Object(object) => {
            Json::Object(object.iter().map(|(key, member)| (key.to_string(), part(member))).collect())
        }
        Kind::Unknown(unknown) => object_of_call(&unknown.expression)
            .unwrap_or_else(|| Json::String(format!("[{}]", unknown.expression))),
        _ => value.to_json(Secrets::Hidden),
    }
}

/// `createObject('a', 1, utcNow(), 2)` as `{"a": 1, "[utcNow()]": 2}`.
fn object_of_call(expression: &Expr) -> Option<Json> {
    let ExprKind::Call(call) = expression.kind() else { return None };
    if !call.name.eq_ignore_ascii_case("createObject") {
        return None;
    }
    let known = |expression: &Expr| match expression.kind() {
        ExprKind::Known(value) => part(value),
        _ => object_of_call(expression).unwrap_or_else(|| Json::String(format!("[{expression}]"))),
    };
    let pairs = call.args.chunks_exact(2).map(|pair| {
        let key = pair.first().map(known).and_then(|key| key.as_str().map(String::from)).unwrap_or_default();
        (key, pair.last().map(known).unwrap_or_default())
    });
    Some(Json::Object(pairs.collect()))
}
