//! What providers assign to resources that the catalogue does not mark as theirs, or while there is no catalogue: addresses,
//! identities, and the ids of children that stand inside of their parent.

use serde_json::{Map, Value as Json, json};
use uuid::Uuid;

use crate::scope::ResourceId;

/// A property that a provider assigns.
struct AssignedProperty {
    /// The type, in lower case.
    resource_type: &'static str,
    /// The dotted path below `properties`.
    path: &'static str,
    /// The value: `{name}` stands for the name of the resource in lower case, `{guid}` for an id that is always the same for the
    /// same property, `{scope}` for the id of what the resource lives in, `{octet}` for a number from 1 to 254.
    value: &'static str,
}

const fn row(resource_type: &'static str, path: &'static str, value: &'static str) -> AssignedProperty {
    AssignedProperty { resource_type, path, value }
}

const TENANT: &str = "00000000-0000-0000-0000-000000000001";

const STORAGE: &str = "microsoft.storage/storageaccounts";
const IDENTITY: &str = "microsoft.managedidentity/userassignedidentities";
const INSIGHTS: &str = "microsoft.insights/components";
const BUS: &str = "https://{name}.servicebus.windows.net:443/";
const HOST: &str = "fullyQualifiedDomainName";

const ASSIGNED: &[AssignedProperty] = &[
    row("microsoft.app/managedenvironments", "defaultDomain", "{name}.azurecontainerapps.io"),
    row("microsoft.appconfiguration/configurationstores", "endpoint", "https://{name}.azconfig.io"),
    row("microsoft.authorization/policyassignments", "scope", "{scope}"),
    row("microsoft.authorization/roleassignments", "scope", "{scope}"),
    row("microsoft.authorization/roledefinitions", "type", "CustomRole"),
    row("microsoft.cache/redis", "hostName", "{name}.redis.cache.windows.net"),
    row("microsoft.cognitiveservices/accounts", "endpoint", "https://{name}.cognitiveservices.azure.com/"),
    row("microsoft.containerregistry/registries", "loginServer", "{name}.azurecr.io"),
    row("microsoft.dbformysql/flexibleservers", HOST, "{name}.mysql.database.azure.com"),
    row("microsoft.dbforpostgresql/flexibleservers", HOST, "{name}.postgres.database.azure.com"),
    row(
        "microsoft.documentdb/databaseaccounts",
        "documentEndpoint",
        "https://{name}.documents.azure.com:443/",
    ),
    row("microsoft.eventhub/namespaces", "serviceBusEndpoint", BUS),
    row(INSIGHTS, "AppId", "{guid}"),
    row(INSIGHTS, "InstrumentationKey", "{guid}"),
    row("microsoft.keyvault/vaults", "vaultUri", "https://{name}.vault.azure.net/"),
    row(IDENTITY, "clientId", "{guid}"),
    row(IDENTITY, "principalId", "{guid}"),
    row(IDENTITY, "tenantId", TENANT),
    // Addresses that are set aside for examples.
    row("microsoft.network/publicipaddresses", "ipAddress", "203.0.113.{octet}"),
    row("microsoft.operationalinsights/workspaces", "customerId", "{guid}"),
    row("microsoft.servicebus/namespaces", "serviceBusEndpoint", BUS),
    row("microsoft.signalrservice/signalr", "hostName", "{name}.service.signalr.net"),
    row("microsoft.sql/servers", HOST, "{name}.database.windows.net"),
    row(STORAGE, "primaryEndpoints.blob", "https://{name}.blob.core.windows.net/"),
    row(STORAGE, "primaryEndpoints.dfs", "https://{name}.dfs.core.windows.net/"),
    row(STORAGE, "primaryEndpoints.file", "https://{name}.file.core.windows.net/"),
    row(STORAGE, "primaryEndpoints.queue", "https://{name}.queue.core.windows.net/"),
    row(STORAGE, "primaryEndpoints.table", "https://{name}.table.core.windows.net/"),
    row(STORAGE, "primaryEndpoints.web", "https://{name}.web.core.windows.net/"),
    row("microsoft.web/sites", "defaultHostName", "{name}.azurewebsites.net"),
    row("microsoft.web/staticsites", "defaultHostname", "{name}.azurestaticapps.net"),
];

/// Adds to a document what its provider assigns, where nothing is set.
pub(super) fn assign(id: &str, document: &mut Map<String, Json>) {
    let Some(parts) = ResourceId::parse(id) else { return };
    assign_identity(id, document);
    let Some(Json::Object(properties)) = document.get_mut("properties") else { return };
    for assigned in rows(&parts.resource_type) {
        set(properties, assigned.path, || json!(value(assigned, id, &parts)));
    }
    if has_inline_children(&parts.resource_type) {
        for (name, list) in properties.iter_mut() {
            let items = list.as_array_mut().into_iter().flatten().filter_map(Json::as_object_mut);
            for item in items.filter(|item| !item.contains_key("id")) {
                if let Some(child) = item.get("name").and_then(Json::as_str) {
                    let child = json!(format!("{id}/{name}/{child}"));
                    item.insert("id".into(), child);
                }
            }
        }
    }
}

/// Whether a provider assigns the member at a path such as `properties.vaultUri` or `properties.subnets[0].id`.
pub(crate) fn is_assigned(resource_type: &str, path: &str) -> bool {
    if matches!(path, "identity.principalId" | "identity.tenantId") {
        return true;
    }
    let Some(inside) = path.strip_prefix("properties.") else { return false };
    rows(resource_type).any(|assigned| assigned.path.eq_ignore_ascii_case(inside))
        || has_inline_children(resource_type) && is_item_id(inside)
}

/// The children of one type that stand in the document of their parent, as resources of their own.
pub(crate) fn inline_children(parent: &Json, child_type: &str) -> Vec<Json> {
    let (Some(id), Some(of)) = (parent["id"].as_str(), parent["type"].as_str()) else { return Vec::new() };
    let Some(properties) = parent["properties"].as_object().filter(|_| has_inline_children(of)) else {
        return Vec::new();
    };
    let Some((name, list)) = properties.iter().find(|(name, _)| name.eq_ignore_ascii_case(child_type)) else {
        return Vec::new();
    };
    let child = |item: &Json| {
        let mut members = Map::new();
        members.insert("id".into(), json!(format!("{id}/{name}/{}", item["name"].as_str()?)));
        members.insert("name".into(), item["name"].clone());
        members.insert("type".into(), json!(format!("{of}/{name}")));
        let rest = item.as_object()?.iter().filter(|(name, _)| !members.contains_key(*name));
        let rest: Vec<(String, Json)> = rest.map(|(name, value)| (name.clone(), value.clone())).collect();
        members.extend(rest);
        members.entry("properties").or_insert_with(|| json!({}));
        Some(Json::Object(members))
    };
    list.as_array().into_iter().flatten().filter_map(child).collect()
}

/// Lists of network resources that show the children of a type, whether they were written with their parent or on their own.
const EMBEDDED: &[(&str, &[&str])] = &[
    ("microsoft.network/loadbalancers", &["backendAddressPools", "inboundNatRules"]),
    ("microsoft.network/networksecuritygroups", &["securityRules"]),
    ("microsoft.network/routetables", &["routes"]),
    ("microsoft.network/virtualnetworks", &["subnets", "virtualNetworkPeerings"]),
];

/// The lists of a type that show its children.
pub(crate) fn embedded_types(resource_type: &str) -> &'static [&'static str] {
    let of = resource_type.to_lowercase();
    EMBEDDED.iter().find(|(known, _)| *known == of).map_or(&[], |(_, lists)| lists)
}

/// Shows a child in a list of its parent, in the place of one of its name.
pub(crate) fn embed(parent: &mut Json, list: &str, child: Option<Json>) {
    let Some(properties) = parent.get_mut("properties").and_then(Json::as_object_mut) else { return };
    let Some(items) = properties.entry(list).or_insert_with(|| json!([])).as_array_mut() else { return };
    let Some(mut child) = child else { return };
    if let Some(members) = child.as_object_mut() {
        members.shift_remove("apiVersion");
    }
    match items.iter_mut().find(|item| item.get("name") == child.get("name")) {
        Some(item) => *item = child,
        None => items.push(child),
    }
}

/// Takes a child out of its parent. Says whether it was there.
pub(super) fn remove_inline_child(parent: &mut Json, child_type: &str, name: &str) -> bool {
    let Some(properties) = parent.get_mut("properties").and_then(Json::as_object_mut) else { return false };
    let list = properties.iter_mut().find(|(list, _)| list.eq_ignore_ascii_case(child_type));
    let Some(items) = list.and_then(|(_, list)| list.as_array_mut()) else { return false };
    let count = items.len();
    items.retain(|item| !item["name"].as_str().is_some_and(|its| its.eq_ignore_ascii_case(name)));
    items.len() < count
}

fn rows(resource_type: &str) -> impl Iterator<Item = &'static AssignedProperty> {
    let of = resource_type.to_lowercase();
    ASSIGNED.iter().filter(move |assigned| assigned.resource_type == of)
}

/// Network resources name their parts, and each part has an id that others refer to.
fn has_inline_children(resource_type: &str) -> bool {
    let is_network = |space: &str| space.eq_ignore_ascii_case("Microsoft.Network");
    resource_type.split_once('/').is_some_and(|(space, _)| is_network(space))
}

/// Whether a path is the id of an item of a list: `subnets[0].id`.
fn is_item_id(path: &str) -> bool {
    path.strip_suffix(".id").is_some_and(|list| list.ends_with(']') && !list.contains('.'))
}

fn set(members: &mut Map<String, Json>, path: &str, value: impl FnOnce() -> Json) {
    match path.split_once('.') {
        None if members.keys().any(|known| known.eq_ignore_ascii_case(path)) => {}
        None => {
            members.insert(path.to_owned(), value());
        }
        Some((name, rest)) => {
            let inner = members.entry(name).or_insert_with(|| json!({}));
            if let Json::Object(inner) = inner {
                set(inner, rest, value);
            }
        }
    }
}

/// A resource that asks for an identity of its own gets one.
fn assign_identity(id: &str, document: &mut Map<String, Json>) {
    let Some(Json::Object(identity)) = document.get_mut("identity") else { return };
    let kind = identity.get("type").and_then(Json::as_str).unwrap_or_default().to_lowercase();
    if kind.contains("systemassigned") {
        set(identity, "principalId", || json!(made_up_id(id, "identity.principalid").to_string()));
        set(identity, "tenantId", || json!(TENANT));
    }
}

fn value(assigned: &AssignedProperty, id: &str, parts: &ResourceId) -> String {
    let name = parts.names.last().map(|name| name.to_lowercase()).unwrap_or_default();
    let guid = made_up_id(id, &format!("properties.{}", assigned.path.to_lowercase()));
    let octet = guid.as_u128() % 254 + 1;
    let scope = if parts.scope.is_empty() { "/" } else { &parts.scope };
    let text = assigned.value.replace("{name}", &name).replace("{scope}", scope);
    text.replace("{guid}", &guid.to_string()).replace("{octet}", &octet.to_string())
}

/// An id that is always the same for the same property of the same resource.
pub(super) fn made_up_id(id: &str, path: &str) -> Uuid {
    Uuid::new_v5(&Uuid::NAMESPACE_OID, format!("{}\n{path}", id.to_lowercase()).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    const GROUP: &str = "/subscriptions/1/resourceGroups/g";

    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "reads better in the tests")]
    fn check(of: &str, document: Json, pointer: &str, expected: Json) {
        let id = format!("{GROUP}/providers/{of}/Name");
        let mut document = document;
        if let Json::Object(members) = &mut document {
            assign(&id, members);
        }
        assert_eq!(document.pointer(pointer).cloned().unwrap_or_default(), expected, "{document}");
    }

    #[test]
    fn addresses_follow_from_the_name() {
        let empty = || json!({ "properties": {} });
        check(
            "Microsoft.KeyVault/vaults",
            empty(),
            "/properties/vaultUri",
            json!("https://name.vault.azure.net/"),
        );
        check(
            "Microsoft.Storage/storageAccounts",
            empty(),
            "/properties/primaryEndpoints/blob",
            json!("https://name.blob.core.windows.net/"),
        );
        let own = json!({ "properties": { "VaultUri": "https://own/" } });
        check("Microsoft.KeyVault/vaults", own.clone(), "/properties/VaultUri", json!("https://own/"));
        check("Microsoft.KeyVault/vaults", own, "/properties/vaultUri", Json::Null);
        check("Test.Things/things", empty(), "/properties", json!({}));
    }

    #[test]
    fn what_is_assigned_has_the_scope_of_its_resource() {
        let of = "Microsoft.Storage/storageAccounts/a/providers/Microsoft.Authorization/roleAssignments";
        let scope = json!(format!("{GROUP}/providers/Microsoft.Storage/storageAccounts/a"));
        check(of, json!({ "properties": {} }), "/properties/scope", scope);
    }

    #[test]
    fn an_identity_is_given_to_those_who_ask() {
        let identity = |kind: &str| json!({ "identity": { "type": kind }, "properties": {} });
        check("A.B/c", identity("SystemAssigned, UserAssigned"), "/identity/tenantId", json!(TENANT));
        check("A.B/c", identity("UserAssigned"), "/identity/tenantId", Json::Null);
    }

    #[test]
    fn parts_of_network_resources_have_ids() {
        let list = json!({ "properties": { "subnets": [{ "name": "s", "properties": { "a": 1 } }, 1] } });
        let id = format!("{GROUP}/providers/Microsoft.Network/virtualNetworks/Name/subnets/s");
        check("Microsoft.Network/virtualNetworks", list.clone(), "/properties/subnets/0/id", json!(id));
        check("Test.Things/things", list.clone(), "/properties/subnets/0/id", Json::Null);
        let mut parent = list;
        parent["id"] = json!(format!("{GROUP}/providers/Microsoft.Network/virtualNetworks/Name"));
        parent["type"] = json!("Microsoft.Network/virtualNetworks");
        let child = json!({
            "id": id, "name": "s", "type": "Microsoft.Network/virtualNetworks/subnets", "properties": { "a": 1 },
        });
        assert_eq!(inline_children(&parent, "Subnets"), [child]);
        assert!(inline_children(&parent, "virtualNetworkPeerings").is_empty());
    }

    #[test]
    fn what_is_assigned_is_known_by_its_path() {
        for (of, path, expected) in [
            ("Microsoft.KeyVault/vaults", "properties.vaultUri", true),
            ("microsoft.keyvault/vaults", "properties.tenantId", false),
            ("Microsoft.Storage/storageAccounts", "properties.primaryEndpoints.blob", true),
            ("Microsoft.Network/virtualNetworks", "properties.subnets[0].id", true),
            ("Microsoft.Network/virtualNetworks", "properties.subnets[0].properties.nsg.id", false),
            ("A.B/c", "properties.list[0].id", false),
            ("A.B/c", "identity.principalId", true),
        ] {
            assert_eq!(is_assigned(of, path), expected, "{of} {path}");
        }
    }
}
