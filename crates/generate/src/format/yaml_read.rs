//! YAML 1.1 as go-yaml 2.2 and its conversion to JSON read it. Text comes in, [`Value`]s with sorted names go out.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use base64::Engine;
use rustc_hash::FxHashMap;
use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, StrInput, Tag};

use super::number;
use super::yaml11::{Meaning, meaning};
use ::json::borrowed::{MAX_DEPTH, Value};

/// Why a text is not YAML, or has no counterpart in JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct YamlError {
    pub message: String,
    /// In which line, counted from one.
    pub line: usize,
}

impl fmt::Display for YamlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (line {})", self.message, self.line)
    }
}

/// The first document of a text; `null` when there is none.
pub fn read_document(text: &str) -> Result<Value<'static>, YamlError> {
    let mut reader = YamlReader::new(text);
    Ok(reader.next_document()?.unwrap_or(Value::Null))
}

/// All documents of a text.
pub fn read_stream(text: &str) -> Result<Vec<Value<'static>>, YamlError> {
    let mut reader = YamlReader::new(text);
    let mut documents = Vec::new();
    while let Some(document) = reader.next_document()? {
        documents.push(document);
    }
    Ok(documents)
}

/// How many nodes aliases may add. Without a limit, nine lines can stand for a billion nodes.
const MAX_ALIASED_NODES: usize = 1_000_000;
const CORE_TAGS: &str = "tag:yaml.org,2002:";

struct YamlReader<'t> {
    parser: Parser<'t, StrInput<'t>>,
    /// Anchored nodes and how many nodes each of them has. `None` while the node is being read.
    anchors: FxHashMap<usize, Option<(Value<'static>, usize)>>,
    aliased: usize,
    line: usize,
}

/// A node and how many nodes it is made of.
type Counted = (Value<'static>, usize);

impl<'t> YamlReader<'t> {
    fn new(text: &'t str) -> Self {
        Self { parser: Parser::new_from_str(text), anchors: FxHashMap::default(), aliased: 0, line: 1 }
    }

    fn next_document(&mut self) -> Result<Option<Value<'static>>, YamlError> {
        loop {
            match self.event()? {
                Event::DocumentStart(_) => {
                    self.anchors.clear();
                    let first = self.event()?;
                    return Ok(Some(self.node(first, 0)?.0));
                }
                Event::StreamEnd => return Ok(None),
                _ => {}
            }
        }
    }

    fn event(&mut self) -> Result<Event<'t>, YamlError> {
        match self.parser.next_event() {
            Some(Ok((event, span))) => {
                self.line = span.start.line();
                Ok(event)
            }
            Some(Err(error)) => Err(scan_error(&error)),
            None => Ok(Event::StreamEnd),
        }
    }

    fn node(&mut self, event: Event<'t>, depth: usize) -> Result<Counted, YamlError> {
        if depth > MAX_DEPTH {
            return Err(self.error(format!("the value is nested deeper than {MAX_DEPTH} levels")));
        }
        match event {
            Event::Alias(anchor) => self.alias(anchor),
            Event::Scalar(text, style, anchor, tag) => {
                let node = self.scalar(&text, style, tag.as_deref())?;
                self.remember(anchor, (node, 1))
            }
            Event::SequenceStart(anchor, _) => {
                self.anchors.insert(anchor, None);
                let node = self.sequence(depth)?;
                self.remember(anchor, node)
            }
            Event::MappingStart(anchor, _) => {
                self.anchors.insert(anchor, None);
                let node = self.mapping(depth)?;
                self.remember(anchor, node)
            }
            _ => Err(self.error("the document ends where a value is expected".to_owned())),
        }
    }

    fn alias(&mut self, anchor: usize) -> Result<Counted, YamlError> {
        let Some(Some((node, size))) = self.anchors.get(&anchor) else {
            return Err(self.error("the anchored value contains itself".to_owned()));
        };
        self.aliased += size;
        if self.aliased > MAX_ALIASED_NODES {
            return Err(self.error(format!("aliases stand for more than {MAX_ALIASED_NODES} values")));
        }
        Ok((node.clone(), *size))
    }

    fn remember(&mut self, anchor: usize, node: Counted) -> Result<Counted, YamlError> {
        if anchor > 0 {
            // Keeping a copy of every anchored node costs as much as using it once.
            self.aliased += node.1;
            if self.aliased > MAX_ALIASED_NODES {
                return Err(self.error(format!("anchors hold more than {MAX_ALIASED_NODES} values")));
            }
            self.anchors.insert(anchor, Some(node.clone()));
        }
        Ok(node)
    }

    fn sequence(&mut self, depth: usize) -> Result<Counted, YamlError> {
        let mut items = Vec::new();
        let mut size = 1;
        loop {
            match self.event()? {
                Event::SequenceEnd => return Ok((Value::Array(items), size)),
                event => {
                    let (item, count) = self.node(event, depth + 1)?;
                    items.push(item);
                    size += count;
                }
            }
        }
    }

    fn mapping(&mut self, depth: usize) -> Result<Counted, YamlError> {
        let mut members = BTreeMap::new();
        let mut size = 1;
        loop {
            let event = self.event()?;
            let is_merge = match &event {
                Event::MappingEnd => {
                    let members = members.into_iter().map(|(key, value)| (Cow::Owned(key), value));
                    return Ok((Value::Object(members.collect()), size));
                }
                Event::Scalar(text, ScalarStyle::Plain, _, None) => text == "<<",
                _ => false,
            };
            let word = old_boolean(&event);
            let (key, key_count) = self.node(event, depth + 1)?;
            let first = self.event()?;
            let (value, count) = self.node(first, depth + 1)?;
            size += key_count + count;
            if is_merge {
                self.merge(&mut members, value)?;
            } else {
                let name = word.map_or_else(|| self.key(&key), Ok)?;
                members.insert(name, value);
            }
        }
    }

    /// Merges where `<<` stands: what comes later wins, and in a list of mappings the earlier one.
    fn merge(
        &self,
        members: &mut BTreeMap<String, Value<'static>>,
        value: Value<'static>,
    ) -> Result<(), YamlError> {
        match value {
            Value::Object(merged) => {
                members.extend(merged.into_iter().map(|(key, value)| (key.into_owned(), value)));
            }
            Value::Array(list) => {
                for item in list.into_iter().rev() {
                    let Value::Object(merged) = item else { return Err(self.bad_merge()) };
                    members.extend(merged.into_iter().map(|(key, value)| (key.into_owned(), value)));
                }
            }
            _ => return Err(self.bad_merge()),
        }
        Ok(())
    }

    fn bad_merge(&self) -> YamlError {
        self.error("'<<' needs a mapping or a list of mappings".to_owned())
    }

    fn key(&self, node: &Value<'_>) -> Result<String, YamlError> {
        match node {
            Value::String(text) | Value::Number(text) => Ok(text.clone().into_owned()),
            Value::Bool(value) => Ok(value.to_string()),
            Value::Null => Err(self.error("null cannot be the name of a member".to_owned())),
            Value::Array(_) | Value::Object(_) => {
                Err(self.error("a collection cannot be the name of a member".to_owned()))
            }
        }
    }

    fn scalar(&self, text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Result<Value<'static>, YamlError> {
        let string = || Value::String(Cow::Owned(text.to_owned()));
        let wanted = match tag {
            None if style == ScalarStyle::Plain => None,
            Some(tag) if tag.handle == CORE_TAGS || tag.handle == "!!" => Some(tag.suffix.as_str()),
            None | Some(_) => return Ok(string()),
        };
        let found = meaning(text);
        match (wanted, found) {
            (Some("binary"), _) => self.binary(text),
            (None | Some("null"), Meaning::Null) => Ok(Value::Null),
            (None | Some("bool"), Meaning::Bool(value)) => Ok(Value::Bool(value)),
            (None | Some("int"), Meaning::Integer(digits)) => Ok(Value::Number(Cow::Owned(digits))),
            (Some("float"), Meaning::Integer(digits)) => self.float(digits.parse().unwrap_or(f64::NAN)),
            (None | Some("float"), Meaning::Float(value)) => self.float(value),
            (Some(tag @ ("null" | "bool" | "int" | "float")), _) => {
                Err(self.error(format!("'{text}' is not a value of the type !!{tag}")))
            }
            // `!!str`, `!!timestamp`, unknown types, and plain text.
            (Some(_), _) | (None, Meaning::Text | Meaning::Timestamp) => Ok(string()),
        }
    }

    fn float(&self, value: f64) -> Result<Value<'static>, YamlError> {
        if !value.is_finite() {
            return Err(self.error(format!("{} has no counterpart in JSON", number::general(value))));
        }
        Ok(Value::Number(Cow::Owned(number::json(&format!("{value:e}")))))
    }

    fn binary(&self, text: &str) -> Result<Value<'static>, YamlError> {
        let bytes =
            decode_base64(text).ok_or_else(|| self.error("!!binary is not valid base64".to_owned()))?;
        Ok(Value::String(Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())))
    }

    fn error(&self, message: String) -> YamlError {
        YamlError { message, line: self.line }
    }
}

/// A name such as `on`, `y` or `no`. YAML 1.1 takes it for a boolean; nobody who writes it means that.
fn old_boolean(event: &Event<'_>) -> Option<String> {
    let Event::Scalar(text, ScalarStyle::Plain, 0, None) = event else { return None };
    let is_word = matches!(meaning(text), Meaning::Bool(_));
    let is_boolean = ["true", "false"].iter().any(|word| text.eq_ignore_ascii_case(word));
    (is_word && !is_boolean).then(|| text.to_string())
}

fn scan_error(error: &ScanError) -> YamlError {
    YamlError { message: error.info().to_owned(), line: error.marker().line() }
}

fn decode_base64(text: &str) -> Option<Vec<u8>> {
    let digits: String = text.chars().filter(|c| !c.is_ascii_whitespace()).collect();
    crate::encoding::BASE64.decode(digits).ok()
}

#[cfg(test)]
mod tests {
    use super::super::json::write_compact;
    use super::*;

    fn show(nodes: &[Value<'_>]) -> String {
        let mut out = String::new();
        nodes.iter().for_each(|node| write_compact(&mut out, node));
        out
    }

    #[track_caller]
    fn check(yaml: &str, json: &str) {
        let found = match read_document(yaml) {
            Ok(node) => show(&[node]),
            Err(error) => format!("error: {error}"),
        };
        assert_eq!(found, json, "{yaml}");
    }

    #[test]
    fn scalars_follow_yaml_1_1() {
        check(
            "[yes, no, on, off, y, n, ~, null, '', \"yes\"]",
            r#"[true,false,true,false,true,false,null,null,"","yes"]"#,
        );
        check("[017, 0o17, 08, 1_000, 0x1f, 0b11, 1e3, .5, 1.0]", "[15,15,8,1000,31,3,1000,0.5,1]");
        check(
            "[1:30, 2001-01-01, 12e03, 18446744073709551616]",
            r#"["1:30","2001-01-01",12000,18446744073709552000]"#,
        );
        check(".inf", "error: .inf has no counterpart in JSON (line 1)");
    }

    #[test]
    fn names_become_strings() {
        check("{n: 1, 1: 2, 1.5: 3, b: 4, b: 5}", r#"{"1":2,"1.5":3,"b":5,"n":1}"#);
        check("on: yes\nTrue: 1", r#"{"on":true,"true":1}"#);
        check("~: 1", "error: null cannot be the name of a member (line 1)");
        check("? [a]\n: 1", "error: a collection cannot be the name of a member (line 2)");
    }

    #[test]
    fn tags_and_merges() {
        check("[!!str 1, !!float 1, !custom x, !!binary aGk=, !!int '7']", r#"["1",1,"x","hi",7]"#);
        check("!!int x", "error: 'x' is not a value of the type !!int (line 1)");
        check("b: &b {x: 1, z: 2}\nc:\n  <<: *b\n  z: 3", r#"{"b":{"x":1,"z":2},"c":{"x":1,"z":3}}"#);
        check("<<: 1", "error: '<<' needs a mapping or a list of mappings (line 1)");
    }

    #[test]
    fn only_the_first_document_counts() {
        check("a: 1\n---\nb: 2", r#"{"a":1}"#);
        check("", "null");
        assert_eq!(show(&read_stream("a: 1\n---\n---\n[2]").unwrap()), r#"{"a":1}null[2]"#);
        assert_eq!(read_stream("").unwrap(), []);
    }

    #[test]
    fn hostile_documents_end_with_a_message() {
        let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..10 {
            let item = format!("*a{}, ", level - 1).repeat(10);
            bomb.push_str(&format!("a{level}: &a{level} [{item}]\n"));
        }
        let error = read_document(&bomb).expect_err("too large");
        assert!(error.message.contains("1000000 values"), "{error}");
        assert!(read_document(&"[".repeat(100_000)).is_err());
        assert!(read_document(&"- ".repeat(100_000)).is_err());
    }
}
