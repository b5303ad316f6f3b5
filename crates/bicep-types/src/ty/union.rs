//! Unions: flat, without duplicates, in a fixed order.

use std::borrow::Cow;
use std::cmp::Ordering;

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::display::name;
use super::{IntRange, Kind, StringShape, Type};

/// The union of types: `never` of none, the type itself of one, `any` as soon as `any` is among them. The plain `array`
/// takes up every other array.
pub fn union(types: impl IntoIterator<Item = Type>) -> Type {
    let mut types = types.into_iter();
    let (first, second) = (types.next(), types.next());
    if let (Some(only), None) = (&first, &second)
        && !only.is_any()
        && !matches!(only.kind(), Kind::Union(_))
    {
        return only.clone();
    }
    let mut members: IndexSet<Type, FxBuildHasher> = IndexSet::default();
    let mut any_array = false;
    for ty in first.into_iter().chain(second).chain(types) {
        for member in ty.members() {
            if member.is_any() {
                return Type::any();
            }
            if any_array && is_array(member) {
                continue;
            }
            if is_plain_array(member) {
                any_array = true;
                members.retain(|known| !is_array(known));
            }
            members.insert(member.clone());
        }
    }
    let members = in_display_order(members);
    match members.len() {
        0 => Type::never(),
        1 => members.into_iter().next().unwrap_or_else(Type::never),
        _ => Type::new(Kind::Union(members)),
    }
}

/// Whether it is `array`. What is not computed yet is not looked into: it may be what this union is part of.
fn is_plain_array(ty: &Type) -> bool {
    matches!(ty.kind(), Kind::Array(array) if !array.item.is_open()) && *ty == Type::array()
}

fn is_array(ty: &Type) -> bool {
    matches!(ty.kind(), Kind::Array(_) | Kind::Tuple(_))
}

/// Sorts types as they are listed for the reader: by name, and by bounds where the name does not say them.
pub(super) fn in_display_order(types: impl IntoIterator<Item = Type>) -> Vec<Type> {
    let types: Vec<Type> = types.into_iter().collect();
    if types.len() < 2 {
        return types;
    }
    let mut named: Vec<(Cow<'_, str>, &Type)> = types.iter().map(|ty| (name(ty), ty)).collect();
    if named.is_sorted_by(|a, b| compare(a, b).is_le()) {
        return types;
    }
    named.sort_by(compare);
    named.into_iter().map(|(_, ty)| ty.clone()).collect()
}

fn compare((a_name, a): &(Cow<'_, str>, &Type), (b_name, b): &(Cow<'_, str>, &Type)) -> Ordering {
    let ranges = match (a.kind(), b.kind()) {
        (Kind::Int(a), Kind::Int(b)) => Some((*a, *b)),
        (Kind::String(a), Kind::String(b)) => Some((lengths(a), lengths(b))),
        _ if is_array(a) && is_array(b) && a_name == b_name => Some((item_counts(a), item_counts(b))),
        _ => None,
    };
    match ranges {
        Some((a, b)) => compare_bounds(a.min, b.min).then_with(|| compare_bounds(a.max, b.max)),
        // Both orders are the same for ASCII, and bytes are compared many at a time.
        None if a_name.is_ascii() && b_name.is_ascii() => a_name.cmp(b_name),
        None => a_name.encode_utf16().cmp(b_name.encode_utf16()),
    }
}

fn lengths(shape: &StringShape) -> IntRange {
    IntRange { min: shape.min_length, max: shape.max_length }
}

fn item_counts(ty: &Type) -> IntRange {
    match ty.kind() {
        Kind::Array(array) => array.length,
        Kind::Tuple(tuple) => IntRange { min: Some(tuple.len()), max: Some(tuple.len()) },
        _ => IntRange::default(),
    }
}

/// A bound comes before no bound.
fn compare_bounds(a: Option<i64>, b: Option<i64>) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => a.cmp(&b),
        (a, b) => b.is_some().cmp(&a.is_some()),
    }
}
