//! The JSON schema of rule files, made from the same lists as the reader uses.

use serde_json::{Map, Value, json};

use crate::read::{OPERATORS, RULE_TEXTS};
use crate::rule::Level;

/// The schema of a rule file.
pub fn schema() -> Value {
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Best-practice rules over Azure templates",
        "oneOf": [{ "$ref": "#/definitions/rule" }, { "type": "array", "items": { "$ref": "#/definitions/rule" } }],
        "definitions": { "rule": rule(), "evaluation": evaluation(), "examples": examples() },
    })
}

fn rule() -> Value {
    let mut properties = Map::new();
    for (name, description) in RULE_TEXTS {
        properties.insert((*name).into(), json!({ "type": "string", "description": description }));
    }
    let words = Level::ALL.map(Level::name);
    let numbers = Level::ALL.map(Level::number);
    let severities: Vec<Value> =
        words.iter().map(|w| json!(w)).chain(numbers.iter().map(|n| json!(n))).collect();
    properties.insert(
        "severity".into(),
        json!({ "enum": severities, "default": Level::default().name(), "description": "How much it matters." }),
    );
    properties.insert("evaluation".into(), json!({ "$ref": "#/definitions/evaluation" }));
    properties.insert("examples".into(), json!({ "$ref": "#/definitions/examples" }));
    json!({
        "type": "object",
        "required": ["evaluation"],
        "anyOf": [{ "required": ["id"] }, { "required": ["name"] }],
        "properties": properties,
        "additionalProperties": false,
    })
}

fn evaluation() -> Value {
    let mut properties = Map::new();
    properties.insert(
        "resourceType".into(),
        json!({ "type": "string", "description": "Only resources of this type; paths start at each of them." }),
    );
    properties.insert(
        "path".into(),
        json!({ "type": "string", "description": "What to look at; `*` and `[*]` select everything." }),
    );
    properties.insert("where".into(), json!({ "$ref": "#/definitions/evaluation" }));
    for name in OPERATORS {
        properties.insert((*name).into(), operand(name));
    }
    let one_of: Vec<Value> = OPERATORS.iter().map(|name| requirement(name)).collect();
    json!({ "type": "object", "properties": properties, "additionalProperties": false, "oneOf": one_of })
}

/// Operators that look at a value need a path.
fn requirement(name: &str) -> Value {
    match name {
        "anyOf" | "allOf" | "not" => json!({ "required": [name] }),
        _ => json!({ "required": ["path", name] }),
    }
}

fn operand(name: &str) -> Value {
    let (shape, description) = match name {
        "exists" => (json!({ "type": "boolean" }), "Whether there is something at the path."),
        "hasValue" => (json!({ "type": "boolean" }), "Whether it is neither null nor the empty text."),
        "equals" => (json!({}), "It is this value; texts in any letter case."),
        "notEquals" => (json!({}), "It is not this value; texts in any letter case."),
        "less" => (ordered(), "It is less than this number, or before this date."),
        "lessOrEquals" => (ordered(), "It is this number or date at most."),
        "greater" => (ordered(), "It is more than this number, or after this date."),
        "greaterOrEquals" => (ordered(), "It is this number or date at least."),
        "regex" => (json!({ "type": "string" }), "It is a text in which this pattern is found."),
        "in" => (json!({ "type": "array" }), "It equals one of these."),
        "anyOf" => (evaluations(), "One of these evaluations holds."),
        "allOf" => (evaluations(), "All of these evaluations hold."),
        _ => (json!({ "$ref": "#/definitions/evaluation" }), "This evaluation does not hold."),
    };
    let mut operand = shape;
    if let Some(members) = operand.as_object_mut() {
        members.insert("description".into(), json!(description));
    }
    operand
}

fn ordered() -> Value {
    json!({ "type": ["number", "string"] })
}

fn evaluations() -> Value {
    json!({ "type": "array", "minItems": 1, "items": { "$ref": "#/definitions/evaluation" } })
}

fn examples() -> Value {
    let list = json!({ "type": "array", "items": { "type": ["object", "array"] } });
    json!({
        "type": "object",
        "description": "Templates, resources or lists of resources that the rule is tried on.",
        "properties": { "pass": list, "fail": list },
        "additionalProperties": false,
    })
}
