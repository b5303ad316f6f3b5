//! Contents of requests: bytes come in from the network, within limits; text and values go out.

use std::time::Duration;

use axum::body::Body;
use deploy::ArmError;
use http_body_util::BodyExt;
use json::{Node, Options};
use serde_json::Value;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, TryAcquireError};

use std::sync::Arc;

use crate::errors;

/// The bytes of the contents that are being worked on.
#[derive(Clone)]
pub(crate) struct Memory {
    left: Arc<Semaphore>,
}

/// A content, and its share of the memory until it is dropped.
pub(crate) struct Content {
    pub(crate) text: String,
    _share: Option<OwnedSemaphorePermit>,
}

/// How much is taken, and how long it may take to arrive.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// The largest content.
    pub(crate) bytes: usize,
    /// The slowest content.
    pub(crate) time: Duration,
}

/// One permit stands for this many bytes.
const UNIT: usize = 1024;

impl Memory {
    /// Room for this many bytes.
    pub(crate) fn new(bytes: usize) -> Self {
        Self { left: Arc::new(Semaphore::new((bytes / UNIT).clamp(1, Semaphore::MAX_PERMITS))) }
    }

    /// A share for `bytes`; nobody waits, as those who wait would hold what they have.
    fn share(&self, bytes: usize) -> Result<Option<OwnedSemaphorePermit>, ArmError> {
        let units = u32::try_from(bytes.div_ceil(UNIT)).map_err(|_| errors::busy())?;
        match Arc::clone(&self.left).try_acquire_many_owned(units) {
            Ok(share) => Ok(Some(share)),
            Err(TryAcquireError::NoPermits | TryAcquireError::Closed) => Err(errors::busy()),
        }
    }
}

/// Reads the content of a request.
pub(crate) async fn read(mut body: Body, memory: &Memory, bounds: Bounds) -> Result<Content, ArmError> {
    let arriving = async {
        let mut bytes: Vec<u8> = Vec::new();
        let mut share: Option<OwnedSemaphorePermit> = None;
        while let Some(frame) = body.frame().await {
            let Ok(chunk) = frame.map_err(|_| errors::broken_off())?.into_data() else { continue };
            if bytes.len() + chunk.len() > bounds.bytes {
                return Err(errors::too_large(bounds.bytes));
            }
            let held = share.as_ref().map_or(0, OwnedSemaphorePermit::num_permits) * UNIT;
            let needed = bytes.len() + chunk.len();
            if let Some(more) = memory.share(needed.saturating_sub(held))? {
                match &mut share {
                    Some(share) => share.merge(more),
                    None => share = Some(more),
                }
            }
            bytes.extend_from_slice(&chunk);
        }
        let text = String::from_utf8(bytes).map_err(|_| errors::not_utf8())?;
        Ok(Content { text, _share: share })
    };
    tokio::time::timeout(bounds.time, arriving).await.unwrap_or_else(|_| Err(errors::too_slow()))
}

/// Contents above this size are read on a thread of their own, so that others need not wait.
const LARGE: usize = 256 * 1024;

/// Reads a content, and keeps the threads that answer requests free while a large one is read.
pub(crate) async fn reading<T: Send + 'static>(
    text: &str,
    read: impl FnOnce(&str) -> Result<T, ArmError> + Send + 'static,
) -> Result<T, ArmError> {
    if text.len() < LARGE {
        return read(text);
    }
    let text = text.to_owned();
    let read = tokio::task::spawn_blocking(move || read(&text));
    read.await.unwrap_or_else(|_| Err(errors::internal()))
}

/// The JSON object of a content. It is read leniently: the Azure CLI sends unquoted names and comments.
pub(crate) fn object(text: &str) -> Result<Value, ArmError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return Err(errors::no_content());
    }
    let parsed = json::parse(text, Options::lenient());
    if let Some(problem) = parsed.diagnostics.first() {
        let start = usize::from(problem.range.start());
        let before = text.get(..start).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().encode_utf16().count() + 1;
        return Err(errors::not_json(line, column, &problem.message));
    }
    match parsed.root.as_ref().map(Node::to_value) {
        Some(value @ Value::Object(_)) => Ok(value),
        _ => Err(errors::not_an_object()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_content_of_the_azure_cli_is_taken() {
        let text = "{\"properties\": {\"mode\": 'Incremental', template:{ // why\n  \"a\": [1, 2,],\n}}}";
        let expected = json!({ "properties": { "mode": "Incremental", "template": { "a": [1, 2] } } });
        assert_eq!(object(text), Ok(expected));
        assert_eq!(object("\u{feff}{}"), Ok(json!({})));
    }

    #[test]
    fn what_is_no_object_is_refused_with_its_place() {
        #[track_caller]
        fn check(text: &str, code: &str, part: &str) {
            let error = object(text).unwrap_err();
            assert_eq!((error.code.as_str(), error.status), (code, 400), "{text}");
            assert!(error.message.contains(part), "{text}: {}", error.message);
        }
        check("", "InvalidRequestContent", "missing");
        check("[]", "InvalidRequestContent", "object");
        check("{\n  \"a\": }", "InvalidRequestContent", "line 2, position 8");
        check(&"[".repeat(100_000), "InvalidRequestContent", "line 1");
    }

    #[tokio::test]
    async fn contents_are_bounded() {
        let bounds = Bounds { bytes: 10_000, time: Duration::from_secs(5) };
        let memory = Memory::new(16 * 1024);
        let read = |size: usize| read(Body::from(vec![b' '; size]), &memory, bounds);
        assert_eq!(read(10_000).await.unwrap().text.len(), 10_000);
        assert_eq!(read(10_001).await.err().unwrap().status, 413);
        let held = read(9_000).await.unwrap();
        assert_eq!(read(9_000).await.err().unwrap().status, 429);
        drop(held);
        assert!(read(9_000).await.is_ok());
        let broken = super::read(Body::from(vec![0xff]), &memory, bounds).await;
        assert_eq!(broken.err().unwrap().status, 400);
    }

    #[tokio::test(start_paused = true)]
    async fn contents_that_do_not_come_are_given_up() {
        let bounds = Bounds { bytes: 10, time: Duration::from_secs(5) };
        let body = Body::from_stream(futures_util::stream::pending::<Result<Vec<u8>, std::io::Error>>());
        assert_eq!(read(body, &Memory::new(1024), bounds).await.err().unwrap().status, 408);
    }
}
