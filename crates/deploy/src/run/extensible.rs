//! Resources of extensions: made and read by programs of their own, known to the template by their symbolic names.

use arm::Value;
use arm::expand::Planned;
use serde_json::{Value as Json, json};

use super::operation::Recorder;
use super::resolve::resolve;
use super::resource::{conclude, label, put};
use super::unit::{Unit, subject_of, symbol_of};
use super::{Failure, Run, nested};
use crate::document::Target;
use crate::error::ArmError;
use crate::messages;
use crate::provider::{Provider, Resource, ResourceRequest, ResourceTarget};

/// Makes a resource of an extension, or reads one that exists.
pub(super) async fn deploy(
    run: &Run,
    unit: &Unit,
    recorder: &Recorder<'_>,
    (planned, alias): (&Planned, &str),
) -> Result<(), Failure> {
    let about = label(planned);
    let condition = resolve(run, unit, &planned.condition, &about).await?;
    if condition.as_bool() == Some(false) {
        return Ok(());
    }
    let declared = unit.functions.get().extensions.get(alias);
    let name = declared.map_or(alias, |declared| declared.name.as_str());
    if name == LOCAL {
        return module(run, unit, recorder, (planned, alias)).await;
    }
    let provider = run.inner.options.extensions.find(name).ok_or_else(|| messages::no_extension(name))?;
    let (target, properties) = asked(run, unit, (planned, alias), &about).await?;
    let symbol = symbol_of(planned).unwrap_or_default();
    let subject = subject_of(planned);
    if planned.existing {
        let identifiers = Some(properties.to_json(arm::Secrets::Shown));
        let resource = read(provider, &ResourceTarget { identifiers, ..target }, &about).await?;
        unit.remember(&symbol, Value::from(&resource.document));
        return Ok(());
    }
    if let Some(before) = recorder.before(&subject) {
        let identifiers = before.pointer("/properties/targetResource/identifiers").cloned();
        let resource = read(provider, &ResourceTarget { identifiers, ..target }, &about).await?;
        unit.remember(&symbol, Value::from(&resource.document));
        return Ok(());
    }
    let shown = Target {
        resource_type: target.resource_type.clone(),
        api_version: target.api_version.clone(),
        symbol: Some(symbol.clone()),
        extension: Some(
            json!({ "alias": alias, "name": name, "version": declared.map(|it| it.version.as_str()) }),
        ),
        ..Target::default()
    };
    let mut begun = recorder.begin(&subject, "Create", Some(shown)).await?;
    let request = ResourceRequest { target, body: properties, patch: false, fence: Some(run.fence.clone()) };
    let result = put(run, provider, (&request, planned)).await;
    if let Ok(resource) = &result {
        unit.remember(&symbol, given(resource, &request.body));
        if let Some(target) = &mut begun.target {
            target.identifiers.clone_from(&resource.identifiers);
        }
    }
    conclude(recorder, begun, result).await
}

/// The extension under which modules of local deployments go. This process runs them.
const LOCAL: &str = "LocalNested";

/// Runs a module of a local deployment.
async fn module(
    run: &Run,
    unit: &Unit,
    recorder: &Recorder<'_>,
    (planned, alias): (&Planned, &str),
) -> Result<(), Failure> {
    let (target, properties) = asked(run, unit, (planned, alias), &label(planned)).await?;
    let symbol = symbol_of(planned).unwrap_or_default();
    let shown =
        Target { resource_type: target.resource_type, symbol: Some(symbol.clone()), ..Target::default() };
    let begun = recorder.begin(&subject_of(planned), "Create", Some(shown)).await?;
    let result = nested::deploy_local(run, unit, &properties).await.map(|value| {
        unit.remember(&symbol, value);
        Resource { document: Json::Null, identifiers: None, created: true }
    });
    conclude(recorder, begun, result).await
}

/// What is asked of the extension: the type with its version, the configuration, the properties.
async fn asked(
    run: &Run,
    unit: &Unit,
    (planned, alias): (&Planned, &str),
    about: &str,
) -> Result<(ResourceTarget, Value), ArmError> {
    let parts = Value::object([
        ("type", planned.resource_type.clone()),
        ("apiVersion", planned.api_version.clone().unwrap_or(Value::NULL)),
        ("properties", planned.body.get("properties").cloned().unwrap_or_else(|| Value::object::<&str>([]))),
        ("config", unit.configs.get(alias).cloned().unwrap_or(Value::NULL)),
    ]);
    let parts = resolve(run, unit, &parts, about).await?;
    let text = |name: &str| parts.get(name).and_then(Value::as_str).map(str::to_owned);
    let full = text("type").unwrap_or_default();
    // Templates write `Type@version`, or the two apart.
    let (resource_type, version) = match full.split_once('@') {
        Some((of, version)) => (of.to_owned(), Some(version.to_owned())),
        None => (full, text("apiVersion")),
    };
    let config = parts.get("config").filter(|config| !config.is_null());
    let target = ResourceTarget {
        id: None,
        resource_type,
        api_version: version,
        identifiers: None,
        config: config.map(|config| config.to_json(arm::Secrets::Shown)),
    };
    Ok((target, parts.get("properties").cloned().unwrap_or(Value::NULL)))
}

async fn read(provider: &dyn Provider, target: &ResourceTarget, about: &str) -> Result<Resource, ArmError> {
    let found = provider.get(target).await.map_err(|error| error.error)?;
    found.ok_or_else(|| messages::resource_not_found(about))
}

/// What references to the resource give. If secrets went in, what comes out is one.
fn given(resource: &Resource, asked: &Value) -> Value {
    let value = Value::from(&resource.document);
    let Json::Object(_) = resource.document else { return value };
    if asked.has_secure() { with_secrets(&value, asked) } else { value }
}

/// The same value with the secure marks of what was asked for.
fn with_secrets(value: &Value, asked: &Value) -> Value {
    if asked.is_secure() {
        return value.clone().into_secure();
    }
    let (Some(members), Some(marks)) = (value.as_object(), asked.as_object()) else { return value.clone() };
    Value::object(members.iter().map(|(name, member)| {
        let member = marks.get(name).map_or_else(|| member.clone(), |mark| with_secrets(member, mark));
        (name.clone(), member)
    }))
}
