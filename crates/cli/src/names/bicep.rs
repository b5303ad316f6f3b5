//! The command line of the Bicep CLI: its commands and options, its version line, and exit code 1 for wrong use.

use std::ffi::OsString;

use clap::{Parser, Subcommand};

use crate::VERSION;
use crate::args::Deferred;
#[cfg(feature = "docs")]
use crate::commands::docs;
#[cfg(feature = "lsp")]
use crate::commands::jsonrpc;
use crate::commands::{
    Command, build, build_params, console, format, generate_params, lint, publish, publish_extension,
    restore, snapshot, test,
};
#[cfg(feature = "deploy")]
use crate::commands::{bicep_deploy, bicep_what_if, local_deploy, teardown};
#[cfg(feature = "decompile")]
use crate::commands::{decompile, decompile_params};
use crate::failure::Failure;
use crate::names::{Name, Parsed, Refusal, derived};
use crate::session::Colour;

/// The version of the language and command line that is followed. Tools read it from the version line.
pub(crate) const LANGUAGE_VERSION: &str = "0.46.1";

const LICENSE: &str = include_str!("../../../../LICENSE");
const THIRD_PARTY_NOTICES: &str = include_str!("../../../../packaging/third-party-notices.txt");

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

    /// Prints third-party notices
    #[arg(long)]
    third_party_notices: bool,

    #[command(subcommand)]
    command: Option<BicepCommand>,
}

#[derive(Debug, Subcommand)]
enum BicepCommand {
    Build(Deferred<build::Args>),
    BuildParams(Deferred<build_params::Args>),
    #[cfg(feature = "decompile")]
    Decompile(Deferred<decompile::Args>),
    #[cfg(feature = "decompile")]
    DecompileParams(Deferred<decompile_params::Args>),
    #[cfg(feature = "deploy")]
    Deploy(Deferred<bicep_deploy::Args>),
    #[cfg(feature = "docs")]
    Docs(Deferred<docs::Args>),
    GenerateParams(Deferred<generate_params::Args>),
    Console(Deferred<console::Args>),
    Format(Deferred<format::Args>),
    #[cfg(feature = "lsp")]
    #[command(name = "jsonrpc")]
    JsonRpc(Deferred<jsonrpc::Args>),
    Lint(Deferred<lint::Args>),
    #[cfg(feature = "deploy")]
    LocalDeploy(Deferred<local_deploy::Args>),
    Publish(Deferred<publish::Args>),
    #[command(alias = "publish-provider")]
    PublishExtension(Deferred<publish_extension::Args>),
    Restore(Deferred<restore::Args>),
    Snapshot(Deferred<snapshot::Args>),
    #[cfg(feature = "deploy")]
    Teardown(Deferred<teardown::Args>),
    Test(Deferred<test::Args>),
    #[cfg(feature = "deploy")]
    WhatIf(Deferred<bicep_what_if::Args>),
    #[command(external_subcommand)]
    Other(Vec<OsString>),
}

/// Reads the arguments.
pub(super) fn parse(arguments: &[OsString]) -> Result<Parsed, Refusal> {
    let cli: Cli = derived(&with_named_arguments(arguments)?)?;
    if cli.version {
        return Ok(Parsed::Print(format!("Bicep CLI version {LANGUAGE_VERSION} (sinew {VERSION})\n")));
    }
    if cli.license {
        return Ok(Parsed::Print(LICENSE.to_owned()));
    }
    if cli.third_party_notices {
        return Ok(Parsed::Print(THIRD_PARTY_NOTICES.to_owned()));
    }
    let command = match cli.command {
        Some(BicepCommand::Build(args)) => Command::Build(args),
        Some(BicepCommand::BuildParams(args)) => Command::BuildParams(args),
        #[cfg(feature = "decompile")]
        Some(BicepCommand::Decompile(args)) => Command::Decompile(args),
        #[cfg(feature = "decompile")]
        Some(BicepCommand::DecompileParams(args)) => Command::DecompileParams(args),
        #[cfg(feature = "deploy")]
        Some(BicepCommand::Deploy(args)) => Command::BicepDeploy(args),
        #[cfg(feature = "deploy")]
        Some(BicepCommand::LocalDeploy(args)) => Command::LocalDeploy(args),
        #[cfg(feature = "deploy")]
        Some(BicepCommand::Teardown(args)) => Command::Teardown(args),
        #[cfg(feature = "deploy")]
        Some(BicepCommand::WhatIf(args)) => Command::BicepWhatIf(args),
        #[cfg(feature = "docs")]
        Some(BicepCommand::Docs(args)) => Command::Docs(args),
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

/// The commands that take `--arg-NAME VALUE`.
const DEPLOYING: [&str; 3] = ["deploy", "teardown", "what-if"];

/// Writes `--arg-NAME VALUE` as `--arg NAME=VALUE`, which a parser can know: the names are the user's.
fn with_named_arguments(arguments: &[OsString]) -> Result<Vec<OsString>, Failure> {
    const PREFIX: &str = "--arg-";
    let is_deploying =
        arguments.get(1).and_then(|word| word.to_str()).is_some_and(|it| DEPLOYING.contains(&it));
    let name_of = |argument: &OsString| {
        let (prefix, name) = argument.to_str()?.split_at_checked(PREFIX.len())?;
        (is_deploying && prefix.eq_ignore_ascii_case(PREFIX) && !name.is_empty()).then(|| name.to_owned())
    };
    let mut written = Vec::with_capacity(arguments.len());
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let Some(name) = name_of(argument) else {
            written.push(argument.clone());
            continue;
        };
        let mut assignment = OsString::from(format!("{name}="));
        assignment
            .push(rest.next().ok_or_else(|| Failure::argument_without_value(&format!("{PREFIX}{name}")))?);
        written.extend(["--arg".into(), assignment]);
    }
    Ok(written)
}

fn unknown(words: &[OsString]) -> Failure {
    let word = words.first().map(|word| word.to_string_lossy()).unwrap_or_default();
    Failure::unknown_command(Name::Bicep.text(), &word)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn named_arguments_are_assignments() {
        let check = |before: &[&str], after: &[&str]| {
            let arguments: Vec<OsString> = before.iter().map(Into::into).collect();
            assert_eq!(with_named_arguments(&arguments).unwrap(), after);
        };
        check(&["bicep", "deploy", "a", "--Arg-x", "--y"], &["bicep", "deploy", "a", "--arg", "x=--y"]);
        assert!(with_named_arguments(&["bicep", "deploy", "--arg-x"].map(Into::into)).is_err());
        check(&["bicep", "build", "--arg-x", "1"], &["bicep", "build", "--arg-x", "1"]);
    }

    #[test]
    fn the_parser_is_sound() {
        Cli::command().debug_assert();
    }
}
