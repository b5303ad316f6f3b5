//! The commands, one file each: `Args` is what the command line says, `run` does it.
//!
//! A new command is a new file, a `mod` line, a variant of [`Command`] and an arm of [`Command::run`]. Its help is the
//! doc comment of its `Args`.

pub(crate) mod completions;
pub(crate) mod debug;
pub(crate) mod lint;

use clap::Subcommand;

use crate::session::{Outcome, Session};

/// A command with its arguments.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Lint(lint::Args),
    Completions(completions::Args),
    #[command(hide = true)]
    Debug(debug::Args),
}

impl Command {
    /// Does it.
    pub(crate) fn run(self, session: &Session) -> Outcome {
        match self {
            Self::Lint(args) => lint::run(&args, session),
            Self::Completions(args) => completions::run(&args, session),
            Self::Debug(args) => debug::run(&args, session),
        }
    }
}
