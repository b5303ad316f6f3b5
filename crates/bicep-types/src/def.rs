//! Published type definitions as plain data: what a types file says and what a catalogue gives back.
//!
//! `R` is how one definition refers to another: a position in a file when reading a package, a [`crate::catalogue::Ref`]
//! when reading a catalogue.

use std::borrow::Cow;

/// Text that is borrowed from the file or catalogue where possible.
pub type Text<'a> = Cow<'a, str>;

/// The definition of a type of values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Def<'a, R> {
    /// Any value.
    Any,
    /// `null`
    Null,
    /// A boolean.
    Bool,
    /// An integer within bounds.
    Int {
        /// The smallest value.
        min: Option<i64>,
        /// The largest value.
        max: Option<i64>,
    },
    String(StringDef<'a>),
    /// One string.
    StringLiteral(Text<'a>),
    /// Any number of items.
    Array {
        /// What they are.
        item: R,
        /// How many at least.
        min_length: Option<i64>,
        /// How many at most.
        max_length: Option<i64>,
    },
    /// One of several types.
    Union(Vec<R>),
    /// Named properties.
    Object(ObjectDef<'a, R>),
    /// One of several objects, told apart by a property.
    Discriminated(DiscriminatedDef<'a, R>),
    /// A kind that only old packages use.
    BuiltIn(BuiltIn),
}

/// The definition of a string.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StringDef<'a> {
    /// Whether it is a secret.
    pub sensitive: bool,
    /// The smallest length.
    pub min_length: Option<i64>,
    /// The largest length.
    pub max_length: Option<i64>,
    /// A regular expression.
    pub pattern: Option<Text<'a>>,
}

/// The definition of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectDef<'a, R> {
    pub name: Text<'a>,
    pub properties: Vec<PropertyDef<'a, R>>,
    /// What further properties are, if they are allowed.
    pub additional: Option<R>,
    /// Whether it is a secret.
    pub sensitive: bool,
}

/// The definition of an object with alternatives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiscriminatedDef<'a, R> {
    pub name: Text<'a>,
    /// The property that tells the alternatives apart.
    pub discriminator: Text<'a>,
    /// The properties of all alternatives.
    pub base: Vec<PropertyDef<'a, R>>,
    /// The alternatives by name, each an object.
    pub elements: Vec<(Text<'a>, R)>,
}

/// The definition of a property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PropertyDef<'a, R> {
    pub name: Text<'a>,
    /// What its value is.
    pub ty: R,
    /// A set of [`PropertyDef::REQUIRED`] and its kin.
    pub flags: u8,
    /// Words for the editor. A catalogue gives them only when asked.
    pub description: Option<Text<'a>>,
}

impl<R> PropertyDef<'_, R> {
    /// It must be given.
    pub const REQUIRED: u8 = 1;
    /// It must not be given.
    pub const READ_ONLY: u8 = 2;
    /// It must not be read.
    pub const WRITE_ONLY: u8 = 4;
    /// Only values known at the start of the deployment may be given.
    pub const DEPLOY_TIME_CONSTANT: u8 = 8;
    /// It is part of the identity of the resource.
    pub const IDENTIFIER: u8 = 16;
    /// All flags there are.
    pub const ALL: u8 = 31;
}

/// Kinds that only old packages use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BuiltIn {
    /// Any value.
    Any = 1,
    /// `null`
    Null,
    /// A boolean.
    Bool,
    /// An integer.
    Int,
    String,
    /// Any object.
    Object,
    /// Any array.
    Array,
    /// A resource or module.
    ResourceRef,
}

impl BuiltIn {
    /// The kind with this number.
    pub fn from_number(number: u64) -> Option<Self> {
        use BuiltIn::{Any, Array, Bool, Int, Null, Object, ResourceRef, String};
        let all = [Any, Null, Bool, Int, String, Object, Array, ResourceRef];
        all.into_iter().find(|kind| *kind as u64 == number)
    }
}

/// Scopes as published: a set of [`scope::TENANT`] and its kin.
pub mod scope {
    pub const TENANT: u8 = 1;
    pub const MANAGEMENT_GROUP: u8 = 2;
    pub const SUBSCRIPTION: u8 = 4;
    pub const RESOURCE_GROUP: u8 = 8;
    /// Another resource.
    pub const EXTENSION: u8 = 16;
    /// All of them.
    pub const ALL: u8 = 31;
}

/// The definition of a resource type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceDef<'a, R> {
    /// `Type@version`
    pub name: Text<'a>,
    /// What it looks like.
    pub body: R,
    /// Where it can be found.
    pub readable_scopes: u8,
    /// Where it can be deployed.
    pub writable_scopes: u8,
    /// What can be called on it.
    pub methods: Vec<MethodDef<'a, R>>,
}

/// A function of a resource type, declared with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MethodDef<'a, R> {
    pub name: Text<'a>,
    /// Words for the editor.
    pub description: Option<Text<'a>>,
    /// What it takes.
    pub parameters: Vec<ParameterDef<'a, R>>,
    /// What it gives.
    pub output: R,
}

/// A parameter of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParameterDef<'a, R> {
    pub name: Text<'a>,
    /// What it takes.
    pub ty: R,
    /// 1 required, 2 compile-time constant, 4 deploy-time constant. Methods do not use it.
    pub flags: u8,
    /// Words for the editor.
    pub description: Option<Text<'a>>,
}

/// A function of a resource type, declared beside it, such as `listKeys`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceFunctionDef<'a, R> {
    pub name: Text<'a>,
    /// The type that it is called on.
    pub resource_type: Text<'a>,
    /// The version of that type.
    pub api_version: Text<'a>,
    /// What it gives.
    pub output: R,
    /// What it takes.
    pub input: Option<R>,
}

/// A function of a namespace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamespaceFunctionDef<'a, R> {
    pub name: Text<'a>,
    /// Words for the editor.
    pub description: Option<Text<'a>>,
    /// The template expression that a call is replaced by.
    pub expression: Option<Text<'a>>,
    /// What it takes.
    pub parameters: Vec<ParameterDef<'a, R>>,
    /// What it gives.
    pub output: R,
    /// The only kind of file that may use it.
    pub visible_in: Option<FileKind>,
}

/// A kind of source file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FileKind {
    /// `.bicep`
    Bicep = 1,
    /// `.bicepparam`
    Params = 2,
}

/// What a package says about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings<'a, R> {
    /// The name of the namespace.
    pub name: Text<'a>,
    pub version: Text<'a>,
    /// Whether a file may declare it only once.
    pub is_singleton: bool,
    /// Whether it may still change.
    pub is_preview: bool,
    /// Whether it should not be used any more.
    pub is_deprecated: bool,
    /// What is given in `with {…}`.
    pub configuration: Option<R>,
}

/// Anything that stands in a types file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry<'a, R> {
    /// A type of values.
    Type(Def<'a, R>),
    /// A resource type. Its methods are looked up in the same file.
    Resource(ResourceDef<'a, R>),
    /// A function of a resource type.
    ResourceFunction(ResourceFunctionDef<'a, R>),
    /// The signature of a method.
    Function {
        /// What it takes.
        parameters: Vec<ParameterDef<'a, R>>,
        /// What it gives.
        output: R,
    },
    /// A function of a namespace.
    NamespaceFunction(NamespaceFunctionDef<'a, R>),
}
