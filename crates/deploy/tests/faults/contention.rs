//! Deployments that write the same resources at once, on servers that share a PostgreSQL.

use std::time::{Duration, Instant};

use deploy::{DeploymentId, DeploymentRequest, Engine, Location, Options, Scope};
use futures_util::future::join_all;
use serde_json::{Value as Json, json};

use crate::kill::PATIENCE;
use crate::postgres::Cluster;
use crate::worker::{GROUP, SUBSCRIPTION, is_over};

const DEPLOYMENTS: usize = 64;
const RESOURCES: usize = 24;

/// Group commit holds the locks of several deployments in one transaction. Taken in one order, they never end in a deadlock,
/// which PostgreSQL would find after a second, and which the server would have to write again.
pub fn same_resources() {
    let cluster = Cluster::start();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let open = || Engine::open(Options { store: Location::parse(&cluster.url()), ..Options::default() });
        let servers = [open().await.unwrap(), open().await.unwrap()];
        servers[0].put_group(SUBSCRIPTION, GROUP, &json!({ "location": "here" })).await.unwrap();
        let put = async |number: usize| {
            let body = json!({ "properties": { "template": template(number) } });
            let request = DeploymentRequest::new(id(number), &body).unwrap();
            servers[number % servers.len()].put(request).await.unwrap();
        };
        join_all((0..DEPLOYMENTS).map(put)).await;
        let end = Instant::now() + PATIENCE;
        for number in 0..DEPLOYMENTS {
            loop {
                let document = servers[0].get(&id(number)).await.unwrap();
                if is_over(&document) {
                    assert_eq!(document["properties"]["provisioningState"], "Succeeded", "{document:#}");
                    break;
                }
                assert!(Instant::now() < end, "{number} does not end");
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
        for server in servers {
            server.shutdown().await;
        }
    });
    assert_eq!(cluster.deadlocks(), 0);
}

fn id(number: usize) -> DeploymentId {
    let scope = Scope::ResourceGroup { subscription: SUBSCRIPTION.into(), group: GROUP.into() };
    DeploymentId::new(scope, &format!("same{number}"))
}

/// The same resources in another order for every deployment.
fn template(number: usize) -> Json {
    let resource = |at: usize| {
        let name = format!("r{}", (at * 7 + number) % RESOURCES);
        json!({ "type": "Test.Things/things", "apiVersion": "1", "name": name, "properties": { "by": number } })
    };
    json!({
        "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
        "contentVersion": "1.0.0.0",
        "resources": (0..RESOURCES).map(resource).collect::<Vec<_>>(),
    })
}
