//! The command line of jk: its commands and options, and exit code 1 for wrong use.

use std::ffi::OsString;

use clap::{CommandFactory, Parser, Subcommand};

use crate::VERSION;
use crate::args::Deferred;
use crate::commands::{Command, generate, run, transform, validate};
use crate::failure::Failure;
use crate::names::{Name, Parsed, Refusal, derived};
use crate::session::Colour;

/// Configuration as code
#[derive(Debug, Parser)]
#[command(name = "jk", arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: JkCommand,
}

#[derive(Debug, Subcommand)]
enum JkCommand {
    Run(Deferred<run::Args>),
    Generate(Deferred<generate::Args>),
    Transform(Deferred<transform::Args>),
    Validate(Deferred<validate::Args>),
    /// Print the version
    Version,
    /// Print a shell completion script
    Completion {
        /// The shell; bash if not given
        #[arg(default_value = "bash")]
        shell: clap_complete::Shell,
    },
    #[command(external_subcommand)]
    Other(Vec<OsString>),
}

/// Reads the arguments.
pub(super) fn parse(arguments: &[OsString]) -> Result<Parsed, Refusal> {
    let cli: Cli = derived(arguments)?;
    let command = match cli.command {
        JkCommand::Run(args) => Command::Run(args),
        JkCommand::Generate(args) => Command::Generate(args),
        JkCommand::Transform(args) => Command::Transform(args),
        JkCommand::Validate(args) => Command::Validate(args),
        JkCommand::Version => return Ok(Parsed::Print(format!("version: 0.4.0 (sinew {VERSION})\n"))),
        JkCommand::Completion { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "jk", &mut script);
            return Ok(Parsed::Print(String::from_utf8_lossy(&script).into_owned()));
        }
        JkCommand::Other(words) => {
            let word = words.first().map(|word| word.to_string_lossy()).unwrap_or_default();
            return Err(Failure::unknown_command(Name::Jk.text(), &word).into());
        }
    };
    Ok(Parsed::Run(Box::new(command), Colour::Auto))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parser_is_sound() {
        Cli::command().debug_assert();
    }
}
