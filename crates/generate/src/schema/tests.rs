//! Schemas as users write them, and the messages they get.

use base::Verdict;
use serde_json::{Value, json};

use super::{Schemas, check as check_value, compile};

#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "the cases read better without references")]
fn check(schema: Value, value: Value, expected: &[&str]) {
    let no_files = |address: &str| Err(format!("{address} is not a local file"));
    let found = match compile(&schema, None, &no_files).map(|schema| check_value(&value, &schema)) {
        Ok(Verdict::Undetermined(open)) => vec![format!("undetermined: {}", open[0].message)],
        Ok(verdict) => verdict.failures().iter().map(|it| format!("{}: {}", it.path, it.message)).collect(),
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
        &["(root): Invalid type. Expected: [null,string], given: number"],
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
    check(json!({"contains": {"const": 1}}), json!([2]), &["(root): At least one of the items must match"]);
}

#[test]
fn objects() {
    let schema = json!({"properties": {"a": {}}, "patternProperties": {"^x-": {"type": "string"}}, "additionalProperties": false});
    check(
        schema,
        json!({"a": 1, "x-b": 2, "c": 3}),
        &[
            "(root): Additional property c is not allowed",
            "x-b: Invalid type. Expected: string, given: integer",
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
        &["(root): Invalid type. Expected: string, given: integer"],
    );
    check(json!({"$schema": "http://json-schema.org/draft-04/schema#", "const": 1}), json!(2), &[]);
}

#[test]
fn references_lead_to_definitions_and_files() {
    let schema = json!({"definitions": {"p": {"type": "string"}, "i": {"$id": "#anchor", "type": "null"}}, "items": {"$ref": "#/definitions/p"}, "properties": {"x": {"$ref": "#anchor"}}});
    check(schema.clone(), json!([1]), &["0: Invalid type. Expected: string, given: integer"]);
    check(schema, json!({"x": 1}), &["x: Invalid type. Expected: null, given: integer"]);
    check(
        json!({"$ref": "#/nowhere"}),
        json!(1),
        &["error: the schema has a reference that leads nowhere: Pointer '/nowhere' does not exist"],
    );
    check(json!({"$ref": "http://x/y.json"}), json!(1), &["error: http://x/y.json is not a local file"]);

    let read = |address: &str| match address {
        "file:///s/main.json" => Ok(json!({"properties": {"a": {"$ref": "sub/_defs.json#/definitions/n"}}})),
        "file:///s/sub/_defs.json" => {
            Ok(json!({"definitions": {"n": {"$ref": "#/definitions/m"}, "m": {"type": "null"}}}))
        }
        other => Err(format!("{other} is missing")),
    };
    let schema = Schemas::default().file("file:///s/main.json", &read).unwrap();
    assert_eq!(check_value(&json!({"a": 1}), &schema).failures().len(), 1);
    assert_eq!(
        Schemas::default().file("file:///s/no.json", &read).err(),
        Some("file:///s/no.json is missing".to_owned())
    );
}

#[test]
fn drafts_are_told_apart_and_unknown_ones_refused() {
    let draft = |draft: &str, rest: Value| {
        let mut schema = rest;
        schema["$schema"] = json!(draft);
        schema
    };
    let newer = "https://json-schema.org/draft/2020-12/schema";
    check(
        draft(newer, json!({"prefixItems": [{"type": "string"}]})),
        json!([1]),
        &["0: Invalid type. Expected: string, given: integer"],
    );
    check(draft(newer, json!({"format": "ipv4"})), json!("x"), &[]);
    check(
        draft("http://example.com/draft-99/schema#", json!({})),
        json!(1),
        &[
            "error: the schema is written for an unknown draft: 'http://example.com/draft-99/schema#' (known are 4, 6, 7, 2019-09 and 2020-12)",
        ],
    );
}

#[test]
fn hostile_schemas_end() {
    check(json!({"$ref": "#"}), json!(1), &[]);
    check(json!({"allOf": [{"$ref": "#"}]}), json!(1), &[]);
    let evil = json!({"pattern": "^(?:a|b|ab)*(?!x)c$"});
    check(evil, json!("ab".repeat(60)), &["undetermined: a pattern takes too long to match ((root))"]);
    check(
        json!({"pattern": "^(a+)+$"}),
        json!(format!("{}!", "a".repeat(5000))),
        &["(root): Does not match pattern '^(a+)+$'"],
    );
    check(
        json!({"pattern": "("}),
        json!("x"),
        &[r#"error: the schema is not valid: "(" is not a "regex" (at pattern)"#],
    );
}
