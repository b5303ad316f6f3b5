//! The way of a request: its path is read, its caller checked, its content taken in within limits, a handler called, and
//! the answer counted and logged. Contents, queries and tokens are never logged.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode, header};
use deploy::{ArmError, Engine, Metrics as EngineMetrics};
use tokio::sync::{Semaphore, SemaphorePermit, watch};
use uuid::Uuid;

use crate::access::{self, Access};
use crate::body::{self, Bounds, Memory};
use crate::login::{self, LoginRequest};
use crate::metrics::Metrics;
use crate::query::Query;
use crate::reply::{Answer, Content, Reply};
use crate::route::{self, BadPath, Route};
use crate::{HttpLimits, errors, management, page, watch as watchers};

/// Contents above this size are large: only a few are worked on at once.
const LARGE: usize = 1024 * 1024;

/// What all requests share.
pub(crate) struct Server {
    /// Does the deployments.
    pub(crate) engine: Engine,
    /// Authentication of requests.
    pub(crate) access: Access,
    /// How much at once, and for how long.
    pub(crate) limits: HttpLimits,
    /// Figures.
    pub(crate) metrics: Metrics,
    /// Requests that may be worked on at once.
    pub(crate) slots: Semaphore,
    /// Contents of those who log in that may arrive at once.
    pub(crate) logins: Semaphore,
    /// Those with a large content, which may take a hundred times its size while it is worked on.
    pub(crate) large: Semaphore,
    /// Watchers that may be there at once.
    pub(crate) watchers: Arc<Semaphore>,
    /// What contents may take.
    pub(crate) memory: Memory,
    /// Whether clients speak TLS.
    pub(crate) secure: bool,
    /// Whether the server stops.
    pub(crate) stopped: watch::Receiver<bool>,
}

/// A request to the management API.
pub(crate) struct Call<'a> {
    pub(crate) method: &'a Method,
    /// The path, as it stands in the request.
    pub(crate) path: &'a str,
    pub(crate) query: &'a Query,
    /// The content.
    pub(crate) text: &'a str,
    /// Scheme and host under which the client reached us.
    pub(crate) origin: &'a str,
}

/// Answers a request.
pub(crate) async fn answer(State(server): State<Arc<Server>>, request: Request) -> Response<Body> {
    let started = Instant::now();
    let _counted = GaugeGuard::new(&server.metrics.in_flight);
    let (head, content) = request.into_parts();
    let ids = Ids::of(&head.headers);
    let route = route::parse(head.uri.path());
    let label = route.as_ref().map_or("unknown", Route::label);
    let reply = match &route {
        _ if head.headers.get_all(header::HOST).iter().count() != 1 => Err(errors::no_host()),
        Ok(route) => handle(&server, route, &head, content).await,
        Err(BadPath::Malformed) => Err(errors::malformed_path()),
        Err(BadPath::Unknown) => match server.access.check(&head.headers) {
            Ok(()) => Err(errors::unknown_path(head.uri.path())),
            Err(refused) => Err(refused),
        },
    };
    let mut reply = reply.unwrap_or_else(|error| refusal(&server, &error, &origin(&server, &head)));
    if let (StatusCode::METHOD_NOT_ALLOWED, Ok(route)) = (reply.status, &route) {
        reply = reply.with(header::ALLOW, &route.methods().join(", "));
    }
    let took = started.elapsed();
    let status = reply.status.as_u16();
    server.metrics.answered((method_label(&head.method), label, status), took);
    tracing::info!(
        request = %ids.request,
        correlation = %ids.correlation,
        method = %head.method,
        route = label,
        path = %head.uri.path().chars().take(512).collect::<String>(),
        status,
        microseconds = u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
        "answered"
    );
    ids.write(reply.into_response())
}

async fn handle(server: &Arc<Server>, route: &Route, head: &Parts, content: Body) -> Answer {
    match route {
        Route::Page(_) | Route::Health | Route::Ready | Route::Login(_) => {}
        Route::LinkedTemplate(_) => server.access.check_link(&head.headers, head.uri.query())?,
        _ => server.access.check(&head.headers)?,
    }
    if !route.methods().contains(&head.method.as_str()) {
        return Err(errors::method_not_allowed(head.method.as_str()));
    }
    match route {
        Route::Page(asset) => Ok(page::answer(*asset)),
        Route::Health => healthy(server.engine.health().await),
        Route::Ready => healthy(server.engine.ready().await),
        Route::Metrics => {
            let text = server.metrics.render(&figures(server.engine.metrics()));
            Ok(Reply::new(StatusCode::OK, Content::Text("text/plain; version=0.0.4", text)))
        }
        Route::LinkedTemplate(path) => server.engine.linked_template(path).map(Reply::ok),
        Route::Watch(what) => {
            let (query, origin) = (Query::parse(head.uri.query().unwrap_or_default()), origin(server, head));
            let path = head.uri.path();
            let call = Call { method: &head.method, path, query: &query, text: "", origin: &origin };
            watchers::answer(server, what, &call).await
        }
        Route::Login(_) | Route::Management(_) => {
            // The content comes first: one that is slow must not hold what others need.
            let content = take_in(server, route, content).await?;
            let _slot = turn(server, &server.slots).await?;
            let _place = match content.text.len() > LARGE {
                true => Some(turn(server, &server.large).await?),
                false => None,
            };
            let working = dispatch(server, route, head, &content.text);
            let done = tokio::time::timeout(server.limits.answer_time, working).await;
            done.unwrap_or_else(|_| Err(errors::took_too_long()))
        }
    }
}

/// Reads the content of a request. Whoever logs in has shown no token yet: few, small and quick ones are taken.
async fn take_in(server: &Server, route: &Route, content: Body) -> Result<body::Content, ArmError> {
    let limits = &server.limits;
    if matches!(route, Route::Login(_)) {
        let _place = server.logins.try_acquire().map_err(|_| errors::busy())?;
        let bounds = Bounds { bytes: limits.login_bytes, time: limits.login_time };
        return body::read(content, &server.memory, bounds).await;
    }
    body::read(content, &server.memory, Bounds { bytes: limits.body_bytes, time: limits.body_time }).await
}

/// Waits for one's turn, for a while.
async fn turn<'s>(server: &Server, places: &'s Semaphore) -> Result<SemaphorePermit<'s>, ArmError> {
    match tokio::time::timeout(server.limits.queue_time, places.acquire()).await {
        Ok(Ok(place)) => Ok(place),
        _ => Err(errors::busy()),
    }
}

async fn dispatch(server: &Server, route: &Route, head: &Parts, text: &str) -> Answer {
    let query = Query::parse(head.uri.query().unwrap_or_default());
    let origin = origin(server, head);
    match route {
        Route::Login(login) => {
            let request = LoginRequest { headers: &head.headers, query: &query, text, origin: &origin };
            login::answer(login, &request, &server.access)
        }
        Route::Management(target) => {
            let path = head.uri.path();
            let call = Call { method: &head.method, path, query: &query, text, origin: &origin };
            management::answer(server, target, &call).await
        }
        _ => Err(errors::internal()),
    }
}

/// The engine's figures by name.
fn figures(engine: EngineMetrics) -> [(&'static str, u64); 5] {
    [
        ("deployments_accepted", engine.accepted),
        ("deployments_succeeded", engine.succeeded),
        ("deployments_failed", engine.failed),
        ("deployments_canceled", engine.canceled),
        ("deployments_running", engine.running),
    ]
}

fn healthy(health: Result<(), ArmError>) -> Answer {
    health?;
    Ok(Reply::ok(serde_json::json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION") })))
}

/// An error as an answer, and what clients are told about tokens.
fn refusal(server: &Server, error: &ArmError, origin: &str) -> Reply {
    if error.status >= 500 {
        tracing::error!(code = error.code, message = error.message, "failed");
    }
    let reply = Reply::error(error);
    if error.status != 401 {
        return reply;
    }
    server.metrics.refused.fetch_add(1, Ordering::Relaxed);
    let challenge =
        format!("Bearer authorization_uri=\"{origin}/{}\", error=\"invalid_token\"", crate::TENANT);
    reply.with(header::WWW_AUTHENTICATE, &challenge)
}

/// Scheme and host under which the client reached us, for links in answers.
fn origin(server: &Server, head: &Parts) -> String {
    let host = head.headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("localhost");
    let is_plain = host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte));
    let scheme = if server.secure { "https" } else { "http" };
    format!("{scheme}://{}", if is_plain { host } else { "localhost" })
}

/// Methods that are counted by name.
fn method_label(method: &Method) -> &'static str {
    const KNOWN: [&str; 6] = ["GET", "PUT", "POST", "HEAD", "DELETE", "PATCH"];
    KNOWN.into_iter().find(|known| *known == method.as_str()).unwrap_or("other")
}

/// What a request is known by.
struct Ids {
    request: String,
    correlation: String,
    client: Option<HeaderValue>,
}

impl Ids {
    fn of(headers: &HeaderMap) -> Self {
        let request = new_uuid();
        let given = headers.get("x-ms-correlation-request-id").and_then(|value| value.to_str().ok());
        let correlation = given.and_then(|text| Uuid::parse_str(text).ok()).map(|id| id.to_string());
        let wanted = headers
            .get("x-ms-return-client-request-id")
            .is_some_and(|value| value.to_str().is_ok_and(|text| text.eq_ignore_ascii_case("true")));
        let client = headers.get("x-ms-client-request-id").filter(|value| wanted && value.len() <= 128);
        Self { correlation: correlation.unwrap_or_else(|| request.clone()), request, client: client.cloned() }
    }

    /// Adds the headers that all answers have.
    fn write(self, mut response: Response<Body>) -> Response<Body> {
        let headers = response.headers_mut();
        for (name, value) in
            [("x-ms-request-id", &self.request), ("x-ms-correlation-request-id", &self.correlation)]
        {
            if let Ok(value) = HeaderValue::from_str(value) {
                headers.insert(HeaderName::from_static(name), value);
            }
        }
        if let Some(client) = self.client {
            headers.insert(HeaderName::from_static("x-ms-client-request-id"), client);
        }
        headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        response
    }
}

/// A new random id.
pub(crate) fn new_uuid() -> String {
    uuid::Builder::from_random_bytes(access::random()).into_uuid().to_string()
}

/// Raises a gauge for as long as it lives.
pub(crate) struct GaugeGuard<'a>(&'a AtomicU64);

impl<'a> GaugeGuard<'a> {
    pub(crate) fn new(counter: &'a AtomicU64) -> Self {
        counter.fetch_add(1, Ordering::Relaxed);
        Self(counter)
    }
}

impl Drop for GaugeGuard<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
