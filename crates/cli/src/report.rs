//! Diagnostics on their way out: which form they take, and into which stream they go.

use base::FileReport;
use base::render::{CodeInfo, Format, Summary, Tool, render};
use clap::ValueEnum;

use crate::VERSION;
use crate::failure::Failure;
use crate::session::Session;

/// The forms that can be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum DiagnosticsFormat {
    /// For people, to standard error: source excerpts on a terminal, one line each otherwise
    #[default]
    #[value(alias = "default")]
    Text,
    /// SARIF 2.1.0, for code scanning services
    Sarif,
    /// One JSON object a line
    Json,
    /// GitHub workflow annotations
    Github,
    /// JUnit XML, for test reports
    Junit,
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
    let format = match format {
        DiagnosticsFormat::Text if session.output.is_terminal => {
            Format::Excerpt { colour: session.output.colour }
        }
        DiagnosticsFormat::Text => Format::Text,
        DiagnosticsFormat::Sarif => Format::Sarif,
        DiagnosticsFormat::Json => Format::Json,
        DiagnosticsFormat::Github => Format::Github,
        DiagnosticsFormat::Junit => Format::Junit,
    };
    render(reports, format, &tool)
}

/// Says how much was found, to somebody who sits in front of it.
pub(crate) fn write_summary(
    session: &Session,
    reports: &[FileReport],
    format: DiagnosticsFormat,
) -> Result<(), Failure> {
    if format != DiagnosticsFormat::Text || !session.output.is_terminal || reports.is_empty() {
        return Ok(());
    }
    session.output.talk(&format!("{}\n", Summary::of(reports)))
}
