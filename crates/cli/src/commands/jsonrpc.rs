//! `sinew jsonrpc`: the compiler as a server for other programs.

use std::sync::Arc;

use crate::failure::Failure;
use crate::servers;
use crate::session::{Outcome, Session, Status};

const EXAMPLES: &str = "\
Examples:
  sinew jsonrpc --stdio         use standard input and output
  sinew jsonrpc --socket 5007   connect to a local port
  sinew jsonrpc --pipe NAME     connect to a named pipe, or a socket

Messages are JSON-RPC 2.0 with a Content-Length header; docs/jsonrpc.md lists
the methods. Only changed files are compiled again. The server exits when the
client closes the connection.";

/// Run the JSON-RPC server: compile, format and inspect Bicep files
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Use standard input and output (default)
    #[arg(long, conflicts_with_all = ["pipe", "socket"])]
    stdio: bool,

    /// Connect to a named pipe on which the client listens
    #[arg(long, value_name = "NAME", conflicts_with = "socket")]
    pipe: Option<String>,

    /// Connect to a local port on which the client listens
    #[arg(long, value_name = "PORT")]
    socket: Option<u16>,
}

pub(crate) fn run(args: &Args, session: &Session) -> Outcome {
    let connection = match (&args.pipe, args.socket) {
        (Some(name), _) => lsp::wait_for_pipe(name).map_err(|error| Failure::no_connection(name, &error))?,
        (None, Some(port)) => {
            lsp::connect_socket(port).map_err(|error| Failure::no_connection(&port.to_string(), &error))?
        }
        (None, None) => lsp::stdio(),
    };
    lsp::serve_jsonrpc(connection, &servers::setup(session)?, Arc::new(servers::Program));
    Ok(Status::Clean)
}
