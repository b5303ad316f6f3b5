//! How resources comply with policies that are assigned.

use serde_json::{Value, json};

use crate::server::{Answer, GROUP, Server};
use crate::services::{server, store};

const SUBSCRIPTION: &str = "/subscriptions/00000000-0000-0000-0000-0000000000aa";
const AUTHORIZATION: &str = "providers/Microsoft.Authorization";

fn definition(name: &str) -> String {
    format!("{SUBSCRIPTION}/{AUTHORIZATION}/policyDefinitions/{name}")
}

/// A subscription with two accounts, of which one has old TLS, and a policy against it that is assigned to the group.
async fn furnished() -> Server {
    let server = server().await;
    for (name, tls) in [("good", "TLS1_2"), ("old", "TLS1_0")] {
        let body =
            json!({ "location": "here", "tags": { "a": "1" }, "properties": { "minimumTlsVersion": tls } });
        server.put(&store(name), &body).await;
    }
    let rule = json!({
        "if": { "allOf": [
            { "field": "type", "equals": "Microsoft.Storage/storageAccounts" },
            { "field": "Microsoft.Storage/storageAccounts/minimumTlsVersion", "notEquals": "[parameters('tls')]" },
        ] },
        "then": { "effect": "audit" },
    });
    let parameters = json!({ "tls": { "type": "String", "defaultValue": "TLS1_2" } });
    let properties = json!({ "mode": "Indexed", "parameters": parameters, "policyRule": rule });
    server.put(&definition("tls"), &json!({ "properties": properties })).await;
    assign(&server, GROUP, "p", &json!({ "policyDefinitionId": definition("TLS") })).await;
    server
}

async fn assign(server: &Server, scope: &str, name: &str, properties: &Value) {
    let path = format!("{scope}/{AUTHORIZATION}/policyAssignments/{name}");
    let made = server.put(&path, &json!({ "properties": properties })).await;
    assert_eq!(made.status, 201, "{made:?}");
}

async fn query(server: &Server, about: &str, rest: &str) -> Answer {
    let path = format!(
        "{about}/providers/Microsoft.PolicyInsights/policyStates/latest/queryResults?api-version=2019-10-01{rest}"
    );
    server.post(&path, &json!({})).await
}

/// The last part of each resource's id with how it complies.
fn states(answer: &Answer) -> Vec<(String, String)> {
    let text =
        |state: &Value, name: &str| state[name].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    let all = answer.body["value"].as_array().unwrap().iter();
    all.map(|state| (text(state, "resourceId"), text(state, "complianceState"))).collect()
}

#[track_caller]
fn check(answer: &Answer, expected: &[(&str, &str)]) {
    let expected: Vec<(String, String)> =
        expected.iter().map(|(name, state)| ((*name).to_owned(), (*state).to_owned())).collect();
    assert_eq!(states(answer), expected, "{answer:?}");
    assert_eq!(answer.body["@odata.count"], expected.len());
}

#[tokio::test]
async fn states_at_every_scope() {
    let server = furnished().await;
    let both = [("good", "Compliant"), ("old", "NonCompliant")];
    let assignment = format!("{GROUP}/{AUTHORIZATION}/policyAssignments/p");
    for about in [SUBSCRIPTION, GROUP, &definition("tls"), &assignment] {
        check(&query(&server, about, "").await, &both);
    }
    check(&query(&server, &store("old"), "").await, &both[1..]);
    check(&query(&server, GROUP, "&$filter=complianceState%20eq%20'NonCompliant'").await, &both[1..]);
    check(&query(&server, GROUP, "&$filter=isCompliant%20eq%20true").await, &both[..1]);
    check(&query(&server, GROUP, "&$top=1").await, &both[..1]);
    check(&query(&server, GROUP, "&$top=1&$orderby=resourceId%20desc").await, &both[1..]);
    check(&query(&server, &definition("other"), "").await, &[]);
    assert_eq!(query(&server, GROUP, "&$apply=x").await.status, 400);
    let state = query(&server, GROUP, "").await.body["value"][1].clone();
    assert_eq!(state["policyAssignmentScope"], GROUP);
    assert_eq!(state["policyDefinitionAction"], "audit");
    assert_eq!(state["isCompliant"], false);
    let selected = query(&server, GROUP, "&$select=resourceId,%20complianceState").await;
    assert!(selected.body["value"][0].get("timestamp").is_none(), "{selected:?}");
}

#[tokio::test]
async fn assignments_have_parameters_exclusions_and_exemptions() {
    let server = furnished().await;
    let lower = json!({
        "policyDefinitionId": definition("tls"), "parameters": { "tls": { "value": "TLS1_0" } },
        "notScopes": [store("good")],
    });
    assign(&server, SUBSCRIPTION, "lower", &lower).await;
    let about = format!("{SUBSCRIPTION}/{AUTHORIZATION}/policyAssignments/lower");
    check(&query(&server, &about, "").await, &[("old", "Compliant")]);
    let exemption = json!({ "properties": {
        "policyAssignmentId": format!("{GROUP}/{AUTHORIZATION}/policyAssignments/p"), "exemptionCategory": "Waiver",
    } });
    server.put(&format!("{}/{AUTHORIZATION}/policyExemptions/e", store("old")), &exemption).await;
    let about = format!("{GROUP}/{AUTHORIZATION}/policyAssignments/p");
    check(&query(&server, &about, "").await, &[("good", "Compliant"), ("old", "Exempt")]);
}

#[tokio::test]
async fn sets_and_what_must_be_beside_a_resource() {
    let server = furnished().await;
    let rule = json!({
        "if": { "field": "type", "equals": "Microsoft.Storage/storageAccounts" },
        "then": { "effect": "auditIfNotExists", "details": {
            "type": "Microsoft.Storage/storageAccounts/blobServices",
            "existenceCondition": { "field": "Microsoft.Storage/storageAccounts/blobServices/isOn", "equals": "true" },
        } },
    });
    server.put(&definition("blobs"), &json!({ "properties": { "mode": "All", "policyRule": rule } })).await;
    let on = json!({ "properties": { "isOn": true } });
    server.put(&format!("{}/blobServices/default", store("old")), &on).await;
    let set = format!("{SUBSCRIPTION}/{AUTHORIZATION}/policySetDefinitions/all");
    let members = json!([
        { "policyDefinitionId": definition("blobs"), "policyDefinitionReferenceId": "b" },
        { "policyDefinitionId": definition("tls"), "policyDefinitionReferenceId": "t",
          "parameters": { "tls": { "value": "[parameters('least')]" } } },
    ]);
    let parameters = json!({ "least": { "type": "String", "defaultValue": "TLS1_0" } });
    let properties = json!({ "parameters": parameters, "policyDefinitions": members });
    server.put(&set, &json!({ "properties": properties })).await;
    assign(&server, SUBSCRIPTION, "set", &json!({ "policyDefinitionId": set })).await;
    let found = query(&server, &set, "").await;
    let (good, bad) = ("Compliant", "NonCompliant");
    check(&found, &[("good", bad), ("good", bad), ("old", good), ("old", good)]);
    assert_eq!(found.body["value"][1]["policyDefinitionReferenceId"], "t");
    let path = format!("{SUBSCRIPTION}/providers/Microsoft.PolicyInsights/policyStates/latest/summarize");
    let summary = server.post(&path, &json!({})).await;
    let results = &summary.body["value"][0]["results"];
    assert_eq!(results["nonCompliantResources"], 2, "{summary:?}");
    assert_eq!(results["nonCompliantPolicies"], 3, "{summary:?}");
    assert_eq!(summary.body["value"][0]["policyAssignments"].as_array().map(Vec::len), Some(2));
    let scan = server.post(&path.replace("summarize", "triggerEvaluation"), &json!({})).await;
    assert_eq!(scan.status, 200);
}
