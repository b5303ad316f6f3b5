//! `sinew build`: compiles Bicep files to templates.

mod size;
mod watch;

use std::collections::BTreeSet;

use base::FileReport;
use bicep_emit::{Emitted, Emitter, Options};
use bicep_sema::{FileId, Program};
use camino::Utf8PathBuf;

use crate::compile::{self, CompileArgs};
use crate::failure::Failure;
use crate::inputs::{self, Input, InputArgs};
use crate::outputs::{self, OutputArgs};
use crate::report::{self, DiagnosticsFormat};
use crate::session::{Outcome, Session, Status};
use crate::{parallel, write};

use size::MaxSize;

const EXAMPLES: &str = "\
Examples:
  sinew build main.bicep                       writes main.json
  sinew build main.bicep --stdout
  sinew build --pattern 'apps/*/main.bicep' --outdir out
  sinew build --watch .
  sinew build main.bicep --minify --max-size   says which modules take the space

A file with errors gives no template; the others are written all the same. Exit code 1 says that there is an error.";

/// Compile Bicep files to templates
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    inputs: InputArgs,

    #[command(flatten)]
    outputs: OutputArgs,

    #[command(flatten)]
    compile: CompileArgs,

    /// Write a source map `NAME.json.map` beside each template: JSON pointers with the places they come from
    #[arg(long)]
    source_map: bool,

    /// Write templates without white space
    #[arg(long)]
    minify: bool,

    /// Fail when a template is larger than this, and say which modules take the space
    #[arg(long, value_name = "SIZE", num_args = 0..=1, default_missing_value = "4MB")]
    max_size: Option<MaxSize>,

    /// Build again whenever a file changes
    #[arg(long, conflicts_with = "stdout")]
    watch: bool,

    /// The form of the report, which goes to standard error
    #[arg(long, value_enum, ignore_case = true, value_name = "FORMAT", default_value_t)]
    diagnostics_format: DiagnosticsFormat,
}

pub(crate) fn run(args: &Args, session: &Session) -> Outcome {
    if args.watch { watch::run(args, session) } else { build(args, session).map(|built| built.status) }
}

/// What a build did.
struct Built {
    status: Status,
    /// Every file that was looked at.
    sources: BTreeSet<Utf8PathBuf>,
}

/// A file to compile and where its template goes.
struct Job {
    entry: Utf8PathBuf,
    input: Input,
}

fn build(args: &Args, session: &Session) -> Result<Built, Failure> {
    let jobs = jobs(args, session)?;
    let mut reports: Vec<FileReport> = Vec::new();
    let mut sources = BTreeSet::new();
    let mut failed = false;
    let entries: Vec<Utf8PathBuf> = jobs.iter().map(|job| job.entry.clone()).collect();
    compile::with_programs(&entries, args.compile, session, |program| {
        sources.extend(program.files().map(|file| program.unit(file).source().path().to_owned()));
        let found = compile::reports(program);
        failed |= compile_all(program, &jobs, &found, args, session)?;
        reports.extend(found);
        Ok(())
    })?;
    report::write_beside_output(session, &reports, args.diagnostics_format)?;
    let status = Status::from_findings(failed || reports.iter().any(FileReport::has_errors));
    Ok(Built { status, sources })
}

/// The files to compile. Parameter files in folders and patterns have a command of their own.
fn jobs(args: &Args, session: &Session) -> Result<Vec<Job>, Failure> {
    let mut found = args.inputs.resolve()?;
    let is_search = found.len() != 1 || args.inputs.has_pattern();
    found.retain(|input| !is_search || input.path.extension() != Some("bicepparam"));
    inputs::warn_if_none(&found, session)?;
    args.outputs.check(&found, args.inputs.has_pattern())?;
    let mut jobs = Vec::new();
    for input in found {
        if input.is_stdin || input.path.extension() != Some("bicep") && !input.path.is_dir() {
            return Err(Failure::not_a_bicep_file(&input.path));
        }
        jobs.push(Job { entry: session.absolute(&input.path)?, input });
    }
    Ok(jobs)
}

/// Compiles and writes the entry files of a program. Says whether something failed that is not in the reports.
fn compile_all(
    program: &Program<'_>,
    jobs: &[Job],
    reports: &[FileReport],
    args: &Args,
    session: &Session,
) -> Result<bool, Failure> {
    let options = Options { generator: compile::generator(session) };
    let emitter = Emitter::new(program, options);
    let bad: BTreeSet<&camino::Utf8Path> =
        reports.iter().filter(|report| report.has_errors()).map(|report| report.file.path()).collect();
    let is_clean = |file: FileId| {
        let mut parts = compile::parts(program, file).into_iter();
        !parts.any(|part| bad.contains(program.unit(part).source().path()))
    };
    let results = parallel::map(program.entries(), |(path, loaded)| {
        let file = loaded.as_ref().map_err(|error| Failure::unreadable(path, error))?;
        Ok(is_clean(*file).then(|| (*file, emitter.template(*file))))
    });
    let mut failed = false;
    for ((path, _), result) in program.entries().iter().zip(results) {
        let outcome: Result<(), Failure> = match (result, jobs.iter().find(|job| job.entry == *path)) {
            (Ok(Some((file, emitted))), Some(job)) => size::check(&emitter, program, file, args.max_size)
                .and_then(|()| put(&emitted, job, args, session)),
            (Ok(_), _) => Ok(()),
            (Err(failure), _) => Err(failure),
        };
        match outcome {
            Ok(()) => {}
            Err(Failure::Closed) => return Err(Failure::Closed),
            Err(failure) => {
                session.output.failure(&failure);
                failed = true;
            }
        }
    }
    Ok(failed)
}

/// Writes a template to where it is asked for.
fn put(emitted: &Emitted, job: &Job, args: &Args, session: &Session) -> Result<(), Failure> {
    let text =
        if args.minify { json::to_compact(&emitted.template) } else { json::to_pretty(&emitted.template) };
    if args.outputs.stdout {
        return session.output.data(&format!("{text}\n"));
    }
    let path = args.outputs.path_for(&job.input);
    write::write(&path, &text)?;
    if args.source_map {
        let map = outputs::source_map(&emitted.source_map, &path, session)?;
        write::write(&Utf8PathBuf::from(format!("{path}.map")), &json::to_pretty(&map))?;
    }
    Ok(())
}
