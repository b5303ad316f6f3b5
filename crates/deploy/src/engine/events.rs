//! What happens, as it happens.

use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use crate::scope::key;
use crate::state::State;

/// A change of a deployment or of one of its operations.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// The id of the outermost deployment.
    pub root: String,
    /// The id of the deployment: the outermost, or one inside.
    pub deployment: String,
    /// The id or symbolic name of the resource; none when the deployment itself changed.
    pub resource: Option<String>,
    /// The resource's full type.
    pub resource_type: Option<String>,
    /// The new state.
    pub state: State,
    pub error: Option<String>,
}

/// The events of one deployment and of those inside it.
pub struct Events {
    pub(super) root: String,
    pub(super) receiver: Receiver<Event>,
}

impl Events {
    /// The next event; nothing when the engine is gone. Whoever is too slow misses some.
    pub async fn next(&mut self) -> Option<Event> {
        loop {
            match self.receiver.recv().await {
                Ok(event) if self.root.is_empty() || key(&event.root) == self.root => return Some(event),
                Ok(_) | Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return None,
            }
        }
    }
}
