//! Requests: the lenient body that clients send, read once, with positions.

use std::sync::Arc;

use base::SourceFile;
use json::{Node, Options as JsonOptions};
use serde_json::Value as Json;

use crate::error::ArmError;
use crate::messages;
use crate::scope::DeploymentId;
use crate::what_if::Format;

/// A deployment that somebody asks for.
#[derive(Debug, Clone)]
pub struct DeploymentRequest {
    pub id: DeploymentId,
    /// The body: `{location?, tags?, properties}`.
    pub(crate) body: Node,
    /// The text that the body was read from: errors have their places in it.
    pub(crate) text: Arc<SourceFile>,
    /// The template, if it did not come as text in the body.
    pub(crate) template: Option<arm::document::Node>,
    /// The id of the deployment stack that asks for it.
    pub(crate) stack: Option<String>,
    /// The address under which the server that took the request is known to its client.
    pub(crate) origin: Option<String>,
}

/// The largest body that is taken: template and parameters of 4 MB each.
pub const MAX_BODY: usize = 9 << 20;

impl DeploymentRequest {
    /// Reads a body as lenient as clients need it: comments, trailing commas, names without quotes.
    pub fn parse(id: DeploymentId, body: &str) -> Result<Self, ArmError> {
        if body.len() > MAX_BODY {
            return Err(messages::too_large("request", MAX_BODY).with_status(413));
        }
        let parsed = json::parse(body, JsonOptions::lenient());
        let text = SourceFile::new("request.json", body);
        if let Some(problem) = parsed.diagnostics.iter().find(|d| d.severity == base::Severity::Error) {
            let at = text.position(problem.range.start());
            return Err(messages::not_json(&problem.message, at.line + 1, at.col + 1));
        }
        match parsed.root {
            Some(body) if body.as_object().is_some() => {
                Ok(Self { id, body, text, template: None, stack: None, origin: None })
            }
            _ => Err(messages::not_an_object()),
        }
    }

    /// The request of a program that has the body as a value.
    pub fn new(id: DeploymentId, body: &Json) -> Result<Self, ArmError> {
        Self::parse(id, &body.to_string())
    }

    /// The request of a program that has compiled the template itself; the body has everything else.
    pub fn of_template(
        id: DeploymentId,
        template: arm::document::Node,
        body: &Json,
    ) -> Result<Self, ArmError> {
        Ok(Self { template: Some(template), ..Self::new(id, body)? })
    }

    /// The same, sent to a server under this address: links to it lead to its own templates.
    #[must_use]
    pub fn sent_to(self, origin: &str) -> Self {
        Self { origin: Some(origin.to_owned()), ..self }
    }

    /// How much a what-if tells.
    pub(crate) fn what_if_format(&self) -> Format {
        let settings =
            self.body.get_ignore_case("properties").and_then(|p| p.get_ignore_case("whatIfSettings"));
        let format = settings.and_then(|settings| settings.get_ignore_case("resultFormat")?.as_str());
        match format {
            Some(text) if text.eq_ignore_ascii_case("ResourceIdOnly") => Format::IdOnly,
            _ => Format::Full,
        }
    }
}
