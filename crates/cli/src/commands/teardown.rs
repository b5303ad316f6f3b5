//! `teardown`: removes the stack that a parameter file has deployed.

use std::time::Instant;

use crate::azure::client::Client;
use crate::azure::view::operation_table;
use crate::azure::{self, ParameterFileArgs};
use crate::commands::bicep_deploy::until_interrupted;
use crate::deployment;
use crate::session::{Outcome, Session, Status};

const EXAMPLES: &str = "\
Examples:
  sinew teardown main.bicepparam
  sinew teardown main.bicepparam --arg resource-group=web
  bicep teardown main.bicepparam --arg-resource-group web

The parameter file names the stack (`using 'main.bicep' with { mode: 'stack',
scope: '…' }`); `actionOnUnmanage` decides whether its resources are deleted or
detached. Exit code 0 means that the stack is deleted.";

/// Delete the stack that a parameter file deployed
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    input: ParameterFileArgs,
}

pub(crate) fn run(args: &Args, session: &Session) -> Outcome {
    let Some(prepared) = azure::prepare(&args.input, session)? else { return Ok(Status::Findings) };
    let start = Instant::now();
    let done = deployment::drive(until_interrupted(async {
        Ok(match Client::connect(&prepared, session).await {
            Ok(client) => client.teardown().await,
            Err(failure) => Err(failure.to_string()),
        })
    }))?;
    let Some(done) = done else { return Ok(Status::Findings) };
    let status = done.as_ref().err().map_or("Succeeded", String::as_str);
    session.output.data(&operation_table("Teardown", start.elapsed(), status))?;
    Ok(Status::from_findings(done.is_err()))
}
