//! The values that types made of literals stand for.

use bicep_types::ty::{Kind, Property, Type};

use crate::value::{Member, Value};

/// The value that a literal type stands for.
pub(crate) fn literal_value(ty: &Type) -> Value {
    match ty.kind() {
        Kind::StringLiteral(text) => Value::text(text.as_str()),
        Kind::IntLiteral(value) => Value::Int(*value),
        Kind::BoolLiteral(value) => Value::Bool(*value),
        Kind::Tuple(tuple) => Value::Array(tuple.items.iter().map(literal_value).collect()),
        Kind::Object(object) => {
            let member = |(name, property): (&base::SmolStr, &Property)| {
                Member::new(name.as_str(), literal_value(&property.ty))
            };
            Value::Object(object.properties.iter().map(member).collect())
        }
        _ => Value::Null,
    }
}
