//! A deployment that is being executed: the requested one, or one nested in it.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use arm::expand::{Expansion, Planned};
use arm::template::Nested;
use arm::{Context, Step, Template, Value};
use serde_json::Value as Json;

use crate::job::Mode;
use crate::plan::{ExtensionConfigs, Plan};
use crate::scope::DeploymentId;
use crate::store::DeploymentRow;

/// A deployment that is being executed.
pub(crate) struct ActiveDeployment {
    pub id: DeploymentId,
    /// The id in lower case.
    pub key: String,
    /// The run, which names all it does.
    pub run: String,
    pub mode: Mode,
    pub template: TemplateRef,
    /// Whose functions its expressions see: those of the template around it when they belong to that.
    pub functions: TemplateRef,
    /// The template as it was sent.
    pub source: Arc<Json>,
    pub context: Context,
    pub expansion: Arc<Expansion>,
    /// The document that GET returns.
    pub document: Json,
    pub started: i64,
    /// Whether some of it may be done already.
    pub is_resumed: bool,
    /// The configurations of extensions, by alias.
    pub configs: ExtensionConfigs,
    /// What resources of extensions gave, by symbolic name.
    pub symbols: Mutex<HashMap<String, Value>>,
    /// What was really made, by the place of the resource in the template and its turn.
    pub made: Mutex<BTreeMap<(usize, usize), Vec<Json>>>,
    /// The deployments around it whose names its expressions see, the nearest first.
    pub around: Vec<Arc<Expansion>>,
}

/// A template, or one that is written inside of it.
#[derive(Clone)]
pub(crate) struct TemplateRef {
    root: Arc<Template>,
    /// Positions of the deployments on the way.
    path: Vec<usize>,
}

impl TemplateRef {
    pub fn whole(root: Arc<Template>) -> Self {
        Self { root, path: Vec::new() }
    }

    /// The template of the deployment at this position.
    pub fn inside(&self, resource: usize) -> Self {
        let mut path = self.path.clone();
        path.push(resource);
        Self { root: Arc::clone(&self.root), path }
    }

    pub fn get(&self) -> &Template {
        let mut template = &*self.root;
        for at in &self.path {
            let nested = template.resources.get(*at).and_then(|resource| resource.deployment.as_ref());
            match nested.and_then(|nested| nested.template.as_deref()) {
                Some(inner) => template = inner,
                None => break,
            }
        }
        template
    }

    /// The deployment that is written at this position.
    pub fn nested(&self, resource: usize) -> Option<&Nested> {
        self.get().resources.get(resource)?.deployment.as_ref()
    }
}

impl ActiveDeployment {
    /// The outermost deployment.
    pub fn of_plan(plan: &Plan, row: &DeploymentRow, document: Json) -> Self {
        let template = TemplateRef::whole(Arc::clone(&plan.template));
        Self {
            id: plan.id.clone(),
            key: plan.id.key(),
            run: row.run.clone(),
            mode: plan.job.mode,
            functions: template.clone(),
            template,
            source: Arc::clone(&plan.source),
            context: plan.context.clone(),
            expansion: Arc::clone(&plan.expansion),
            document,
            started: row.created,
            // A plan that this process has just accepted has its text, and no execution has begun.
            is_resumed: plan.text.is_none(),
            configs: plan.configs.clone(),
            symbols: Mutex::default(),
            made: Mutex::default(),
            around: Vec::new(),
        }
    }

    /// What stands in the template at a resource's place.
    pub fn written(&self, planned: &Planned) -> Option<&Json> {
        planned.path.iter().try_fold(&*self.source, |json, step| match step {
            Step::Key(name) => member(json, name),
            Step::Index(index) => json.get(*index),
        })
    }

    /// Notes what a resource of the template became: itself, or what a deployment inside has made.
    pub fn note_made(&self, planned: &Planned, made: Vec<Json>) {
        let turn = planned.batch.as_ref().map_or(0, |batch| batch.index);
        let mut all = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert((planned.resource, turn), made);
    }

    /// What was made so far, in the order of the template.
    pub fn made(&self) -> Vec<Json> {
        let all = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        all.values().flatten().cloned().collect()
    }

    /// Keeps what a resource of an extension gave.
    pub fn remember(&self, symbol: &str, value: Value) {
        self.symbols.lock().unwrap_or_else(PoisonError::into_inner).insert(symbol.to_lowercase(), value);
    }

    /// What a resource of an extension gave.
    pub fn recall(&self, symbol: &str) -> Option<Value> {
        self.symbols.lock().unwrap_or_else(PoisonError::into_inner).get(&symbol.to_lowercase()).cloned()
    }
}

/// A member in any letter case.
pub(crate) fn member<'j>(json: &'j Json, name: &str) -> Option<&'j Json> {
    let members = json.as_object()?;
    members
        .get(name)
        .or_else(|| members.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, v)| v))
}

/// The symbolic name of a resource, with its turn.
pub(crate) fn symbol_of(planned: &Planned) -> Option<String> {
    let symbol = planned.symbol.as_ref()?;
    Some(match &planned.batch {
        Some(batch) => format!("{symbol}[{}]", batch.index),
        None => symbol.to_string(),
    })
}

/// What a resource is called in every attempt to deploy it.
pub(crate) fn subject_of(planned: &Planned) -> String {
    match &planned.batch {
        Some(batch) => format!("{}[{}]", planned.resource, batch.index),
        None => planned.resource.to_string(),
    }
}
