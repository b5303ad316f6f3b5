//! `sinew format`: Bicep files in the one layout.

use std::fmt::Write;

use base::Severity;
use bicep_format::{Newline, Options, Positions};
use bicep_sema::BicepFile;
use bicep_syntax::{Dialect, Parse, parse};
use camino::{Utf8Path, Utf8PathBuf};
use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use config::{Config, Feature, Formatting, Loader};

use crate::failure::Failure;
use crate::inputs::{Input, InputArgs};
use crate::report::{self, DiagnosticsFormat};
use crate::session::{Outcome, Session, Status};
use crate::write::write;
use crate::{inputs, interrupt, parallel};

const EXAMPLES: &str = "\
Examples:
  sinew format main.bicep            rewrite a file in place
  sinew format .                     rewrite all Bicep files below this folder
  sinew format --check .             for CI: list unformatted files
  sinew format main.bicep --stdout   print the result
  cat main.bicep | sinew format -    format standard input

The `formatting` section of the nearest `bicepconfig.json` sets the layout;
options override it. Exit code 1 means that a file could not be read or written
or, with --check, that a file is not formatted.";

/// Rewrite Bicep files in the standard layout
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    inputs: InputArgs,

    /// Print the result instead of writing a file
    #[arg(long)]
    stdout: bool,

    /// Write the results to this folder
    #[arg(long, value_name = "DIR")]
    outdir: Option<Utf8PathBuf>,

    /// Write the result to this file
    #[arg(long, value_name = "FILE")]
    outfile: Option<Utf8PathBuf>,

    /// Write nothing; list the files that would change
    #[arg(long)]
    check: bool,

    #[command(flatten)]
    layout: Layout,
}

/// What goes over the `formatting` section of the configuration.
#[derive(Debug, Default, clap::Args)]
struct Layout {
    /// The line ending
    #[arg(long, value_enum, ignore_case = true, value_name = "KIND")]
    newline_kind: Option<NewlineKind>,

    /// The indentation character
    #[arg(long, value_enum, ignore_case = true, value_name = "KIND")]
    indent_kind: Option<IndentKind>,

    /// The number of spaces per level
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(0..=1000))]
    indent_size: Option<u32>,

    /// Whether the file ends with a newline
    #[arg(long, value_name = "true|false", num_args = 0..=1, default_missing_value = "true", ignore_case = true)]
    #[arg(value_parser = truth_value())]
    insert_final_newline: Option<bool>,
}

/// `true` or `false`, in any case: the parser of clap for truth values does not look at `ignore_case`.
fn truth_value() -> impl TypedValueParser<Value = bool> {
    PossibleValuesParser::new(["true", "false"]).map(|text| text.eq_ignore_ascii_case("true"))
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum NewlineKind {
    /// As in the first line of the file
    Auto,
    Lf,
    Crlf,
    Cr,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum IndentKind {
    Space,
    Tab,
}

/// Where results go.
enum Destination<'a> {
    InPlace,
    Stdout,
    File(&'a Utf8PathBuf),
    Folder(&'a Utf8PathBuf),
    /// Nowhere: only whether they differ counts.
    Check,
}

/// What became of one file.
enum FormatResult {
    /// It was, or was not, in the standard layout already.
    Changed(bool),
    /// The result, to be printed when its turn comes.
    Print(String),
}

pub(crate) fn run(args: &Args, session: &Session) -> Outcome {
    args.reject_conflicts()?;
    let inputs = args.inputs.resolve()?;
    inputs::warn_if_none(&inputs, session)?;
    let destination = args.destination(&inputs)?;
    let configs = Loader::new(&session.world);
    interrupt::spare_files();
    let results = parallel::map(&inputs, |input| {
        let (before, after) = formatted(input, args, &configs, session)?;
        deliver(input, &destination, before == after, after)
    });
    report::write(session, &configs.reports(), DiagnosticsFormat::Text)?;
    conclude(&inputs, results, args.check, session)
}

/// The text of a file, and the text it should be.
fn formatted(
    input: &Input,
    args: &Args,
    configs: &Loader<'_>,
    session: &Session,
) -> Result<(String, String), Failure> {
    let file = input.read_bicep(session)?;
    let config = configs.load_for(&session.absolute(&input.path)?);
    let parsed = parse(file.text().clone(), Dialect::of_path(input.path.as_str()));
    if let Some(deep) =
        parsed.diagnostics.iter().find(|d| d.severity == Severity::Error && d.code == TOO_DEEP)
    {
        return Err(Failure::too_deep(&input.path, file.position(deep.range.start()).line + 1));
    }
    let mut options = args.layout.over(config.formatting, file.text());
    if config.has(Feature::LegacyFormatter) {
        // The former formatter did not look at how long lines are.
        options.width = usize::MAX;
    }
    Ok((file.text().to_string(), bicep_format::format(&parsed, &options)))
}

/// The text that a file should have, as its configuration wants it.
pub(crate) fn standard(bicep: &BicepFile) -> String {
    let options = Layout::default().over(bicep.config.formatting, bicep.source.text());
    bicep_format::format(&bicep.parse, &options)
}

/// A text that is about to become this file, in the layout that holds there.
pub(crate) fn laid_out(text: &str, path: &Utf8Path, session: &Session) -> Result<String, Failure> {
    let config = Loader::new(&session.world).load_for(&session.absolute(path)?);
    Ok(laid_out_as(&parse(text, Dialect::of_path(path.as_str())), &config))
}

/// The same where the configuration is known.
pub(crate) fn laid_out_as(parsed: &Parse, config: &Config) -> String {
    let options = Layout::default().over(config.formatting, parsed.tree.text());
    bicep_format::format(parsed, &options)
}

/// The same with where the parts of the text have gone.
pub(super) fn with_positions(parsed: &Parse, config: &Config) -> (String, Positions) {
    let options = Layout::default().over(config.formatting, parsed.tree.text());
    bicep_format::format_with_positions(parsed, &options)
}

/// A tree that ends where nesting is too deep says nothing about the rest of the file.
const TOO_DEEP: &str = "SINEW001";

fn deliver(
    input: &Input,
    destination: &Destination<'_>,
    is_same: bool,
    text: String,
) -> Result<FormatResult, Failure> {
    match destination {
        Destination::Check => {}
        Destination::Stdout => return Ok(FormatResult::Print(text)),
        Destination::InPlace if input.is_stdin => return Ok(FormatResult::Print(text)),
        Destination::InPlace if is_same => {}
        Destination::InPlace => write(&input.path, &text)?,
        Destination::File(path) => write(path, &text)?,
        Destination::Folder(folder) => write(&folder.join(&input.relative), &text)?,
    }
    Ok(FormatResult::Changed(!is_same))
}

/// Says what became of the files, in their order.
fn conclude(
    inputs: &[Input],
    results: Vec<Result<FormatResult, Failure>>,
    is_check: bool,
    session: &Session,
) -> Outcome {
    let (mut changed, mut same, mut failed) = (0_usize, 0_usize, false);
    let mut listed = String::new();
    for (input, result) in inputs.iter().zip(results) {
        match result {
            Ok(FormatResult::Print(text)) => session.output.data(&text)?,
            Ok(FormatResult::Changed(true)) => {
                changed += 1;
                if is_check {
                    // Writing to a string cannot fail.
                    let _ = writeln!(listed, "{}", input.path);
                }
            }
            Ok(FormatResult::Changed(false)) => same += 1,
            Err(failure) => {
                session.output.failure(&failure);
                failed = true;
            }
        }
    }
    session.output.data(&listed)?;
    if changed + same > 0 && (is_check || session.output.is_terminal) {
        let verb = if is_check { "would be changed" } else { "changed" };
        session.output.talk(&format!("{} {verb}, {} unchanged\n", files(changed), files(same)))?;
    }
    Ok(Status::from_findings(failed || (is_check && changed > 0)))
}

fn files(count: usize) -> String {
    if count == 1 { "1 file".to_owned() } else { format!("{count} files") }
}

impl Args {
    /// Options that exclude each other.
    fn reject_conflicts(&self) -> Result<(), Failure> {
        let given = [
            ("--pattern", self.inputs.has_pattern()),
            ("--check", self.check),
            ("--stdout", self.stdout),
            ("--outfile", self.outfile.is_some()),
            ("--outdir", self.outdir.is_some()),
        ];
        let mut given = given.iter().filter(|(_, is_given)| *is_given).map(|(name, _)| *name);
        match (given.next(), given.next()) {
            (Some("--pattern"), Some("--check")) => match given.next() {
                Some(third) => Err(Failure::conflict(third, "--check")),
                None => Ok(()),
            },
            (Some(one), Some(other)) => Err(Failure::conflict(other, one)),
            _ => Ok(()),
        }
    }

    fn destination(&self, inputs: &[Input]) -> Result<Destination<'_>, Failure> {
        let one = |option| match inputs {
            [] | [_] => Ok(()),
            _ => Err(Failure::needs_one_file(option)),
        };
        Ok(match (&self.outfile, &self.outdir) {
            _ if self.check => Destination::Check,
            _ if self.stdout => {
                one("--stdout")?;
                Destination::Stdout
            }
            (Some(path), _) => {
                one("--outfile")?;
                Destination::File(path)
            }
            (None, Some(folder)) => Destination::Folder(folder),
            (None, None) => Destination::InPlace,
        })
    }
}

impl Layout {
    /// The options of the formatter: the command line over the configuration.
    fn over(&self, mut formatting: Formatting, text: &str) -> Options {
        formatting.indent_kind = match self.indent_kind {
            Some(IndentKind::Space) => config::IndentKind::Space,
            Some(IndentKind::Tab) => config::IndentKind::Tab,
            None => formatting.indent_kind,
        };
        formatting.indent_size = self.indent_size.unwrap_or(formatting.indent_size);
        let standard = Options::from(formatting);
        Options {
            newline: match self.newline_kind {
                Some(NewlineKind::Auto) => first_newline(text),
                Some(NewlineKind::Lf) => Newline::Lf,
                Some(NewlineKind::Crlf) => Newline::CrLf,
                Some(NewlineKind::Cr) => Newline::Cr,
                None => standard.newline,
            },
            insert_final_newline: self.insert_final_newline.unwrap_or(standard.insert_final_newline),
            ..standard
        }
    }
}

fn first_newline(text: &str) -> Newline {
    match text.find(['\r', '\n']).and_then(|at| text.get(at..)) {
        Some(rest) if rest.starts_with("\r\n") => Newline::CrLf,
        Some(rest) if rest.starts_with('\r') => Newline::Cr,
        _ => Newline::Lf,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn auto_takes_the_first_line_end() {
        for (text, expected) in [
            ("", Newline::Lf),
            ("a\nb\r\n", Newline::Lf),
            ("a\r\nb\n", Newline::CrLf),
            ("a\rb\n", Newline::Cr),
            ("a\r", Newline::Cr),
        ] {
            assert_eq!(first_newline(text), expected, "{text:?}");
        }
    }
}
