//! The error of the Deployments API: what is wrong, where, with details, and the HTTP status that suits.

use serde_json::{Map, Value as Json, json};

use crate::store::StoreError;

/// An error as the API tells it. The catalogue is in `messages.rs`.
#[derive(Debug, Clone, PartialEq)]
pub struct ArmError {
    /// A stable code such as `InvalidTemplate`.
    pub code: String,
    /// One sentence.
    pub message: String,
    /// What it is about: a parameter, a path, a resource id.
    pub target: Option<String>,
    /// The errors behind this one.
    pub details: Vec<Self>,
    /// Typed additions, such as the place in the template.
    pub additional_info: Vec<Json>,
    /// The HTTP status that suits.
    pub status: u16,
}

impl ArmError {
    /// An error with a code and a sentence; its status is 400.
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        Self {
            code: code.into(),
            message: message.into(),
            target: None,
            details: Vec::new(),
            additional_info: Vec::new(),
            status: 400,
        }
    }

    /// The same error with another HTTP status.
    #[must_use]
    pub fn with_status(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    /// The same error about this.
    #[must_use]
    pub fn about(mut self, target: impl Into<String>) -> Self {
        self.target = Some(target.into());
        self
    }

    /// The same error with the errors behind it.
    #[must_use]
    pub fn because(mut self, details: Vec<Self>) -> Self {
        self.details = details;
        self
    }

    /// The same error at a part of the template.
    #[must_use]
    pub(crate) fn placed(mut self, steps: &[arm::Step]) -> Self {
        self.additional_info.push(crate::messages::template_place(steps, ""));
        self
    }

    /// The error of the template that a resource deploys, at its places in the template around it.
    #[must_use]
    pub(crate) fn inside(mut self, resource: &[arm::Step]) -> Self {
        let steps: Vec<arm::Step> =
            resource.iter().cloned().chain(["properties".into(), "template".into()]).collect();
        for info in &mut self.additional_info {
            let path = info.pointer("/info/path").and_then(Json::as_str).map(str::to_owned);
            if let (Some("TemplateViolation"), Some(path)) = (info.get("type").and_then(Json::as_str), path) {
                *info = crate::messages::template_place(&steps, &path);
            }
        }
        self.details = self.details.into_iter().map(|detail| detail.inside(resource)).collect();
        self
    }

    /// Whether only the state was away: the same may work later.
    pub(crate) fn is_transient(&self) -> bool {
        self.code == crate::messages::STORE_UNAVAILABLE
    }

    /// The inner object of the error envelope.
    pub fn to_json(&self) -> Json {
        let mut members = Map::new();
        members.insert("code".into(), json!(self.code));
        members.insert("message".into(), json!(self.message));
        if let Some(target) = &self.target {
            members.insert("target".into(), json!(target));
        }
        if !self.details.is_empty() {
            members.insert("details".into(), self.details.iter().map(Self::to_json).collect());
        }
        if !self.additional_info.is_empty() {
            members.insert("additionalInfo".into(), Json::Array(self.additional_info.clone()));
        }
        Json::Object(members)
    }

    /// The error envelope: `{"error": …}`.
    pub fn envelope(&self) -> Json {
        json!({ "error": self.to_json() })
    }

    /// Reads an error back; absent members stay empty.
    pub fn from_json(json: &Json) -> Self {
        let text = |name: &str| json.get(name).and_then(Json::as_str).map(str::to_owned);
        let list = |name: &str| json.get(name).and_then(Json::as_array).cloned().unwrap_or_default();
        Self {
            code: text("code").unwrap_or_default(),
            message: text("message").unwrap_or_default(),
            target: text("target"),
            details: list("details").iter().map(Self::from_json).collect(),
            additional_info: list("additionalInfo"),
            status: 400,
        }
    }
}

impl From<StoreError> for ArmError {
    fn from(error: StoreError) -> Self {
        crate::messages::store_failed(&error)
    }
}

impl std::fmt::Display for ArmError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl std::error::Error for ArmError {}
