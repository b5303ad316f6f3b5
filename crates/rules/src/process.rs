//! Templates to documents that rules look at. [`arm::expand`] does the work, under a policy that goes on after errors and
//! does not consult conditions: a resource that may be deployed is looked at. Here its result gets the form that rules
//! know: resources as they are written, children and dependants below their resources, one layer for each template.

use std::collections::{BTreeSet, HashMap};

use arm::document::Node;
use arm::expand::{
    Conditions, Deployment, Errors, Expansion, Missing, NestedContext, Planned, Policy, Setup, Speculation,
};
use arm::limits::{MAX_NESTING, MAX_RESOURCES};
use arm::parameters::Inputs;
use arm::template::Resource;
use arm::value::Object;
use arm::{Context, Step, Template, Value};
use base::{Budget, Diagnostic, TextSize};
use json::{Path, Segment};
use smol_str::SmolStr;

use crate::document::{Document, Placed};
use crate::reachability::Reach;
use crate::{messages, reparent};

/// One template with what is known about its place; nested templates have their own.
#[derive(Debug)]
pub struct TemplateLayer {
    /// The expanded template.
    pub document: Document,
    /// Where the template stands in the whole document.
    pub prefix: Path,
    /// How many templates are around it.
    pub level: usize,
}

/// Everything that came of a template.
#[derive(Debug, Default)]
pub struct Processed {
    /// The template itself first, then those inside it.
    pub layers: Vec<TemplateLayer>,
    /// What is wrong with the template, as far as it matters here.
    pub diagnostics: Vec<Diagnostic>,
}

/// A template to be processed.
pub struct Source<'s> {
    pub template: &'s Template,
    /// What is wrong with it.
    pub problems: &'s [arm::Error],
    /// Parameter values.
    pub inputs: Inputs,
    /// What becomes of parameters without a value.
    pub missing: MissingValues,
    /// The place of deployment: see [`placeholder_context`].
    pub context: Context,
    /// How much work it may be.
    pub budget: &'s Budget,
    /// What rules may look at.
    pub reach: Reach,
}

impl<'s> Source<'s> {
    /// A template as it was read, without values for its parameters, in the made-up place.
    pub fn new(read: &'s (Template, Vec<arm::Error>), budget: &'s Budget) -> Self {
        Self {
            template: &read.0,
            problems: &read.1,
            inputs: Inputs::default(),
            missing: MissingValues::default(),
            context: placeholder_context(),
            budget,
            reach: Reach::default(),
        }
    }
}

/// What becomes of parameters without a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MissingValues {
    /// They are not known, and rules that need them cannot be decided.
    #[default]
    Unknown,
    /// They are made up, as the original analyzer does it.
    Placeholders,
}

/// Expands a template and the templates inside it.
pub fn process(source: Source<'_>) -> Processed {
    let Source { template, problems, inputs, missing, context, budget, reach } = source;
    let mut processed = Processed::default();
    for error in problems {
        let range = error.range().unwrap_or(template.range);
        processed.diagnostics.push(messages::template_problem(range, error.message()));
    }
    let policy = policy(missing, reach);
    let setup = Setup { template, inputs: &inputs, context: &context, state: &arm::NoState, budget, policy };
    let expansion = Deployment::new(setup).expand();
    let mut layers = Layers { reach, processed };
    layers.add(template, &expansion, 0);
    let Processed { layers, diagnostics } = layers.processed;
    Processed { layers, diagnostics: by_cause(diagnostics) }
}

fn policy(missing: MissingValues, reach: Reach) -> Policy {
    Policy {
        missing: match missing {
            MissingValues::Unknown => Missing::Unknown,
            MissingValues::Placeholders => Missing::Placeholder,
        },
        speculation: Speculation::Written,
        conditions: Conditions::Ignored,
        errors: Errors::Collected,
        nested: NestedContext::Around,
        declarations: reach.root,
        dependencies: false,
    }
}

/// What cannot be looked at for one reason is told once, where the first of the places stands.
fn by_cause(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    diagnostics.sort_by_key(|diagnostic| diagnostic.range.start());
    let mut causes: HashMap<String, BTreeSet<(TextSize, TextSize)>> = HashMap::new();
    for grouped in diagnostics.iter().filter(|it| messages::is_told_once(&it.code)) {
        let place = (grouped.range.start(), grouped.range.end());
        causes.entry(grouped.message.clone()).or_default().insert(place);
    }
    let mut kept: Vec<Diagnostic> = Vec::new();
    for diagnostic in diagnostics {
        if !messages::is_told_once(&diagnostic.code) {
            kept.push(diagnostic);
        } else if let Some(places) = causes.remove(&diagnostic.message) {
            let others = places.len() - 1;
            kept.push(if others == 0 { diagnostic } else { messages::in_several_places(diagnostic, others) });
        }
    }
    kept.dedup();
    kept
}

/// The place of a deployment that nobody has named: made up, and always the same.
pub fn placeholder_context() -> Context {
    let zero = SmolStr::new_static("00000000-0000-0000-0000-000000000000");
    Context {
        tenant_id: Some(zero.clone()),
        management_group: Some("placeholderManagementGroup".into()),
        subscription_id: Some(zero),
        resource_group: Some("placeholderResourceGroup".into()),
        location: Some("westus2".into()),
        tags: Some(Value::object::<SmolStr>([])),
        deployment_name: Some("placeholderDeploymentName".into()),
        environment: Some(Context::azure_cloud()),
        guid_seed: Some("placeholder".into()),
        ..Context::default()
    }
}

/// Documents while they are made.
struct Layers {
    reach: Reach,
    processed: Processed,
}

impl Layers {
    /// A template and those inside it.
    fn add(&mut self, template: &Template, expansion: &Expansion, level: usize) {
        let diagnostics = &mut self.processed.diagnostics;
        diagnostics.extend(expansion.open_loops.iter().map(|count| messages::open_loop(*count)));
        diagnostics.extend(expansion.errors.iter().map(|error| told(error, template)));
        let mut tree = Tree::new(template, expansion, self.reach);
        let top = tree.list(None);
        let Tree { mut placed, identities, planned, diagnostics, .. } = tree;
        self.processed.diagnostics.extend(diagnostics);
        self.processed.diagnostics.extend(reparent::under_dependencies(&mut placed, &identities));
        let root = if self.reach.root { root(template, expansion) } else { Value::object::<SmolStr>([]) };
        // Only deployments at the top are opened: those below are there twice.
        let mut opened = top.clone();
        opened.sort_unstable();
        let document = Document { root, resources: placed, top: Some(top) };
        let prefix = Path(segments(&expansion.path).collect());
        self.processed.layers.push(TemplateLayer { document, prefix, level });
        for resource in opened.into_iter().filter_map(|position| planned.get(position)) {
            self.open(template, resource, level);
        }
    }

    /// The template that a deployment deploys.
    fn open(&mut self, template: &Template, planned: &Planned, level: usize) {
        let nested =
            template.resources.get(planned.resource).and_then(|resource| resource.deployment.as_ref());
        let Some(nested) = nested else { return };
        let expansion = planned.deployment.as_ref().and_then(|deployment| deployment.expansion.as_ref());
        match (&nested.template, expansion, &nested.template_link) {
            (Some(template), Some(expansion), _) => self.add(template, expansion, level + 1),
            (None, _, Some(link)) => {
                self.processed.diagnostics.push(messages::linked_template(link.range));
            }
            _ => {}
        }
    }
}

/// What could not be evaluated, and what is beyond the limits.
fn told(error: &arm::Error, template: &Template) -> Diagnostic {
    let range = error.range().unwrap_or(template.range);
    match error.reason() {
        "too-many" => messages::too_many_resources(range, MAX_RESOURCES),
        "nested-too-deeply" => messages::too_many_levels(range, MAX_NESTING),
        _ => messages::expression_failed(range, error.message()),
    }
}

/// The resources of one template while they get their places.
struct Tree<'t> {
    template: &'t Template,
    expansion: &'t Expansion,
    reach: Reach,
    /// What is written inside of what, by positions in the expansion.
    inside: HashMap<Option<usize>, Vec<usize>>,
    placed: Vec<Placed>,
    /// For each that is placed: what names it, and what it is made from.
    identities: Vec<reparent::Identity>,
    planned: Vec<&'t Planned>,
    diagnostics: Vec<Diagnostic>,
}

impl<'t> Tree<'t> {
    fn new(template: &'t Template, expansion: &'t Expansion, reach: Reach) -> Self {
        let mut inside: HashMap<Option<usize>, Vec<usize>> = HashMap::new();
        for (at, planned) in expansion.resources.iter().enumerate() {
            inside.entry(planned.parent).or_default().push(at);
        }
        let (placed, identities, planned) = (Vec::new(), Vec::new(), Vec::new());
        Self { template, expansion, reach, inside, placed, identities, planned, diagnostics: Vec::new() }
    }

    /// The resources at the top or below a parent: those without a loop in their places, then all copies.
    fn list(&mut self, parent: Option<usize>) -> Vec<usize> {
        let (mut plain, mut copies) = (Vec::new(), Vec::new());
        for at in self.inside.remove(&parent).unwrap_or_default() {
            let resource = self.expansion.resources.get(at).filter(|planned| !planned.existing);
            let resource = resource.and_then(|planned| self.template.resources.get(planned.resource));
            let Some(resource) = resource else { continue };
            let list = if resource.copy.is_some() { &mut copies } else { &mut plain };
            list.extend(self.place(at, resource));
        }
        plain.append(&mut copies);
        plain
    }

    fn place(&mut self, at: usize, resource: &Resource) -> Option<usize> {
        let planned = self.expansion.resources.get(at)?;
        let parent = planned.parent.and_then(|parent| self.expansion.resources.get(parent));
        let node = node_of(&self.template.document, resource)?;
        let identity = reparent::Identity::of(planned, parent);
        if let Some(message) = identity.mismatch() {
            self.diagnostics.push(messages::template_error(node.range, &message));
        }
        let position = self.placed.len();
        let body = self.body(node, planned, &identity);
        let origin = Path(segments(&planned.path).collect());
        self.placed.push(Placed { body, children: Vec::new(), origin });
        self.identities.push(identity);
        self.planned.push(planned);
        let children = self.list(Some(at));
        self.placed.get_mut(position)?.children = children;
        Some(position)
    }

    /// A resource with the members that are written, each with its value. A child has its full type.
    fn body(&self, node: &Node, planned: &Planned, identity: &reparent::Identity) -> Value {
        let mut members = Vec::new();
        for member in node.as_object().into_iter().flatten() {
            let own = planned.own.iter().find(|(name, _)| name.eq_ignore_ascii_case(&member.key));
            let sent = planned.body.as_object().and_then(|body| body.get_exact(&member.key));
            let value = match (member.key.to_ascii_lowercase().as_str(), own, sent) {
                ("resources" | "copy", ..) => continue,
                ("type", ..) if planned.parent.is_some() && identity.full_type.is_some() => {
                    Value::string(identity.full_type.as_deref().unwrap_or_default())
                }
                ("properties", _, Some(sent)) if planned.deployment.is_some() => {
                    self.deployment_properties(&member.value, planned, sent)
                }
                (_, Some((_, value)), _) | (_, None, Some(value)) => value.clone(),
                (_, None, None) => Value::from(&member.value),
            };
            members.push((member.key.clone(), value));
        }
        Value::object(members)
    }

    /// The template inside stays as it is written: it is opened on its own.
    fn deployment_properties(&self, node: &Node, planned: &Planned, sent: &Value) -> Value {
        let Some(object) = sent.as_object() else { return sent.clone() };
        let mut members = pairs(object);
        for member in node.as_object().into_iter().flatten() {
            let value = match member.key.to_ascii_lowercase().as_str() {
                "parameters" => planned.deployment.as_ref().map(|deployment| deployment.parameters.clone()),
                "template" => self.reach.templates.then(|| Value::from(&member.value)),
                _ => None,
            };
            members.extend(value.map(|value| (member.key.clone(), value)));
        }
        Value::object(members)
    }
}

/// Everything but the resources.
fn root(template: &Template, expansion: &Expansion) -> Value {
    let mut members = Vec::new();
    for member in template.document.as_object().into_iter().flatten() {
        let value = match member.key.to_ascii_lowercase().as_str() {
            "resources" => continue,
            "variables" => Value::object(expansion.variables.iter().cloned()),
            "outputs" => outputs(&member.value, expansion),
            "parameters" => parameters(&member.value, expansion),
            _ => Value::from(&member.value),
        };
        members.push((member.key.clone(), value));
    }
    Value::object(members)
}

/// Outputs, those that a loop makes with the `value` that it gives.
fn outputs(node: &Node, expansion: &Expansion) -> Value {
    let outputs = node.as_object().into_iter().flatten().map(|member| {
        let known = expansion.outputs.iter().find(|(name, _)| *name == member.key);
        let (Some((_, output)), Some(object)) = (known, member.value.as_object()) else {
            return (member.key.clone(), Value::from(&member.value));
        };
        let value = output.written.as_ref().unwrap_or(&output.value);
        let parts = object.iter().map(|part| match part.key.to_ascii_lowercase().as_str() {
            "copy" => (SmolStr::new_static("value"), value.clone()),
            "value" => (part.key.clone(), value.clone()),
            "condition" => (part.key.clone(), output.condition.clone().unwrap_or_default()),
            _ => (part.key.clone(), Value::from(&part.value)),
        });
        (member.key.clone(), Value::object(parts))
    });
    Value::object(outputs)
}

/// Declarations as they are written, each with the `value` it has.
fn parameters(node: &Node, expansion: &Expansion) -> Value {
    let declarations = node.as_object().into_iter().flatten().map(|member| {
        let declared = Value::from(&member.value);
        let mut parts = declared.as_object().map(pairs).unwrap_or_default();
        let known = expansion.parameters.iter().find(|(name, _)| *name == member.key);
        parts.extend(known.map(|(_, value)| (SmolStr::new_static("value"), value.clone())));
        (member.key.clone(), Value::object(parts))
    });
    Value::object(declarations)
}

fn pairs(object: &Object) -> Vec<(SmolStr, Value)> {
    object.iter().map(|(key, value)| (key.clone(), value.clone())).collect()
}

fn node_of<'n>(template: &'n Node, resource: &Resource) -> Option<&'n Node> {
    resource.path.iter().try_fold(template, |node, step| match step {
        Step::Key(key) => node.get_ignore_case(key),
        Step::Index(index) => node.as_array()?.get(*index),
    })
}

fn segments(path: &[Step]) -> impl Iterator<Item = Segment> {
    path.iter().map(|step| match step {
        Step::Key(key) => Segment::Key(key.to_string()),
        Step::Index(index) => Segment::Index(*index),
    })
}
