//! Values of the source language on their way into a template: literals stay JSON, everything else is an expression.

use std::rc::Rc;

use base::TextRange;
use bicep_sema::SymbolId;
use bicep_types::ty::ResourceReference;

use crate::code::Code;
use crate::locals::Locals;

/// A translated expression.
#[derive(Debug, Clone)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    Int(i64),
    Text(String),
    Array(Vec<Self>),
    /// An item of an array, and where it was written.
    Item(TextRange, Box<Self>),
    Object(Members),
    /// `[for …]` as the value of a declaration or a property.
    Loop(Box<Loop>),
    /// What is only known when the template is deployed.
    Code(Code),
    /// A resource, or all of a collection of them.
    Resource(Reference),
    /// A module, or all of a collection of them.
    Module(Reference),
    /// A resource that was handed in, or that a module gives: only its id and its type are known.
    ById(Box<ById>),
}

/// A resource of which only the id and the type are known.
#[derive(Debug, Clone)]
pub(crate) struct ById {
    pub(crate) id: Code,
    pub(crate) name: Code,
    pub(crate) ty: ResourceReference,
    /// Whether it is an output of a module, which as a whole stands for its id.
    pub(crate) is_output: bool,
}

impl ById {
    pub(crate) fn new(id: Code, ty: ResourceReference) -> Self {
        let name = Code::call("last", [Code::call("split", [id.clone(), Code::text("/")])]);
        Self { id, name, ty, is_output: false }
    }
}

/// Properties of an object in order.
pub(crate) type Members = Vec<Member>;

/// A property of an object.
#[derive(Debug, Clone)]
pub(crate) struct Member {
    pub(crate) key: Key,
    pub(crate) value: Value,
    /// Where it was written.
    pub(crate) range: Option<TextRange>,
}

/// The key of a property.
#[derive(Debug, Clone)]
pub(crate) enum Key {
    Name(String),
    Computed(Code),
}

/// `[for item in source: body]`
#[derive(Debug, Clone)]
pub(crate) struct Loop {
    pub(crate) source: Value,
    pub(crate) body: Value,
}

/// A resource or module that an expression refers to.
#[derive(Debug, Clone)]
pub(crate) struct Reference {
    pub(crate) symbol: SymbolId,
    /// Which one of a collection.
    pub(crate) index: Option<Rc<Indexed>>,
}

/// How one of a collection is referred to.
#[derive(Debug)]
pub(crate) struct Indexed {
    pub(crate) index: Code,
    /// What the variables of the collection's loop stand for.
    pub(crate) locals: Locals,
}

impl Value {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    pub(crate) fn object(members: impl IntoIterator<Item = (&'static str, Self)>) -> Self {
        Self::Object(members.into_iter().map(|(name, value)| Member::new(name, value)).collect())
    }
}

impl Member {
    pub(crate) fn new(name: impl Into<String>, value: Value) -> Self {
        Self { key: Key::Name(name.into()), value, range: None }
    }
}

impl Key {
    pub(crate) fn is(&self, name: &str) -> bool {
        matches!(self, Self::Name(own) if own == name)
    }
}

/// Sets a property: objects are merged, anything else is replaced, what is new comes last.
pub(crate) fn merge(members: &mut Members, name: &str, value: Value) {
    match members.iter_mut().find(|member| member.key.is(name)) {
        Some(Member { value: Value::Object(old), .. }) if matches!(value, Value::Object(_)) => {
            let Value::Object(new) = value else { return };
            for member in new {
                if let Key::Name(name) = &member.key {
                    merge(old, &name.clone(), member.value);
                }
            }
        }
        Some(member) => member.value = value,
        None => members.push(Member::new(name, value)),
    }
}
