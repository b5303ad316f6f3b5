//! The Deployments API of a server, as a client sees it.

use std::time::Duration;

use base::World as _;
use camino::Utf8Path;
use deploy::{ArmError, Page};
use registry::home;
use reqwest::{Certificate, Client, Method, Url};
use serde_json::Value as Json;

use crate::failure::Failure;
use crate::session::Session;

/// A server.
pub(crate) struct Remote {
    client: Client,
    base: Url,
    token: Option<String>,
}

/// The version of the API that is spoken.
const VERSION: &str = "2025-04-01";
/// The member of a query that says where a list goes on.
const SKIP: &str = "$skiptoken";
/// The longest pause between two looks at an answer that is being made.
const LONGEST_PAUSE: Duration = Duration::from_secs(15);
/// How long one answer may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// A call of the API.
pub(crate) struct Call<'c> {
    method: Method,
    path: &'c str,
    body: Option<Json>,
    version: &'c str,
    query: Vec<(&'static str, String)>,
}

impl<'c> Call<'c> {
    fn new(method: Method, path: &'c str, body: Option<Json>) -> Self {
        Self { method, path, body, version: VERSION, query: Vec::new() }
    }

    pub(crate) fn get(path: &'c str) -> Self {
        Self::new(Method::GET, path, None)
    }

    pub(crate) fn put(path: &'c str, body: Json) -> Self {
        Self::new(Method::PUT, path, Some(body))
    }

    pub(crate) fn post(path: &'c str, body: Json) -> Self {
        Self::new(Method::POST, path, Some(body))
    }

    pub(crate) fn delete(path: &'c str) -> Self {
        Self::new(Method::DELETE, path, None)
    }

    /// With another version of the API.
    pub(crate) fn version(self, version: &'c str) -> Self {
        Self { version, ..self }
    }

    /// With more members in the query.
    pub(crate) fn query(self, query: Vec<(&'static str, String)>) -> Self {
        Self { query, ..self }
    }
}

/// An answer of the server.
struct Reply {
    document: Json,
    /// Where to ask again, while the answer is being made.
    pending: Option<Url>,
    pause: Duration,
}

impl Remote {
    pub(crate) fn new(url: &str, authority: Option<&Utf8Path>, session: &Session) -> Result<Self, Failure> {
        let base = Url::parse(url).map_err(|error| Failure::bad_endpoint(url, &error))?;
        // Whoever is first wins; it is the same provider.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut client = Client::builder().timeout(PATIENCE);
        let own = home::data_folder(&session.world).map(|folder| folder.join("tls/ca.pem"));
        let own = own.filter(|path| path.is_file());
        for path in authority.into_iter().chain(own.as_deref()) {
            let file = session.world.read_source(path).map_err(|error| Failure::unreadable(path, &error))?;
            let certificate = Certificate::from_pem(file.text().as_bytes());
            client = client.add_root_certificate(certificate.map_err(|error| Failure::deployment(&error))?);
        }
        let client = client.build().map_err(|error| Failure::deployment(&error))?;
        let token = session.world.variable("SINEW_TOKEN").filter(|token| !token.is_empty());
        Ok(Self { client, base, token })
    }

    /// The same with a token of Azure.
    pub(crate) fn with_token(self, token: String) -> Self {
        Self { token: Some(token), ..self }
    }

    pub(super) async fn get(&self, path: &str) -> Result<Json, ArmError> {
        self.send(Call::get(path)).await
    }

    /// A part of a list. Links are not followed as they are: whoever answers could send the token elsewhere.
    pub(crate) async fn page(&self, path: &str, after: Option<&str>) -> Result<Page, ArmError> {
        let after = after.map(|after| (SKIP, after.to_owned()));
        let answer = self.send(Call::get(path).query(after.into_iter().collect())).await?;
        let link = answer.get("nextLink").and_then(Json::as_str).and_then(|link| Url::parse(link).ok());
        let token =
            |link: Url| link.query_pairs().find(|(name, _)| name == SKIP).map(|(_, it)| it.into_owned());
        let items = answer.get("value").and_then(Json::as_array).cloned().unwrap_or_default();
        Ok(Page { items, next: link.and_then(token) })
    }

    pub(super) async fn put(&self, path: &str, body: &Json) -> Result<Json, ArmError> {
        self.send(Call::put(path, body.clone())).await
    }

    pub(super) async fn post(&self, path: &str, body: &Json) -> Result<Json, ArmError> {
        self.send(Call::post(path, body.clone())).await
    }

    /// Makes a call and waits for its answer, also where the server says that it takes a while.
    pub(crate) async fn send(&self, call: Call<'_>) -> Result<Json, ArmError> {
        let mut url = self.base.clone();
        url.set_path(call.path);
        url.query_pairs_mut().clear().append_pair("api-version", call.version);
        for (name, value) in &call.query {
            url.query_pairs_mut().append_pair(name, value);
        }
        let mut answer = self.ask(call.method, url, call.body.as_ref()).await?;
        while let Some(link) = answer.pending.take() {
            tokio::time::sleep(answer.pause).await;
            answer = self.ask(Method::GET, link, None).await?;
        }
        Ok(answer.document)
    }

    async fn ask(&self, method: Method, url: Url, body: Option<&Json>) -> Result<Reply, ArmError> {
        let mut request = self.client.request(method, url);
        if let Some(token) = &self.token {
            request = request.bearer_auth(token);
        }
        if let Some(body) = body {
            request = request.header("content-type", "application/json").body(body.to_string());
        }
        let failed = |error: &reqwest::Error| {
            ArmError::new("EndpointUnreachable", format!("The server does not answer: {error}."))
                .with_status(503)
        };
        let response = request.send().await.map_err(|error| failed(&error))?;
        let status = response.status();
        let header = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok());
        let pause = header("retry-after").and_then(|seconds| seconds.parse().ok()).unwrap_or(1);
        // Only an answer that is still being made is waited for, and only where the token may be sent.
        let link = header("location").filter(|_| status.as_u16() == 202);
        let pending =
            link.and_then(|link| Url::parse(link).ok()).filter(|link| link.origin() == self.base.origin());
        let pause = Duration::from_secs(pause).min(LONGEST_PAUSE);
        let text = response.text().await.map_err(|error| failed(&error))?;
        let answer: Json = serde_json::from_str(&text).unwrap_or_default();
        if status.is_success() {
            return Ok(Reply { document: answer, pending, pause });
        }
        let mut error =
            ArmError::from_json(answer.get("error").unwrap_or(&Json::Null)).with_status(status.as_u16());
        if error.code.is_empty() {
            error.code = "EndpointRefused".into();
            error.message = format!("The server answers with status {status}.");
        }
        Err(error)
    }
}
