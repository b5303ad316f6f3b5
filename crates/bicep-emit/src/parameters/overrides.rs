//! Values for parameters from outside of a parameter file: its text and the values come in, the text with them goes out.

use std::fmt::Write as _;
use std::sync::Arc;

use bicep_syntax::Dialect;
use bicep_syntax::ast::{Name, Statement};
use serde_json::{Map, Value};

use crate::literal::literal;

/// The text of a parameter file with the values from outside in the place of its own; those that it does not assign stand
/// at its end.
pub fn with_overrides(text: &Arc<str>, values: &Map<String, Value>) -> String {
    let parse = bicep_syntax::parse(Arc::clone(text), Dialect::Params);
    let (mut result, mut end) = (String::new(), 0);
    let mut open: Vec<&String> = values.keys().collect();
    for statement in parse.tree.file().statements() {
        let Statement::ParamAssignment(assignment) = statement else { continue };
        let name = assignment.name().and_then(Name::text).unwrap_or_default();
        let Some(value) = values.get(name) else { continue };
        let range = assignment.value().range();
        result.push_str(text.get(end..range.start().into()).unwrap_or_default());
        result.push_str(&literal(value));
        end = range.end().into();
        open.retain(|other| *other != name);
    }
    result.push_str(text.get(end..).unwrap_or_default());
    for (name, value) in open.into_iter().filter_map(|name| Some((name, values.get(name)?))) {
        // Writing to a String cannot fail.
        let _ = write!(result, "\n\nparam {name} = ");
        result.push_str(&literal(value));
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_from_outside_take_the_place_of_those_in_the_file() {
        let check = |text: &str, values: &str, expected: &str| {
            let values: Map<String, Value> = serde_json::from_str(values).unwrap();
            assert_eq!(with_overrides(&text.into(), &values), expected);
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
