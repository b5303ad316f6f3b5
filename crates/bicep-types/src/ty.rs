//! The type algebra: [`Type`] values come in, answers about them go out.
//!
//! A [`Type`] is a shared, immutable handle. Parts of a type (a property, an item, a body) may be *deferred*: they are
//! computed when somebody looks into them, so a resource with a thousand properties costs nothing until then, and a type
//! may contain itself. [`Type::kind`] looks through the deferral; nobody else has to know.
//!
//! Two types are equal when the reference implementation takes them for the same: primitives, literals, arrays, tuples
//! and unions by content, everything with a declaration (objects, resources, modules, lambdas) by identity.

use std::hash::{Hash, Hasher};
use std::sync::{Arc, LazyLock};

use base::{Diagnostic, SmolStr};

mod access;
mod alternatives;
mod assign;
mod collapse;
mod deferred;
mod display;
mod flags;
mod function;
mod identical;
mod literal;
mod object;
mod pattern;
mod resource;
mod union;

pub use alternatives::Alternatives;
pub use assign::{assignable, assignable_if_not_null, conforms};
pub use collapse::{collapse, collapse_or_union};
pub use display::{escape_property_name, escape_string, object_name, push_escaped, tuple_name};
pub use flags::{FunctionFlags, ParameterFlags, PropertyFlags, ResourceFlags, Scopes, TypeFlags};
pub use function::{Arity, FunctionName, LambdaType, Overload, Parameter, VariadicParameter};
pub use literal::remove_flags;
pub use object::{DiscriminatedType, ObjectName, ObjectType, Properties, Property};
pub use pattern::Pattern;
pub use resource::{ModuleType, NamespaceType, ResourceReference, ResourceType};
pub use union::union;

use deferred::Deferred;

/// A type of the language. Cheap to clone, safe to share between threads.
#[derive(Clone)]
pub struct Type(Repr);

#[derive(Clone)]
enum Repr {
    Known(Arc<Node>),
    Deferred(Arc<Deferred>),
}

struct Node {
    kind: Kind,
    flags: TypeFlags,
    /// How it is called, where that is not what its kind says: parts of a declared type are called as they are written.
    name: Option<Box<SmolStr>>,
}

/// What kind of type it is, with what belongs to the kind.
#[derive(Debug)]
pub enum Kind {
    /// Something is wrong. It has been reported, unless it comes with diagnostics: then whoever uses the type reports them.
    Error(Option<Arc<[Diagnostic]>>),
    /// No value at all: the empty union.
    Never,
    /// Every value, and assignable to everything.
    Any,
    /// The value `null`.
    Null,
    /// `bool`
    Bool,
    /// `int`, perhaps within a range.
    Int(IntRange),
    /// `string`, perhaps restricted.
    String(StringShape),
    /// `true` or `false`
    BoolLiteral(bool),
    /// One integer.
    IntLiteral(i64),
    /// One string.
    StringLiteral(SmolStr),
    /// Any number of items of one type; items of type [`Kind::Any`] make it the plain `array`.
    Array(ArrayType),
    /// A fixed number of items, each with its type.
    Tuple(TupleType),
    /// Named properties.
    Object(ObjectType),
    /// One of several object types, told apart by a property.
    Discriminated(DiscriminatedType),
    /// One of several types: at least two members, none of them a union, in display order.
    Union(Vec<Type>),
    Resource(ResourceType),
    /// What may be the `parent` of this child resource type.
    ResourceParent(ResourceReference),
    /// A parameter or output of type `resource 'T@v'`.
    ResourceParameter(ResourceReference),
    /// A resource type taken from a template whose meaning depends on the file that uses it.
    UnresolvedResource(ResourceReference),
    /// A reference to one of these scopes.
    Scope(Scopes),
    Module(ModuleType),
    Test(ModuleType),
    /// A function given as an argument.
    Lambda(LambdaType),
    /// A namespace, as in `sys.concat`. It is large and rare.
    Namespace(Box<NamespaceType>),
    /// The type of a symbol that names a type and not a value.
    TypeOf(Type),
}

/// Bounds of an integer, both inclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct IntRange {
    /// The smallest value.
    pub min: Option<i64>,
    /// The largest value.
    pub max: Option<i64>,
}

/// Restrictions of a string. Lengths count UTF-16 code units.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct StringShape {
    /// The smallest length.
    pub min_length: Option<i64>,
    /// The largest length.
    pub max_length: Option<i64>,
    /// A regular expression in .NET's syntax.
    pub pattern: Option<Pattern>,
}

/// Bounds of the number of items of an array, both inclusive.
pub type LengthRange = IntRange;

/// The items of an array.
#[derive(Debug)]
pub struct ArrayType {
    /// What every item is.
    pub item: Type,
    /// How many there may be.
    pub length: LengthRange,
}

/// The items of a tuple.
#[derive(Debug)]
pub struct TupleType {
    /// What each item is.
    pub items: Vec<Type>,
    item: std::sync::OnceLock<Type>,
}

impl TupleType {
    /// What any item is: the union of all of them.
    pub fn item(&self) -> &Type {
        self.item.get_or_init(|| union(self.items.iter().cloned()))
    }

    fn len(&self) -> i64 {
        i64::try_from(self.items.len()).unwrap_or(i64::MAX)
    }
}

impl Type {
    /// A type of this kind with default strictness.
    pub fn new(kind: Kind) -> Self {
        Self::with(kind, TypeFlags::empty())
    }

    /// A type of this kind and strictness.
    pub fn with(kind: Kind, flags: TypeFlags) -> Self {
        Self(Repr::Known(Arc::new(Node { kind, flags, name: None })))
    }

    /// The same type under a name of its own.
    #[must_use]
    pub fn called(mut self, name: impl Into<SmolStr>) -> Self {
        let name = Some(Box::new(name.into()));
        if let Repr::Known(node) = &mut self.0
            && let Some(own) = Arc::get_mut(node)
        {
            own.name = name;
            return self;
        }
        let Node { kind, flags, .. } = self.node();
        Self(Repr::Known(Arc::new(Node { kind: kind.copy(), flags: *flags, name })))
    }

    /// A type that is computed when somebody looks into it, at most once.
    ///
    /// The function must not look into the type that it computes; where it does so anyway, it sees `any`.
    pub fn defer(compute: impl Fn() -> Self + Send + Sync + 'static) -> Self {
        Self(Repr::Deferred(Arc::new(Deferred::new(None, Box::new(move || Some(compute()))))))
    }

    /// A deferred type that may be named before it can be computed, as recursive types need: it shows as `label` as long
    /// as the function answers nothing.
    pub fn defer_named(
        label: impl Into<SmolStr>,
        compute: impl Fn() -> Option<Self> + Send + Sync + 'static,
    ) -> Self {
        Self(Repr::Deferred(Arc::new(Deferred::new(Some(label.into()), Box::new(compute)))))
    }

    /// What kind of type it is.
    pub fn kind(&self) -> &Kind {
        &self.node().kind
    }

    /// How strictly it is held against values.
    pub fn flags(&self) -> TypeFlags {
        let node = self.node();
        match node.kind {
            Kind::Error(_) | Kind::Namespace(_) | Kind::TypeOf(_) => {
                node.flags | TypeFlags::PREVENT_ASSIGNMENT
            }
            _ => node.flags,
        }
    }

    /// The same type with other strictness.
    #[must_use]
    pub fn with_flags(&self, flags: TypeFlags) -> Self {
        let node = self.node();
        if node.flags == flags {
            return self.clone();
        }
        Self(Repr::Known(Arc::new(Node { kind: node.kind.copy(), flags, name: node.name.clone() })))
    }

    /// The same type with these flags added.
    #[must_use]
    pub fn with_more_flags(&self, flags: TypeFlags) -> Self {
        self.with_flags(self.node().flags | flags)
    }

    /// Whether both handles share one value. Two handles of a deferred type do.
    pub fn same(&self, other: &Self) -> bool {
        std::ptr::eq(self.node(), other.node())
    }

    /// A number that is the same for handles of the same value while it lives; to mark visited types.
    pub fn identity(&self) -> usize {
        std::ptr::from_ref(self.node()) as usize
    }

    fn node(&self) -> &Node {
        match &self.0 {
            Repr::Known(node) => node,
            Repr::Deferred(deferred) => deferred.get(),
        }
    }
}

/// The types that have one instance.
macro_rules! singletons {
    ($($(#[$doc:meta])* $name:ident = $value:expr;)*) => {
        impl Type {$(
            $(#[$doc])*
            pub fn $name() -> Self {
                static INSTANCE: LazyLock<Type> = LazyLock::new(|| $value);
                INSTANCE.clone()
            }
        )*}
    };
}

singletons! {
    /// The type of what has been reported as wrong.
    error = Type::new(Kind::Error(None));
    /// The empty union.
    never = Type::new(Kind::Never);
    /// `any`
    any = Type::new(Kind::Any);
    /// `null`
    null = Type::new(Kind::Null);
    /// `bool`
    bool = Type::new(Kind::Bool);
    /// `int`
    int = Type::new(Kind::Int(IntRange::default()));
    /// `string`
    string = Type::new(Kind::String(StringShape::default()));
    /// `bool` that may stand for a literal.
    loose_bool = Type::with(Kind::Bool, TypeFlags::ALLOW_LOOSE_ASSIGNMENT);
    /// `int` that may stand for a literal.
    loose_int = Type::with(Kind::Int(IntRange::default()), TypeFlags::ALLOW_LOOSE_ASSIGNMENT);
    /// `string` that may stand for a literal, as an unrestricted parameter is.
    loose_string = Type::with(Kind::String(StringShape::default()), TypeFlags::ALLOW_LOOSE_ASSIGNMENT);
    /// `string` that is a secret.
    secure_string = Type::with(
        Kind::String(StringShape::default()),
        TypeFlags::ALLOW_LOOSE_ASSIGNMENT | TypeFlags::SECURE,
    );
    /// `object`: any properties.
    object = Type::new(Kind::Object(ObjectType::open("object")));
    /// `object` that is a secret.
    secure_object = Type::with(Kind::Object(ObjectType::open("object")), TypeFlags::SECURE);
    /// `array`: any items.
    array = Type::new(Kind::Array(ArrayType { item: Type::any(), length: LengthRange::default() }));
    /// `string[]`
    string_array = Type::array_of(Type::string());
    /// A resource or a module.
    resource_ref = Type::scope(Scopes::MODULE | Scopes::RESOURCE);
    /// An item of `dependsOn`: a resource, a module, or a collection of them.
    resource_or_collection_ref = union([
        Type::resource_ref(),
        Type::array_of(Type::scope(Scopes::MODULE)),
        Type::array_of(Type::scope(Scopes::RESOURCE)),
    ]);
    /// The value of `dependsOn`.
    resource_or_collection_ref_array = Type::array_of(Type::resource_or_collection_ref());
}

impl Type {
    /// `int` within these bounds; one value when the bounds meet.
    pub fn int_between(range: IntRange, flags: TypeFlags) -> Self {
        match range {
            IntRange { min: Some(min), max: Some(max) } if min == max => {
                Self::with(Kind::IntLiteral(min), flags)
            }
            range => Self::with(Kind::Int(range), flags),
        }
    }

    /// `string` of this shape; the empty string when nothing else fits.
    pub fn string_shaped(shape: StringShape, flags: TypeFlags) -> Self {
        match shape.max_length {
            Some(0) => Self::with(Kind::StringLiteral(SmolStr::default()), flags),
            _ => Self::with(Kind::String(shape), flags),
        }
    }

    /// One boolean.
    pub fn bool_literal(value: bool) -> Self {
        Self::new(Kind::BoolLiteral(value))
    }

    /// One integer.
    pub fn int_literal(value: i64) -> Self {
        Self::new(Kind::IntLiteral(value))
    }

    /// One string.
    pub fn string_literal(value: impl Into<SmolStr>) -> Self {
        Self::new(Kind::StringLiteral(value.into()))
    }

    /// Any number of these.
    pub fn array_of(item: Self) -> Self {
        Self::array_between(item, LengthRange::default(), TypeFlags::empty())
    }

    /// A number of these within bounds; the empty tuple when there can be none.
    pub fn array_between(item: Self, length: LengthRange, flags: TypeFlags) -> Self {
        match length.max {
            Some(0) => Self::tuple_with(Vec::new(), flags),
            _ => Self::with(Kind::Array(ArrayType { item, length }), flags),
        }
    }

    /// Exactly these items.
    pub fn tuple(items: impl IntoIterator<Item = Self>) -> Self {
        Self::tuple_with(items.into_iter().collect(), TypeFlags::empty())
    }

    /// Exactly these items, with strictness.
    pub fn tuple_with(items: Vec<Self>, flags: TypeFlags) -> Self {
        Self::with(Kind::Tuple(TupleType { items, item: std::sync::OnceLock::new() }), flags)
    }

    /// A reference to one of these scopes.
    pub fn scope(scopes: Scopes) -> Self {
        Self::new(Kind::Scope(scopes))
    }
}

impl From<ObjectType> for Type {
    fn from(object: ObjectType) -> Self {
        Self::new(Kind::Object(object))
    }
}

impl From<ResourceType> for Type {
    fn from(resource: ResourceType) -> Self {
        Self::new(Kind::Resource(resource))
    }
}

impl From<ModuleType> for Type {
    fn from(module: ModuleType) -> Self {
        Self::new(Kind::Module(module))
    }
}

impl From<NamespaceType> for Type {
    fn from(namespace: NamespaceType) -> Self {
        Self::new(Kind::Namespace(Box::new(namespace)))
    }
}

impl From<LambdaType> for Type {
    fn from(lambda: LambdaType) -> Self {
        Self::new(Kind::Lambda(lambda))
    }
}

impl Kind {
    /// A copy whose parts are shared.
    fn copy(&self) -> Self {
        match self {
            Self::Error(diagnostics) => Self::Error(diagnostics.clone()),
            Self::Never => Self::Never,
            Self::Any => Self::Any,
            Self::Null => Self::Null,
            Self::Bool => Self::Bool,
            Self::Int(range) => Self::Int(*range),
            Self::String(shape) => Self::String(shape.clone()),
            Self::BoolLiteral(value) => Self::BoolLiteral(*value),
            Self::IntLiteral(value) => Self::IntLiteral(*value),
            Self::StringLiteral(value) => Self::StringLiteral(value.clone()),
            Self::Array(array) => Self::Array(ArrayType { item: array.item.clone(), length: array.length }),
            Self::Tuple(tuple) => {
                Self::Tuple(TupleType { items: tuple.items.clone(), item: std::sync::OnceLock::new() })
            }
            Self::Object(object) => Self::Object(object.clone()),
            Self::Discriminated(object) => Self::Discriminated(object.clone()),
            Self::Union(members) => Self::Union(members.clone()),
            Self::Resource(resource) => Self::Resource(resource.clone()),
            Self::ResourceParent(child) => Self::ResourceParent(child.clone()),
            Self::ResourceParameter(reference) => Self::ResourceParameter(reference.clone()),
            Self::UnresolvedResource(reference) => Self::UnresolvedResource(reference.clone()),
            Self::Scope(scopes) => Self::Scope(*scopes),
            Self::Module(module) => Self::Module(module.clone()),
            Self::Test(test) => Self::Test(test.clone()),
            Self::Lambda(lambda) => Self::Lambda(lambda.clone()),
            Self::Namespace(namespace) => Self::Namespace(namespace.clone()),
            Self::TypeOf(inner) => Self::TypeOf(inner.clone()),
        }
    }
}

impl PartialEq for Type {
    fn eq(&self, other: &Self) -> bool {
        self.equals(other, MAX_EQUAL_DEPTH)
    }
}

/// Deeper arrays are taken to be different: an array may contain itself.
const MAX_EQUAL_DEPTH: usize = 100;

impl Type {
    fn equals(&self, other: &Self, depth: usize) -> bool {
        let (a, b) = (self.node(), other.node());
        if std::ptr::eq(a, b) {
            return true;
        }
        let Some(depth) = depth.checked_sub(1) else { return false };
        let all_equal =
            |a: &[Self], b: &[Self]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.equals(b, depth));
        let same_kind = match (&a.kind, &b.kind) {
            (Kind::Error(_), Kind::Error(_))
            | (Kind::Never, Kind::Never)
            | (Kind::Any, Kind::Any)
            | (Kind::Null, Kind::Null)
            | (Kind::Bool, Kind::Bool) => true,
            (Kind::Int(a), Kind::Int(b)) => a == b,
            (Kind::String(a), Kind::String(b)) => a == b,
            (Kind::BoolLiteral(a), Kind::BoolLiteral(b)) => a == b,
            (Kind::IntLiteral(a), Kind::IntLiteral(b)) => a == b,
            (Kind::StringLiteral(a), Kind::StringLiteral(b)) => a == b,
            (Kind::Array(a), Kind::Array(b)) => a.length == b.length && a.item.equals(&b.item, depth),
            (Kind::Tuple(a), Kind::Tuple(b)) => all_equal(&a.items, &b.items),
            (Kind::Union(a), Kind::Union(b)) => all_equal(a, b),
            (Kind::Scope(a), Kind::Scope(b)) => a == b,
            _ => false,
        };
        same_kind && a.flags == b.flags
    }
}

impl Eq for Type {}

impl Hash for Type {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let node = self.node();
        std::mem::discriminant(&node.kind).hash(state);
        match &node.kind {
            Kind::Int(range) => range.hash(state),
            Kind::String(shape) => shape.hash(state),
            Kind::BoolLiteral(value) => value.hash(state),
            Kind::IntLiteral(value) => value.hash(state),
            Kind::StringLiteral(value) => value.hash(state),
            Kind::Array(array) => array.length.hash(state),
            Kind::Tuple(tuple) => tuple.items.len().hash(state),
            Kind::Union(members) => members.len().hash(state),
            Kind::Scope(scopes) => scopes.hash(state),
            Kind::Error(_) | Kind::Never | Kind::Any | Kind::Null | Kind::Bool => {}
            _ => std::ptr::from_ref(node).hash(state),
        }
    }
}
