//! The language server. Messages of the Language Server Protocol come in; answers and diagnostics go out. What the answers are is
//! decided in `bicep-ide`, over snapshots of a `project`; here is only the protocol.
//!
//! The way of a message: `transport` reads it, `server` takes edits in their order and gives requests to a `pool` of threads,
//! `handlers` (one file a group of features) ask `bicep-ide` and turn offsets into positions.
//!
//! Messages are read as JSON values rather than into the types of a library: a member that is missing or of the wrong type then
//! costs one request its answer, never the connection.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "this crate is part of the rim: it reads, writes and starts threads"
)]

mod cancel;
mod capabilities;
mod client;
mod convert;
mod diagnostics;
mod documents;
mod handlers;
mod module_catalog;
mod pool;
mod rpc;
mod server;
mod transport;
mod uri;
mod workspace;

use std::sync::Arc;

use base::World;
use bicep_sema::TypeSource;

pub use transport::{Connection, connect_pipe, connect_socket, stdio};

/// What a server works with.
pub struct Setup {
    /// Files, variables and restored artifacts.
    pub world: Arc<dyn World>,
    /// Where resource types come from.
    pub types: Arc<dyn TypeSource>,
    /// What results depend on beside the files.
    pub options: project::Options,
    /// The version of this program, for the client.
    pub version: String,
}

/// Serves one client until it says that it leaves, or goes away. Gives back whether it left in order.
pub fn serve(connection: Connection, setup: Setup) -> bool {
    server::run(connection, setup)
}
