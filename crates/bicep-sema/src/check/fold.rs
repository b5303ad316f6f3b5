//! Computing with literals: calls of pure functions whose arguments are known have a known result.

use arm::evaluate::{Evaluator, Nothing, Scope};
use arm::expression::Expr;
use arm::{Secrets, Value};
use base::{Budget, Limits};
use bicep_types::ty::{IntRange, Kind, ObjectName, ObjectType, PropertyFlags, Type};

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

/// How much may be computed in one file, in parts of literals. Results that contain their arguments more than once double
/// with every call.
#[derive(Debug)]
pub(super) struct Allowance {
    parts: usize,
    /// Items and members that may be copied from one literal into another.
    copies: usize,
    /// Bytes of texts that may be put together from others.
    bytes: usize,
}

impl Default for Allowance {
    fn default() -> Self {
        Self { parts: 50 * MAX_PARTS, copies: 50 * MAX_PARTS, bytes: 8 << 20 }
    }
}

impl Allowance {
    /// Whether so many items or members may be copied, which then counts.
    pub(super) fn copies(&mut self, count: usize) -> bool {
        let left = self.copies.checked_sub(count);
        self.copies = left.unwrap_or(self.copies);
        left.is_some()
    }
}

/// Evaluates a function of templates with arguments that are literals.
pub(super) fn call(name: &str, arguments: &[Type], allowance: &mut Allowance) -> Folded {
    let mut parts = allowance.parts.min(MAX_PARTS);
    let before = parts;
    let values = arguments.iter().map(|it| value(it, MAX_DEPTH, &mut parts)).collect::<Option<Vec<_>>>();
    allowance.parts -= before - parts;
    let Some(values) = values else { return Folded::Unknown };
    let arguments = values.iter().map(Expr::of_value).collect();
    let budget = Budget::new(Limits { steps: 100_000, memory: 4 << 20, ..Limits::default() });
    let evaluator = Evaluator::new(&Nothing, &budget);
    match evaluator.expression(&Expr::call(name, arguments), &Scope::free()) {
        Ok(result) if result.has_unknown() => Folded::Unknown,
        Ok(result) => match literal(&result.to_json(Secrets::Shown)) {
            Some(ty) => Folded::Literal(ty),
            None => Folded::Unknown,
        },
        Err(error) if error.is_overrun() => Folded::Unknown,
        Err(error) => Folded::Failed(error.message().to_owned()),
    }
}

/// Nesting of literals that is looked into.
const MAX_DEPTH: usize = 40;

/// How many parts the arguments of a call may have.
const MAX_PARTS: usize = 10_000;

/// A literal type as a value, if it has no more parts than these.
fn value(ty: &Type, depth: usize, parts: &mut usize) -> Option<Value> {
    let depth = depth.checked_sub(1)?;
    *parts = parts.checked_sub(1)?;
    match ty.kind() {
        Kind::Null => Some(Value::NULL),
        Kind::BoolLiteral(value) => Some(Value::bool(*value)),
        Kind::IntLiteral(value) => Some(Value::int(*value)),
        Kind::StringLiteral(text) => Some(Value::string(text.as_str())),
        Kind::Tuple(tuple) => {
            let items = tuple.items.iter().map(|item| value(item, depth, parts));
            Some(Value::array(items.collect::<Option<_>>()?))
        }
        Kind::Object(object) if object.additional.is_none() => {
            let mut members = Vec::new();
            for (name, property) in object.sorted() {
                members.push((name.clone(), value(&property.ty, depth, parts)?));
            }
            Some(Value::object(members))
        }
        _ => None,
    }
}

/// A value as a literal type; fractions have none.
fn literal(value: &serde_json::Value) -> Option<Type> {
    use serde_json::Value as Json;
    Some(match value {
        Json::Null => Type::null(),
        Json::Bool(value) => Type::bool_literal(*value),
        Json::Number(number) => Type::int_literal(number.as_i64()?),
        Json::String(text) => Type::string_literal(text.as_str()),
        Json::Array(items) => Type::tuple(items.iter().map(literal).collect::<Option<Vec<_>>>()?),
        Json::Object(members) => {
            let mut object = ObjectType { name: ObjectName::Structural, ..ObjectType::named("") };
            for (name, value) in members {
                let flags = PropertyFlags::REQUIRED | PropertyFlags::DISALLOW_ANY;
                object = object.with_property(name.as_str(), literal(value)?, flags);
            }
            object.into()
        }
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
pub(super) fn interpolation(
    segments: &[String],
    holes: &[Type],
    allowance: &mut Allowance,
) -> Option<String> {
    let mut text = String::new();
    let mut segments = segments.iter();
    text.push_str(segments.next()?);
    for (hole, segment) in holes.iter().zip(segments) {
        text.push_str(&literal_text(hole)?);
        text.push_str(segment);
        if text.len() > allowance.bytes {
            return None;
        }
    }
    allowance.bytes = allowance.bytes.saturating_sub(text.len());
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
