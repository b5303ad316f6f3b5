//! `sinew mcp`: the tools of this program for assistants.

use std::sync::Arc;

use crate::servers;
use crate::session::{Outcome, Session, Status};

const EXAMPLES: &str = "\
Examples:
  sinew mcp                           serve on standard input and output
  claude mcp add sinew -- sinew mcp   add it to an assistant
  code --add-mcp '{\"name\":\"sinew\",\"command\":\"sinew\",\"args\":[\"mcp\"]}'

Assistants start the server; docs/mcp.md lists the tools. No tool writes files.";

/// Run the MCP server for AI assistants
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Use standard input and output (default)
    #[arg(long)]
    stdio: bool,
}

pub(crate) fn run(_: &Args, session: &Session) -> Outcome {
    lsp::serve_mcp(lsp::stdio(), &servers::setup(session)?, Arc::new(servers::Program));
    Ok(Status::Clean)
}
