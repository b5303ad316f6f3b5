//! `sinew build-params`: compiles parameter files to JSON.

mod overrides;
mod resolve;

use std::sync::Arc;

use bicep_emit::Emitter;
use bicep_emit::parameters::{ExternalInputForm, ParameterOptions, Parameters, parameters};
use bicep_sema::{Program, Unit};
use bicep_syntax::Dialect;
use camino::Utf8PathBuf;
use clap::ValueEnum;
use project::Compilation;
use serde_json::{Value as Json, json};

use crate::batch::{Batch, Entry, How};
use crate::compile::{self, CompileArgs, Replaced};
use crate::external_inputs::AnswerArgs;
use crate::failure::Failure;
use crate::inputs::InputArgs;
use crate::outputs::OutputArgs;
use crate::report::DiagnosticsFormat;
use crate::session::{Outcome, Session};
use crate::write;

const EXAMPLES: &str = "\
Examples:
  sinew build-params main.bicepparam            writes main.json
  sinew build-params main.bicepparam --stdout   template and parameters
  sinew build-params --pattern 'environments/*.bicepparam' --outdir out
  sinew build-params prod.bicepparam --external-inputs azure
  sinew build-params prod.bicepparam --resolve --input region=westeurope

No output is written for a file with errors; other files are not affected. Exit
code 1 means that there are errors.";

/// Compile parameter files to JSON
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    inputs: InputArgs,

    #[command(flatten)]
    outputs: OutputArgs,

    /// Fail if the file is for another Bicep file
    #[arg(long, value_name = "FILE")]
    bicep_file: Option<Utf8PathBuf>,

    /// The format of external inputs
    #[arg(long, value_enum, ignore_case = true, value_name = "FORM")]
    external_inputs: Option<Form>,

    /// Resolve external inputs and evaluate expressions that depend on them
    #[arg(long)]
    resolve: bool,

    #[command(flatten)]
    answers: AnswerArgs,

    #[command(flatten)]
    compile: CompileArgs,

    /// The format of the report, on standard error
    #[arg(long, value_enum, ignore_case = true, value_name = "FORMAT", default_value_t)]
    diagnostics_format: DiagnosticsFormat,
}

/// The two ways to write external inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// Sinew's: `externalInputs` with `type` and `config`
    Seed,
    /// Azure's: `externalInputDefinitions` with `kind` and `config`
    Azure,
}

pub(crate) fn run(args: &Args, session: &Session) -> Outcome {
    let batch = Batch::find(Dialect::Params, &args.inputs, &args.outputs, session)?;
    if args.bicep_file.is_some() && args.inputs.has_pattern() {
        return Err(Failure::conflict("--bicep-file", "--pattern"));
    }
    let replaced = match batch.entries.as_slice() {
        [entry] => overrides::apply(entry, session)?.map(|text| (entry, text)),
        _ => None,
    };
    let replaced = replaced.as_ref().map(|(path, text)| Replaced { path, text });
    let how = How { compile: args.compile, diagnostics_format: args.diagnostics_format, replaced };
    let done = batch.run(how, session, |entry| {
        check_template(entry, args, session)?;
        if entry.is_sound { put(entry, args, session) } else { Ok(()) }
    })?;
    Ok(done.status)
}

/// Checks that a parameter file is for the Bicep file that was named. One that is for none may be for any.
fn check_template(entry: &Entry<'_>, args: &Args, session: &Session) -> Result<(), Failure> {
    let Entry { compilation, file, .. } = *entry;
    let program = compilation.program();
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
fn put(entry: &Entry<'_>, args: &Args, session: &Session) -> Result<(), Failure> {
    let Entry { compilation, file, input, .. } = *entry;
    let (program, emitter) = (compilation.program(), &compilation.emitter());
    let mut options =
        ParameterOptions { external_inputs: form(args, compilation), ..ParameterOptions::default() };
    let none = || Failure::not_a_parameter_file(&input.path);
    let evaluated = |options: &ParameterOptions| parameters(program, file, options).map(Arc::new);
    let is_known = options.external_inputs == compilation.options().external_inputs();
    let found = if is_known { compilation.parameters(file) } else { evaluated(&options) };
    let mut found = found.ok_or_else(none)?;
    if args.resolve {
        options.answers = resolve::answers(entry, &found, &args.answers, session)?;
        found = evaluated(&options).ok_or_else(none)?;
        resolve::check(entry, emitter, &found)?;
    }
    let parameters = found;
    let document = json::to_pretty(&parameters.document());
    if args.outputs.stdout {
        let whole = for_stdout(emitter, program, &parameters, &document)?;
        return session.output.data(&format!("{}\n", json::to_compact(&whole)));
    }
    let path = args.outputs.path_for(input);
    // The values of external inputs may be secrets.
    if args.resolve { write::write_private(&path, &document) } else { write::write(&path, &document) }
}

/// Parameters and template in one document, as the Azure CLI reads it.
fn for_stdout(
    emitter: &Emitter<'_>,
    program: &Program<'_>,
    parameters: &Parameters,
    document: &str,
) -> Result<Json, Failure> {
    let unit = parameters.template.map(|file| (file, program.unit(file)));
    let (template, spec) = match unit {
        Some((_, Unit::Template(template))) if template.template_spec.is_some() => {
            (None, template.template_spec.clone())
        }
        Some((file, _)) => (Some(json::to_pretty(&compile::template(emitter, file)?.template)), None),
        None => (None, None),
    };
    Ok(json!({ "parametersJson": document, "templateJson": template, "templateSpecId": spec }))
}

/// How external inputs are written: as asked, else as whoever the output is said to be made by does it.
fn form(args: &Args, compilation: &Compilation<'_>) -> ExternalInputForm {
    match args.external_inputs {
        Some(Form::Azure) => ExternalInputForm::Azure,
        Some(Form::Seed) => ExternalInputForm::Seed,
        None => compilation.options().external_inputs(),
    }
}
