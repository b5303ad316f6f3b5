//! `sinew/preview`: what a document would deploy, as text that follows the typing.

use bicep_syntax::Dialect;
use serde_json::{Value, json};

use super::Request;
use crate::jsonrpc::{DeploymentContext, Loaded, first_errors, predict};
use crate::rpc::Answer;

/// The resources and outputs of a parameter file, the template of a Bicep file; of one with errors, these. The members
/// `subscriptionId`, `resourceGroup` and so on say where it is deployed.
pub(super) fn preview(request: &Request) -> Answer {
    let Some(document) = &request.document else { return Ok(Value::Null) };
    let loaded = Loaded::of(request.snapshot.clone(), &document.path)?;
    let is_params = loaded.compilation.bicep().is_some_and(|bicep| bicep.dialect == Dialect::Params);
    let text = if !loaded.is_sound() {
        first_errors(&loaded)
    } else if is_params {
        let predicted = predict(&loaded, &DeploymentContext::of(&request.params), &[]);
        predicted.map_or_else(|error| error.message, |found| json::to_pretty(&found))
    } else {
        loaded.template(loaded.entry)?
    };
    Ok(json!({ "text": text }))
}
