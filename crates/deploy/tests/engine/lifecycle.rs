//! Modes, cancelling, retries, time limits, earlier deployments made again, names in use.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use deploy::provider::{Provider, ProviderError, Providers, Resource, ResourceRequest, ResourceTarget};
use deploy::{ArmError, Options};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::{Value as Json, json};
use tokio::sync::Semaphore;

use crate::support::{Bench, id, template, thing};

/// A provider that fails a number of times, then waits for permission, then succeeds.
struct Moody {
    failures: AtomicU32,
    gate: Arc<Semaphore>,
}

impl Provider for Moody {
    fn put<'p>(&'p self, request: &'p ResourceRequest) -> BoxFuture<'p, Result<Resource, ProviderError>> {
        async move {
            let left = self.failures.load(Ordering::SeqCst);
            if left > 0 {
                self.failures.store(left - 1, Ordering::SeqCst);
                return Err(ArmError::new("Busy", "Not now.").with_status(429).into());
            }
            let _pass = self.gate.acquire().await;
            let document = json!({ "id": request.target.id, "properties": {} });
            Ok(Resource { document, identifiers: None, created: true })
        }
        .boxed()
    }

    fn get<'p>(&'p self, _: &'p ResourceTarget) -> BoxFuture<'p, Result<Option<Resource>, ProviderError>> {
        async { Ok(None) }.boxed()
    }

    fn delete<'p>(&'p self, _: &'p ResourceTarget) -> BoxFuture<'p, Result<bool, ProviderError>> {
        async { Ok(false) }.boxed()
    }
}

async fn moody(failures: u32, permits: usize) -> (Bench, Arc<Semaphore>) {
    let gate = Arc::new(Semaphore::new(permits));
    let provider = Moody { failures: AtomicU32::new(failures), gate: Arc::clone(&gate) };
    let providers = Providers::default().with("Test.Moody", Arc::new(provider));
    let options = Options {
        providers,
        provider_timeout: Duration::from_millis(200),
        attempts: 3,
        ..Options::default()
    };
    (Bench::with(options).await, gate)
}

fn slow() -> Json {
    json!({ "template": template(json!({ "resources": [
        { "type": "Test.Moody/things", "apiVersion": "1", "name": "slow" },
        { "type": "Test.Things/things", "apiVersion": "1", "name": "after", "dependsOn": ["slow"] },
    ] })) })
}

fn state(deployment: &Json) -> (&str, &str) {
    let properties = &deployment["properties"];
    let code = properties["error"]["details"][0]["code"].as_str().or(properties["error"]["code"].as_str());
    (properties["provisioningState"].as_str().unwrap(), code.unwrap_or_default())
}

#[tokio::test]
async fn a_provider_is_asked_again() {
    let (bench, _gate) = moody(2, 9).await;
    assert_eq!(state(&bench.deploy("main", slow()).await.unwrap()), ("Succeeded", ""));
    let (bench, _gate) = moody(3, 9).await;
    assert_eq!(state(&bench.deploy("main", slow()).await.unwrap()), ("Failed", "Busy"));
}

#[tokio::test]
async fn a_provider_that_never_answers() {
    let (bench, _gate) = moody(0, 0).await;
    assert_eq!(state(&bench.deploy("main", slow()).await.unwrap()), ("Failed", "OperationTimedOut"));
}

#[tokio::test]
async fn the_template_says_what_to_try_again() {
    let (bench, _gate) = moody(5, 9).await;
    let mut properties = slow();
    properties["template"]["resources"][0]["@options"] = json!({ "retryOn": [["Busy"], 6] });
    assert_eq!(state(&bench.deploy("main", properties).await.unwrap()), ("Succeeded", ""));
}

#[tokio::test]
async fn a_deployment_can_be_cancelled() {
    let (bench, gate) = moody(0, 0).await;
    bench.put("main", slow()).await.unwrap();
    while bench.engine.operations(&id("main"), None).await.unwrap().is_empty() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    bench.engine.cancel(&id("main")).await.unwrap();
    gate.add_permits(1);
    assert_eq!(state(&bench.end(&id("main")).await), ("Canceled", "DeploymentCanceled"));
    assert!(bench.resource("Test.Things/things", "after").await.is_err());
    assert_eq!(bench.engine.cancel(&id("main")).await.unwrap_err().code, "DeploymentCannotBeCancelled");
    assert_eq!(bench.engine.cancel(&id("none")).await.unwrap_err().code, "DeploymentNotFound");
}

#[tokio::test]
async fn a_name_in_use_is_refused() {
    let (bench, gate) = moody(0, 0).await;
    bench.put("main", slow()).await.unwrap();
    let refused = bench.put("MAIN", slow()).await.unwrap_err();
    assert_eq!((refused.code.as_str(), refused.status), ("DeploymentActive", 409));
    assert_eq!(bench.engine.delete(&id("main")).await.unwrap_err().status, 409);
    gate.add_permits(9);
    bench.end(&id("main")).await;
    assert!(bench.engine.delete(&id("main")).await.unwrap());
    assert!(!bench.engine.delete(&id("main")).await.unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_thousand_at_once_one_wins() {
    let (bench, gate) = moody(0, 0).await;
    let bench = Arc::new(bench);
    let mut all = tokio::task::JoinSet::new();
    for _ in 0..1000 {
        let bench = Arc::clone(&bench);
        all.spawn(async move { bench.put("main", slow()).await.map(drop).map_err(|error| error.code) });
    }
    let results = all.join_all().await;
    let won = results.iter().filter(|result| result.is_ok()).count();
    let refused = results.iter().filter(|result| *result == &Err("DeploymentActive".to_owned())).count();
    assert_eq!((won, refused), (1, 999));
    gate.add_permits(9);
    bench.end(&id("main")).await;
}

#[tokio::test]
async fn complete_mode_removes_what_the_template_lacks() {
    let bench = Bench::new().await;
    let two = json!({ "template": template(json!({ "resources": [thing("a", json!({})), thing("b", json!({}))] })) });
    bench.deploy("first", two).await.unwrap();
    let one = json!({ "mode": "Complete", "template": template(json!({ "resources": [thing("a", json!({})),
        { "type": "Test.Things/things", "apiVersion": "1", "name": "b", "condition": false }] })) });
    assert_eq!(state(&bench.deploy("second", one).await.unwrap()), ("Succeeded", ""));
    assert!(bench.resource("Test.Things/things", "a").await.is_ok());
    assert!(bench.resource("Test.Things/things", "b").await.is_err());
    let operations = bench.engine.operations(&id("second"), None).await.unwrap();
    let kinds: Vec<_> =
        operations.iter().map(|o| o["properties"]["provisioningOperation"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["Create", "Delete", "EvaluateDeploymentOutput"]);
}

#[tokio::test]
async fn an_earlier_deployment_is_made_again() {
    let bench = Bench::new().await;
    let good = json!({ "template": template(json!({ "resources": [thing("a", json!({ "n": 1 }))] })) });
    bench.deploy("good", good).await.unwrap();
    let bad = json!({
        "onErrorDeployment": { "type": "LastSuccessful" },
        "template": template(json!({ "resources": [
            thing("a", json!({ "n": 2 })),
            { "type": "Test.Things/things/parts", "apiVersion": "1", "name": "absent/part" },
        ] })),
    });
    bench.deploy("bad", bad).await.unwrap();
    for _ in 0..500 {
        let a = bench.resource("Test.Things/things", "a").await.unwrap();
        if a["properties"]["n"] == 1 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the earlier deployment was not made again");
}
