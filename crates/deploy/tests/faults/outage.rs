//! Peers that freeze, databases that go away for a while, clocks that are wrong, state files that cannot be used.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::audit::{audit, audit_log};
use crate::kill::{PATIENCE, Worker, open_reader};
use crate::postgres::Cluster;
use crate::worker::{LEASE, SHORT_LEASE, Task, id, is_over};

/// Waits until deployments are over.
async fn wait_for(engine: &deploy::Engine, numbers: &BTreeSet<usize>) {
    let end = Instant::now() + PATIENCE;
    for number in numbers {
        while !engine.get(&id(*number)).await.is_ok_and(|document| is_over(&document)) {
            assert!(Instant::now() < end, "{number} does not end");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

fn now() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_micros()
}

fn signal(worker: &Worker, name: &str) {
    let process = worker.child.id().to_string();
    assert!(Command::new("kill").args([name, &process]).status().unwrap().success());
}

/// A process that is stopped in the middle of a transaction holds rows; the others do not wait for it.
pub fn frozen_peer() {
    let cluster = Cluster::start();
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("calls.log");
    let task = |first, last| Task { store: cluster.url(), log: log.clone(), first, last, lease: SHORT_LEASE };
    let mut acknowledged = BTreeSet::new();
    let first = Worker::start(&task(0, 200));
    first.watch_until(60, &mut acknowledged);
    signal(&first, "-STOP");
    let (process, frozen) = (first.child.id(), now());
    first.watch(Duration::from_millis(200), &mut acknowledged);
    let second = Worker::start(&task(200, 230));
    assert!(second.watch(PATIENCE, &mut acknowledged), "the second worker does not end");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let engine = open_reader(&cluster.url()).await;
        wait_for(&engine, &acknowledged).await;
        audit(&engine, &acknowledged).await;
        engine.shutdown().await;
    });
    signal(&first, "-CONT");
    first.kill(&mut acknowledged);
    second.kill(&mut acknowledged);
    audit_log(&log, &BTreeMap::from([(process, frozen)]));
    println!("{} deployments acknowledged, those of the frozen process taken over", acknowledged.len());
}

/// A database that goes away for some seconds costs time and nothing else.
pub fn database_restarted() {
    let mut cluster = Cluster::start();
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("calls.log");
    let task = Task { store: cluster.url(), log: log.clone(), first: 0, last: 120, lease: SHORT_LEASE };
    let mut accepted = BTreeSet::new();
    let worker = Worker::start(&task);
    worker.watch_until(20, &mut accepted);
    cluster.restart(Duration::from_secs(2));
    assert!(worker.watch(PATIENCE, &mut accepted), "the worker does not go on");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let engine = open_reader(&cluster.url()).await;
        audit(&engine, &accepted).await;
        engine.shutdown().await;
    });
    worker.kill(&mut accepted);
    println!("{} deployments accepted, none failed", accepted.len());
}

/// After a kill another process goes on, with the lease that servers have. The time it takes is printed: a takeover begins after
/// 3.5 s at most, which the tests of the poller hold without a clock; how long the rest takes depends on the machine.
pub fn takeover_time() {
    let cluster = Cluster::start();
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("calls.log");
    let task = |first, last| Task { store: cluster.url(), log: log.clone(), first, last, lease: LEASE };
    let mut acknowledged = BTreeSet::new();
    let second = Worker::start(&task(500, 501));
    second.watch_for(|line| line == "done", &mut acknowledged);
    let first = Worker::start(&task(0, 400));
    first.watch_until(100, &mut acknowledged);
    first.kill(&mut acknowledged);
    let killed = Instant::now();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let engine = open_reader(&cluster.url()).await;
        wait_for(&engine, &acknowledged).await;
        println!("{} deployments over {:?} after the kill", acknowledged.len(), killed.elapsed());
        audit(&engine, &acknowledged).await;
        engine.shutdown().await;
    });
    second.kill(&mut acknowledged);
}

/// A library that puts the clock of a process ahead; only the clock that people set.
const SKEW: &str = r"
#define _GNU_SOURCE
#include <time.h>
#include <sys/syscall.h>
#include <unistd.h>
int clock_gettime(clockid_t id, struct timespec *at) {
  int result = syscall(SYS_clock_gettime, id, at);
  if (id == CLOCK_REALTIME) at->tv_sec += 20;
  return result;
}
";

/// A process whose clock is ahead does not take what others work on.
pub fn clock_ahead() {
    let folder = tempfile::tempdir().unwrap();
    let (source, library) = (folder.path().join("skew.c"), folder.path().join("skew.so"));
    std::fs::write(&source, SKEW).unwrap();
    let built = Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&source).status();
    if !built.is_ok_and(|built| built.success()) {
        println!("there is no C compiler: not run");
        return;
    }
    let store = folder.path().join("state.db").display().to_string();
    let log = folder.path().join("calls.log");
    let task = |first, last| Task { store: store.clone(), log: log.clone(), first, last, lease: LEASE };
    let mut acknowledged = BTreeSet::new();
    let first = Worker::start(&task(0, 200));
    first.watch_until(5, &mut acknowledged);
    let ahead = task(200, 201).start(Some(&format!("export LD_PRELOAD='{}'", library.display())));
    let second = Worker::of(ahead);
    assert!(first.watch(PATIENCE, &mut acknowledged), "the first worker does not end");
    assert!(second.watch(PATIENCE, &mut acknowledged), "the second worker does not end");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let engine = open_reader(&store).await;
        audit(&engine, &acknowledged).await;
        engine.shutdown().await;
    });
    first.kill(&mut acknowledged);
    second.kill(&mut acknowledged);
    // Every resource was begun once: nobody has taken anything from anybody.
    let starts = audit_log(&log, &BTreeMap::new());
    assert_eq!(starts, 201);
}

/// The reason is told, with the name of the file.
pub fn unusable_state_file() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let check = |path: &Path, reason: &str| {
        let store = deploy::Location::File(path.to_owned());
        let options = deploy::Options { store, ..deploy::Options::default() };
        let error = runtime.block_on(deploy::Engine::open(options)).err().unwrap().to_string();
        assert!(error.contains(&path.display().to_string()) && error.contains(reason), "{error}");
        assert!(!error.contains("timed out"), "{error}");
    };
    let broken = folder.path().join("broken.db");
    std::fs::write(&broken, "this is no database, whatever its name says. ".repeat(100)).unwrap();
    check(&broken, "not a database");
    check(&folder.path().join("absent/state.db"), "No such file");
    check(Path::new("/proc/state.db"), "");
    check(folder.path(), "directory");
}

/// Whoever asks for TLS gets it or an error, and who asks for a name gets the server of that name.
pub fn tls() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let opens = |url: String| {
        let store = deploy::Location::parse(&url);
        let options = deploy::Options { store, ..deploy::Options::default() };
        runtime.block_on(async {
            match deploy::Engine::open(options).await {
                Ok(engine) => {
                    engine.shutdown().await;
                    Ok(())
                }
                Err(error) => Err(error.to_string()),
            }
        })
    };
    let mut cluster = Cluster::start();
    let url = cluster.url();
    assert_eq!(opens(format!("{url}?sslmode=prefer")), Ok(()));
    assert!(opens(format!("{url}?sslmode=require")).is_err(), "the server has no TLS");
    let Some(certificate) = cluster.speak_tls() else {
        println!("there is no openssl: not run");
        return;
    };
    assert_eq!(opens(format!("{url}?sslmode=require")), Ok(()));
    assert!(opens(format!("{url}?sslmode=verify-full")).is_err(), "nobody vouches for the server");
    let root = certificate.display();
    assert_eq!(opens(format!("{url}?sslmode=verify-full&sslrootcert={root}")), Ok(()));
}
