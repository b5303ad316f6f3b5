//! `sinew snapshot`: what a parameter file would deploy, written to a file or compared with one.

mod difference;

use arm::Template;
use arm::difference::{Exact, ResourceChange, resource_changes};
use base::{FileReport, World as _};
use camino::{Utf8Path, Utf8PathBuf};
use clap::ValueEnum;
use project::Compilation;
use serde_json::Value as Json;

use crate::change_report;
use crate::compile::{self, CompileArgs};
use crate::evaluation::destination::DestinationArgs;
use crate::evaluation::faults::{self, Origin};
use crate::evaluation::input::{self, Given};
use crate::evaluation::{Checked, budget};
use crate::external_inputs::{AnswerArgs, Resolver};
use crate::failure::Failure;
use crate::names::Name;
use crate::report::{DiagnosticsFormat, Reporter};
use crate::session::{Outcome, Session, Status};
use crate::write;

pub(crate) use difference::property_line;

const EXAMPLES: &str = "\
Examples:
  sinew snapshot main.bicepparam                   writes main.snapshot.json
  sinew snapshot main.bicepparam --mode validate   shows what changed
  sinew snapshot main.bicepparam \\
      --subscription-id 00000000-0000-0000-0000-000000000000 --resource-group rg

Values known only to a deployment stay expressions, and so do external inputs
without `--input`.";

/// Record what a parameter file would deploy, or compare with the record
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

    /// The format of the report, on standard error
    #[arg(long, value_enum, ignore_case = true, value_name = "FORMAT", default_value_t)]
    diagnostics_format: DiagnosticsFormat,
}

/// What to do with a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum Mode {
    /// Write the snapshot next to the parameter file
    #[default]
    Overwrite,
    /// Compare with the existing snapshot
    Validate,
}

pub(crate) fn run(args: &Args, session: &Session) -> Outcome {
    if !args.file.extension().is_some_and(|it| it.eq_ignore_ascii_case("bicepparam")) {
        return Err(Failure::needs_parameter_file(&args.file));
    }
    let reporter = Reporter::new(session, args.diagnostics_format);
    let outcome = work(args, &reporter, session);
    reporter.finish(outcome)
}

fn work(args: &Args, reporter: &Reporter<'_>, session: &Session) -> Outcome {
    let Some(snapshot) = take(args, reporter, session)? else { return Ok(Status::Findings) };
    let path = args.file.with_extension("snapshot.json");
    match args.mode {
        Mode::Overwrite => write::write(&path, &json::to_pretty(&snapshot)).map(|()| Status::Clean),
        Mode::Validate => validate(&snapshot, &path, session),
    }
}

/// Predicts the deployment; nothing when something is wrong, which is reported.
fn take(args: &Args, reporter: &Reporter<'_>, session: &Session) -> Result<Option<Json>, Failure> {
    let predicted =
        compile::with_compilation(&session.absolute(&args.file)?, args.compile, session, |compilation| {
            let mut given = match input::of_compilation(compilation, &args.file)? {
                Ok(given) => given,
                Err(reports) => return Ok(Err(reports)),
            };
            let resolver = Resolver::new(&args.answers, session)?;
            resolver.supply(&mut given.inputs);
            resolver.check_all_used()?;
            reporter.tell(std::mem::take(&mut given.warnings))?;
            predict(args, compilation, given)
        })?;
    let (snapshot, undetermined) = match predicted {
        Ok(predicted) => predicted,
        Err(reports) => return reporter.tell(reports).map(|()| None),
    };
    // The Bicep CLI does not say what it could not check.
    if session.name != Name::Bicep && !undetermined.is_empty() {
        reporter.tell(undetermined)?;
    }
    let said = snapshot.get("diagnostics").and_then(Json::as_array);
    for text in said.into_iter().flatten().filter_map(Json::as_str) {
        session.output.warning(text)?;
    }
    Ok(Some(snapshot))
}

/// The snapshot of a template with the checks that could not be made, or what is wrong with it.
fn predict(
    args: &Args,
    compilation: &Compilation<'_>,
    given: Given,
) -> Result<Checked<(Json, Vec<FileReport>)>, Failure> {
    let emitted = compilation.template(given.template);
    let file = compilation.program().unit(given.template).source();
    if emitted.is_cut {
        return Ok(Err(vec![compile::too_large(file)]));
    }
    let origin = Origin { given: given.given, ..Origin::compiled(file, &emitted.source_map) };
    let (model, errors) = Template::of(&emitted.document);
    if !errors.is_empty() {
        return Ok(Err(faults::reports(errors, &origin)));
    }
    args.place.check(model.scope)?;
    let predicted = arm::snapshot(&model, &given.inputs, &args.place.context(), &budget());
    Ok(match predicted {
        Ok(snapshot) => Ok((snapshot.document, faults::undetermined(&snapshot.open, &origin))),
        Err(errors) => Err(faults::reports(errors, &origin)),
    })
}

fn validate(snapshot: &Json, path: &Utf8Path, session: &Session) -> Outcome {
    let file = session.world.read_source(path).map_err(|error| Failure::unreadable(path, &error))?;
    let written: Json = serde_json::from_str(file.text()).map_err(|_| Failure::not_a_snapshot(path))?;
    if !written.is_object() {
        return Err(Failure::not_a_snapshot(path));
    }
    let text = if session.name == Name::Bicep {
        // The Bicep CLI compares resources only, and shows them as `what-if` does.
        let changes = resource_changes(&written, snapshot, &Exact);
        change_report::render(&changes.into_iter().map(ResourceChange::into_json).collect::<Vec<_>>())
    } else {
        difference::describe(&written, snapshot)
    };
    if text.is_empty() {
        return Ok(Status::Clean);
    }
    session.output.warning("the snapshot is not what would be deployed now")?;
    session.output.data(&text)?;
    Ok(Status::Findings)
}
