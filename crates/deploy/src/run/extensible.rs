//! Resources of extensions: made and read by programs of their own, known to the template by their symbolic names.

use arm::expand::Planned;
use arm::{Template, Value};
use serde_json::{Value as Json, json};

use super::active_deployment::{ActiveDeployment, subject_of, symbol_of};
use super::operation::OperationRecorder;
use super::resolve::{ValueLabel, resolve};
use super::resource::{conclude, get, is_as_asked, label, put, refuse, until, within_timeout};
use super::{DeploymentRun, Failure, nested};
use crate::document::OperationTarget;
use crate::error::ArmError;
use crate::messages;
use crate::provider::extension::Extension;
use crate::provider::{Resource, ResourceRequest, ResourceTarget};
use crate::secrets::{marked, without};

/// Makes a resource of an extension, or reads one that exists.
pub(super) async fn deploy(
    run: &DeploymentRun,
    unit: &ActiveDeployment,
    recorder: &OperationRecorder<'_>,
    planned: &Planned,
    alias: &str,
) -> Result<(), Failure> {
    let prepared = match prepare(run, unit, recorder, planned, alias).await {
        Ok(Some(prepared)) => prepared,
        Ok(None) => return Ok(()),
        Err(failure) => return refuse(recorder, planned, failure).await,
    };
    let PreparedResource { target, properties, extension } = prepared;
    // A module has an id, so that whoever looks at its operation finds what happens inside.
    let id = extension.provider.is_none().then(|| nested::local_id(unit, &properties).to_string());
    let shown =
        OperationTarget { id, extension: Some(extension.shown), ..OperationTarget::asked(planned, &target) };
    let mut begun = recorder.begin(&subject_of(planned), "Create", Some(shown)).await?;
    let Some(provider) = extension.provider else {
        let result = nested::deploy_local(run, unit, planned, &properties).await.map(|value| {
            unit.remember(&symbol_of(planned).unwrap_or_default(), value);
            Resource { document: Json::Null, identifiers: None, created: true }
        });
        return conclude(recorder, begun, result).await;
    };
    let mut request =
        ResourceRequest { target, body: properties, patch: false, fence: Some(run.fence.clone()) };
    let known = match recorder.was_interrupted(&subject_of(planned)) {
        true => recognised(run, provider, &request).await?,
        false => None,
    };
    let result = match known {
        Some(resource) => Ok(resource),
        None => put(run, provider, &request, planned).await,
    };
    if let Ok(resource) = &result {
        unit.remember(
            &symbol_of(planned).unwrap_or_default(),
            marked(&Value::from(&resource.document), &request.body),
        );
        if let Some(target) = &mut begun.target {
            let identifiers = resource.identifiers.as_ref().map(Value::from);
            target.identifiers = identifiers.map(|it| without(&marked(&it, &request.body)));
        }
    }
    let made = begun.target.as_ref().map(OperationTarget::made);
    let result = match result {
        Ok(resource) => {
            request.target.identifiers.clone_from(&resource.identifiers);
            until(run, unit, planned, Some((provider, &request))).await.map(|()| resource)
        }
        failed => failed,
    };
    conclude(recorder, begun, result).await?;
    unit.note_made(planned, made.into_iter().collect());
    Ok(())
}

/// The resource as it is, if its extension made it as asked for before the run was interrupted. A preview gives the identifiers
/// that the resource is looked for by; an extension without previews is asked to make it again.
async fn recognised(
    run: &DeploymentRun,
    extension: &Extension,
    request: &ResourceRequest,
) -> Result<Option<Resource>, Failure> {
    let found = within_timeout(run, &request.target, extension.find(request)).await?;
    Ok(found.ok().flatten().filter(|found| is_as_asked(found, request)))
}

/// What is asked of which extension.
struct PreparedResource<'r> {
    target: ResourceTarget,
    properties: Value,
    extension: UsedExtension<'r>,
}

/// An extension that a template uses.
struct UsedExtension<'r> {
    /// The program; none for modules, which this process runs itself.
    provider: Option<&'r Extension>,
    /// What operations say of it.
    shown: Json,
}

/// Evaluates what is asked for. Nothing if the condition does not hold, or if the resource is only to be read.
async fn prepare<'r>(
    run: &'r DeploymentRun,
    unit: &ActiveDeployment,
    recorder: &OperationRecorder<'_>,
    planned: &Planned,
    alias: &str,
) -> Result<Option<PreparedResource<'r>>, Failure> {
    let name = label(planned);
    let about = ValueLabel { name: &name, path: &planned.path };
    let condition = resolve(run, unit, &planned.condition, about).await?;
    if condition.as_bool() == Some(false) {
        return Ok(None);
    }
    let extension = used(run, unit, alias)?;
    let (target, properties) = asked(run, unit, planned, alias, about).await?;
    let Some(provider) = extension.provider else {
        return Ok(Some(PreparedResource { target, properties, extension }));
    };
    let before = recorder.before(&subject_of(planned));
    let identifiers = match before {
        _ if planned.existing => Some(properties.to_json(arm::Secrets::Shown)),
        Some(before) => before.pointer("/properties/targetResource/identifiers").cloned(),
        None => return Ok(Some(PreparedResource { target, properties, extension })),
    };
    let found = get(run, provider, &ResourceTarget { identifiers, ..target.clone() }).await?;
    let resource = found.ok_or_else(|| messages::resource_not_found(&name))?;
    unit.remember(&symbol_of(planned).unwrap_or_default(), Value::from(&resource.document));
    if !planned.existing {
        let identifiers = resource.identifiers;
        let shown = OperationTarget {
            id: None,
            extension: Some(extension.shown),
            ..OperationTarget::asked(planned, &target)
        };
        unit.note_made(planned, vec![OperationTarget { identifiers, ..shown }.made()]);
    }
    Ok(None)
}

fn used<'r>(
    run: &'r DeploymentRun,
    unit: &ActiveDeployment,
    alias: &str,
) -> Result<UsedExtension<'r>, ArmError> {
    let template = unit.functions.get();
    let (name, shown) = (name_of(template, alias), shown(template, alias));
    if name == LOCAL {
        return Ok(UsedExtension { provider: None, shown });
    }
    let provider = run.inner.options.extensions.find(name).ok_or_else(|| messages::no_extension(name))?;
    Ok(UsedExtension { provider: Some(provider), shown })
}

/// The extension under which modules of local deployments go. This process runs them.
pub(crate) const LOCAL: &str = "LocalNested";

/// What is asked of the extension: the type with its version, the configuration, the properties.
async fn asked(
    run: &DeploymentRun,
    unit: &ActiveDeployment,
    planned: &Planned,
    alias: &str,
    about: ValueLabel<'_>,
) -> Result<(ResourceTarget, Value), ArmError> {
    let parts = resolve(run, unit, &parts(planned, unit.configs.get(alias)), about).await?;
    parts.get("config").into_iter().for_each(|config| run.hide(config));
    Ok((target(&parts), parts.get("properties").cloned().unwrap_or(Value::NULL)))
}

/// What has to be known of a resource before its extension is asked for it.
pub(crate) fn parts(planned: &Planned, config: Option<&Value>) -> Value {
    Value::object([
        ("type", planned.resource_type.clone()),
        ("apiVersion", planned.api_version.clone().unwrap_or(Value::NULL)),
        ("properties", planned.body.get("properties").cloned().unwrap_or_else(|| Value::object::<&str>([]))),
        ("config", config.cloned().unwrap_or(Value::NULL)),
    ])
}

/// Which resource these parts are about.
pub(crate) fn target(parts: &Value) -> ResourceTarget {
    let text = |name: &str| parts.get(name).and_then(Value::as_str).map(str::to_owned);
    let full = text("type").unwrap_or_default();
    // Templates write `Type@version`, or the two apart.
    let (resource_type, api_version) = match full.split_once('@') {
        Some((of, version)) => (of.to_owned(), Some(version.to_owned())),
        None => (full, text("apiVersion")),
    };
    let config = parts.get("config").filter(|config| !config.is_null());
    let config = config.map(|config| config.to_json(arm::Secrets::Shown));
    ResourceTarget { id: None, resource_type, api_version, identifiers: None, config }
}

/// What operations and changes say of an extension.
pub(crate) fn shown(template: &Template, alias: &str) -> Json {
    let declared = template.extensions.get(alias);
    let name = name_of(template, alias);
    json!({ "alias": alias, "name": name, "version": declared.map(|it| it.version.as_str()) })
}

/// The name of the extension that a template calls by an alias.
pub(crate) fn name_of<'t>(template: &'t Template, alias: &'t str) -> &'t str {
    template.extensions.get(alias).map_or(alias, |declared| declared.name.as_str())
}
