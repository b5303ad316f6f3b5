//! `sinew restore`: fetches the modules and extensions that Bicep files refer to.

use base::FileReport;
use bicep_sema::{Program, Setup};
use camino::Utf8PathBuf;
use project::artifacts::{Demand, by_store};

use crate::artifacts::{self, ArtifactArgs, RestoreOptions};
use crate::failure::Failure;
use crate::inputs::{self, InputArgs};
use crate::report::{self, DiagnosticsFormat};
use crate::session::{Outcome, Session, Status};

const EXAMPLES: &str = "\
Examples:
  sinew restore main.bicep
  sinew restore --pattern 'modules/**/*.bicep'
  sinew restore --force .    download again and resolve tags
  sinew restore --locked .   for CI: exactly the lock file

Digests are recorded in `sinew.lock.json`, next to the nearest
`bicepconfig.json`.";

/// Download the modules and extensions that Bicep files refer to
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    inputs: InputArgs,

    #[command(flatten)]
    artifacts: ArtifactArgs,

    /// Download everything again and update the lock file
    #[arg(long, conflicts_with_all = ["locked", "offline"])]
    force: bool,

    /// The format of the report: text on standard error, others on standard output
    #[arg(long, value_enum, ignore_case = true, value_name = "FORMAT", default_value_t)]
    diagnostics_format: DiagnosticsFormat,
}

pub(crate) fn run(args: &Args, session: &Session) -> Outcome {
    let inputs = args.inputs.resolve()?;
    inputs::warn_if_none(&inputs, session)?;
    let mut entries = Vec::new();
    for input in &inputs {
        entries.push(session.absolute(&input.path)?);
    }
    let reports = restored(&entries, args, session)?;
    report::write(session, &reports, args.diagnostics_format)?;
    Ok(Status::from_findings(reports.iter().any(FileReport::has_errors)))
}

/// Fetches what some files and the files they refer to want. What could not be had is reported, and what is wrong with
/// configuration files.
fn restored(entries: &[Utf8PathBuf], args: &Args, session: &Session) -> Result<Vec<FileReport>, Failure> {
    let configs = config::Loader::new(&session.world);
    let stores = by_store(entries, &configs, &session.world).ok_or_else(Failure::no_home)?;
    let mut reports = configs.reports();
    for (store, entries) in stores {
        let world = artifacts::world_of(&store, args.artifacts)?;
        let program = Program::load(Setup::new(&world), &entries);
        if let Some((path, Err(error))) = program.entries().iter().find(|(_, loaded)| loaded.is_err()) {
            return Err(Failure::unreadable(path, error));
        }
        let how = RestoreOptions { artifacts: args.artifacts, force: args.force };
        reports
            .append(&mut artifacts::restore(&Demand::of(&program, &entries), &store, how, session)?.reports);
    }
    Ok(reports)
}
