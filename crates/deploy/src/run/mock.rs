//! Answers that only the service has. Here they are made up, the same for the same question, so that templates that need
//! keys or zones can be tried out.

use arm::Value;
use uuid::Uuid;

/// The answer of a `list…` function.
pub(crate) fn list(function: &str, id: &str) -> Value {
    let key = |name: &str| Value::from(secret(id, name));
    let entry = |name: &str| {
        Value::object([
            ("keyName", Value::from(name)),
            ("value", key(name)),
            ("permissions", Value::from("FULL")),
        ])
    };
    let connection = |name: &str| Value::from(format!("Endpoint=local;Id={id};Key={}", secret(id, name)));
    let signature =
        |name: &str| Value::from(format!("sv=2024-01-01&sig={}", secret(id, name).replace('=', "%3D")));
    let described = |name: &str| {
        Value::object([("connectionString", connection(name)), ("description", Value::from(name))])
    };
    Value::object([
        ("keys", Value::array(vec![entry("key1"), entry("key2")])),
        ("key1", key("key1")),
        ("key2", key("key2")),
        ("primaryKey", key("primary")),
        ("secondaryKey", key("secondary")),
        ("primaryMasterKey", key("primaryMaster")),
        ("secondaryMasterKey", key("secondaryMaster")),
        ("primarySharedKey", key("primaryShared")),
        ("secondarySharedKey", key("secondaryShared")),
        ("primaryConnectionString", connection("primary")),
        ("secondaryConnectionString", connection("secondary")),
        ("connectionStrings", Value::array(vec![described("primary"), described("secondary")])),
        ("accountSasToken", signature("accountSas")),
        ("serviceSasToken", signature("serviceSas")),
        ("value", key(function)),
        ("username", Value::from("local")),
        (
            "passwords",
            Value::array(
                ["password", "password2"]
                    .map(|name| Value::object([("name", Value::from(name)), ("value", key(name))]))
                    .to_vec(),
            ),
        ),
    ])
}

/// The answer of a function of the service; nothing if it cannot be made up.
pub(super) fn service(name: &str, args: &[Value]) -> Option<Value> {
    match name.to_ascii_lowercase().as_str() {
        "pickzones" => {
            let count = args.get(3).and_then(Value::as_int).unwrap_or(1).clamp(1, 3);
            Some(Value::array((1..=count).map(|zone| Value::from(zone.to_string())).collect()))
        }
        "tologicalzone" | "tophysicalzone" | "tologicalzones" | "tophysicalzones" => args.get(2).cloned(),
        "roledefinitions" => {
            let role = args.first()?.as_str()?;
            let id = Uuid::new_v5(&Uuid::NAMESPACE_OID, role.to_lowercase().as_bytes()).to_string();
            Some(Value::object([
                ("id", Value::from(format!("/providers/Microsoft.Authorization/roleDefinitions/{id}"))),
                ("roleDefinitionId", Value::from(id)),
            ]))
        }
        "providers" => Some(Value::object([
            ("namespace", args.first().cloned().unwrap_or_default()),
            ("resourceTypes", Value::array(Vec::new())),
        ])),
        _ => None,
    }
}

/// A key that looks like one, 64 bytes in Base64, and opens nothing.
fn secret(id: &str, name: &str) -> String {
    let part = |salt: &str| {
        Uuid::new_v5(&Uuid::NAMESPACE_OID, format!("{}\n{name}\n{salt}", id.to_lowercase()).as_bytes())
            .simple()
            .to_string()
    };
    let digits: String =
        ["a", "b", "c"].iter().flat_map(|salt| part(salt).chars().collect::<Vec<_>>()).take(85).collect();
    format!("{digits}A==")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_base64_of_64_bytes_and_the_same_for_the_same_resource() {
        let key = secret("/a", "key1");
        assert_eq!((key.len(), key.ends_with("A==")), (88, true));
        assert_eq!(key, secret("/A", "key1"));
        assert_ne!(key, secret("/a", "key2"));
    }
}
