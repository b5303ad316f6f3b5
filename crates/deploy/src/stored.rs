//! Documents that were stored, read back.

use serde_json::Value as Json;

/// A stored document; `null` if it cannot be read. What was accepted may be nested deeper than the usual reader takes.
pub(crate) fn json(text: &str) -> Json {
    serde_json::from_str(text).unwrap_or_else(|_| {
        let options = json::Options { max_depth: json::DEEPEST, ..json::Options::strict() };
        json::parse(text, options).root.map(|root| root.to_value()).unwrap_or_default()
    })
}

/// A stored document, if it is one.
pub(crate) fn object(text: &str) -> Option<Json> {
    Some(json(text)).filter(Json::is_object)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deep_documents_are_read() {
        let text = format!("{}1{}", "{\"a\":".repeat(300), "}".repeat(300));
        assert!(object(&text).is_some());
        assert_eq!(json("not json at all"), Json::Null);
    }
}
