//! Azure's Deployments REST API over the engine. Connections come in; [`deploy::Engine`] is called; documents go out as JSON,
//! errors in Azure's envelope. This crate knows HTTP and nothing of templates, plans or stores.
//!
//! The way of a request: [`serve`] accepts the connection, `dispatch` checks and bounds it, `route` says what its path means,
//! `login`, `management`, `page` or `watch` answer.
#![expect(
    clippy::disallowed_methods,
    reason = "this crate is the rim: it reads certificates and asks the clock"
)]

mod access;
mod bicep;
mod body;
mod dispatch;
mod errors;
mod filter;
mod login;
mod management;
mod metrics;
mod page;
mod query;
#[cfg(test)]
mod reference;
mod reply;
mod route;
mod serve;
pub mod tls;
mod watch;
mod write_timeout;

use std::time::Duration;

use deploy::Engine;

pub use access::{Access, new_token};
pub use serve::serve;

/// The one tenant that there is.
pub const TENANT: &str = "00000000-0000-0000-0000-000000000001";

/// What a server needs.
pub struct Options {
    /// Does the deployments.
    pub engine: Engine,
    /// Authentication of requests.
    pub access: Access,
    /// How much at once, and for how long.
    pub limits: HttpLimits,
    /// Speak TLS with this identity.
    pub identity: Option<tls::Identity>,
}

/// How much at once, and for how long.
#[derive(Debug, Clone, Copy)]
pub struct HttpLimits {
    /// The largest content of a request.
    pub body_bytes: usize,
    /// All contents that are being worked on.
    pub memory_bytes: usize,
    /// Open connections; more wait outside.
    pub connections: usize,
    /// Requests that are worked on at once; more wait.
    pub requests: usize,
    /// Contents of those who log in that may arrive at once: they have shown no token yet.
    pub logins: usize,
    /// The largest of those.
    pub login_bytes: usize,
    /// How long one of those may take.
    pub login_time: Duration,
    /// Requests with more than a megabyte that are worked on at once; more wait.
    pub large_requests: usize,
    /// Watchers of deployments.
    pub watchers: usize,
    /// How long a handshake or the head of a request may take.
    pub head_time: Duration,
    /// How long the content of a request may take.
    pub body_time: Duration,
    /// How long an answer may be stuck because nobody takes it.
    pub write_time: Duration,
    /// How long a request waits for its turn.
    pub queue_time: Duration,
    /// How long an answer may take.
    pub answer_time: Duration,
    /// How long requests in hand have when the server stops.
    pub stop_time: Duration,
}

impl Default for HttpLimits {
    fn default() -> Self {
        Self {
            body_bytes: deploy::MAX_BODY,
            memory_bytes: 64 * 1024 * 1024,
            connections: 4096,
            requests: 256,
            logins: 64,
            login_bytes: 64 * 1024,
            login_time: Duration::from_secs(5),
            large_requests: 2,
            watchers: 256,
            head_time: Duration::from_secs(15),
            body_time: Duration::from_secs(30),
            write_time: Duration::from_secs(30),
            queue_time: Duration::from_secs(30),
            answer_time: Duration::from_secs(300),
            stop_time: Duration::from_secs(10),
        }
    }
}
