//! Views of type expressions.

use std::borrow::Cow;

use super::expressions::{key_text, plain_value, segment_values};
use super::{
    ArrayType, BoolType, Decorator, Expr, GenericType, IntType, MemberGenericType, Name, NonNullableType,
    NullableType, ObjectType, ObjectTypeAdditional, ObjectTypeProperty, ParenType, ResourceType, Str,
    StringType, TupleType, TupleTypeItem, TypeAdditionalAccess, TypeArgument, TypeExpr, TypeIndex,
    TypeItemsAccess, TypePropertyAccess, TypeVar, UnaryType, UnionType, UnionTypeMember, decorators, name_of,
    node_at, type_at,
};
use crate::SyntaxKind;
use crate::tree::{Element, Node, Token};

impl<'t> TypeVar<'t> {
    pub fn name(self) -> Option<Name<'t>> {
        name_of(self.0)
    }
}

impl BoolType<'_> {
    pub fn value(self) -> bool {
        self.0.token(SyntaxKind::True).is_some()
    }
}

impl IntType<'_> {
    pub fn value(self) -> u64 {
        self.0.text().parse().unwrap_or_default()
    }
}

impl<'t> StringType<'t> {
    /// Its value, if it has no holes.
    pub fn value(self) -> Option<String> {
        plain_value(self.0).map(Cow::into_owned)
    }

    /// Whether it has holes.
    pub fn is_interpolated(self) -> bool {
        self.0.children().next().is_some()
    }

    /// The texts between its holes: one more than holes.
    pub fn segment_values(self) -> Vec<String> {
        segment_values(self.0)
    }

    /// The expressions in its holes.
    pub fn holes(self) -> impl Iterator<Item = Expr<'t>> {
        self.0.children().map(Expr::of)
    }
}

impl<'t> UnaryType<'t> {
    pub fn operator(self) -> Option<Token<'t>> {
        self.0.tokens().next()
    }

    /// What it is applied to.
    pub fn operand(self) -> TypeExpr<'t> {
        type_at(self.0, 1)
    }
}

impl<'t> ArrayType<'t> {
    /// The type of the items.
    pub fn item(self) -> TypeExpr<'t> {
        node_at(self.0, 0).map_or(TypeExpr::Skipped(self.0), |member| type_at(member, 0))
    }
}

impl<'t> TupleType<'t> {
    pub fn items(self) -> impl Iterator<Item = TupleTypeItem<'t>> {
        self.0.children().filter_map(TupleTypeItem::cast)
    }
}

impl<'t> TupleTypeItem<'t> {
    pub fn decorators(self) -> impl DoubleEndedIterator<Item = Decorator<'t>> {
        decorators(self.0)
    }

    /// Its type.
    pub fn value(self) -> TypeExpr<'t> {
        last_type(self.0)
    }
}

impl<'t> ObjectType<'t> {
    pub fn properties(self) -> impl Iterator<Item = ObjectTypeProperty<'t>> {
        self.0.children().filter_map(ObjectTypeProperty::cast)
    }

    /// The types of all other properties; more than one is a mistake.
    pub fn additional(self) -> impl Iterator<Item = ObjectTypeAdditional<'t>> {
        self.0.children().filter_map(ObjectTypeAdditional::cast)
    }
}

impl<'t> ObjectTypeProperty<'t> {
    pub fn decorators(self) -> impl DoubleEndedIterator<Item = Decorator<'t>> {
        decorators(self.0)
    }

    /// Its key: a [`Name`], a [`Str`] or something skipped.
    pub fn key(self) -> Node<'t> {
        // key, colon, value are the last three parts.
        self.0
            .children()
            .rev()
            .nth(if self.0.token(SyntaxKind::Colon).is_some() { 1 } else { 2 })
            .unwrap_or(self.0)
    }

    /// Its key as text, if that is known without evaluating anything.
    pub fn key_text(self) -> Option<Cow<'t, str>> {
        key_text(self.key())
    }

    /// Its type.
    pub fn value(self) -> TypeExpr<'t> {
        last_type(self.0)
    }
}

impl<'t> ObjectTypeAdditional<'t> {
    pub fn decorators(self) -> impl DoubleEndedIterator<Item = Decorator<'t>> {
        decorators(self.0)
    }

    /// The `*`.
    pub fn star(self) -> Option<Token<'t>> {
        self.0.token(SyntaxKind::Star)
    }

    /// Its type.
    pub fn value(self) -> TypeExpr<'t> {
        last_type(self.0)
    }
}

fn last_type(node: Node<'_>) -> TypeExpr<'_> {
    node.children().next_back().map_or(TypeExpr::Skipped(node), TypeExpr::of)
}

impl<'t> UnionType<'t> {
    pub fn members(self) -> impl Iterator<Item = UnionTypeMember<'t>> {
        self.0.children().filter_map(UnionTypeMember::cast)
    }
}

macro_rules! wraps_type {
    ($($name:ident at $position:literal)*) => {
        $(impl<'t> $name<'t> {
            /// The type it is about.
            pub fn inner(self) -> TypeExpr<'t> {
                type_at(self.0, $position)
            }
        })*
    };
}

wraps_type! {
    UnionTypeMember at 0
    NullableType at 0
    NonNullableType at 0
    ParenType at 1
    TypeArgument at 0
    TypePropertyAccess at 0
    TypeIndex at 0
    TypeItemsAccess at 0
    TypeAdditionalAccess at 0
    MemberGenericType at 0
}

impl<'t> ResourceType<'t> {
    /// The resource type as a string.
    pub fn path(self) -> Option<Str<'t>> {
        node_at(self.0, 1).and_then(Str::cast)
    }
}

macro_rules! is_generic {
    ($($name:ident)*) => {
        $(impl<'t> $name<'t> {
            /// The name before the arguments.
            pub fn name(self) -> Option<Name<'t>> {
                self.0.children().find_map(Name::cast)
            }

            pub fn arguments(self) -> impl Iterator<Item = TypeArgument<'t>> {
                self.0.children().filter_map(TypeArgument::cast)
            }
        })*
    };
}

is_generic! { GenericType MemberGenericType }

impl<'t> TypePropertyAccess<'t> {
    /// The name of the property.
    pub fn name(self) -> Option<Name<'t>> {
        self.0.children().filter_map(Name::cast).next_back()
    }
}

impl<'t> TypeIndex<'t> {
    pub fn index(self) -> Expr<'t> {
        super::parts(self.0).nth(2).and_then(Element::node).map_or(Expr::Skipped(self.0), Expr::of)
    }
}
