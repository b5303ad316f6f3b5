//! The command line of the Bicep CLI: its commands and options, its version line, and exit code 1 for wrong use.

use std::ffi::OsString;

use clap::{Parser, Subcommand};

use crate::VERSION;
use crate::args::Deferred;
#[cfg(feature = "lsp")]
use crate::commands::jsonrpc;
use crate::commands::{
    Command, build, build_params, console, decompile, decompile_params, format, generate_params, lint,
    publish, publish_extension, restore, snapshot, test,
};
use crate::failure::Failure;
use crate::names::{Name, Parsed, Refusal, derived};
use crate::session::Colour;

/// The version of the language and command line that is followed. Tools read it from the version line.
pub(crate) const LANGUAGE_VERSION: &str = "0.46.1";

const LICENSE: &str = include_str!("../../../../LICENSE");

/// Bicep CLI
#[derive(Debug, Parser)]
#[command(name = "bicep", arg_required_else_help = true, disable_version_flag = true)]
struct Cli {
    /// Shows version information
    #[arg(long, short = 'v')]
    version: bool,

    /// Prints license information
    #[arg(long)]
    license: bool,

    #[command(subcommand)]
    command: Option<BicepCommand>,
}

#[derive(Debug, Subcommand)]
enum BicepCommand {
    Build(Deferred<build::Args>),
    BuildParams(Deferred<build_params::Args>),
    Decompile(Deferred<decompile::Args>),
    DecompileParams(Deferred<decompile_params::Args>),
    GenerateParams(Deferred<generate_params::Args>),
    Console(Deferred<console::Args>),
    Format(Deferred<format::Args>),
    #[cfg(feature = "lsp")]
    #[command(name = "jsonrpc")]
    JsonRpc(Deferred<jsonrpc::Args>),
    Lint(Deferred<lint::Args>),
    Publish(Deferred<publish::Args>),
    PublishExtension(Deferred<publish_extension::Args>),
    Restore(Deferred<restore::Args>),
    Snapshot(Deferred<snapshot::Args>),
    Test(Deferred<test::Args>),
    #[command(external_subcommand)]
    Other(Vec<OsString>),
}

/// The commands of the Bicep CLI that are not there yet.
const MISSING: &[&str] = &["deploy", "docs", "local-deploy", "teardown", "what-if"];

/// Reads the arguments.
pub(super) fn parse(arguments: &[OsString]) -> Result<Parsed, Refusal> {
    let cli: Cli = derived(arguments)?;
    if cli.version {
        return Ok(Parsed::Print(format!("Bicep CLI version {LANGUAGE_VERSION} (sinew {VERSION})\n")));
    }
    if cli.license {
        return Ok(Parsed::Print(LICENSE.to_owned()));
    }
    let command = match cli.command {
        Some(BicepCommand::Build(args)) => Command::Build(args),
        Some(BicepCommand::BuildParams(args)) => Command::BuildParams(args),
        Some(BicepCommand::Decompile(args)) => Command::Decompile(args),
        Some(BicepCommand::DecompileParams(args)) => Command::DecompileParams(args),
        Some(BicepCommand::GenerateParams(args)) => Command::GenerateParams(args),
        Some(BicepCommand::Console(args)) => Command::Console(args),
        Some(BicepCommand::Format(args)) => Command::Format(args),
        #[cfg(feature = "lsp")]
        Some(BicepCommand::JsonRpc(args)) => Command::JsonRpc(args),
        Some(BicepCommand::Lint(args)) => Command::Lint(args),
        Some(BicepCommand::Publish(args)) => Command::Publish(args),
        Some(BicepCommand::PublishExtension(args)) => Command::PublishExtension(args),
        Some(BicepCommand::Restore(args)) => Command::Restore(args),
        Some(BicepCommand::Snapshot(args)) => Command::Snapshot(args),
        Some(BicepCommand::Test(args)) => Command::Test(args),
        Some(BicepCommand::Other(words)) => return Err(unknown(&words).into()),
        None => return Err(unknown(arguments.get(1..).unwrap_or_default()).into()),
    };
    Ok(Parsed::Run(Box::new(command), Colour::Auto))
}

fn unknown(words: &[OsString]) -> Failure {
    let word = words.first().map(|word| word.to_string_lossy()).unwrap_or_default();
    if MISSING.contains(&&*word) {
        Failure::command_not_spoken(Name::Bicep.text(), &word)
    } else {
        Failure::unknown_command(Name::Bicep.text(), &word)
    }
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
