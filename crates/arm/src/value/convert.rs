//! Values from JSON and back, and the text forms that .NET gives them.

use serde_json::Value as Json;
use smol_str::SmolStr;

use super::{Kind, Object, SECURE_TEXT, Value};
use crate::dotnet;

/// What becomes of secure values when a document is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Secrets {
    /// [`SECURE_TEXT`] stands in their place.
    Hidden,
    /// They are written. Only for a provider that needs them, and for evaluation itself.
    Shown,
}

impl From<&Json> for Value {
    fn from(json: &Json) -> Self {
        match json {
            Json::Null => Self::NULL,
            Json::Bool(value) => Self::bool(*value),
            Json::Number(number) => Self::from(number),
            Json::String(text) => Self::string(text.as_str()),
            Json::Array(items) => Self::array(items.iter().map(Self::from).collect()),
            Json::Object(members) => {
                Self::object(members.iter().map(|(key, value)| (SmolStr::new(key), Self::from(value))))
            }
        }
    }
}

impl From<&serde_json::Number> for Value {
    fn from(number: &serde_json::Number) -> Self {
        match number.as_i64() {
            Some(value) => Self::int(value),
            None => Self::new(Kind::Float(number.as_f64().unwrap_or_default())),
        }
    }
}

impl From<&json::Node> for Value {
    fn from(node: &json::Node) -> Self {
        match &node.value {
            json::Kind::Null => Self::NULL,
            json::Kind::Bool(value) => Self::bool(*value),
            json::Kind::Number(number) => Self::from(number),
            json::Kind::String(text) => Self::string(text.as_str()),
            json::Kind::Array(items) => Self::array(items.iter().map(Self::from).collect()),
            json::Kind::Object(object) => {
                let members = object.iter().map(|m| (SmolStr::new(&m.key), Self::from(&m.value)));
                Self::from(members.collect::<Object>())
            }
        }
    }
}

impl Value {
    /// The value as JSON. An unknown part is written as its expression in brackets, as templates have it; a text that
    /// would read as an expression is not escaped, since documents of results are not templates.
    pub fn to_json(&self, secrets: Secrets) -> Json {
        // Of an unknown there is nothing to hide: its expression hides what is secure in it.
        if self.is_secure() && !self.is_unknown() && secrets == Secrets::Hidden {
            return Json::String(SECURE_TEXT.into());
        }
        match self.kind() {
            Kind::Null => Json::Null,
            Kind::Bool(value) => Json::Bool(*value),
            Kind::Int(value) => Json::from(*value),
            Kind::Float(value) => Json::from(*value),
            Kind::String(text) => Json::String(text.to_string()),
            Kind::Array(items) => Json::Array(items.iter().map(|item| item.to_json(secrets)).collect()),
            Kind::Object(object) => Json::Object(
                object.iter().map(|(key, member)| (key.to_string(), member.to_json(secrets))).collect(),
            ),
            Kind::Lambda(lambda) => Json::String(format!("[{}]", lambda.body)),
            Kind::Unknown(unknown) => Json::String(format!("[{}]", unknown.expression)),
        }
    }

    /// Minified JSON as Newtonsoft writes it: `/` and non-ASCII unescaped, floats with a decimal point.
    pub(crate) fn to_minified(&self, out: &mut String) {
        self.write(out, '"');
    }

    /// The form in which `format` and string interpolation show arrays and objects: JSON with single quotes.
    pub(crate) fn to_single_quoted(&self, out: &mut String) {
        self.write(out, '\'');
    }

    fn write(&self, out: &mut String, quote: char) {
        match self.kind() {
            Kind::Null => out.push_str("null"),
            Kind::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Kind::Int(value) => out.push_str(&value.to_string()),
            Kind::Float(value) => out.push_str(&dotnet::json_float(*value)),
            Kind::String(text) => write_quoted(text, quote, out),
            Kind::Array(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    item.write(out, quote);
                }
                out.push(']');
            }
            Kind::Object(object) => {
                out.push('{');
                for (index, (key, member)) in object.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    write_quoted(key, quote, out);
                    out.push(':');
                    member.write(out, quote);
                }
                out.push('}');
            }
            Kind::Lambda(lambda) => write_quoted(&format!("[{}]", lambda.body), quote, out),
            Kind::Unknown(unknown) => write_quoted(&format!("[{}]", unknown.expression), quote, out),
        }
    }
}

fn write_quoted(text: &str, quote: char, out: &mut String) {
    out.push(quote);
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\u{85}' | '\u{2028}' | '\u{2029}' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c if c == quote => {
                out.push('\\');
                out.push(c);
            }
            c if u32::from(c) < 0x20 => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push(quote);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn minified(json: &str) -> String {
        let mut out = String::new();
        Value::from(&serde_json::from_str::<Json>(json).unwrap()).to_minified(&mut out);
        out
    }

    #[test]
    fn minified_as_newtonsoft_does_it() {
        for (json, expected) in [
            (
                r#"{ "a": [1, 2.0, 1e20, null, true], "é/\"": "\u0001\n\u2028" }"#,
                "{\"a\":[1,2.0,1E+20,null,true],\"é/\\\"\":\"\\u0001\\n\\u2028\"}",
            ),
            ("[]", "[]"),
            ("-0.5", "-0.5"),
        ] {
            assert_eq!(minified(json), expected);
        }
    }

    #[test]
    fn secure_values_are_written_only_when_asked_for() {
        let value = Value::object([("pw", Value::string("hunter2").into_secure()), ("n", Value::int(1))]);
        assert_eq!(value.to_json(Secrets::Hidden).to_string(), r#"{"pw":"<secure value>","n":1}"#);
        assert_eq!(value.to_json(Secrets::Shown).to_string(), r#"{"pw":"hunter2","n":1}"#);
    }
}
