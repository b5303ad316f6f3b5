//! Bodies that nobody should send: each gets an answer, in bounded time and memory.

use deploy::{DeploymentRequest, MAX_BODY};
use serde_json::{Value as Json, json};

use crate::support::{Bench, id, template, thing};

/// The state, or the code of the error.
async fn answer(bench: &Bench, properties: Json) -> String {
    match bench.deploy("main", properties).await {
        Ok(deployment) => deployment["properties"]["provisioningState"].as_str().unwrap().to_owned(),
        Err(error) => error.code,
    }
}

#[tokio::test]
async fn texts_that_are_no_requests() {
    let long = format!("{{\"a\":\"{}\"}}", "x".repeat(MAX_BODY));
    let deep = "[".repeat(100_000);
    for body in ["", "null", "[]", "{", "\"text\"", "{\"properties\":", "\u{0}\u{1}", &long, &deep] {
        let error = match DeploymentRequest::parse(id("main"), body) {
            Err(error) => error,
            Ok(request) => Bench::new().await.engine.put(request).await.map(drop).unwrap_err(),
        };
        assert!(error.status >= 400 && !error.message.is_empty(), "{}", error.code);
    }
}

#[tokio::test]
async fn members_of_the_wrong_kind() {
    let bench = Bench::new().await;
    for properties in [
        json!(null),
        json!([]),
        json!({ "template": [] }),
        json!({ "template": "text" }),
        json!({ "template": { "resources": 1 } }),
        json!({ "template": template(json!({ "resources": [null, 1, []] })) }),
        json!({ "template": template(json!({})), "parameters": [] , "mode": 1 }),
        json!({ "template": template(json!({})), "parameters": { "p": null } }),
        json!({ "template": template(json!({})), "onErrorDeployment": 1 }),
        json!({ "template": template(json!({})), "externalInputs": 1, "externalInputValues": [1] }),
        json!({ "template": template(json!({ "resources": [thing("a/b/c", json!({}))] })) }),
        json!({ "template": template(json!({ "resources": [thing("", json!({}))] })) }),
        json!({ "template": template(json!({ "resources": [thing("a\u{0}b", json!({}))] })) }),
    ] {
        // Whatever it is, it is an answer.
        answer(&bench, properties).await;
    }
}

#[tokio::test]
async fn values_that_are_deep_or_large() {
    let bench = Bench::new().await;
    let mut deep = json!(1);
    for _ in 0..300 {
        deep = json!({ "a": deep });
    }
    let properties = json!({ "template": template(json!({ "resources": [thing("deep", deep)] })) });
    assert_eq!(answer(&bench, properties).await, "Succeeded");
    assert!(bench.resource("Test.Things/things", "deep").await.is_ok());
    let parameters = json!({ "p": { "value": "x".repeat(5 << 20) } });
    let properties = json!({ "template": template(json!({})), "parameters": parameters });
    assert_eq!(answer(&bench, properties).await, "DeploymentSizeExceeded");
    let large = json!({ "text": "x".repeat(2 << 20) });
    let properties = json!({ "template": template(json!({ "resources": [thing("large", large)] })) });
    assert_eq!(answer(&bench, properties).await, "Failed");
    let doubling = "[format('{0}{0}{0}{0}', format('{0}{0}{0}{0}', format('{0}{0}{0}{0}', variables('a'))))]";
    let properties = json!({ "template": template(json!({
        "variables": { "a": "x".repeat(1 << 20), "b": doubling, "c": "[concat(variables('b'), variables('b'), variables('b'), variables('b'), variables('b'))]" },
        "outputs": { "length": { "type": "int", "value": "[length(variables('c'))]" } },
    })) });
    assert_eq!(answer(&bench, properties).await, "TemplateEvaluationLimitExceeded");
}

#[tokio::test]
async fn circles() {
    let bench = Bench::new().await;
    let waits = |name: &str, other: &str| json!({ "type": "Test.Things/things", "apiVersion": "1", "name": name, "dependsOn": [other] });
    let properties =
        json!({ "template": template(json!({ "resources": [waits("a", "b"), waits("b", "a")] })) });
    assert_eq!(answer(&bench, properties).await, "InvalidTemplate");
    let refers = |name: &str, other: &str| thing(name, json!({ "n": format!("[reference('{other}').n]") }));
    let properties =
        json!({ "template": template(json!({ "resources": [refers("a", "b"), refers("b", "a")] })) });
    assert_eq!(answer(&bench, properties).await, "InvalidTemplate");
    // A resource that asks for the name of the next one, which asks for the name of the next one.
    let chain: Vec<Json> = (0..100)
        .map(|n| thing(&format!("c{n}"), json!({ "next": format!("[reference(reference(resourceId('Test.Things/things', 'seed'), '1').id{n}, '1').x]") })))
        .collect();
    let properties = json!({ "template": template(json!({ "resources": chain })) });
    assert_eq!(answer(&bench, properties).await, "Failed");
}

#[tokio::test]
async fn as_many_resources_as_there_may_be() {
    let bench = Bench::new().await;
    let many = |count: usize| {
        json!({ "template": template(json!({ "resources": [{
            "type": "Test.Things/things", "apiVersion": "1", "name": "[concat('n', copyIndex())]",
            "copy": { "name": "loop", "count": count },
        }] })) })
    };
    assert_eq!(answer(&bench, many(801)).await, "InvalidTemplate");
    assert_eq!(answer(&bench, many(800)).await, "Succeeded");
}
