//! Schemas as users write them, and the messages they get.

use camino::Utf8Path;
use serde_json::{Value, json};

use super::Schemas;

#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "the cases read better without references")]
fn check(schema: Value, value: Value, expected: &[&str]) {
    let found = match Schemas::default().validate(&value, schema) {
        Ok(problems) => problems.iter().map(|p| format!("{}: {}", p.path, p.message)).collect(),
        Err(reason) => vec![format!("error: {reason}")],
    };
    assert_eq!(found, expected, "{value}");
}

#[test]
fn required_members_and_limits() {
    let schema = json!({
        "properties": {"lastName": {"type": "string"}, "age": {"type": "integer", "minimum": 0}},
        "required": ["lastName"]
    });
    check(schema.clone(), json!({"lastName": "x", "age": 3}), &[]);
    check(
        schema,
        json!({"age": -3}),
        &["(root): lastName is required", "age: Must be greater than or equal to 0/1"],
    );
}

#[test]
fn types_name_what_was_given() {
    check(json!({"type": "string"}), json!(1), &["(root): Invalid type. Expected: string, given: integer"]);
    check(
        json!({"type": ["string", "null"]}),
        json!(1.5),
        &["(root): Invalid type. Expected: [string,null], given: number"],
    );
    check(json!({"type": "integer"}), json!(2.0), &[]);
    check(json!({"type": "number"}), json!(2), &[]);
}

#[test]
fn numbers_are_exact_and_limits_print_as_fractions() {
    check(json!({"multipleOf": 0.1}), json!(0.3), &[]);
    check(json!({"multipleOf": 2}), json!(3), &["(root): Must be a multiple of 2"]);
    check(json!({"exclusiveMaximum": 1.5}), json!(1.5), &["(root): Must be less than 3/2"]);
    check(json!({"maximum": 1, "exclusiveMaximum": true}), json!(1), &["(root): Must be less than 1/1"]);
}

#[test]
fn strings() {
    check(json!({"minLength": 2}), json!("é"), &["(root): String length must be greater than or equal to 2"]);
    check(json!({"pattern": "^a+$"}), json!("ab"), &["(root): Does not match pattern '^a+$'"]);
    check(json!({"format": "ipv4"}), json!("x"), &["(root): Does not match format 'ipv4'"]);
    check(json!({"format": "int32"}), json!("x"), &[]);
}

#[test]
fn arrays() {
    check(
        json!({"items": {"type": "string"}}),
        json!(["a", 1]),
        &["1: Invalid type. Expected: string, given: integer"],
    );
    check(
        json!({"items": [{}], "additionalItems": false}),
        json!([1, 2]),
        &["(root): No additional items allowed on array"],
    );
    check(json!({"uniqueItems": true}), json!([1, "1", 1.0]), &["(root): array items[0,2] must be unique"]);
    check(json!({"minItems": 1}), json!([]), &["(root): Array must have at least 1 items"]);
    check(
        json!({"contains": {"const": 1}}),
        json!([2]),
        &["(root): At least one of the items must match", "0: 0 does not match: 1"],
    );
}

#[test]
fn objects() {
    let schema = json!({"properties": {"a": {}}, "patternProperties": {"^x-": {"type": "string"}}, "additionalProperties": false});
    check(
        schema,
        json!({"a": 1, "x-b": 2, "c": 3}),
        &[
            "x-b: Invalid type. Expected: string, given: integer",
            "(root): Additional property c is not allowed",
        ],
    );
    check(json!({"dependencies": {"a": ["b"]}}), json!({"a": 1}), &["(root): Has a dependency on b"]);
    check(
        json!({"properties": {"a": {"properties": {"b": {"enum": [1, "x"]}}}}}),
        json!({"a": {"b": 2}}),
        &[r#"a.b: a.b must be one of the following: 1, "x""#],
    );
    check(
        json!({"propertyNames": {"maxLength": 1}}),
        json!({"ab": 1}),
        &[
            r#"(root): Property name of "ab" does not match"#,
            "(root): String length must be less than or equal to 1",
        ],
    );
}

#[test]
fn combinations_show_the_closest_alternative() {
    let schema = json!({"anyOf": [{"type": "string"}, {"type": "object", "required": ["a"]}]});
    check(schema, json!({}), &["(root): Must validate at least one schema (anyOf)", "(root): a is required"]);
    check(
        json!({"oneOf": [{"type": "integer"}, {"minimum": 2}]}),
        json!(3),
        &["(root): Must validate one and only one schema (oneOf)"],
    );
    check(json!({"not": {"type": "string"}}), json!("x"), &["(root): Must not validate the schema (not)"]);
    check(
        json!({"if": {"const": 1}, "then": {"type": "string"}}),
        json!(1),
        &[
            r#"(root): Must validate "then" as "if" was valid"#,
            "(root): Invalid type. Expected: string, given: integer",
        ],
    );
    check(json!({"$schema": "http://json-schema.org/draft-04/schema#", "const": 1}), json!(2), &[]);
}

#[test]
fn references_lead_to_definitions_and_files() {
    let schema = json!({"definitions": {"p": {"type": "string"}, "i": {"$id": "#anchor", "type": "null"}}, "items": {"$ref": "#/definitions/p"}, "properties": {"x": {"$ref": "#anchor"}}});
    check(schema.clone(), json!([1]), &["0: Invalid type. Expected: string, given: integer"]);
    check(schema, json!({"x": 1}), &["x: Invalid type. Expected: null, given: integer"]);
    check(json!({"$ref": "#/nowhere"}), json!(1), &["error: the reference '#/nowhere' leads nowhere"]);
    check(
        json!({"$ref": "http://x/y.json"}),
        json!(1),
        &["error: the reference 'http://x/y.json' is not a local file"],
    );

    let read = |file: &Utf8Path| match file.as_str() {
        "/s/main.json" => Ok(json!({"properties": {"a": {"$ref": "sub/_defs.json#/definitions/n"}}})),
        "/s/sub/_defs.json" => {
            Ok(json!({"definitions": {"n": {"$ref": "#/definitions/m"}, "m": {"type": "null"}}}))
        }
        other => Err(format!("{other} is missing")),
    };
    let problems =
        Schemas::default().validate_with_file(&json!({"a": 1}), "/s/main.json".into(), &read).unwrap();
    assert_eq!(problems.len(), 1);
    assert_eq!(
        Schemas::default().validate_with_file(&json!(1), "/s/no.json".into(), &read),
        Err("/s/no.json is missing".to_owned())
    );
}

#[test]
fn hostile_schemas_end_with_a_reason() {
    check(
        json!({"$ref": "#"}),
        json!(1),
        &["error: the schema check was stopped: nested deeper than 512 levels"],
    );
    let evil = json!({"pattern": "^(?:a|b|ab)*(?!x)c$"});
    check(
        evil,
        json!("ab".repeat(60)),
        &["error: the pattern '^(?:a|b|ab)*(?!x)c$' takes too long to match"],
    );
    check(
        json!({"pattern": "^(a+)+$"}),
        json!(format!("{}!", "a".repeat(5000))),
        &["(root): Does not match pattern '^(a+)+$'"],
    );
    check(json!({"pattern": "("}), json!("x"), &["error: the pattern '(' is not a valid regex"]);
    let mut definitions = serde_json::Map::new();
    for level in 0..40 {
        let next = json!({"$ref": format!("#/definitions/d{}", level + 1)});
        definitions.insert(format!("d{level}"), json!({"anyOf": [next, next]}));
    }
    definitions.insert("d40".to_owned(), json!({"type": "null"}));
    let bomb = json!({"definitions": definitions, "$ref": "#/definitions/d0"});
    check(bomb, json!(1), &["error: the schema check was stopped: more than 500000 evaluation steps"]);
}
