//! Choices between object types that are told apart by a property.

use bicep_syntax::ast::{self, TypeExpr};
use bicep_types::ty::{Kind, Type};

use super::reference::{Declared, Resolved, resolve};
use super::schema as schema_of;
use crate::context::Context;
use crate::translate::Translator;
use crate::value::{Member, Members, Value};

/// The schema of a choice with a discriminator.
pub(super) fn schema<'p>(
    translator: &Translator<'_, 'p>,
    union: ast::UnionType<'p>,
    property: &str,
) -> Members {
    let mapping = mapping(translator, union, property);
    let discriminator =
        Value::object([("propertyName", Value::text(property)), ("mapping", Value::Object(mapping))]);
    vec![Member::new("type", Value::text("object")), Member::new("discriminator", discriminator)]
}

/// The schema for each value of the discriminator. Choices within choices are flattened.
fn mapping<'p>(translator: &Translator<'_, 'p>, union: ast::UnionType<'p>, property: &str) -> Members {
    let mut mapping = Members::new();
    for member in union.members() {
        let mut ty = member.inner();
        while let TypeExpr::ParenType(paren) = ty {
            ty = paren.inner();
        }
        match ty {
            TypeExpr::ObjectType(object) => {
                let value = value_of(translator, object, property);
                mapping.push(Member::new(value, Value::Object(schema_of(translator, ty, None))));
            }
            TypeExpr::UnionType(inner) => mapping.extend(self::mapping(translator, inner, property)),
            _ => mapping.extend(referenced(translator, ty, property)),
        }
    }
    mapping
}

/// The entries of a member that is a reference to another type.
fn referenced<'p>(translator: &Translator<'_, 'p>, ty: TypeExpr<'p>, property: &str) -> Members {
    let Some(mut resolved) = resolve(translator, ty) else { return Members::new() };
    // A reference to a reference leads to what that one refers to.
    while let Some(further) = resolved.further() {
        resolved = further;
    }
    match &resolved.declared {
        Declared::Type { cx, ty: TypeExpr::ObjectType(object), .. } => {
            let value = value_of(&Translator::new(cx), *object, property);
            vec![Member::new(value, Value::Object(resolved.schema()))]
        }
        // A union that contains itself has been reported; it would have no end.
        Declared::Type { cx, ty: TypeExpr::UnionType(union), .. } if !contains_itself(cx, *union) => {
            mapping(&Translator::new(cx), *union, property)
        }
        Declared::Template { schema, .. } => super::reference::template_mapping(schema, &resolved, property),
        Declared::Resource { ty, .. } => of_resource(&resolved, ty, property),
        Declared::Type { .. } => Members::new(),
    }
}

/// The entries of a part of a resource type: one, or one for each of its own alternatives.
fn of_resource(resolved: &Resolved<'_>, ty: &Type, property: &str) -> Members {
    match ty.kind() {
        Kind::Object(object) => {
            let known = object.properties.get(property).map(|own| own.ty.kind());
            let Some(Kind::StringLiteral(value)) = known else { return Members::new() };
            vec![Member::new(value.as_str(), Value::Object(resolved.schema()))]
        }
        Kind::Discriminated(choice) => {
            let entry = |value: &base::SmolStr| {
                Member::new(value.as_str(), Value::Object(resolved.variant(value).schema()))
            };
            choice.members.keys().map(entry).collect()
        }
        _ => Members::new(),
    }
}

/// The value of the discriminator in one of the object types.
fn value_of<'p>(translator: &Translator<'_, 'p>, object: ast::ObjectType<'p>, property: &str) -> String {
    let own = object.properties().find(|it| it.key_text().as_deref() == Some(property));
    match own.map(|own| translator.cx.type_of(own.value())) {
        Some(ty) => match ty.kind() {
            Kind::StringLiteral(text) => text.to_string(),
            _ => String::new(),
        },
        None => String::new(),
    }
}

/// Whether the declaration of a union needs itself.
fn contains_itself(cx: &Context<'_>, union: ast::UnionType<'_>) -> bool {
    let mut outer = union.syntax().ancestors();
    let declaration = outer.find_map(|node| cx.model.declared(node.id()));
    declaration.is_some_and(|symbol| cx.model.cycle(symbol).is_some())
}
