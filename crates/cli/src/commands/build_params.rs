//! `sinew build-params`: compiles parameter files to JSON.

mod overrides;
mod resolve;

use std::collections::BTreeSet;

use base::FileReport;
use bicep_emit::parameters::{ExternalInputForm, ParameterOptions, Parameters, parameters};
use bicep_emit::{Emitter, Options};
use bicep_sema::{FileId, Program, Unit};
use camino::{Utf8Path, Utf8PathBuf};
use clap::ValueEnum;
use serde_json::{Value as Json, json};

use crate::compile::{self, CompileArgs, Replaced};
use crate::external_inputs::AnswerArgs;
use crate::failure::Failure;
use crate::inputs::{self, Input, InputArgs};
use crate::outputs::OutputArgs;
use crate::report::{self, DiagnosticsFormat};
use crate::session::{Outcome, Session, Status};
use crate::write;

const EXAMPLES: &str = "\
Examples:
  sinew build-params main.bicepparam                  writes main.json
  sinew build-params main.bicepparam --stdout         parameters and template in one document
  sinew build-params --pattern 'environments/*.bicepparam' --outdir out
  sinew build-params main.bicepparam --external-inputs azure
  sinew build-params main.bicepparam --resolve --arg region=westeurope

A file with errors gives no output; the others are written all the same. Exit code 1 says that there is an error.";

/// Compile parameter files to JSON
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    inputs: InputArgs,

    #[command(flatten)]
    outputs: OutputArgs,

    /// Fail unless the file is for this Bicep file
    #[arg(long, value_name = "FILE")]
    bicep_file: Option<Utf8PathBuf>,

    /// How external inputs are written: as this program's own commands read them, or as Azure does
    #[arg(long, value_enum, ignore_case = true, value_name = "FORM")]
    external_inputs: Option<Form>,

    /// Get the values of external inputs, and evaluate what waits for them
    #[arg(long)]
    resolve: bool,

    #[command(flatten)]
    answers: AnswerArgs,

    #[command(flatten)]
    compile: CompileArgs,

    /// The form of the report, which goes to standard error
    #[arg(long, value_enum, ignore_case = true, value_name = "FORMAT", default_value_t)]
    diagnostics_format: DiagnosticsFormat,
}

/// The two ways to write external inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// A section `externalInputs` with types and configurations
    Seed,
    /// A section `externalInputDefinitions` with kinds and configurations
    Azure,
}

pub(crate) fn run(args: &Args, session: &Session) -> Outcome {
    let jobs = jobs(args, session)?;
    let replaced = match jobs.as_slice() {
        [job] => overrides::apply(&job.entry, session)?,
        _ => None,
    };
    let entries: Vec<Utf8PathBuf> = jobs.iter().map(|job| job.entry.clone()).collect();
    let replaced = replaced.as_ref().zip(entries.first()).map(|(text, path)| Replaced { path, text });
    let mut reports: Vec<FileReport> = Vec::new();
    let mut failed = false;
    compile::with_replaced(&entries, replaced, args.compile, session, |program| {
        let found = compile::reports(program);
        failed |= compile_all(program, &jobs, &found, args, session)?;
        reports.extend(found);
        Ok(())
    })?;
    report::write_beside_output(session, &reports, args.diagnostics_format)?;
    Ok(Status::from_findings(failed || reports.iter().any(FileReport::has_errors)))
}

/// A file to compile and where its parameters go.
struct Job {
    entry: Utf8PathBuf,
    input: Input,
}

/// The files to compile. Other files in folders and patterns have a command of their own.
fn jobs(args: &Args, session: &Session) -> Result<Vec<Job>, Failure> {
    let mut found = args.inputs.resolve()?;
    let is_search = found.len() != 1 || args.inputs.has_pattern();
    found.retain(|input| !is_search || input.path.extension() != Some("bicep"));
    inputs::warn_if_none(&found, session)?;
    args.outputs.check(&found, args.inputs.has_pattern())?;
    if args.bicep_file.is_some() && args.inputs.has_pattern() {
        return Err(Failure::conflict("--bicep-file", "--pattern"));
    }
    let mut jobs = Vec::new();
    for input in found {
        let is_params = input.path.extension().is_some_and(|it| it.eq_ignore_ascii_case("bicepparam"));
        if input.is_stdin || !is_params && !input.path.is_dir() {
            return Err(Failure::not_a_parameter_file(&input.path));
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
    let emitter = Emitter::new(program, Options { generator: compile::generator(session) });
    let bad: BTreeSet<&Utf8Path> =
        reports.iter().filter(|report| report.has_errors()).map(|report| report.file.path()).collect();
    let mut failed = false;
    for (path, loaded) in program.entries() {
        let Some(job) = jobs.iter().find(|job| job.entry == *path) else { continue };
        let outcome = match loaded {
            Err(error) => Err(Failure::unreadable(path, error)),
            Ok(file) => check_template(program, *file, args, session).and_then(|()| {
                let parts = compile::parts(program, *file);
                let is_bad = |part: &FileId| bad.contains(program.unit(*part).source().path());
                if parts.iter().any(is_bad) {
                    Ok(())
                } else {
                    put(&emitter, program, (*file, job), args, session)
                }
            }),
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

/// Checks that a parameter file is for the Bicep file that was named. One that is for none may be for any.
fn check_template(
    program: &Program<'_>,
    file: FileId,
    args: &Args,
    session: &Session,
) -> Result<(), Failure> {
    let Some(named) = &args.bicep_file else { return Ok(()) };
    let used = bicep_emit::parameters::used(program, file);
    match used.map(|used| program.unit(used)) {
        None => Ok(()),
        Some(Unit::Template(_)) => Err(Failure::not_for_a_bicep_file(named)),
        Some(Unit::Bicep(bicep)) if bicep.source.path() == session.absolute(named)? => Ok(()),
        Some(Unit::Bicep(bicep)) => Err(Failure::for_another_file(named, bicep.source.path())),
    }
}

/// Writes parameters to where they are asked for.
fn put(
    emitter: &Emitter<'_>,
    program: &Program<'_>,
    (file, job): (FileId, &Job),
    args: &Args,
    session: &Session,
) -> Result<(), Failure> {
    let mut options =
        ParameterOptions { external_inputs: form(args, session), ..ParameterOptions::default() };
    let none = || Failure::not_a_parameter_file(&job.input.path);
    let mut found = parameters(program, file, &options).ok_or_else(none)?;
    if args.resolve {
        options.answers = resolve::answers(program, &found, &args.answers, session)?;
        found = parameters(program, file, &options).ok_or_else(none)?;
        resolve::check(emitter, program, (file, &found), session)?;
    }
    let parameters = found;
    let document = json::to_pretty(&parameters.document());
    if args.outputs.stdout {
        let whole = for_stdout(emitter, program, &parameters, &document);
        return session.output.data(&format!("{}\n", json::to_compact(&whole)));
    }
    let path = args.outputs.path_for(&job.input);
    // The values of external inputs may be secrets.
    if args.resolve { write::write_private(&path, &document) } else { write::write(&path, &document) }
}

/// Parameters and template in one document, as the Azure CLI reads it.
fn for_stdout(emitter: &Emitter<'_>, program: &Program<'_>, parameters: &Parameters, document: &str) -> Json {
    let unit = parameters.template.map(|file| (file, program.unit(file)));
    let (template, spec) = match unit {
        Some((_, Unit::Template(template))) if template.template_spec.is_some() => {
            (None, template.template_spec.clone())
        }
        Some((file, _)) => (Some(json::to_pretty(&emitter.template(file).template)), None),
        None => (None, None),
    };
    json!({ "parametersJson": document, "templateJson": template, "templateSpecId": spec })
}

/// How external inputs are written: as asked, else as whoever the output is said to be made by does it.
fn form(args: &Args, session: &Session) -> ExternalInputForm {
    let is_azure = match args.external_inputs {
        Some(form) => form == Form::Azure,
        None => compile::generator(session).name == "bicep",
    };
    if is_azure { ExternalInputForm::Azure } else { ExternalInputForm::Seed }
}
