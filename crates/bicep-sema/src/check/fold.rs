//! Computing with literals: calls of pure functions whose arguments are known have a known result.

use bicep_types::ty::{IntRange, Kind, Type};

use super::expression::utf16_len;

/// What became of a call with these arguments.
pub(super) enum Folded {
    /// The result, as a literal type.
    Literal(Type),
    /// It would fail when deployed.
    Failed(String),
    /// The arguments are not known, or not all that matters is known here.
    Unknown,
}

/// Evaluates a function of templates with arguments that are literals.
pub(super) fn call(name: &str, arguments: &[Type]) -> Folded {
    match (name, arguments) {
        ("equals", [left, right]) => match literals_equal(left, right) {
            Some(equal) => Folded::Literal(Type::bool_literal(equal)),
            None => Folded::Unknown,
        },
        ("add" | "sub" | "mul" | "div" | "mod", [left, right]) => arithmetic(name, left, right),
        ("less" | "lessOrEquals" | "greater" | "greaterOrEquals", [left, right]) => {
            let ordering = match (left.kind(), right.kind()) {
                (Kind::StringLiteral(a), Kind::StringLiteral(b)) => a.as_str().cmp(b.as_str()),
                (Kind::IntLiteral(a), Kind::IntLiteral(b)) => a.cmp(b),
                _ => return Folded::Unknown,
            };
            let holds = match name {
                "less" => ordering.is_lt(),
                "lessOrEquals" => ordering.is_le(),
                "greater" => ordering.is_gt(),
                _ => ordering.is_ge(),
            };
            Folded::Literal(Type::bool_literal(holds))
        }
        ("coalesce", [left, right]) if left.is_literal() && right.is_literal() => {
            Folded::Literal(if left.is_null() { right.clone() } else { left.clone() })
        }
        _ => Folded::Unknown,
    }
}

fn arithmetic(name: &str, left: &Type, right: &Type) -> Folded {
    let (Kind::IntLiteral(a), Kind::IntLiteral(b)) = (left.kind(), right.kind()) else {
        return Folded::Unknown;
    };
    let result = match name {
        "add" => a.checked_add(*b),
        "sub" => a.checked_sub(*b),
        "mul" => a.checked_mul(*b),
        "div" => a.checked_div(*b),
        _ => a.checked_rem(*b),
    };
    match result {
        Some(value) => Folded::Literal(Type::int_literal(value)),
        None if *b == 0 => Folded::Failed("division by zero".into()),
        None => Folded::Failed("the result is too large".into()),
    }
}

fn literals_equal(left: &Type, right: &Type) -> Option<bool> {
    let known = |ty: &Type| {
        matches!(ty.kind(), Kind::StringLiteral(_) | Kind::IntLiteral(_) | Kind::BoolLiteral(_) | Kind::Null)
    };
    if !known(left) || !known(right) {
        return None;
    }
    Some(match (left.kind(), right.kind()) {
        (Kind::StringLiteral(a), Kind::StringLiteral(b)) => a == b,
        (Kind::IntLiteral(a), Kind::IntLiteral(b)) => a == b,
        (Kind::BoolLiteral(a), Kind::BoolLiteral(b)) => a == b,
        (Kind::Null, Kind::Null) => true,
        _ => false,
    })
}

/// A literal text in lower case, any other text as it is.
pub(super) fn lower_case(ty: &Type) -> Type {
    match ty.kind() {
        Kind::StringLiteral(text) => Type::string_literal(text.to_lowercase()),
        _ => ty.clone(),
    }
}

/// A text with holes whose values are known.
pub(super) fn interpolation(segments: &[String], holes: &[Type]) -> Option<String> {
    let mut text = String::new();
    let mut segments = segments.iter();
    text.push_str(segments.next()?);
    for (hole, segment) in holes.iter().zip(segments) {
        text.push_str(&literal_text(hole)?);
        text.push_str(segment);
    }
    Some(text)
}

/// A literal as text.
fn literal_text(ty: &Type) -> Option<String> {
    match ty.kind() {
        Kind::StringLiteral(text) => Some(text.to_string()),
        Kind::IntLiteral(value) => Some(value.to_string()),
        Kind::BoolLiteral(true) => Some("True".into()),
        Kind::BoolLiteral(false) => Some("False".into()),
        Kind::Null => Some(String::new()),
        _ => None,
    }
}

/// The smallest and the largest length of a value as text.
pub(super) fn text_lengths(ty: &Type) -> (i64, Option<i64>) {
    if let Some(text) = literal_text(ty) {
        let length = utf16_len(&text);
        return (length, Some(length));
    }
    match ty.kind() {
        Kind::Union(members) => {
            let mut lengths = members.iter().map(text_lengths);
            let Some(first) = lengths.next() else { return (0, Some(0)) };
            lengths.fold(first, |(min, max), (other_min, other_max)| {
                (min.min(other_min), max.zip(other_max).map(|(a, b)| a.max(b)))
            })
        }
        Kind::Never => (0, Some(0)),
        Kind::String(shape) => (shape.min_length.unwrap_or(0), shape.max_length),
        Kind::Int(range) => int_lengths(*range),
        Kind::Bool => (4, Some(5)),
        Kind::Array(_) | Kind::Tuple(_) | Kind::Object(_) | Kind::Discriminated(_) => (2, None),
        _ => (0, None),
    }
}

fn int_lengths(range: IntRange) -> (i64, Option<i64>) {
    let (min, max) = (range.min.unwrap_or(i64::MIN), range.max.unwrap_or(i64::MAX));
    let length = |value: i64| utf16_len(&value.to_string());
    let longest = length(min).max(length(max));
    let shortest = if min < 0 && max >= 0 { 1 } else { length(min).min(length(max)) };
    (shortest, Some(longest))
}
