//! What a deployment would change, without making it.
//!
//! The template is expanded against the state as it is. References see resources as they would be afterwards: what is
//! stored, with what the template says put over it. So only what really changes is told.

mod delta;
mod extension;

use std::cell::RefCell;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use arm::difference::Comparison;
use arm::expand::{Deployment, Expansion, Missing, Options, Planned, Setup};
use arm::{ResourceQuery, State, Value};
use bicep_types::Type;
use serde_json::{Map, Value as Json, json};

use self::delta::delta;
use crate::document::open_checks;
use crate::engine::Inner;
use crate::error::ArmError;
use crate::job::Mode;
use crate::messages;
use crate::plan::Plan;
use crate::provider::Types;
use crate::scope::{DeploymentId, ResourceId, Scope, belongs, key};

/// How much is told of each resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// All of it, and every difference.
    Full,
    /// Only its id.
    IdOnly,
}

/// How often the template is expanded to find out what it refers to.
const ROUNDS: usize = 16;

/// The changes that a plan would make.
pub(crate) async fn what_if(inner: &Arc<Inner>, plan: Plan, format: Format) -> Result<Json, ArmError> {
    let plan = Arc::new(plan);
    match changes(inner, &plan, format).await {
        Ok(mut answer) => {
            plan.hidden.expressions(&mut answer);
            Ok(answer)
        }
        Err(error) => Err(plan.hidden.error(error)),
    }
}

async fn changes(inner: &Arc<Inner>, plan: &Arc<Plan>, format: Format) -> Result<Json, ArmError> {
    let (expansion, stored) = predict(inner, plan).await?;
    let mut flat = Vec::new();
    flatten(&expansion, (false, false), &mut flat);
    let mut changes = Vec::new();
    let mut potential = Vec::new();
    let mut known = HashSet::new();
    for item in &flat {
        if let Some(alias) = &item.planned.extension {
            let change = extension::change(inner, plan, (item, alias), format).await;
            let change = change.map_err(|error| error.placed(&item.planned.path))?;
            let list = if item.uncertain { &mut potential } else { &mut changes };
            list.push(change);
            continue;
        }
        let Some(id) = item.planned.id.as_ref().and_then(Value::as_str) else {
            potential.push(unsupported(item.planned));
            continue;
        };
        known.insert(key(id));
        let change = change(
            item.planned,
            stored.get(&key(id)).and_then(Option::as_ref),
            (format, &inner.options.types),
        );
        if item.uncertain { potential.push(change) } else { changes.push(change) }
    }
    for (id, document) in others(inner, plan, &known).await? {
        let kind = if plan.job.mode == Mode::Complete { "Delete" } else { "Ignore" };
        let before = (format == Format::Full).then(|| shown(&document));
        changes.push(
            json!({ "resourceId": id, "changeType": kind, "before": before, "after": null, "delta": null }),
        );
    }
    Ok(json!({
        "status": "Succeeded",
        "properties": { "changes": changes, "potentialChanges": potential, "diagnostics": open_checks(&expansion) },
    }))
}

/// A resource of the template or of one inside it.
struct Item<'e> {
    planned: &'e Planned,
    /// Whether it is deployed depends on what is not known.
    uncertain: bool,
    /// Whether it belongs to a deployment inside.
    inside: bool,
}

fn flatten<'e>(expansion: &'e Expansion, (uncertain, inside): (bool, bool), into: &mut Vec<Item<'e>>) {
    for planned in expansion.resources.iter().filter(|planned| !planned.existing) {
        let uncertain = uncertain || planned.condition.as_bool() != Some(true);
        match planned.deployment.as_ref().and_then(|deployment| deployment.expansion.as_ref()) {
            Some(inner) => flatten(inner, (uncertain, true), into),
            None => into.push(Item { planned, uncertain, inside }),
        }
    }
}

/// The keys of the deployments inside, at any depth.
fn deployments(expansion: &Expansion) -> HashSet<String> {
    let mut keys = HashSet::new();
    for planned in expansion.resources.iter().filter(|planned| !planned.existing) {
        let Some(deployment) = &planned.deployment else { continue };
        keys.extend(planned.id.as_ref().and_then(Value::as_str).map(key));
        if let Some(inner) = &deployment.expansion {
            keys.extend(deployments(inner));
        }
    }
    keys
}

/// What is stored at the ids that matter.
type Stored = BTreeMap<String, Option<Json>>;

/// Expands the template until it asks for nothing new and its own changes are taken into account.
async fn predict(inner: &Inner, plan: &Arc<Plan>) -> Result<(Expansion, Stored), ArmError> {
    let mut stored = Stored::new();
    let mut predicted: BTreeMap<String, Value> = BTreeMap::new();
    for _ in 0..ROUNDS {
        let (plan, answers) = (Arc::clone(plan), predicted.clone());
        let limits = inner.options.limits;
        let asked: BTreeSet<String> = stored.keys().cloned().collect();
        let work = tokio::task::spawn_blocking(move || expand(&plan, &answers, &asked, limits));
        let (expansion, wanted) = work.await.map_err(|_| messages::canceled())??;
        let mut flat = Vec::new();
        flatten(&expansion, (false, false), &mut flat);
        let own = flat.iter().filter_map(|item| item.planned.id.as_ref()?.as_str());
        let ids: Vec<String> = wanted.into_iter().chain(own.map(str::to_owned)).collect();
        let inside = deployments(&expansion);
        let mut news = false;
        for id in ids {
            if let Entry::Vacant(place) = stored.entry(key(&id)) {
                // A deployment of the template has the outputs that it will have, not those it had.
                let found = if inside.contains(&key(&id)) { None } else { read(inner, &id).await? };
                place.insert(found);
                news = true;
            }
        }
        let next = predictions(&flat, &stored);
        let stable = !news && same(&next, &predicted);
        predicted = next;
        if stable {
            return Ok((expansion, stored));
        }
    }
    Err(messages::still_unknown(&plan.id.to_string(), "", "its resources refer to each other in circles"))
}

async fn read(inner: &Inner, id: &str) -> Result<Option<Json>, ArmError> {
    if let Some(deployment) = DeploymentId::parse(id) {
        let row = inner.store.deployment(&deployment.key()).await;
        let row = row?;
        return Ok(row.and_then(|row| crate::stored::object(&row.document)));
    }
    inner.documents.read(id).await
}

fn expand(
    plan: &Plan,
    answers: &BTreeMap<String, Value>,
    asked: &BTreeSet<String>,
    limits: base::Limits,
) -> Result<(Expansion, BTreeSet<String>), ArmError> {
    let budget = crate::clock::budget(limits);
    let state = Predicted { answers, asked, wanted: RefCell::default() };
    let setup = Setup {
        template: &plan.template,
        inputs: &plan.inputs,
        context: &plan.context,
        state: &state,
        budget: &budget,
        options: Options { missing: Missing::Error, speculate: true },
    };
    let expansion = Deployment::new(setup).expand();
    if !expansion.errors.is_empty() {
        return Err(messages::invalid_template(&expansion.errors, plan.text.as_deref()));
    }
    Ok((expansion, state.wanted.into_inner()))
}

/// Resources as they would be afterwards.
struct Predicted<'p> {
    answers: &'p BTreeMap<String, Value>,
    asked: &'p BTreeSet<String>,
    wanted: RefCell<BTreeSet<String>>,
}

impl State for Predicted<'_> {
    fn resource(&self, query: &ResourceQuery<'_>) -> Option<Value> {
        let key = key(query.id);
        if let Some(document) = self.answers.get(&key) {
            if query.full {
                return Some(document.clone());
            }
            return document.get("properties").cloned();
        }
        if query.id.starts_with('/') && !self.asked.contains(&key) {
            self.wanted.borrow_mut().insert(query.id.to_owned());
        }
        None
    }
}

/// What is stored with what the template says put over it.
fn predictions(flat: &[Item<'_>], stored: &Stored) -> BTreeMap<String, Value> {
    let mut predicted: BTreeMap<String, Value> = stored
        .iter()
        .filter_map(|(id, document)| Some((id.clone(), Value::from(document.as_ref()?))))
        .collect();
    for item in flat {
        let Some(id) = item.planned.id.as_ref().and_then(Value::as_str) else { continue };
        // What is only made by this deployment has parts that nobody knows yet.
        if let Some(old) = predicted.get(&key(id)) {
            let merged = merged(old, &item.planned.body);
            predicted.insert(key(id), merged);
        }
    }
    predicted
}

fn merged(old: &Value, new: &Value) -> Value {
    let (Some(before), Some(after)) = (old.as_object(), new.as_object()) else { return new.clone() };
    let mut members: Vec<_> = before.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
    for (name, value) in after.iter() {
        match members.iter_mut().find(|(known, _)| known.eq_ignore_ascii_case(name)) {
            Some((_, known)) => *known = merged(known, value),
            None => members.push((name.clone(), value.clone())),
        }
    }
    Value::object(members)
}

fn same(a: &BTreeMap<String, Value>, b: &BTreeMap<String, Value>) -> bool {
    let text = |map: &BTreeMap<String, Value>| -> Vec<String> {
        map.iter().map(|(id, value)| format!("{id}{}", value.to_json(arm::Secrets::Shown))).collect()
    };
    text(a) == text(b)
}

/// Resources of the group that the template does not have.
async fn others(
    inner: &Inner,
    plan: &Plan,
    known: &HashSet<String>,
) -> Result<Vec<(String, Json)>, ArmError> {
    let Scope::ResourceGroup { .. } = plan.id.scope else { return Ok(Vec::new()) };
    let rows = inner.store.resources_of_group(&plan.id.scope.key()).await;
    let rows = rows?;
    let others = rows.into_iter().filter(|row| !belongs(&key(&row.id), known));
    Ok(others.filter_map(|row| Some((row.id, crate::stored::object(&row.document)?))).collect())
}

/// The change of one resource.
fn change(planned: &Planned, stored: Option<&Json>, (format, types): (Format, &Types)) -> Json {
    let id = planned.id.as_ref().and_then(Value::as_str).unwrap_or_default();
    let mut entry = Map::new();
    entry.insert("resourceId".into(), json!(id));
    if let Some(symbol) = crate::run::symbol_of(planned) {
        entry.insert("symbolicName".into(), json!(symbol));
    }
    if format == Format::IdOnly {
        let kind = if stored.is_some() { "Deploy" } else { "Create" };
        entry.insert("changeType".into(), json!(kind));
        return Json::Object(entry);
    }
    let version = planned.api_version.as_ref().and_then(Value::as_str);
    let ty = types.body(planned.resource_type.as_str().unwrap_or_default(), version);
    let mut after = after(planned, id);
    // Also what came through a plain parameter.
    after.as_object_mut().into_iter().for_each(|members| types.hide(ty.as_ref(), members));
    let Some(before) = stored.map(shown) else {
        entry.insert("changeType".into(), json!("Create"));
        entry.insert("before".into(), Json::Null);
        entry.insert("after".into(), after);
        entry.insert("delta".into(), Json::Null);
        return Json::Object(entry);
    };
    let differences = delta(&before, &after, &Unimportant { body: &planned.body, types, ty });
    entry.insert("changeType".into(), json!(if differences.is_empty() { "NoChange" } else { "Modify" }));
    entry.insert("before".into(), before);
    entry.insert("after".into(), after);
    entry.insert("delta".into(), Json::Array(differences));
    Json::Object(entry)
}

/// A resource as it would be, in the form of the API.
fn after(planned: &Planned, id: &str) -> Json {
    let mut members = Map::new();
    if let Some(version) = planned.api_version.as_ref() {
        members.insert("apiVersion".into(), version.to_json(arm::Secrets::Hidden));
    }
    members.insert("id".into(), json!(id));
    let parts = ResourceId::parse(id);
    members.insert("name".into(), json!(parts.as_ref().and_then(|parts| parts.names.last())));
    members.insert("type".into(), planned.resource_type.to_json(arm::Secrets::Hidden));
    if let Some(Scope::ResourceGroup { group, .. }) =
        crate::scope::group_key(id).and_then(|group| Scope::parse(id.get(..group.len())?))
    {
        members.insert("resourceGroup".into(), json!(group.as_str()));
    }
    if let Json::Object(body) = crate::secrets::without(&planned.body) {
        members.extend(body.into_iter().filter(|(_, value)| !value.is_null()));
    }
    Json::Object(members)
}

/// A stored resource in the same form.
fn shown(document: &Json) -> Json {
    let mut members = document.as_object().cloned().unwrap_or_default();
    members.shift_remove("etag");
    let id = members.get("id").and_then(Json::as_str).unwrap_or_default().to_owned();
    if let Some(Scope::ResourceGroup { group, .. }) =
        crate::scope::group_key(&id).and_then(|group| Scope::parse(id.get(..group.len())?))
    {
        members.insert("resourceGroup".into(), json!(group.as_str()));
    }
    Json::Object(members)
}

fn unsupported(planned: &Planned) -> Json {
    let id = planned.id.as_ref().map_or(Json::Null, |id| id.to_json(arm::Secrets::Hidden));
    json!({
        "resourceId": id,
        "changeType": "Unsupported",
        "symbolicName": crate::run::symbol_of(planned),
        "resourceType": planned.resource_type.to_json(arm::Secrets::Hidden),
        "unsupportedReason": "Its id is only known during the deployment.",
    })
}

/// What no template decides on.
struct Unimportant<'p> {
    body: &'p Value,
    types: &'p Types,
    ty: Option<Type>,
}

impl Comparison for Unimportant<'_> {
    fn is_lenient(&self) -> bool {
        true
    }

    fn is_read_only(&self, path: &str) -> bool {
        let own = ["apiVersion", "id", "name", "type", "resourceGroup", "properties.provisioningState"];
        own.contains(&path) || self.types.is_read_only(self.ty.as_ref(), path)
    }

    fn is_secret(&self, path: &str) -> bool {
        if self.types.is_write_only(self.ty.as_ref(), path) {
            return true;
        }
        let mut value = Some(self.body);
        for part in path.split('.') {
            let Some(inner) = value else { return false };
            if inner.is_secure() {
                return true;
            }
            value = inner.get(part);
        }
        value.is_some_and(Value::is_secure)
    }
}
