//! The values that templates work with. They are shared, so that handing a large one on costs nothing.

use std::fmt::Write as _;
use std::sync::Arc;

use indexmap::IndexMap;
use serde_json::Value as Json;

use super::ast::Function;

/// Members by name, in order.
pub type Object = IndexMap<String, Value>;

#[derive(Debug, Clone, Default)]
pub enum Value {
    /// Nothing; it prints as nothing.
    #[default]
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// Any other number.
    Float(f64),
    Text(Arc<str>),
    /// Values in order.
    List(Arc<Vec<Value>>),
    /// Values by name.
    Object(Arc<Object>),
    /// A function of the template.
    Function(Arc<Function>),
}

impl Value {
    pub fn text(text: &str) -> Self {
        Self::Text(text.into())
    }

    /// A text, or nothing.
    pub fn optional(text: Option<&str>) -> Self {
        text.map_or(Self::Null, Self::text)
    }

    pub fn list(items: impl IntoIterator<Item = Self>) -> Self {
        Self::List(Arc::new(items.into_iter().collect()))
    }

    pub fn object<'a>(members: impl IntoIterator<Item = (&'a str, Self)>) -> Self {
        Self::Object(Arc::new(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()))
    }

    /// A JSON value.
    pub fn of(json: &Json) -> Self {
        match json {
            Json::Null => Self::Null,
            Json::Bool(flag) => Self::Bool(*flag),
            Json::Number(number) => {
                number.as_i64().map_or_else(|| Self::Float(number.as_f64().unwrap_or_default()), Self::Int)
            }
            Json::String(text) => Self::text(text),
            Json::Array(items) => Self::list(items.iter().map(Self::of)),
            Json::Object(members) => {
                Self::object(members.iter().map(|(name, value)| (name.as_str(), Self::of(value))))
            }
        }
    }

    /// The value as JSON.
    pub(crate) fn to_json(&self) -> Json {
        match self {
            Self::Null | Self::Function(_) => Json::Null,
            Self::Bool(flag) => (*flag).into(),
            Self::Int(number) => (*number).into(),
            Self::Float(number) => (*number).into(),
            Self::Text(text) => text.as_ref().into(),
            Self::List(items) => items.iter().map(Self::to_json).collect(),
            Self::Object(members) => {
                Json::Object(members.iter().map(|(name, value)| (name.clone(), value.to_json())).collect())
            }
        }
    }

    /// Only `null` and `false` do not hold.
    pub(crate) fn is_true(&self) -> bool {
        !matches!(self, Self::Null | Self::Bool(false))
    }

    pub(crate) fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The value as it is printed.
    pub(crate) fn print(&self) -> String {
        match self {
            Self::Text(text) => text.to_string(),
            Self::Null | Self::Function(_) => String::new(),
            other => {
                let mut text = String::new();
                other.write(&mut text);
                text
            }
        }
    }

    /// Inside of lists and objects texts have quotes.
    fn write(&self, into: &mut String) {
        // Writing to a string cannot fail.
        match self {
            Self::Null | Self::Function(_) => into.push_str("null"),
            Self::Bool(flag) => into.push_str(if *flag { "true" } else { "false" }),
            Self::Int(number) => {
                let _ = write!(into, "{number}");
            }
            Self::Float(number) => {
                let _ = write!(into, "{number:?}");
            }
            Self::Text(text) => {
                let _ = write!(into, "\"{text}\"");
            }
            Self::List(items) => {
                into.push('[');
                for (index, item) in items.iter().enumerate() {
                    into.push_str(if index == 0 { "" } else { ", " });
                    item.write(into);
                }
                into.push(']');
            }
            Self::Object(members) => {
                into.push('{');
                for (index, (name, value)) in members.iter().enumerate() {
                    let _ = write!(into, "{}{name}: ", if index == 0 { "" } else { ", " });
                    value.write(into);
                }
                into.push('}');
            }
        }
    }

    /// The kind of the value, as `object.typeof` names it.
    pub(crate) fn kind(&self) -> Option<&'static str> {
        match self {
            Self::Null => None,
            Self::Bool(_) => Some("boolean"),
            Self::Int(_) | Self::Float(_) => Some("number"),
            Self::Text(_) => Some("string"),
            Self::List(_) => Some("array"),
            Self::Object(_) | Self::Function(_) => Some("object"),
        }
    }

    pub(crate) fn as_float(&self) -> Option<f64> {
        match self {
            #[expect(clippy::cast_precision_loss, reason = "arithmetic with fractions is inexact anyway")]
            Self::Int(number) => Some(*number as f64),
            Self::Float(number) => Some(*number),
            _ => None,
        }
    }

    /// The items of a list; none of anything else.
    pub(crate) fn items(&self) -> &[Self] {
        match self {
            Self::List(items) => items,
            _ => &[],
        }
    }
}
