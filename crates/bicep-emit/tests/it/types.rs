//! Types.

use super::check;

#[track_caller]
fn check_type(ty: &str, expected: &str) {
    check(&format!("type t = {ty}"), &format!(r#"{{"definitions": {{"t": {expected}}}}}"#));
}

#[test]
fn literals_and_unions_are_allowed_values() {
    check_type("'a'", r#"{"type": "string", "allowedValues": ["a"]}"#);
    check_type("-1", r#"{"type": "int", "allowedValues": [-1]}"#);
    check_type("'b' | 'a'", r#"{"type": "string", "allowedValues": ["a", "b"]}"#);
    check_type("'a' | null", r#"{"type": "string", "allowedValues": ["a"], "nullable": true}"#);
    check_type("('a' | 'b')[]", r#"{"type": "array", "allowedValues": ["a", "b"]}"#);
    check_type("any", "{}");
    check_type("sys.int?", r#"{"type": "int", "nullable": true}"#);
}

#[test]
fn aggregates_describe_their_parts() {
    check_type(
        "{\n@description('d')\na: string\n'b-c': int?\n*: bool }",
        r#"{"type": "object", "properties": {
            "a": {"type": "string", "metadata": {"description": "d"}},
            "b-c": {"type": "int", "nullable": true}
        }, "additionalProperties": {"type": "bool"}}"#,
    );
    check_type(
        "[string, 1]",
        r#"{"type": "array", "prefixItems": [{"type": "string"}, {"type": "int", "allowedValues": [1]}], "items": false}"#,
    );
    check_type("string[][]", r#"{"type": "array", "items": {"type": "array", "items": {"type": "string"}}}"#);
}

#[test]
fn references_lead_to_definitions() {
    check(
        "type a = { x: { y: string }[], 'z/w': [int] }
        type b = a
        param p b.x[*].y
        param q b['z/w'][0]
        param r a?",
        r##"{"parameters": {
            "p": {"$ref": "#/definitions/a/properties/x/items/properties/y"},
            "q": {"$ref": "#/definitions/a/properties/z~1w/prefixItems/0"},
            "r": {"$ref": "#/definitions/a", "nullable": true}
        }}"##,
    );
}

#[test]
fn discriminated_unions_are_mappings() {
    check(
        "type a = { kind: 'a', x: int }
        type b = { kind: 'b' }
        @discriminator('kind')
        type ab = a | b
        @discriminator('kind')
        type abc = ab | { kind: 'c' }",
        r##"{"definitions": {
            "a": {"type": "object", "properties": {"kind": {"type": "string", "allowedValues": ["a"]}, "x": {"type": "int"}}},
            "b": {"type": "object", "properties": {"kind": {"type": "string", "allowedValues": ["b"]}}},
            "ab": {"type": "object", "discriminator": {"propertyName": "kind", "mapping": {
                "a": {"$ref": "#/definitions/a"}, "b": {"$ref": "#/definitions/b"}}}},
            "abc": {"type": "object", "discriminator": {"propertyName": "kind", "mapping": {
                "a": {"$ref": "#/definitions/a"}, "b": {"$ref": "#/definitions/b"},
                "c": {"type": "object", "properties": {"kind": {"type": "string", "allowedValues": ["c"]}}}}}}
        }}"##,
    );
}

#[test]
fn sealed_secure_and_exported_types_say_so() {
    check(
        "@sealed()
        type a = { x: string }
        @export()
        @secure()
        type b = string",
        r#"{"definitions": {
            "a": {"type": "object", "properties": {"x": {"type": "string"}}, "additionalProperties": false},
            "b": {"type": "securestring", "metadata": {"__bicep_export!": true}}
        }}"#,
    );
}

#[test]
fn types_may_contain_themselves() {
    check_type(
        "{ next: t? }",
        r##"{"type": "object", "properties": {"next": {"$ref": "#/definitions/t", "nullable": true}}}"##,
    );
}
