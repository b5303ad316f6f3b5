//! The Model Context Protocol: assistants ask for tools and call them. The tools of the reference have its names, arguments and
//! answers; those of this program stand beside them.

mod best_practices;
mod resource_types;
mod schemas;
mod tools;

use std::sync::Arc;

use bicep_sema::TypeSource;
use serde_json::{Map, Value, json};

use crate::cancel::CancelToken;
use crate::jsonrpc::Workspace;
use crate::peer::Service;
use crate::rpc::{Answer, RpcError};
use crate::transport::Framing;
use crate::{Host, Setup, Tool};

/// The server of the Model Context Protocol.
pub(crate) struct Mcp {
    pub(crate) workspace: Workspace,
    pub(crate) types: Arc<dyn TypeSource>,
    pub(crate) world: Arc<dyn base::World>,
    host: Arc<dyn Host>,
    version: String,
}

/// The versions of the protocol that are spoken, newest first.
const PROTOCOL_VERSIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// The page of tools behind that of the reference's tools.
const OWN_TOOLS: &str = "sinew";

const INSTRUCTIONS: &str = "Tools for Azure Bicep and ARM templates. Paths are absolute. Compile a file with build_bicep or \
build_bicepparam and read its diagnostics; explain_code says what a code means; check_files runs all checks. Before you write a \
resource, look up its schema with get_azure_resource_type_schema.";

impl Mcp {
    pub(crate) fn new(setup: &Setup, host: Arc<dyn Host>) -> Self {
        Self {
            workspace: Workspace::new(setup),
            types: Arc::clone(&setup.types),
            world: Arc::clone(&setup.world),
            host,
            version: setup.version.clone(),
        }
    }

    fn initialize(&self, params: &Value) -> Value {
        let asked = params.get("protocolVersion").and_then(Value::as_str).unwrap_or_default();
        let spoken = PROTOCOL_VERSIONS.iter().find(|known| **known == asked);
        json!({
            "protocolVersion": spoken.unwrap_or(&PROTOCOL_VERSIONS[0]),
            "capabilities": { "tools": { "listChanged": false } },
            "serverInfo": { "name": "sinew", "title": "Sinew", "version": self.version },
            "instructions": INSTRUCTIONS,
        })
    }

    /// The tools of the reference are the first page, so that a client that compares lists finds exactly those; the next
    /// page has the tools of this program.
    fn list(&self, params: &Value) -> Answer {
        match params.get("cursor").and_then(Value::as_str) {
            None => {
                let tools: Vec<Value> = schemas::tools().iter().map(listed).collect();
                Ok(json!({ "tools": tools, "nextCursor": OWN_TOOLS }))
            }
            Some(OWN_TOOLS) => {
                Ok(json!({ "tools": self.host.tools().iter().map(listed).collect::<Vec<_>>() }))
            }
            Some(other) => Err(RpcError::invalid_params(format!("There is no page \"{other}\" of tools."))),
        }
    }

    fn call(&self, params: &Value, token: &CancelToken) -> Answer {
        let name = params.get("name").and_then(Value::as_str).unwrap_or_default();
        let none = Map::new();
        let arguments = params.get("arguments").and_then(Value::as_object).unwrap_or(&none);
        if let Some(tool) = tools::find(name) {
            return match tool(self, &Value::Object(arguments.clone()), token) {
                Ok(content) => Ok(answer(&content, false)),
                Err(error) if error.code == RpcError::CANCELLED => Err(error),
                Err(error) => Ok(failure(&error.message)),
            };
        }
        if !self.host.tools().iter().any(|tool| tool.name == name) {
            return Err(RpcError::invalid_params(format!("There is no tool \"{name}\".")));
        }
        Ok(match self.host.call(name, arguments) {
            Ok(found) => answer(&found.content, found.is_error),
            Err(message) => failure(&message),
        })
    }
}

impl Service for Mcp {
    const FRAMING: Framing = Framing::Lines;
    const CANCEL: (&'static str, &'static str) = ("notifications/cancelled", "requestId");

    fn answer(&self, method: &str, params: &Value, token: &CancelToken) -> Answer {
        match method {
            "initialize" => Ok(self.initialize(params)),
            "ping" => Ok(json!({})),
            "tools/list" => self.list(params),
            "tools/call" => self.call(params, token),
            _ => Err(RpcError::new(RpcError::METHOD_NOT_FOUND, format!("There is no method {method}."))),
        }
    }
}

/// A tool as clients list it. None of them changes anything.
fn listed(tool: &Tool) -> Value {
    json!({
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": tool.input_schema,
        "outputSchema": tool.output_schema,
        "annotations": {
            "title": tool.title,
            "readOnlyHint": true,
            "destructiveHint": false,
            "idempotentHint": true,
        },
    })
}

/// An answer as data, and as text for clients that know no data.
fn answer(content: &Value, is_error: bool) -> Value {
    json!({
        "content": [{ "type": "text", "text": content.to_string() }],
        "structuredContent": content,
        "isError": is_error,
    })
}

fn failure(message: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": message }], "isError": true })
}
