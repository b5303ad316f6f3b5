//! kill -9 at random points, and another process that goes on.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::process::Child;
use std::sync::mpsc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::audit::{audit, audit_log};
use crate::postgres::Cluster;
use crate::worker::{LEASE, SHORT_LEASE, Task, open, open_held};

/// How many deployments are made while processes die.
const DEPLOYMENTS: usize = 100;

/// How long something that must happen may take on a busy machine, before a test gives up.
pub const PATIENCE: Duration = Duration::from_secs(180);

/// Numbers that look random; the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

/// A worker and what it says.
pub struct Worker {
    pub child: Child,
    lines: mpsc::Receiver<String>,
}

impl Worker {
    pub fn start(task: &Task) -> Self {
        Self::of(task.start(None))
    }

    pub fn of(mut child: Child) -> Self {
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        Self { child, lines }
    }

    /// Waits until the worker is done or a time has passed. True if it is done.
    pub fn watch(&self, time: Duration, acknowledged: &mut BTreeSet<usize>) -> bool {
        let end = Instant::now() + time;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(line) if line == "done" => return true,
                Ok(line) => {
                    acknowledged.extend(line.strip_prefix("accepted ").and_then(|n| n.parse::<usize>().ok()));
                }
                Err(_) => return false,
            }
        }
    }

    /// Waits until so many deployments are accepted: then the worker is in the middle of them.
    pub fn watch_until(&self, count: usize, acknowledged: &mut BTreeSet<usize>) {
        let end = Instant::now() + PATIENCE;
        while acknowledged.len() < count {
            let line = self.lines.recv_timeout(end.saturating_duration_since(Instant::now()));
            let line = line.unwrap_or_else(|_| panic!("the worker does not begin"));
            assert_ne!(line, "done", "the worker was too fast");
            acknowledged.extend(line.strip_prefix("accepted ").and_then(|n| n.parse::<usize>().ok()));
        }
    }

    /// Waits until the worker says something.
    pub fn watch_for(&self, is_wanted: impl Fn(&str) -> bool, acknowledged: &mut BTreeSet<usize>) {
        let end = Instant::now() + PATIENCE;
        loop {
            let line = self.lines.recv_timeout(end.saturating_duration_since(Instant::now()));
            let line = line.unwrap_or_else(|_| panic!("the worker does not say what is expected"));
            acknowledged.extend(line.strip_prefix("accepted ").and_then(|n| n.parse::<usize>().ok()));
            if is_wanted(&line) {
                return;
            }
        }
    }

    pub fn kill(mut self, acknowledged: &mut BTreeSet<usize>) -> (u32, u128) {
        let process = self.child.id();
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_micros();
        // What it said before it died counts.
        self.watch(Duration::from_millis(200), acknowledged);
        (process, time)
    }
}

pub fn killed_at_random_points() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("state.db").display().to_string();
    kill_until_done(&store, &folder);
}

pub fn postgres_killed_at_random_points() {
    let cluster = Cluster::start();
    let folder = tempfile::tempdir().unwrap();
    kill_until_done(&cluster.url(), &folder);
}

fn kill_until_done(store: &str, folder: &tempfile::TempDir) {
    let log = folder.path().join("calls.log");
    let task =
        Task { store: store.to_owned(), log: log.clone(), first: 0, last: DEPLOYMENTS, lease: SHORT_LEASE };
    let mut dice = Dice(20_261_115);
    let mut acknowledged = BTreeSet::new();
    let mut killed = BTreeMap::new();
    let start = Instant::now();
    loop {
        let worker = Worker::start(&task);
        // The first ones die young; later ones live long enough to finish.
        let life = Duration::from_millis(50 + dice.roll(350) + 40 * killed.len() as u64);
        let done = worker.watch(life, &mut acknowledged);
        let (process, time) = worker.kill(&mut acknowledged);
        if done {
            break;
        }
        killed.insert(process, time);
        assert!(start.elapsed() < Duration::from_secs(300), "the deployments do not end");
    }
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let engine = open(store, &log).await;
        let all: BTreeSet<usize> = (0..DEPLOYMENTS).collect();
        assert!(acknowledged.is_subset(&all));
        audit(&engine, &all).await;
        engine.shutdown().await;
    });
    let starts = audit_log(&log, &killed);
    println!("{} kills, {starts} calls for {DEPLOYMENTS} resources", killed.len());
    assert!(!killed.is_empty() && starts >= DEPLOYMENTS);
}

/// Two workers share the work; one is killed, the other takes over what it had.
pub fn postgres_taken_over() {
    let cluster = Cluster::start();
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("calls.log");
    let task = |first, last| Task { store: cluster.url(), log: log.clone(), first, last, lease: LEASE };
    let mut acknowledged = BTreeSet::new();
    let first = Worker::start(&task(0, 60));
    first.watch_until(10, &mut acknowledged);
    let second = Worker::start(&task(60, 100));
    first.watch_until(40, &mut acknowledged);
    let (process, time) = first.kill(&mut acknowledged);
    assert!(second.watch(PATIENCE, &mut acknowledged), "the second worker does not end");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    // Nobody but the second worker is there to finish what the first had.
    runtime.block_on(async {
        let end = Instant::now() + PATIENCE;
        let engine = open_reader(&cluster.url()).await;
        for number in &acknowledged {
            while !crate::worker::is_over(&engine.get(&crate::worker::id(*number)).await.unwrap()) {
                assert!(Instant::now() < end, "{number} was not taken over");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
        audit(&engine, &acknowledged).await;
        engine.shutdown().await;
    });
    second.kill(&mut acknowledged);
    audit_log(&log, &BTreeMap::from([(process, time)]));
    println!("{} deployments acknowledged, all taken over", acknowledged.len());
}

/// An engine that works on nothing.
pub async fn open_reader(store: &str) -> deploy::Engine {
    let store = deploy::Location::parse(store);
    deploy::Engine::open(deploy::Options { store, workers: 0, ..deploy::Options::default() }).await.unwrap()
}

/// Secrets are not kept: what needs them fails with a message that says so, the rest goes on.
pub fn interrupted_without_its_secrets() {
    use serde_json::json;
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("state.db").display().to_string();
    let log = folder.path().join("calls.log");
    let schema = "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#";
    let template = json!({
        "$schema": schema, "contentVersion": "1.0.0.0",
        "parameters": { "secret": { "type": "securestring" } },
        "resources": [
            { "type": "Test.Held/things", "apiVersion": "1", "name": "slow" },
            { "type": "Test.Things/things", "apiVersion": "1", "name": "plain", "dependsOn": ["slow"] },
            { "type": "Test.Things/things", "apiVersion": "1", "name": "needs", "dependsOn": ["slow"],
              "properties": { "password": "[parameters('secret')]" } },
        ],
    });
    let body =
        json!({ "properties": { "template": template, "parameters": { "secret": { "value": "hunter2" } } } });
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let id = crate::worker::id(0);
        let engine = open_held(&store).await;
        engine.put_group("s", "rg", &json!({ "location": "here" })).await.unwrap();
        engine.put(deploy::DeploymentRequest::new(id.clone(), &body).unwrap()).await.unwrap();
        engine.shutdown().await;
        let engine = open(&store, &log).await;
        let document = loop {
            let document = engine.get(&id).await.unwrap();
            if crate::worker::is_over(&document) {
                break document;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        };
        assert_eq!(document["properties"]["provisioningState"], "Failed", "{document}");
        let message = document["properties"]["error"]["details"][0]["message"].as_str().unwrap();
        assert!(message.contains("the secure parameter 'secret' was not kept"), "{message}");
        let plain = "/subscriptions/s/resourceGroups/rg/providers/Test.Things/things/plain";
        assert!(engine.get_resource(plain, "1").await.is_ok());
        engine.shutdown().await;
    });
    let bytes = std::fs::read(folder.path().join("state.db")).unwrap();
    assert!(!bytes.windows(7).any(|window| window == b"hunter2"), "a secret is in the state");
}
