//! The type language of parameters, outputs and definitions.

use base::TextRange;
use smol_str::SmolStr;

use super::{Names, Term};
use crate::document::Node;
use crate::value::Value;

/// A type: what values are allowed. Everything is optional; what is absent does not restrict.
#[derive(Debug, Default)]
pub struct TypeNode {
    pub range: TextRange,
    /// The kind of value.
    pub primitive: Option<Primitive>,
    /// Whether the value is a secret.
    pub secure: bool,
    /// Another type that this one is, as a JSON pointer with `#`.
    pub reference: Option<SmolStr>,
    /// Whether `null` is allowed.
    pub nullable: Option<bool>,
    /// The only values allowed.
    pub allowed: Option<Vec<Value>>,
    /// The smallest number.
    pub min_value: Option<i64>,
    /// The largest number.
    pub max_value: Option<i64>,
    /// The fewest characters or items.
    pub min_length: Option<i64>,
    /// The most characters or items.
    pub max_length: Option<i64>,
    /// Types of the first items.
    pub prefix_items: Option<Vec<TypeNode>>,
    /// Type of the other items.
    pub items: Option<Items>,
    /// Types of members.
    pub properties: Option<Names<TypeNode>>,
    /// Type of the other members.
    pub additional: Option<Additional>,
    /// Types chosen by the value of one member.
    pub discriminator: Option<Box<Discriminator>>,
    /// Lambdas that must give true.
    pub validate: Option<LambdaConstraint>,
    /// Functions that must give success.
    pub constraints: Vec<UserConstraint>,
}

impl TypeNode {
    /// Interprets a document as a type.
    pub fn of(document: &Node) -> Self {
        super::read::type_node(document)
    }

    /// Whether it says more than of which kind a value is.
    pub(crate) fn is_refined(&self) -> bool {
        let bounds = [self.min_value, self.max_value, self.min_length, self.max_length];
        bounds.iter().any(Option::is_some)
            || self.allowed.is_some()
            || self.prefix_items.is_some()
            || self.items.is_some()
            || self.properties.is_some()
            || self.additional.is_some()
            || self.discriminator.is_some()
            || self.validate.is_some()
            || !self.constraints.is_empty()
    }

    /// The types of its parts: items, members, variants.
    pub fn parts(&self) -> impl Iterator<Item = &Self> {
        let first = self.prefix_items.iter().flatten();
        let items = self.items.iter().filter_map(|items| match items {
            Items::Of(item) => Some(&**item),
            Items::None => None,
        });
        let members = self.properties.iter().flat_map(Names::iter).map(|(_, member)| member);
        let others = self.additional.iter().filter_map(|additional| match additional {
            Additional::Of(other) => Some(&**other),
            Additional::None => None,
        });
        let variants = self.discriminator.iter().flat_map(|it| it.mapping.iter()).map(|(_, variant)| variant);
        first.chain(items).chain(members).chain(others).chain(variants)
    }
}

/// The kinds of values that types name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Primitive {
    /// `string`, `securestring`
    String,
    /// `int`
    Int,
    /// `bool`
    Bool,
    /// `object`, `secureObject`
    Object,
    /// `array`
    Array,
}

impl Primitive {
    /// The name in the capitals of the API's answers.
    pub const fn name(self) -> &'static str {
        match self {
            Self::String => "String",
            Self::Int => "Int",
            Self::Bool => "Bool",
            Self::Object => "Object",
            Self::Array => "Array",
        }
    }
}

/// What may follow the first items.
#[derive(Debug)]
pub enum Items {
    /// Nothing.
    None,
    /// Items of one type.
    Of(Box<TypeNode>),
}

/// What members there may be besides those declared.
#[derive(Debug)]
pub enum Additional {
    None,
    /// Any of one type.
    Of(Box<TypeNode>),
}

/// Types chosen by the value of one member.
#[derive(Debug)]
pub struct Discriminator {
    /// The member.
    pub property: SmolStr,
    /// Its values, each with a type.
    pub mapping: Names<TypeNode>,
}

/// `"validate": [lambda, message]`
#[derive(Debug)]
pub struct LambdaConstraint {
    pub range: TextRange,
    pub lambda: Term,
    /// What is said when it gives false.
    pub message: Option<Term>,
}

/// `"userDefinedConstraint": {namespace, name, additionalArguments}`
#[derive(Debug)]
pub struct UserConstraint {
    pub range: TextRange,
    /// The namespace of the function.
    pub namespace: Option<SmolStr>,
    /// The name of the function.
    pub name: Option<SmolStr>,
    /// What follows the value in the call.
    pub arguments: Vec<Term>,
}
