//! The command line of `sinew`.

use std::ffi::OsString;
use std::ops::Deref;

use clap::{ArgMatches, Args, FromArgMatches, Parser};

use crate::VERSION;
use crate::commands::Command;
use crate::names::{Parsed, Refusal, derived};
use crate::session::Colour;

const EXAMPLES: &str = "\
Examples:
  sinew build main.bicep              compile a file to main.json
  sinew check .                       compile, lint, run rules and check the layout of all files below this folder
  sinew analyze template.json         check a template against best-practice rules
  sinew deploy main.bicepparam        deploy on this machine, without Azure
  sinew generate config.ts -o out     write configuration files that a script makes

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
    Ok(Parsed::Run(Box::new(cli.command), cli.color))
}

/// The arguments of a command, whose parser is made only for the command that is called: all of them together take
/// longer to make than a small file to compile.
#[derive(Debug)]
pub(crate) struct Deferred<A>(Box<A>);

impl<A> Deferred<A> {
    /// Arguments that another command line has read.
    pub(crate) fn new(arguments: A) -> Self {
        Self(Box::new(arguments))
    }
}

impl<A> Deref for Deferred<A> {
    type Target = A;

    fn deref(&self) -> &A {
        &self.0
    }
}

impl<A: Args> FromArgMatches for Deferred<A> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        A::from_arg_matches(matches).map(Box::new).map(Self)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0.update_from_arg_matches(matches)
    }
}

impl<A: Args> Args for Deferred<A> {
    fn augment_args(parser: clap::Command) -> clap::Command {
        parser.defer(A::augment_args)
    }

    fn augment_args_for_update(parser: clap::Command) -> clap::Command {
        parser.defer(A::augment_args_for_update)
    }
}

#[cfg(test)]
mod tests {
    use clap::{Command as Parser, CommandFactory};
    use expect_test::expect_file;

    use super::*;

    #[test]
    fn the_parser_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_reference_of_commands_is_up_to_date() {
        let mut page =
            String::from("# Commands\n\nMade from the program: `UPDATE_EXPECT=1 cargo test -p cli`.\n");
        let mut parser = Cli::command().term_width(100);
        parser.build();
        describe(&mut parser, &mut page);
        expect_file!["../../../docs/commands.md"].assert_eq(&page);
    }

    /// The help of a parser and of those below it, each under a heading.
    fn describe(parser: &mut Parser, page: &mut String) {
        let name = parser.get_bin_name().unwrap_or(parser.get_name()).to_owned();
        let help = parser.render_long_help().to_string();
        let help: Vec<&str> = help.lines().map(str::trim_end).collect();
        page.push_str(&format!("\n## {name}\n\n```text\n{}\n```\n", help.join("\n").trim_end()));
        for below in parser.get_subcommands_mut().filter(|it| !it.is_hide_set() && it.get_name() != "help") {
            describe(below, page);
        }
    }
}
