//! Commands and the requests of this server's own.

use serde_json::Value;

use super::{Handler, Request};
use crate::rpc::{Answer, RpcError};

/// The commands that clients may ask for.
pub(crate) const COMMANDS: &[&str] = &[];

/// Requests beyond the protocol.
pub(super) const REQUESTS: &[(&str, Handler)] = &[];

pub(super) fn execute(request: &Request) -> Answer {
    let name = request.params.get("command").and_then(Value::as_str).unwrap_or_default();
    Err(RpcError::new(RpcError::METHOD_NOT_FOUND, format!("There is no command {name}.")))
}
