//! The 64-bit hash behind `uniqueString` and the template hash.

use serde_json::Value as Json;

use crate::dotnet;

/// The `templateHash` that the service computes for a template: the decimal number that compilers write to
/// `metadata._generator.templateHash`.
///
/// The hash covers the text of the template with its members in a fixed order, minified and in upper case, without the
/// hash itself. Nested templates keep theirs, so the innermost are to be computed first.
pub fn template_hash(template: &Json) -> String {
    murmur(dotnet::to_upper(&minified_template(template)).as_bytes()).to_string()
}

/// The text that the hash covers, before it is put in upper case.
pub fn minified_template(template: &Json) -> String {
    let mut text = Vec::new();
    normalise(template).print(&mut text);
    String::from_utf8(text).unwrap_or_default()
}

/// Thirteen letters and digits that stand for the hash of a text.
pub(crate) fn unique_string(text: &str) -> String {
    const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
    let hash = murmur(text.as_bytes());
    // 13 groups of five bits from the top; the last has only four of them.
    (0..13u32)
        .filter_map(|group| {
            let bits = (hash << (5 * group)) >> 59;
            ALPHABET.get(usize::try_from(bits).ok()?).map(|b| char::from(*b))
        })
        .collect()
}

/// Like MurmurHash3 with two lanes of 32 bits, seed 0.
pub(crate) fn murmur(data: &[u8]) -> u64 {
    const C1: u32 = 0x239b_961b;
    const C2: u32 = 0xab0e_9789;
    let mix1 = |k: u32| k.wrapping_mul(C1).rotate_left(15).wrapping_mul(C2);
    let mix2 = |k: u32| k.wrapping_mul(C2).rotate_left(17).wrapping_mul(C1);
    let step = |h: u32, rotation: u32, other: u32, constant: u32| {
        h.rotate_left(rotation).wrapping_add(other).wrapping_mul(5).wrapping_add(constant)
    };
    let (mut h1, mut h2) = (0u32, 0u32);
    let mut blocks = data.chunks_exact(8);
    for block in &mut blocks {
        let (low, high) = block.split_at(4);
        h1 = step(h1 ^ mix1(word(low)), 19, h2, 0x561c_cd1b);
        h2 = step(h2 ^ mix2(word(high)), 13, h1, 0x0bca_a747);
    }
    let tail = blocks.remainder();
    if let Some((low, high)) = tail.split_at_checked(4) {
        h2 ^= mix2(word(high));
        h1 ^= mix1(word(low));
    } else {
        h1 ^= mix1(word(tail));
    }
    // The length takes part modulo 2^32.
    let length = (data.len() & 0xffff_ffff) as u32;
    h1 ^= length;
    h2 ^= length;
    h1 = h1.wrapping_add(h2);
    h2 = h2.wrapping_add(h1);
    (h1, h2) = (finish(h1), finish(h2));
    h1 = h1.wrapping_add(h2);
    h2 = h2.wrapping_add(h1);
    (u64::from(h2) << 32) | u64::from(h1)
}

/// Up to four bytes, little-endian, filled up with zeros.
fn word(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |word, byte| (word << 8) | u32::from(*byte))
}

fn finish(mut h: u32) -> u32 {
    h ^= h >> 16;
    h = h.wrapping_mul(0x85eb_ca6b);
    h ^= h >> 13;
    h = h.wrapping_mul(0xc2b2_ae35);
    h ^ (h >> 16)
}

/// An order of members: those listed first, in this order; the others after them as they stood.
type Order = &'static [&'static str];

const TEMPLATE: Order = &[
    "$schema",
    "languageVersion",
    "contentVersion",
    "definitions",
    "extensions",
    "imports",
    "parameters",
    "variables",
    "functions",
    "resources",
    "outputs",
    "metadata",
];
const PARAMETER: Order = &[
    "$ref",
    "defaultValue",
    "allowedValues",
    "minValue",
    "maxValue",
    "minLength",
    "maxLength",
    "prefixItems",
    "items",
    "properties",
    "additionalProperties",
    "nullable",
    "discriminator",
    "type",
    "metadata",
];
const OUTPUT: Order = &[
    "copy",
    "$ref",
    "nullable",
    "prefixItems",
    "items",
    "properties",
    "additionalProperties",
    "discriminator",
    "type",
    "value",
    "metadata",
];
const TYPE: Order = &[
    "type",
    "$ref",
    "metadata",
    "allowedValues",
    "nullable",
    "minLength",
    "maxLength",
    "minValue",
    "maxValue",
    "prefixItems",
    "items",
    "discriminator",
    "properties",
    "additionalProperties",
];
const DISCRIMINATOR: Order = &["propertyName", "mapping"];
const NAMESPACE: Order = &["namespace", "members"];
const FUNCTION: Order = &["parameters", "output", "metadata"];
const FUNCTION_PARAMETER: Order = &["name", "$ref", "items", "nullable", "type"];
const FUNCTION_OUTPUT: Order = &["$ref", "items", "type", "value"];
const RESOURCE: Order = &[
    "import",
    "extension",
    "type",
    "apiVersion",
    "name",
    "location",
    "existing",
    "extendedLocation",
    "dependsOn",
    "tags",
    "sku",
    "kind",
    "zones",
    "identity",
    "plan",
    "properties",
    "scope",
    "metadata",
    "subscriptionId",
    "resourceGroup",
    "copy",
    "condition",
];

/// A value with the members of some objects in another order. Values below are those of the template: it may be large.
enum Normal<'t> {
    Same(&'t Json),
    Array(Vec<Normal<'t>>),
    Object(Vec<(&'t str, Normal<'t>)>),
}

impl Normal<'_> {
    fn print(&self, out: &mut Vec<u8>) {
        match self {
            // Memory takes everything, and values of JSON can be printed.
            Self::Same(value) => drop(serde_json::to_writer(out, value)),
            Self::Array(items) => {
                out.push(b'[');
                for (position, item) in items.iter().enumerate() {
                    out.extend((position > 0).then_some(b','));
                    item.print(out);
                }
                out.push(b']');
            }
            Self::Object(members) => {
                out.push(b'{');
                for (position, (name, value)) in members.iter().enumerate() {
                    out.extend((position > 0).then_some(b','));
                    drop(serde_json::to_writer(&mut *out, name));
                    out.push(b':');
                    value.print(out);
                }
                out.push(b'}');
            }
        }
    }
}

fn normalise(template: &Json) -> Normal<'_> {
    ordered(template, TEMPLATE, |name, value| match (name, value) {
        ("parameters", value) => each(value, |parameter| type_node(parameter, PARAMETER)),
        ("outputs", value) => each(value, output),
        ("definitions", value) => each(value, |definition| type_node(definition, TYPE)),
        ("functions", Json::Array(namespaces)) => Normal::Array(namespaces.iter().map(namespace).collect()),
        ("resources", Json::Object(members)) if members.is_empty() => Normal::Array(Vec::new()),
        ("resources", Json::Array(items)) => Normal::Array(items.iter().map(resource).collect()),
        ("resources", value) => each(value, resource),
        ("metadata", value) => without_hash(value),
        (_, value) => Normal::Same(value),
    })
}

fn resource(resource: &Json) -> Normal<'_> {
    ordered(resource, RESOURCE, |_, value| Normal::Same(value))
}

fn output(output: &Json) -> Normal<'_> {
    let mut output = type_node(output, OUTPUT);
    if let Normal::Object(members) = &mut output {
        members.retain(|(name, value)| *name != "value" || !matches!(value, Normal::Same(Json::Null)));
    }
    output
}

fn namespace(namespace: &Json) -> Normal<'_> {
    fn member(function: &Json) -> Normal<'_> {
        ordered(function, FUNCTION, |name, value| match (name, value) {
            ("parameters", Json::Array(items)) => {
                Normal::Array(items.iter().map(|item| type_node(item, FUNCTION_PARAMETER)).collect())
            }
            ("output", value) => type_node(value, FUNCTION_OUTPUT),
            (_, value) => Normal::Same(value),
        })
    }
    ordered(namespace, NAMESPACE, |name, value| match name {
        "members" => each(value, member),
        _ => Normal::Same(value),
    })
}

fn type_node(node: &Json, order: Order) -> Normal<'_> {
    fn nested(node: &Json) -> Normal<'_> {
        type_node(node, TYPE)
    }
    ordered(node, order, |name, value| match (name, value) {
        ("properties", value) => each(value, nested),
        ("items" | "additionalProperties", value) => nested(value),
        ("prefixItems", Json::Array(items)) => Normal::Array(items.iter().map(nested).collect()),
        ("discriminator", value) => ordered(value, DISCRIMINATOR, |name, value| match name {
            "mapping" => each(value, nested),
            _ => Normal::Same(value),
        }),
        (_, value) => Normal::Same(value),
    })
}

fn without_hash(metadata: &Json) -> Normal<'_> {
    ordered(metadata, &[], |name, value| {
        let mut value = if name == "_generator" { each(value, Normal::Same) } else { Normal::Same(value) };
        if let Normal::Object(members) = &mut value {
            members.retain(|(name, _)| *name != "templateHash");
        }
        value
    })
}

/// An object with its members in order, each rebuilt; anything else as it is.
fn ordered<'t>(
    value: &'t Json,
    order: Order,
    rebuild: impl Fn(&'t str, &'t Json) -> Normal<'t>,
) -> Normal<'t> {
    let Json::Object(members) = value else { return Normal::Same(value) };
    let rank = |name: &str| order.iter().position(|known| *known == name).unwrap_or(order.len());
    let mut sorted: Vec<_> = members.iter().collect();
    sorted.sort_by_key(|(name, _)| rank(name));
    Normal::Object(sorted.into_iter().map(|(name, value)| (name.as_str(), rebuild(name, value))).collect())
}

/// An object with every member rebuilt; anything else as it is.
fn each<'t>(value: &'t Json, rebuild: impl Fn(&'t Json) -> Normal<'t>) -> Normal<'t> {
    ordered(value, &[], |_, value| rebuild(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn members_are_put_in_order_and_the_own_hash_is_left_out() {
        let template = json!({
            "resources": {},
            "outputs": { "b": { "value": null, "type": "string" } },
            "metadata": { "_generator": { "name": "bicep", "templateHash": "1" } },
            "contentVersion": "1.0.0.0",
            "parameters": { "p": { "type": "object", "properties": { "x": { "nullable": true, "type": "int" } } } },
            "$schema": "s",
        });
        assert_eq!(
            minified_template(&template),
            concat!(
                r#"{"$schema":"s","contentVersion":"1.0.0.0","#,
                r#""parameters":{"p":{"properties":{"x":{"type":"int","nullable":true}},"type":"object"}},"#,
                r#""resources":[],"outputs":{"b":{"type":"string"}},"metadata":{"_generator":{"name":"bicep"}}}"#,
            )
        );
    }

    #[test]
    fn strange_templates_are_hashed_as_they_are() {
        for template in
            [json!(null), json!([1]), json!({ "parameters": 1, "resources": "x", "functions": {} })]
        {
            assert!(!template_hash(&template).is_empty());
        }
    }
}
