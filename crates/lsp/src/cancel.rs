//! Whether a request is still wanted: its id, the text it is about, and what the client has said since.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::rpc::RpcError;

/// Set once a request is not wanted any more.
#[derive(Debug, Clone, Default)]
pub(crate) struct CancelToken(Arc<AtomicBool>);

impl CancelToken {
    pub(crate) fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// An error once the request is not wanted any more: for the places between the steps of long work.
    pub(crate) fn check(&self) -> Result<(), RpcError> {
        if self.is_cancelled() { Err(RpcError::cancelled()) } else { Ok(()) }
    }
}
