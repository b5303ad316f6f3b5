//! A server for one test, and requests to it.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use api::{Access, HttpLimits, tls};
use deploy::{Engine, Options as EngineOptions};
use reqwest::{Client, Method, Response};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// A resource group, which tests make first.
pub(crate) const GROUP: &str = "/subscriptions/00000000-0000-0000-0000-0000000000aa/resourceGroups/g";

/// A running server. It stops when it is dropped.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) url: String,
    pub(crate) client: Client,
    token: Option<String>,
    stop: Option<oneshot::Sender<()>>,
    done: Option<JoinHandle<()>>,
}

/// How a test wants its server.
pub(crate) struct Setup {
    pub(crate) access: Access,
    pub(crate) limits: HttpLimits,
    pub(crate) identity: Option<tls::Identity>,
    pub(crate) engine: EngineOptions,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            access: Access::local(),
            limits: HttpLimits::default(),
            identity: None,
            engine: EngineOptions::default(),
        }
    }
}

/// An answer, read to its end.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: reqwest::header::HeaderMap,
    pub(crate) body: Value,
}

impl Server {
    pub(crate) async fn start() -> Self {
        Self::with(Setup::default()).await
    }

    pub(crate) async fn with(setup: Setup) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let engine = Engine::open(setup.engine).await.unwrap();
        let scheme = if setup.identity.is_some() { "https" } else { "http" };
        let client = client(setup.identity.as_ref().map(|identity| identity.authority.as_path()));
        let (stop, stopped) = oneshot::channel::<()>();
        let options =
            api::Options { engine, access: setup.access, limits: setup.limits, identity: setup.identity };
        let done = tokio::spawn(async move {
            let stopped = async move { drop(stopped.await) };
            api::serve(listener, options, stopped).await.unwrap();
        });
        let url = format!("{scheme}://{address}");
        Self { address, url, client, token: None, stop: Some(stop), done: Some(done) }
    }

    /// Shows this token from now on.
    pub(crate) fn with_token(mut self, token: &str) -> Self {
        self.token = Some(token.to_owned());
        self
    }

    /// Sends a request; the version of the API is added when the path has no query.
    pub(crate) async fn send(&self, method: Method, path: &str, body: Option<&str>) -> Answer {
        let query = if path.contains('?') { "" } else { "?api-version=2025-04-01" };
        let url = match path.starts_with("http") {
            true => path.to_owned(),
            false => format!("{}{path}{query}", self.url),
        };
        let mut request = self.client.request(method, url);
        if let Some(token) = &self.token {
            request = request.bearer_auth(token);
        }
        if let Some(body) = body {
            request = request.header("content-type", "application/json").body(body.to_owned());
        }
        Answer::of(request.send().await.unwrap()).await
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, path, None).await
    }

    pub(crate) async fn put(&self, path: &str, body: &Value) -> Answer {
        self.send(Method::PUT, path, Some(&body.to_string())).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Answer {
        self.send(Method::POST, path, Some(&body.to_string())).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Answer {
        self.send(Method::DELETE, path, None).await
    }

    pub(crate) async fn head(&self, path: &str) -> u16 {
        self.send(Method::HEAD, path, None).await.status
    }

    /// Makes the group of the test.
    pub(crate) async fn make_group(&self) {
        let made = self.put(GROUP, &serde_json::json!({ "location": "westeurope" })).await;
        assert_eq!(made.status, 201, "{made:?}");
    }

    /// Asks the server to stop and waits until it has.
    pub(crate) async fn stop(&mut self) {
        drop(self.stop.take());
        if let Some(done) = self.done.take() {
            tokio::time::timeout(Duration::from_secs(30), done).await.unwrap().unwrap();
        }
    }
}

impl Answer {
    pub(crate) async fn of(response: Response) -> Self {
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let text = response.text().await.unwrap();
        let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
        Self { status, headers, body }
    }

    /// The code of the error envelope.
    pub(crate) fn code(&self) -> &str {
        self.body.pointer("/error/code").and_then(Value::as_str).unwrap_or_default()
    }

    /// A header as text.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }
}

/// A client that trusts one authority, or none.
pub(crate) fn client(authority: Option<&Path>) -> Client {
    let mut roots = RootCertStore::empty();
    if let Some(authority) = authority {
        roots.add(CertificateDer::from_pem_file(authority).unwrap()).unwrap();
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    Client::builder().no_proxy().tls_backend_preconfigured(config).build().unwrap()
}
