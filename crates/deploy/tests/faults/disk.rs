//! A disk that is full: errors are told, nothing is lost, and work goes on when there is room again.

use std::collections::BTreeSet;
use std::io::Read;

use crate::audit::audit;
use crate::kill::Worker;
use crate::worker::{SHORT_LEASE, Task, open};

/// When there is room again, the same process goes on: nothing has to be started anew.
pub fn room_on_a_full_disk() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("state.db").display().to_string();
    let log = folder.path().join("calls.log");
    let task = Task { store: store.clone(), log: log.clone(), first: 0, last: 40, lease: SHORT_LEASE };
    let child = task.start(Some("trap '' XFSZ; ulimit -S -f 1200"));
    let worker = Worker::of(child);
    let mut accepted = BTreeSet::new();
    assert!(!worker.watch(std::time::Duration::from_secs(3), &mut accepted), "the limit was never met");
    let process = worker.child.id().to_string();
    let raised =
        std::process::Command::new("prlimit").args(["--fsize=unlimited", "--pid", &process]).status();
    assert!(raised.unwrap().success());
    assert!(worker.watch(std::time::Duration::from_secs(30), &mut accepted), "it does not go on");
    assert!(!accepted.is_empty());
    worker.kill(&mut accepted);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let engine = open(&store, &log).await;
        audit(&engine, &accepted).await;
        engine.shutdown().await;
    });
    println!("{} accepted on a full disk, all done", accepted.len());
}

pub fn full_disk() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("state.db").display().to_string();
    let log = folder.path().join("calls.log");
    let task = Task { store: store.clone(), log: log.clone(), first: 0, last: 40, lease: SHORT_LEASE };
    // No file may grow beyond 1200 blocks of 512 bytes; the signal that would end the process is ignored.
    let mut child = task.start(Some("trap '' XFSZ; ulimit -f 1200"));
    let mut output = child.stdout.take().unwrap();
    std::thread::sleep(std::time::Duration::from_secs(3));
    assert!(child.try_wait().unwrap().is_none(), "the worker ended although the disk is full");
    child.kill().unwrap();
    child.wait().unwrap();
    let mut text = String::new();
    output.read_to_string(&mut text).unwrap();
    let refused = text.lines().filter(|line| line.ends_with("StateStoreUnavailable")).count();
    let accepted: BTreeSet<usize> =
        text.lines().filter_map(|line| line.strip_prefix("accepted ")?.parse().ok()).collect();
    assert!(refused > 0, "the limit was never met: {text}");
    assert!(text.lines().any(|line| line == "unhealthy"), "it says that it is well: {text}");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let engine = open(&store, &log).await;
        for number in &accepted {
            while !crate::worker::is_over(&engine.get(&crate::worker::id(*number)).await.unwrap()) {
                tokio::time::sleep(std::time::Duration::from_millis(20)).await;
            }
        }
        audit(&engine, &accepted).await;
        engine.shutdown().await;
    });
    println!("{} accepted, {refused} refused", accepted.len());
}
