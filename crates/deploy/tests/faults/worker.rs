//! A process that deploys, made to be killed. It says on standard output what was acknowledged to it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use deploy::provider::{Provider, ProviderError, Providers, Resource, ResourceRequest, ResourceTarget};
use deploy::{DeploymentId, DeploymentRequest, Engine, Location, Options, Scope};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::{Value as Json, json};

pub const SUBSCRIPTION: &str = "s";
pub const GROUP: &str = "rg";

/// What a worker is told to do.
#[derive(Clone)]
pub struct Task {
    /// The state: a file or a URL.
    pub store: String,
    /// Where every call of the provider is written down.
    pub log: PathBuf,
    /// The deployments to make, by number.
    pub first: usize,
    pub last: usize,
    /// After how many milliseconds of silence a process counts as gone.
    pub lease: u64,
}

/// The lease of servers, in milliseconds: for tests in which nothing may be taken from a healthy process, however busy the machine.
pub const LEASE: u64 = 3000;

/// Short enough for tests in which processes die by the dozen.
pub const SHORT_LEASE: u64 = 600;

impl Task {
    fn to_text(&self) -> String {
        format!("{}\n{}\n{}\n{}\n{}", self.store, self.log.display(), self.first, self.last, self.lease)
    }

    fn parse(text: &str) -> Self {
        let parts: Vec<&str> = text.lines().collect();
        let number = |at: usize| parts[at].parse::<usize>().unwrap();
        Self {
            store: parts[0].into(),
            log: parts[1].into(),
            first: number(2),
            last: number(3),
            lease: number(4) as u64,
        }
    }

    /// Starts a worker; `shell` is put before it, to limit what it may do.
    pub fn start(&self, shell: Option<&str>) -> Child {
        let program = std::env::current_exe().unwrap();
        let mut command = match shell {
            Some(limits) => {
                let mut command = Command::new("sh");
                command.arg("-c").arg(format!("{limits}; exec \"$0\"")).arg(program);
                command
            }
            None => Command::new(program),
        };
        command.env("SINEW_TEST_WORKER", self.to_text());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
    }
}

/// The worker itself: makes the deployments that are not there yet and waits for the end of all.
pub fn main(task: &str) {
    let task = Task::parse(task);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let engine = open_with(&task.store, &task.log, Duration::from_millis(task.lease)).await;
        let group = engine.put_group(SUBSCRIPTION, GROUP, &json!({ "location": "here" })).await;
        if let Err(error) = group {
            println!("refused group {}", error.code);
        }
        for number in task.first..task.last {
            make(&engine, number).await;
        }
        for number in task.first..task.last {
            wait(&engine, number).await;
        }
        println!("{}", if engine.health().await.is_ok() { "healthy" } else { "unhealthy" });
        println!("done");
        let _ = std::io::stdout().flush();
        // It goes on as a server would: whatever others leave behind is taken over.
        tokio::time::sleep(Duration::from_secs(120)).await;
    });
}

async fn make(engine: &Engine, number: usize) {
    let id = id(number);
    if engine.exists(&id).await.unwrap_or(false) {
        return;
    }
    let request =
        DeploymentRequest::new(id, &json!({ "properties": { "template": template(number) } })).unwrap();
    match engine.put(request).await {
        Ok(_) => println!("accepted {number}"),
        Err(error) => {
            println!("refused {number} {}", error.code);
            println!("{}", if engine.health().await.is_ok() { "healthy" } else { "unhealthy" });
        }
    }
    let _ = std::io::stdout().flush();
}

async fn wait(engine: &Engine, number: usize) {
    loop {
        match engine.get(&id(number)).await {
            Ok(document) if is_over(&document) => return,
            Err(error) if error.status == 404 => return,
            _ => tokio::time::sleep(Duration::from_millis(20)).await,
        }
    }
}

pub fn is_over(document: &Json) -> bool {
    matches!(document["properties"]["provisioningState"].as_str(), Some("Succeeded" | "Failed" | "Canceled"))
}

/// An engine whose processes are given up quickly.
pub async fn open(store: &str, log: &Path) -> Engine {
    open_with(store, log, Duration::from_millis(SHORT_LEASE)).await
}

/// An engine whose resources of the namespace `Test.Held` are never made.
pub async fn open_held(store: &str) -> Engine {
    let providers = Providers::default().with("Test.Held", Arc::new(Held));
    let options = Options { store: Location::parse(store), providers, ..Options::default() };
    Engine::open(options).await.unwrap()
}

async fn open_with(store: &str, log: &Path, lease: Duration) -> Engine {
    let providers = Providers::default().with("Test.Logged", Arc::new(Logged { log: log.to_owned() }));
    let options = Options { store: Location::parse(store), lease, providers, ..Options::default() };
    Engine::open(options).await.unwrap()
}

pub fn id(number: usize) -> DeploymentId {
    let scope = Scope::ResourceGroup { subscription: SUBSCRIPTION.into(), group: GROUP.into() };
    DeploymentId::new(scope, &format!("d{number}"))
}

/// Three resources one after the other, a deployment inside with one more, and an output that needs all of them.
fn template(number: usize) -> Json {
    let schema = "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#";
    let thing = |of: &str, name: &str, properties: Json, after: &[&str]| {
        json!({ "type": format!("Test.{of}/things"), "apiVersion": "1", "name": format!("{name}{number}"),
            "properties": properties, "dependsOn": after.iter().map(|name| format!("{name}{number}")).collect::<Vec<_>>() })
    };
    let inner = json!({
        "$schema": schema, "contentVersion": "1.0.0.0",
        "parameters": { "n": { "type": "int" } },
        "resources": [thing("Things", "c", json!({ "n": "[add(parameters('n'), 1)]" }), &[])],
        "outputs": { "n": { "type": "int", "value": format!("[reference('c{number}').n]") } },
    });
    json!({
        "$schema": schema, "contentVersion": "1.0.0.0",
        "resources": [
            thing("Things", "a", json!({ "n": number }), &[]),
            thing("Logged", "l", json!({}), &["a"]),
            thing("Things", "b", json!({ "n": format!("[reference('a{number}').n]") }), &["l"]),
            {
                "type": "Microsoft.Resources/deployments", "apiVersion": "1", "name": format!("inner{number}"),
                "dependsOn": [format!("b{number}")],
                "properties": {
                    "mode": "Incremental", "template": inner,
                    "expressionEvaluationOptions": { "scope": "inner" },
                    "parameters": { "n": { "value": format!("[reference('b{number}').n]") } },
                },
            },
        ],
        "outputs": { "n": { "type": "int", "value": format!("[reference('inner{number}').outputs.n.value]") } },
    })
}

/// A provider that takes its time and writes down when it was called, and by whom.
struct Logged {
    log: PathBuf,
}

impl Logged {
    fn note(&self, what: &str, id: &str) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_micros();
        let mut file = std::fs::OpenOptions::new().append(true).create(true).open(&self.log).unwrap();
        let line = format!("{now} {} {what} {id}\n", std::process::id());
        file.write_all(line.as_bytes()).unwrap();
    }
}

impl Provider for Logged {
    fn put<'p>(&'p self, request: &'p ResourceRequest) -> BoxFuture<'p, Result<Resource, ProviderError>> {
        async move {
            let id = request.target.id.as_deref().unwrap();
            self.note("start", id);
            tokio::time::sleep(Duration::from_millis(15)).await;
            self.note("end", id);
            Ok(Resource { document: json!({ "id": id, "properties": {} }), identifiers: None, created: true })
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

/// A provider that never ends what it begins.
struct Held;

impl Provider for Held {
    fn put<'p>(&'p self, _: &'p ResourceRequest) -> BoxFuture<'p, Result<Resource, ProviderError>> {
        futures_util::future::pending().boxed()
    }

    fn get<'p>(&'p self, _: &'p ResourceTarget) -> BoxFuture<'p, Result<Option<Resource>, ProviderError>> {
        async { Ok(None) }.boxed()
    }

    fn delete<'p>(&'p self, _: &'p ResourceTarget) -> BoxFuture<'p, Result<bool, ProviderError>> {
        async { Ok(false) }.boxed()
    }
}
