//! A provider whose resources are made when the test says so.

use std::sync::Arc;

use deploy::provider::{Provider, ProviderError, Providers, Resource, ResourceRequest, ResourceTarget};
use deploy::{ArmError, Options as EngineOptions};
use futures_util::future::BoxFuture;
use serde_json::json;
use tokio::sync::Semaphore;

use crate::server::{Server, Setup};

/// A server with a group, where resources of the namespace `Test.Slow` wait at the gate.
pub(crate) async fn server() -> (Server, Arc<Gate>) {
    let gate = Arc::new(Gate(Semaphore::new(0)));
    let providers = Providers::default().with("Test.Slow", Arc::clone(&gate) as Arc<dyn Provider>);
    let engine = EngineOptions { providers, ..EngineOptions::default() };
    let server = Server::with(Setup { engine, ..Setup::default() }).await;
    server.make_group().await;
    (server, gate)
}

/// Makes resources when the test says so; those of a name with `broken` in it never.
pub(crate) struct Gate(Semaphore);

impl Gate {
    /// Lets some more through.
    pub(crate) fn open(&self, count: usize) {
        self.0.add_permits(count);
    }
}

impl Provider for Gate {
    fn put<'p>(&'p self, request: &'p ResourceRequest) -> BoxFuture<'p, Result<Resource, ProviderError>> {
        Box::pin(async {
            let id = request.target.id.clone().unwrap_or_default();
            self.0.acquire().await.unwrap().forget();
            if id.contains("broken") {
                return Err(ArmError::new("SkuNotAvailable", "There is none left.").about(id).into());
            }
            let name = id.rsplit('/').next().unwrap_or_default().to_owned();
            let document =
                json!({ "id": id, "name": name, "type": request.target.resource_type, "properties": {} });
            Ok(Resource { document, identifiers: None, created: true })
        })
    }

    fn get<'p>(&'p self, _: &'p ResourceTarget) -> BoxFuture<'p, Result<Option<Resource>, ProviderError>> {
        Box::pin(async { Ok(None) })
    }

    fn delete<'p>(&'p self, _: &'p ResourceTarget) -> BoxFuture<'p, Result<bool, ProviderError>> {
        Box::pin(async { Ok(false) })
    }
}
