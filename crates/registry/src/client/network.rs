//! The client of a build with the network: requests with retries, and with credentials when a registry asks.

use std::collections::BTreeMap;
use std::error::Error as _;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use camino::Utf8PathBuf;
use reqwest::header::{
    ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, LINK, LOCATION, RETRY_AFTER, WWW_AUTHENTICATE,
};
use reqwest::{Method, Response, StatusCode, Url};

use super::auth::{self, Challenge, Credentials, Secret};
use super::{Patience, RepositoryTarget};
use crate::digest::Digest;
use crate::error::Error;
use crate::manifest::{Descriptor, MAX_MANIFEST, media};
use crate::runtime;

/// No registry makes us wait longer than this between two requests.
const LONGEST_WAIT: Duration = Duration::from_secs(20);

/// A connection to registries.
pub(crate) struct Client {
    http: reqwest::Client,
    /// For this machine: never through a proxy.
    local: reqwest::Client,
    patience: Patience,
    docker_config: Option<Utf8PathBuf>,
    /// What each registry accepted last, by registry and scope.
    accepted: Mutex<BTreeMap<(String, String), Authorization>>,
}

/// What is sent to prove who we are.
#[derive(Clone)]
struct Authorization {
    header: String,
    /// Where the credentials behind it come from; none for anonymous tokens.
    source: Option<String>,
}

impl RepositoryTarget<'_> {
    fn scope(&self) -> String {
        let actions = if self.push { "pull,push" } else { "pull" };
        format!("repository:{}:{actions}", self.repository)
    }

    fn protocol(&self, reason: String) -> Error {
        Error::Protocol { registry: self.registry.to_owned(), reason }
    }

    fn url(&self, path: &str) -> Result<Url, Error> {
        let scheme = if is_loopback(self.registry) { "http" } else { "https" };
        let text = format!("{scheme}://{}/v2/{}/{path}", self.registry, self.repository);
        Url::parse(&text).map_err(|error| self.protocol(format!("\"{text}\" is not an address: {error}")))
    }
}

/// More pages of tags are not asked for.
const MAX_PAGES: usize = 50;

/// A part of the tags of a repository.
#[derive(serde::Deserialize)]
struct TagPage {
    tags: Option<Vec<String>>,
}

/// A request that can be made again.
struct Request<'a> {
    method: Method,
    url: Url,
    headers: HeaderMap,
    body: Option<&'a [u8]>,
}

impl<'a> Request<'a> {
    fn new(method: Method, url: Url) -> Self {
        Self { method, url, headers: HeaderMap::new(), body: None }
    }

    fn with_body(mut self, media_type: &str, body: &'a [u8]) -> Self {
        if let Ok(value) = media_type.parse() {
            self.headers.insert(CONTENT_TYPE, value);
        }
        self.body = Some(body);
        self
    }
}

impl Client {
    pub(crate) fn new(patience: Patience, docker_config: Option<Utf8PathBuf>) -> Result<Self, Error> {
        // Someone else may have chosen a provider already; theirs is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let build = |local: bool| {
            let builder = reqwest::Client::builder()
                .user_agent(concat!("sinew/", env!("CARGO_PKG_VERSION")))
                .connect_timeout(patience.connect)
                .read_timeout(patience.read)
                .redirect(reqwest::redirect::Policy::custom(follow));
            let builder = if local { builder.no_proxy() } else { builder };
            builder
                .build()
                .map_err(|error| Error::Unreachable { registry: "*".to_owned(), reason: innermost(&error) })
        };
        Ok(Self {
            http: build(false)?,
            local: build(true)?,
            patience,
            docker_config,
            accepted: Mutex::default(),
        })
    }

    /// The manifest under a tag or digest: its bytes, verified where there is something to verify them by.
    pub(crate) async fn manifest(
        &self,
        target: RepositoryTarget<'_>,
        version: &str,
    ) -> Result<Vec<u8>, Error> {
        self.manifest_of_kind(target, version, media::MANIFEST).await
    }

    /// The manifest of a container image, or of images for several platforms.
    pub(crate) async fn image_manifest(
        &self,
        target: RepositoryTarget<'_>,
        version: &str,
    ) -> Result<Vec<u8>, Error> {
        self.manifest_of_kind(target, version, IMAGE_MANIFESTS).await
    }

    async fn manifest_of_kind(
        &self,
        target: RepositoryTarget<'_>,
        version: &str,
        accepted: &str,
    ) -> Result<Vec<u8>, Error> {
        let mut request = Request::new(Method::GET, target.url(&format!("manifests/{version}"))?);
        accept(&mut request.headers, accepted);
        let response = self.send(target, &request).await?;
        if response.status() == StatusCode::NOT_FOUND {
            return Err(Error::NotFound);
        }
        let response = success(target, response).await?;
        let said = response.headers().get("docker-content-digest").and_then(|value| value.to_str().ok());
        let said = said.and_then(Digest::parse);
        let bytes = read_all(target, response, "the manifest", MAX_MANIFEST).await?;
        let actual = Digest::of(&bytes);
        for expected in [Digest::parse(version), said].into_iter().flatten() {
            expected.check(&actual, || "the manifest".to_owned()).into_result()?;
        }
        Ok(bytes)
    }

    /// Whether there is a manifest under a tag or digest.
    pub(crate) async fn has_manifest(
        &self,
        target: RepositoryTarget<'_>,
        version: &str,
    ) -> Result<bool, Error> {
        let mut request = Request::new(Method::HEAD, target.url(&format!("manifests/{version}"))?);
        accept(&mut request.headers, media::MANIFEST);
        let response = self.send(target, &request).await?;
        match response.status() {
            StatusCode::NOT_FOUND => Ok(false),
            _ => success(target, response).await.map(|_| true),
        }
    }

    /// The tags of a repository, page by page.
    pub(crate) async fn tags(&self, target: RepositoryTarget<'_>) -> Result<Vec<String>, Error> {
        let mut tags = Vec::new();
        let mut last = String::new();
        for _ in 0..MAX_PAGES {
            let mut url = target.url("tags/list")?;
            url.query_pairs_mut().append_pair("n", "1000");
            if !last.is_empty() {
                url.query_pairs_mut().append_pair("last", &last);
            }
            let response = self.send(target, &Request::new(Method::GET, url)).await?;
            if response.status() == StatusCode::NOT_FOUND {
                return Err(Error::NotFound);
            }
            let response = success(target, response).await?;
            let has_more = response.headers().contains_key(LINK);
            let bytes = read_all(target, response, "the list of tags", MAX_MANIFEST).await?;
            let page: TagPage = serde_json::from_slice(&bytes)
                .map_err(|error| target.protocol(format!("its list of tags cannot be read: {error}")))?;
            let page = page.tags.unwrap_or_default();
            match page.last() {
                Some(tag) if has_more && *tag != last => last.clone_from(tag),
                _ => {
                    tags.extend(page);
                    break;
                }
            }
            tags.extend(page);
        }
        Ok(tags)
    }

    /// Starts to read a blob.
    pub(crate) async fn blob<'a>(
        &self,
        target: RepositoryTarget<'a>,
        digest: &Digest,
    ) -> Result<Blob<'a>, Error> {
        let request = Request::new(Method::GET, target.url(&format!("blobs/{digest}"))?);
        let response = self.send(target, &request).await?;
        if response.status() == StatusCode::NOT_FOUND {
            return Err(Error::BlobNotFound(digest.clone()));
        }
        Ok(Blob { target, response: success(target, response).await? })
    }

    /// A blob of limited size, with the bytes that its digest says.
    pub(crate) async fn whole_blob(
        &self,
        target: RepositoryTarget<'_>,
        digest: &Digest,
        limit: u64,
    ) -> Result<Vec<u8>, Error> {
        let bytes = read_all(target, self.blob(target, digest).await?.response, "the layer", limit).await?;
        digest.check(&Digest::of(&bytes), || "the layer".to_owned()).into_result()?;
        Ok(bytes)
    }

    /// Puts a blob into a repository, unless it is there.
    pub(crate) async fn put_blob(
        &self,
        target: RepositoryTarget<'_>,
        descriptor: &Descriptor,
        bytes: &[u8],
    ) -> Result<(), Error> {
        let digest = &descriptor.digest;
        let head = Request::new(Method::HEAD, target.url(&format!("blobs/{digest}"))?);
        if self.send(target, &head).await?.status().is_success() {
            return Ok(());
        }
        let start = Request::new(Method::POST, target.url("blobs/uploads/")?)
            .with_body("application/octet-stream", &[]);
        let response = success(target, self.send(target, &start).await?).await?;
        let location = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
        let location = location.and_then(|text| response.url().join(text).ok());
        let Some(mut location) = location else {
            return Err(target.protocol("it does not say where to upload to".to_owned()));
        };
        location.query_pairs_mut().append_pair("digest", digest.as_str());
        let put = Request::new(Method::PUT, location).with_body("application/octet-stream", bytes);
        success(target, self.send(target, &put).await?).await.map(|_| ())
    }

    /// Puts a manifest under a tag.
    pub(crate) async fn put_manifest(
        &self,
        target: RepositoryTarget<'_>,
        tag: &str,
        bytes: &[u8],
    ) -> Result<(), Error> {
        let url = target.url(&format!("manifests/{tag}"))?;
        let request = Request::new(Method::PUT, url).with_body(media::MANIFEST, bytes);
        success(target, self.send(target, &request).await?).await.map(|_| ())
    }

    /// Reads a document from a service: with a token, or by sending a form.
    pub(crate) async fn document(
        &self,
        address: &str,
        token: Option<&str>,
        form: Option<&[(&str, &str)]>,
        limit: u64,
    ) -> Result<Vec<u8>, Error> {
        let bad = |reason: &str| Error::Protocol { registry: address.to_owned(), reason: reason.to_owned() };
        let url = Url::parse(address).map_err(|error| bad(&error.to_string()))?;
        let host = match (url.host_str(), url.port()) {
            (Some(host), Some(port)) => format!("{host}:{port}"),
            (Some(host), None) => host.to_owned(),
            (None, _) => return Err(bad("it is not an address")),
        };
        // Tokens and secrets travel over protected connections only.
        if url.scheme() != "https" && !is_loopback(&host) {
            return Err(bad("its address does not start with https"));
        }
        let target = RepositoryTarget { registry: &host, repository: "", push: false };
        let body = form.map(|form| {
            Url::parse_with_params("form:", form).map(|url| url.query().unwrap_or_default().to_owned())
        });
        let body = body.transpose().map_err(|error| bad(&error.to_string()))?;
        let request = match &body {
            None => Request::new(Method::GET, url),
            Some(body) => Request::new(Method::POST, url)
                .with_body("application/x-www-form-urlencoded", body.as_bytes()),
        };
        let header = token.map(|token| Authorization { header: format!("Bearer {token}"), source: None });
        let mut attempt = 1;
        let response = loop {
            let error = match self.send_once(target, &request, header.as_ref()).await {
                Ok(response) if is_temporary(response.status()) => {
                    let (registry, status) = (host.clone(), response.status().as_u16());
                    Error::Server { registry, status, attempts: attempt }
                }
                Ok(response) => break response,
                Err(error) => error,
            };
            let Some(wait) = self.wait_after(attempt).filter(|_| error.is_temporary()) else {
                return Err(error);
            };
            runtime::sleep(wait).await;
            attempt += 1;
        };
        if response.status() == StatusCode::NOT_FOUND {
            return Err(Error::NotFound);
        }
        read_all(target, success(target, response).await?, "the answer", limit).await
    }

    /// How long to wait after an attempt, counted from one; none when there is no next one.
    pub(crate) fn wait_after(&self, attempt: u32) -> Option<Duration> {
        let doubled = self.patience.first_wait.saturating_mul(1 << attempt.saturating_sub(1).min(16));
        (attempt < self.patience.attempts).then_some(doubled.min(LONGEST_WAIT))
    }

    /// Makes a request until it is answered: again after failures that may pass, and with credentials when asked for.
    async fn send(&self, target: RepositoryTarget<'_>, request: &Request<'_>) -> Result<Response, Error> {
        let key = (target.registry.to_owned(), target.scope());
        let mut authorization =
            self.accepted.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        let mut fresh = false;
        let mut attempt = 1;
        loop {
            let (error, asked_wait) = match self.send_once(target, request, authorization.as_ref()).await {
                Err(error) => (error, None),
                Ok(response) if response.status() == StatusCode::UNAUTHORIZED => {
                    let source = authorization.and_then(|known| known.source);
                    if fresh {
                        return Err(Error::Unauthorized {
                            registry: target.registry.to_owned(),
                            tried: source,
                        });
                    }
                    let found = self.authorize(target, response.headers()).await?;
                    self.accepted
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .insert(key.clone(), found.clone());
                    authorization = Some(found);
                    fresh = true;
                    continue;
                }
                Ok(response) if is_temporary(response.status()) => {
                    let registry = target.registry.to_owned();
                    let status = response.status().as_u16();
                    (Error::Server { registry, status, attempts: attempt }, retry_after(response.headers()))
                }
                Ok(response) => return Ok(response),
            };
            let Some(wait) = self.wait_after(attempt).filter(|_| error.is_temporary()) else {
                return Err(error);
            };
            runtime::sleep(asked_wait.unwrap_or(wait).min(LONGEST_WAIT)).await;
            attempt += 1;
        }
    }

    async fn send_once(
        &self,
        target: RepositoryTarget<'_>,
        request: &Request<'_>,
        authorization: Option<&Authorization>,
    ) -> Result<Response, Error> {
        let http = if is_loopback(target.registry) { &self.local } else { &self.http };
        let mut builder =
            http.request(request.method.clone(), request.url.clone()).headers(request.headers.clone());
        if let Some(body) = request.body {
            builder = builder.body(body.to_vec());
        }
        // An upload may be sent to another host; that one has its own means.
        let same_host = target.url("").is_ok_and(|url| url.origin() == request.url.origin());
        if let Some(authorization) = authorization.filter(|_| same_host) {
            builder = builder.header(AUTHORIZATION, &authorization.header);
        }
        builder.send().await.map_err(|error| transport_error(target, &error))
    }

    /// What the registry's challenge asks for, from the credentials at hand.
    async fn authorize(
        &self,
        target: RepositoryTarget<'_>,
        headers: &HeaderMap,
    ) -> Result<Authorization, Error> {
        let refused = |tried| Error::Unauthorized { registry: target.registry.to_owned(), tried };
        let challenges: Vec<_> = headers
            .get_all(WWW_AUTHENTICATE)
            .iter()
            .filter_map(|value| Challenge::parse(value.to_str().ok()?))
            .collect();
        let config = self.docker_config.clone();
        let registry = target.registry.to_owned();
        let known = runtime::blocking(move || auth::find(config.as_deref(), &registry)).await?;
        for challenge in &challenges {
            match (challenge, &known) {
                (Challenge::Bearer { .. }, _) => return self.token(target, challenge, known.as_ref()).await,
                (
                    Challenge::Basic,
                    Some(Credentials { secret: Secret::Basic { user, password }, source }),
                ) => {
                    return Ok(Authorization { header: basic(user, password), source: Some(source.clone()) });
                }
                (Challenge::Basic, _) => {}
            }
        }
        Err(refused(known.map(|known| known.source)))
    }

    /// A token for a bearer challenge. A public artifact may be pulled even with credentials that have expired.
    async fn token(
        &self,
        target: RepositoryTarget<'_>,
        challenge: &Challenge,
        known: Option<&Credentials>,
    ) -> Result<Authorization, Error> {
        let refused = |tried| Error::Unauthorized { registry: target.registry.to_owned(), tried };
        if let Some(known) = known
            && let Some(token) = self.ask_token(target, challenge, Some(known)).await?
        {
            return Ok(Authorization {
                header: format!("Bearer {token}"),
                source: Some(known.source.clone()),
            });
        }
        if known.is_some() && target.push {
            return Err(refused(known.map(|known| known.source.clone())));
        }
        match self.ask_token(target, challenge, None).await? {
            Some(token) => Ok(Authorization { header: format!("Bearer {token}"), source: None }),
            None => Err(refused(known.map(|known| known.source.clone()))),
        }
    }

    /// Asks the token server; nothing when it refuses.
    async fn ask_token(
        &self,
        target: RepositoryTarget<'_>,
        challenge: &Challenge,
        known: Option<&Credentials>,
    ) -> Result<Option<String>, Error> {
        let Challenge::Bearer { realm, service, scope } = challenge else { return Ok(None) };
        let url = Url::parse(realm).ok().filter(is_safe_realm);
        let Some(mut url) = url else {
            return Err(
                target.protocol(format!("it wants tokens from \"{realm}\", which is not a safe address"))
            );
        };
        let scope = scope.clone().unwrap_or_else(|| target.scope());
        let mut fields = vec![("scope", scope.as_str())];
        fields.extend(service.as_deref().map(|service| ("service", service)));
        let http = if url.host_str().is_some_and(is_loopback) { &self.local } else { &self.http };
        let builder = match known.map(|known| &known.secret) {
            Some(Secret::Refresh(token)) => {
                fields.extend([
                    ("grant_type", "refresh_token"),
                    ("client_id", "sinew"),
                    ("refresh_token", token),
                ]);
                let mut form = url.clone();
                form.query_pairs_mut().clear().extend_pairs(&fields);
                let body = form.query().unwrap_or_default().to_owned();
                http.post(url).header(CONTENT_TYPE, "application/x-www-form-urlencoded").body(body)
            }
            other => {
                url.query_pairs_mut().extend_pairs(&fields);
                let builder = http.get(url);
                match other {
                    Some(Secret::Basic { user, password }) => {
                        builder.header(AUTHORIZATION, basic(user, password))
                    }
                    _ => builder,
                }
            }
        };
        let response = builder.send().await.map_err(|error| transport_error(target, &error))?;
        if matches!(
            response.status(),
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN | StatusCode::BAD_REQUEST
        ) {
            return Ok(None);
        }
        let response = success(target, response).await?;
        let bytes = read_all(target, response, "the token", MAX_TOKEN).await?;
        let answer: serde_json::Value = serde_json::from_slice(&bytes)
            .map_err(|error| target.protocol(format!("its token cannot be read: {error}")))?;
        let token = ["token", "access_token"].iter().find_map(|key| answer.get(key)?.as_str());
        Ok(token.map(str::to_owned))
    }
}

const MAX_TOKEN: u64 = 1 << 20;

/// A blob on its way.
pub(crate) struct Blob<'a> {
    target: RepositoryTarget<'a>,
    response: Response,
}

impl Blob<'_> {
    /// The next bytes; none at the end.
    pub(crate) async fn chunk(&mut self) -> Result<Option<impl AsRef<[u8]> + use<>>, Error> {
        self.response.chunk().await.map_err(|error| transport_error(self.target, &error))
    }
}

/// Reads a whole answer of limited size.
async fn read_all(
    target: RepositoryTarget<'_>,
    mut response: Response,
    what: &str,
    limit: u64,
) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| transport_error(target, &error))? {
        bytes.extend_from_slice(&chunk);
        if bytes.len() as u64 > limit {
            return Err(Error::TooLarge { what: what.to_owned(), limit });
        }
    }
    Ok(bytes)
}

/// The answer if it is a good one; else what it says.
async fn success(target: RepositoryTarget<'_>, response: Response) -> Result<Response, Error> {
    let status = response.status();
    let registry = target.registry.to_owned();
    if status.is_success() {
        return Ok(response);
    }
    if status == StatusCode::FORBIDDEN {
        return Err(Error::Forbidden { registry });
    }
    let body = read_all(target, response, "the answer", 64 << 10).await.unwrap_or_default();
    let said: serde_json::Value = serde_json::from_slice(&body).unwrap_or_default();
    let said = ["/errors/0/message", "/error/message", "/error_description"].map(|place| said.pointer(place));
    let reason = said.into_iter().flatten().find_map(|message| message.as_str());
    let reason = reason.or(status.canonical_reason()).unwrap_or("no reason given").to_owned();
    Err(Error::Refused { registry, status: status.as_u16(), reason })
}

fn transport_error(target: RepositoryTarget<'_>, error: &reqwest::Error) -> Error {
    if error.is_redirect() || error.is_builder() {
        return target.protocol(innermost(error));
    }
    let reason = if error.is_timeout() { "it does not answer in time".to_owned() } else { innermost(error) };
    Error::Unreachable { registry: target.registry.to_owned(), reason }
}

/// The innermost cause: the outer ones only say that something failed.
fn innermost(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    match error.source() {
        Some(_) => cause.to_string(),
        None => error.to_string(),
    }
}

/// Redirects are followed, but not from a protected connection to an open one.
fn follow(attempt: reqwest::redirect::Attempt<'_>) -> reqwest::redirect::Action {
    let was_protected = attempt.previous().iter().any(|url| url.scheme() == "https");
    if was_protected && attempt.url().scheme() != "https" {
        return attempt.error("a redirect leads from a protected connection to an open one");
    }
    if attempt.previous().len() > 10 {
        return attempt.error("there are too many redirects");
    }
    attempt.follow()
}

fn is_temporary(status: StatusCode) -> bool {
    matches!(status.as_u16(), 408 | 425 | 429 | 500 | 502 | 503 | 504)
}

fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    headers.get(RETRY_AFTER)?.to_str().ok()?.parse().ok().map(Duration::from_secs)
}

/// What container images can be described by.
const IMAGE_MANIFESTS: &str = "application/vnd.oci.image.manifest.v1+json, \
     application/vnd.docker.distribution.manifest.v2+json, application/vnd.oci.image.index.v1+json, \
     application/vnd.docker.distribution.manifest.list.v2+json";

fn accept(headers: &mut HeaderMap, media_types: &str) {
    if let Ok(value) = media_types.parse() {
        headers.insert(ACCEPT, value);
    }
}

fn basic(user: &str, password: &str) -> String {
    use base64::Engine as _;
    format!("Basic {}", base64::engine::general_purpose::STANDARD.encode(format!("{user}:{password}")))
}

/// Secrets are sent to protected addresses, and to this machine.
fn is_safe_realm(url: &Url) -> bool {
    url.scheme() == "https" || (url.scheme() == "http" && url.host_str().is_some_and(is_loopback))
}

/// Whether a host, with or without a port, is this machine.
fn is_loopback(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.rsplit_once(':').filter(|(name, _)| !name.contains(':')).map_or(host, |(name, _)| name),
    };
    name == "localhost"
        || name.ends_with(".localhost")
        || name.parse::<Ipv4Addr>().is_ok_and(|address| address.is_loopback())
        || name.parse::<Ipv6Addr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::is_loopback;

    #[test]
    fn this_machine_is_known() {
        for host in
            ["localhost", "localhost:5000", "127.0.0.1:5000", "127.1.2.3", "[::1]:80", "::1", "r.localhost:1"]
        {
            assert!(is_loopback(host), "{host}");
        }
        for host in ["localhost.com", "example.com:5000", "10.0.0.1", "[::2]:80", "127.0.0.1.nip.io"] {
            assert!(!is_loopback(host), "{host}");
        }
    }
}
