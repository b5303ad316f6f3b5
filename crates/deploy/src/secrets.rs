//! Values without their secrets.

use arm::Value;
use arm::value::{Hidden, Kind};
use serde_json::Value as Json;

use crate::error::ArmError;

/// The value as JSON, without the members and items that are secure.
pub(crate) fn without(value: &Value) -> Json {
    if !value.has_secure() {
        return value.to_json(arm::Secrets::Hidden);
    }
    if value.is_secure() {
        return Json::Null;
    }
    match value.kind() {
        Kind::Array(items) => items.iter().filter(|item| !item.is_secure()).map(without).collect(),
        Kind::Object(object) => {
            let members = object.iter().filter(|(_, member)| !member.is_secure());
            Json::Object(members.map(|(name, member)| (name.to_string(), without(member))).collect())
        }
        _ => value.to_json(arm::Secrets::Hidden),
    }
}

/// The same value with the secure marks of another one: at the same places, and wherever a secret text of that one occurs.
pub(crate) fn marked(value: &Value, like: &Value) -> Value {
    if !like.has_secure() {
        return value.clone();
    }
    let mut hidden = Hidden::default();
    hidden.add(like);
    mark(value, Some(like), &hidden)
}

fn mark(value: &Value, like: Option<&Value>, hidden: &Hidden) -> Value {
    if like.is_some_and(Value::is_secure) {
        return value.clone().into_secure();
    }
    match value.kind() {
        Kind::String(text) if hidden.occurs_in(text) => value.clone().into_secure(),
        Kind::Array(items) => {
            let like = like.and_then(Value::as_array).unwrap_or_default();
            let items = items.iter().enumerate().map(|(at, item)| mark(item, like.get(at), hidden));
            Value::array(items.collect())
        }
        Kind::Object(members) => Value::object(members.iter().map(|(name, member)| {
            (name.clone(), mark(member, like.and_then(|like| like.get(name)), hidden))
        })),
        _ => value.clone(),
    }
}

/// An error without secret values.
pub(crate) fn clean_error(hidden: &Hidden, mut error: ArmError) -> ArmError {
    if hidden.is_empty() {
        return error;
    }
    hidden.message(&mut error.message);
    error.target.iter_mut().for_each(|target| hidden.text(target));
    error.details = error.details.into_iter().map(|detail| clean_error(hidden, detail)).collect();
    error
}

/// A document whose expressions have no secret values.
pub(crate) fn clean_expressions(hidden: &Hidden, json: &mut Json) {
    match json {
        Json::String(text) if text.starts_with('[') && text.ends_with(']') => hidden.text(text),
        Json::Array(items) => items.iter_mut().for_each(|item| clean_expressions(hidden, item)),
        Json::Object(members) => members.values_mut().for_each(|member| clean_expressions(hidden, member)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn secrets_are_left_out() {
        let secret = || Value::string("hunter2").into_secure();
        let value = Value::object([
            ("user", Value::from("admin")),
            ("password", secret()),
            ("list", Value::array(vec![Value::int(1), secret()])),
            ("inner", Value::object([("key", secret())])),
        ]);
        assert_eq!(without(&value), json!({ "user": "admin", "list": [1], "inner": {} }));
        assert_eq!(without(&secret()), Json::Null);
    }

    #[test]
    fn answers_are_marked_like_what_was_asked() {
        let secret = || Value::string("hunter2").into_secure();
        let asked =
            Value::object([("a", Value::array(vec![Value::int(1), secret()])), ("b", Value::from("plain"))]);
        let answer = Value::from(&json!({ "a": [1, "xyz"], "b": "plain", "c": ["user=x;password=hunter2"] }));
        let marked = marked(&answer, &asked);
        assert_eq!(without(&marked), json!({ "a": [1], "b": "plain", "c": [] }));
    }

    #[test]
    fn messages_and_expressions_are_cleaned() {
        let mut hidden = Hidden::default();
        hidden.add(&Value::array(vec!["it's".into(), "it's more".into(), "abc".into()]).into_secure());
        let error = ArmError::new("X", "'it's more' and it's").because(vec![ArmError::new("Y", "abc it''s")]);
        let error = clean_error(&hidden, error);
        assert_eq!(error.message, "'<secure value>' and <secure value>");
        assert_eq!(error.details.first().map(|it| it.message.as_str()), Some("abc <secure value>"));
        let mut document = json!({ "e": "[concat('it''s')]", "plain": "it's" });
        clean_expressions(&hidden, &mut document);
        assert_eq!(document, json!({ "e": "[concat('<secure value>')]", "plain": "it's" }));
    }
}
