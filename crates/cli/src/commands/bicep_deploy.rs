//! `bicep deploy`: deploys a parameter file as it says itself.

use std::io::{IsTerminal as _, stderr};

use indicatif::ProgressBar;

use crate::azure::client::Client;
use crate::azure::view::{ResultFormat, RunResult, is_terminal};
use crate::azure::{self, ParameterFileArgs};
use crate::deployment;
use crate::failure::Failure;
use crate::session::{Outcome, Session, Status};

const EXAMPLES: &str = "\
Examples:
  bicep deploy main.bicepparam
  bicep deploy main.bicepparam --arg-resource-group web --format json

The parameter file says how and where: `using 'main.bicep' with { mode:
'deployment', scope: '…' }`, or `mode: 'stack'`. It needs the experimental
feature `deployCommands`. `--arg-NAME VALUE` gives what `readCliArg('NAME')`
asks for, `readEnvVar` reads the environment. The resource manager is that of
the cloud profile in bicepconfig.json; a server of `sinew serve` on this machine
is one too. Exit code 0 says that everything was deployed.";

/// Deploy a parameter file as it says itself
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    input: ParameterFileArgs,

    /// The format of the result
    #[arg(long, value_enum, ignore_case = true, value_name = "FORMAT", default_value_t)]
    format: ResultFormat,
}

pub(crate) fn run(args: &Args, session: &Session) -> Outcome {
    let Some(prepared) = azure::prepare(&args.input, session)? else { return Ok(Status::Findings) };
    let result = deployment::drive(until_interrupted(async {
        let client = match Client::connect(&prepared, session).await {
            Ok(client) => client,
            Err(failure) => return Ok(RunResult::failed(failure.to_string())),
        };
        let bar = Progress::new();
        let result = client.deploy(|result| bar.show(result)).await;
        bar.end();
        Ok(result)
    }))?;
    finish(result, args.format, session)
}

/// Writes a result and says how it went; nothing is written of a run that was interrupted.
pub(crate) fn finish(result: Option<RunResult>, format: ResultFormat, session: &Session) -> Outcome {
    let Some(result) = result else { return Ok(Status::Findings) };
    session.output.data(&result.render(format))?;
    Ok(Status::from_findings(!result.is_success()))
}

/// Does something until it is done or somebody interrupts it, which gives nothing.
pub(crate) async fn until_interrupted<T>(
    work: impl Future<Output = Result<T, Failure>>,
) -> Result<Option<T>, Failure> {
    tokio::select! {
        done = work => done.map(Some),
        _ = tokio::signal::ctrl_c() => Ok(None),
    }
}

/// A line about a deployment, where somebody can see it.
pub(crate) struct Progress(Option<ProgressBar>);

impl Progress {
    pub(crate) fn new() -> Self {
        Self(stderr().is_terminal().then(ProgressBar::new_spinner))
    }

    pub(crate) fn show(&self, result: &RunResult) {
        let (Some(bar), Some(deployment)) = (&self.0, &result.deployment) else { return };
        let done = deployment.operations.iter().filter(|operation| is_terminal(operation.state())).count();
        bar.set_message(format!("{done} of {} resources: {}", deployment.operations.len(), deployment.state));
        bar.tick();
    }

    pub(crate) fn end(&self) {
        self.0.iter().for_each(ProgressBar::finish_and_clear);
    }
}
