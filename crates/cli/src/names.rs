//! The names under which the program can be started. Each brings its own command line and conventions; the commands
//! behind them are the same.

mod bicep;
#[cfg(feature = "generate")]
mod jk;
#[cfg(feature = "lsp")]
mod language_server;
mod template_analyzer;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches};

pub(crate) use bicep::LANGUAGE_VERSION;

use crate::args;
use crate::commands::Command;
use crate::failure::Failure;
use crate::project_settings;
use crate::session::{Colour, Session};

/// What the program was started as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Name {
    /// Under its own name, or any other that means nothing to us.
    Sinew,
    /// As the Bicep CLI.
    Bicep,
    /// As the configuration generator `jk`.
    Jk,
    /// As Bicep's language server.
    LanguageServer,
    /// As the ARM Template Analyzer.
    TemplateAnalyzer,
}

/// Help is laid out for this many columns, or for fewer in a narrow terminal.
pub(crate) const HELP_WIDTH: usize = 80;

/// What is left after the arguments have been read.
pub(crate) enum Parsed {
    /// A command, and whether its output has colours.
    Run(Box<Command>, Colour),
    /// A text for standard output, and nothing else to do.
    Print(String),
}

/// Runs the program under the name in the first argument.
pub(crate) fn run(arguments: &[OsString]) -> ExitCode {
    let name = Name::of(arguments.first());
    let parsed = match name {
        Name::Sinew => args::parse(arguments),
        Name::Bicep => bicep::parse(arguments),
        #[cfg(feature = "generate")]
        Name::Jk => jk::parse(arguments),
        #[cfg(feature = "lsp")]
        Name::LanguageServer => Ok(language_server::parse(arguments)),
        Name::TemplateAnalyzer => template_analyzer::parse(arguments),
        #[cfg(not(all(feature = "generate", feature = "lsp")))]
        _ => args::parse(arguments),
    };
    let parsed = match (parsed, project_settings::refusal()) {
        (Ok(Parsed::Run(..)), Some(failure)) => Err(Refusal::Failure(failure)),
        (parsed, _) => parsed,
    };
    match parsed {
        Ok(Parsed::Run(command, colour)) => Session::start(name, colour).run(*command),
        Ok(Parsed::Print(text)) => Session::start(name, Colour::Auto).print(&text),
        Err(Refusal::Failure(failure)) => Session::start(name, Colour::Auto).refuse(&failure),
        Err(Refusal::Arguments(error)) => refuse_arguments(name, &error),
    }
}

/// Why arguments do not name anything to do.
pub(crate) enum Refusal {
    /// The parser does not understand them, or was asked for its help.
    Arguments(clap::Error),
    /// They are understood, but cannot be followed.
    Failure(Failure),
}

impl From<clap::Error> for Refusal {
    fn from(error: clap::Error) -> Self {
        Self::Arguments(error)
    }
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

impl Name {
    /// The name under which this process was started.
    pub(crate) fn of_process() -> Self {
        Self::of(std::env::args_os().next().as_ref())
    }

    /// Whether `sinew.toml` sets defaults of options. Other programs have never heard of it.
    pub(crate) const fn has_project_settings(self) -> bool {
        matches!(self, Self::Sinew | Self::Jk)
    }

    fn of(program: Option<&OsString>) -> Self {
        let file = program.and_then(|path| Path::new(path).file_name()?.to_str()).unwrap_or_default();
        // A name may have a dot of its own, so only what Windows adds is taken off.
        let stem = file.strip_suffix(".exe").unwrap_or(file);
        [Self::Bicep, Self::Jk, Self::LanguageServer, Self::TemplateAnalyzer]
            .into_iter()
            .find(|name| name.text().eq_ignore_ascii_case(stem))
            .unwrap_or(Self::Sinew)
    }

    /// The name as its users write it.
    pub(crate) const fn text(self) -> &'static str {
        match self {
            Self::Sinew => "sinew",
            Self::Bicep => "bicep",
            Self::Jk => "jk",
            Self::LanguageServer => "Bicep.LangServer",
            Self::TemplateAnalyzer => "TemplateAnalyzer",
        }
    }

    /// The exit code for arguments that make no sense.
    const fn usage_code(self) -> u8 {
        match self {
            Self::Sinew => 2,
            Self::Bicep | Self::Jk | Self::LanguageServer | Self::TemplateAnalyzer => 1,
        }
    }

    /// The exit code for a failure.
    pub(crate) fn code_of(self, failure: &Failure) -> ExitCode {
        match failure {
            Failure::Closed => ExitCode::SUCCESS,
            Failure::Usage { .. } => self.usage_code().into(),
            Failure::Path { .. } | Failure::Other { .. } => ExitCode::FAILURE,
        }
    }
}

/// Reads the arguments with a derived parser.
pub(crate) fn derived<P: CommandFactory + FromArgMatches>(arguments: &[OsString]) -> Result<P, clap::Error> {
    let mut command = P::command().max_term_width(HELP_WIDTH);
    let is_direct = |name: &str| command.get_subcommands().any(|known| known.get_name() == name);
    if !arguments.get(1).and_then(|name| name.to_str()).is_some_and(is_direct) {
        // Help about all commands needs the parsers of all.
        command.build();
    }
    let matches = command.try_get_matches_from_mut(with_explicit_switches(arguments))?;
    P::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
}

/// Help and versions are answers; everything else is wrong use.
fn refuse_arguments(name: Name, error: &clap::Error) -> ExitCode {
    if name != Name::Sinew && error.kind() == ErrorKind::DisplayHelp {
        return Session::start(name, Colour::Auto).print(&examples_under(name, &error.to_string()));
    }
    // Writing can only fail because nobody listens any more.
    let _ = error.print();
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => ExitCode::SUCCESS,
        _ => name.usage_code().into(),
    }
}

/// The text of a help page whose examples call the program by another name.
fn examples_under(name: Name, help: &str) -> String {
    let Some((options, examples)) = help.split_once("\nExamples:\n") else { return help.to_owned() };
    let examples = examples.split_inclusive('\n').map(|line| match line.starts_with("  ") {
        true => line.replace("sinew ", &format!("{} ", name.text())),
        false => line.to_owned(),
    });
    format!("{options}\nExamples:\n{}", examples.collect::<String>())
}

/// Options whose `true` or `false` may be left out, also in front of a file.
const SWITCHES: [&str; 1] = ["--insert-final-newline"];

/// Writes `--switch=true` where a switch is followed by something that is not its value, as a parser that looks at one
/// option at a time would take a file's name for the value.
fn with_explicit_switches(arguments: &[OsString]) -> Vec<OsString> {
    let is_value = |argument: &OsString| {
        ["true", "false"]
            .iter()
            .any(|value| argument.to_str().is_some_and(|it| it.eq_ignore_ascii_case(value)))
    };
    let mut explicit = Vec::with_capacity(arguments.len());
    for (index, argument) in arguments.iter().enumerate() {
        let is_switch = SWITCHES.iter().any(|switch| argument == switch);
        if is_switch && !arguments.get(index + 1).is_some_and(is_value) {
            let mut with_value = argument.clone();
            with_value.push("=true");
            explicit.push(with_value);
        } else {
            explicit.push(argument.clone());
        }
    }
    explicit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_name_decides() {
        for (program, name) in [
            ("/usr/bin/sinew", Name::Sinew),
            ("bicep", Name::Bicep),
            ("/opt/azure/bicep", Name::Bicep),
            ("Bicep.exe", Name::Bicep),
            ("./jk", Name::Jk),
            ("templateanalyzer", Name::TemplateAnalyzer),
            ("bicep-nightly", Name::Sinew),
            ("", Name::Sinew),
        ] {
            assert_eq!(Name::of(Some(&program.into())), name, "{program}");
        }
        assert_eq!(Name::of(None), Name::Sinew);
    }

    #[test]
    fn a_switch_does_not_swallow_a_file() {
        let check = |before: &[&str], after: &[&str]| {
            let arguments: Vec<OsString> = before.iter().map(Into::into).collect();
            assert_eq!(with_explicit_switches(&arguments), after);
        };
        check(&["--insert-final-newline", "a.bicep"], &["--insert-final-newline=true", "a.bicep"]);
        check(&["--insert-final-newline", "False", "a"], &["--insert-final-newline", "False", "a"]);
        check(&["a", "--insert-final-newline"], &["a", "--insert-final-newline=true"]);
    }
}
