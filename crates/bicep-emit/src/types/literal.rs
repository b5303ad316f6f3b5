//! Types made of literals, and the values they stand for.

use bicep_syntax::ast::{self, TypeExpr};
use bicep_types::ty::{Kind, ObjectType, PropertyFlags, Type, union};

use crate::context::Context;
use crate::value::{Member, Value};

/// The type of an expression that is made of literals; `any` for everything else.
pub(crate) fn literal_type(cx: &Context<'_>, ty: TypeExpr<'_>) -> Type {
    stacker::maybe_grow(64 << 10, 1 << 20, || match ty {
        TypeExpr::BoolType(literal) => Type::bool_literal(literal.value()),
        TypeExpr::IntType(literal) => Type::int_literal(i64::try_from(literal.value()).unwrap_or(i64::MAX)),
        TypeExpr::StringType(literal) => Type::string_literal(literal.value().unwrap_or_default()),
        TypeExpr::NullType(_) => Type::null(),
        TypeExpr::UnaryType(unary) => negated(&literal_type(cx, unary.operand())),
        TypeExpr::UnionType(members) => {
            union(members.members().map(|member| literal_type(cx, member.inner())))
        }
        TypeExpr::ParenType(paren) => literal_type(cx, paren.inner()),
        TypeExpr::NullableType(nullable) => union([literal_type(cx, nullable.inner()), Type::null()]),
        TypeExpr::NonNullableType(inner) => literal_type(cx, inner.inner()).remove_null(),
        TypeExpr::TupleType(tuple) => Type::tuple(tuple.items().map(|item| literal_type(cx, item.value()))),
        TypeExpr::ObjectType(object) => object_type(cx, object),
        TypeExpr::TypeVar(name) => {
            cx.with_declared_type(name.syntax(), literal_type).unwrap_or_else(Type::any)
        }
        _ => Type::any(),
    })
}

fn negated(ty: &Type) -> Type {
    match ty.kind() {
        Kind::IntLiteral(value) => Type::int_literal(value.wrapping_neg()),
        Kind::BoolLiteral(value) => Type::bool_literal(!value),
        _ => Type::any(),
    }
}

fn object_type(cx: &Context<'_>, object: ast::ObjectType<'_>) -> Type {
    let properties = object.properties().fold(ObjectType::structural(), |all, property| {
        let name = property.key_text().unwrap_or_default();
        all.with_property(name, literal_type(cx, property.value()), PropertyFlags::REQUIRED)
    });
    Type::new(Kind::Object(properties))
}

/// The value that a literal type stands for.
pub(crate) fn literal_value(ty: &Type) -> Value {
    match ty.kind() {
        Kind::StringLiteral(text) => Value::text(text.as_str()),
        Kind::IntLiteral(value) => Value::Int(*value),
        Kind::BoolLiteral(value) => Value::Bool(*value),
        Kind::Tuple(tuple) => Value::Array(tuple.items.iter().map(literal_value).collect()),
        Kind::Object(object) => {
            let member = |(name, property): (&base::SmolStr, &bicep_types::ty::Property)| {
                Member::new(name.as_str(), literal_value(&property.ty))
            };
            Value::Object(object.properties.iter().map(member).collect())
        }
        _ => Value::Null,
    }
}
