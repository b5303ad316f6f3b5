//! Modes, cancelling, retries, time limits, earlier deployments made again, names in use.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use deploy::provider::{Provider, ProviderError, Providers, Resource, ResourceRequest, ResourceTarget};
use deploy::{ArmError, Options, Paging};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::{Value as Json, json};
use tokio::sync::Semaphore;

use crate::support::{Bench, id, resource_id, symbolic, template, thing};

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

    fn get<'p>(
        &'p self,
        target: &'p ResourceTarget,
    ) -> BoxFuture<'p, Result<Option<Resource>, ProviderError>> {
        async {
            if target.resource_type.ends_with("/unreadable") {
                std::future::pending::<()>().await;
            }
            Ok(None)
        }
        .boxed()
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

/// The same with a secret.
fn slow_with_secret() -> Json {
    let mut secret = slow();
    secret["template"]["parameters"] = json!({ "p": { "type": "securestring" } });
    secret["parameters"] = json!({ "p": { "value": "hunter2" } });
    secret
}

/// The same inside of another deployment.
fn slow_inside() -> Json {
    let inner = slow()["template"].clone();
    let module = json!({
        "type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": "inner",
        "properties": { "mode": "Incremental", "template": inner, "expressionEvaluationOptions": { "scope": "inner" } },
    });
    json!({ "template": template(json!({ "resources": [module] })) })
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

/// A template with a thing that waits until its `n` is 2, and one that depends on it.
fn waiting(longest: &str) -> Json {
    json!({ "parameters": { "n": { "value": 2 } }, "template": symbolic(json!({
        "parameters": { "n": { "type": "int" } },
        "resources": {
            "patient": {
                "type": "Test.Things/things", "apiVersion": "1", "name": "patient", "properties": { "n": 1 },
                "@options": { "waitUntil": [
                    "[lambda('x', equals(lambdaVariables('x').properties.n, parameters('n')))]", longest,
                ] },
            },
            "many": {
                "copy": { "name": "many", "count": 2 },
                "type": "Test.Things/things", "apiVersion": "1", "name": "[format('many{0}', copyIndex())]",
                "@options": { "waitUntil": [
                    "[lambda('x', equals(lambdaVariables('x').properties.provisioningState, 'Succeeded'))]", "PT1M",
                ] },
            },
            "after": { "type": "Test.Things/things", "apiVersion": "1", "name": "after", "dependsOn": ["patient"] },
        },
    })) })
}

#[tokio::test]
async fn a_resource_may_wait_until_it_is_ready() {
    let bench = Bench::new().await;
    bench.put("main", waiting("PT1H")).await.unwrap();
    let patient = resource_id("Test.Things/things", "patient");
    while bench.engine.get_resource(&patient, "1").await.is_err() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert!(bench.resource("Test.Things/things", "after").await.is_err());
    bench.engine.put_resource(&patient, "1", &json!({ "properties": { "n": 2 } })).await.unwrap();
    assert_eq!(state(&bench.end(&id("main")).await), ("Succeeded", ""));
    assert!(bench.resource("Test.Things/things", "many1").await.is_ok());

    let deployment = bench.deploy("short", waiting("PT0.1S")).await.unwrap();
    assert_eq!(state(&deployment), ("Failed", "WaitUntilTimedOut"));
    bench.put("stopped", waiting("PT1H")).await.unwrap();
    begun(&bench, "stopped").await;
    bench.engine.cancel(&id("stopped")).await.unwrap();
    assert_eq!(state(&bench.end(&id("stopped")).await).0, "Canceled");
    assert_eq!(bench.put("bad", waiting("soon")).await.unwrap_err().code, "InvalidTemplate");
}

/// Waits until a deployment has begun an operation.
async fn begun(bench: &Bench, name: &str) {
    loop {
        match bench.engine.operations(&id(name), &Paging::default()).await {
            Ok(operations) if !operations.items.is_empty() => return,
            _ => tokio::time::sleep(Duration::from_millis(5)).await,
        }
    }
}

/// A bench whose provider never answers.
async fn stuck(options: Options) -> Bench {
    let provider = Moody { failures: AtomicU32::new(0), gate: Arc::new(Semaphore::new(0)) };
    let providers = Providers::default().with("Test.Moody", Arc::new(provider));
    Bench::with(Options { providers, provider_timeout: Duration::from_secs(3600), ..options }).await
}

#[tokio::test]
async fn a_deployment_can_be_cancelled() {
    let bench = stuck(Options::default()).await;
    bench.put("main", slow()).await.unwrap();
    begun(&bench, "main").await;
    bench.engine.cancel(&id("main")).await.unwrap();
    let deployment = bench.end(&id("main")).await;
    assert_eq!(state(&deployment), ("Canceled", "DeploymentCanceled"), "the provider is not waited for");
    assert_eq!(deployment["properties"]["outputResources"], json!([]));
    let operations = bench.engine.operations(&id("main"), &Paging::default()).await.unwrap().items;
    assert_eq!(operations[0]["properties"]["provisioningState"], "Canceled", "{operations:#?}");
    assert_eq!(operations[0]["properties"]["statusMessage"]["status"], "Canceled");
    assert_eq!(operations.len(), 1, "what has not begun does not begin");
    assert!(bench.resource("Test.Things/things", "after").await.is_err());
    assert_eq!(bench.engine.cancel(&id("main")).await.unwrap_err().code, "DeploymentCannotBeCancelled");
    assert_eq!(bench.engine.cancel(&id("none")).await.unwrap_err().code, "DeploymentNotFound");
}

#[tokio::test]
async fn a_deployment_that_waits_for_its_turn_is_cancelled_at_once() {
    let bench = stuck(Options { workers: 1, ..Options::default() }).await;
    bench.put("first", slow()).await.unwrap();
    begun(&bench, "first").await;
    bench.put("open", slow()).await.unwrap();
    // What has secrets is kept for this process, what has none is left to any.
    bench.put("secret", slow_with_secret()).await.unwrap();
    for name in ["open", "secret"] {
        bench.engine.cancel(&id(name)).await.unwrap();
        assert_eq!(state(&bench.end(&id(name)).await).0, "Canceled", "{name}");
    }
    let first = bench.engine.get(&id("first")).await.unwrap();
    assert_eq!(first["properties"]["provisioningState"], "Running");
    bench.engine.shutdown().await;
    assert_eq!(bench.engine.metrics().running, 0, "what is let go of does not count");
}

/// Secrets wait in memory, so only some may.
#[tokio::test]
async fn not_too_many_wait_in_memory() {
    let bench = stuck(Options { workers: 1, waiting: 2, ..Options::default() }).await;
    bench.put("first", slow()).await.unwrap();
    for name in ["second", "third"] {
        bench.put(name, slow_with_secret()).await.unwrap();
    }
    let refused = bench.put("fourth", slow_with_secret()).await.unwrap_err();
    assert_eq!((refused.code.as_str(), refused.status), ("TooManyRequests", 429));
    assert!(bench.engine.get(&id("fourth")).await.is_err(), "nothing is recorded");
    bench.engine.cancel(&id("second")).await.unwrap();
    bench.end(&id("second")).await;
    bench.put("fourth", slow_with_secret()).await.unwrap();
}

#[tokio::test]
async fn deployments_inside_are_cancelled_with_the_one_around_them() {
    for asked in ["main", "inner"] {
        let bench = stuck(Options::default()).await;
        bench.put("main", slow_inside()).await.unwrap();
        begun(&bench, "inner").await;
        bench.engine.cancel(&id(asked)).await.unwrap();
        for name in ["main", "inner"] {
            assert_eq!(state(&bench.end(&id(name)).await).0, "Canceled", "{name} when {asked} is cancelled");
            let operations = bench.engine.operations(&id(name), &Paging::default()).await.unwrap().items;
            assert_eq!(operations[0]["properties"]["provisioningState"], "Canceled", "{name}");
        }
        bench.put("inner", slow()).await.unwrap();
    }
}

/// A process ends in the middle of a deployment inside; the next one finds out that it was cancelled meanwhile.
#[tokio::test]
async fn what_was_left_behind_is_cancelled_too() {
    let folder = tempfile::tempdir().unwrap();
    let options = || Options {
        store: deploy::Location::File(folder.path().join("state.db")),
        lease: Duration::from_millis(200),
        ..Options::default()
    };
    let bench = stuck(options()).await;
    bench.put("main", slow_inside()).await.unwrap();
    begun(&bench, "inner").await;
    bench.engine.shutdown().await;
    // Takes in and cancels, but runs nothing itself.
    let front = Bench::with(Options { workers: 0, ..options() }).await;
    front.engine.cancel(&id("main")).await.unwrap();
    for name in ["main", "inner"] {
        assert_eq!(state(&front.end(&id(name)).await).0, "Canceled", "{name}");
    }
    for name in ["main", "inner"] {
        let operations = front.engine.operations(&id(name), &Paging::default()).await.unwrap().items;
        assert_eq!(operations[0]["properties"]["provisioningState"], "Canceled", "{operations:#?}");
    }
}

/// Whoever asks for a deployment may hang up at any moment: what is recorded as accepted is run, secrets included.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_hangs_up_is_served_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let store = deploy::Location::File(folder.path().join("state.db"));
    let bench = Bench::with(Options { store, ..Options::default() }).await;
    let secret = json!({
        "template": template(json!({
            "parameters": { "p": { "type": "securestring" } },
            "resources": [{ "type": "Test.Things/things", "apiVersion": "1", "name": "a",
                "properties": { "p": "[parameters('p')]" } }],
        })),
        "parameters": { "p": { "value": "hunter2" } },
    });
    for number in 0..60_u64 {
        let name = format!("d{number}");
        let asking = bench.put(&name, secret.clone());
        let _ = tokio::time::timeout(Duration::from_micros(100 * number), asking).await;
    }
    // Some were taken in after nobody waited for them any more.
    let mut found = 0;
    while found == 0 {
        tokio::time::sleep(Duration::from_millis(100)).await;
        for number in 0..60 {
            let id = id(&format!("d{number}"));
            if bench.engine.exists(&id).await.unwrap() {
                found += 1;
                assert_eq!(state(&bench.end(&id).await), ("Succeeded", ""), "d{number}");
            }
        }
    }
}

#[tokio::test]
async fn removing_a_group_ends_what_runs_there() {
    let bench = stuck(Options::default()).await;
    bench.put("main", slow_inside()).await.unwrap();
    begun(&bench, "inner").await;
    let status = bench.engine.get(&id("main")).await.unwrap()["properties"]["correlationId"].clone();
    let status = deploy::OperationStatusId(status.as_str().unwrap().to_owned());
    bench.engine.delete_group(crate::support::SUBSCRIPTION, crate::support::GROUP).await.unwrap();
    assert!(!bench.engine.exists(&id("main")).await.unwrap());
    assert!(!bench.engine.exists(&id("inner")).await.unwrap());
    assert_eq!(bench.engine.operation_status(&status).await.unwrap()["status"], "Canceled");
    while bench.engine.metrics().running > 0 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// A provider that keeps what it makes, and dies with the process before it can say so the first time.
#[derive(Default)]
struct Forgetful {
    kept: std::sync::Mutex<Option<Json>>,
    puts: AtomicU32,
}

impl Provider for Forgetful {
    fn put<'p>(&'p self, request: &'p ResourceRequest) -> BoxFuture<'p, Result<Resource, ProviderError>> {
        async move {
            self.puts.fetch_add(1, Ordering::SeqCst);
            let document = json!({ "id": request.target.id, "properties": { "size": 3, "made": true } });
            *self.kept.lock().unwrap() = Some(document);
            std::future::pending().await
        }
        .boxed()
    }

    fn get<'p>(&'p self, _: &'p ResourceTarget) -> BoxFuture<'p, Result<Option<Resource>, ProviderError>> {
        async {
            let kept = self.kept.lock().unwrap().clone();
            Ok(kept.map(|document| Resource { document, identifiers: None, created: false }))
        }
        .boxed()
    }

    fn delete<'p>(&'p self, _: &'p ResourceTarget) -> BoxFuture<'p, Result<bool, ProviderError>> {
        async { Ok(false) }.boxed()
    }
}

#[tokio::test]
async fn what_was_made_but_not_recorded_is_recognised() {
    let folder = tempfile::tempdir().unwrap();
    let provider = Arc::new(Forgetful::default());
    let options = || Options {
        store: deploy::Location::File(folder.path().join("state.db")),
        providers: Providers::default().with("Test.Forgetful", Arc::clone(&provider) as Arc<dyn Provider>),
        ..Options::default()
    };
    let bench = Bench::with(options()).await;
    let resource = json!({ "type": "Test.Forgetful/things", "apiVersion": "1", "name": "a", "properties": { "size": 3 } });
    bench.put("main", json!({ "template": template(json!({ "resources": [resource] })) })).await.unwrap();
    while provider.kept.lock().unwrap().is_none() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    bench.engine.shutdown().await;
    let bench = Bench { engine: deploy::Engine::open(options()).await.unwrap() };
    assert_eq!(state(&bench.end(&id("main")).await), ("Succeeded", ""));
    assert_eq!(provider.puts.load(Ordering::SeqCst), 1, "it is not made again");
}

/// The oldest deployments of a group are forgotten before there are 800.
#[tokio::test]
async fn old_deployments_are_forgotten() {
    let bench = Bench::new().await;
    let empty = json!({ "template": template(json!({})) });
    for number in 0..830 {
        bench.deploy(&format!("d{number}"), empty.clone()).await.unwrap();
    }
    let mut count = 0;
    let mut after: Option<String> = None;
    loop {
        let paging = Paging { top: None, after: after.as_deref() };
        let page = bench.engine.list(&crate::support::scope(), None, &paging).await.unwrap();
        count += page.items.len();
        match page.next {
            Some(next) => after = Some(next),
            None => break,
        }
    }
    assert!((700..=800).contains(&count), "{count}");
    assert!(bench.engine.exists(&id("d829")).await.unwrap());
    assert!(!bench.engine.exists(&id("d0")).await.unwrap());
}

#[tokio::test]
async fn a_provider_that_does_not_read_is_given_up() {
    let (bench, _gate) = moody(0, 0).await;
    let mut properties = slow();
    properties["template"]["resources"][0]["@options"] = json!({ "onlyIfNotExists": [] });
    properties["template"]["resources"][0]["type"] = json!("Test.Moody/unreadable");
    assert_eq!(state(&bench.deploy("main", properties).await.unwrap()), ("Failed", "OperationTimedOut"));
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
    let operations = bench.engine.operations(&id("second"), &Paging::default()).await.unwrap().items;
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
