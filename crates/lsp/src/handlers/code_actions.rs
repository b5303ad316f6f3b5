//! Code actions.

use serde_json::json;

use super::Request;
use crate::rpc::Answer;

pub(super) fn code_actions(_request: &Request) -> Answer {
    Ok(json!([]))
}
