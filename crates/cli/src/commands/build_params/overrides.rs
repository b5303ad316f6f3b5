//! Values for parameters from outside of the file: `BICEP_PARAMETERS_OVERRIDES`, an object in JSON. The Azure CLI sets it
//! for parameters that are given on its own command line.

use std::fmt::Write;

use base::{SourceFile, World as _};
use bicep_syntax::Dialect;
use bicep_syntax::ast::{Name, Statement};
use camino::Utf8Path;
use serde_json::{Map, Value as Json};

use crate::failure::Failure;
use crate::session::Session;

const VARIABLE: &str = "BICEP_PARAMETERS_OVERRIDES";

/// The text of a parameter file with the values from outside in the place of its own; nothing where there are none.
pub(super) fn apply(path: &Utf8Path, session: &Session) -> Result<Option<String>, Failure> {
    let Some(text) = session.world.variable(VARIABLE).filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    let parsed = json::parse(&text, json::Options::strict());
    let values = match parsed.root.map(|root| root.to_value()) {
        Some(Json::Object(values)) if parsed.diagnostics.is_empty() => values,
        _ => return Err(Failure::bad_overrides(VARIABLE)),
    };
    // A file that cannot be read is reported by whoever compiles it.
    let Ok(source) = session.world.read_source(path) else { return Ok(None) };
    Ok((!values.is_empty()).then(|| replaced(&source, &values)))
}

fn replaced(source: &SourceFile, values: &Map<String, Json>) -> String {
    let parse = bicep_syntax::parse(source.text().clone(), Dialect::Params);
    let (mut text, mut end) = (String::new(), 0);
    let mut open: Vec<&String> = values.keys().collect();
    for statement in parse.tree.file().statements() {
        let Statement::ParamAssignment(assignment) = statement else { continue };
        let name = assignment.name().and_then(Name::text).unwrap_or_default();
        let Some(value) = values.get(name) else { continue };
        let range = assignment.value().range();
        text.push_str(source.text().get(end..range.start().into()).unwrap_or_default());
        write_value(&mut text, value);
        end = range.end().into();
        open.retain(|other| *other != name);
    }
    text.push_str(source.text().get(end..).unwrap_or_default());
    for (name, value) in open.into_iter().filter_map(|name| Some((name, values.get(name)?))) {
        // Writing to a String cannot fail.
        let _ = write!(text, "\n\nparam {name} = ");
        write_value(&mut text, value);
    }
    text
}

/// A JSON value in the words of the language, on one line.
fn write_value(text: &mut String, value: &Json) {
    match value {
        Json::String(value) => write_string(text, value),
        Json::Number(number) if number.as_i64().is_none() => {
            text.push_str("json(");
            write_string(text, &number.to_string());
            text.push(')');
        }
        Json::Null | Json::Bool(_) | Json::Number(_) => text.push_str(&value.to_string()),
        Json::Array(items) => write_list(text, ('[', ']'), items.iter(), write_value),
        Json::Object(members) => write_list(text, ('{', '}'), members.iter(), |text, (name, value)| {
            write_string(text, name);
            text.push_str(": ");
            write_value(text, value);
        }),
    }
}

fn write_list<T>(
    text: &mut String,
    (open, close): (char, char),
    items: impl Iterator<Item = T>,
    write: impl Fn(&mut String, T),
) {
    text.push(open);
    for (index, item) in items.enumerate() {
        if index > 0 {
            text.push_str(", ");
        }
        write(text, item);
    }
    text.push(close);
}

fn write_string(text: &mut String, value: &str) {
    text.push('\'');
    for c in value.chars() {
        match c {
            '\'' | '\\' => text.extend(['\\', c]),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            '$' => text.push_str("\\$"),
            c => text.push(c),
        }
    }
    text.push('\'');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_from_outside_take_the_place_of_those_in_the_file() {
        let check = |text: &str, values: &str, expected: &str| {
            let values: Map<String, Json> = serde_json::from_str(values).unwrap();
            assert_eq!(replaced(&SourceFile::new("a.bicepparam", text), &values), expected);
        };
        check("using none\nparam a = 1 // one\n", r#"{"a": 2}"#, "using none\nparam a = 2 // one\n");
        check("param a = 1\nparam b = a", r#"{"b": "it's ${x}"}"#, "param a = 1\nparam b = 'it\\'s \\${x}'");
        check(
            "using none",
            r#"{"a": [1.5, null, {"k": -3}]}"#,
            "using none\n\nparam a = [json('1.5'), null, {'k': -3}]",
        );
        check("param a = {\n  b: 1\n}\n", r#"{"a": true}"#, "param a = true\n");
    }
}
