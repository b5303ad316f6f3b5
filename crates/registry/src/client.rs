//! The registry protocol: manifests and blobs over HTTP. A build without the feature `network` has the same interface,
//! but no client can be made.

use std::time::Duration;

use config::reference::OciReference;

#[cfg(not(feature = "network"))]
mod absent;
#[cfg(feature = "network")]
mod auth;
#[cfg(feature = "network")]
mod network;

#[cfg(not(feature = "network"))]
pub(crate) use absent::Client;
#[cfg(feature = "network")]
pub(crate) use network::Client;

/// How often and how patiently a registry is asked.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// How often a request is made before its failure counts.
    pub attempts: u32,
    /// How long to wait before the second one; each further wait is twice as long.
    pub first_wait: Duration,
    /// How long to wait for a connection.
    pub connect: Duration,
    /// How long to wait for the next bytes.
    pub read: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            attempts: 4,
            first_wait: Duration::from_millis(250),
            connect: Duration::from_secs(10),
            read: Duration::from_secs(30),
        }
    }
}

/// A repository and what is to be done with it.
#[derive(Clone, Copy)]
#[cfg_attr(
    not(feature = "network"),
    expect(dead_code, reason = "only the client with the network looks at it")
)]
pub(crate) struct RepositoryTarget<'a> {
    registry: &'a str,
    repository: &'a str,
    push: bool,
}

impl<'a> RepositoryTarget<'a> {
    pub(crate) fn pull(reference: &'a OciReference) -> Self {
        Self { registry: &reference.registry, repository: &reference.repository, push: false }
    }

    pub(crate) fn push(reference: &'a OciReference) -> Self {
        Self { push: true, ..Self::pull(reference) }
    }
}
