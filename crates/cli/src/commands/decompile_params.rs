//! `sinew decompile-params`: parameters files in JSON as parameter files of the language.

use base::{FileReport, World as _};
use bicep_emit::parameters::decompile_parameters;
use camino::{Utf8Path, Utf8PathBuf};

use crate::commands::decompile::DISCLAIMER;
use crate::commands::format;
use crate::failure::Failure;
use crate::outputs::SingleOutput;
use crate::report::{self, DiagnosticsFormat};
use crate::session::{Outcome, Session, Status};
use crate::write;

const EXAMPLES: &str = "\
Examples:
  sinew decompile-params main.parameters.json
  sinew decompile-params main.parameters.json --bicep-file main.bicep \\
      --outfile dev.bicepparam
  sinew decompile-params main.parameters.json --stdout";

/// Convert a JSON parameters file to .bicepparam
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The JSON parameters file
    #[arg(value_name = "FILE")]
    file: Utf8PathBuf,

    #[command(flatten)]
    output: SingleOutput,

    /// Overwrite an existing file
    #[arg(long)]
    force: bool,

    /// The Bicep file of the parameters
    #[arg(long, value_name = "FILE")]
    bicep_file: Option<Utf8PathBuf>,
}

pub(crate) fn run(args: &Args, session: &Session) -> Outcome {
    args.output.check()?;
    session.output.warning(DISCLAIMER)?;
    let target = args.output.path_for(&args.file, "bicepparam");
    if let Some(target) = target.as_deref().filter(|target| target.exists() && !args.force) {
        return Err(Failure::exists_without_force(target));
    }
    let source =
        session.world.read_source(&args.file).map_err(|error| Failure::unreadable(&args.file, &error))?;
    let parsed = json::parse(source.text(), json::Options::lenient());
    let mut diagnostics = parsed.diagnostics;
    let place = target.clone().unwrap_or_else(|| args.file.with_extension("bicepparam"));
    let template = args.bicep_file.as_deref().map(|file| path_from(&place, file, session)).transpose()?;
    let text = parsed.root.map(|root| {
        let (text, problems) = decompile_parameters(&root, template.as_deref());
        diagnostics.extend(problems);
        text
    });
    let report = FileReport::new(source, diagnostics);
    let has_errors = report.has_errors();
    report::write_beside_output(session, &[report], DiagnosticsFormat::Text)?;
    if let Some(text) = text.filter(|_| !has_errors) {
        let text = format::laid_out(&text, &place, session)?;
        match target {
            Some(target) => write::write(&target, &text)?,
            None => session.output.data(&text)?,
        }
    }
    Ok(Status::from_findings(has_errors))
}

/// The path of a file as one beside `place` writes it.
fn path_from(place: &Utf8Path, file: &Utf8Path, session: &Session) -> Result<String, Failure> {
    let place = session.absolute(place)?;
    Ok(config::paths::relative(place.parent().unwrap_or(Utf8Path::new("/")), &session.absolute(file)?))
}
