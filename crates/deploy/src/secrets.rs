//! Values without their secrets.

use arm::Value;
use arm::value::Kind;
use serde_json::Value as Json;

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
}
