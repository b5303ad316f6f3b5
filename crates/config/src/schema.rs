//! `sinew config schema`: the JSON schema of the file, printed from the same table that the reader uses.

use serde_json::{Map, Value, json};

use crate::feature::Feature;
use crate::rules::{self, RULES};
use crate::shape::{Field, Shape, TextKind};
use crate::table;

/// The JSON schema (draft 7) of `bicepconfig.json`.
pub fn schema() -> Value {
    let mut schema = record(table::ROOT);
    schema.insert("$schema".to_owned(), json!("http://json-schema.org/draft-07/schema#"));
    schema.insert("title".to_owned(), json!("Bicep configuration"));
    schema.insert("allowTrailingCommas".to_owned(), json!(false));
    schema.sort_keys();
    Value::Object(schema)
}

fn value(shape: &Shape) -> Map<String, Value> {
    let schema = match shape {
        Shape::Flag => json!({ "type": "boolean" }),
        Shape::Integer { min, max } => json!({ "type": "integer", "minimum": min, "maximum": max }),
        Shape::Text(kind) => text(*kind),
        Shape::Choice(choices) => json!({ "type": "string", "enum": choices }),
        Shape::List(item) => json!({ "type": "array", "items": value(item) }),
        Shape::Record(fields) => return record(fields),
        Shape::Map(item) => json!({ "type": "object", "additionalProperties": value(item) }),
        Shape::Providers => json!({
            "type": "object",
            "propertyNames": { "not": { "const": "sys" } },
            "additionalProperties": { "type": "string", "minLength": 1 },
        }),
        Shape::Features => {
            let flags = Feature::ALL
                .iter()
                .map(|(_, name, doc)| ((*name).to_owned(), json!({ "type": "boolean", "description": doc })));
            json!({ "type": "object", "additionalProperties": false, "properties": flags.collect::<Map<_, _>>() })
        }
        Shape::Rules => {
            let rules = RULES.iter().map(|rule| {
                let fields: Vec<_> = [rules::LEVEL].into_iter().chain(rule.options.iter().copied()).collect();
                let mut schema = record(&fields);
                schema.insert("default".to_owned(), json!({ "level": rule.level.name() }));
                (rule.code.to_owned(), Value::Object(schema))
            });
            json!({ "type": "object", "additionalProperties": false, "properties": rules.collect::<Map<_, _>>() })
        }
    };
    match schema {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

fn record(fields: &[Field]) -> Map<String, Value> {
    let properties: Map<_, _> = fields
        .iter()
        .map(|field| {
            let mut schema = value(&field.shape);
            schema.insert("description".to_owned(), json!(field.doc));
            (field.key.to_owned(), Value::Object(schema))
        })
        .collect();
    let required: Vec<_> = fields.iter().filter(|field| field.required).map(|field| field.key).collect();
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("additionalProperties".to_owned(), json!(false));
    schema.insert("properties".to_owned(), Value::Object(properties));
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    schema
}

fn text(kind: TextKind) -> Value {
    match kind {
        TextKind::Any => json!({ "type": "string" }),
        TextKind::NonEmpty => json!({ "type": "string", "minLength": 1 }),
        TextKind::Uuid => {
            json!({ "type": "string", "pattern": "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$" })
        }
        TextKind::ResourceGroup => {
            json!({ "type": "string", "minLength": 1, "maxLength": 90, "pattern": "^[-\\w.()]*[-\\w()]$" })
        }
        TextKind::RegistryHost => json!({ "type": "string", "minLength": 1, "maxLength": 255 }),
    }
}
