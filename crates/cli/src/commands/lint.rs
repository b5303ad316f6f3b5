//! `sinew lint`: what is wrong with Bicep files.

use base::FileReport;
use base::suppression::unless_compiler_error;
use bicep_syntax::{Dialect, parse, suppressions};
use config::Loader;

use crate::failure::Failure;
use crate::inputs::{Input, InputArgs};
use crate::report::{self, DiagnosticsFormat};
use crate::session::{Outcome, Session, Status};
use crate::{inputs, parallel};

const EXAMPLES: &str = "\
Examples:
  sinew lint main.bicep
  sinew lint --pattern 'modules/**/*.bicep'
  sinew lint --diagnostics-format sarif . > report.sarif
  cat main.bicep | sinew lint - --stdin-filename modules/main.bicep

Exit code 1 says that there is an error; warnings alone give 0.";

/// Report what is wrong with Bicep files
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    inputs: InputArgs,

    /// The form of the report; text goes to standard error, the others to standard output
    #[arg(long, value_enum, ignore_case = true, value_name = "FORMAT", default_value_t)]
    diagnostics_format: DiagnosticsFormat,

    /// Do not fetch modules that are not in the cache
    #[arg(long)]
    no_restore: bool,
}

pub(crate) fn run(args: &Args, session: &Session) -> Outcome {
    let inputs = args.inputs.resolve()?;
    inputs::warn_if_none(&inputs, session)?;
    let configs = Loader::new(&session.world);
    let mut reports = Vec::new();
    let mut failed = false;
    for result in parallel::map(&inputs, |input| lint(input, &configs, session)) {
        match result {
            Ok(report) => reports.push(report),
            Err(failure) => {
                session.output.failure(&failure);
                failed = true;
            }
        }
    }
    let mut all = configs.reports();
    all.append(&mut reports);
    report::write(session, &all, args.diagnostics_format)?;
    report::write_summary(session, &all, args.diagnostics_format)?;
    Ok(Status::from_findings(failed || all.iter().any(FileReport::has_errors)))
}

fn lint(input: &Input, configs: &Loader<'_>, session: &Session) -> Result<FileReport, Failure> {
    let file = input.read_bicep(session)?;
    configs.load_for(&session.absolute(&input.path)?);
    let parsed = parse(file.text().clone(), Dialect::of_path(input.path.as_str()));
    let mut diagnostics = parsed.diagnostics;
    suppressions(&parsed.tree, file.lines()).apply(&mut diagnostics, file.lines(), unless_compiler_error);
    Ok(FileReport::new(file, diagnostics))
}
