//! `sinew state`: what is kept of deployments and resources.

use deploy::{ArmError, DeploymentId, Engine, Options};
use serde_json::{Value as Json, json};

use crate::deployment::drive;
use crate::deployment::target::StateArgs;
use crate::failure::Failure;
use crate::session::{Outcome, Session, Status};

const EXAMPLES: &str = "\
Examples:
  sinew state list
  sinew state show main   a deployment by its name, or anything by its id:
  sinew state show \\
      /subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/local
  sinew state export --state try.db > state.json";

/// Inspect stored deployments and resources
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// List deployments, groups and resources
    List {
        #[command(flatten)]
        state: StateArgs,
    },
    /// Print a deployment, group or resource as JSON
    Show {
        /// An id, or the name of a deployment
        #[arg(value_name = "ID|NAME")]
        id: String,
        #[command(flatten)]
        state: StateArgs,
    },
    /// Print everything as JSON
    Export {
        #[command(flatten)]
        state: StateArgs,
    },
}

pub(crate) fn run(args: &Args, session: &Session) -> Outcome {
    let (Action::List { state } | Action::Show { state, .. } | Action::Export { state }) = &args.action;
    // Whoever looks does not work.
    let options = Options { store: state.location(session)?, workers: 0, ..Options::default() };
    drive(async {
        let engine = Engine::open(options).await.map_err(|error| Failure::deployment(&error))?;
        let text = match &args.action {
            Action::List { .. } => list(&engine).await,
            Action::Show { id, .. } => show(&engine, id).await,
            Action::Export { .. } => export(&engine).await,
        };
        engine.shutdown().await;
        session.output.data(&text.map_err(|error| Failure::deployment(&error))?)?;
        Ok(Status::Clean)
    })
}

/// More deployments than these are not listed.
const MOST: usize = 10_000;

async fn list(engine: &Engine) -> Result<String, ArmError> {
    let mut text = String::new();
    let mut line = |kind: &str, state: &str, id: &str| {
        text.push_str(&format!("{kind:<10} {state:<9} {id}\n"));
    };
    for deployment in engine.list_all(MOST).await? {
        let state = deployment.pointer("/properties/provisioningState").and_then(Json::as_str);
        line("deployment", state.unwrap_or_default(), text_of(&deployment, "id"));
    }
    for resource in engine.export_resources().await? {
        let is_group = text_of(&resource, "type").eq_ignore_ascii_case("Microsoft.Resources/resourceGroups");
        line(if is_group { "group" } else { "resource" }, "", text_of(&resource, "id"));
    }
    Ok(text)
}

async fn show(engine: &Engine, id: &str) -> Result<String, ArmError> {
    let document = if let Some(deployment) = DeploymentId::parse(id) {
        engine.get(&deployment).await?
    } else if id.starts_with('/') {
        engine.get_resource(id, "").await?
    } else {
        let all = engine.list_all(MOST).await?;
        let named = all.into_iter().find(|deployment| text_of(deployment, "name").eq_ignore_ascii_case(id));
        named.ok_or_else(|| {
            ArmError::new("DeploymentNotFound", format!("There is no deployment '{id}'.")).with_status(404)
        })?
    };
    Ok(format!("{}\n", json::to_pretty(&document)))
}

async fn export(engine: &Engine) -> Result<String, ArmError> {
    let whole =
        json!({ "resources": engine.export_resources().await?, "deployments": engine.list_all(MOST).await? });
    Ok(format!("{}\n", json::to_pretty(&whole)))
}

fn text_of<'j>(document: &'j Json, name: &str) -> &'j str {
    document.get(name).and_then(Json::as_str).unwrap_or_default()
}
