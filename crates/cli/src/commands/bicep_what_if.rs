//! `bicep what-if`: what deploying a parameter file would change.

use crate::azure::client::Client;
use crate::azure::{self, ParameterFileArgs};
use crate::change_report;
use crate::commands::bicep_deploy::until_interrupted;
use crate::deployment;
use crate::failure::Failure;
use crate::session::{Outcome, Session, Status};

const EXAMPLES: &str = "\
Examples:
  bicep what-if main.bicepparam
  bicep what-if main.bicepparam --arg-resource-group web

The parameter file says how and where, as for `bicep deploy`. Nothing is
deployed.";

/// Say what deploying a parameter file would change
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    input: ParameterFileArgs,
}

pub(crate) fn run(args: &Args, session: &Session) -> Outcome {
    let Some(prepared) = azure::prepare(&args.input, session)? else { return Ok(Status::Findings) };
    if prepared.settings.stack.is_some() {
        return Err(Failure::what_if_of_stack(args.input.path()));
    }
    let changes = deployment::drive(until_interrupted(async {
        let client = Client::connect(&prepared, session).await?;
        client.what_if().await.map_err(|error| Failure::deployment(&error))
    }))?;
    let Some(changes) = changes else { return Ok(Status::Findings) };
    session.output.data(&change_report::render(&changes))?;
    Ok(Status::Clean)
}
