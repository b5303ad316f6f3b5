//! `sinew snapshot`: what a parameter file would deploy, written to a file or compared with one.

mod difference;

use arm::expand::Missing;
use base::World as _;
use camino::{Utf8Path, Utf8PathBuf};
use clap::ValueEnum;
use serde_json::Value as Json;

use crate::compile::CompileArgs;
use crate::evaluation::destination::DestinationArgs;
use crate::evaluation::workbench::Workbench;
use crate::external_inputs::{AnswerArgs, Resolver};
use crate::failure::Failure;
use crate::names::Name;
use crate::report::{self, DiagnosticsFormat};
use crate::session::{Outcome, Session, Status};
use crate::write;

use difference::Sections;
pub(crate) use difference::property_line;

const EXAMPLES: &str = "\
Examples:
  sinew snapshot main.bicepparam                   writes main.snapshot.json
  sinew snapshot main.bicepparam --mode validate   says what has changed since
  sinew snapshot main.bicepparam \\
      --subscription-id 00000000-0000-0000-0000-000000000000 --resource-group rg

What only a deployment can know stays an expression, and so does an external
input without `--input`.";

/// Write down what a parameter file would deploy, or compare it with what was written
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The parameter file
    #[arg(value_name = "FILE.bicepparam")]
    file: Utf8PathBuf,

    /// What to do
    #[arg(long, value_enum, ignore_case = true, value_name = "MODE", default_value_t)]
    mode: Mode,

    #[command(flatten)]
    answers: AnswerArgs,

    #[command(flatten)]
    place: DestinationArgs,

    #[command(flatten)]
    compile: CompileArgs,

    /// The form of the report, which goes to standard error
    #[arg(long, value_enum, ignore_case = true, value_name = "FORMAT", default_value_t)]
    diagnostics_format: DiagnosticsFormat,
}

/// What to do with a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum Mode {
    /// Write it beside the parameter file
    #[default]
    Overwrite,
    /// Compare it with the one beside the parameter file
    Validate,
}

pub(crate) fn run(args: &Args, session: &Session) -> Outcome {
    if !args.file.extension().is_some_and(|it| it.eq_ignore_ascii_case("bicepparam")) {
        return Err(Failure::needs_parameter_file(&args.file));
    }
    let Some(snapshot) = take(args, session)? else { return Ok(Status::Findings) };
    let path = args.file.with_extension("snapshot.json");
    match args.mode {
        Mode::Overwrite => write::write(&path, &json::to_pretty(&snapshot)).map(|()| Status::Clean),
        Mode::Validate => validate(&snapshot, &path, session),
    }
}

/// Predicts the deployment; nothing when something is wrong, which is reported.
fn take(args: &Args, session: &Session) -> Result<Option<Json>, Failure> {
    let reported = |reports: &[_]| report::write_beside_output(session, reports, args.diagnostics_format);
    let context = args.place.context();
    let mut workbench = match Workbench::of_parameters(&args.file, args.compile, context, session)? {
        Ok(workbench) => workbench,
        Err(reports) => return reported(&reports).map(|()| None),
    };
    let resolver = Resolver::new(&args.answers, session)?;
    workbench.answer(&resolver);
    resolver.check_all_used()?;
    reported(workbench.warnings())?;
    let expansion = match workbench.expand(Missing::Error)? {
        Ok(expansion) => expansion,
        Err(reports) => return reported(&reports).map(|()| None),
    };
    args.place.check(expansion.scope)?;
    let snapshot = arm::prediction(&expansion);
    let said = snapshot.get("diagnostics").and_then(Json::as_array);
    for text in said.into_iter().flatten().filter_map(Json::as_str) {
        session.output.warning(text)?;
    }
    Ok(Some(snapshot))
}

fn validate(snapshot: &Json, path: &Utf8Path, session: &Session) -> Outcome {
    let file = session.world.read_source(path).map_err(|error| Failure::unreadable(path, &error))?;
    let written: Json = serde_json::from_str(file.text()).map_err(|_| Failure::not_a_snapshot(path))?;
    if !written.is_object() {
        return Err(Failure::not_a_snapshot(path));
    }
    // The Bicep CLI compares resources only.
    let sections = if session.name == Name::Bicep { Sections::Resources } else { Sections::All };
    let text = difference::describe(&written, snapshot, sections);
    if text.is_empty() {
        return Ok(Status::Clean);
    }
    session.output.warning("the snapshot is not what would be deployed now")?;
    session.output.data(&text)?;
    Ok(Status::Findings)
}
