//! `sinew deploy`: deploys files on this machine, or to a server.

use deploy::ArmError;
use serde_json::{Value as Json, json};

use crate::deployment::target::DeploymentTarget;
use crate::deployment::{self, DeploymentArgs, Prepared, errors, progress};
use crate::failure::Failure;
use crate::report::Reporter;
use crate::session::{Outcome, Session, Status};

const EXAMPLES: &str = "\
Examples:
  sinew deploy main.bicep
  sinew deploy prod.bicepparam --input region=westeurope
  sinew deploy main.json --parameters values.json --parameters count=3
  sinew deploy main.bicep --state try.db -g test
  sinew deploy main.bicep --endpoint http://127.0.0.1:8080

Resources are stored as documents; nothing is deployed to Azure. Outputs go to
standard output as JSON, progress and errors to standard error. Ctrl-C cancels
the deployment. Exit code 1 means that the deployment failed.";

/// Deploy locally, or to a server
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    deployment: DeploymentArgs,
}

pub(crate) fn run(args: &Args, session: &Session) -> Outcome {
    let args = &args.deployment;
    let reporter = Reporter::new(session, args.diagnostics_format);
    let outcome = work(args, &reporter, session);
    reporter.finish(outcome)
}

fn work(args: &DeploymentArgs, reporter: &Reporter<'_>, session: &Session) -> Outcome {
    let Some(prepared) = deployment::prepare(args, reporter, session)? else { return Ok(Status::Findings) };
    deployment::drive(async {
        let target = DeploymentTarget::open(&args.target, &prepared.source, session).await?;
        let result = deploy(&target, &prepared, session).await;
        target.close().await;
        match result? {
            Ok(outputs) => {
                session.output.data(&format!("{}\n", json::to_pretty(&outputs)))?;
                Ok(Status::Clean)
            }
            Err(error) => {
                reporter.tell(errors::reports(&error, &prepared.source))?;
                Ok(Status::Findings)
            }
        }
    })
}

/// Starts a deployment and follows it to its end: its outputs, or what is wrong.
async fn deploy(
    target: &DeploymentTarget,
    prepared: &Prepared,
    session: &Session,
) -> Result<Result<Json, ArmError>, Failure> {
    if let Err(error) = target.prepare(prepared).await {
        return Ok(Err(error));
    }
    let accepted = match target.put(prepared).await {
        Ok(accepted) => accepted,
        Err(error) => return Ok(Err(error)),
    };
    let open = accepted.pointer("/properties/diagnostics").and_then(Json::as_array).map_or(0, Vec::len);
    if open > 0 {
        let checks = if open == 1 { "check is" } else { "checks are" };
        session.output.talk(&format!("{open} {checks} undetermined until the values are known\n"))?;
    }
    let deployment = progress::watch(target, &prepared.place.id, session).await?;
    Ok(match deployment.pointer("/properties/error") {
        Some(error) => Err(ArmError::from_json(error)),
        None => Ok(deployment.pointer("/properties/outputs").cloned().unwrap_or_else(|| json!({}))),
    })
}
