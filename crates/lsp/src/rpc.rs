//! JSON-RPC: a content comes in as a [`Message`]; answers go out as values.

use serde_json::{Value, json};

/// A message of the client.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Message {
    /// Wants an answer.
    Request { id: Value, method: String, params: Value },
    /// Wants none.
    Notification { method: String, params: Value },
    /// Answers a request of the server.
    Response { id: Value, result: Value },
    /// None of these.
    Invalid { id: Value },
}

/// Why a request has no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RpcError {
    pub(crate) code: i64,
    pub(crate) message: String,
}

impl RpcError {
    pub(crate) const PARSE: i64 = -32700;
    pub(crate) const INVALID_REQUEST: i64 = -32600;
    pub(crate) const METHOD_NOT_FOUND: i64 = -32601;
    pub(crate) const INVALID_PARAMS: i64 = -32602;
    pub(crate) const INTERNAL: i64 = -32603;
    /// What a method says when it cannot do what it is asked for.
    pub(crate) const INVOCATION: i64 = -32000;
    pub(crate) const NOT_INITIALIZED: i64 = -32002;
    pub(crate) const CANCELLED: i64 = -32800;
    pub(crate) const CONTENT_MODIFIED: i64 = -32801;
    pub(crate) const REQUEST_FAILED: i64 = -32803;

    pub(crate) fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self::new(Self::REQUEST_FAILED, message)
    }

    pub(crate) fn cancelled() -> Self {
        Self::new(Self::CANCELLED, "The request was cancelled.")
    }

    pub(crate) fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(Self::INVALID_PARAMS, message)
    }
}

/// The result of a request.
pub(crate) type Answer = Result<Value, RpcError>;

/// Reads a message.
pub(crate) fn parse(content: &[u8]) -> Result<Message, RpcError> {
    let value: Value = serde_json::from_slice(content)
        .map_err(|error| RpcError::new(RpcError::PARSE, format!("The message is not JSON: {error}.")))?;
    let Value::Object(mut members) = value else { return Ok(Message::Invalid { id: Value::Null }) };
    let id = members.remove("id");
    let params = members.remove("params").unwrap_or(Value::Null);
    Ok(match (members.remove("method"), id) {
        (Some(Value::String(method)), Some(id)) if !id.is_null() => Message::Request { id, method, params },
        (Some(Value::String(method)), _) => Message::Notification { method, params },
        (None, Some(id)) => Message::Response { id, result: members.remove("result").unwrap_or(Value::Null) },
        (_, id) => Message::Invalid { id: id.unwrap_or(Value::Null) },
    })
}

/// The answer to a request.
pub(crate) fn response(id: &Value, answer: Answer) -> Value {
    match answer {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err(error) => {
            let error = json!({ "code": error.code, "message": error.message });
            json!({ "jsonrpc": "2.0", "id": id, "error": error })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_message_is_told_apart() {
        assert_eq!(parse(b"{").unwrap_err().code, RpcError::PARSE);
        assert_eq!(parse(b"[]").unwrap(), Message::Invalid { id: Value::Null });
        assert_eq!(parse(br#"{"id":1}"#).unwrap(), Message::Response { id: json!(1), result: Value::Null });
        let request = parse(br#"{"id":"a","method":"m"}"#).unwrap();
        assert_eq!(request, Message::Request { id: json!("a"), method: "m".into(), params: Value::Null });
    }
}
