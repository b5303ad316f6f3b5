//! The built-in roles of Azure, by which clients look up the role of an assignment. Nobody's permissions are checked here, so the
//! roles have none.

use serde_json::{Value as Json, json};

use crate::scope::{ResourceId, key, subscription_key};

/// The type of roles.
pub(crate) const ROLE_TYPE: &str = "Microsoft.Authorization/roleDefinitions";

/// The ids of roles and their names.
const ROLES: &[(&str, &str)] = &[
    ("8311e382-0749-4cb8-b61a-304f252e45ec", "AcrPush"),
    ("7f951dda-4ed3-4680-a7ca-43fe172d538d", "AcrPull"),
    ("b24988ac-6180-42a0-ab88-20f7382dd24c", "Contributor"),
    ("00482a5a-887f-4fb3-b363-3b7fe8e74483", "Key Vault Administrator"),
    ("14b46e9e-c2b7-41b4-b07b-48a6ebf60603", "Key Vault Crypto Officer"),
    ("f25e0fa2-a7c8-4377-a976-54943a77a395", "Key Vault Contributor"),
    ("21090545-7ca7-4776-b22c-e363652d74d2", "Key Vault Reader"),
    ("b86a8fe4-44ce-4948-aee5-eccb2c155cd7", "Key Vault Secrets Officer"),
    ("4633458b-17de-408a-b874-0445c86b69e6", "Key Vault Secrets User"),
    ("e40ec5ca-96e0-45a2-b4ff-59039f2c2b59", "Managed Identity Contributor"),
    ("f1a07417-d97a-45cb-824c-7a7467783830", "Managed Identity Operator"),
    ("749f88d5-cbae-40b8-bcfc-e573ddc772fa", "Monitoring Contributor"),
    ("43d0d8ad-25c7-4714-9337-8ba259a9fe05", "Monitoring Reader"),
    ("4d97b98b-1d4f-4787-a291-c67834d212e7", "Network Contributor"),
    ("8e3af657-a8ff-443c-a75c-2fe8c4bcb635", "Owner"),
    ("acdd72a7-3385-48ef-bd42-f606fba81ae7", "Reader"),
    ("17d1049b-9a84-46fb-8f53-869881c3d3ab", "Storage Account Contributor"),
    ("ba92f5b4-2d11-453d-a403-e96b0029c9fe", "Storage Blob Data Contributor"),
    ("b7e6dc6d-f1e8-4753-8033-0f276bb0955b", "Storage Blob Data Owner"),
    ("2a2b9908-6ea1-4ae2-8e65-a410df84e7d1", "Storage Blob Data Reader"),
    ("974c5e8b-45b9-4653-ba55-5f855dd0fb88", "Storage Queue Data Contributor"),
    ("0a9a7e1f-b9d0-4cc4-a60d-0319b160aaa3", "Storage Table Data Contributor"),
    ("18d7d88d-d35e-4fb5-a5c3-7773c20a72d9", "User Access Administrator"),
    ("9980e02c-c2be-4d73-94e8-173b1dc7cf3c", "Virtual Machine Contributor"),
];

/// All built-in roles as a scope shows them.
pub(crate) fn all(scope: &str) -> impl Iterator<Item = Json> {
    ROLES.iter().map(move |(id, name)| document(scope, id, name))
}

/// The built-in role with an id, if it is the id of one.
pub(crate) fn find(id: &str) -> Option<Json> {
    let parts = ResourceId::parse(id).filter(|parts| parts.resource_type.eq_ignore_ascii_case(ROLE_TYPE))?;
    let wanted = parts.names.last()?;
    let (id, name) = ROLES.iter().find(|(id, _)| id.eq_ignore_ascii_case(wanted))?;
    Some(document(&parts.scope, id, name))
}

/// The id of the subscription that the roles of a scope belong to; nothing above subscriptions.
pub(crate) fn owner(scope: &str) -> &str {
    scope.get(..subscription_key(&key(scope)).len()).unwrap_or_default()
}

fn document(scope: &str, id: &str, name: &str) -> Json {
    let owner = owner(scope);
    json!({
        "id": format!("{owner}/providers/{ROLE_TYPE}/{id}"),
        "name": id,
        "type": ROLE_TYPE,
        "properties": {
            "roleName": name, "type": "BuiltInRole", "description": "", "assignableScopes": ["/"],
            "permissions": [],
        },
    })
}
