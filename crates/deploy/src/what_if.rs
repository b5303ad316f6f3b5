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
use arm::expand::{Deployment, Expansion, Planned, PlannedDeployment, Policy, Setup, Speculation};
use arm::{Context, ResourceQuery, State, Value};
use bicep_types::Type;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value as Json, json};
use smol_str::SmolStr;

use self::delta::delta;
use crate::document::open_checks;
use crate::engine::Inner;
use crate::error::ArmError;
use crate::job::Mode;
use crate::messages;
use crate::plan::{ExtensionConfigs, Plan};
use crate::provider::{Types, is_assigned};
use crate::run::extensible::{self, LOCAL};
use crate::run::{TemplateRef, nested};
use crate::scope::{DeploymentId, ResourceId, Scope, belongs, key};
use crate::secrets::{clean_error, clean_expressions};
use crate::vault::SECRET_TYPE;

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
            clean_expressions(&plan.hidden, &mut answer);
            Ok(answer)
        }
        Err(error) => Err(clean_error(&plan.hidden, error)),
    }
}

async fn changes(inner: &Arc<Inner>, plan: &Arc<Plan>, format: Format) -> Result<Json, ArmError> {
    let (expansion, stored) = predict(inner, plan).await?;
    let preview = WhatIfContext { inner, plan, format, stored: &stored };
    let mut found = WhatIfChanges::default();
    preview.add(&expansion, &Arc::new(TemplateLevel::outermost(plan)), false, &mut found).await?;
    let WhatIfChanges { mut changes, potential, known } = found;
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

/// The inputs of a prediction.
struct WhatIfContext<'p> {
    inner: &'p Arc<Inner>,
    plan: &'p Arc<Plan>,
    format: Format,
    stored: &'p StoredResources,
}

/// Changes so far.
#[derive(Default)]
struct WhatIfChanges {
    changes: Vec<Json>,
    /// Those that depend on what is not known.
    potential: Vec<Json>,
    /// The keys of the resources that they are about.
    known: HashSet<String>,
}

impl WhatIfChanges {
    fn push(&mut self, item: &PredictedResource<'_>, change: Json) {
        let list = if item.uncertain { &mut self.potential } else { &mut self.changes };
        list.push(change);
    }
}

impl WhatIfContext<'_> {
    /// Adds the changes that the resources of a template would make, those of templates inside included.
    fn add<'f>(
        &'f self,
        expansion: &'f Expansion,
        level: &'f Arc<TemplateLevel>,
        uncertain: bool,
        into: &'f mut WhatIfChanges,
    ) -> BoxFuture<'f, Result<(), ArmError>> {
        async move {
            let mut flat = Vec::new();
            flatten(expansion, level, uncertain, &mut flat);
            for item in &flat {
                match &item.planned.extension {
                    Some(alias) if item.level.extension(alias) == LOCAL => {
                        self.add_module(item, alias, into).await?;
                    }
                    Some(alias) => {
                        let change = extension::change(self, item, alias).await;
                        into.push(item, change.map_err(|error| error.placed(&item.planned.path))?);
                    }
                    None => self.add_resource(item, into).await?,
                }
            }
            Ok(())
        }
        .boxed()
    }

    async fn add_resource(
        &self,
        item: &PredictedResource<'_>,
        into: &mut WhatIfChanges,
    ) -> Result<(), ArmError> {
        let Some(id) = item.planned.id.as_ref().and_then(Value::as_str) else {
            into.potential.push(unsupported(item.planned));
            return Ok(());
        };
        into.known.insert(key(id));
        let read_now;
        let stored = match self.stored.get(&key(id)) {
            Some(stored) => stored.as_ref(),
            // One of a module, whose template was not there when the others were looked for.
            None => {
                read_now = read(self.inner, id).await?;
                read_now.as_ref()
            }
        };
        into.push(item, change(item.planned, stored, self.format, &self.inner.options.types));
        Ok(())
    }

    /// A module of a local deployment: what its template would change.
    async fn add_module(
        &self,
        item: &PredictedResource<'_>,
        alias: &str,
        into: &mut WhatIfChanges,
    ) -> Result<(), ArmError> {
        if item.level.depth >= DEEPEST {
            return Err(messages::modules_too_deep(DEEPEST));
        }
        let properties = extensible::parts(item.planned, None).get("properties").cloned();
        match Module::read(self.inner, self.plan, properties.as_ref()) {
            Ok(module) => {
                let level = Arc::new(TemplateLevel {
                    functions: module.template.clone(),
                    template: module.template,
                    configs: LevelConfigs::Known(module.configs),
                    depth: item.level.depth + 1,
                });
                self.add(&module.expansion, &level, item.uncertain, into).await
            }
            Err(ModuleError::Unknown(path)) => {
                let reason = messages::preview_of_unknown(&path);
                into.push(item, extension::unsupported(item, alias, &reason));
                Ok(())
            }
            Err(ModuleError::Wrong(error)) => Err(error.placed(&item.planned.path)),
        }
    }
}

/// How deep modules of local deployments may be nested.
const DEEPEST: usize = 32;

/// A module of a local deployment, expanded.
struct Module {
    template: TemplateRef,
    expansion: Expansion,
    configs: ExtensionConfigs,
}

/// Why a module cannot be looked into.
enum ModuleError {
    /// A part of it is only known during the deployment.
    Unknown(String),
    Wrong(ArmError),
}

impl Module {
    /// Expands `{name, template, parameters}`. Parameters may have unknown parts.
    fn read(inner: &Inner, plan: &Plan, properties: Option<&Value>) -> Result<Self, ModuleError> {
        let part = |name: &str| properties.and_then(|it| it.get(name)).cloned().unwrap_or(Value::NULL);
        for name in ["name", "template"] {
            if part(name).has_unknown() {
                return Err(ModuleError::Unknown(format!("properties.{name}")));
            }
        }
        let template = nested::module_template(&crate::secrets::without(&part("template")));
        let template = template.map_err(ModuleError::Wrong)?;
        let mut context = plan.context.clone();
        context.deployment_name = part("name").as_str().map(SmolStr::new);
        let expanded = nested::expand(&template, &part("parameters"), &context, inner.options.limits);
        let (expansion, configs) = expanded.map_err(ModuleError::Wrong)?;
        Ok(Self { template, expansion, configs })
    }
}

/// The template that resources stand in.
struct TemplateLevel {
    template: TemplateRef,
    /// Whose extensions its resources name: those of the template around it when expressions belong to that.
    functions: TemplateRef,
    configs: LevelConfigs,
    /// How many modules are around it.
    depth: usize,
}

/// The configurations that the resources of a template give to extensions.
#[derive(Clone)]
enum LevelConfigs {
    Known(ExtensionConfigs),
    /// Of a deployment inside: they follow from its parameters.
    Nested {
        parameters: Value,
        context: Box<Context>,
    },
}

impl TemplateLevel {
    fn outermost(plan: &Plan) -> Self {
        let template = TemplateRef::whole(Arc::clone(&plan.template));
        let configs = LevelConfigs::Known(plan.configs.clone());
        Self { functions: template.clone(), template, configs, depth: 0 }
    }

    /// The template of a deployment inside.
    fn inside(&self, planned: &Planned, deployment: &PlannedDeployment) -> Self {
        let template = self.template.inside(planned.resource);
        let is_outer = self.template.nested(planned.resource).is_some_and(|nested| nested.outer);
        let (functions, configs) = match is_outer {
            true => (self.functions.clone(), self.configs.clone()),
            false => {
                let parameters = deployment.parameters.clone();
                let context = Box::new(deployment.context.clone());
                (template.clone(), LevelConfigs::Nested { parameters, context })
            }
        };
        Self { template, functions, configs, depth: self.depth }
    }

    /// The name of the extension behind an alias.
    fn extension<'a>(&'a self, alias: &'a str) -> &'a str {
        extensible::name_of(self.functions.get(), alias)
    }

    /// The configuration of an extension.
    fn config(&self, alias: &str, limits: base::Limits) -> Result<Option<Value>, ArmError> {
        match &self.configs {
            LevelConfigs::Known(configs) => Ok(configs.get(alias).cloned()),
            LevelConfigs::Nested { parameters, context } => {
                Ok(nested::configs_of(&self.functions, parameters, context, limits)?.get(alias).cloned())
            }
        }
    }
}

/// A resource of the template or of one inside it.
struct PredictedResource<'e> {
    planned: &'e Planned,
    /// Whether it is deployed depends on what is not known.
    uncertain: bool,
    /// The template that it stands in.
    level: Arc<TemplateLevel>,
}

fn flatten<'e>(
    expansion: &'e Expansion,
    level: &Arc<TemplateLevel>,
    uncertain: bool,
    into: &mut Vec<PredictedResource<'e>>,
) {
    for planned in expansion.resources.iter().filter(|planned| !planned.existing) {
        let uncertain = uncertain || planned.condition.as_bool() != Some(true);
        match planned.deployment.as_ref().and_then(|it| Some((it, it.expansion.as_ref()?))) {
            Some((deployment, inner)) => {
                flatten(inner, &Arc::new(level.inside(planned, deployment)), uncertain, into);
            }
            None => into.push(PredictedResource { planned, uncertain, level: Arc::clone(level) }),
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
type StoredResources = BTreeMap<String, Option<Json>>;

/// Expands the template until it asks for nothing new and its own changes are taken into account.
async fn predict(inner: &Inner, plan: &Arc<Plan>) -> Result<(Expansion, StoredResources), ArmError> {
    let mut stored = StoredResources::new();
    let mut predicted: BTreeMap<String, Value> = BTreeMap::new();
    for _ in 0..ROUNDS {
        let (expanded, answers) = (Arc::clone(plan), predicted.clone());
        let limits = inner.options.limits;
        let asked: BTreeSet<String> = stored.keys().cloned().collect();
        let work = tokio::task::spawn_blocking(move || expand(&expanded, &answers, &asked, limits));
        let (expansion, wanted) = work.await.map_err(|_| messages::canceled())??;
        let mut flat = Vec::new();
        flatten(&expansion, &Arc::new(TemplateLevel::outermost(plan)), false, &mut flat);
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
        let mut next = predictions(&flat, &stored);
        if inside.is_empty() {
            next.extend(module_outputs(inner, plan, &flat));
        }
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
    let state = PredictedState { answers, asked, wanted: RefCell::default() };
    let setup = Setup {
        template: &plan.template,
        inputs: &plan.inputs,
        context: &plan.context,
        state: &state,
        budget: &budget,
        policy: Policy { speculation: Speculation::Outputs, ..Policy::default() },
    };
    let expansion = Deployment::new(setup).expand();
    if !expansion.errors.is_empty() {
        return Err(messages::invalid_template(&expansion.errors, plan.text.as_deref()));
    }
    Ok((expansion, state.wanted.into_inner()))
}

/// Resources as they would be afterwards.
struct PredictedState<'p> {
    answers: &'p BTreeMap<String, Value>,
    asked: &'p BTreeSet<String>,
    wanted: RefCell<BTreeSet<String>>,
}

impl State for PredictedState<'_> {
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
fn predictions(flat: &[PredictedResource<'_>], stored: &StoredResources) -> BTreeMap<String, Value> {
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

/// The outputs of modules of a local deployment, by their symbolic names, as far as they can be told beforehand.
fn module_outputs(inner: &Inner, plan: &Plan, flat: &[PredictedResource<'_>]) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    for item in flat {
        let Some(alias) = &item.planned.extension else { continue };
        let Some(symbol) = crate::run::symbol_of(item.planned) else { continue };
        if item.level.extension(alias) != LOCAL || item.uncertain {
            continue;
        }
        let properties = extensible::parts(item.planned, None).get("properties").cloned();
        let Ok(module) = Module::read(inner, plan, properties.as_ref()) else { continue };
        let known = module.expansion.outputs.iter().filter(|(_, output)| !output.value.has_unknown());
        let outputs = known.map(|(name, output)| {
            let kind = output.primitive.map_or(Value::NULL, |primitive| Value::from(primitive.name()));
            (name.clone(), Value::object([("type", kind), ("value", output.value.clone())]))
        });
        let properties = Value::object([("outputs", Value::object(outputs))]);
        found.push((key(&symbol), Value::object([("properties", properties)])));
    }
    found
}

/// A value with another one put over it. Items of lists that have the same name are put over each other, too: the provider has
/// given them ids.
fn merged(old: &Value, new: &Value) -> Value {
    if let (Some(before), Some(after)) = (old.as_array(), new.as_array()) {
        let named = |item: &Value| {
            let name = item.get("name").filter(|name| name.as_str().is_some())?;
            before.iter().find(|known| known.get("name").and_then(Value::as_str) == name.as_str())
        };
        let item = |item: &Value| named(item).map_or_else(|| item.clone(), |known| merged(known, item));
        return Value::array(after.iter().map(item).collect::<Vec<_>>());
    }
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
fn change(planned: &Planned, stored: Option<&Json>, format: Format, types: &Types) -> Json {
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
    let resource_type = planned.resource_type.as_str().unwrap_or_default();
    let ty = types.body(resource_type, version);
    let mut after = after(planned, id);
    // Also what came through a plain parameter.
    after.as_object_mut().into_iter().for_each(|members| types.hide(ty.as_ref(), members));
    if resource_type.eq_ignore_ascii_case(SECRET_TYPE)
        && let Some(properties) = after.get_mut("properties").and_then(Json::as_object_mut)
    {
        properties.shift_remove("value");
    }
    let Some(mut before) = stored.map(shown) else {
        entry.insert("changeType".into(), json!("Create"));
        entry.insert("before".into(), Json::Null);
        entry.insert("after".into(), after);
        entry.insert("delta".into(), Json::Null);
        return Json::Object(entry);
    };
    before.as_object_mut().into_iter().for_each(|members| types.hide(ty.as_ref(), members));
    let differences =
        delta(&before, &after, &IgnoredDifferences { resource_type, body: &planned.body, types, ty });
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

/// Differences that no template causes, such as what providers assign: a prediction leaves them out.
struct IgnoredDifferences<'p> {
    resource_type: &'p str,
    body: &'p Value,
    types: &'p Types,
    ty: Option<Type>,
}

impl Comparison for IgnoredDifferences<'_> {
    fn is_lenient(&self) -> bool {
        true
    }

    fn is_read_only(&self, path: &str) -> bool {
        let own = ["apiVersion", "id", "name", "type", "resourceGroup", "properties.provisioningState"];
        own.contains(&path)
            || self.types.is_read_only(self.ty.as_ref(), path)
            || is_assigned(self.resource_type, path)
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
