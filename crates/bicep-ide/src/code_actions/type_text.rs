//! A type as it would be written in a declaration: a type comes in, text goes out. Not every type can be written; those that
//! cannot become an object with a comment that says what was meant.

use bicep_sema::namespace::RESOURCE_DERIVED;
use bicep_types::ty::{Kind, ObjectType, Property, PropertyFlags, Type, escape_property_name};

/// How exact the text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strictness {
    /// Literals stay: `{ a: 1 }`.
    Strict,
    /// Literals outside of unions are widened: `{ a: int }`.
    Medium,
    /// Only the basic types: `object`.
    Loose,
}

/// A type that is written down for a property; the property may say that it can be left out.
pub fn type_text(
    ty: Option<&Type>,
    property: Option<&Property>,
    strictness: Strictness,
    keeps_null: bool,
) -> String {
    Writer { strictness, visited: Vec::new() }.write(ty, property, keeps_null)
}

struct Writer {
    strictness: Strictness,
    /// The types that are being written, to notice those that contain themselves.
    visited: Vec<usize>,
}

impl Writer {
    fn write(&mut self, ty: Option<&Type>, property: Option<&Property>, keeps_null: bool) -> String {
        let Some(ty) = ty else { return "object? /* unknown */".to_owned() };
        // A primitive is the same everywhere and contains nothing.
        let is_nested = matches!(
            ty.kind(),
            Kind::Object(_) | Kind::Array(_) | Kind::Tuple(_) | Kind::Union(_) | Kind::Discriminated(_)
        );
        if is_nested && self.visited.contains(&ty.identity()) {
            return "object /* recursive */".to_owned();
        }
        let widened = self.widened(ty);
        let may_be_left_out =
            property.is_some_and(|it| it.flags.contains(PropertyFlags::ALLOW_IMPLICIT_NULL));
        if keeps_null && may_be_left_out {
            return self.write(Some(&widened.make_nullable()), None, true);
        }
        self.visited.push(ty.identity());
        let text = match widened.without_null() {
            Some(bare) if keeps_null => self.suffixed(&bare, "?"),
            Some(bare) => self.write(Some(&bare), None, true),
            None => self.by_kind(&widened),
        };
        self.visited.pop();
        text
    }

    fn by_kind(&mut self, ty: &Type) -> String {
        let is_strict = self.strictness == Strictness::Strict;
        match ty.kind() {
            Kind::StringLiteral(_) | Kind::IntLiteral(_) | Kind::BoolLiteral(_) if is_strict => {
                ty.to_string()
            }
            Kind::StringLiteral(_) | Kind::String(_) => "string".to_owned(),
            Kind::IntLiteral(_) | Kind::Int(_) => "int".to_owned(),
            Kind::BoolLiteral(_) | Kind::Bool => "bool".to_owned(),
            Kind::Null => "object? /* null */".to_owned(),
            Kind::Never => "never".to_owned(),
            Kind::Any => "object? /* any */".to_owned(),
            Kind::Error(_) => "object? /* error */".to_owned(),
            Kind::Tuple(tuple) => self.tuple(&tuple.items),
            Kind::Array(_) if self.strictness == Strictness::Loose => "array".to_owned(),
            // An item that is looked up by name was written down, even if it may be anything.
            Kind::Array(array) if array.item.is_any() && !array.item.is_deferred() => "array".to_owned(),
            Kind::Array(array) => self.suffixed(&array.item, "[]"),
            Kind::Union(_) => self.union(ty),
            Kind::Object(object) => self.object(object),
            Kind::Namespace(namespace) if namespace.extension == "sys" => {
                self.object(&with_derived_types(&namespace.members))
            }
            Kind::Namespace(namespace) => self.object(&namespace.members),
            _ => format!("object? /* {ty} */"),
        }
    }

    fn tuple(&mut self, items: &[Type]) -> String {
        if self.strictness == Strictness::Loose {
            return "array".to_owned();
        }
        if self.strictness == Strictness::Medium {
            let widened: Vec<Type> = items.iter().map(|item| self.widened(item)).collect();
            let Some(first) = widened.first() else { return "array".to_owned() };
            // A list of alike literals was more likely meant as a list of any length.
            if widened.iter().all(|item| item.to_string() == first.to_string()) {
                return self.suffixed(first, "[]");
            }
        }
        let items: Vec<String> = items.iter().map(|item| self.write(Some(item), None, true)).collect();
        format!("[{}]", items.join(", "))
    }

    /// A union of literals as it is; any other has no syntax, so that its widest form is written with the union beside it.
    fn union(&mut self, ty: &Type) -> String {
        if ty.members().iter().all(is_literal) {
            return format!("{ty:#}");
        }
        let wide = widened_union(ty);
        let text = match &wide {
            Some(wide) => {
                let wide = if ty.is_nullable() { wide.make_nullable() } else { wide.clone() };
                Self { strictness: Strictness::Loose, visited: self.visited.clone() }.write(
                    Some(&wide),
                    None,
                    true,
                )
            }
            None if ty.is_nullable() => "object?".to_owned(),
            None => "object".to_owned(),
        };
        format!("{text} /* {ty:#} */")
    }

    fn object(&mut self, object: &ObjectType) -> String {
        if self.strictness == Strictness::Loose {
            return "object".to_owned();
        }
        let properties: Vec<_> = writable_properties(object).collect();
        let is_closed = object.properties.is_empty() && !object.has_explicit_additional();
        if properties.is_empty() {
            let is_literal = self.strictness == Strictness::Strict && is_closed;
            return if is_literal { "{  }".to_owned() } else { "object".to_owned() };
        }
        let write = |(name, property): (&base::SmolStr, &Property)| {
            let text = self.write(Some(&property.ty), Some(property), true);
            format!("{}: {text}", escape_property_name(name))
        };
        let properties: Vec<String> = properties.into_iter().map(write).collect();
        format!("{{ {} }}", properties.join(", "))
    }

    fn suffixed(&mut self, ty: &Type, suffix: &str) -> String {
        let text = self.write(Some(ty), None, true);
        let needs_parens = matches!(self.widened(ty).kind(), Kind::Union(_));
        if needs_parens { format!("({text}){suffix}") } else { format!("{text}{suffix}") }
    }

    fn widened(&self, ty: &Type) -> Type {
        match (self.strictness, ty.kind()) {
            (Strictness::Strict, _) => ty.clone(),
            (Strictness::Loose, Kind::Union(_)) => match widened_union(ty) {
                Some(wide) if ty.is_nullable() => wide.make_nullable(),
                Some(wide) => wide,
                None => ty.clone(),
            },
            _ => widened_literal(ty),
        }
    }
}

/// The members of `sys` with the types that take another one, which are looked up elsewhere.
fn with_derived_types(members: &ObjectType) -> ObjectType {
    let mut members = members.clone();
    for name in RESOURCE_DERIVED {
        let ty = Type::new(Kind::TypeOf(Type::any())).called(format!("{name}<ResourceTypeIdentifier>"));
        members.properties.insert(name.into(), Property::new(ty, PropertyFlags::empty()));
    }
    members
}

/// The properties that can be given.
pub(crate) fn writable_properties(object: &ObjectType) -> impl Iterator<Item = (&base::SmolStr, &Property)> {
    object.sorted().into_iter().filter(|(_, property)| !property.flags.contains(PropertyFlags::READ_ONLY))
}

/// The one type that all members of a union but `null` are of.
fn widened_union(ty: &Type) -> Option<Type> {
    let mut members = ty.members().iter().filter(|member| !member.is_null()).map(widened_literal);
    let first = members.next()?;
    let name = first.to_string();
    members.all(|member| member.to_string() == name).then_some(first)
}

fn is_literal(ty: &Type) -> bool {
    matches!(ty.kind(), Kind::StringLiteral(_) | Kind::IntLiteral(_) | Kind::BoolLiteral(_))
}

fn widened_literal(ty: &Type) -> Type {
    match ty.kind() {
        Kind::StringLiteral(_) => Type::string(),
        Kind::IntLiteral(_) => Type::int(),
        Kind::BoolLiteral(_) => Type::bool(),
        _ => ty.clone(),
    }
}
