//! The servers: the language server, the JSON-RPC interface of the Bicep CLI and the Model Context Protocol. Messages come in;
//! answers and diagnostics go out. What the answers are is decided in `bicep-ide`, over snapshots of a `project`; here are only
//! the protocols.
//!
//! The way of a message: `transport` reads it, `server` takes edits in their order and gives requests to a `pool` of threads,
//! `handlers` (one file a group of features) ask `bicep-ide` and turn offsets into positions.
//!
//! JSON-RPC (`jsonrpc`) and MCP (`mcp`) have no documents: `peer` gives each request to a thread, and `disk_project` compares the
//! files with the disk before it is answered.
//!
//! Messages are read as JSON values rather than into the types of a library: a member that is missing or of the wrong type then
//! costs one request its answer, never the connection.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "this crate is part of the rim: it reads, writes and starts threads"
)]

mod best_practices;
mod cancel;
mod capabilities;
mod client;
mod convert;
mod decompile;
mod diagnostics;
mod disk_project;
mod documents;
mod handlers;
mod host;
mod jsonrpc;
mod mcp;
mod module_catalog;
mod peer;
mod pool;
mod restore;
mod rpc;
mod server;
mod transport;
mod uri;
mod workspace;

use std::sync::Arc;

use base::World;
use bicep_sema::TypeSource;

pub use host::{DocumentationRequest, DocumentationResult, Host, Tool, ToolAnswer};
pub use transport::{Connection, connect_pipe, connect_socket, stdio, wait_for_pipe};

/// What a server works with.
pub struct Setup {
    /// Files, variables and restored artifacts.
    pub world: Arc<dyn World>,
    /// Where resource types come from.
    pub types: Arc<dyn TypeSource>,
    /// What results depend on beside the files.
    pub options: project::Options,
    /// Whether best-practice rules run while typing; a client may say otherwise.
    pub best_practices: bool,
    /// The version of this program, for the client.
    pub version: String,
    /// The version of the reference that is followed, for clients that ask which language is spoken.
    pub language_version: String,
}

/// Serves one client until it says that it leaves, or goes away. Gives back whether it left in order.
pub fn serve(connection: Connection, setup: Setup) -> bool {
    server::run(connection, setup)
}

/// Serves the JSON-RPC interface of the Bicep CLI until the client goes away.
pub fn serve_jsonrpc(connection: Connection, setup: &Setup, host: Arc<dyn Host>) {
    peer::serve(connection, jsonrpc::JsonRpc::new(setup, host));
}

/// Serves the Model Context Protocol until the client goes away.
pub fn serve_mcp(connection: Connection, setup: &Setup, host: Arc<dyn Host>) {
    peer::serve(connection, mcp::Mcp::new(setup, host));
}
