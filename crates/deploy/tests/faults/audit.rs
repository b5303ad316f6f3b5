//! What must be true in the end, whatever happened on the way.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use deploy::{Engine, Paging};
use serde_json::Value as Json;

use crate::worker::{GROUP, SUBSCRIPTION, id};

/// Every acknowledged deployment is there, has succeeded, and has recorded all it did and nothing else.
pub async fn audit(engine: &Engine, acknowledged: &BTreeSet<usize>) {
    for number in acknowledged {
        let document = engine.get(&id(*number)).await.unwrap_or_else(|e| panic!("{number} is lost: {e}"));
        let properties = &document["properties"];
        assert_eq!(properties["provisioningState"], "Succeeded", "{document}");
        assert_eq!(properties["outputs"]["n"]["value"], number + 1, "{document}");
        let status = deploy::OperationStatusId(properties["correlationId"].as_str().unwrap().into());
        assert_eq!(engine.operation_status(&status).await.unwrap()["status"], "Succeeded");
        for (name, expected) in [(format!("d{number}"), 5), (format!("inner{number}"), 2)] {
            let id = deploy::DeploymentId::new(id(*number).scope, &name);
            let operations = engine.operations(&id, &Paging::default()).await.unwrap().items;
            let states: Vec<_> = operations.iter().map(|o| &o["properties"]["provisioningState"]).collect();
            assert!(states.iter().all(|state| *state == "Succeeded"), "{name}: {operations:#?}");
            assert_eq!(states.len(), expected, "{name}: {operations:#?}");
        }
        for (name, value) in [("a", *number), ("b", *number), ("c", number + 1)] {
            let id = format!(
                "/subscriptions/{SUBSCRIPTION}/resourceGroups/{GROUP}/providers/Test.Things/things/{name}{number}"
            );
            let resource = engine.get_resource(&id, "1").await.unwrap();
            assert_eq!(resource["properties"]["n"], Json::from(value), "{resource}");
        }
    }
}

/// No resource is worked on by two processes at once: before another one starts it, whoever had it has ended or was
/// killed. `killed` has the time of each death in microseconds.
pub fn audit_log(log: &Path, killed: &BTreeMap<u32, u128>) -> usize {
    let mut open: BTreeMap<String, u32> = BTreeMap::new();
    let text = std::fs::read_to_string(log).unwrap_or_default();
    let mut starts = 0;
    for line in text.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let [time, process, what, id] = words.as_slice() else { continue };
        let (time, process): (u128, u32) = (time.parse().unwrap(), process.parse().unwrap());
        match *what {
            "start" => {
                starts += 1;
                if let Some(other) = open.insert((*id).to_owned(), process) {
                    let death = killed.get(&other).copied().unwrap_or(u128::MAX);
                    assert!(death <= time, "'{id}' was begun by {process} while {other} worked on it");
                }
            }
            _ => {
                open.remove(*id);
            }
        }
    }
    starts
}
