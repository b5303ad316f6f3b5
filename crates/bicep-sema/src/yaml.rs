//! YAML as JSON values.

use serde_json::Value;

/// Reads the first document of a text; `None` if it is not valid or empty.
pub(crate) fn parse(text: &str) -> Option<Value> {
    let parsed = json::parse(text, json::Options::lenient());
    let is_valid = parsed.diagnostics.iter().all(|it| it.severity != base::Severity::Error);
    parsed.root.filter(|_| is_valid).map(|root| root.to_value())
}
