//! The command line of `sinew`.

use std::ffi::OsString;
use std::ops::Deref;

use clap::{ArgMatches, Args, FromArgMatches, Parser};

use crate::VERSION;
use crate::commands::Command;
use crate::names::{Parsed, Refusal, derived};
use crate::project_settings::with_project_defaults;
use crate::session::Colour;

const EXAMPLES: &str = "\
Examples:
  sinew build main.bicep            compile a file to main.json
  sinew check .                     run all checks, with one report
  sinew analyze template.json       check a template against best-practice rules
  sinew deploy main.bicepparam      deploy locally, without Azure
  sinew generate config.ts -o out   configuration files from a script

Exit codes: 0 success, 1 errors, 2 usage error.
Run `sinew COMMAND --help` for the options of a command.";

/// Write, check and package infrastructure configuration.
#[derive(Debug, Parser)]
#[command(name = "sinew", version, subcommand_required = true, after_help = EXAMPLES)]
pub(crate) struct Cli {
    /// When to use colours
    #[arg(long, global = true, value_enum, ignore_case = true, value_name = "WHEN", default_value_t)]
    color: Colour,

    #[command(subcommand)]
    command: Command,
}

/// What is printed when nothing is asked for: the first steps, on one screen.
const FIRST_PAGE: &str = "\
Write, check and package infrastructure configuration.

  sinew check .                 run all checks, with one report
  sinew build main.bicep        compile to an ARM template
  sinew format .                format Bicep files
  sinew test .                  run unit tests of validators and templates
  sinew analyze template.json   check a template against best-practice rules
  sinew what-if main.bicepparam show what a deployment would change
  sinew deploy main.bicepparam  deploy locally, without Azure
  sinew serve                   run Azure's Deployments API locally
  sinew generate config.ts      generate configuration files from TypeScript
  sinew types install           install Azure's resource types
  sinew explain BCP036          explain a diagnostic code

`sinew help` lists all commands, `sinew COMMAND --help` describes one.
Settings are in sinew.toml and bicepconfig.json: `sinew config explain`.
";

/// Reads the arguments.
pub(crate) fn parse(arguments: &[OsString]) -> Result<Parsed, Refusal> {
    if arguments.len() <= 1 {
        return Ok(Parsed::Print(FIRST_PAGE.to_owned()));
    }
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
        parser.defer(|parser| with_project_defaults(A::augment_args(parser)))
    }

    fn augment_args_for_update(parser: clap::Command) -> clap::Command {
        parser.defer(A::augment_args_for_update)
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "the documentation is read from the disk")]

    use std::fs;
    use std::path::{Path, PathBuf};

    use clap::{Command as Parser, CommandFactory};
    use expect_test::expect_file;

    use super::*;
    use crate::names::HELP_WIDTH;

    #[test]
    fn the_parser_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_reference_of_commands_is_up_to_date() {
        let mut page =
            String::from("# Commands\n\nGenerated from the program: the output of `sinew COMMAND --help`.\n");
        let mut parser = Cli::command().term_width(HELP_WIDTH);
        parser.build();
        describe(&mut parser, &mut page);
        expect_file!["../../../docs/commands.md"].assert_eq(&page);
    }

    /// Command lines in the documentation and in help are read by the parser, so that they cannot name what is not there.
    #[test]
    fn command_lines_in_the_documentation_make_sense() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut pages = vec![root.join("README.md")];
        collect(&root.join("docs"), &mut pages);
        collect(&root.join("examples"), &mut pages);
        let mut wrong = Vec::new();
        let mut count = 0;
        for page in pages.iter().filter(|page| !page.ends_with("commands.md")) {
            for line in fs::read_to_string(page).unwrap().lines() {
                for words in command_lines(line) {
                    count += 1;
                    if let Err(error) = Cli::command().try_get_matches_from(&words)
                        && error.exit_code() != 0
                    {
                        wrong.push(format!("{}: {}\n{error}", page.display(), words.join(" ")));
                    }
                }
            }
        }
        assert!(wrong.is_empty() && count > 60, "{count}\n{}", wrong.join("\n"));
    }

    fn collect(folder: &Path, pages: &mut Vec<PathBuf>) {
        for path in fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                collect(&path, pages);
            } else if path.extension().is_some_and(|it| it == "md") {
                pages.push(path);
            }
        }
    }

    /// The command lines of a line that is indented, stands in a fence of commands or in a transcript.
    fn command_lines(line: &str) -> Vec<Vec<String>> {
        let line = line.strip_prefix("$ ").or(line.strip_prefix("    ")).unwrap_or(line);
        let is_command = line.starts_with("sinew ")
            || line.split(' ').next().is_some_and(|word| word.contains('=')) && line.contains(" sinew ");
        if !is_command || line.contains('…') {
            return Vec::new();
        }
        // A description stands behind some spaces or a hash.
        let line = line.split("  ").next().unwrap_or(line);
        let mut lines = Vec::new();
        let mut words: Vec<String> = Vec::new();
        for word in shell_words(line) {
            match word.as_str() {
                "&&" | "||" | "|" | ";" | "&" => lines.push(std::mem::take(&mut words)),
                _ => words.push(word),
            }
        }
        lines.push(words);
        let programs = lines.into_iter().filter_map(|words| {
            let start = words.iter().position(|word| word == "sinew")?;
            let is_called = words.iter().take(start).all(|word| word.contains('='));
            let end = |word: &&String| !word.starts_with(['>', '#', '<']) && !word.starts_with("2>");
            is_called.then(|| words.iter().skip(start).take_while(end).cloned().collect())
        });
        programs.collect()
    }

    /// The words of a command line, with quotes as a shell reads them.
    fn shell_words(line: &str) -> Vec<String> {
        let mut words = vec![String::new()];
        let mut quote = None;
        for c in line.chars() {
            match quote {
                Some(open) if c == open => quote = None,
                None if c == '\'' || c == '"' => quote = Some(c),
                None if c.is_whitespace() => words.push(String::new()),
                _ => words.last_mut().unwrap().push(c),
            }
        }
        words.retain(|word| !word.is_empty());
        words
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
