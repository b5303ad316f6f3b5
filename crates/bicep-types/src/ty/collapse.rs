//! Simplifying a union: literals go into the primitive that contains them, ranges that touch become one, objects become
//! a discriminated object or one object with the properties of all.

use std::collections::BTreeMap;

use base::SmolStr;
use indexmap::{IndexMap, IndexSet};
use rustc_hash::{FxBuildHasher, FxHashSet};

use super::union::in_display_order;
use super::{
    DiscriminatedType, IntRange, Kind, LengthRange, ObjectName, ObjectType, Properties, Property,
    PropertyFlags, StringShape, TupleType, Type, TypeFlags, assignable, union,
};

/// A simpler type with the same values, as far as there is one: `None` for `any`, `never` and unions of unlike members.
pub fn collapse(ty: &Type) -> Option<Type> {
    let members = match ty.kind() {
        Kind::Never | Kind::Any => return None,
        Kind::Union(members) => members,
        _ => return Some(ty.clone()),
    };
    let nullable = members.iter().any(Type::is_null);
    let rest: Vec<&Type> = members.iter().filter(|member| !member.is_null()).collect();
    match rest.first()?.kind() {
        Kind::String(_) | Kind::StringLiteral(_) => strings(&rest).map(|types| union_of(types, nullable)),
        Kind::Int(_) | Kind::IntLiteral(_) => integers(&rest).map(|types| union_of(types, nullable)),
        Kind::Bool | Kind::BoolLiteral(_) => booleans(&rest).map(|ty| union_of(vec![ty], nullable)),
        Kind::Array(_) | Kind::Tuple(_) => arrays(&rest).map(|types| union_of(types, nullable)),
        Kind::Object(_) | Kind::Discriminated(_) => objects(&rest, nullable),
        _ => None,
    }
}

/// The union of types, simplified where possible.
pub fn collapse_or_union(types: impl IntoIterator<Item = Type>) -> Type {
    let union = union(types);
    collapse(&union).unwrap_or(union)
}

fn union_of(types: Vec<Type>, nullable: bool) -> Type {
    union(types.into_iter().chain(nullable.then(Type::null)))
}

fn strings(members: &[&Type]) -> Option<Vec<Type>> {
    let mut spans = Spans::default();
    let mut literals = Vec::new();
    let mut patterns = Vec::new();
    for member in members {
        match member.kind() {
            Kind::StringLiteral(value) => literals.push((value, *member)),
            Kind::String(shape) => {
                spans.push(Span::of_lengths(shape.min_length, shape.max_length, member.flags()));
                patterns.push(shape.pattern.clone());
            }
            _ => return None,
        }
    }
    // Two patterns cannot be joined, and a string without one takes in all others.
    let pattern = if patterns.len() == 1 { patterns.pop().flatten() } else { None };
    let apart = |value: &SmolStr| {
        let length = i64::try_from(value.encode_utf16().count()).unwrap_or(i64::MAX);
        !spans.contains(length) || pattern.as_ref().is_some_and(|it| !it.matches(value).unwrap_or(true))
    };
    let mut types: Vec<Type> =
        literals.iter().filter(|(value, _)| apart(value)).map(|(_, ty)| (*ty).clone()).collect();
    types.extend(spans.0.iter().map(|span| {
        let LengthRange { min, max } = span.length();
        let shape = StringShape { min_length: min, max_length: max, pattern: pattern.clone() };
        Type::string_shaped(shape, span.flags)
    }));
    Some(types)
}

fn integers(members: &[&Type]) -> Option<Vec<Type>> {
    let mut spans = Spans::default();
    for member in members {
        let (min, max) = match member.kind() {
            Kind::IntLiteral(value) => (*value, *value),
            Kind::Int(range) => (range.min.unwrap_or(i64::MIN), range.max.unwrap_or(i64::MAX)),
            _ => return None,
        };
        spans.push(Span { min, max, flags: member.flags() });
    }
    let of_span = |span: &Span| {
        let range = IntRange {
            min: (span.min != i64::MIN).then_some(span.min),
            max: (span.max != i64::MAX).then_some(span.max),
        };
        Type::int_between(range, span.flags)
    };
    Some(spans.0.iter().map(of_span).collect())
}

fn booleans(members: &[&Type]) -> Option<Type> {
    let mut values = FxHashSet::default();
    let mut flags = TypeFlags::empty();
    for member in members {
        match member.kind() {
            Kind::BoolLiteral(value) => values.extend([*value]),
            Kind::Bool => values.extend([true, false]),
            _ => return None,
        }
        flags |= member.flags();
    }
    let kind = if values.len() == 2 { Kind::Bool } else { Kind::BoolLiteral(values.contains(&true)) };
    Some(Type::with(kind, flags))
}

fn arrays(members: &[&Type]) -> Option<Vec<Type>> {
    let mut by_item: IndexMap<Type, Spans, FxBuildHasher> = IndexMap::default();
    let mut tuples = Vec::new();
    for member in members {
        let flags = member.flags();
        match member.kind() {
            Kind::Array(array) => {
                let span = Span::of_lengths(array.length.min, array.length.max, flags);
                by_item.entry(array.item.clone()).or_default().push(span);
            }
            Kind::Tuple(tuple) => match only_item(tuple) {
                Some(item) => {
                    let span = Span { min: tuple.len(), max: tuple.len(), flags };
                    by_item.entry(item.clone()).or_default().push(span);
                }
                None => tuples.push((tuple, *member)),
            },
            _ => return None,
        }
    }
    let apart = |tuple: &TupleType| {
        !by_item.iter().any(|(item, spans)| spans.contains(tuple.len()) && assignable(tuple.item(), item))
    };
    let mut types: Vec<Type> =
        tuples.iter().filter(|(tuple, _)| apart(tuple)).map(|(_, ty)| (*ty).clone()).collect();
    for (item, spans) in &by_item {
        types.extend(spans.0.iter().map(|span| Type::array_between(item.clone(), span.length(), span.flags)));
    }
    Some(types)
}

/// The type of all items, when they all have the same.
fn only_item(tuple: &TupleType) -> Option<&Type> {
    let first = tuple.items.first()?;
    tuple.items.iter().all(|item| item == first).then_some(first)
}

fn objects(members: &[&Type], nullable: bool) -> Option<Type> {
    let mut flags = TypeFlags::empty();
    let mut all: IndexSet<Type, FxBuildHasher> = IndexSet::default();
    for member in members {
        flags |= member.flags();
        match member.kind() {
            // Scopes are not values.
            Kind::Object(object) if object.scope.is_none() => {
                all.insert((*member).clone());
            }
            Kind::Discriminated(object) => all.extend(object.members.values().cloned()),
            _ => return None,
        }
    }
    if all.len() == 1 {
        return Some(union_of(all.into_iter().collect(), nullable));
    }
    match discriminator(&all) {
        Some(discriminator) => {
            let names: Vec<String> =
                in_display_order(all.iter().cloned()).iter().map(ToString::to_string).collect();
            let object = DiscriminatedType::new(names.join(" | "), discriminator, all)?;
            Some(union_of(vec![Type::with(Kind::Discriminated(object), flags)], nullable))
        }
        // `null` is lost here in the reference, too.
        None => Some(Type::with(Kind::Object(merged(&all)), flags)),
    }
}

/// The property that tells all the objects apart: required and a string literal everywhere, with different values even
/// when case is ignored. `type` and `kind` are preferred, then the first by name.
fn discriminator(objects: &IndexSet<Type, FxBuildHasher>) -> Option<SmolStr> {
    let value_in = |object: &Type, name: &str| {
        let property = object.as_object()?.properties.get(name)?;
        property.flags.contains(PropertyFlags::REQUIRED).then_some(())?;
        property.ty.as_string_literal().map(|value| value.to_lowercase())
    };
    let tells = |name: &SmolStr| {
        let mut seen = FxHashSet::default();
        objects.iter().all(|object| value_in(object, name).is_some_and(|value| seen.insert(value)))
    };
    let candidates = objects.first()?.as_object()?.properties.keys().filter(|name| tells(name));
    let preference = |name: &SmolStr| match name.as_str() {
        "type" => 0,
        "kind" => 1,
        _ => 2,
    };
    candidates.min_by_key(|name| (preference(name), (*name).clone())).cloned()
}

/// One object with the properties of all.
fn merged(all: &IndexSet<Type, FxBuildHasher>) -> ObjectType {
    let objects: Vec<&ObjectType> = all.iter().filter_map(Type::as_object).collect();
    let open: Vec<(&ObjectType, &Property)> =
        objects.iter().filter_map(|object| Some((*object, object.additional.as_deref()?))).collect();
    let mut by_name: BTreeMap<&SmolStr, Vec<&Property>> = BTreeMap::new();
    for (name, property) in objects.iter().flat_map(|object| &object.properties) {
        by_name.entry(name).or_default().push(property);
    }
    let mut properties = Properties::default();
    for (name, declared) in by_name {
        let mut flags = PropertyFlags::all();
        let mut types: Vec<Type> = Vec::with_capacity(declared.len());
        for property in &declared {
            types.push(property.ty.clone());
            flags &= property.flags;
        }
        let mut known = declared.len();
        for (_, additional) in open.iter().filter(|(object, _)| !object.properties.contains_key(name)) {
            types.push(additional.ty.clone());
            flags &= additional.flags - PropertyFlags::REQUIRED;
            known += 1;
        }
        if known < objects.len() {
            flags &= PropertyFlags::FALLBACK;
        }
        properties.insert(name.clone(), Property::new(collapse_or_union(types), flags));
    }
    ObjectType {
        name: ObjectName::Structural,
        properties,
        additional: merged_additional(&objects).map(Box::new),
        methods: Vec::new(),
        scope: None,
    }
}

fn merged_additional(objects: &[&ObjectType]) -> Option<Property> {
    let present: Vec<&Property> = objects.iter().filter_map(|object| object.additional.as_deref()).collect();
    if present.is_empty() {
        return None;
    }
    if objects.iter().all(|object| object.has_explicit_additional()) {
        return Some(Property::new(Type::any(), PropertyFlags::FALLBACK));
    }
    let mut flags = present.iter().fold(PropertyFlags::all(), |flags, property| flags & property.flags);
    if present.len() < objects.len() {
        flags |= PropertyFlags::FALLBACK;
    }
    Some(Property {
        ty: collapse_or_union(present.iter().map(|property| property.ty.clone())),
        flags,
        description: present.iter().rev().find_map(|property| property.description.clone()),
    })
}

/// Ranges that neither overlap nor touch.
#[derive(Default)]
struct Spans(Vec<Span>);

#[derive(Clone, Copy)]
struct Span {
    min: i64,
    max: i64,
    flags: TypeFlags,
}

impl Span {
    fn of_lengths(min: Option<i64>, max: Option<i64>, flags: TypeFlags) -> Self {
        Self { min: min.unwrap_or(0), max: max.unwrap_or(i64::MAX), flags }
    }

    fn length(&self) -> LengthRange {
        LengthRange {
            min: (self.min > 0).then_some(self.min),
            max: (self.max != i64::MAX).then_some(self.max),
        }
    }

    fn touches(&self, other: &Self) -> bool {
        self.min <= other.max.saturating_add(1) && self.max >= other.min.saturating_sub(1)
    }
}

impl Spans {
    fn push(&mut self, mut span: Span) {
        while let Some(at) = self.0.iter().position(|known| span.touches(known)) {
            let known = self.0.remove(at);
            span = Span {
                min: span.min.min(known.min),
                max: span.max.max(known.max),
                flags: span.flags | known.flags,
            };
        }
        self.0.push(span);
    }

    fn contains(&self, value: i64) -> bool {
        self.0.iter().any(|span| span.min <= value && value <= span.max)
    }
}
