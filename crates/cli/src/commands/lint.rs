//! `sinew lint`: what is wrong with Bicep files.

use base::{FileReport, SourceFile};
use camino::Utf8Path;

use crate::compile::{self, CompileArgs, Replaced};
use crate::failure::Failure;
use crate::inputs::{self, Input, InputArgs};
use crate::parallel;
use crate::report::{self, Report, ReportArgs};
use crate::session::{Outcome, Session, Status};

const EXAMPLES: &str = "\
Examples:
  sinew lint main.bicep
  sinew lint --pattern 'modules/**/*.bicep'
  sinew lint --diagnostics-format sarif . > report.sarif
  cat main.bicep | sinew lint - --stdin-filename modules/main.bicep

Exit code 1 means that there are errors; warnings alone give 0.";

/// Report errors and warnings in Bicep files
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    inputs: InputArgs,

    #[command(flatten)]
    report: ReportArgs,

    #[command(flatten)]
    compile: CompileArgs,
}

pub(crate) fn run(args: &Args, session: &Session) -> Outcome {
    let inputs = args.inputs.resolve()?;
    inputs::warn_if_none(&inputs, session)?;
    let mut reports = Vec::new();
    let mut entries = Vec::new();
    let mut failed = false;
    // Whether files can be read is known before any is checked. Their texts are not kept.
    let read = |input: &Input| -> Result<_, Failure> {
        let file = input.read_bicep(session)?;
        Ok((input.is_stdin.then_some(file), session.absolute(&input.path)?))
    };
    for read in parallel::map(&inputs, read) {
        match read {
            Ok((Some(file), path)) => reports.extend(lint_text(&file, &path, args, session)?),
            Ok((None, path)) => entries.push(path),
            Err(failure) => {
                session.output.failure(&failure);
                failed = true;
            }
        }
    }
    let found = compile::map_batches(&entries, None, args.compile, session, |compilation| {
        Ok(compile::reports(compilation))
    })?;
    reports.extend(compile::joined(found, &entries));
    failed |= reports.iter().any(FileReport::has_errors);
    let files = report::with_short_paths(reports, session)?;
    args.report.deliver(Report { files, ..Report::default() }, session)?;
    Ok(Status::from_findings(failed))
}

/// What is wrong with a text that stands for a file, and with the files it refers to. Nothing is fetched for it.
fn lint_text(
    file: &SourceFile,
    path: &Utf8Path,
    args: &Args,
    session: &Session,
) -> Result<Vec<FileReport>, Failure> {
    let replaced = Some(Replaced { path, text: file.text() });
    let args = CompileArgs { no_restore: true, ..args.compile };
    let found = compile::map_compilations(&[path.to_owned()], replaced, args, session, |compilation| {
        Ok(compile::reports(compilation))
    })?;
    Ok(found.into_iter().flatten().collect())
}
