//! Types → the schemas in which templates describe them.

mod discriminator;
mod literal;
mod reference;

use bicep_sema::Binding;
use bicep_syntax::Node;
use bicep_syntax::ast::{self, TypeExpr};
use bicep_types::ty::{Kind, Type};

use crate::decorators::{apply_to_type, argument};
use crate::translate::Translator;
use crate::value::{Member, Members, Value, merge};

pub(crate) use literal::literal_value;

/// The schema of a type. The name of its discriminator is written as a decorator before it.
pub(crate) fn schema<'p>(
    translator: &Translator<'_, 'p>,
    ty: TypeExpr<'p>,
    discriminator: Option<&str>,
) -> Members {
    base::recurse(|| match ty {
        TypeExpr::TypeVar(name) => match translator.cx.model.bindings().get(name.syntax()) {
            Some(Binding::Symbol(_)) => reference::schema(translator, ty),
            _ => built_in(name.name().and_then(ast::Name::text).unwrap_or_default()),
        },
        TypeExpr::TypePropertyAccess(access) if is_namespace(translator, access.inner()) => {
            built_in(access.name().and_then(ast::Name::text).unwrap_or_default())
        }
        TypeExpr::TypePropertyAccess(_)
        | TypeExpr::TypeIndex(_)
        | TypeExpr::TypeItemsAccess(_)
        | TypeExpr::TypeAdditionalAccess(_)
        | TypeExpr::GenericType(_)
        | TypeExpr::MemberGenericType(_) => reference::schema(translator, ty),
        TypeExpr::BoolType(_)
        | TypeExpr::IntType(_)
        | TypeExpr::StringType(_)
        | TypeExpr::UnaryType(_)
        | TypeExpr::NullType(_) => literal_schema(translator, ty),
        TypeExpr::ArrayType(array) => array_schema(translator, array),
        TypeExpr::TupleType(tuple) => tuple_schema(translator, tuple),
        TypeExpr::ObjectType(object) => object_schema(translator, object),
        TypeExpr::UnionType(union) => match discriminator {
            Some(property) => discriminator::schema(translator, union, property),
            None => literal_schema(translator, ty),
        },
        TypeExpr::NullableType(nullable) => {
            with_nullable(schema(translator, nullable.inner(), discriminator), true)
        }
        TypeExpr::NonNullableType(inner) => {
            with_nullable(schema(translator, inner.inner(), discriminator), false)
        }
        TypeExpr::ParenType(paren) => schema(translator, paren.inner(), discriminator),
        TypeExpr::ResourceType(_) => {
            let ty = translator.cx.type_of(ty);
            let name = ty.as_resource().map(|resource| resource.reference.to_string()).unwrap_or_default();
            let mut members = type_of("string");
            merge(&mut members, "metadata", Value::object([("resourceType", Value::Text(name))]));
            members
        }
        TypeExpr::Skipped(_) => Members::new(),
    })
}

/// The schema of a type with what its decorators say.
pub(crate) fn decorated_schema<'p>(
    translator: &Translator<'_, 'p>,
    ty: TypeExpr<'p>,
    holder: Node<'p>,
) -> Members {
    let mut members = schema(translator, ty, discriminator_of(translator, holder).as_deref());
    apply_to_type(translator, holder, false, &mut members);
    members
}

/// The property named by `@discriminator('property')`.
pub(crate) fn discriminator_of<'p>(translator: &Translator<'_, 'p>, holder: Node<'p>) -> Option<String> {
    match argument(translator.cx.model, holder, "discriminator")? {
        ast::Expr::Str(name) => name.value(),
        _ => None,
    }
}

fn built_in(name: &str) -> Members {
    if name == "any" { Members::new() } else { type_of(name) }
}

fn type_of(name: &str) -> Members {
    vec![Member::new("type", Value::text(name))]
}

fn with_nullable(mut members: Members, is_nullable: bool) -> Members {
    merge(&mut members, "nullable", Value::Bool(is_nullable));
    members
}

fn is_namespace(translator: &Translator<'_, '_>, base: TypeExpr<'_>) -> bool {
    matches!(translator.cx.model.bindings().get(base.syntax()), Some(Binding::Namespace(_)))
}

/// A literal, or a choice between literals.
fn literal_schema<'p>(translator: &Translator<'_, 'p>, ty: TypeExpr<'p>) -> Members {
    let ty = translator.cx.type_of(ty);
    let allowed = ty.remove_null();
    let mut members = Members::new();
    if let Some(name) = allowed.members().first().unwrap_or(&allowed).template_name() {
        members.push(Member::new("type", Value::text(name)));
    }
    members.push(Member::new("allowedValues", allowed_values(&allowed)));
    if ty.is_nullable() && !ty.is_null() {
        members.push(Member::new("nullable", Value::Bool(true)));
    }
    members
}

/// The values of a choice between literals.
fn allowed_values(ty: &Type) -> Value {
    let members = ty.members();
    let values = if members.is_empty() { std::slice::from_ref(ty) } else { members };
    Value::Array(values.iter().map(literal_value).collect())
}

fn array_schema<'p>(translator: &Translator<'_, 'p>, array: ast::ArrayType<'p>) -> Members {
    let mut item = array.item();
    while let TypeExpr::ParenType(paren) = item {
        item = paren.inner();
    }
    let is_choice = match item {
        TypeExpr::BoolType(_)
        | TypeExpr::IntType(_)
        | TypeExpr::StringType(_)
        | TypeExpr::UnaryType(_)
        | TypeExpr::NullType(_)
        | TypeExpr::UnionType(_) => true,
        TypeExpr::ObjectType(_) | TypeExpr::TupleType(_) => translator.cx.type_of(item).is_literal(),
        _ => false,
    };
    let mut members = type_of("array");
    members.push(if is_choice {
        Member::new("allowedValues", allowed_values(&translator.cx.type_of(item)))
    } else {
        Member::new("items", Value::Object(schema(translator, item, None)))
    });
    members
}

fn tuple_schema<'p>(translator: &Translator<'_, 'p>, tuple: ast::TupleType<'p>) -> Members {
    let items =
        tuple.items().map(|item| Value::Object(decorated_schema(translator, item.value(), item.syntax())));
    let mut members = type_of("array");
    members.push(Member::new("prefixItems", Value::Array(items.collect())));
    members.push(Member::new("items", Value::Bool(false)));
    members
}

fn object_schema<'p>(translator: &Translator<'_, 'p>, object: ast::ObjectType<'p>) -> Members {
    let property = |property: ast::ObjectTypeProperty<'p>| {
        let schema = decorated_schema(translator, property.value(), property.syntax());
        let mut member = Member::new(property.key_text().unwrap_or_default(), Value::Object(schema));
        member.range = Some(property.range());
        member
    };
    let mut members = type_of("object");
    members.push(Member::new("properties", Value::Object(object.properties().map(property).collect())));
    if let Some(additional) = object.additional().next() {
        let schema = decorated_schema(translator, additional.value(), additional.syntax());
        members.push(Member::new("additionalProperties", Value::Object(schema)));
    }
    members
}

/// What templates call a type.
trait TemplateName {
    fn template_name(&self) -> Option<&'static str>;
}

impl TemplateName for Type {
    fn template_name(&self) -> Option<&'static str> {
        match self.kind() {
            Kind::String(_) | Kind::StringLiteral(_) => Some("string"),
            Kind::Int(_) | Kind::IntLiteral(_) => Some("int"),
            Kind::Bool | Kind::BoolLiteral(_) => Some("bool"),
            Kind::Object(_) | Kind::Discriminated(_) => Some("object"),
            Kind::Array(_) | Kind::Tuple(_) => Some("array"),
            Kind::Union(members) => {
                let mut names = members.iter().map(Self::template_name);
                let first = names.next()??;
                names.all(|name| name == Some(first)).then_some(first)
            }
            _ => None,
        }
    }
}
