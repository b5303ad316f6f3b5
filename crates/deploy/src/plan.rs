//! From a request to what will be done: the template checked, its parameters bound, its resources expanded.
//!
//! Nothing here has effects. The same request in the same surroundings gives the same plan, so that a deployment that
//! was interrupted is planned again from what was stored of it (see [`Job`]).

use std::collections::BTreeMap;
use std::sync::Arc;

use arm::document::Node as Document;
use arm::evaluate::{ExpressionSite, Scope as EvaluationScope};
use arm::expand::{Deployment, Expansion, Policy, Setup};
use arm::expression::Expr;
use arm::parameters::{Inputs, Supplied};
use arm::value::Hidden;
use arm::{Context, NoState, Origin, Secrets, Template, Unknown, Value};
use base::{Limits, SourceFile, Verdict};
use json::Node;
use serde_json::{Map, Value as Json, json};
use smol_str::SmolStr;

use crate::error::ArmError;
use crate::job::{Job, Mode, OnError};
use crate::messages;
use crate::provider::Types;
use crate::request::DeploymentRequest;
use crate::scope::{DEFAULT_SUBSCRIPTION, DeploymentId, ResourceId, Scope, key};
use crate::secrets::clean_error;
use crate::wait::{self, WaitUntil};

/// What a deployment will do.
pub(crate) struct Plan {
    /// Which deployment.
    pub id: DeploymentId,
    /// What of the request is needed to plan it again.
    pub job: Job,
    pub template: Arc<Template>,
    /// The template as it was sent.
    pub source: Arc<Json>,
    /// The text of the request, for positions.
    pub text: Option<Arc<SourceFile>>,
    /// The place.
    pub context: Context,
    /// Parameter values and external inputs.
    pub inputs: Arc<Inputs>,
    /// Parameters, resources and outputs, as far as they are known.
    pub expansion: Arc<Expansion>,
    /// The configurations of extensions, by alias.
    pub configs: ExtensionConfigs,
    /// Whether secure values were supplied that are not part of the job.
    pub has_secrets: bool,
    /// The texts of secure values.
    pub hidden: Hidden,
}

/// The configurations of extensions, by alias.
pub(crate) type ExtensionConfigs = BTreeMap<SmolStr, Value>;

/// Where and when a plan is made.
#[derive(Debug, Clone)]
pub(crate) struct Surroundings {
    pub tenant: SmolStr,
    /// The document of the resource group.
    pub group: Option<Json>,
    pub limits: Limits,
    pub now: i64,
    pub seed: String,
    /// The secrets of key vaults that parameters refer to, by the parameter's name.
    pub vault: BTreeMap<String, String>,
}

impl Surroundings {
    /// What an engine is set up with, the document of the resource group, the time in seconds, and the seed of new ids.
    pub fn new(options: &crate::engine::Options, group: Option<Json>, now: i64, seed: String) -> Self {
        let (tenant, limits) = (options.tenant.clone(), options.limits);
        Self { tenant, group, limits, now, seed, vault: BTreeMap::new() }
    }
}

/// Plans a request.
pub(crate) fn plan(request: &DeploymentRequest, surroundings: &Surroundings) -> Result<Plan, ArmError> {
    check_name(&request.id)?;
    let properties = request.body.get_ignore_case("properties").filter(|node| node.as_object().is_some());
    let properties = properties.ok_or_else(messages::not_an_object)?;
    let (document, source) = template(request, properties)?;
    let job = read_job(request, properties, surroundings)?;
    let (mut inputs, errors) = Inputs::read(properties);
    check_external(properties, &inputs)?;
    if !errors.is_empty() {
        return Err(messages::invalid_template(&errors, Some(&request.text)));
    }
    for (name, secret) in &surroundings.vault {
        let value = Value::from(secret.as_str()).into_secure();
        inputs.parameters.insert(SmolStr::new(name), Supplied::Value(value, None));
    }
    check_inputs(&inputs)?;
    let given = properties.get_ignore_case("extensionConfigs").map(Node::to_value);
    check_configs(given.as_ref())?;
    // A compiled template has its places in its source, not in the text of the request.
    let text = request.template.is_none().then(|| Arc::clone(&request.text));
    let prepared = PreparedRequest { id: request.id.clone(), job, source, text, given, resumed: false };
    expand(prepared, &document, inputs, surroundings)
}

/// Plans a stored deployment again. Secure values are missing: they are unknown.
pub(crate) fn plan_again(
    id: DeploymentId,
    job: Job,
    template: &str,
    surroundings: &Surroundings,
) -> Result<Plan, ArmError> {
    let parsed = json::parse(template, json::Options::lenient());
    let node = parsed.root.ok_or_else(messages::missing_template)?;
    let mut inputs = Inputs::default();
    for (name, parameter) in &job.parameters {
        let value = match parameter.get("value") {
            Some(value) => Value::from(value),
            None => lost_secret(name),
        };
        inputs.parameters.insert(SmolStr::new(name), Supplied::Value(value, None));
    }
    let source = Arc::new(node.to_value());
    let given = Some(Json::Object(job.configs.clone()));
    let prepared = PreparedRequest { id, job, source, text: None, given, resumed: true };
    expand(prepared, &Document::read(&node), inputs, surroundings)
}

struct PreparedRequest {
    id: DeploymentId,
    job: Job,
    source: Arc<Json>,
    text: Option<Arc<SourceFile>>,
    /// The configurations of extensions that came with the request.
    given: Option<Json>,
    /// Whether it is planned again, from what was stored.
    resumed: bool,
}

fn expand(
    prepared: PreparedRequest,
    document: &Document,
    inputs: Inputs,
    surroundings: &Surroundings,
) -> Result<Plan, ArmError> {
    let PreparedRequest { id, mut job, source, text, given, resumed } = prepared;
    let (mut template, errors) = Template::of(document);
    if !errors.is_empty() {
        return Err(messages::invalid_template(&errors, text.as_deref()));
    }
    if template.scope != id.scope.kind() {
        return Err(messages::wrong_scope(&id.scope));
    }
    wait::bind(&mut template);
    let context = context(&id, &job, surroundings);
    let budget = crate::clock::budget(surroundings.limits);
    let setup = Setup {
        template: &template,
        inputs: &inputs,
        context: &context,
        state: &NoState,
        budget: &budget,
        policy: Policy::default(),
    };
    let deployment = Deployment::new(setup);
    let expansion = deployment.expand();
    let mut hidden = hidden(&template, &inputs, &expansion);
    if resumed {
        let is_input = |name: &str| job.input_parameters.iter().any(|known| known == name);
        let values = expansion.parameters.iter().filter(|(name, _)| is_input(name));
        values.for_each(|(_, value)| hidden.add_input(value));
    }
    if !expansion.errors.is_empty() {
        return Err(clean_error(&hidden, messages::invalid_template(&expansion.errors, text.as_deref())));
    }
    let configs = configs(&deployment, &template, given.as_ref());
    let configs = configs
        .map_err(|error| clean_error(&hidden, messages::invalid_template(&[error], text.as_deref())))?;
    drop(deployment);
    if !resumed {
        check_open_parameters(&expansion)?;
    }
    check_resources(&expansion)?;
    let mut has_secrets = false;
    if !resumed {
        (job.parameters, has_secrets) = kept_parameters(&inputs, &expansion);
        let names = inputs.parameters.iter().map(|(name, _)| name);
        job.input_parameters =
            names.filter(|name| inputs.depends_on_input(name)).map(ToString::to_string).collect();
        job.configs = kept_configs(given.as_ref());
        has_secrets |= !job.configs.is_empty();
    }
    let (template, inputs, expansion) = (Arc::new(template), Arc::new(inputs), Arc::new(expansion));
    Ok(Plan { id, job, template, source, text, context, inputs, expansion, configs, has_secrets, hidden })
}

/// The texts of the secure values that a template is given or comes by.
pub(crate) fn hidden(template: &Template, inputs: &Inputs, expansion: &Expansion) -> Hidden {
    let mut hidden = Hidden::of_inputs(template, inputs);
    hidden.add_parameters(inputs, &expansion.parameters);
    hidden
}

/// The configurations of the extensions of a template: what came with the request, else what the template says.
pub(crate) fn configs(
    deployment: &Deployment<'_>,
    template: &Template,
    given: Option<&Json>,
) -> Result<ExtensionConfigs, arm::Error> {
    let mut configs = ExtensionConfigs::new();
    for (alias, extension) in template.extensions.iter() {
        let written = match &extension.config {
            Some(term) => {
                deployment.evaluator().term(term, &EvaluationScope::new(ExpressionSite::ResourceBody))?
            }
            None => Value::object::<SmolStr>([]),
        };
        let mut members: Vec<(SmolStr, Value)> = Vec::new();
        for (name, item) in written.as_object().into_iter().flat_map(arm::value::Object::iter) {
            // Newer templates declare items with a type and a default; older ones have plain values.
            let declared = item.get("type").is_some() || item.get("defaultValue").is_some();
            let value = if declared { item.get("defaultValue").cloned() } else { Some(item.clone()) };
            members.extend(value.map(|value| (name.clone(), value)));
        }
        let supplied = given.and_then(|given| given.get(alias.as_str())).and_then(Json::as_object);
        for (name, item) in supplied.into_iter().flatten() {
            let value = match item.get("value") {
                Some(value) => Value::from(value).into_secure(),
                None => lost_secret(&format!("{alias}.{name}")),
            };
            members.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
            members.push((SmolStr::new(name), value));
        }
        configs.insert(alias.clone(), Value::object(members));
    }
    Ok(configs)
}

fn check_name(id: &DeploymentId) -> Result<(), ArmError> {
    let good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_' | '(' | ')');
    if id.name.chars().count() > 64 {
        return Err(messages::long_name(&id.name));
    }
    if id.name.is_empty() || !id.name.chars().all(good) {
        return Err(messages::bad_name(&id.name));
    }
    Ok(())
}

/// The largest template, and the largest parameters.
const MAX_PART: usize = 4 << 20;

/// The template of a request: as it is interpreted, and as it is stored.
fn template(request: &DeploymentRequest, properties: &Node) -> Result<(Document, Arc<Json>), ArmError> {
    let Some(compiled) = &request.template else {
        let node = template_node(properties)?;
        return Ok((Document::read(node), Arc::new(node.to_value())));
    };
    let source = compiled.to_json();
    if source.to_string().len() > MAX_PART {
        return Err(messages::too_large("template", MAX_PART));
    }
    Ok((compiled.clone(), Arc::new(source)))
}

fn template_node(properties: &Node) -> Result<&Node, ArmError> {
    let member = |name: &str| properties.get_ignore_case(name).filter(|node| !node.is_null());
    if let Some(template) = member("template") {
        if usize::from(template.range.len()) > MAX_PART {
            return Err(messages::too_large("template", MAX_PART));
        }
        return Ok(template);
    }
    if member("templateLink").is_some() {
        return Err(messages::linked_template("templateLink"));
    }
    Err(messages::missing_template())
}

fn read_job(
    request: &DeploymentRequest,
    properties: &Node,
    surroundings: &Surroundings,
) -> Result<Job, ArmError> {
    let member = |name: &str| properties.get_ignore_case(name).filter(|node| !node.is_null());
    if member("parametersLink").is_some() {
        return Err(messages::linked_parameters());
    }
    if member("parameters").is_some_and(|node| usize::from(node.range.len()) > MAX_PART) {
        return Err(messages::too_large("object of parameters", MAX_PART));
    }
    let in_group = matches!(request.id.scope, Scope::ResourceGroup { .. });
    let location = request.body.get_ignore_case("location").and_then(Node::as_str).map(str::to_owned);
    if location.is_none() && !in_group {
        return Err(messages::location_required());
    }
    let mode = match member("mode").and_then(Node::as_str) {
        None => Mode::Incremental,
        Some(text) if text.eq_ignore_ascii_case("Incremental") => Mode::Incremental,
        Some(text) if text.eq_ignore_ascii_case("Complete") => Mode::Complete,
        Some(other) => return Err(messages::bad_mode(other)),
    };
    if mode == Mode::Complete && !in_group {
        return Err(messages::complete_outside_group());
    }
    Ok(Job {
        location: location.filter(|_| !in_group),
        tags: request.body.get_ignore_case("tags").map(Node::to_value).filter(Json::is_object),
        mode,
        on_error: member("onErrorDeployment").map(on_error).transpose()?,
        debug: member("debugSetting").map(Node::to_value),
        external_inputs: definitions(properties),
        now: surroundings.now,
        seed: surroundings.seed.clone(),
        stack: request.stack.clone(),
        ..Job::default()
    })
}

/// The definitions of external inputs, by the section that has them; without their values.
fn definitions(properties: &Node) -> Map<String, Json> {
    let mut sections = Map::new();
    for section in ["externalInputDefinitions", "externalInputs"] {
        let members = properties.get_ignore_case(section).and_then(Node::as_object).into_iter().flatten();
        let is_definition =
            |node: &Node| node.get_ignore_case("kind").or_else(|| node.get_ignore_case("type")).is_some();
        let definitions = members.filter(|member| is_definition(&member.value));
        let definitions: Map<String, Json> =
            definitions.map(|member| (member.key.to_string(), member.value.to_value())).collect();
        if !definitions.is_empty() {
            sections.insert(section.to_owned(), Json::Object(definitions));
        }
    }
    sections
}

fn on_error(node: &Node) -> Result<OnError, ArmError> {
    let text = |name: &str| node.get_ignore_case(name).and_then(Node::as_str);
    match (text("type").map(str::to_ascii_lowercase).as_deref(), text("deploymentName")) {
        (Some("lastsuccessful"), _) => Ok(OnError::LastSuccessful),
        (Some("specificdeployment"), Some(name)) => Ok(OnError::Specific { deployment_name: name.into() }),
        _ => Err(messages::bad_on_error()),
    }
}

/// Clients that know nothing of external inputs send parameters that need them, and leave the rest out.
fn check_external(properties: &Node, inputs: &Inputs) -> Result<(), ArmError> {
    if inputs.external.iter().next().is_some() {
        return Ok(());
    }
    let parameters = properties.get_ignore_case("parameters").map(Node::to_value).unwrap_or_default();
    let needs = |parameter: &Json| {
        let expression = parameter.get("expression").and_then(Json::as_str).unwrap_or_default();
        expression.to_ascii_lowercase().contains("externalinputs(")
    };
    let members = parameters.as_object().into_iter().flatten();
    let names: Vec<&str> =
        members.filter(|(_, parameter)| needs(parameter)).map(|(name, _)| name.as_str()).collect();
    if names.is_empty() { Ok(()) } else { Err(messages::no_external_inputs(&names)) }
}

/// A value for an input that nobody asks for is a mistake in its name.
fn check_inputs(inputs: &Inputs) -> Result<(), ArmError> {
    let undefined = inputs.external.iter().find(|(_, input)| input.kind.is_empty());
    undefined.map_or(Ok(()), |(name, _)| Err(messages::undefined_input(name)))
}

/// Configurations of extensions must have values: secrets of vaults are not here.
fn check_configs(given: Option<&Json>) -> Result<(), ArmError> {
    for (alias, items) in given.and_then(Json::as_object).into_iter().flatten() {
        let without = items.as_object().into_iter().flatten().find(|(_, item)| item.get("value").is_none());
        if let Some((name, _)) = without {
            return Err(messages::vault_secret(&format!("{alias}.{name}")));
        }
    }
    Ok(())
}

/// Parameters whose values must be there by now. All that are missing are named.
fn check_open_parameters(expansion: &Expansion) -> Result<(), ArmError> {
    let mut missing = Vec::new();
    for (name, value) in &expansion.parameters {
        let mut gaps = Vec::new();
        value.gaps("", &mut gaps);
        for origin in gaps.iter().flat_map(|gap| gap.unknown.origins.iter()) {
            let error = match origin {
                Origin::ExternalInput(input) => messages::input_not_supplied(name, input),
                Origin::Secret(_) => messages::vault_secret(name),
                _ => continue,
            };
            if !missing.contains(&error) {
                missing.push(error);
            }
        }
    }
    messages::all_missing(missing).map_or(Ok(()), Err)
}

/// Every resource once, and no deployment whose template is elsewhere.
fn check_resources(expansion: &Expansion) -> Result<(), ArmError> {
    let mut seen = Vec::new();
    for planned in &expansion.resources {
        if let (Some(name), Some(of), None) = (
            planned.name.as_ref().and_then(Value::as_str),
            planned.resource_type.as_str(),
            planned.extension.as_ref(),
        ) && name.matches('/').count() + 1 != of.matches('/').count()
        {
            return Err(messages::bad_id_segments(of, name));
        }
        WaitUntil::of(planned).map_err(|error| error.placed(&planned.path))?;
        if let Some(deployment) = &planned.deployment {
            match &deployment.expansion {
                Some(inner) => check_resources(inner)?,
                None if !planned.existing => return Err(messages::linked_template("templateLink")),
                None => {}
            }
        }
        let Some(id) = planned.id.as_ref().and_then(Value::as_str).filter(|_| !planned.existing) else {
            continue;
        };
        if ResourceId::parse(id).is_none() {
            return Err(messages::bad_resource_id(id));
        }
        seen.push(key(id));
    }
    seen.sort_unstable();
    let twice = seen.windows(2).find(|pair| matches!(pair, [a, b] if a == b));
    twice.and_then(|pair| pair.first()).map_or(Ok(()), |id| Err(messages::duplicate_resource(id)))
}

/// Every resource as its type asks for, as far as it is known.
pub(crate) fn check_types(id: &DeploymentId, expansion: &Expansion, types: &Types) -> Result<(), ArmError> {
    let mut wrong = Vec::new();
    let mut open = vec![expansion];
    while let Some(expansion) = open.pop() {
        for planned in expansion.resources.iter().filter(|planned| !planned.existing) {
            if let Some(deployment) = &planned.deployment {
                open.extend(deployment.expansion.as_deref());
                continue;
            }
            let (Some(of), None) = (planned.resource_type.as_str(), &planned.extension) else { continue };
            let version = planned.api_version.as_ref().and_then(Value::as_str);
            // What is still open is checked again when the resource is made.
            if let Verdict::Fail(errors) = types.check(of, version, &planned.body) {
                let id = planned.id.as_ref().and_then(Value::as_str).unwrap_or(of);
                wrong.push(messages::invalid_resource(id, errors).placed(&planned.path));
            }
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(messages::invalid_deployment(&id.name, wrong)) }
}

/// The place of a deployment.
fn context(id: &DeploymentId, job: &Job, surroundings: &Surroundings) -> Context {
    let mut context = Context {
        tenant_id: Some(surroundings.tenant.clone()),
        deployment_name: Some(id.name.clone()),
        environment: Some(Context::azure_cloud()),
        deployer: Some(deployer(&surroundings.tenant)),
        default_subscription: Some(SmolStr::new_static(DEFAULT_SUBSCRIPTION)),
        subscription_name: Some(SmolStr::new_static("Local")),
        now: Some(job.now),
        guid_seed: Some(job.seed.as_str().into()),
        location: job.location.as_deref().map(SmolStr::new),
        ..Context::default()
    };
    match &id.scope {
        Scope::Tenant => {}
        Scope::ManagementGroup { id } => context.management_group = Some(id.clone()),
        Scope::Subscription { id } => context.subscription_id = Some(id.clone()),
        Scope::ResourceGroup { subscription, group } => {
            context.subscription_id = Some(subscription.clone());
            context.resource_group = Some(group.clone());
            put_group(&mut context, surroundings.group.as_ref());
        }
    }
    context
}

/// What templates may ask of their group.
pub(crate) fn put_group(context: &mut Context, group: Option<&Json>) {
    let Some(group) = group else { return };
    context.location = group["location"].as_str().map(SmolStr::new);
    context.tags = Some(group.get("tags").map_or_else(|| Value::object::<SmolStr>([]), Value::from));
}

fn deployer(tenant: &str) -> Value {
    Value::object([
        ("objectId", Value::from("00000000-0000-0000-0000-000000000002")),
        ("tenantId", Value::from(tenant)),
        ("userPrincipalName", Value::from("local@sinew")),
    ])
}

/// The supplied parameters as they are stored: their values, unless they are secure. Also whether any is.
fn kept_parameters(inputs: &Inputs, expansion: &Expansion) -> (Map<String, Json>, bool) {
    let mut kept = Map::new();
    let mut has_secrets = false;
    for (name, value) in &expansion.parameters {
        if inputs.parameters.get(name).is_none() {
            continue;
        }
        if value.has_secure() {
            has_secrets = true;
            kept.insert(name.to_string(), json!({}));
        } else {
            kept.insert(name.to_string(), json!({ "value": value.to_json(Secrets::Hidden) }));
        }
    }
    (kept, has_secrets)
}

/// The names of the configurations that came with a request. Any of them may be a secret.
fn kept_configs(given: Option<&Json>) -> Map<String, Json> {
    let mut kept = Map::new();
    for (alias, items) in given.and_then(Json::as_object).into_iter().flatten() {
        let names = items.as_object().into_iter().flatten().map(|(name, _)| (name.clone(), json!({})));
        kept.insert(alias.clone(), Json::Object(names.collect()));
    }
    kept.retain(|_, names| names.as_object().is_some_and(|names| !names.is_empty()));
    kept
}

/// What stands for a secure value that was not kept.
pub(crate) fn lost_secret(name: &str) -> Value {
    let call = Expr::call("parameters", vec![Expr::string(name)]);
    Value::unknown(Unknown::new(call, Origin::Secret(name.into())))
}
