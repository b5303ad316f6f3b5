//! What would change, told without noise.

use deploy::DeploymentRequest;
use serde_json::{Value as Json, json};

use crate::support::{Bench, id, template, thing};

/// The changes as `name: type path=before>after …`, one for each resource.
async fn changes(bench: &Bench, properties: Json) -> Vec<String> {
    let request = DeploymentRequest::new(id("what-if"), &json!({ "properties": properties })).unwrap();
    let answer = bench.engine.what_if(request).await.unwrap();
    assert_eq!(answer["status"], "Succeeded");
    let all = answer["properties"]["changes"].as_array().unwrap();
    all.iter().map(line).collect()
}

fn line(change: &Json) -> String {
    let name = change["resourceId"].as_str().unwrap().rsplit('/').next().unwrap();
    let mut line = format!("{name}: {}", change["changeType"].as_str().unwrap());
    for difference in change["delta"].as_array().into_iter().flatten() {
        let path = difference["path"].as_str().unwrap();
        line.push_str(&format!(" {path}={}>{}", difference["before"], difference["after"]));
    }
    line
}

fn two(a: Json, b: Json) -> Json {
    json!({ "template": template(json!({
        "parameters": { "secret": { "type": "securestring", "defaultValue": "x" } },
        "resources": [thing("a", a), thing("b", b)],
    })) })
}

#[tokio::test]
async fn only_what_changes_is_told() {
    let bench = Bench::new().await;
    let first =
        || two(json!({ "n": 1, "pw": "[parameters('secret')]" }), json!({ "copy": "[reference('a').n]" }));
    assert_eq!(changes(&bench, first()).await, ["a: Create", "b: Create"]);
    bench.deploy("main", first()).await.unwrap();
    assert_eq!(changes(&bench, first()).await, ["a: NoChange", "b: NoChange"]);
    // What refers to a changed value changes with it.
    let second = two(json!({ "n": 2 }), json!({ "copy": "[reference('a').n]" }));
    assert_eq!(
        changes(&bench, second).await,
        ["a: Modify properties.n=1>2", "b: Modify properties.copy=1>2"]
    );
}

#[tokio::test]
async fn other_resources_are_ignored_or_removed() {
    let bench = Bench::new().await;
    bench.deploy("main", two(json!({}), json!({}))).await.unwrap();
    let one = |mode: &str| json!({ "mode": mode, "template": template(json!({ "resources": [thing("a", json!({}))] })) });
    assert_eq!(changes(&bench, one("Incremental")).await, ["a: NoChange", "b: Ignore"]);
    assert_eq!(changes(&bench, one("Complete")).await, ["a: NoChange", "b: Delete"]);
}

#[tokio::test]
async fn deployments_inside_are_looked_into() {
    let bench = Bench::new().await;
    let properties = |n: i64| {
        json!({ "template": template(json!({ "resources": [
            {
                "type": "Microsoft.Resources/deployments", "apiVersion": "1", "name": "inner",
                "properties": { "mode": "Incremental", "expressionEvaluationOptions": { "scope": "inner" }, "template": template(json!({
                    "resources": [thing("deep", json!({ "n": n }))],
                    "outputs": { "n": { "type": "int", "value": n } },
                })) },
            },
            thing("top", json!({ "n": "[reference('inner').outputs.n.value]" })),
        ] })) })
    };
    bench.deploy("main", properties(1)).await.unwrap();
    assert_eq!(changes(&bench, properties(1)).await, ["deep: NoChange", "top: NoChange"]);
    assert_eq!(
        changes(&bench, properties(2)).await,
        ["deep: Modify properties.n=1>2", "top: Modify properties.n=1>2"]
    );
}

#[tokio::test]
async fn ids_alone_when_asked() {
    let bench = Bench::new().await;
    let mut properties = two(json!({}), json!({}));
    properties["whatIfSettings"] = json!({ "resultFormat": "ResourceIdOnly" });
    assert_eq!(changes(&bench, properties.clone()).await, ["a: Create", "b: Create"]);
    bench.deploy("main", properties.clone()).await.unwrap();
    assert_eq!(changes(&bench, properties).await, ["a: Deploy", "b: Deploy"]);
}
