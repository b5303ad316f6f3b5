//! Values for parameters from outside of the file: `BICEP_PARAMETERS_OVERRIDES`, an object in JSON. The Azure CLI sets it
//! for parameters that are given on its own command line.

use std::fmt::Write;

use base::{SourceFile, World as _};
use bicep_emit::literal::literal;
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
    let parsed = json::parse(&text, json::Options::lenient());
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
        text.push_str(&literal(value));
        end = range.end().into();
        open.retain(|other| *other != name);
    }
    text.push_str(source.text().get(end..).unwrap_or_default());
    for (name, value) in open.into_iter().filter_map(|name| Some((name, values.get(name)?))) {
        // Writing to a String cannot fail.
        let _ = write!(text, "\n\nparam {name} = ");
        text.push_str(&literal(value));
    }
    text
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
            "using none\n\nparam a = [\njson('1.5')\nnull\n{\nk: -3\n}\n]",
        );
        check("param a = {\n  b: 1\n}\n", r#"{"a": true}"#, "param a = true\n");
    }
}
