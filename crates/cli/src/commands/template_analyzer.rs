//! The commands of the ARM Template Analyzer, with its console output and its exit codes.

mod console;
mod sarif;

use base::{FileReport, Severity};
use camino::{Utf8Path, Utf8PathBuf};
use clap::ValueEnum;
use rules::Rule;

use super::analyze::files::{FileArgs, Files, Problem, Sources};
use super::analyze::selection;
use crate::analysis::{self, AnalysisOptions, Checked, ProgramFindings, RuleSet};
use crate::compile::{self, CompileArgs};
use crate::failure::Failure;
use crate::session::{Outcome, Session, Status};
use crate::write;

/// One of the two commands.
#[derive(Debug)]
pub(crate) enum Args {
    /// A single template.
    Template(TemplateArgs),
    /// All templates of a folder.
    Directory(DirectoryArgs),
}

/// Analyze a single template
#[derive(Debug, clap::Args)]
pub(crate) struct TemplateArgs {
    /// The ARM or Bicep template
    #[arg(value_name = "template-file-path")]
    template: Utf8PathBuf,
    /// The parameters file to use with the template
    #[arg(short = 'p', long = "parameters-file-path", value_name = "FILE")]
    parameters: Option<Utf8PathBuf>,
    #[command(flatten)]
    common: Common,
}

/// Analyze all templates within a directory
#[derive(Debug, clap::Args)]
pub(crate) struct DirectoryArgs {
    /// The directory to search
    #[arg(value_name = "directory-path")]
    directory: Utf8PathBuf,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Clone, clap::Args)]
struct Common {
    /// The configuration file
    #[arg(short = 'c', long = "config-file-path", value_name = "FILE")]
    config: Option<Utf8PathBuf>,
    /// The format of the report
    #[arg(long, value_enum, ignore_case = true, value_name = "FORMAT", default_value_t)]
    report_format: ReportFormat,
    /// Where the report goes; needed for SARIF
    #[arg(short = 'o', long = "output-file-path", value_name = "FILE")]
    output: Option<Utf8PathBuf>,
    /// Tell more
    #[arg(short = 'v', long)]
    verbose: bool,
    /// Accepted for compatibility: all rules here are about security
    #[arg(long)]
    include_non_security_rules: bool,
    /// Rules to use instead of the built-in ones
    #[arg(long = "custom-json-rules-path", value_name = "FILE")]
    rules: Option<Utf8PathBuf>,
    #[command(flatten)]
    compile: CompileArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum ReportFormat {
    /// For people
    #[default]
    Console,
    /// SARIF 2.1.0
    Sarif,
}

/// The exit codes.
mod code {
    pub(super) const COMMAND: u8 = 1;
    pub(super) const INVALID_PATH: u8 = 2;
    pub(super) const MISSING_PATH: u8 = 3;
    pub(super) const CONFIGURATION: u8 = 4;
    pub(super) const NOT_A_TEMPLATE: u8 = 10;
    pub(super) const BICEP: u8 = 11;
    pub(super) const VIOLATION: u8 = 20;
    pub(super) const ERROR: u8 = 21;
    pub(super) const ERROR_AND_VIOLATION: u8 = 22;
}

pub(crate) fn run(args: &Args, session: &Session) -> Outcome {
    let (path, parameters, common) = match args {
        Args::Template(args) => (&args.template, args.parameters.as_ref(), &args.common),
        Args::Directory(args) => (&args.directory, None, &args.common),
    };
    let is_directory = matches!(args, Args::Directory(_));
    let exists = if is_directory { path.is_dir() } else { path.is_file() };
    if !exists {
        return stop(code::INVALID_PATH, &format!("Invalid path: {path}"), session);
    }
    if common.report_format == ReportFormat::Sarif && common.output.is_none() {
        let message = "When using --report-format sarif flag, --output-file-path flag is required.";
        return stop(code::MISSING_PATH, message, session);
    }
    let rules = match select(common, session)? {
        Ok(rules) => {
            let known = rules.iter().map(|rule| rule.id.to_string()).collect();
            RuleSet { known, rules, ..RuleSet::default() }
        }
        Err((code, message)) => return stop(code, &message, session),
    };
    let args = FileArgs::of(path, parameters);
    let files = args.resolve(session)?;
    // The original makes up values for parameters that have none.
    let mut run = args.run(&files, &rules, common.compile, session)?;
    run.missing = rules::MissingValues::Placeholders;
    let found = analyze(&files, &run, common)?;
    if let (false, Some((code, message))) = (is_directory, &found.refused) {
        return stop(*code, message, session);
    }
    let exit = exit_code(&found);
    if common.report_format == ReportFormat::Sarif {
        // Paths start from the folder that was named, or from that of the template.
        let folder = if is_directory { path.as_path() } else { path.parent().unwrap_or(Utf8Path::new("")) };
        let (text, count) = sarif::render(&found, &rules.rules, folder, session)?;
        let path = common.output.as_deref().unwrap_or(Utf8Path::new("report.sarif"));
        write::write(path, &text)?;
        let results = if count == 1 { "result" } else { "results" };
        session.output.data(&format!("Wrote {count} {results} to {path}\n"))?;
    } else {
        let directory = is_directory.then_some(path.as_path());
        session.output.data(&console::render(&found, &rules.rules, directory, session)?)?;
    }
    Ok(Status::Code(exit))
}

fn stop(code: u8, message: &str, session: &Session) -> Outcome {
    session.output.data(&format!("Error: {message}\n"))?;
    Ok(Status::Code(code))
}

/// The rules that run, or the exit code and why none do.
fn select(common: &Common, session: &Session) -> Result<Result<Vec<Rule>, (u8, String)>, Failure> {
    let mut rules = rules::builtin().to_vec();
    if let Some(path) = &common.rules {
        match selection::load(path, session) {
            Ok((found, report)) if !report.has_errors() => rules = found,
            Ok((_, report)) => {
                let first = report.diagnostics.iter().find(|d| d.severity == Severity::Error);
                let message = first.map(|d| d.message.clone()).unwrap_or_default();
                return Ok(Err((code::COMMAND, format!("Failed to load rules of {path}: {message}"))));
            }
            Err(failure) => return Ok(Err((code::COMMAND, failure.to_string()))),
        }
    }
    let config = common.config.clone().or_else(configuration_beside_program);
    match config.as_deref().map(|path| selection::filter(path, session)) {
        None => Ok(Ok(rules)),
        Some(Ok(filter)) => Ok(Ok(filter.apply(rules))),
        Some(Err(failure)) => Ok(Err((code::CONFIGURATION, failure.to_string()))),
    }
}

/// The configuration that holds when none is named.
fn configuration_beside_program() -> Option<Utf8PathBuf> {
    let program = Utf8PathBuf::from_path_buf(std::env::current_exe().ok()?).ok()?;
    Some(program.with_file_name("configuration.json")).filter(|path| path.is_file())
}

/// What came of all files.
#[derive(Default)]
struct AnalysisResult {
    /// What was analysed.
    checked: Vec<Checked>,
    /// What is wrong with files that were not analysed.
    reports: Vec<FileReport>,
    /// Why the first of them was not, with the exit code it has on its own.
    refused: Option<(u8, String)>,
}

fn analyze(files: &Files, run: &AnalysisOptions<'_>, common: &Common) -> Result<AnalysisResult, Failure> {
    let mut found = AnalysisResult::default();
    for result in files.templates(run, &Sources::new()) {
        match result {
            Ok(checked) => found.checked.extend(checked),
            Err(Problem::Failure(failure)) => {
                found.refused.get_or_insert((code::NOT_A_TEMPLATE, failure.to_string()));
            }
            Err(Problem::Report(report)) => {
                let message = format!("{} is not a template: it is not JSON.", report.file.path());
                found.refused.get_or_insert((code::NOT_A_TEMPLATE, message));
                found.reports.push(*report);
            }
        }
    }
    let programs = compile::map_batches(&files.bicep, None, common.compile, run.session, |compilation| {
        analysis::program(compilation, &compile::errors(compilation), run)
    })?;
    let mut findings = ProgramFindings::default();
    programs.into_iter().for_each(|program| findings.add(program));
    for checked in findings.finish(run) {
        let is_bad = |it: &FileReport| it.has_errors() && it.file.path().extension() == Some("bicep");
        if checked.reports.iter().any(is_bad) {
            let message = format!("{} does not compile.", checked.root.path());
            found.refused.get_or_insert((code::BICEP, message));
        }
        found.checked.push(checked);
    }
    Ok(found)
}

fn has_error(checked: &Checked) -> bool {
    checked.reports.iter().any(FileReport::has_errors)
}

fn exit_code(found: &AnalysisResult) -> u8 {
    let violations = |one: &Checked| !has_error(one) && one.is_broken();
    let error = !found.reports.is_empty() || found.refused.is_some() || found.checked.iter().any(has_error);
    match (error, found.checked.iter().any(violations)) {
        (true, true) => code::ERROR_AND_VIOLATION,
        (true, false) => code::ERROR,
        (false, true) => code::VIOLATION,
        (false, false) => 0,
    }
}
