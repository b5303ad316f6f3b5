//! Parameters: what `-p name=value` and `-f file` give to a script. Texts come in; a tree that scripts ask by dotted
//! paths goes out.

use ::json::borrowed;
use serde_json::{Map, Value};

use crate::format::{json, yaml_read};

/// The parameters of a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Params(Map<String, Value>);

/// What a script expects a parameter to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParamType {
    /// `true` or `false`, or a string that says so.
    Boolean,
    /// A number, or a string that says one.
    Number,
    String,
    Object,
}

impl Params {
    /// Without any parameter.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets one parameter from `name=value`; the value is always a string.
    pub fn set_assignment(&mut self, assignment: &str) -> Result<(), String> {
        let Some((name, value)) = assignment.split_once('=') else {
            return Err(format!("the parameter '{assignment}' must have the form name=value"));
        };
        self.set(name, Value::String(value.to_owned()));
        Ok(())
    }

    /// Merges the parameters of a file: YAML if its name says so, JSON otherwise.
    pub fn merge_file(&mut self, path: &str, text: &str) -> Result<(), String> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let document = if path.ends_with(".yaml") || path.ends_with(".yml") {
            yaml_read::read_document(text).map_err(|error| format!("{path}: {error}"))?
        } else {
            borrowed::parse_first(text).map_err(|error| format!("{path}: {}", error.message))?.0
        };
        let mut json = String::new();
        json::write_in_order(&mut json, &document);
        match serde_json::from_str(&json) {
            Ok(Value::Object(members)) => merge(&mut self.0, members),
            Ok(Value::Null) => {}
            _ => return Err(format!("{path}: the parameters must be an object")),
        }
        Ok(())
    }

    /// Sets the parameter at a dotted path; a scalar on the way is replaced by an object.
    pub fn set(&mut self, path: &str, value: Value) {
        let mut object = &mut self.0;
        let mut parts = path.split('.').peekable();
        while let Some(part) = parts.next() {
            if parts.peek().is_none() {
                object.insert(part.to_owned(), value);
                return;
            }
            let entry = object.entry(part).or_insert(Value::Null);
            if !entry.is_object() {
                *entry = Value::Object(Map::new());
            }
            let Value::Object(next) = entry else { return };
            object = next;
        }
    }

    /// The parameter at a dotted path in the type that the script expects; `None` when it is not set. An
    /// object is merged over the default that the script gave.
    pub fn get(&self, kind: ParamType, path: &str, default: Option<Value>) -> Result<Option<Value>, String> {
        let Some(found) = self.find(path) else { return Ok(None) };
        let converted = match (kind, found) {
            (_, Value::Null) => return Ok(None),
            (ParamType::Boolean, Value::String(text)) => parse_bool(text).map(Value::Bool),
            (ParamType::Number, Value::String(text)) => parse_number(text),
            (ParamType::Boolean, Value::Bool(_))
            | (ParamType::Number, Value::Number(_))
            | (ParamType::String, Value::String(_)) => Some(found.clone()),
            (ParamType::Object, Value::Object(members)) => {
                let mut base = match default {
                    Some(Value::Object(base)) => base,
                    _ => Map::new(),
                };
                merge(&mut base, members.clone());
                Some(Value::Object(base))
            }
            _ => None,
        };
        let wanted = match kind {
            ParamType::Boolean => "bool",
            ParamType::Number => "float64",
            ParamType::String => "string",
            ParamType::Object => "Params",
        };
        match converted {
            Some(value) => Ok(Some(value)),
            None => {
                Err(format!("invalid type for param '{path}': cannot convert {} to {wanted}", quoted(found)))
            }
        }
    }

    fn find(&self, path: &str) -> Option<&Value> {
        let mut parts = path.split('.');
        let mut value = self.0.get(parts.next()?)?;
        for part in parts {
            value = value.as_object()?.get(part)?;
        }
        Some(value)
    }

    /// All parameters as one object.
    pub fn all(&self) -> Value {
        Value::Object(self.0.clone())
    }
}

fn merge(into: &mut Map<String, Value>, from: Map<String, Value>) {
    for (key, value) in from {
        match (into.get_mut(&key), value) {
            (Some(Value::Object(old)), Value::Object(new)) => merge(old, new),
            (_, value) => {
                into.insert(key, value);
            }
        }
    }
}

fn quoted(value: &Value) -> String {
    match value {
        Value::String(text) => format!("{text:?}"),
        other => other.to_string(),
    }
}

fn parse_bool(text: &str) -> Option<bool> {
    match text {
        "1" | "t" | "T" | "TRUE" | "true" | "True" => Some(true),
        "0" | "f" | "F" | "FALSE" | "false" | "False" => Some(false),
        _ => None,
    }
}

fn parse_number(text: &str) -> Option<Value> {
    let looks_decimal =
        text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E'));
    let value: f64 = if looks_decimal { text.parse().ok()? } else { return None };
    serde_json::Number::from_f64(value).map(Value::Number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn params(assignments: &[&str]) -> Params {
        let mut params = Params::new();
        for assignment in assignments {
            params.set_assignment(assignment).unwrap();
        }
        params
    }

    #[test]
    fn assignments_split_names_at_points_and_values_at_the_first_sign() {
        assert_eq!(
            params(&["a.b=1", "a.c=x=y", "d=a.b"]).all(),
            json!({"a": {"b": "1", "c": "x=y"}, "d": "a.b"})
        );
        assert_eq!(params(&["a=1", "a.b=2"]).all(), json!({"a": {"b": "2"}}));
        assert_eq!(
            Params::new().set_assignment("foo"),
            Err("the parameter 'foo' must have the form name=value".to_owned())
        );
    }

    #[test]
    fn files_merge_deeply_and_later_ones_win() {
        let mut all = params(&["a.b=1"]);
        all.merge_file("p.json", r#"{"a":{"c":[1]},"x":1} trailing"#).unwrap();
        all.merge_file("p.yaml", "a: {c: [2]}\nx: {z: yes}").unwrap();
        assert_eq!(all.all(), json!({"a": {"b": "1", "c": [2]}, "x": {"z": true}}));
        assert_eq!(
            all.merge_file("p.json", "[1]"),
            Err("p.json: the parameters must be an object".to_owned())
        );
    }

    #[test]
    fn strings_are_converted_to_what_is_asked_for() {
        let all = params(&["b=T", "n=1e3", "s=x", "o.k=v"]);
        let get = |kind, path| all.get(kind, path, None);
        assert_eq!(get(ParamType::Boolean, "b"), Ok(Some(json!(true))));
        assert_eq!(get(ParamType::Number, "n"), Ok(Some(json!(1000.0))));
        assert_eq!(get(ParamType::String, "o.k"), Ok(Some(json!("v"))));
        assert_eq!(get(ParamType::String, "o.missing"), Ok(None));
        assert_eq!(get(ParamType::String, "s.deeper"), Ok(None));
        let error = |kind, path| get(kind, path).unwrap_err();
        assert_eq!(
            error(ParamType::Boolean, "s"),
            r#"invalid type for param 's': cannot convert "x" to bool"#
        );
        assert_eq!(
            error(ParamType::Number, "s"),
            r#"invalid type for param 's': cannot convert "x" to float64"#
        );
        assert_eq!(
            error(ParamType::Object, "s"),
            r#"invalid type for param 's': cannot convert "x" to Params"#
        );
    }

    #[test]
    fn objects_merge_over_the_default() {
        let all = params(&["o.k.a=1"]);
        let default = Some(json!({"k": {"a": 0, "b": 2}, "l": 3}));
        assert_eq!(
            all.get(ParamType::Object, "o", default),
            Ok(Some(json!({"k": {"a": "1", "b": 2}, "l": 3})))
        );
    }
}
