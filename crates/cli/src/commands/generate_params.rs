//! `sinew generate-params`: a parameter file to start from.

use base::{FileReport, World as _};
use bicep_emit::parameters::{Included, Placeholder, placeholder_document, placeholder_text, placeholders};
use bicep_sema::Program;
use camino::{Utf8Path, Utf8PathBuf};
use clap::ValueEnum;

use crate::commands::format;
use crate::compile::{self, CompileArgs};
use crate::failure::Failure;
use crate::names::Name;
use crate::outputs::SingleOutput;
use crate::report::{self, DiagnosticsFormat};
use crate::session::{Outcome, Session, Status};
use crate::write;

const EXAMPLES: &str = "\
Examples:
  sinew generate-params main.bicep   writes main.parameters.json
  sinew generate-params main.bicep --output-format bicepparam
  sinew generate-params main.bicep --include-params all --stdout

An existing JSON file keeps the values of parameters that still exist.";

/// Create a parameter file for a Bicep file
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The Bicep file
    #[arg(value_name = "FILE")]
    file: Utf8PathBuf,

    #[command(flatten)]
    output: SingleOutput,

    /// The format of the file
    #[arg(long, value_enum, ignore_case = true, value_name = "FORM", default_value_t)]
    output_format: OutputFormat,

    /// Which parameters to include
    #[arg(long, value_enum, ignore_case = true, value_name = "WHICH", default_value_t)]
    include_params: IncludeParams,

    #[command(flatten)]
    compile: CompileArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum OutputFormat {
    /// A JSON parameters file
    #[default]
    Json,
    /// A .bicepparam file
    Bicepparam,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum IncludeParams {
    /// Those without a default
    #[default]
    #[value(name = "requiredonly")]
    RequiredOnly,
    /// All of them
    All,
}

pub(crate) fn run(args: &Args, session: &Session) -> Outcome {
    args.output.check()?;
    if args.file.extension() != Some("bicep") && !args.file.is_dir() {
        return Err(Failure::not_a_bicep_file(&args.file));
    }
    let entry = session.absolute(&args.file)?;
    let reports = compile::with_compilation(&entry, args.compile, session, |compilation| {
        let reports = compile::reports(compilation);
        if !reports.iter().any(FileReport::has_errors) {
            generate(compilation.program(), args, session)?;
        }
        Ok(reports)
    })?;
    report::write_beside_output(session, &reports, DiagnosticsFormat::Text)?;
    Ok(Status::from_findings(reports.iter().any(FileReport::has_errors)))
}

fn generate(program: &Program<'_>, args: &Args, session: &Session) -> Result<(), Failure> {
    let included = match args.include_params {
        IncludeParams::RequiredOnly => Included::Required,
        IncludeParams::All => Included::All,
    };
    let found = placeholders(program, compile::entry(program, &args.file)?, included);
    let extension = match args.output_format {
        OutputFormat::Json => "parameters.json",
        OutputFormat::Bicepparam => "bicepparam",
    };
    let target = args.output.path_for(&args.file, extension);
    let text = match args.output_format {
        OutputFormat::Json => in_json(&found, target.as_deref(), session),
        OutputFormat::Bicepparam => in_the_language(&found, args, session)?,
    };
    match target {
        Some(target) => write::write(&target, &text),
        None => session.output.data(&format!("{}\n", text.trim_end())),
    }
}

/// What cannot be read as JSON is replaced as a whole.
fn in_json(found: &[Placeholder], target: Option<&Utf8Path>, session: &Session) -> String {
    let existing = target.and_then(|target| session.world.read_source(target).ok());
    let existing = existing.map(|file| json::parse(file.text(), json::Options::lenient()));
    let existing = existing.filter(|parsed| parsed.diagnostics.is_empty());
    let existing = existing.and_then(|parsed| parsed.root.map(|root| root.to_value()));
    json::to_pretty(&placeholder_document(found, existing.as_ref()))
}

fn in_the_language(found: &[Placeholder], args: &Args, session: &Session) -> Result<String, Failure> {
    let name = args.file.file_name().unwrap_or_default();
    let text = placeholder_text(found, &format!("./{name}"));
    let text = format::laid_out(&text, &args.file.with_extension("bicepparam"), session)?;
    // The other program writes one more line end.
    Ok(if session.name == Name::Bicep { format!("{text}\n") } else { text })
}
