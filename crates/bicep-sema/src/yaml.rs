//! YAML as JSON values.

use rustc_hash::FxHashMap;
use saphyr_parser::{Event, Parser, ScalarStyle, StrInput};
use serde_json::{Map, Number, Value};

/// Nesting beyond which a text is refused.
const MAX_DEPTH: usize = 200;

/// How much may be repeated through aliases.
const MAX_ALIASED: usize = 1 << 20;

/// Reads the first document of a text; `None` if it is not valid or empty.
pub(crate) fn parse(text: &str) -> Option<Value> {
    let mut reader = YamlReader {
        parser: Parser::new_from_str(text),
        anchors: FxHashMap::default(),
        depth: 0,
        aliased: 0,
    };
    loop {
        match reader.next()? {
            Event::DocumentStart(_) => {
                let first = reader.next()?;
                return reader.value(first);
            }
            Event::StreamEnd => return None,
            _ => {}
        }
    }
}

/// All documents of a text; `None` if it is not valid.
pub fn documents(text: &str) -> Option<Vec<Value>> {
    let mut reader = YamlReader {
        parser: Parser::new_from_str(text),
        anchors: FxHashMap::default(),
        depth: 0,
        aliased: 0,
    };
    let mut found = Vec::new();
    loop {
        match reader.next()? {
            Event::DocumentStart(_) => {
                let first = reader.next()?;
                found.push(reader.value(first)?);
                reader.depth = 0;
            }
            Event::StreamEnd => return Some(found),
            _ => {}
        }
    }
}

struct YamlReader<'t> {
    parser: Parser<'t, StrInput<'t>>,
    anchors: FxHashMap<usize, Value>,
    depth: usize,
    aliased: usize,
}

impl<'t> YamlReader<'t> {
    fn next(&mut self) -> Option<Event<'t>> {
        self.parser.next()?.ok().map(|(event, _)| event)
    }

    fn value(&mut self, event: Event<'t>) -> Option<Value> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let (value, anchor) = match event {
            Event::Alias(anchor) => {
                let value = self.anchors.get(&anchor)?.clone();
                self.aliased += size(&value);
                (self.aliased <= MAX_ALIASED).then_some(())?;
                (value, 0)
            }
            Event::Scalar(text, style, anchor, tag) => {
                let is_plain = style == ScalarStyle::Plain && tag.is_none();
                (if is_plain { plain(&text) } else { Value::from(text.as_ref()) }, anchor)
            }
            Event::SequenceStart(anchor, _) => (self.sequence()?, anchor),
            Event::MappingStart(anchor, _) => (self.mapping()?, anchor),
            _ => (Value::Null, 0),
        };
        self.depth -= 1;
        if anchor > 0 {
            self.anchors.insert(anchor, value.clone());
        }
        Some(value)
    }

    fn sequence(&mut self) -> Option<Value> {
        let mut items = Vec::new();
        loop {
            match self.next()? {
                Event::SequenceEnd => return Some(Value::Array(items)),
                event => items.push(self.value(event)?),
            }
        }
    }

    fn mapping(&mut self) -> Option<Value> {
        let mut members = Map::new();
        loop {
            let key = match self.next()? {
                Event::MappingEnd => return Some(Value::Object(members)),
                Event::Scalar(text, ..) => text.into_owned(),
                event => match self.value(event)? {
                    Value::String(text) => text,
                    other => other.to_string(),
                },
            };
            let event = self.next()?;
            let value = self.value(event)?;
            members.insert(key, value);
        }
    }
}

/// A plain scalar by the core schema.
fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        _ => {}
    }
    if let Ok(value) = text.parse::<i64>() {
        return Value::from(value);
    }
    let radix =
        |prefix, radix| text.strip_prefix(prefix).and_then(|digits| i64::from_str_radix(digits, radix).ok());
    if let Some(value) = radix("0x", 16).or_else(|| radix("0o", 8)) {
        return Value::from(value);
    }
    let looks_like_number = text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.'));
    let number = text.parse::<f64>().ok().filter(|_| looks_like_number).and_then(Number::from_f64);
    number.map_or_else(|| Value::from(text), Value::Number)
}

fn size(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(size).sum::<usize>(),
        Value::Object(members) => 1 + members.values().map(size).sum::<usize>(),
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_become_values() {
        let check = |text: &str, expected: &str| {
            let found = parse(text).map_or_else(|| "none".to_owned(), |value| value.to_string());
            assert_eq!(found, expected, "{text}");
        };
        check("a: 1\nb:\n- x\n- true\n", r#"{"a":1,"b":["x",true]}"#);
        check("a: &x {b: '1'}\nc: *x", r#"{"a":{"b":"1"},"c":{"b":"1"}}"#);
        check("1.5", "1.5");
        check("", "none");
        check("a: [", "none");
    }
}
