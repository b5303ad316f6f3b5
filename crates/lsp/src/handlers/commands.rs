//! Commands and the requests of this server's own. Their names and shapes are those of Bicep's server, so that its clients work.

mod build;
mod configuration;
mod decompile;
mod deployment;
mod graph;
mod parameters;
mod write;

use camino::Utf8PathBuf;
use serde_json::Value;

use super::{Handler, Request};
use crate::rpc::{Answer, RpcError};
use crate::uri;

/// The commands and what does them.
const TABLE: &[(&str, Handler)] = &[
    ("build", build::build),
    ("buildParams", build::build_params),
    ("generateParams", parameters::generate),
    ("decompile", decompile::decompile),
    ("decompileSave", decompile::save),
    ("decompileParams", decompile::params),
    ("decompileForPaste", decompile::for_paste),
    ("createConfigFile", configuration::create),
    ("bicep.EditLinterRule", configuration::edit_rule),
    ("getDeploymentScope", deployment::scope),
    ("getDeploymentParameters", deployment::parameters),
];

/// The commands that clients may ask for.
pub(crate) fn names() -> Vec<&'static str> {
    TABLE.iter().map(|(name, _)| *name).collect()
}

/// Requests beyond the protocol.
pub(super) const REQUESTS: &[(&str, Handler)] = &[
    ("bicep/getRecommendedConfigLocation", configuration::recommended_location),
    ("bicep/getDeploymentData", deployment::data),
    ("textDocument/visualGraphUpdate", graph::update),
    ("textDocument/visualGraphLayout", graph::layout),
    ("textDocument/visualGraphNodeSource", graph::node_source),
];

pub(super) fn execute(request: &Request) -> Answer {
    let name = request.params.get("command").and_then(Value::as_str).unwrap_or_default();
    match TABLE.iter().find(|(known, _)| *known == name) {
        Some((_, command)) => command(request),
        None => Err(RpcError::new(RpcError::METHOD_NOT_FOUND, format!("There is no command {name}."))),
    }
}

/// An argument of a command.
fn argument(request: &Request, index: usize) -> &Value {
    request.params.get("arguments").and_then(|arguments| arguments.get(index)).unwrap_or(&Value::Null)
}

/// A path that a client gives as a path or as a URI, perhaps as a member of an object.
fn path_of(value: &Value) -> Option<Utf8PathBuf> {
    let text = value.as_str()?;
    uri::file_path(text)
        .or_else(|| (!text.is_empty() && !text.contains("://")).then(|| Utf8PathBuf::from(text)))
}

/// Shows what went wrong and gives it back.
fn refuse(request: &Request, message: String) -> Answer {
    request.client.show_error(&message);
    Ok(Value::String(message))
}
