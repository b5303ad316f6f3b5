//! The tree of a type: read from a catalogue as deep as asked, printed as text or as JSON.

use std::fmt::Write;

use bicep_types::Catalogue;
use bicep_types::catalogue::{Corrupt, Descriptions, Ref};
use bicep_types::def::{BuiltIn, Def, MethodDef, PropertyDef, ResourceFunctionDef, StringDef};
use bicep_types::ty::escape_string;
use serde_json::{Map, Value, json};

use crate::failure::Failure;

/// A resource type to be printed.
pub(super) struct Resource {
    /// With version and property path.
    pub(super) name: String,
    /// Without them.
    pub(super) type_name: String,
    /// Where it can be found.
    pub(super) readable: Vec<&'static str>,
    /// Where it can be deployed.
    pub(super) writable: Vec<&'static str>,
    /// What it looks like.
    pub(super) body: Option<Node>,
    /// What can be called on it.
    pub(super) functions: Vec<Function>,
}

/// A type, as deep as it was asked for.
pub(super) struct Node {
    /// The type as source code would say it.
    text: String,
    /// The rules for its values that the text does not say, for programs and for people.
    limits: Vec<(&'static str, Value)>,
    /// All members of a union of literals.
    literals: Vec<String>,
    shape: Shape,
}

enum Shape {
    /// There is nothing in it to show.
    Leaf,
    /// It has properties that were not asked for.
    Cut,
    /// It is further up.
    Repeated,
    Object {
        properties: Vec<Member>,
        additional: Option<Box<Node>>,
        /// The alternatives with the property that tells them apart.
        variants: Option<(String, Vec<(String, Node)>)>,
    },
    Array(Box<Node>),
}

struct Member {
    name: String,
    flags: u8,
    description: Option<String>,
    node: Node,
}

/// A function of a resource type.
pub(super) struct Function {
    name: String,
    description: Option<String>,
    parameters: Vec<(String, Node)>,
    output: Node,
}

/// Reads types from a catalogue.
pub(super) struct TypeTreeReader<'a> {
    catalogue: &'a Catalogue,
    descriptions: Descriptions,
    /// The types around the one that is being read.
    open: Vec<Ref>,
    /// How many more properties are read.
    left: usize,
}

/// More properties nobody reads.
const MAX_PROPERTIES: usize = 50_000;

/// Deeper nesting nobody reads.
const MAX_DEPTH: usize = 64;

/// Somewhere in a type.
pub(super) struct TypeNode<'a> {
    /// Where the definition is in the catalogue.
    pub(super) reference: Ref,
    /// The definition.
    pub(super) def: Def<'a, Ref>,
    /// What messages call it.
    pub(super) name: String,
}

impl<'a> TypeTreeReader<'a> {
    pub(super) fn new(catalogue: &'a Catalogue) -> Self {
        Self { catalogue, descriptions: catalogue.descriptions(), open: Vec::new(), left: MAX_PROPERTIES }
    }

    /// Whether there was more than is ever shown.
    pub(super) fn is_cut(&self) -> bool {
        self.left == 0
    }

    /// Follows the names of properties, through arrays and into variants.
    pub(super) fn follow(
        &self,
        mut place: TypeNode<'a>,
        steps: &[&str],
        damaged: impl Fn(Corrupt) -> Failure,
    ) -> Result<TypeNode<'a>, Failure> {
        for step in steps {
            while let Def::Array { item, .. } = place.def {
                let def = self.catalogue.def(item).map_err(&damaged)?;
                place = TypeNode { reference: item, def, ..place };
            }
            let inside: Vec<(String, Ref)> = match &place.def {
                Def::Object(object) => members(&object.properties).collect(),
                Def::Discriminated(object) => {
                    let variants =
                        object.elements.iter().map(|(name, reference)| (name.to_string(), *reference));
                    members(&object.base).chain(variants).collect()
                }
                _ => Vec::new(),
            };
            let Some((name, reference)) = inside.iter().find(|(name, _)| name.eq_ignore_ascii_case(step))
            else {
                let names = inside.iter().map(|(name, _)| name);
                let like: Vec<String> = base::spelling::suggest(step, names).cloned().into_iter().collect();
                return Err(Failure::unknown_property(&place.name, step, &like));
            };
            let name = format!("{}.{name}", place.name);
            place = TypeNode {
                reference: *reference,
                def: self.catalogue.def(*reference).map_err(&damaged)?,
                name,
            };
        }
        Ok(place)
    }

    /// A type with as many levels of properties. `def` is its definition, if it is known already.
    pub(super) fn node(
        &mut self,
        reference: Ref,
        def: Option<Def<'a, Ref>>,
        depth: usize,
    ) -> Result<Node, Corrupt> {
        let mut def = match def {
            Some(def) => def,
            None => self.catalogue.def(reference)?,
        };
        let text = self.text(&def, 0)?;
        let mut node = Node { text, limits: limits(&def), literals: Vec::new(), shape: Shape::Leaf };
        if let Def::Union(elements) = &def {
            node.literals = self.literals(elements)?;
        }
        let is_open = self.open.contains(&reference) || self.open.len() >= MAX_DEPTH;
        node.shape = match &mut def {
            Def::Array { item, .. } => match self.node(*item, None, depth)? {
                Node { shape: Shape::Leaf, limits, literals, .. }
                    if limits.is_empty() && literals.is_empty() =>
                {
                    Shape::Leaf
                }
                item => Shape::Array(Box::new(item)),
            },
            Def::Object(object) if object.properties.is_empty() && object.additional.is_none() => Shape::Leaf,
            Def::Object(_) | Def::Discriminated(_) if is_open => Shape::Repeated,
            Def::Object(_) | Def::Discriminated(_) if depth == 0 || self.left == 0 => Shape::Cut,
            Def::Object(_) | Def::Discriminated(_) => {
                self.descriptions.describe(reference, &mut def)?;
                self.open.push(reference);
                let shape = self.object(def, depth - 1);
                self.open.pop();
                shape?
            }
            _ => Shape::Leaf,
        };
        Ok(node)
    }

    fn object(&mut self, def: Def<'a, Ref>, depth: usize) -> Result<Shape, Corrupt> {
        Ok(match def {
            Def::Object(object) => Shape::Object {
                properties: self.members(&object.properties, depth)?,
                additional: match object.additional {
                    Some(additional) => Some(Box::new(self.node(additional, None, depth)?)),
                    None => None,
                },
                variants: None,
            },
            Def::Discriminated(object) => {
                let mut variants = Vec::new();
                for (name, reference) in &object.elements {
                    variants.push((name.to_string(), self.node(*reference, None, depth)?));
                }
                Shape::Object {
                    properties: self.members(&object.base, depth)?,
                    additional: None,
                    variants: Some((object.discriminator.to_string(), variants)),
                }
            }
            _ => Shape::Leaf,
        })
    }

    /// What must be given comes first, what cannot be given comes last.
    fn members(&mut self, properties: &[PropertyDef<'a, Ref>], depth: usize) -> Result<Vec<Member>, Corrupt> {
        let mut members = Vec::new();
        for property in properties {
            let Some(left) = self.left.checked_sub(1) else { break };
            self.left = left;
            members.push(Member {
                name: property.name.to_string(),
                flags: property.flags,
                description: property.description.as_deref().map(on_one_line).filter(|text| !text.is_empty()),
                node: self.node(property.ty, None, depth)?,
            });
        }
        members.sort_by_key(|member| match member.flags {
            flags if flags & READ_ONLY != 0 => 2,
            flags if flags & REQUIRED != 0 => 0,
            _ => 1,
        });
        Ok(members)
    }

    pub(super) fn function(&mut self, function: &ResourceFunctionDef<'_, Ref>) -> Result<Function, Corrupt> {
        let input = function.input.map(|input| Ok(("input".to_owned(), self.node(input, None, 0)?)));
        Ok(Function {
            name: function.name.to_string(),
            description: None,
            parameters: input.into_iter().collect::<Result<_, Corrupt>>()?,
            output: self.node(function.output, None, 0)?,
        })
    }

    pub(super) fn method(&mut self, method: &MethodDef<'_, Ref>) -> Result<Function, Corrupt> {
        let mut parameters = Vec::new();
        for parameter in &method.parameters {
            parameters.push((parameter.name.to_string(), self.node(parameter.ty, None, 0)?));
        }
        Ok(Function {
            name: method.name.to_string(),
            description: method.description.as_deref().map(on_one_line),
            parameters,
            output: self.node(method.output, None, 0)?,
        })
    }

    /// The type in the words of the language. Objects go by their names.
    fn text(&self, def: &Def<'_, Ref>, level: usize) -> Result<String, Corrupt> {
        Ok(match def {
            Def::Any => "any".to_owned(),
            Def::Null => "null".to_owned(),
            Def::Bool => "bool".to_owned(),
            Def::Int { .. } => "int".to_owned(),
            Def::String(_) => "string".to_owned(),
            Def::StringLiteral(text) => escape_string(text),
            Def::Object(object) => object.name.to_string(),
            Def::Discriminated(object) => object.name.to_string(),
            Def::BuiltIn(kind) => built_in(*kind).to_owned(),
            Def::Array { .. } | Def::Union(_) if level >= MAX_TEXT_LEVELS => "…".to_owned(),
            Def::Array { item, .. } => {
                let item = self.catalogue.def(*item)?;
                match self.text(&item, level + 1)? {
                    text if matches!(item, Def::Union(_)) => format!("({text})[]"),
                    text => format!("{text}[]"),
                }
            }
            Def::Union(elements) => {
                let mut parts = Vec::new();
                for element in elements.iter().take(MAX_ALTERNATIVES) {
                    parts.push(self.text(&self.catalogue.def(*element)?, level + 1)?);
                }
                if elements.len() > MAX_ALTERNATIVES {
                    parts.push(format!("… {} more", elements.len() - MAX_ALTERNATIVES));
                }
                parts.join(" | ")
            }
        })
    }

    fn literals(&self, elements: &[Ref]) -> Result<Vec<String>, Corrupt> {
        let mut literals = Vec::new();
        for element in elements {
            if let Def::StringLiteral(text) = self.catalogue.def(*element)? {
                literals.push(text.into_owned());
            }
        }
        Ok(literals)
    }
}

/// Arrays of arrays and unions of unions end here.
const MAX_TEXT_LEVELS: usize = 8;

/// More alternatives are only counted; JSON has them all.
const MAX_ALTERNATIVES: usize = 12;

const REQUIRED: u8 = PropertyDef::<Ref>::REQUIRED;
const READ_ONLY: u8 = PropertyDef::<Ref>::READ_ONLY;

fn members(properties: &[PropertyDef<'_, Ref>]) -> impl Iterator<Item = (String, Ref)> {
    properties.iter().map(|property| (property.name.to_string(), property.ty))
}

/// Names in programs and words for people.
const FLAGS: [(u8, &str, &str); 5] = [
    (REQUIRED, "required", "required"),
    (READ_ONLY, "readOnly", "read-only"),
    (PropertyDef::<Ref>::WRITE_ONLY, "writeOnly", "write-only"),
    (PropertyDef::<Ref>::DEPLOY_TIME_CONSTANT, "deployTimeConstant", "known before deployment"),
    (PropertyDef::<Ref>::IDENTIFIER, "identifier", "identifier"),
];

fn limits(def: &Def<'_, Ref>) -> Vec<(&'static str, Value)> {
    let mut limits = Vec::new();
    let mut add = |name, value: Option<Value>| limits.extend(value.map(|value| (name, value)));
    match def {
        Def::Int { min, max } => {
            add("minValue", min.map(Value::from));
            add("maxValue", max.map(Value::from));
        }
        Def::String(StringDef { sensitive, min_length, max_length, pattern }) => {
            add("secure", sensitive.then_some(Value::Bool(true)));
            add("minLength", min_length.map(Value::from));
            add("maxLength", max_length.map(Value::from));
            add("pattern", pattern.as_deref().map(Value::from));
        }
        Def::Array { min_length, max_length, .. } => {
            add("minLength", min_length.map(Value::from));
            add("maxLength", max_length.map(Value::from));
        }
        Def::Object(object) => add("secure", object.sensitive.then_some(Value::Bool(true))),
        _ => {}
    }
    limits
}

fn built_in(kind: BuiltIn) -> &'static str {
    match kind {
        BuiltIn::Any => "any",
        BuiltIn::Null => "null",
        BuiltIn::Bool => "bool",
        BuiltIn::Int => "int",
        BuiltIn::String => "string",
        BuiltIn::Object => "object",
        BuiltIn::Array => "array",
        BuiltIn::ResourceRef => "resource",
    }
}

fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The tree as text.
pub(super) fn to_text(resource: &Resource) -> String {
    let mut text = format!("{}\n", resource.name);
    let mut place = |label: &str, scopes: &[&str]| {
        if !scopes.is_empty() {
            // Writing to a string cannot fail, here and below.
            let _ = writeln!(text, "{label}: {}", scopes.join(", "));
        }
    };
    match resource.readable == resource.writable {
        true => place("deployed to and found in", &resource.writable),
        false => {
            place("deployed to", &resource.writable);
            place("found in", &resource.readable);
        }
    }
    if let Some(body) = &resource.body {
        if body.text != resource.type_name || !body.limits.is_empty() {
            let _ = writeln!(text, "{}", summary(body, &[]));
        }
        write_inside(&mut text, body, "");
    }
    for function in &resource.functions {
        let parameters = function.parameters.iter().map(|(name, node)| format!("{name}: {}", node.text));
        let parameters = parameters.collect::<Vec<_>>().join(", ");
        let _ = writeln!(text, "{}({parameters}): {}", function.name, function.output.text);
        if let Some(description) = &function.description {
            write_wrapped(&mut text, description, "    ");
        }
    }
    text
}

/// What is in a type, below the line that names it.
fn write_inside(text: &mut String, node: &Node, indent: &str) {
    let (properties, additional, variants) = match &node.shape {
        Shape::Leaf | Shape::Cut | Shape::Repeated => return,
        Shape::Array(item) => return write_inside(text, item, indent),
        Shape::Object { properties, additional, variants } => (properties, additional, variants),
    };
    let variants = variants.as_ref().map_or(&[][..], |(_, variants)| variants);
    let count = properties.len() + usize::from(additional.is_some()) + variants.len();
    let mut done = 0;
    let mut branch = |text: &mut String, line: String, description: Option<&String>, node: &Node| {
        done += 1;
        let (knot, below) = if done == count { ("└─", "   ") } else { ("├─", "│  ") };
        let _ = writeln!(text, "{indent}{knot} {line}");
        let indent = format!("{indent}{below}");
        if let Some(description) = description {
            let bar = if matches!(inner(node).shape, Shape::Object { .. }) { "│   " } else { "    " };
            write_wrapped(text, description, &format!("{indent}{bar}"));
        }
        write_inside(text, node, &indent);
    };
    for member in properties {
        let words = FLAGS.iter().filter(|(bit, ..)| member.flags & bit != 0).map(|(_, _, word)| *word);
        let line = format!("{}: {}", member.name, summary(&member.node, &words.collect::<Vec<_>>()));
        branch(text, line, member.description.as_ref(), &member.node);
    }
    if let Some(additional) = additional {
        branch(text, format!("*: {}", summary(additional, &[])), None, additional);
    }
    if let Shape::Object { variants: Some((discriminator, variants)), .. } = &node.shape {
        for (name, variant) in variants {
            branch(
                text,
                format!("if {discriminator} == {}: {}", escape_string(name), summary(variant, &[])),
                None,
                variant,
            );
        }
    }
}

/// What an array is made of.
fn inner(node: &Node) -> &Node {
    match &node.shape {
        Shape::Array(item) => inner(item),
        _ => node,
    }
}

/// The type with what else there is to know about its values.
fn summary(node: &Node, flags: &[&str]) -> String {
    let mut text = node.text.clone();
    match inner(node).shape {
        Shape::Cut => text.push_str(" {…}"),
        Shape::Repeated => text.push_str(" {as above}"),
        _ => {}
    }
    let item = inner(node);
    let limits = if std::ptr::eq(item, node) { None } else { Some(&item.limits) };
    let mut words: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
    for (name, value) in node.limits.iter().chain(limits.into_iter().flatten()) {
        words.push(match (*name, value) {
            ("secure", _) => "secure".to_owned(),
            ("pattern", Value::String(pattern)) => format!("pattern {pattern}"),
            ("minValue" | "minLength", value) => {
                format!("{} {value}", if *name == "minValue" { "min" } else { "min length" })
            }
            (name, value) => format!("{} {value}", if name == "maxValue" { "max" } else { "max length" }),
        });
    }
    if !words.is_empty() {
        let _ = write!(text, " ({})", words.join(", "));
    }
    text
}

/// Breaks a text at blanks, so that lines can be read.
fn write_wrapped(text: &mut String, words: &str, indent: &str) {
    let width = LINE_WIDTH.saturating_sub(indent.chars().count()).max(MIN_WIDTH);
    let mut line = String::new();
    for word in words.split(' ') {
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width {
            let _ = writeln!(text, "{indent}{line}");
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    let _ = writeln!(text, "{indent}{line}");
}

const LINE_WIDTH: usize = 110;
const MIN_WIDTH: usize = 40;

/// The tree for programs.
pub(super) fn to_json(resource: &Resource) -> Value {
    let mut object = Map::new();
    object.insert("type".to_owned(), json!(resource.name));
    object.insert("readableScopes".to_owned(), json!(resource.readable));
    object.insert("writableScopes".to_owned(), json!(resource.writable));
    if let Some(body) = &resource.body {
        object.insert("body".to_owned(), node_json(body));
    }
    let functions = resource.functions.iter().map(|function| {
        let parameters = function.parameters.iter().map(|(name, node)| json!({ "name": name, "type": node.text }));
        json!({ "name": function.name, "parameters": parameters.collect::<Vec<_>>(), "output": function.output.text })
    });
    object.insert("functions".to_owned(), functions.collect());
    Value::Object(object)
}

fn node_json(node: &Node) -> Value {
    let mut object = Map::new();
    let mut set = |name: &str, value: Value| object.insert(name.to_owned(), value);
    set("type", json!(node.text));
    for (name, value) in &node.limits {
        set(name, value.clone());
    }
    if !node.literals.is_empty() {
        set("literals", json!(node.literals));
    }
    match &node.shape {
        Shape::Leaf => {}
        Shape::Cut => drop(set("isCut", Value::Bool(true))),
        Shape::Repeated => drop(set("isRepeated", Value::Bool(true))),
        Shape::Array(item) => drop(set("items", node_json(item))),
        Shape::Object { properties, additional, variants } => {
            set(
                "properties",
                properties.iter().map(|member| (member.name.clone(), member_json(member))).collect(),
            );
            if let Some(additional) = additional {
                set("additionalProperties", node_json(additional));
            }
            if let Some((discriminator, variants)) = variants {
                set("discriminator", json!(discriminator));
                set(
                    "variants",
                    variants.iter().map(|(name, node)| (name.clone(), node_json(node))).collect(),
                );
            }
        }
    }
    Value::Object(object)
}

fn member_json(member: &Member) -> Value {
    let mut value = node_json(&member.node);
    if let Value::Object(object) = &mut value {
        let flags = FLAGS.iter().filter(|(bit, ..)| member.flags & bit != 0).map(|(_, name, _)| *name);
        object.insert("flags".to_owned(), flags.collect());
        if let Some(description) = &member.description {
            object.insert("description".to_owned(), json!(description));
        }
    }
    value
}
