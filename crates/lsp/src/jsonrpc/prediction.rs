//! `bicep/getSnapshot`: what a parameter file would deploy, as far as it can be known without deploying.

use std::sync::Arc;

use arm::{Context, Value as ArmValue};
use base::disk::SystemClock;
use base::{Budget, Limits, SmolStr};
use bicep_syntax::Dialect;
use serde_json::{Value, json};

use super::{JsonRpc, Loaded, Request, failed, level};
use crate::rpc::{Answer, RpcError};

pub(super) fn snapshot(server: &JsonRpc, request: &Request<'_>) -> Answer {
    let path = request.path()?;
    let loaded = server.workspace.load(&path, request.token)?;
    let metadata = request.params.get("metadata").unwrap_or(&Value::Null);
    let inputs = request.params.get("externalInputs").and_then(Value::as_array);
    let place = DeploymentContext::of(metadata);
    request.token.check()?;
    let found = predict(&loaded, &place, inputs.map(Vec::as_slice).unwrap_or_default())?;
    Ok(json!({ "snapshot": json::to_pretty(&found) }))
}

/// Where a deployment goes. What is not given stays unknown.
pub(crate) struct DeploymentContext(Context);

impl DeploymentContext {
    /// Reads the members `tenantId`, `subscriptionId` and so on.
    pub(crate) fn of(members: &Value) -> Self {
        let text = |name: &str| members.get(name).and_then(Value::as_str).map(SmolStr::new);
        Self(Context {
            tenant_id: text("tenantId"),
            management_group: text("managementGroupId"),
            subscription_id: text("subscriptionId"),
            resource_group: text("resourceGroup"),
            location: text("location"),
            deployment_name: text("deploymentName"),
            ..Context::default()
        })
    }
}

/// The document `{predictedResources, diagnostics, outputs}` of a parameter file. External inputs are a list of
/// `{ kind, config, value }`; those that are not given stay expressions.
pub(crate) fn predict(
    loaded: &Loaded,
    place: &DeploymentContext,
    inputs: &[Value],
) -> Result<Value, RpcError> {
    let path = || loaded.compilation.program().unit(loaded.entry).source().path().to_owned();
    if loaded.compilation.bicep().is_none_or(|bicep| bicep.dialect != Dialect::Params) {
        return Err(failed(format!("{} is not a parameter file.", path())));
    }
    if !loaded.is_sound() {
        return Err(failed(format!("{} has errors: {}", path(), first_errors(loaded))));
    }
    let parameters = loaded.compilation.parameters(loaded.entry);
    let used = parameters.as_ref().and_then(|parameters| Some((parameters, parameters.template?)));
    let Some((parameters, template)) = used else {
        return Err(failed(format!("{} does not say which template it is for.", path())));
    };
    let mut given = parameters.inputs();
    for input in inputs {
        let Some(kind) = input.get("kind").and_then(Value::as_str) else {
            return Err(RpcError::invalid_params("An external input is { kind, config, value }."));
        };
        let value = ArmValue::from(input.get("value").unwrap_or(&Value::Null));
        given.supply_matching(kind, input.get("config").unwrap_or(&Value::Null), &value);
    }
    let emitted = loaded.compilation.template(template);
    let budget = Budget::new(Limits::default()).with_clock(Arc::new(SystemClock::default()));
    let predicted = arm::snapshot(emitted.model(), &given, &place.0, &budget);
    predicted.map(|snapshot| snapshot.document).map_err(|errors| {
        let texts: Vec<String> =
            errors.iter().map(|error| format!("{}: {}", error.code().name(), error.message())).collect();
        failed(format!("{} cannot be evaluated: {}", path(), texts.join("; ")))
    })
}

/// The first errors of a file, for a message.
pub(crate) fn first_errors(loaded: &Loaded) -> String {
    const SHOWN: usize = 5;
    let reports = loaded.reports();
    let errors = reports.iter().flat_map(|report| {
        let errors = report.diagnostics.iter().filter(|it| it.severity == base::Severity::Error);
        errors.map(move |it| {
            let at = report.file.position(it.range.start());
            let (file, level) = (report.file.path(), level(it.severity));
            format!("{file}({},{}) : {level} {}: {}", at.line + 1, at.col + 1, it.code, it.message)
        })
    });
    errors.take(SHOWN).collect::<Vec<_>>().join("\n")
}
