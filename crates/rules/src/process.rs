//! Templates to documents: parameters are filled in, expressions evaluated, loops run, children and dependants placed
//! below their resources, templates inside templates opened.
//!
//! Nothing here fails as a whole. An expression that cannot be evaluated is an unknown value with its reason, and a
//! diagnostic. Conditions are not consulted: a resource that may be deployed is looked at.

use arm::document::Node;
use std::collections::{BTreeSet, HashMap};

use arm::evaluate::{Evaluator, Place, Scope};
use arm::expand::{Deployment, Missing, Options, Setup};
use arm::expression::Expr;
use arm::parameters::{Inputs, Supplied};
use arm::template::Term;
use arm::template::{Key, Resource, TermKind};
use arm::{Context, Origin, Step, Template, Unknown, Value};
use base::{Budget, Diagnostic, TextSize};
use json::{Path, Segment};
use smol_str::SmolStr;

use crate::document::{Document, Placed};
use crate::path::{PathStep, RulePath};
use crate::rule::{Evaluation, Operator, Rule};
use crate::stated::{self, Stated};
use crate::{messages, placeholder, reparent};

/// One template with what is known about its place; nested templates have their own.
#[derive(Debug)]
pub struct Layer {
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
    pub layers: Vec<Layer>,
    /// What is wrong with the template, as far as it matters here.
    pub diagnostics: Vec<Diagnostic>,
}

/// A template to be processed.
pub struct Source<'s> {
    /// The template.
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

/// What of a template rules may look at. The rest need not be made: templates inside templates are looked at on their own,
/// and few rules look at anything but resources.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reach {
    /// The templates of deployments as parts of these resources.
    pub templates: bool,
    /// What stands beside the resources: parameters, variables, outputs, definitions, metadata.
    pub root: bool,
}

impl Default for Reach {
    fn default() -> Self {
        Self { templates: true, root: true }
    }
}

impl Reach {
    /// What these rules may look at.
    pub fn of(rules: &[Rule]) -> Self {
        let mut reach = Self { templates: false, root: false };
        for rule in rules {
            reach.add(&rule.evaluation, None);
        }
        reach
    }

    fn add(&mut self, evaluation: &Evaluation, around: Option<&str>) {
        let resource_type = evaluation.resource_type.as_deref().or(around);
        let steps = evaluation.path.as_ref().map(RulePath::steps).unwrap_or_default();
        let may_be_template = |step: &PathStep| match step {
            PathStep::Member(name) => name.eq_ignore_ascii_case("template"),
            PathStep::EveryMember | PathStep::EveryItem => true,
            PathStep::Item(_) => false,
        };
        let of_deployments = resource_type.is_none_or(|it| it.eq_ignore_ascii_case(DEPLOYMENTS));
        self.templates |= of_deployments && steps.iter().any(may_be_template);
        let parts: &[Evaluation] = match &evaluation.operator {
            Operator::AnyOf(parts) | Operator::AllOf(parts) => parts,
            Operator::Not(inner) => std::slice::from_ref(inner),
            _ => &[],
        };
        self.root |= resource_type.is_none() && (!steps.is_empty() || parts.is_empty());
        for part in parts.iter().chain(evaluation.filter.as_deref()) {
            self.add(part, resource_type);
        }
    }
}

const DEPLOYMENTS: &str = "Microsoft.Resources/deployments";

/// Expands a template and the templates inside it.
pub fn process(source: Source<'_>) -> Processed {
    let mut processed = Processed::default();
    for error in source.problems {
        let range = error.range().unwrap_or(source.template.range);
        processed.diagnostics.push(messages::template_problem(range, error.message()));
    }
    let Source { budget, missing, reach, .. } = source;
    let mut run = Run { budget, missing, reach, processed };
    let place = Spot { template: source.template, prefix: Path::default(), level: 0, is_outer: false };
    run.with_own_names(&place, source.inputs, &source.context);
    run.processed.diagnostics = by_cause(run.processed.diagnostics);
    run.processed
}

/// Expressions that fail for one reason are told once, where the first of them stands.
fn by_cause(diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut causes: HashMap<String, BTreeSet<(TextSize, TextSize)>> = HashMap::new();
    for failed in diagnostics.iter().filter(|it| it.code == messages::EXPRESSION_FAILED) {
        let place = (failed.range.start(), failed.range.end());
        causes.entry(failed.message.clone()).or_default().insert(place);
    }
    let mut kept: Vec<Diagnostic> = Vec::new();
    for diagnostic in diagnostics {
        if diagnostic.code != messages::EXPRESSION_FAILED {
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

/// Templates may be nested this deep.
const MAX_LEVEL: usize = 32;
/// Copies of one resource, and resources of one template.
const MAX_COPIES: i64 = 800;
const MAX_RESOURCES: usize = 10_000;
/// More resources than these are not even read; a deployment may have 800.
const MOST_READ: usize = 1_000;

struct Run<'r> {
    budget: &'r Budget,
    missing: MissingValues,
    reach: Reach,
    processed: Processed,
}

/// A template and where it stands.
struct Spot<'t> {
    template: &'t Template,
    prefix: Path,
    level: usize,
    /// Whether its expressions see the names of the template around it.
    is_outer: bool,
}

/// What the expressions of a template see.
#[derive(Clone, Copy)]
struct Names<'n, 'd> {
    setup: Setup<'d>,
    deployment: &'n Deployment<'d>,
    /// The same with what the template says about its own resources.
    stated: Option<&'n Deployment<'n>>,
    scope: &'n Scope,
}

impl Spot<'_> {
    fn node(&self) -> &Node {
        &self.template.document
    }
}

impl Run<'_> {
    /// A template that sees its own parameters and variables.
    fn with_own_names(&mut self, spot: &Spot<'_>, mut inputs: Inputs, context: &Context) {
        let made_up = self.missing == MissingValues::Placeholders;
        if let Some(parameters) = spot.node().get_ignore_case("parameters").filter(|_| made_up) {
            for (name, value) in placeholder::placeholders(parameters) {
                if inputs.parameters.get(&name).is_none() {
                    inputs.parameters.insert(name, Supplied::Value(value, None));
                }
            }
        }
        let setup = Setup {
            template: spot.template,
            inputs: &inputs,
            context,
            state: &arm::NoState,
            budget: self.budget,
            options: Options { missing: Missing::Unknown, speculate: true },
        };
        let deployment = Deployment::new(setup);
        let scope = Scope::new(Place::ResourceBody);
        let names = Names { setup, deployment: &deployment, stated: None, scope: &scope };
        self.template(spot, names, context);
    }

    fn template(&mut self, spot: &Spot<'_>, names: Names<'_, '_>, context: &Context) {
        if spot.template.resources.len() >= MOST_READ {
            let range =
                spot.node().get_ignore_case("resources").map_or(spot.template.range, |node| node.range);
            self.processed.diagnostics.push(messages::too_many_written(range, MOST_READ));
        }
        let told = self.processed.diagnostics.len();
        let mut expanded = self.expand(spot, names);
        let state = Stated::of(&expanded.placed, &expanded.full);
        let deployment = Deployment::new(Setup { state: &state, ..names.setup });
        let stated = Names { stated: Some(&deployment), ..names };
        if expanded.refers {
            // Once more, now that it is known what the template says about its resources.
            self.processed.diagnostics.truncate(told);
            expanded = self.expand(spot, stated);
        }
        let mut layer = Expanding { spot, names: stated, run: self, expanded };
        let root = layer.root();
        let Expanded { top, mut placed, full, nested, .. } = layer.expanded;
        self.processed.diagnostics.extend(reparent::under_dependencies(&mut placed, &full));
        let document = Document { root, resources: placed, top: Some(top.clone()) };
        self.processed.layers.push(Layer { document, prefix: spot.prefix.clone(), level: spot.level });
        for inner in nested {
            // Only deployments at the top are opened: those below are there twice.
            if top.contains(&inner.at) {
                self.nested(spot, &inner, names, context);
            }
        }
    }

    fn expand(&mut self, spot: &Spot<'_>, names: Names<'_, '_>) -> Expanded {
        let mut layer = Expanding { spot, names, run: self, expanded: Expanded::default() };
        let top = layer.list(None, None, names.scope);
        Expanded { top, ..layer.expanded }
    }

    fn nested(&mut self, outer: &Spot<'_>, inner: &Inner, names: Names<'_, '_>, context: &Context) {
        let resource = outer.template.resources.get(inner.resource);
        let Some((resource, nested)) = resource.and_then(|r| Some((r, r.deployment.as_ref()?))) else {
            return;
        };
        let Some(template) = &nested.template else {
            if let Some(link) = &nested.template_link {
                self.processed.diagnostics.push(messages::linked_template(link.range));
            }
            return;
        };
        if outer.level >= MAX_LEVEL {
            return self.processed.diagnostics.push(messages::too_many_levels(template.range, MAX_LEVEL));
        }
        let mut prefix = outer.prefix.clone();
        prefix.0.extend(steps(&resource.path));
        prefix.0.extend(["properties", "template"].map(|key| Segment::Key(key.into())));
        let spot = Spot { template, prefix, level: outer.level + 1, is_outer: nested.outer };
        if nested.outer {
            return self.template(&spot, Names { scope: &inner.scope, ..names }, context);
        }
        let parameters = nested.parameters.as_ref();
        let parameters =
            parameters.map(|term| soft((names.deployment.evaluator(), None), term, &inner.scope, self));
        self.with_own_names(&spot, supplied(parameters.as_ref()), context);
    }

    fn failed(&mut self, term: &Term, error: &arm::Error) -> Value {
        self.processed.diagnostics.push(messages::expression_failed(term.range, error.message()));
        let expression = match &term.kind {
            TermKind::Expression(expression, _) => expression.clone(),
            _ => Expr::string(""),
        };
        Value::unknown(Unknown::new(expression, Origin::Failed(error.message().into())))
    }
}

/// A deployment to be opened.
struct Inner {
    at: usize,
    resource: usize,
    scope: Scope,
}

/// What came of one template.
#[derive(Default)]
struct Expanded {
    /// The resources at the top.
    top: Vec<usize>,
    placed: Vec<Placed>,
    /// For each of them: full type, full name and symbolic name.
    full: Vec<reparent::Identity>,
    nested: Vec<Inner>,
    /// Whether an expression refers to a resource.
    refers: bool,
}

/// One template while it is expanded.
struct Expanding<'e, 'r, 'n, 'd> {
    spot: &'e Spot<'e>,
    names: Names<'n, 'd>,
    run: &'e mut Run<'r>,
    expanded: Expanded,
}

impl Expanding<'_, '_, '_, '_> {
    /// The resources at the top or below a parent: those without a loop in their places, then all copies.
    fn list(&mut self, parent: Option<usize>, above: Option<usize>, scope: &Scope) -> Vec<usize> {
        let template = self.spot.template;
        let (mut plain, mut copies) = (Vec::new(), Vec::new());
        let resources = template.resources.iter().enumerate();
        for (at, resource) in
            resources.filter(|(_, resource)| resource.parent == parent && !resource.existing)
        {
            let Some(copy) = &resource.copy else {
                plain.extend(self.resource(at, above, scope));
                continue;
            };
            let turns = self.turns(&copy.count, scope);
            for turn in 0..turns {
                let scope = scope.with_resource_loop(copy.name.clone(), turn);
                copies.extend(self.resource(at, above, &scope));
            }
        }
        plain.append(&mut copies);
        plain
    }

    fn turns(&mut self, count: &Term, scope: &Scope) -> usize {
        let evaluators = (self.names.deployment.evaluator(), None);
        let value = soft(evaluators, count, &scope.at(Place::ResourceHead), self.run);
        let known = value.as_int().filter(|count| (0..=MAX_COPIES).contains(count));
        known.and_then(|count| usize::try_from(count).ok()).unwrap_or_else(|| {
            self.run.processed.diagnostics.push(messages::open_loop(count.range));
            1
        })
    }

    fn resource(&mut self, at: usize, above: Option<usize>, scope: &Scope) -> Option<usize> {
        let resource = self.spot.template.resources.get(at)?;
        let node = node_of(self.spot.node(), resource)?;
        let position = self.expanded.placed.len();
        if position >= MAX_RESOURCES || self.run.budget.step().is_err() {
            self.run.processed.diagnostics.push(messages::too_many_resources(node.range, MAX_RESOURCES));
            return None;
        }
        let mut members = Vec::new();
        for member in node.as_object()? {
            let in_head = |term: &Option<Term>, this: &mut Self| match term {
                Some(term) => this.term(term, &scope.at(Place::ResourceHead)),
                None => this.evaluate(&member.value, &scope.at(Place::ResourceHead)),
            };
            let value = match member.key.to_ascii_lowercase().as_str() {
                "resources" | "copy" => continue,
                "properties" if resource.deployment.is_some() => {
                    self.deployment_properties(&member.value, scope)
                }
                "name" => in_head(&resource.name, self),
                "type" => in_head(&resource.resource_type, self),
                "apiversion" => in_head(&resource.api_version, self),
                "dependson" => in_head(&resource.depends_on, self),
                "scope" => in_head(&resource.scope, self),
                "condition" => in_head(&resource.condition, self),
                _ => match resource.body.iter().find(|(name, _)| *name == member.key) {
                    // The model of the template has it already.
                    Some((_, term)) => self.term(term, scope),
                    None => self.evaluate(&member.value, scope),
                },
            };
            members.push((member.key.clone(), value));
        }
        let identity = self.identify(resource, &mut members, above);
        if let Some(message) = identity.mismatch() {
            self.run.processed.diagnostics.push(messages::template_error(node.range, &message));
        }
        self.expanded.full.push(identity);
        let origin = Path(steps(&resource.path).collect());
        self.expanded.placed.push(Placed { body: Value::object(members), children: Vec::new(), origin });
        if resource.deployment.is_some() {
            self.expanded.nested.push(Inner { at: position, resource: at, scope: scope.clone() });
        }
        let children = self.list(Some(at), Some(position), scope);
        self.expanded.placed.get_mut(position)?.children = children;
        Some(position)
    }

    /// Gives a child its full type.
    fn identify(
        &self,
        resource: &Resource,
        members: &mut [(SmolStr, Value)],
        above: Option<usize>,
    ) -> reparent::Identity {
        let above = above.and_then(|at| self.expanded.full.get(at));
        let member = |name: &str| {
            let member = members.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
            member.map(|(_, value)| value)
        };
        let own_type = member("type").and_then(Value::as_str).map(str::to_owned);
        let short_name = member("name").and_then(reparent::name_of);
        let has_known_name = member("name").is_some_and(|name| name.as_str().is_some());
        let parent_type = above.and_then(|above| above.full_type.as_deref());
        let is_full = arm::expand::is_full_type(parent_type, own_type.as_deref());
        let under = |above: Option<&String>, own: &Option<String>| match (above.filter(|_| !is_full), own) {
            (Some(above), Some(own)) => Some(format!("{above}/{own}")),
            (None, own) => own.clone(),
            (_, None) => None,
        };
        let full_type = under(above.and_then(|above| above.full_type.as_ref()), &own_type);
        let full_name = under(above.and_then(|above| above.full_name.as_ref()), &short_name);
        if let (Some(_), Some(full_type)) = (above, &full_type)
            && let Some((_, value)) = members.iter_mut().find(|(key, _)| key.eq_ignore_ascii_case("type"))
        {
            *value = Value::string(full_type.as_str());
        }
        let is_whole = above.is_none() || is_full;
        reparent::Identity {
            own_type,
            full_type,
            short_name,
            full_name,
            symbol: resource.symbol.clone(),
            is_whole,
            has_known_name,
        }
    }

    /// The template inside stays as it is written: it is opened on its own.
    fn deployment_properties(&mut self, node: &Node, scope: &Scope) -> Value {
        let Some(object) = node.as_object() else { return self.evaluate(node, scope) };
        let mut members = Vec::new();
        for member in object {
            let value = if !json::eq_ignore_case(&member.key, "template") {
                self.evaluate(&member.value, scope)
            } else if self.run.reach.templates {
                Value::from(&member.value)
            } else {
                continue;
            };
            members.push((member.key.clone(), value));
        }
        Value::object(members)
    }

    fn evaluate(&mut self, node: &Node, scope: &Scope) -> Value {
        self.term(&Term::of(node), scope)
    }

    fn term(&mut self, term: &Term, scope: &Scope) -> Value {
        let refers = stated::refers(term);
        self.expanded.refers |= refers;
        let stated = self.names.stated.filter(|_| refers).map(Deployment::evaluator);
        soft((self.names.deployment.evaluator(), stated), term, scope, self.run)
    }

    /// Everything but the resources, if rules look at it.
    fn root(&mut self) -> Value {
        let mut members = Vec::new();
        if !self.run.reach.root {
            return Value::object(members);
        }
        for member in self.spot.node().as_object().into_iter().flatten() {
            let value = match member.key.to_ascii_lowercase().as_str() {
                "resources" => continue,
                "variables" => self.variables(),
                "outputs" => self.outputs(&member.value),
                "parameters" => self.parameters(&member.value),
                _ => Value::from(&member.value),
            };
            members.push((member.key.clone(), value));
        }
        Value::object(members)
    }

    /// Variables, each evaluated once: what is good is shared with the expressions that use it.
    fn variables(&mut self) -> Value {
        let (scope, template) = (Scope::new(Place::Variable), self.spot.template);
        let mut members = Vec::with_capacity(template.variables.len());
        for (name, term) in template.variables.iter() {
            let known = self.names.deployment.evaluator().environment().variable(name);
            let known = known.ok().filter(|_| !self.spot.is_outer && !stated::refers(term));
            members.push((name.clone(), known.unwrap_or_else(|| self.term(term, &scope))));
        }
        Value::object(members)
    }

    /// Outputs, those that a loop makes with the `value` that it gives.
    fn outputs(&mut self, node: &Node) -> Value {
        let scope = Scope::new(Place::Output);
        let template = self.spot.template;
        let Some(outputs) = node.as_object() else { return self.evaluate(node, &scope) };
        let mut members = Vec::with_capacity(outputs.len());
        for output in outputs {
            let looped = output.value.get_ignore_case("copy").and_then(|_| template.outputs.get(&output.key));
            let value = match (looped.and_then(|it| it.value.as_ref()), output.value.as_object()) {
                (Some(each), Some(object)) => {
                    let others = object.iter().filter(|part| !json::eq_ignore_case(&part.key, "copy"));
                    let mut parts: Vec<(SmolStr, Value)> =
                        others.map(|part| (part.key.clone(), self.evaluate(&part.value, &scope))).collect();
                    parts.push((SmolStr::new_static("value"), self.term(each, &scope)));
                    Value::object(parts)
                }
                _ => self.evaluate(&output.value, &scope),
            };
            members.push((output.key.clone(), value));
        }
        Value::object(members)
    }

    /// Declarations as they are written, each with the `value` it has.
    fn parameters(&self, node: &Node) -> Value {
        let evaluator = self.names.deployment.evaluator();
        let members = node.as_object().into_iter().flatten().map(|member| {
            let declared = Value::from(&member.value);
            let value = evaluator.environment().parameter(&member.key);
            let parts = declared.as_object().into_iter().flat_map(arm::value::Object::iter);
            let mut parts: Vec<(SmolStr, Value)> =
                parts.map(|(key, value)| (key.clone(), value.clone())).collect();
            parts.extend(value.ok().map(|value| (SmolStr::new_static("value"), value)));
            (member.key.clone(), Value::object(parts))
        });
        Value::object(members)
    }
}

/// Evaluates what can be evaluated: a part that fails leaves the parts around it as they are. What refers to resources of
/// the template is asked with what the template says, if there is an evaluator that knows it.
fn soft(
    (evaluator, stated): (Evaluator<'_>, Option<Evaluator<'_>>),
    term: &Term,
    scope: &Scope,
    run: &mut Run<'_>,
) -> Value {
    let known = stated.filter(|_| stated::refers(term));
    if let (Some(known), TermKind::Expression(..)) = (known, &term.kind)
        && let Ok(value) = known.term(term, scope)
    {
        return value;
    }
    let is_expression = matches!(term.kind, TermKind::Expression(..));
    let result =
        if known.is_none() || is_expression { evaluator.term(term, scope).map_err(Some) } else { Err(None) };
    let error = match result {
        Ok(value) => return value,
        Err(error) => error,
    };
    if let Some(error) = error.as_ref().filter(|error| error.is_overrun()) {
        return run.failed(term, error);
    }
    match &term.kind {
        TermKind::Array(items) => {
            Value::array(items.iter().map(|item| soft((evaluator, stated), item, scope, run)).collect())
        }
        TermKind::Object(parts) if parts.iter().all(|part| matches!(part.key, Key::Literal(_))) => {
            let mut members = Vec::with_capacity(parts.len());
            for part in parts {
                if let Key::Literal(key) = &part.key {
                    members.push((key.clone(), soft((evaluator, stated), &part.value, scope, run)));
                }
            }
            Value::object(members)
        }
        _ => match error.map_or_else(|| evaluator.term(term, scope), Err) {
            Ok(value) => value,
            Err(error) => run.failed(term, &error),
        },
    }
}

/// The parameters of a deployment inside, as inputs. What is read from a vault is not known.
fn supplied(parameters: Option<&Value>) -> Inputs {
    let mut inputs = Inputs::default();
    for (name, parameter) in
        parameters.and_then(Value::as_object).into_iter().flat_map(arm::value::Object::iter)
    {
        let value = parameter.get("value").cloned().unwrap_or_else(|| {
            let call = Expr::call("parameters", vec![Expr::string(name.as_str())]);
            Value::unknown(Unknown::new(call, Origin::Secret(name.clone())))
        });
        inputs.parameters.insert(name.clone(), Supplied::Value(value, None));
    }
    inputs
}

fn node_of<'n>(template: &'n Node, resource: &Resource) -> Option<&'n Node> {
    resource.path.iter().try_fold(template, |node, step| match step {
        Step::Key(key) => node.get_ignore_case(key),
        Step::Index(index) => node.as_array()?.get(*index),
    })
}

fn steps(path: &[Step]) -> impl Iterator<Item = Segment> {
    path.iter().map(|step| match step {
        Step::Key(key) => Segment::Key(key.to_string()),
        Step::Index(index) => Segment::Index(*index),
    })
}
