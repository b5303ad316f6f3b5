//! Parts of values: `.name` and `[index]`.

use super::unknown_part;
use crate::error::Error;
use crate::messages;
use crate::value::{Kind, Unknown, Value};

/// The part of a value under a name or position. Parts of secure values are secure.
pub(crate) fn part(value: &Value, key: &Value) -> Result<Value, Error> {
    let part = match (value.kind(), key.kind()) {
        (Kind::Unknown(unknown), _) => return Ok(unknown_part(value, unknown, key)),
        (_, Kind::Unknown(_)) => {
            let whole = Unknown::of_parts(crate::expression::Expr::of_value(value), [value]);
            return Ok(unknown_part(value, &whole, key));
        }
        (Kind::Object(object), Kind::String(name)) => object
            .get(name)
            .ok_or_else(|| messages::no_such_property(name, (!value.is_secure()).then_some(object)))?,
        (Kind::Array(items), Kind::Int(_) | Kind::Float(_)) => {
            let index = key.as_int().ok_or_else(|| messages::bad_index(value, key))?;
            let item = usize::try_from(index).ok().and_then(|index| items.get(index));
            item.ok_or_else(|| messages::index_out_of_range(index, items.len()))?
        }
        _ => return Err(messages::bad_index(value, key)),
    };
    Ok(if value.is_secure() { part.clone().into_secure() } else { part.clone() })
}

/// The same, with `None` where there is no such part.
pub(crate) fn try_part(value: &Value, key: &Value) -> Result<Option<Value>, Error> {
    match (value.kind(), key.kind()) {
        (Kind::Null, _) => Ok(None),
        (Kind::Object(object), Kind::String(name)) if object.get(name).is_none() => Ok(None),
        (Kind::Array(items), Kind::Int(index))
            if usize::try_from(*index).map_or(true, |index| index >= items.len()) =>
        {
            Ok(None)
        }
        _ => part(value, key).map(Some),
    }
}
