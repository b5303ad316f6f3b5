//! Deployments over HTTP.

use std::sync::Arc;

use reqwest::Method;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::gate;
use crate::server::{Answer, GROUP, Server};

const SCHEMA: &str = "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#";

fn path(name: &str) -> String {
    format!("{GROUP}/providers/Microsoft.Resources/deployments/{name}")
}

/// A body whose template makes one site and gives its name.
fn body(name: &str) -> Value {
    json!({ "properties": {
        "mode": "Incremental",
        "parameters": { "name": { "value": name } },
        "template": {
            "$schema": SCHEMA,
            "contentVersion": "1.0.0.0",
            "parameters": { "name": { "type": "string", "minLength": 2 } },
            "resources": [{
                "type": "Microsoft.Web/sites",
                "apiVersion": "2023-01-01",
                "name": "[parameters('name')]",
                "location": "[resourceGroup().location]",
                "properties": {},
            }],
            "outputs": { "name": { "type": "string", "value": "[parameters('name')]" } },
        },
    } })
}

/// Follows a PUT to its end, as clients do.
async fn finish(server: &Server, accepted: &Answer) -> Value {
    assert_eq!(accepted.header("retry-after"), "0", "{accepted:?}");
    let poll = accepted.header("azure-asyncoperation");
    for _ in 0..100 {
        let status = server.get(poll).await;
        assert_eq!(status.status, 200, "{poll}: {status:?}");
        if !matches!(status.body["status"].as_str(), Some("Accepted" | "Running")) {
            return status.body;
        }
    }
    panic!("it does not end: {poll}");
}

async fn deploy(server: &Server, name: &str, body: &Value) -> Value {
    let accepted = server.put(&path(name), body).await;
    assert!(matches!(accepted.status, 200 | 201), "{accepted:?}");
    finish(server, &accepted).await
}

#[tokio::test]
async fn a_deployment_from_put_to_delete() {
    let server = Server::start().await;
    server.make_group().await;
    assert_eq!(server.head(&path("d")).await, 404);
    assert_eq!(server.get(&path("d")).await.code(), "DeploymentNotFound");
    let accepted = server.put(&path("d"), &body("one")).await;
    assert_eq!(accepted.status, 201, "{accepted:?}");
    assert_eq!(finish(&server, &accepted).await["status"], "Succeeded");
    let found = server.get(&path("D").to_uppercase()).await;
    assert_eq!(found.body["properties"]["provisioningState"], "Succeeded");
    assert_eq!(found.body["properties"]["outputs"]["name"]["value"], "one");
    assert!(found.body["properties"].get("template").is_none());
    assert_eq!(server.head(&path("d")).await, 204);
    assert_eq!(server.put(&path("d"), &body("one")).await.status, 200);
    let list = server
        .get(&format!("{GROUP}/providers/Microsoft.Resources/deployments/?api-version=2025-04-01&$top=1"))
        .await;
    assert_eq!(list.body["value"][0]["name"], "d");
    let all = server.get("/watch/deployments?").await;
    assert_eq!(all.body["value"][0]["name"], "d");
    deploy(&server, "other", &body("two")).await;
    assert_eq!(server.delete(&path("other")).await.status, 204);
    assert_eq!(server.delete(&path("other")).await.status, 204);
    assert_eq!(server.get(&path("other")).await.code(), "DeploymentNotFound");
    assert_eq!(server.head(&format!("{GROUP}/providers/Microsoft.Web/sites/two")).await, 204);
}

#[tokio::test]
async fn the_parts_of_a_deployment() {
    let server = Server::start().await;
    server.make_group().await;
    assert_eq!(deploy(&server, "d", &body("one")).await["status"], "Succeeded");
    let exported = server.post(&format!("{}/exportTemplate", path("d")), &json!({})).await;
    assert_eq!(exported.body["template"]["$schema"], SCHEMA);
    for operations in [format!("{}/operations", path("d")), format!("{GROUP}/deployments/d/operations")] {
        let list = server.get(&operations).await;
        let first = list.body["value"][0]["operationId"].as_str().unwrap().to_owned();
        let one = server.get(&format!("{operations}/{first}")).await;
        assert_eq!(one.body["operationId"], first.as_str());
        let top = server.get(&format!("{operations}?api-version=2025-04-01&$top=1")).await;
        assert_eq!(top.body["value"].as_array().map(Vec::len), Some(1));
    }
    let cancelled = server.post(&format!("{}/cancel", path("d")), &json!({})).await;
    assert_eq!(cancelled.status, 409, "{cancelled:?}");
}

#[tokio::test]
async fn checked_without_being_made() {
    let server = Server::start().await;
    server.make_group().await;
    let valid = server.post(&format!("{}/validate", path("v")), &body("one")).await;
    assert_eq!((valid.status, &valid.body["properties"]["provisioningState"]), (200, &json!("Succeeded")));
    let short = server.post(&format!("{}/validate", path("v")), &body("x")).await;
    assert_eq!((short.status, short.code().is_empty()), (400, false), "{short:?}");
    let changes = server.post(&format!("{}/whatIf", path("v")), &body("one")).await;
    assert_eq!(changes.body["status"], "Succeeded", "{changes:?}");
    assert_eq!(changes.body["properties"]["changes"][0]["changeType"], "Create");
    assert_eq!(server.head(&path("v")).await, 404);
    assert_eq!(server.head(&format!("{GROUP}/providers/Microsoft.Web/sites/one")).await, 404);
}

#[tokio::test]
async fn the_content_that_the_azure_cli_sends() {
    let server = Server::start().await;
    server.make_group().await;
    let text = "{\"properties\": {\"mode\": \"Incremental\", \"parameters\": {}, template:{\n  // as in the file\n  \
                \"$schema\": \"https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#\",\n  \
                'contentVersion': '1.0.0.0', resources: [], }}}";
    let accepted = server.send(Method::PUT, &path("lenient"), Some(text)).await;
    assert_eq!(accepted.status, 201, "{accepted:?}");
    assert_eq!(finish(&server, &accepted).await["status"], "Succeeded");
}

#[tokio::test]
async fn all_scopes() {
    let server = Server::start().await;
    for (scope, schema) in [
        ("", "2019-08-01/tenantDeploymentTemplate.json"),
        (
            "/providers/Microsoft.Management/managementGroups/m",
            "2019-08-01/managementGroupDeploymentTemplate.json",
        ),
        ("/subscriptions/s", "2018-05-01/subscriptionDeploymentTemplate.json"),
    ] {
        let path = format!("{scope}/providers/Microsoft.Resources/deployments/d");
        let body = json!({ "location": "westeurope", "properties": { "mode": "Incremental", "template": {
            "$schema": format!("https://schema.management.azure.com/schemas/{schema}#"),
            "contentVersion": "1.0.0.0",
            "resources": [],
            "outputs": { "o": { "type": "int", "value": "[add(1, 2)]" } },
        } } });
        let accepted = server.put(&path, &body).await;
        assert_eq!(accepted.status, 201, "{scope}: {accepted:?}");
        assert_eq!(finish(&server, &accepted).await["status"], "Succeeded", "{scope}");
        assert_eq!(server.get(&path).await.body["properties"]["outputs"]["o"]["value"], 3, "{scope}");
        let list = server.get(&format!("{scope}/providers/Microsoft.Resources/deployments/")).await;
        assert_eq!(list.body["value"].as_array().map(Vec::len), Some(1), "{scope}");
    }
}

#[tokio::test]
async fn changes_can_be_watched() {
    let server = Server::start().await;
    server.make_group().await;
    let watching = server.client.get(format!("{}/watch/events{}", server.url, path("d")));
    let mut watching = watching.send().await.unwrap();
    deploy(&server, "d", &body("one")).await;
    let mut seen = String::new();
    while !seen.lines().any(|line| line.contains("\"Succeeded\"") && line.contains("\"resource\":null")) {
        let chunk = watching.chunk().await.unwrap().expect("the stream ends too early");
        seen.push_str(&String::from_utf8_lossy(&chunk));
    }
    assert!(seen.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()), "{seen}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_of_a_thousand_wins() {
    let (server, gate) = gate::server().await;
    let server = Arc::new(server);
    let slow: Arc<str> = body("one").to_string().replace("Microsoft.Web/sites", "Test.Slow/things").into();
    let mut tasks = JoinSet::new();
    for _ in 0..1000 {
        let (server, slow) = (Arc::clone(&server), Arc::clone(&slow));
        tasks.spawn(async move { server.send(Method::PUT, &path("same"), Some(&slow)).await });
    }
    let mut won = Vec::new();
    while let Some(answer) = tasks.join_next().await {
        let answer = answer.unwrap();
        match answer.status {
            201 => won.push(answer),
            _ => assert_eq!((answer.status, answer.code()), (409, "DeploymentActive"), "{answer:?}"),
        }
    }
    assert_eq!(won.len(), 1);
    assert_eq!(server.delete(&path("same")).await.status, 409);
    gate.open(1);
    assert_eq!(finish(&server, &won[0]).await["status"], "Succeeded");
    assert_eq!(server.put(&path("same"), &body("one")).await.status, 200);
}

#[tokio::test]
async fn a_running_deployment_can_be_cancelled() {
    let (server, gate) = gate::server().await;
    let slow = body("one").to_string().replace("Microsoft.Web/sites", "Test.Slow/things");
    let accepted = server.send(Method::PUT, &path("d"), Some(&slow)).await;
    assert_eq!(accepted.status, 201, "{accepted:?}");
    assert_eq!(server.post(&format!("{}/cancel", path("d")), &json!({})).await.status, 204);
    // What a provider has begun is not torn out of its hands.
    gate.open(1);
    assert_eq!(finish(&server, &accepted).await["status"], "Canceled");
}
