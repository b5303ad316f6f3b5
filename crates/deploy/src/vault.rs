//! Secrets of key vaults that are kept here. They are in a table of their own, sealed, which nothing but a deployment that refers
//! to them reads.

use std::collections::BTreeMap;

use json::Node;
use serde_json::Value as Json;

use crate::engine::Inner;
use crate::error::ArmError;
use crate::messages;
use crate::scope::key;

/// The type of the secrets of a vault.
pub(crate) const SECRET_TYPE: &str = "Microsoft.KeyVault/vaults/secrets";

/// The values of the secrets that the parameters of a request refer to, by the parameter's name.
pub(crate) async fn secrets(
    inner: &Inner,
    properties: Option<&Node>,
) -> Result<BTreeMap<String, String>, ArmError> {
    let mut found = BTreeMap::new();
    let parameters = properties.and_then(|properties| properties.get_ignore_case("parameters"));
    for (name, parameter) in
        parameters.map(Node::to_value).as_ref().and_then(Json::as_object).into_iter().flatten()
    {
        if let Some(reference) = parameter.get("reference") {
            found.insert(name.clone(), secret(inner, name, reference).await?);
        }
    }
    Ok(found)
}

/// The value of the secret that a parameter refers to: `{keyVault: {id}, secretName, secretVersion?}`.
pub(crate) async fn secret(inner: &Inner, parameter: &str, reference: &Json) -> Result<String, ArmError> {
    let vault = reference.pointer("/keyVault/id").and_then(Json::as_str).unwrap_or_default();
    let name = reference.get("secretName").and_then(Json::as_str).unwrap_or_default();
    let value = inner.store.secret(&key(&format!("{vault}/secrets/{name}"))).await?;
    value.ok_or_else(|| messages::vault_secret(parameter))
}
