//! A disk that is full: errors are told, nothing is lost, and work goes on when there is room again.

use std::collections::BTreeSet;

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
    worker.watch_for(|line| line.ends_with("StateStoreUnavailable"), &mut accepted);
    let process = worker.child.id().to_string();
    let raised =
        std::process::Command::new("prlimit").args(["--fsize=unlimited", "--pid", &process]).status();
    assert!(raised.unwrap().success());
    worker.watch_for(|line| line == "done", &mut accepted);
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
    let mut worker = Worker::of(task.start(Some("trap '' XFSZ; ulimit -f 1200")));
    let mut accepted = BTreeSet::new();
    // Requests are refused, and the process says that it is not well. It does not end.
    worker.watch_for(|line| line.ends_with("StateStoreUnavailable"), &mut accepted);
    worker.watch_for(|line| line == "unhealthy", &mut accepted);
    assert!(worker.child.try_wait().unwrap().is_none(), "the worker ended although the disk is full");
    worker.kill(&mut accepted);
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
    println!("{} accepted before the disk was full, all done", accepted.len());
}
