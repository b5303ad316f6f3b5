//! Files in JSON that have a schema, such as `bicepconfig.json` and rule files, in the editor: text, schema and an offset come in;
//! keys, values and what they are for go out. The schemas are made from what the readers of the files know.

use std::ops::Range;

use base::{TextRange, TextSize};
use serde_json::Value;

use crate::completion::{CompletionItem, CompletionKind};
use crate::hover::Hover;

/// Where in the file an offset is.
#[derive(Debug, Default, PartialEq, Eq)]
struct Position {
    /// The keys of the objects around the offset, from the outside in; items of lists have none.
    path: Vec<String>,
    /// Whether a value is written there; else a key.
    is_value: bool,
    /// The word or string at the offset.
    word: Range<usize>,
}

/// What can be typed in a file.
pub fn schema_completions(text: &str, offset: TextSize, schema: &Value) -> Vec<CompletionItem> {
    let position = position_at(text, usize::from(offset));
    let range = text_range(&position.word);
    let Some(found) = schema_at(schema, &position.path) else { return Vec::new() };
    let found = resolved(schema, found);
    let found = found.get("items").map_or(found, |items| resolved(schema, items));
    if position.is_value {
        return values(found, range);
    }
    let has_colon = text.get(position.word.end..).is_some_and(|rest| rest.trim_start().starts_with(':'));
    let properties = found.get("properties").and_then(Value::as_object).into_iter().flatten();
    let root = schema;
    let items = properties.map(|(key, schema)| {
        let description = schema.get("description").and_then(Value::as_str).map(str::to_owned);
        let schema = resolved(root, schema);
        let value = placeholder(schema);
        let text = if has_colon { format!("\"{key}\"") } else { format!("\"{key}\": {value}") };
        let item = CompletionItem::new(CompletionKind::Property, key.as_str(), range);
        let documentation = description.or_else(|| rule_summary(key));
        let mut item = item.detail(type_of(schema)).documented(documentation).snippet(text);
        item.filter_text = Some(format!("\"{key}\""));
        item
    });
    items.collect()
}

/// What the key or value at an offset is for.
pub fn schema_hover(text: &str, offset: TextSize, schema: &Value) -> Option<Hover> {
    let mut position = position_at(text, usize::from(offset));
    let word = text.get(position.word.clone())?.trim_matches('"');
    if !position.is_value {
        (!word.is_empty()).then(|| position.path.push(word.to_owned()))?;
    }
    let found = schema_at(schema, &position.path)?;
    let key = position.path.last()?;
    let description = found.get("description").and_then(Value::as_str).map(str::to_owned);
    let description = description.or_else(|| rule_summary(key))?;
    let code = format!("```json\n\"{key}\": {}\n```  \n{description}  \n", type_of(resolved(schema, found)));
    Some(Hover { contents: vec![code], range: text_range(&position.word) })
}

fn text_range(word: &Range<usize>) -> TextRange {
    let size = |at: usize| TextSize::new(u32::try_from(at).unwrap_or(u32::MAX));
    TextRange::new(size(word.start), size(word.end.max(word.start)))
}

/// The first line about a rule of the linter.
fn rule_summary(code: &str) -> Option<String> {
    let rule = bicep_lint::RULES.iter().find(|rule| rule.code == code)?;
    rule.documentation.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned)
}

/// The schema of what stands at a path.
fn schema_at<'s>(root: &'s Value, path: &[String]) -> Option<&'s Value> {
    path.iter().try_fold(root, |found, key| {
        let found = resolved(root, found);
        let found = found.get("items").map_or(found, |items| resolved(root, items));
        let own = found.get("properties").and_then(|it| it.get(key));
        own.or_else(|| found.get("additionalProperties").filter(|it| it.is_object()))
    })
}

/// What a schema refers to; of alternatives without properties of their own, the first.
fn resolved<'s>(root: &'s Value, mut schema: &'s Value) -> &'s Value {
    // Definitions may refer to each other, never in a circle without a key between them.
    const MAX_STEPS: usize = 16;
    for _ in 0..MAX_STEPS {
        let reference = schema.get("$ref").and_then(Value::as_str).and_then(|it| it.strip_prefix('#'));
        let alternatives = schema.get("oneOf").filter(|_| schema.get("properties").is_none());
        let next = match reference {
            Some(pointer) => root.pointer(pointer),
            None => alternatives.and_then(|all| all.get(0)),
        };
        match next {
            Some(next) => schema = next,
            None => break,
        }
    }
    schema
}

fn type_of(schema: &Value) -> String {
    let choices = schema.get("enum").and_then(Value::as_array);
    match choices {
        Some(choices) => choices.iter().map(Value::to_string).collect::<Vec<_>>().join(" | "),
        None => match schema.get("type") {
            Some(Value::String(name)) => name.clone(),
            Some(Value::Array(names)) => {
                names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" | ")
            }
            _ => "value".to_owned(),
        },
    }
}

/// What is inserted as the value of a key.
fn placeholder(schema: &Value) -> &'static str {
    match schema.get("type").and_then(Value::as_str) {
        Some("object") => "{\n\t$0\n}",
        Some("array") => "[\n\t$0\n]",
        Some("boolean") => "${1|true,false|}",
        Some("string") => "\"$0\"",
        _ => "$0",
    }
}

fn values(schema: &Value, range: TextRange) -> Vec<CompletionItem> {
    let choices = schema.get("enum").and_then(Value::as_array).cloned().unwrap_or_default();
    let flags = match schema.get("type").and_then(Value::as_str) {
        Some("boolean") => vec![Value::Bool(true), Value::Bool(false)],
        _ => Vec::new(),
    };
    let items = choices.iter().chain(&flags).map(|choice| {
        let text = choice.to_string();
        let item = CompletionItem::new(CompletionKind::EnumMember, text.as_str(), range);
        item.detail(text)
    });
    items.collect()
}

/// Finds out where an offset is by reading what stands before it, as the file is incomplete while it is typed.
fn position_at(text: &str, offset: usize) -> Position {
    let offset = (0..=offset.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
    let bytes = text.as_bytes();
    let mut containers: Vec<(u8, Option<String>)> = Vec::new();
    let (mut at, mut pending, mut is_value) = (0, None::<String>, false);
    let mut word = offset..offset;
    while at < offset {
        let byte = bytes.get(at).copied().unwrap_or_default();
        let rest = text.get(at..).unwrap_or_default();
        if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        }
        if rest.starts_with("/*") {
            at += rest.find("*/").map_or(rest.len(), |end| end + 2);
            continue;
        }
        match byte {
            b'"' => {
                let end = at + string_length(rest);
                if end > offset || (end == offset && bytes.get(end - 1) == Some(&b'"')) {
                    word = at..end;
                }
                pending = rest.get(1..(end - at).saturating_sub(1).max(1)).map(str::to_owned);
                at = end;
                continue;
            }
            b'{' | b'[' => {
                let key = if is_value { pending.take() } else { None };
                containers.push((byte, key));
                is_value = byte == b'[';
                pending = None;
            }
            b'}' | b']' => {
                containers.pop();
                (is_value, pending) = (false, None);
            }
            b':' => {
                is_value = true;
            }
            b',' => {
                is_value = containers.last().is_some_and(|(open, _)| *open == b'[');
                pending = None;
            }
            byte if byte.is_ascii_alphanumeric() => {
                let length = rest.bytes().take_while(|it| it.is_ascii_alphanumeric() || *it == b'-').count();
                if at + length >= offset {
                    word = at..at + length;
                }
                at += length.max(1);
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    let mut path: Vec<String> = containers.into_iter().filter_map(|(_, key)| key).collect();
    if is_value && let Some(key) = key_before(text, word.start) {
        path.push(key);
    }
    Position { path, is_value, word }
}

/// The key whose value starts at an offset; items of lists have none.
fn key_before(text: &str, offset: usize) -> Option<String> {
    let before = text.get(..offset)?.trim_end().strip_suffix(':')?.trim_end().strip_suffix('"')?;
    before.rsplit_once('"').map(|(_, key)| key.to_owned())
}

/// The length of the string that a text starts with, its quotes included; without an end, up to the end of the line.
fn string_length(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            '\n' => return at,
            '"' if !is_escaped => return at + 1,
            _ => is_escaped = letter == '\\' && !is_escaped,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(source: &str) -> Vec<String> {
        let offset = source.find('|').expect("a cursor");
        let text = source.replacen('|', "", 1);
        let offset = TextSize::new(u32::try_from(offset).expect("short"));
        let items = schema_completions(&text, offset, &config::schema());
        items.into_iter().map(|item| item.label).collect()
    }

    #[test]
    fn definitions_and_alternatives_are_followed() {
        let schema = serde_json::json!({
            "oneOf": [{ "$ref": "#/definitions/rule" }, { "type": "array" }],
            "definitions": {
                "rule": { "properties": { "evaluation": { "$ref": "#/definitions/evaluation" } } },
                "evaluation": {
                    "type": "object",
                    "properties": {
                        "exists": { "type": "boolean", "description": "Whether it is there." },
                        "allOf": { "type": "array", "items": { "$ref": "#/definitions/evaluation" } },
                    },
                },
            },
        });
        let at = |text: &str| TextSize::new(u32::try_from(text.find('|').expect("a cursor")).expect("short"));
        for (text, expected) in [
            ("[{ | }]", vec!["evaluation"]),
            ("[{ \"evaluation\": { \"allOf\": [{ | }] } }]", vec!["exists", "allOf"]),
            ("[{ \"evaluation\": { \"exists\": | } }]", vec!["true", "false"]),
        ] {
            let items = schema_completions(&text.replace('|', ""), at(text), &schema);
            let mut labels: Vec<String> = items.into_iter().map(|item| item.label).collect();
            labels.sort_by_key(|label| expected.iter().position(|it| it == label));
            assert_eq!(labels, expected, "{text}");
        }
        let text = "[{ \"evaluation\": { \"ex|ists\": true } }]";
        let hover = schema_hover(&text.replace('|', ""), at(text), &schema).expect("a hover");
        assert!(hover.contents.concat().contains("Whether it is there."), "{hover:?}");
    }

    #[test]
    fn keys_are_those_of_the_object() {
        assert!(labels("{ | }").contains(&"analyzers".to_owned()));
        assert!(
            labels("{ \"analyzers\": { \"core\": { \"rules\": { \"|\" } } } }")
                .contains(&"no-unused-params".to_owned())
        );
        assert!(labels("{ \"formatting\": { \"ind|").contains(&"indentKind".to_owned()));
    }

    #[test]
    fn values_are_those_that_the_key_takes() {
        let source =
            "{ \"analyzers\": { \"core\": { \"rules\": { \"no-unused-params\": { \"level\": \"|\" } } } } }";
        assert!(labels(source).contains(&"\"warning\"".to_owned()));
        assert_eq!(labels("{ \"experimentalFeaturesWarning\": |"), ["true", "false"]);
    }

    #[test]
    fn a_rule_is_explained() {
        let text = "{ \"analyzers\": { \"core\": { \"rules\": { \"no-unused-params\": {} } } } }";
        let offset = TextSize::new(u32::try_from(text.find("unused").expect("there")).expect("short"));
        let hover = schema_hover(text, offset, &config::schema()).expect("a hover");
        assert!(hover.contents.concat().contains("no-unused-params"), "{hover:?}");
    }
}
