//! `sinew completions`: the script with which a shell completes our arguments.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::Cli;
use crate::session::{Outcome, Session, Status};

const EXAMPLES: &str = "\
Examples:
  sinew completions bash > ~/.local/share/bash-completion/completions/sinew
  sinew completions fish > ~/.config/fish/completions/sinew.fish";

/// Print a shell completion script
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The shell
    shell: Shell,
}

pub(crate) fn run(args: &Args, session: &Session) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "sinew", &mut script);
    session.output.data(&String::from_utf8_lossy(&script))?;
    Ok(Status::Clean)
}
