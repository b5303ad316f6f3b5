//! Values as text: in JSON or as Bicep writes them, and why parts of them are unknown.

use std::fmt::Write as _;

use arm::value::Kind;
use arm::{Gap, Secrets, Value};
use bicep_emit::literal;

/// The language of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    /// Template expressions, and JSON.
    Arm,
    /// Bicep.
    Bicep,
}

/// A value in a language, with the line end. What is unknown is shown as the expression that would give it; secrets
/// are hidden.
pub(crate) fn value(value: &Value, language: Language) -> String {
    let mut text = String::new();
    match language {
        Language::Arm => text.push_str(&json::to_pretty(&value.to_json(Secrets::Hidden))),
        Language::Bicep => bicep(value, 0, &mut text),
    }
    text.push('\n');
    text
}

/// Why parts of a result are unknown, a line each.
pub(crate) fn gaps(gaps: &[Gap]) -> String {
    let mut text = String::new();
    for Gap { path, unknown } in gaps.iter().take(MAX_GAPS) {
        let reasons: Vec<_> = unknown.origins.iter().map(ToString::to_string).collect();
        let what = if path.is_empty() { "the value" } else { path };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "note: {what} is not known: {}", reasons.join("; "));
    }
    if let Some(more) = gaps.len().checked_sub(MAX_GAPS).filter(|more| *more > 0) {
        let _ = writeln!(text, "note: {more} more parts are not known");
    }
    text
}

/// More are only counted.
const MAX_GAPS: usize = 50;

/// The depth of values is limited by whoever made them.
fn bicep(value: &Value, indent: usize, out: &mut String) {
    if value.is_secure() && !value.is_unknown() {
        return out.push_str("<secure value>");
    }
    let line = |out: &mut String, indent: usize| {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", indent));
    };
    match value.kind() {
        Kind::Null => out.push_str("null"),
        Kind::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Kind::Int(value) => out.push_str(&value.to_string()),
        Kind::Float(value) => out.push_str(&literal::fraction(&value.to_string())),
        Kind::String(text) => out.push_str(&literal::quoted(text)),
        Kind::Array(items) if items.is_empty() => out.push_str("[]"),
        Kind::Array(items) => {
            out.push('[');
            for item in items.iter() {
                line(out, indent + 1);
                bicep(item, indent + 1, out);
            }
            line(out, indent);
            out.push(']');
        }
        Kind::Object(object) if object.is_empty() => out.push_str("{}"),
        Kind::Object(object) => {
            out.push('{');
            for (key, member) in object.iter() {
                line(out, indent + 1);
                out.push_str(&literal::property_name(key));
                out.push_str(": ");
                bicep(member, indent + 1, out);
            }
            line(out, indent);
            out.push('}');
        }
        Kind::Lambda(lambda) => out.push_str(&format!("[{}]", lambda.body)),
        Kind::Unknown(unknown) => out.push_str(&format!("[{}]", unknown.expression)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_shown_as_bicep_reads_them() {
        let check = |json: &str, expected: &str| {
            let node = json::parse(json, json::Options::lenient()).root.unwrap();
            assert_eq!(value(&Value::from(&node), Language::Bicep), format!("{expected}\n"));
        };
        check("-3", "-3");
        check("1.5", "json('1.5')");
        check(r#""it's ${a} $b \\ \n\u0001""#, r"'it\'s \${a} $b \\ \n\u{1}'");
        check("[]", "[]");
        check(
            r#"{"a": [1, {}], "b-c": {"d": null, "e": true}}"#,
            "{\n  a: [\n    1\n    {}\n  ]\n  'b-c': {\n    d: null\n    e: true\n  }\n}",
        );
    }
}
