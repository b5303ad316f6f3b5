//! Answers: values, errors and texts come in; HTTP responses go out.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, header};
use deploy::{ArmError, Page};
use serde_json::{Map, Value};

use crate::dispatch::Call;

/// An answer before it is HTTP.
#[derive(Debug)]
pub(crate) struct Reply {
    /// How it went.
    pub(crate) status: StatusCode,
    /// Headers of this answer alone.
    pub(crate) headers: HeaderMap,
    /// What is said.
    pub(crate) content: Content,
}

/// What an answer says.
#[derive(Debug)]
pub(crate) enum Content {
    Nothing,
    /// A value.
    Json(Value),
    /// A text of some type.
    Text(&'static str, String),
    /// A file of the page.
    Static(&'static str, &'static [u8]),
    /// Lines that are sent as they come.
    Stream(Body),
}

/// What every handler gives.
pub(crate) type Answer = Result<Reply, ArmError>;

impl Reply {
    /// A value and 200.
    pub(crate) fn ok(value: Value) -> Self {
        Self::new(StatusCode::OK, Content::Json(value))
    }

    /// 204.
    pub(crate) fn nothing() -> Self {
        Self::new(StatusCode::NO_CONTENT, Content::Nothing)
    }

    /// A list as the API gives it.
    pub(crate) fn list(values: Vec<Value>) -> Self {
        Self::ok(Value::Object(Map::from_iter([("value".to_owned(), Value::Array(values))])))
    }

    /// A part of a list, with a link to the next one.
    pub(crate) fn page(page: Page, call: &Call<'_>) -> Self {
        let mut list = Map::from_iter([("value".to_owned(), Value::Array(page.items))]);
        if let Some(next) = page.next {
            let link = format!("{}{}?{}", call.origin, call.path, call.query.with("$skiptoken", &next));
            list.insert("nextLink".to_owned(), Value::String(link));
        }
        Self::ok(Value::Object(list))
    }

    /// Anything.
    pub(crate) fn new(status: StatusCode, content: Content) -> Self {
        Self { status, headers: HeaderMap::new(), content }
    }

    /// An error in Azure's envelope.
    pub(crate) fn error(error: &ArmError) -> Self {
        let status = StatusCode::from_u16(error.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut reply = Self::new(status, Content::Json(error.envelope()));
        reply.set(HeaderName::from_static("x-ms-failure-cause"), "gateway");
        if matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE) {
            reply.set(header::RETRY_AFTER, "1");
        }
        reply
    }

    /// The same with a header. A value that no header can have is left out.
    pub(crate) fn with(mut self, name: HeaderName, value: &str) -> Self {
        self.set(name, value);
        self
    }

    fn set(&mut self, name: HeaderName, value: &str) {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.headers.insert(name, value);
        }
    }

    /// As HTTP.
    pub(crate) fn into_response(self) -> Response<Body> {
        let (kind, body) = match self.content {
            Content::Nothing => (None, Body::empty()),
            Content::Json(value) => (Some("application/json; charset=utf-8"), Body::from(value.to_string())),
            Content::Text(kind, text) => (Some(kind), Body::from(text)),
            Content::Static(kind, bytes) => (Some(kind), Body::from(bytes)),
            Content::Stream(body) => (Some("application/x-ndjson"), body),
        };
        let mut response = Response::new(body);
        *response.status_mut() = self.status;
        *response.headers_mut() = self.headers;
        if let Some(kind) = kind {
            response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
        }
        response
    }
}
