//! The command line of `sinew`.

use std::ffi::OsString;

use clap::Parser;

use crate::VERSION;
use crate::commands::Command;
use crate::names::{Parsed, Refusal, derived};
use crate::session::Colour;

const EXAMPLES: &str = "\
Examples:
  sinew format .                      format all Bicep files below this folder
  sinew format --check modules        say which files are not formatted
  sinew lint main.bicep               report what is wrong with a file
  sinew lint --diagnostics-format sarif . > report.sarif

Exit codes: 0 all is well, 1 there are errors, 2 the arguments make no sense.
`sinew COMMAND --help` says more about a command.";

/// Write, check and package infrastructure configuration.
#[derive(Debug, Parser)]
#[command(name = "sinew", version, arg_required_else_help = true, after_help = EXAMPLES)]
pub(crate) struct Cli {
    /// When to write colours
    #[arg(long, global = true, value_enum, ignore_case = true, value_name = "WHEN", default_value_t)]
    color: Colour,

    #[command(subcommand)]
    command: Command,
}

/// Reads the arguments.
pub(crate) fn parse(arguments: &[OsString]) -> Result<Parsed, Refusal> {
    // Asked by every script that looks for the program: it must not cost what a whole parser costs.
    if let [_, only] = arguments
        && (only == "--version" || only == "-V")
    {
        return Ok(Parsed::Print(format!("sinew {VERSION}\n")));
    }
    let cli: Cli = derived(arguments)?;
    Ok(Parsed::Run(cli.command, cli.color))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_parser_is_sound() {
        Cli::command().debug_assert();
    }
}
