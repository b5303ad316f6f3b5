//! The values of evaluation: JSON that is cheap to clone, with a mark for secrets and a place for what is not known.
//!
//! A value is known, or *unknown* with the expression that would give it and the reason why it cannot be given yet
//! (see [`Unknown`]). Arrays and objects may hold unknown parts: what is around them stays usable.

mod convert;
pub(crate) mod cost;
mod hidden;
mod object;
mod unknown;

use std::sync::Arc;

use smol_str::SmolStr;

pub use self::convert::Secrets;
pub use self::hidden::Hidden;
pub use self::object::Object;
pub(crate) use self::object::fold;
pub use self::unknown::{Gap, Origin, PartialValue, Unknown};
use crate::evaluate::Lambda;

/// What stands for a secure value in messages and documents.
pub const SECURE_TEXT: &str = "<secure value>";

/// One value. Cloning is cheap: strings, arrays and objects are shared.
#[derive(Debug, Clone)]
pub struct Value {
    kind: Kind,
    secure: bool,
}

/// What a value is.
#[derive(Debug, Clone)]
pub enum Kind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number of 64 bits.
    Int(i64),
    /// A number with a fraction. The expression language has no literal for it; JSON has.
    Float(f64),
    /// A text.
    String(Arc<str>),
    /// A list.
    Array(Arc<Array>),
    /// Members in order.
    Object(Arc<Object>),
    /// A function that only `map` and its siblings take.
    Lambda(Arc<Lambda>),
    /// Not known yet.
    Unknown(Arc<Unknown>),
}

/// A list with its marks.
#[derive(Debug)]
pub struct Array {
    items: Vec<Value>,
    marks: Marks,
}

impl std::ops::Deref for Array {
    type Target = [Value];

    fn deref(&self) -> &[Value] {
        &self.items
    }
}

/// What is true of any part of a value; kept with arrays and objects so that nobody has to search for it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Marks {
    pub unknown: bool,
    pub secure: bool,
    /// Levels of nesting.
    pub depth: u16,
    /// About how many bytes the value takes when it is written out. Shared parts count each time they occur, so that
    /// a value that doubles itself is noticed although it takes little memory.
    pub size: u64,
}

impl Marks {
    fn of<'v>(parts: impl Iterator<Item = &'v Value>) -> Self {
        let mut marks = Self { depth: 1, size: 2, ..Self::default() };
        for part in parts {
            let inner = part.marks();
            marks.unknown |= inner.unknown;
            marks.secure |= inner.secure;
            marks.depth = marks.depth.max(inner.depth.saturating_add(1));
            marks.size = marks.size.saturating_add(inner.size);
        }
        marks
    }
}

impl Value {
    /// `null`.
    pub const NULL: Self = Self { kind: Kind::Null, secure: false };

    /// A value of this kind without marks.
    pub const fn new(kind: Kind) -> Self {
        Self { kind, secure: false }
    }

    /// A truth value.
    pub const fn bool(value: bool) -> Self {
        Self::new(Kind::Bool(value))
    }

    /// A whole number.
    pub const fn int(value: i64) -> Self {
        Self::new(Kind::Int(value))
    }

    /// A length or position. Lengths beyond 2^63 do not occur in memory.
    pub fn count(value: usize) -> Self {
        Self::int(i64::try_from(value).unwrap_or(i64::MAX))
    }

    /// A text.
    pub fn string(value: impl Into<Arc<str>>) -> Self {
        Self::new(Kind::String(value.into()))
    }

    /// A list.
    pub fn array(items: Vec<Self>) -> Self {
        let marks = Marks::of(items.iter());
        Self::new(Kind::Array(Arc::new(Array { items, marks })))
    }

    /// An object from members in order; a later member replaces an earlier one of the same name.
    pub fn object<K: Into<SmolStr>>(members: impl IntoIterator<Item = (K, Self)>) -> Self {
        Self::from(members.into_iter().map(|(key, value)| (key.into(), value)).collect::<Object>())
    }

    /// A value that is not known.
    pub fn unknown(unknown: Unknown) -> Self {
        Self::new(Kind::Unknown(Arc::new(unknown)))
    }

    /// What the value is.
    pub const fn kind(&self) -> &Kind {
        &self.kind
    }

    /// The same value with the secure mark.
    #[must_use]
    pub fn into_secure(mut self) -> Self {
        self.secure = true;
        self
    }

    /// Whether this value as a whole carries the secure mark.
    pub const fn is_secure(&self) -> bool {
        self.secure
    }

    /// Whether this value or any part of it carries the secure mark.
    pub fn has_secure(&self) -> bool {
        self.marks().secure
    }

    /// Whether this value as a whole is unknown.
    pub const fn is_unknown(&self) -> bool {
        matches!(self.kind, Kind::Unknown(_))
    }

    /// Whether this value or any part of it is unknown.
    pub fn has_unknown(&self) -> bool {
        self.marks().unknown
    }

    /// Whether this is `null`.
    pub const fn is_null(&self) -> bool {
        matches!(self.kind, Kind::Null)
    }

    /// The truth value, if it is one.
    pub const fn as_bool(&self) -> Option<bool> {
        if let Kind::Bool(value) = self.kind { Some(value) } else { None }
    }

    /// The whole number, if it is one. A float without a fraction counts.
    pub fn as_int(&self) -> Option<i64> {
        match self.kind {
            Kind::Int(value) => Some(value),
            Kind::Float(value) => whole(value),
            _ => None,
        }
    }

    /// The text, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        if let Kind::String(text) = &self.kind { Some(text) } else { None }
    }

    /// The items, if it is a list.
    pub fn as_array(&self) -> Option<&[Self]> {
        if let Kind::Array(array) = &self.kind { Some(&array.items) } else { None }
    }

    /// The object, if it is one.
    pub fn as_object(&self) -> Option<&Object> {
        if let Kind::Object(object) = &self.kind { Some(object) } else { None }
    }

    /// The unknown, if it is one.
    pub fn as_unknown(&self) -> Option<&Unknown> {
        if let Kind::Unknown(unknown) = &self.kind { Some(unknown) } else { None }
    }

    /// A member of an object, by name in any letter case.
    pub fn get(&self, name: &str) -> Option<&Self> {
        self.as_object()?.get(name)
    }

    /// The word for this kind of value, as messages of the Deployments engine use it.
    pub const fn type_name(&self) -> &'static str {
        match self.kind {
            Kind::Null => "Null",
            Kind::Bool(_) => "Boolean",
            Kind::Int(_) => "Integer",
            Kind::Float(_) => "Float",
            Kind::String(_) => "String",
            Kind::Array(_) => "Array",
            Kind::Object(_) => "Object",
            Kind::Lambda(_) => "Lambda",
            Kind::Unknown(_) => "Unknown",
        }
    }

    /// Deep equality in three values: `None` when an unknown part leaves it open.
    pub fn equals(&self, other: &Self) -> Option<bool> {
        match (&self.kind, &other.kind) {
            (Kind::Unknown(_) | Kind::Lambda(_), _) | (_, Kind::Unknown(_) | Kind::Lambda(_)) => None,
            (Kind::Array(a), Kind::Array(b)) => {
                if a.len() != b.len() {
                    return Some(false);
                }
                all(a.iter().zip(b.iter()).map(|(x, y)| x.equals(y)))
            }
            (Kind::Object(a), Kind::Object(b)) => {
                if a.len() != b.len() {
                    return Some(false);
                }
                all(a.iter().map(|(key, x)| b.get_exact(key).map_or(Some(false), |y| x.equals(y))))
            }
            (Kind::Null, Kind::Null) => Some(true),
            (Kind::Bool(a), Kind::Bool(b)) => Some(a == b),
            (Kind::String(a), Kind::String(b)) => Some(a == b),
            (Kind::Int(a), Kind::Int(b)) => Some(a == b),
            (Kind::Float(a), Kind::Float(b)) => Some(a == b),
            (Kind::Int(a), Kind::Float(b)) | (Kind::Float(b), Kind::Int(a)) => Some(whole(*b) == Some(*a)),
            _ => Some(false),
        }
    }

    pub(crate) fn marks(&self) -> Marks {
        let inner = match &self.kind {
            Kind::Array(array) => array.marks,
            Kind::Object(object) => object.marks(),
            Kind::Unknown(unknown) => Marks { unknown: true, ..unknown.expression.marks() },
            Kind::Lambda(lambda) => lambda.body.marks(),
            Kind::String(text) => Marks { size: text.len() as u64 + 2, ..Marks::default() },
            _ => Marks { size: 8, ..Marks::default() },
        };
        Marks { secure: inner.secure || self.secure, ..inner }
    }
}

impl From<Object> for Value {
    fn from(object: Object) -> Self {
        Self::new(Kind::Object(Arc::new(object)))
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::string(text)
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::string(text)
    }
}

/// Equality of what is known; an unknown is equal to nothing, not even itself.
impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        self.equals(other) == Some(true)
    }
}

/// Conjunction in three values: one `false` decides.
fn all(parts: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut result = Some(true);
    for part in parts {
        match part {
            Some(false) => return Some(false),
            None => result = None,
            Some(true) => {}
        }
    }
    result
}

/// The whole number that a float is, if it is one that 64 bits hold exactly.
#[expect(
    clippy::cast_possible_truncation,
    clippy::float_cmp,
    reason = "the range and the fraction are checked"
)]
pub(crate) fn whole(value: f64) -> Option<i64> {
    let in_range = (-9.007_199_254_740_992e15..=9.007_199_254_740_992e15).contains(&value);
    (in_range && value.trunc() == value).then_some(value as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expression::Expr;

    fn open() -> Value {
        Value::unknown(Unknown::new(Expr::call("utcNow", vec![]), Origin::Clock))
    }

    #[test]
    fn equality_is_open_only_where_an_unknown_decides() {
        let a = Value::array(vec![Value::int(1), open()]);
        let b = Value::array(vec![Value::int(2), open()]);
        assert_eq!(a.equals(&b), Some(false), "the first items differ");
        assert_eq!(a.equals(&a), None);
        assert_eq!(a.equals(&Value::array(vec![])), Some(false), "the lengths differ");
        assert_eq!(a.equals(&Value::NULL), Some(false));
    }

    #[test]
    fn marks_of_parts_are_known_to_the_whole() {
        let secret = Value::string("s3cret").into_secure();
        let outer = Value::object([("list", Value::array(vec![secret, open()]))]);
        assert!(outer.has_secure() && outer.has_unknown());
        assert!(!outer.is_secure() && !outer.is_unknown());
        assert_eq!(outer.marks().depth, 3);
    }

    #[test]
    fn objects_are_equal_in_any_order_but_not_in_any_case() {
        let ab = Value::object([("a", Value::int(1)), ("b", Value::NULL)]);
        let ba = Value::object([("b", Value::NULL), ("a", Value::int(1))]);
        assert_eq!(ab.equals(&ba), Some(true));
        assert_eq!(ab.equals(&Value::object([("A", Value::int(1)), ("b", Value::NULL)])), Some(false));
    }
}
