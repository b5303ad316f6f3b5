//! Types of a template (language version 2.0) → types of Bicep: `definitions`, and what parameters, outputs and functions say of their values.

use json::{Kind, Node};

use crate::failure::Result;
use crate::names::NameKind;
use crate::syntax;
use crate::template::Converter;
use crate::tree;

/// A type, and the decorators that it needs where it is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TypeSyntax {
    /// Each on a line of its own.
    pub(crate) decorators: String,
    pub(crate) text: String,
}

const DEFINITIONS: &str = "#/definitions/";

/// How deeply types may be nested.
const DEEPEST: usize = 64;

impl Converter<'_> {
    /// A definition of a type.
    pub(crate) fn definition(&mut self, out: &mut String, name: &str, node: &Node) -> Result<()> {
        let Some(identifier) = self.names.lookup(NameKind::Type, name) else { return Ok(()) };
        let ty = self.type_syntax(node, 0)?;
        let description = self.description(node)?;
        out.extend([export(node), &description, &ty.decorators, "type ", &identifier, " = ", &ty.text]);
        Ok(())
    }

    /// The type of a value.
    pub(crate) fn type_syntax(&mut self, node: &Node, depth: usize) -> Result<TypeSyntax> {
        let mut made = self.type_without_null(node, depth)?;
        if node.get("nullable").and_then(Node::as_bool) == Some(true) {
            made.text = format!("{}?", grouped(&made.text));
        }
        Ok(made)
    }

    fn type_without_null(&mut self, node: &Node, depth: usize) -> Result<TypeSyntax> {
        let plain = |text: String| TypeSyntax { decorators: String::new(), text };
        if depth > DEEPEST {
            return Ok(plain("object".to_owned()));
        }
        if let Some(text) = node.get("$ref").and_then(Node::as_str).and_then(|it| self.referred(it)) {
            return Ok(plain(text));
        }
        let mut decorators = self.limits(node)?;
        if let Some(discriminator) = node.get("discriminator") {
            let mapping = discriminator.get("mapping").and_then(Node::as_object);
            let mut variants = Vec::new();
            for member in mapping.into_iter().flat_map(|mapping| mapping.iter()) {
                variants.push(self.type_syntax(&member.value, depth + 1)?.text);
            }
            let property = discriminator.get("propertyName").map(tree::to_text).unwrap_or_default();
            decorators.push_str(&format!("@discriminator({})\n", syntax::quoted(&property)));
            return Ok(TypeSyntax { decorators, text: variants.join(" | ") });
        }
        let name = node.get("type").map(tree::to_text).unwrap_or_default().to_lowercase();
        if name.starts_with("secure") {
            decorators.push_str("@secure()\n");
        }
        let text = match name.trim_start_matches("secure") {
            "array" => self.array_type(node, depth)?,
            "object" => {
                if node.get("additionalProperties").and_then(Node::as_bool) == Some(false) {
                    decorators.push_str("@sealed()\n");
                }
                self.object_type(node, depth)?
            }
            name => match literals(node) {
                Some(union) => union,
                None if name.is_empty() => "object".to_owned(),
                None => name.to_owned(),
            },
        };
        Ok(TypeSyntax { decorators, text })
    }

    /// The type that a pointer into the definitions means.
    fn referred(&self, pointer: &str) -> Option<String> {
        let mut steps = pointer.strip_prefix(DEFINITIONS)?.split('/');
        let name = steps.next()?.replace("~1", "/").replace("~0", "~");
        let mut text = self.names.lookup(NameKind::Type, &name)?;
        while let Some(step) = steps.next() {
            text.push_str(&match step {
                "properties" => format!(".{}", steps.next()?),
                "items" => "[*]".to_owned(),
                "additionalProperties" => ".*".to_owned(),
                "prefixItems" => format!("[{}]", steps.next()?),
                _ => return None,
            });
        }
        Some(text)
    }

    fn array_type(&mut self, node: &Node, depth: usize) -> Result<String> {
        if let Some(first) = node.get("prefixItems").and_then(Node::as_array) {
            let mut text = String::from("[");
            for item in first {
                let item = self.type_syntax(item, depth + 1)?;
                text.push_str(&format!("\n{}{}", item.decorators, item.text));
            }
            text.push_str("\n]");
            return Ok(text);
        }
        if let Some(items) = node.get("items").filter(|items| items.as_object().is_some()) {
            return Ok(format!("{}[]", grouped(&self.type_syntax(items, depth + 1)?.text)));
        }
        Ok(match literals(node) {
            Some(union) => format!("{}[]", grouped(&union)),
            None => "array".to_owned(),
        })
    }

    fn object_type(&mut self, node: &Node, depth: usize) -> Result<String> {
        let members = node.get("properties").and_then(Node::as_object);
        let others = node.get("additionalProperties").filter(|it| it.as_object().is_some());
        if members.is_none() && others.is_none() {
            return Ok("object".to_owned());
        }
        let mut text = String::from("{");
        for member in members.into_iter().flat_map(|members| members.iter()) {
            let ty = self.type_syntax(&member.value, depth + 1)?;
            let description = self.description(&member.value)?;
            let name = match base::spelling::is_identifier(&member.key) {
                true => member.key.clone(),
                false => syntax::quoted(&member.key),
            };
            text.push_str(&format!("\n{description}{}{name}: {}", ty.decorators, ty.text));
        }
        if let Some(others) = others {
            let ty = self.type_syntax(others, depth + 1)?;
            let description = self.description(others)?;
            text.push_str(&format!("\n{description}{}*: {}", ty.decorators, ty.text));
        }
        text.push_str("\n}");
        Ok(text)
    }

    /// Lengths and bounds.
    fn limits(&mut self, node: &Node) -> Result<String> {
        let mut decorators = String::new();
        for name in ["minValue", "maxValue", "minLength", "maxLength"] {
            if let Some(value) = node.get(name) {
                decorators.push_str(&format!("@{name}({})\n", self.value(value)?.print()));
            }
        }
        Ok(decorators)
    }
}

/// `@export()` for what says that it was exported.
pub(crate) fn export(node: &Node) -> &'static str {
    let is_exported =
        tree::nested(node, &["metadata", "__bicep_export!"]).is_some_and(|it| it.as_bool() == Some(true));
    if is_exported { "@export()\n" } else { "" }
}

/// Whether a parameter or output says more of its values than the name of a type.
pub(crate) fn is_rich(node: &Node) -> bool {
    ["$ref", "nullable", "items", "prefixItems", "properties", "additionalProperties", "discriminator"]
        .iter()
        .any(|name| node.get(name).is_some())
}

/// The allowed values as a union; nothing where they are not literals.
fn literals(node: &Node) -> Option<String> {
    let values = node.get("allowedValues")?.as_array().filter(|values| !values.is_empty())?;
    let literal = |value: &Node| match &value.value {
        Kind::String(text) => Some(syntax::quoted(text)),
        Kind::Number(number) => number.as_i64().map(|it| it.to_string()),
        Kind::Bool(value) => Some(value.to_string()),
        Kind::Null => Some("null".to_owned()),
        Kind::Array(_) | Kind::Object(_) => None,
    };
    let values: Option<Vec<String>> = values.iter().map(literal).collect();
    Some(values?.join(" | "))
}

fn grouped(text: &str) -> String {
    let is_union = text.contains(" | ") && !text.starts_with(['{', '[']);
    if is_union || text.ends_with('?') { format!("({text})") } else { text.to_owned() }
}
