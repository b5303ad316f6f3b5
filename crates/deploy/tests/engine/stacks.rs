//! Stacks whose server goes away in the middle.

use std::time::Duration;

use deploy::{DeploymentId, Engine, Location, Options};
use serde_json::{Value as Json, json};

use crate::support::{Bench, scope, symbolic, thing};

/// A stack of two things; the second one waits for something that never comes, if it is asked to.
fn stack(waits: bool) -> Json {
    let mut second = thing("second", json!({}));
    if waits {
        second["@options"] = json!({ "waitUntil": ["[lambda('x', false())]", "PT1H"] });
    }
    let resources = json!({ "first": thing("first", json!({})), "second": second });
    json!({ "properties": {
        "template": symbolic(json!({ "resources": resources })),
        "actionOnUnmanage": { "resources": "delete" }, "denySettings": { "mode": "none" },
    } })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_interrupted_stack_is_brought_to_its_end_by_whoever_comes_next() {
    let folder = tempfile::tempdir().unwrap();
    let options = || Options { store: Location::File(folder.path().join("state.db")), ..Options::default() };
    let bench = Bench::with(options()).await;
    bench.engine.put_stack(&scope(), "s", &stack(false)).await.unwrap();
    let engine = bench.engine.clone();
    let putting = tokio::spawn(async move { engine.put_stack(&scope(), "s", &stack(true)).await });
    let deploying = |stack: &Json| stack["properties"]["provisioningState"] == "deploying";
    let mut found = Json::Null;
    while !deploying(&found) {
        tokio::time::sleep(Duration::from_millis(10)).await;
        found = bench.engine.get_stack(&scope(), "s").await.unwrap();
    }
    assert_eq!(
        found["properties"]["resources"].as_array().unwrap().len(),
        2,
        "what it manages so far: {found}"
    );
    putting.abort();
    bench.engine.shutdown().await;

    let next = Engine::open(options()).await.unwrap();
    let id = DeploymentId::parse(found["properties"]["deploymentId"].as_str().unwrap()).unwrap();
    next.cancel(&id).await.unwrap();
    let next = Bench { engine: next };
    next.end(&id).await;
    let mut found = next.engine.get_stack(&scope(), "s").await.unwrap();
    while deploying(&found) {
        tokio::time::sleep(Duration::from_millis(50)).await;
        found = next.engine.get_stack(&scope(), "s").await.unwrap();
    }
    assert_eq!(found["properties"]["provisioningState"], "failed", "{found}");
    let managed = found["properties"]["resources"].as_array().unwrap();
    assert_eq!(managed.len(), 2, "a stack that failed keeps what it had: {found}");
}
