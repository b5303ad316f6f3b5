//! A template as data: JSON in which every text is either plain or an expression that has been parsed, each value with
//! its place.
//!
//! There are two ways to one: [`Node::read`] takes JSON, and a compiler puts the nodes together itself. From there on
//! both are the same: [`Template::of`](crate::Template::of) interprets a document, [`Node::to_json`] prints it. Cloning a
//! node is cheap, so that a template may stand in many others.

use std::collections::HashMap;
use std::sync::Arc;

use base::TextRange;
use serde_json::{Map, Number, Value as Json};
use smol_str::SmolStr;

use crate::error::Error;
use crate::expression::{self, Expr, Text, classify, parse};
use crate::value::Value;

/// A value of a template and where it stands: in the JSON it was read from, or in the file it was compiled from.
#[derive(Debug, Clone, Default)]
pub struct Node {
    /// Its place.
    pub range: TextRange,
    pub kind: NodeKind,
}

/// What a value of a template is.
#[derive(Debug, Clone, Default)]
pub enum NodeKind {
    /// `null`
    #[default]
    Null,
    /// `true` or `false`
    Bool(bool),
    Number(Number),
    /// A text that is no expression, as it is written: a leading bracket may be doubled.
    Text(SmolStr),
    /// An expression, and its text with the brackets.
    Expression(Expr, SmolStr),
    /// A text that looks like an expression and is none, and what is wrong with it.
    Broken(Box<Error>, SmolStr),
    /// An expression that nobody has needed to parse: a template that is only carried along.
    Unparsed(SmolStr),
    /// A list.
    Array(Arc<[Node]>),
    Object(Arc<Object>),
}

/// The members of an object in order, repeated names included.
#[derive(Debug, Clone, Default)]
pub struct Object {
    members: Vec<Member>,
}

/// A name and its value.
#[derive(Debug, Clone)]
pub struct Member {
    /// The name as written.
    pub key: SmolStr,
    /// Where the name stands.
    pub key_range: TextRange,
    /// For a name that is an expression.
    pub computed: Option<Expr>,
    pub value: Node,
}

impl Node {
    /// Reads JSON: the only place where the expressions of a whole template are parsed.
    pub fn read(json: &json::Node) -> Self {
        readings::count();
        let mut expressions = Expressions::default();
        node_of(json, &mut |text| expressions.read(text))
    }

    /// Reads JSON that nobody else needs: it is let go of part by part, so that the memory for both is never needed at once.
    pub fn read_owned(json: json::Node) -> Self {
        readings::count();
        node_from(json, &mut Expressions::default())
    }

    /// Takes JSON over as it is. Expressions in it are parsed when they are interpreted, each time anew: for templates
    /// that are mostly only written out again.
    pub fn carry(json: &json::Node) -> Self {
        node_of(json, &mut |text| match classify(text) {
            Text::Literal(_) => NodeKind::Text(text.into()),
            Text::Expression(_) => NodeKind::Unparsed(text.into()),
        })
    }

    /// A value at a place.
    pub fn new(kind: NodeKind, range: TextRange) -> Self {
        Self { range, kind }
    }

    /// A text that is no expression, whatever it looks like.
    pub fn literal(text: &str) -> Self {
        NodeKind::Text(escape(text)).into()
    }

    /// An expression. One that is longer or nested more deeply than the service takes is a broken one.
    pub fn expression(expression: Expr) -> Self {
        let text = SmolStr::from(format!("[{expression}]"));
        match expression::check_limits(&expression, &text) {
            Ok(()) => NodeKind::Expression(expression, text).into(),
            Err(error) => NodeKind::Broken(Box::new(error), text).into(),
        }
    }

    /// Prints it.
    pub fn to_json(&self) -> Json {
        deep(|| match &self.kind {
            NodeKind::Null => Json::Null,
            NodeKind::Bool(value) => Json::Bool(*value),
            NodeKind::Number(number) => Json::Number(number.clone()),
            NodeKind::Text(text)
            | NodeKind::Unparsed(text)
            | NodeKind::Expression(_, text)
            | NodeKind::Broken(_, text) => Json::String(text.to_string()),
            NodeKind::Array(items) => Json::Array(items.iter().map(Self::to_json).collect()),
            NodeKind::Object(object) => {
                let mut members = Map::with_capacity(object.len());
                for member in object.iter() {
                    members.insert(member.key.to_string(), member.value.to_json());
                }
                Json::Object(members)
            }
        })
    }

    /// The text as it is written, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        match &self.kind {
            NodeKind::Text(text)
            | NodeKind::Unparsed(text)
            | NodeKind::Expression(_, text)
            | NodeKind::Broken(_, text) => Some(text),
            _ => None,
        }
    }

    /// The truth value, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        if let NodeKind::Bool(value) = self.kind { Some(value) } else { None }
    }

    /// The number, if it is a whole one that fits.
    pub fn as_i64(&self) -> Option<i64> {
        if let NodeKind::Number(number) = &self.kind { number.as_i64() } else { None }
    }

    /// The items, if it is a list.
    pub fn as_array(&self) -> Option<&[Self]> {
        if let NodeKind::Array(items) = &self.kind { Some(items) } else { None }
    }

    /// The object, if it is one.
    pub fn as_object(&self) -> Option<&Object> {
        if let NodeKind::Object(object) = &self.kind { Some(object) } else { None }
    }

    /// Whether it is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self.kind, NodeKind::Null)
    }

    /// The value of a member by its name in any letter case, if this is an object that has it.
    pub fn get_ignore_case(&self, key: &str) -> Option<&Self> {
        Some(&self.as_object()?.get_ignore_case(key)?.value)
    }

    /// The values of several members, each found as by [`Self::get_ignore_case`], in one pass. The names are ASCII.
    pub(crate) fn members<const N: usize>(&self, names: [&str; N]) -> [Option<&Self>; N] {
        let mut found: [Option<&Member>; N] = [None; N];
        for member in self.as_object().into_iter().flatten() {
            for (known, name) in found.iter_mut().zip(names) {
                let is_alike = member.key.len() == name.len() && json::eq_ignore_case(&member.key, name);
                // The very name wins over others, the last one over those before it.
                if is_alike && known.is_none_or(|known| known.key != name || member.key == name) {
                    *known = Some(member);
                }
            }
        }
        found.map(|member| member.map(|member| &member.value))
    }

    /// The same with one member set: in the place of the member of this very name, or behind the others.
    #[must_use]
    pub fn with_member(&self, key: &str, value: Self) -> Self {
        let mut members = self.as_object().map(|object| object.members.clone()).unwrap_or_default();
        match members.iter_mut().find(|member| member.key == key) {
            Some(known) => known.value = value,
            None => members.push(Member::new(key, value)),
        }
        Self { range: self.range, kind: Object::new(members).into() }
    }

    /// The same as a value: evaluation gives the texts and expressions in it back as they are written.
    #[must_use]
    pub fn escaped(&self) -> Self {
        deep(|| {
            let kind = match &self.kind {
                NodeKind::Array(items) => items.iter().map(Self::escaped).collect(),
                NodeKind::Object(object) => {
                    let members = object
                        .iter()
                        .map(|member| Member { value: member.value.escaped(), ..member.clone() });
                    Object::new(members.collect()).into()
                }
                other => self.as_str().map_or_else(|| other.clone(), |text| NodeKind::Text(escape(text))),
            };
            Self { range: self.range, kind }
        })
    }

    /// The same with one level of escapes taken off, as an evaluation of the text around it does: `[[…]` is `[…]`.
    #[must_use]
    pub(crate) fn unescaped(&self) -> Self {
        deep(|| {
            let kind = match &self.kind {
                NodeKind::Text(text) => match classify(text) {
                    Text::Literal(inner) if inner.len() < text.len() => text_kind(inner),
                    _ => self.kind.clone(),
                },
                NodeKind::Array(items) => items.iter().map(Self::unescaped).collect(),
                NodeKind::Object(object) => {
                    let members = object
                        .iter()
                        .map(|member| Member { value: member.value.unescaped(), ..member.clone() });
                    Object::new(members.collect()).into()
                }
                other => other.clone(),
            };
            Self { range: self.range, kind }
        })
    }
}

impl Object {
    /// An object of these members.
    pub fn new(members: Vec<Member>) -> Self {
        Self { members }
    }

    /// The member of this very name, else the last one whose name differs only in case.
    pub fn get_ignore_case(&self, key: &str) -> Option<&Member> {
        let mut alike = None;
        // Only names beyond ASCII can be alike and differ in length.
        let is_ascii = key.is_ascii();
        let candidates =
            self.members.iter().rev().filter(|member| !is_ascii || member.key.len() == key.len());
        for member in candidates.filter(|member| json::eq_ignore_case(&member.key, key)) {
            if member.key == key {
                return Some(member);
            }
            alike = alike.or(Some(member));
        }
        alike
    }

    /// All members in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Member> {
        self.members.iter()
    }

    /// How many members there are.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }
}

impl<'o> IntoIterator for &'o Object {
    type Item = &'o Member;
    type IntoIter = std::slice::Iter<'o, Member>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl Member {
    /// A member whose name is no expression and has no place of its own.
    pub fn new(key: impl Into<SmolStr>, value: Node) -> Self {
        Self { key: key.into(), key_range: TextRange::default(), computed: None, value }
    }
}

impl From<NodeKind> for Node {
    fn from(kind: NodeKind) -> Self {
        Self { range: TextRange::default(), kind }
    }
}

impl From<Object> for NodeKind {
    fn from(object: Object) -> Self {
        Self::Object(Arc::new(object))
    }
}

impl FromIterator<Node> for NodeKind {
    fn from_iter<I: IntoIterator<Item = Node>>(items: I) -> Self {
        Self::Array(items.into_iter().collect())
    }
}

impl From<&Json> for Node {
    /// A value that was made in this process: there is no text that its parts could have places in.
    fn from(json: &Json) -> Self {
        deep(|| {
            let kind = match json {
                Json::Null => NodeKind::Null,
                Json::Bool(value) => NodeKind::Bool(*value),
                Json::Number(number) => NodeKind::Number(number.clone()),
                Json::String(text) => text_kind(text),
                Json::Array(items) => items.iter().map(Self::from).collect(),
                Json::Object(members) => {
                    let member = |(key, value): (&String, &Json)| Member {
                        computed: computed(key),
                        ..Member::new(key.as_str(), Self::from(value))
                    };
                    Object::new(members.iter().map(member).collect()).into()
                }
            };
            Self { range: TextRange::default(), kind }
        })
    }
}

impl From<&Node> for Value {
    /// Texts and expressions as they are written.
    fn from(node: &Node) -> Self {
        match &node.kind {
            NodeKind::Null => Self::NULL,
            NodeKind::Bool(value) => Self::bool(*value),
            NodeKind::Number(number) => Self::from(number),
            NodeKind::Text(text)
            | NodeKind::Unparsed(text)
            | NodeKind::Expression(_, text)
            | NodeKind::Broken(_, text) => Self::string(text.as_str()),
            NodeKind::Array(items) => Self::array(items.iter().map(Self::from).collect()),
            NodeKind::Object(object) => {
                let members = object.iter().map(|member| (member.key.clone(), Self::from(&member.value)));
                Self::from(members.collect::<crate::value::Object>())
            }
        }
    }
}

/// A text that would be read as an expression gets one more bracket.
pub fn escape(text: &str) -> SmolStr {
    if text.starts_with('[') && text.ends_with(']') { format!("[{text}").into() } else { text.into() }
}

fn node_of(json: &json::Node, text_kind: &mut dyn FnMut(&str) -> NodeKind) -> Node {
    let kind = match &json.value {
        json::Kind::Null => NodeKind::Null,
        json::Kind::Bool(value) => NodeKind::Bool(*value),
        json::Kind::Number(number) => NodeKind::Number(number.clone()),
        json::Kind::String(text) => text_kind(text),
        json::Kind::Array(items) => items.iter().map(|item| deep(|| node_of(item, text_kind))).collect(),
        json::Kind::Object(object) => {
            let member = |member: &json::Member| Member {
                key: SmolStr::new(&member.key),
                key_range: member.key_range,
                computed: computed(&member.key),
                value: deep(|| node_of(&member.value, text_kind)),
            };
            Object::new(object.iter().map(member).collect()).into()
        }
    };
    Node { range: json.range, kind }
}

fn node_from(json: json::Node, expressions: &mut Expressions) -> Node {
    let kind = match json.value {
        json::Kind::Null => NodeKind::Null,
        json::Kind::Bool(value) => NodeKind::Bool(value),
        json::Kind::Number(number) => NodeKind::Number(number),
        json::Kind::String(text) => expressions.read(&text),
        json::Kind::Array(items) => {
            items.into_iter().map(|item| deep(|| node_from(item, expressions))).collect()
        }
        json::Kind::Object(object) => {
            let member = |member: json::Member| Member {
                key: SmolStr::new(&member.key),
                key_range: member.key_range,
                computed: computed(&member.key),
                value: deep(|| node_from(member.value, expressions)),
            };
            Object::new(object.into_members().into_iter().map(member).collect()).into()
        }
    };
    Node { range: json.range, kind }
}

/// The expressions of one document by their texts. Compiled templates repeat most of theirs: each is parsed once, and all
/// places share it.
#[derive(Default)]
struct Expressions(HashMap<SmolStr, NodeKind>);

impl Expressions {
    fn read(&mut self, text: &str) -> NodeKind {
        if let Text::Literal(_) = classify(text) {
            return NodeKind::Text(text.into());
        }
        if let Some(known) = self.0.get(text) {
            return known.clone();
        }
        let kind = text_kind(text);
        self.0.insert(text.into(), kind.clone());
        kind
    }
}

/// The expression that a name is, if it is one.
fn computed(key: &str) -> Option<Expr> {
    match classify(key) {
        Text::Expression(text) => parse(text).ok(),
        Text::Literal(_) => None,
    }
}

fn text_kind(text: &str) -> NodeKind {
    match classify(text) {
        Text::Literal(_) => NodeKind::Text(text.into()),
        Text::Expression(_) => match parse(text) {
            Ok(expression) => NodeKind::Expression(expression, text.into()),
            Err(error) => NodeKind::Broken(Box::new(error), text.into()),
        },
    }
}

/// Documents may be nested as deeply as the reader of JSON allows; the stack grows with them.
pub(crate) fn deep<T>(work: impl FnOnce() -> T) -> T {
    base::recurse(work)
}

/// How often JSON was read. Builds with debug assertions count it, so that a test can show that what a compiler made in
/// the same process is not printed to be read again.
pub mod readings {
    #[cfg(debug_assertions)]
    static COUNT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);

    /// How many documents this process has read so far.
    #[cfg(debug_assertions)]
    pub fn so_far() -> usize {
        COUNT.load(std::sync::atomic::Ordering::Relaxed)
    }

    pub(super) fn count() {
        #[cfg(debug_assertions)]
        COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Node {
        Node::read(json::parse(text, json::Options::strict()).root.as_ref().unwrap())
    }

    #[test]
    fn what_is_read_is_printed_as_it_was() {
        let text = r#"{"a":[1,2.5,null,true],"[concat('b')]":"[ concat( 'c' ) ]","d":"[[x]","e":"[broken"}"#;
        assert_eq!(read(text).to_json().to_string(), text);
        let json = json::parse(text, json::Options::strict()).root.unwrap();
        assert_eq!(Node::read_owned(json).to_json().to_string(), text);
        assert_eq!(Node::from(&read(text).to_json()).to_json().to_string(), text);
    }

    #[test]
    fn one_level_of_escapes_is_taken_off() {
        let inner = read(r#"["[[concat('a')]", "[[[a]", "[[open", "[b()]"]"#).unescaped();
        assert_eq!(inner.to_json().to_string(), r#"["[concat('a')]","[[a]","[[open","[b()]"]"#);
        let kinds = inner.as_array().unwrap();
        assert!(matches!(kinds.first().map(|node| &node.kind), Some(NodeKind::Expression(..))));
    }

    #[test]
    fn texts_that_look_like_expressions_are_escaped() {
        for (text, expected) in [("[a]", "[[a]"), ("[a", "[a"), ("a]", "a]"), ("", ""), ("[[a]", "[[[a]")] {
            assert_eq!(Node::literal(text).as_str(), Some(expected));
        }
    }
}
