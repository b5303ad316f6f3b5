//! What a type says to the reader of documentation: its name, its constraints and the properties inside, within limits.

use bicep_types::ty::{DiscriminatedType, IntRange, Kind, ObjectType, Property, Type};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::{Discriminator, DiscriminatorCase, Parameter, TypeDetails, compare_names};

/// How deep types are shown inside of types.
const MAX_DEPTH: usize = 20;
/// How many parameters and properties are shown in full in one document.
const MAX_NODES: usize = 10_000;
/// What stands for all properties that a type allows without naming them.
const ANY_OTHER: &str = ">Any_other_property<";

/// Expands types. What all of them together may take is limited.
pub(crate) struct Expander {
    left: usize,
    /// What has been found out about types of parameters, by identity, with the type itself, so that it stays alive.
    known: FxHashMap<usize, (Type, TypeDetails)>,
}

impl Expander {
    pub(crate) fn new() -> Self {
        Self { left: MAX_NODES, known: FxHashMap::default() }
    }

    /// A parameter of a type, or something exported.
    pub(crate) fn parameter(&mut self, name: &str, ty: &Type) -> Parameter {
        let ty = ty.remove_null();
        let details = if !self.take() {
            truncated()
        } else if let Some((_, details)) = self.known.get(&ty.identity()) {
            details.clone()
        } else {
            let details = self.details(&ty, &mut FxHashSet::default());
            self.known.insert(ty.identity(), (ty.clone(), details.clone()));
            details
        };
        parameter(name, &ty, details)
    }

    fn take(&mut self) -> bool {
        let is_left = self.left > 0;
        self.left = self.left.saturating_sub(1);
        is_left
    }

    /// `path`: the types that this one lies in.
    fn details(&mut self, ty: &Type, path: &mut FxHashSet<usize>) -> TypeDetails {
        let none = TypeDetails::default();
        match ty.kind() {
            Kind::Int(IntRange { min, max }) => TypeDetails { min_value: *min, max_value: *max, ..none },
            Kind::String(shape) => TypeDetails {
                min_length: shape.min_length,
                max_length: shape.max_length,
                pattern: shape.pattern.as_ref().map(|pattern| pattern.to_string()),
                ..none
            },
            Kind::Array(_) | Kind::Tuple(_) | Kind::Object(_) | Kind::Discriminated(_) => {
                if path.len() >= MAX_DEPTH || !path.insert(ty.identity()) {
                    return truncated();
                }
                let details = self.inside(ty, path);
                path.remove(&ty.identity());
                details
            }
            _ => TypeDetails { allowed_values: literals(ty).unwrap_or_default(), ..none },
        }
    }

    /// What a type with parts says.
    fn inside(&mut self, ty: &Type, path: &mut FxHashSet<usize>) -> TypeDetails {
        let none = TypeDetails::default();
        match ty.kind() {
            Kind::Array(array) => self.items(&array.item, array.length, path),
            Kind::Tuple(tuple) => {
                let count = i64::try_from(tuple.items.len()).ok();
                self.items(tuple.item(), IntRange { min: count, max: count }, path)
            }
            Kind::Object(object) => TypeDetails { properties: self.properties(object, path), ..none },
            Kind::Discriminated(tagged) => {
                TypeDetails { discriminator: Some(self.discriminator(tagged, path)), ..none }
            }
            _ => none,
        }
    }

    /// A list says of its items which they are, not how they are bounded.
    fn items(&mut self, item: &Type, length: IntRange, path: &mut FxHashSet<usize>) -> TypeDetails {
        let item = item.remove_null();
        let inner = self.details(&item, path);
        TypeDetails {
            min_length: length.min,
            max_length: length.max,
            allowed_values: literals(&item).unwrap_or_default(),
            is_truncated: inner.is_truncated,
            properties: inner.properties,
            discriminator: inner.discriminator,
            ..TypeDetails::default()
        }
    }

    fn properties(&mut self, object: &ObjectType, path: &mut FxHashSet<usize>) -> Vec<Parameter> {
        let named = object.sorted().into_iter().map(|(name, property)| (name.as_str(), property));
        let other = object.additional.as_deref().filter(|_| object.has_explicit_additional());
        let all: Vec<(&str, &Property)> = named.chain(other.map(|it| (ANY_OTHER, it))).collect();
        let mut shown = Vec::with_capacity(all.len());
        for (name, property) in all {
            let ty = property.ty.remove_null();
            let details = if self.take() { self.details(&ty, path) } else { truncated() };
            shown.push(Parameter {
                is_required: property.is_required(),
                description: property.description.as_ref().map(ToString::to_string),
                ..parameter(name, &ty, details)
            });
        }
        shown.sort_by(|a, b| compare_names(&a.name, &b.name));
        shown
    }

    fn discriminator(&mut self, tagged: &DiscriminatedType, path: &mut FxHashSet<usize>) -> Discriminator {
        let mut cases: Vec<DiscriminatorCase> = Vec::new();
        for (value, object) in tagged.objects() {
            let properties = self.properties(object, path);
            cases.push(DiscriminatorCase { value: value.to_string(), properties });
        }
        cases.sort_by(|a, b| compare_names(&a.value, &b.value));
        Discriminator { property_name: tagged.discriminator.to_string(), cases }
    }
}

fn parameter(name: &str, ty: &Type, details: TypeDetails) -> Parameter {
    Parameter {
        name: name.to_owned(),
        type_name: type_name(ty),
        is_secure: ty.is_secure(),
        details,
        ..Parameter::default()
    }
}

fn truncated() -> TypeDetails {
    TypeDetails { is_truncated: true, ..TypeDetails::default() }
}

/// The name of a type as documentation shows it: `null` is left out, and what has parts is named by its kind.
pub(crate) fn type_name(ty: &Type) -> String {
    let ty = ty.remove_null();
    let name = match ty.kind() {
        Kind::Union(members) => {
            let mut bases = members.iter().map(literal_base);
            match bases.next().flatten() {
                Some(first) if bases.all(|base| base == Some(first)) => Some(first),
                _ => None,
            }
        }
        Kind::Int(_) => Some("int"),
        Kind::String(_) => Some("string"),
        Kind::Array(_) | Kind::Tuple(_) => Some("array"),
        Kind::Object(_) | Kind::Discriminated(_) => Some("object"),
        _ => literal_base(&ty),
    };
    name.map_or_else(|| ty.to_string(), ToOwned::to_owned)
}

/// The type of a literal.
fn literal_base(ty: &Type) -> Option<&'static str> {
    match ty.kind() {
        Kind::StringLiteral(_) => Some("string"),
        Kind::IntLiteral(_) => Some("int"),
        Kind::BoolLiteral(_) => Some("bool"),
        _ => None,
    }
}

/// The values of a type that is nothing but literals, in order.
fn literals(ty: &Type) -> Option<Vec<String>> {
    let members = match ty.kind() {
        Kind::Union(members) => members.as_slice(),
        _ => std::slice::from_ref(ty),
    };
    let value = |ty: &Type| match ty.kind() {
        Kind::StringLiteral(text) => Some(text.to_string()),
        Kind::IntLiteral(number) => Some(number.to_string()),
        Kind::BoolLiteral(flag) => Some(flag.to_string()),
        _ => None,
    };
    let mut values = members.iter().map(value).collect::<Option<Vec<String>>>()?;
    values.sort_by(|a, b| compare_names(a, b));
    Some(values)
}
