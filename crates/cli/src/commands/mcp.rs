//! `sinew mcp`: the tools of this program for assistants.

use std::sync::Arc;

use crate::servers;
use crate::session::{Outcome, Session, Status};

const EXAMPLES: &str = "\
Examples:
  sinew mcp                           serve on standard input and output
  claude mcp add sinew -- sinew mcp   add it to an assistant
  code --add-mcp '{\"name\":\"sinew\",\"command\":\"sinew\",\"args\":[\"mcp\"]}'

Assistants start it themselves; docs/mcp.md lists the tools. None of them writes
a file.";

/// Serve assistants: the Model Context Protocol over standard input and output
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Speak on standard input and output, which is also done without the option
    #[arg(long)]
    stdio: bool,
}

pub(crate) fn run(_: &Args, session: &Session) -> Outcome {
    lsp::serve_mcp(lsp::stdio(), &servers::setup(session)?, Arc::new(servers::Program));
    Ok(Status::Clean)
}
