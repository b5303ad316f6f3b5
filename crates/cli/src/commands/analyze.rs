//! `sinew analyze`: best-practice rules over templates and Bicep files.

mod baseline;
pub(crate) mod files;
pub(crate) mod selection;

use base::FileReport;
use camino::Utf8PathBuf;

use crate::analysis::{self, Checked};
use crate::compile::{self, CompileArgs};
use crate::failure::Failure;
use crate::report::{self, DiagnosticsFormat};
use crate::session::{Outcome, Session, Status};

use files::FileArgs;
use selection::RuleArgs;

const EXAMPLES: &str = "\
Examples:
  sinew analyze template.json
  sinew analyze main.bicep modules/
  sinew analyze . --rules company-rules.json --min-severity medium
  sinew analyze . --exclude TA-000028 --exclude-path 'test/**'
  sinew analyze . --write-baseline accepted.json, later --baseline accepted.json
  sinew analyze . --diagnostics-format sarif > report.sarif

A finding can be accepted where it is: `// sinew-ignore TA-000004: reason`.
Exit code 1 says that a rule is broken, or a file cannot be analysed. What could not be decided is told and gives 0.";

/// Check templates and Bicep files against best-practice rules
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    files: FileArgs,

    #[command(flatten)]
    rules: RuleArgs,

    /// Accept the findings in this file: only new ones count
    #[arg(long, value_name = "FILE")]
    baseline: Option<Utf8PathBuf>,

    /// Write all findings into a baseline, and accept them
    #[arg(long, value_name = "FILE", conflicts_with = "baseline")]
    write_baseline: Option<Utf8PathBuf>,

    #[command(flatten)]
    compile: CompileArgs,

    /// The form of the report; text goes to standard error, the others to standard output
    #[arg(long, value_enum, ignore_case = true, value_name = "FORMAT", default_value_t)]
    diagnostics_format: DiagnosticsFormat,
}

pub(crate) fn run(args: &Args, session: &Session) -> Outcome {
    let (selected, rule_reports) = args.rules.select(session)?;
    let files = args.files.resolve(session)?;
    if files.is_empty() {
        session.output.warning("no templates and no Bicep files were found")?;
    }
    let mut failed = false;
    let mut checked: Vec<Checked> = Vec::new();
    let mut reports: Vec<FileReport> = rule_reports;
    for result in files.templates(&selected, session) {
        match result {
            Ok(found) => checked.extend(found),
            Err(files::Problem::Failure(failure)) => {
                session.output.failure(&failure);
                failed = true;
            }
            Err(files::Problem::Report(report)) => reports.push(*report),
        }
    }
    if !files.bicep.is_empty() {
        compile::with_programs(&files.bicep, args.compile, session, |program| {
            for (path, loaded) in program.entries() {
                if let Err(error) = loaded {
                    session.output.failure(&Failure::unreadable(path, error));
                    failed = true;
                }
            }
            checked.extend(analysis::program(program, &selected, files.parameters.as_deref(), session)?);
            Ok(())
        })?;
    }
    baseline::apply(&mut checked, &selected, args.baseline.as_deref(), session)?;
    if let Some(path) = &args.write_baseline {
        baseline::write(&mut checked, &selected, path, session)?;
    }
    let broken =
        |checked: &Checked| checked.findings.iter().any(|(_, finding)| finding.undetermined.is_none());
    failed |= checked.iter().any(broken);
    reports.extend(analysis::reports(checked, &selected));
    let text = report::described(session, &reports, args.diagnostics_format, analysis::codes(&selected));
    match args.diagnostics_format {
        DiagnosticsFormat::Text => session.output.talk(&text)?,
        _ => session.output.data(&text)?,
    }
    report::write_summary(session, &reports, args.diagnostics_format)?;
    Ok(Status::from_findings(failed || reports.iter().any(FileReport::has_errors)))
}
