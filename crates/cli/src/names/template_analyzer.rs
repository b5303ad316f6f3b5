//! The command line of the ARM Template Analyzer: its two commands and their options.

use std::ffi::OsString;

use clap::{Parser, Subcommand};

use crate::VERSION;
use crate::commands::{Command, template_analyzer};
use crate::names::{Parsed, Refusal, derived};
use crate::session::Colour;

/// Analyze Azure Resource Manager and Bicep templates for security and best practices
#[derive(Debug, Parser)]
#[command(name = "TemplateAnalyzer", version = VERSION, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: AnalyzerCommand,
}

#[derive(Debug, Subcommand)]
enum AnalyzerCommand {
    /// Analyze a single template
    AnalyzeTemplate(template_analyzer::TemplateArgs),
    /// Analyze all templates within a directory
    AnalyzeDirectory(template_analyzer::DirectoryArgs),
}

/// Reads the arguments.
pub(super) fn parse(arguments: &[OsString]) -> Result<Parsed, Refusal> {
    let cli: Cli = derived(arguments)?;
    let args = match cli.command {
        AnalyzerCommand::AnalyzeTemplate(args) => template_analyzer::Args::Template(args),
        AnalyzerCommand::AnalyzeDirectory(args) => template_analyzer::Args::Directory(args),
    };
    Ok(Parsed::Run(Box::new(Command::TemplateAnalyzer(Box::new(args))), Colour::Auto))
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
