//! Diagnostics on their way out: which form they take, and into which stream they go.

use std::cell::RefCell;
use std::sync::Arc;

use base::render::{CodeInfo, Format, Step, Summary, Tool, render};
use base::{Diagnostic, FileReport, Severity, SourceFile, TextRange};
use camino::{Utf8Path, Utf8PathBuf};
use clap::ValueEnum;
use config::Feature;

use crate::VERSION;
use crate::failure::Failure;
use crate::names::Name;
use crate::session::{Outcome, Session};
use crate::write;

/// The arguments that say in which forms findings are reported.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct ReportArgs {
    /// The format of the report: text on standard error, others on standard output
    #[arg(long, value_enum, ignore_case = true, value_name = "FORMAT", default_value_t)]
    diagnostics_format: DiagnosticsFormat,

    /// Also write the report to a file: `.html` for people, `.sarif`, `.json` for one object a line, `.xml` for JUnit,
    /// `.txt`; repeatable
    #[arg(long, value_name = "FILE", value_parser = report_file)]
    report: Vec<ReportFile>,
}

/// A file that takes a report.
#[derive(Debug, Clone)]
struct ReportFile {
    path: Utf8PathBuf,
    format: Format,
}

/// Everything there is to tell.
#[derive(Debug, Default)]
pub(crate) struct Report {
    /// What was found, file by file.
    pub(crate) files: Vec<FileReport>,
    /// What the codes are about.
    pub(crate) codes: Vec<CodeInfo>,
    /// What was done, where that is more than one thing.
    pub(crate) steps: Vec<Step>,
}

impl ReportArgs {
    /// Whether a form is asked for that says at which offsets things stand.
    pub(crate) fn has_offsets(&self) -> bool {
        let files = self.report.iter().map(|file| file.format);
        self.diagnostics_format == DiagnosticsFormat::Json || files.into_iter().any(|it| it == Format::Json)
    }

    /// Writes a report in all the forms that are asked for.
    pub(crate) fn deliver(&self, report: Report, session: &Session) -> Result<(), Failure> {
        let Report { files, codes, steps } = report;
        let files = once_a_run(files);
        let tool = Tool { codes, steps, ..Tool::new(session.name.text(), VERSION) };
        for file in &self.report {
            write::write(&file.path, &render(&files, file.format, &tool))?;
        }
        let text = render(&files, self.diagnostics_format.format(session), &tool);
        match self.diagnostics_format {
            DiagnosticsFormat::Text => session.output.talk(&text)?,
            _ => session.output.data(&text)?,
        }
        if !tool.steps.is_empty() {
            return session.output.talk(&base::render::table(&tool.steps));
        }
        write_summary(session, &files, self.diagnostics_format)
    }
}

/// The form of a report follows from the name of its file.
fn report_file(path: &str) -> Result<ReportFile, String> {
    let path = Utf8PathBuf::from(path);
    let format = match path.extension().map(str::to_ascii_lowercase).as_deref() {
        Some("html" | "htm") => Format::Html,
        Some("sarif") => Format::Sarif,
        Some("json" | "jsonl") => Format::Json,
        Some("xml") => Format::Junit,
        Some("txt" | "log") => Format::Text,
        _ => return Err("the name should end with .html, .sarif, .json, .xml or .txt".to_owned()),
    };
    Ok(ReportFile { path, format })
}

/// The forms that can be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum DiagnosticsFormat {
    /// On standard error: source excerpts on a terminal, otherwise one line each
    #[default]
    #[value(alias = "default")]
    Text,
    /// SARIF 2.1.0, for code scanning services
    Sarif,
    /// One JSON object per line
    Json,
    /// GitHub workflow annotations
    Github,
    /// JUnit XML, for test reports
    Junit,
}

/// Says which features that may still change are switched on.
pub(crate) fn warn_of_experimental(
    session: &Session,
    features: impl IntoIterator<Item = Feature>,
) -> Result<(), Failure> {
    let names: Vec<&str> = features.into_iter().map(Feature::name).collect();
    session.output.warning(&format!("experimental features are on, and may change: {}", names.join(", ")))
}

/// Writes reports: text to standard error, everything else to standard output.
pub(crate) fn write(
    session: &Session,
    reports: &[FileReport],
    format: DiagnosticsFormat,
) -> Result<(), Failure> {
    let text = rendered(session, reports, format);
    match format {
        DiagnosticsFormat::Text => session.output.talk(&text),
        _ => session.output.data(&text),
    }
}

/// Writes reports to standard error, because standard output is for something else.
pub(crate) fn write_beside_output(
    session: &Session,
    reports: &[FileReport],
    format: DiagnosticsFormat,
) -> Result<(), Failure> {
    session.output.talk(&rendered(session, reports, format))
}

/// Reports of a command that finds things one after the other. They go to standard error at once, but for the forms of
/// which there can be only one document: these are written at the end.
pub(crate) struct Reporter<'s> {
    session: &'s Session,
    format: DiagnosticsFormat,
    held: RefCell<Vec<FileReport>>,
}

impl<'s> Reporter<'s> {
    pub(crate) fn new(session: &'s Session, format: DiagnosticsFormat) -> Self {
        Self { session, format, held: RefCell::default() }
    }

    /// Takes reports.
    pub(crate) fn tell(&self, reports: Vec<FileReport>) -> Result<(), Failure> {
        if !self.format.is_document() {
            return write_beside_output(self.session, &reports, self.format);
        }
        let mut held = self.held.borrow_mut();
        reports.into_iter().for_each(|report| add(&mut held, report));
        Ok(())
    }

    /// Writes what is left to write, whatever became of the work.
    pub(crate) fn finish(self, outcome: Outcome) -> Outcome {
        if self.format.is_document() {
            write_beside_output(self.session, &self.held.into_inner(), self.format)?;
        }
        outcome
    }
}

fn rendered(session: &Session, reports: &[FileReport], format: DiagnosticsFormat) -> String {
    described(session, reports, format, Vec::new())
}

/// Reports as text, with what their codes are about for the forms that say it.
pub(crate) fn described(
    session: &Session,
    reports: &[FileReport],
    format: DiagnosticsFormat,
    codes: Vec<CodeInfo>,
) -> String {
    let tool = Tool { codes, ..Tool::new(session.name.text(), VERSION) };
    let reports = once_a_run(reports.to_vec());
    let reports = if session.name == Name::Bicep { with_configuration_errors(reports) } else { reports };
    render(&reports, format.format(session), &tool)
}

/// The reports as the Bicep CLI writes them: a mistake in a configuration file is one at the start of each file that the
/// configuration is for.
fn with_configuration_errors(reports: Vec<FileReport>) -> Vec<FileReport> {
    let is_configuration = |report: &FileReport| report.file.path().file_name() == Some(config::FILE_NAME);
    let (configurations, mut files): (Vec<_>, Vec<_>) = reports.into_iter().partition(is_configuration);
    let mut kept = Vec::new();
    for configuration in configurations {
        let folder = configuration.file.path().parent();
        let mut used_by =
            files.iter_mut().filter(|it| folder.is_some_and(|folder| it.file.path().starts_with(folder)));
        let error = configuration.diagnostics.iter().find(|it| it.severity == Severity::Error);
        match (error, used_by.next()) {
            (Some(error), Some(first)) => {
                let range = TextRange::default();
                let error = Diagnostic { range, labels: Vec::new(), fixes: Vec::new(), ..error.clone() };
                for file in std::iter::once(first).chain(used_by) {
                    file.diagnostics.insert(0, error.clone());
                }
            }
            _ => kept.push(configuration),
        }
    }
    kept.into_iter().chain(files).collect()
}

/// That types are not installed is found in every file with resources; once is enough to know it.
pub(crate) fn once_a_run(mut reports: Vec<FileReport>) -> Vec<FileReport> {
    let mut said = false;
    for report in &mut reports {
        report.diagnostics.retain(|it| it.code != NO_RESOURCE_TYPES || !std::mem::replace(&mut said, true));
    }
    reports
}

/// Adds a report to others, with those of the same file.
pub(crate) fn add(reports: &mut Vec<FileReport>, report: FileReport) {
    match reports.iter_mut().find(|known| known.file.path() == report.file.path()) {
        Some(known) => {
            let mut diagnostics = std::mem::take(&mut known.diagnostics);
            diagnostics.extend(report.diagnostics);
            *known = FileReport::new(Arc::clone(&known.file), diagnostics);
        }
        None => reports.push(report),
    }
}

const NO_RESOURCE_TYPES: &str = "no-resource-types";

impl DiagnosticsFormat {
    /// Whether a report in this form is one document, to which nothing can be added.
    fn is_document(self) -> bool {
        matches!(self, Self::Sarif | Self::Junit)
    }

    fn format(self, session: &Session) -> Format {
        match self {
            Self::Text if session.output.is_terminal => Format::Excerpt { colour: session.output.colour },
            Self::Text => Format::Text,
            Self::Sarif => Format::Sarif,
            Self::Json => Format::Json,
            Self::Github => Format::Github,
            Self::Junit => Format::Junit,
        }
    }
}

/// The same reports with paths as somebody in the current folder writes them. The Bicep CLI writes them in full.
pub(crate) fn with_short_paths(
    reports: Vec<FileReport>,
    session: &Session,
) -> Result<Vec<FileReport>, Failure> {
    if session.name == Name::Bicep {
        return Ok(reports);
    }
    let here = session.absolute(Utf8Path::new(""))?;
    let shorten = |report: FileReport| match report.file.path().strip_prefix(&here) {
        Ok(path) if !path.as_str().is_empty() => {
            let file = SourceFile::new(path, report.file.text().clone());
            FileReport { file, ..report }
        }
        _ => report,
    };
    Ok(reports.into_iter().map(shorten).collect())
}

/// Says how much was found, to somebody who sits in front of it.
fn write_summary(
    session: &Session,
    reports: &[FileReport],
    format: DiagnosticsFormat,
) -> Result<(), Failure> {
    if format != DiagnosticsFormat::Text || !session.output.is_terminal || reports.is_empty() {
        return Ok(());
    }
    session.output.talk(&format!("{}\n", Summary::of(reports)))
}
