//! Groups, resources, and what surrounds them.

use reqwest::Method;
use serde_json::{Value, json};

use crate::server::{GROUP, Server};

#[tokio::test]
async fn groups_come_and_go() {
    let server = Server::start().await;
    assert_eq!(server.head(GROUP).await, 404);
    assert_eq!(server.get(GROUP).await.code(), "ResourceGroupNotFound");
    let made = server.put(GROUP, &json!({ "location": "westeurope", "tags": { "a": "b" } })).await;
    assert_eq!((made.status, &made.body["name"]), (201, &json!("g")));
    assert_eq!(made.body["properties"]["provisioningState"], "Succeeded");
    assert_eq!(server.put(GROUP, &json!({ "location": "westeurope" })).await.status, 200);
    assert_eq!(server.head(&GROUP.to_uppercase()).await, 204);
    let patched = server.send(Method::PATCH, GROUP, Some(r#"{tags: {x: 'y'}}"#)).await;
    assert_eq!((patched.status, &patched.body["tags"]), (200, &json!({ "x": "y" })));
    let list = server.get("/subscriptions/00000000-0000-0000-0000-0000000000aa/resourcegroups/").await;
    assert_eq!(list.body["value"].as_array().map(Vec::len), Some(1), "{list:?}");
    assert_eq!(server.delete(GROUP).await.status, 200);
    assert_eq!(server.head(GROUP).await, 404);
}

#[tokio::test]
async fn resources_are_kept_as_they_are() {
    let server = Server::start().await;
    server.make_group().await;
    let id = format!("{GROUP}/providers/Microsoft.Web/sites/a");
    assert_eq!(server.get(&id).await.code(), "ResourceNotFound");
    let made = server.put(&id, &json!({ "location": "westeurope", "properties": { "x": 1 } })).await;
    assert_eq!(made.status, 200, "{made:?}");
    assert_eq!(server.get(&id).await.body["properties"]["x"], 1);
    assert_eq!(server.head(&id).await, 204);
    for (query, count) in [
        ("", 1),
        ("&$filter=resourceType eq 'microsoft.web/sites'", 1),
        ("&$filter=resourceType eq 'Microsoft.Web/other'", 0),
        ("&$top=0", 0),
    ] {
        let list = server.get(&format!("{GROUP}/resources?api-version=2025-04-01{query}")).await;
        assert_eq!(list.body["value"].as_array().map(Vec::len), Some(count), "{query}: {list:?}");
    }
    assert_eq!(server.delete(&id).await.status, 200);
    assert_eq!(server.delete(&id).await.status, 204);
}

#[tokio::test]
async fn surroundings_answer() {
    let server = Server::start().await;
    for (path, pointer) in [
        ("/tenants", "/value/0/tenantId"),
        ("/subscriptions", "/value/0/subscriptionId"),
        ("/subscriptions/00000000-0000-0000-0000-000000000001", "/subscriptionId"),
        ("/subscriptions/x/locations", "/value/0/name"),
        ("/subscriptions/x/providers", "/value/0/namespace"),
        ("/subscriptions/x/providers/Microsoft.Web", "/namespace"),
        ("/providers/Microsoft.Resources", "/namespace"),
    ] {
        let answer = server.get(path).await;
        assert_eq!(answer.status, 200, "{path}");
        assert!(answer.body.pointer(pointer).is_some_and(Value::is_string), "{path}: {answer:?}");
    }
    let registered = server.post("/subscriptions/x/providers/Microsoft.Web/register", &json!({})).await;
    assert_eq!(registered.body["registrationState"], "Registered");
}

#[tokio::test]
async fn templates_have_a_hash() {
    let server = Server::start().await;
    let template = json!({
        "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
        "contentVersion": "1.0.0.0",
        "resources": [],
    });
    let answer = server.post("/providers/Microsoft.Resources/calculateTemplateHash", &template).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(
        answer.body["templateHash"].as_str().is_some_and(|hash| hash.parse::<u64>().is_ok()),
        "{answer:?}"
    );
}

#[tokio::test]
async fn every_answer_can_be_traced() {
    let server = Server::start().await;
    let answer = server.get("/subscriptions").await;
    assert_eq!(answer.header("x-ms-request-id").len(), 36);
    assert_eq!(answer.header("x-ms-correlation-request-id").len(), 36);
    assert_eq!(answer.header("cache-control"), "no-store");
    let given = "11111111-2222-3333-4444-555555555555";
    let request = server.client.get(format!("{}/subscriptions?api-version=2025-04-01", server.url));
    let response = request
        .header("x-ms-correlation-request-id", given)
        .header("x-ms-client-request-id", "mine")
        .header("x-ms-return-client-request-id", "true")
        .send()
        .await
        .unwrap();
    assert_eq!(response.headers()["x-ms-correlation-request-id"], given);
    assert_eq!(response.headers()["x-ms-client-request-id"], "mine");
}

#[tokio::test]
async fn health_and_figures() {
    let server = Server::start().await;
    let health = server.get("/healthz?").await;
    assert_eq!((health.status, &health.body["status"]), (200, &json!("ok")));
    server.get("/subscriptions").await;
    let figures = server.get("/metrics?").await;
    let text = figures.body.as_str().unwrap();
    let line =
        "sinew_http_request_duration_seconds_count{method=\"GET\",route=\"subscriptions\",status=\"200\"} 1";
    assert!(text.contains(line), "{text}");
    assert!(text.contains("sinew_deployments_running 0"), "{text}");
}
