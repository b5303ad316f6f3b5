//! JSON values of the template → values of Bicep. Texts may be expressions; `copy` in an object makes loops.

use json::{Kind, Member, Node, Object};
use serde_json::Number;

use crate::copy_loop::LoopIndex;
use crate::failure::{Failure, Result};
use crate::messages;
use crate::strings;
use crate::syntax::{self, Interpolated, Key, Property, Syntax};
use crate::template::Converter;
use crate::tree;

impl Converter<'_> {
    pub(crate) fn value(&mut self, node: &Node) -> Result<Syntax> {
        base::recurse(|| match &node.value {
            Kind::Null => Ok(Syntax::Other("null".to_owned())),
            Kind::Bool(value) => Ok(Syntax::Other(value.to_string())),
            Kind::Number(number) => number_of(number),
            Kind::String(text) => self.text(text).map_err(|failure| failure.or_at(node)),
            Kind::Array(items) => {
                let items: Result<Vec<Syntax>> = items.iter().map(|item| self.value(item)).collect();
                Ok(Syntax::Array(items?))
            }
            Kind::Object(object) => self.object(object),
        })
    }

    /// A text, which may be an expression.
    fn text(&mut self, text: &str) -> Result<Syntax> {
        if !strings::is_expression(text) {
            return Ok(Syntax::text(text));
        }
        match self.expressions.parse(text) {
            Ok(expr) => self.expression(&expr),
            Err(failure) if self.options.is_exact => Err(failure),
            Err(_) => {
                Ok(Syntax::Other(format!("{} {}", syntax::quoted(text), messages::EXPRESSION_TO_CHECK)))
            }
        }
    }

    fn object(&mut self, object: &Object) -> Result<Syntax> {
        let mut properties = Vec::with_capacity(object.len());
        for member in object {
            match member.value.as_array().filter(|_| member.key == "copy") {
                Some(copies) => {
                    for copy in copies {
                        properties.push(self.property_loop(copy)?);
                    }
                }
                None => properties.push(self.property(member)?),
            }
        }
        Ok(Syntax::Object(properties))
    }

    fn property(&mut self, member: &Member) -> Result<Property> {
        if !strings::is_expression(&member.key) {
            let key = Key::Name(member.key.as_str().into());
            return Ok(Property {
                key,
                is_quoted: !self.options.is_exact,
                value: self.value(&member.value)?,
            });
        }
        let at = |failure: Failure| match failure.at {
            None => Failure::at_member(member, failure.message),
            Some(_) => failure,
        };
        let key = Key::Computed(Interpolated::of(self.text(&member.key).map_err(at)?));
        Ok(Property { key, is_quoted: false, value: self.value(&member.value)? })
    }

    pub(crate) fn property_loop(&mut self, copy: &Node) -> Result<Property> {
        if copy.as_object().is_none() {
            return Err(Failure::at(copy, messages::COPY_EXPECTED));
        }
        let name = tree::to_text(tree::required(copy, "name", messages::copy_lacks("name"))?);
        let count = tree::required(copy, "count", messages::copy_lacks("count"))?;
        let input = tree::required(copy, "input", messages::copy_lacks("input"))?;
        let index = LoopIndex { variable: "j", name: &name };
        let value = self.repeat(input, count, index, Self::value)?;
        Ok(Property::new(&name, value))
    }
}

/// Whole numbers as such; the language has no fractions of its own.
fn number_of(number: &Number) -> Result<Syntax> {
    if let Some(value) = number.as_i64() {
        return Ok(Syntax::Other(value.to_string()));
    }
    if number.is_u64() {
        return Err(Failure::new("Value was either too large or too small for an Int64."));
    }
    Ok(syntax::call("json", &[Syntax::text(&number.to_string())]))
}
