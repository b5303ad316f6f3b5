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
/// How long one answer may take.
const PATIENCE: Duration = Duration::from_secs(120);

impl Remote {
    pub(super) fn new(url: &str, authority: Option<&Utf8Path>, session: &Session) -> Result<Self, Failure> {
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

    pub(super) async fn get(&self, path: &str) -> Result<Json, ArmError> {
        self.ask(Method::GET, path, None).await
    }

    /// A part of a list. Links are not followed as they are: whoever answers could send the token elsewhere.
    pub(super) async fn page(&self, path: &str, after: Option<&str>) -> Result<Page, ArmError> {
        let answer = self.ask_for(Method::GET, (path, after), None).await?;
        let link = answer.get("nextLink").and_then(Json::as_str).and_then(|link| Url::parse(link).ok());
        let token =
            |link: Url| link.query_pairs().find(|(name, _)| name == SKIP).map(|(_, it)| it.into_owned());
        let items = answer.get("value").and_then(Json::as_array).cloned().unwrap_or_default();
        Ok(Page { items, next: link.and_then(token) })
    }

    pub(super) async fn put(&self, path: &str, body: &Json) -> Result<Json, ArmError> {
        self.ask(Method::PUT, path, Some(body)).await
    }

    pub(super) async fn post(&self, path: &str, body: &Json) -> Result<Json, ArmError> {
        self.ask(Method::POST, path, Some(body)).await
    }

    async fn ask(&self, method: Method, path: &str, body: Option<&Json>) -> Result<Json, ArmError> {
        self.ask_for(method, (path, None), body).await
    }

    async fn ask_for(
        &self,
        method: Method,
        (path, after): (&str, Option<&str>),
        body: Option<&Json>,
    ) -> Result<Json, ArmError> {
        let mut url = self.base.clone();
        url.set_path(path);
        url.query_pairs_mut().clear().append_pair("api-version", VERSION);
        if let Some(after) = after {
            url.query_pairs_mut().append_pair(SKIP, after);
        }
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
        let text = response.text().await.map_err(|error| failed(&error))?;
        let answer: Json = serde_json::from_str(&text).unwrap_or_default();
        if status.is_success() {
            return Ok(answer);
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
