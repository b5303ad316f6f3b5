//! What providers add to resources, and what is there without being made.

use serde_json::{Value, json};

use crate::server::{GROUP, Server};
use crate::services::{deploy, names, server, store, template};

const SUBSCRIPTION: &str = "/subscriptions/00000000-0000-0000-0000-0000000000aa";

/// The changes that a deployment of a template would make, as `{id, changeType}`, and the whole answer.
async fn what_if(server: &Server, template: &Value) -> (Vec<(String, String)>, Value) {
    let path = format!("{GROUP}/providers/Microsoft.Resources/deployments/w/whatIf");
    let body = json!({ "properties": { "mode": "Incremental", "template": template } });
    let answer = server.post(&path, &body).await.body;
    let changes = answer.pointer("/properties/changes").and_then(Value::as_array).unwrap().iter();
    let text = |change: &Value, name: &str| change[name].as_str().unwrap().to_owned();
    let last = |id: String| id.rsplit('/').next().unwrap().to_owned();
    (changes.map(|it| (last(text(it, "resourceId")), text(it, "changeType"))).collect(), answer)
}

fn vault() -> Value {
    let properties = json!({ "sku": { "family": "A", "name": "standard" }, "accessPolicies": [] });
    template(json!({
        "resources": [
            { "type": "Microsoft.KeyVault/vaults", "apiVersion": "2023-07-01", "name": "safe", "location": "here",
              "identity": { "type": "SystemAssigned" }, "properties": properties },
            { "type": "Microsoft.KeyVault/vaults/secrets", "apiVersion": "2023-07-01", "name": "safe/pw",
              "dependsOn": ["[resourceId('Microsoft.KeyVault/vaults', 'safe')]"], "properties": { "value": "hunter22" } },
        ],
        "outputs": { "uri": { "type": "string", "value": "[reference('safe').vaultUri]" } },
    }))
}

#[tokio::test]
async fn outputs_may_have_addresses_that_the_provider_assigns() {
    let server = server().await;
    let deployment = deploy(&server, "d", json!({ "mode": "Incremental", "template": vault() })).await;
    let uri = &deployment["properties"]["outputs"]["uri"]["value"];
    assert_eq!(*uri, "https://safe.vault.azure.net/", "{deployment}");
    let made = server.get(&format!("{GROUP}/providers/Microsoft.KeyVault/vaults/safe")).await;
    assert!(made.body["identity"]["principalId"].is_string(), "{made:?}");
    let exported = server.post(&format!("{GROUP}/exportTemplate"), &json!({ "resources": ["*"] })).await;
    let vault = &exported.body["template"]["resources"][0];
    assert!(vault["properties"]["sku"].is_object() && vault["properties"]["vaultUri"].is_null(), "{vault}");
}

#[tokio::test]
async fn what_if_tells_no_secret_of_a_vault() {
    let server = server().await;
    let kinds = |kind: &str| vec![("safe".to_owned(), kind.to_owned()), ("pw".to_owned(), kind.to_owned())];
    for kind in ["Create", "NoChange"] {
        let (changes, answer) = what_if(&server, &vault()).await;
        assert_eq!(changes, kinds(kind), "{answer}");
        assert!(!answer.to_string().contains("hunter22"), "{answer}");
        deploy(&server, "d", json!({ "mode": "Incremental", "template": vault() })).await;
    }
}

#[tokio::test]
async fn parts_of_a_network_are_resources() {
    let server = server().await;
    let subnet = |name: &str| json!({ "name": name, "properties": { "addressPrefix": "10.0.0.0/24" } });
    let net = template(json!({
        "resources": [{
            "type": "Microsoft.Network/virtualNetworks", "apiVersion": "2024-01-01", "name": "net", "location": "here",
            "properties": { "subnets": [subnet("a"), subnet("b")] },
        }],
        "outputs": {
            "first": { "type": "string", "value": "[reference('net').subnets[0].id]" },
            "prefix": {
                "type": "string",
                "value": "[reference(resourceId('Microsoft.Network/virtualNetworks/subnets', 'net', 'b')).addressPrefix]",
            },
        },
    }));
    let deployment = deploy(&server, "d", json!({ "mode": "Incremental", "template": net })).await;
    let outputs = &deployment["properties"]["outputs"];
    let subnets = format!("{GROUP}/providers/Microsoft.Network/virtualNetworks/net/subnets");
    assert_eq!(outputs["first"]["value"], format!("{subnets}/a"), "{deployment}");
    assert_eq!(outputs["prefix"]["value"], "10.0.0.0/24", "{deployment}");
    server
        .put(
            &format!("{subnets}/b"),
            &json!({ "properties": { "addressPrefix": "10.0.0.0/24", "own": true } }),
        )
        .await;
    let list = server.get(&subnets).await;
    assert_eq!(names(&list), ["b", "a"]);
    assert_eq!(list.body["value"][0]["properties"]["own"], true, "one of its own goes before: {list:?}");
    assert_eq!(server.get(&format!("{subnets}/A")).await.body["name"], "a");
    assert_eq!(server.get(&format!("{subnets}/c")).await.status, 404);
    let (changes, answer) = what_if(&server, &net).await;
    assert_eq!(changes[0], ("net".to_owned(), "NoChange".to_owned()), "{answer}");
    // The parent shows all of them, and one that was written with it can be deleted alone.
    server.put(&format!("{subnets}/c"), &json!({ "properties": {} })).await;
    assert_eq!(server.delete(&format!("{subnets}/a")).await.status, 200);
    let parent = server.get(subnets.trim_end_matches("/subnets")).await.body;
    let shown: Vec<&str> = parent["properties"]["subnets"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["name"].as_str().unwrap())
        .collect();
    assert_eq!(shown, ["b", "c"], "{parent}");
    assert_eq!(names(&server.get(&subnets).await), ["b", "c"]);
    assert_eq!(server.delete(&format!("{subnets}/a")).await.status, 204);
}

#[tokio::test]
async fn built_in_roles_are_found_by_name() {
    let server = server().await;
    let roles = "providers/Microsoft.Authorization/roleDefinitions";
    let by_name = "roleName%20eq%20'reader'%20and%20type%20eq%20'BuiltInRole'";
    let found = server.get(&format!("{GROUP}/{roles}?api-version=2022-04-01&$filter={by_name}")).await;
    assert_eq!(names(&found), ["acdd72a7-3385-48ef-bd42-f606fba81ae7"]);
    let id = found.body["value"][0]["id"].as_str().unwrap();
    assert!(id.starts_with(&format!("{SUBSCRIPTION}/providers/")), "{id}");
    assert_eq!(server.get(id).await.body["properties"]["roleName"], "Reader");
    let own = json!({ "properties": { "roleName": "Own role" } });
    server.put(&format!("{SUBSCRIPTION}/{roles}/7e9e7b4c-0000-4000-8000-000000000001"), &own).await;
    let found = server
        .get(&format!("{GROUP}/{roles}?api-version=2022-04-01&$filter=roleName%20eq%20'Own%20role'"))
        .await;
    assert_eq!(found.body["value"].as_array().map(Vec::len), Some(1));
    assert_eq!(found.body["value"][0]["properties"]["type"], "CustomRole");
    let all = server.get(&format!("{SUBSCRIPTION}/{roles}")).await;
    assert!(all.body["value"].as_array().is_some_and(|all| all.len() > 20));
}

#[tokio::test]
async fn providers_tell_their_operations() {
    let server = server().await;
    server.put(&store("a"), &json!({ "location": "here" })).await;
    let all = "/providers/Microsoft.Authorization/providerOperations";
    let list = server.get(&format!("{all}?api-version=2022-04-01&$expand=resourceTypes")).await;
    assert!(names(&list).contains(&"Microsoft.Resources"), "{list:?}");
    let one = server.get(&format!("{all}/microsoft.storage")).await;
    assert_eq!(one.body["type"], "Microsoft.Authorization/providerOperations", "{one:?}");
    let of_type = &one.body["resourceTypes"][0];
    let names: Vec<&str> =
        of_type["operations"].as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
    let start = "microsoft.storage/storageaccounts";
    assert_eq!(names, ["read", "write", "delete"].map(|verb| format!("{start}/{verb}")));
    assert_eq!(of_type["operations"][0]["isDataAction"], false);
    let own = server.get("/providers/Microsoft.Storage/operations").await;
    assert_eq!(own.body["value"][0]["display"]["resource"], "storageaccounts", "{own:?}");
    let absent = server.get(&format!("{all}/No.Such")).await;
    assert_eq!((absent.status, absent.code()), (404, "ProviderNotFound"));
}

#[tokio::test]
async fn assignments_tell_their_scope() {
    let server = server().await;
    server.put(&store("a"), &json!({ "location": "here" })).await;
    for (scope, of) in [(GROUP, "policyAssignments"), (store("a").as_str(), "roleAssignments")] {
        let made = server.put(&format!("{scope}/providers/Microsoft.Authorization/{of}/x"), &json!({})).await;
        assert_eq!(made.body["properties"]["scope"], scope, "{made:?}");
    }
}

#[tokio::test]
async fn role_assignments_are_listed_by_principal_and_scope() {
    let server = server().await;
    server.put(&store("a"), &json!({ "location": "here" })).await;
    let account = store("a");
    for (scope, name, principal) in [
        (SUBSCRIPTION, "above", "p1"),
        (GROUP, "here", "p1"),
        (GROUP, "other", "p2"),
        (&account, "below", "p1"),
    ] {
        let path = format!("{scope}/providers/Microsoft.Authorization/roleAssignments/{name}");
        server.put(&path, &json!({ "properties": { "principalId": principal } })).await;
    }
    for (filter, expected) in [
        ("", vec!["here", "below", "other", "above"]),
        ("&$filter=principalId%20eq%20'p1'", vec!["here", "below", "above"]),
        ("&$filter=atScope()%20and%20assignedTo('p1')", vec!["here", "above"]),
    ] {
        let path = format!(
            "{GROUP}/providers/Microsoft.Authorization/roleAssignments?api-version=2022-04-01{filter}"
        );
        let found = server.get(&path).await;
        let (mut found, mut expected) = (names(&found), expected);
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected, "{filter}");
    }
    let wrong =
        format!("{GROUP}/providers/Microsoft.Authorization/roleAssignments?api-version=2022-04-01&$filter=x");
    assert_eq!(server.get(&wrong).await.status, 400);
}
