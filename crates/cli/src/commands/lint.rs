//! `sinew lint`: what is wrong with Bicep files.

use base::{FileReport, SourceFile};
use bicep_sema::{Program, Setup};
use camino::Utf8Path;
use config::Loader;

use crate::artifacts::Place;
use crate::catalogue::Types;
use crate::compile::{self, CompileArgs};
use crate::failure::Failure;
use crate::inputs::{self, InputArgs};
use crate::names::Name;
use crate::overlay::Overlay;
use crate::report::{self, DiagnosticsFormat};
use crate::session::{Outcome, Session, Status};

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

    #[command(flatten)]
    compile: CompileArgs,
}

pub(crate) fn run(args: &Args, session: &Session) -> Outcome {
    let inputs = args.inputs.resolve()?;
    inputs::warn_if_none(&inputs, session)?;
    let mut reports = Vec::new();
    let mut entries = Vec::new();
    let mut failed = false;
    for input in &inputs {
        let readable = input.read_bicep(session).and_then(|file| Ok((file, session.absolute(&input.path)?)));
        match readable {
            Ok((file, path)) if input.is_stdin => reports.extend(lint_text(&file, &path, args, session)?),
            Ok((_, path)) => entries.push(path),
            Err(failure) => {
                session.output.failure(&failure);
                failed = true;
            }
        }
    }
    compile::with_programs(&entries, args.compile, session, |program| {
        reports.extend(compile::reports(program));
        Ok(())
    })?;
    let reports = with_short_paths(reports, session)?;
    report::write(session, &reports, args.diagnostics_format)?;
    report::write_summary(session, &reports, args.diagnostics_format)?;
    Ok(Status::from_findings(failed || reports.iter().any(FileReport::has_errors)))
}

/// What is wrong with a text that stands for a file, and with the files it refers to. Nothing is fetched for it.
fn lint_text(
    file: &SourceFile,
    path: &Utf8Path,
    args: &Args,
    session: &Session,
) -> Result<Vec<FileReport>, Failure> {
    let place = Place::of(path, &Loader::new(&session.world).load_for(path), session)?;
    let world = place.world(args.compile.artifacts)?;
    let types = Types::new(&world);
    let world = Overlay { world: &world, path, text: file.text() };
    let program = Program::load(Setup::new(&world).with_types(&types), &[path.to_owned()]);
    Ok(compile::reports(&program))
}

/// The same reports with paths as somebody in the current folder writes them. The Bicep CLI writes them in full.
fn with_short_paths(reports: Vec<FileReport>, session: &Session) -> Result<Vec<FileReport>, Failure> {
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
