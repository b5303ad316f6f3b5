//! What happens when a deployment with `onErrorDeployment` fails: an earlier one is made again.

use std::sync::Arc;

use super::Inner;
use super::deployments::{Accepted, accept};
use super::workers::group_document;
use crate::error::ArmError;
use crate::job::{Job, OnError};
use crate::messages;
use crate::plan::{Surroundings, plan_again};
use crate::scope::DeploymentId;
use crate::state::State;
use crate::store::DeploymentRow;

/// Makes an earlier deployment again. A failure to do so is logged: the deployment has failed already.
pub(super) async fn roll_back(inner: &Arc<Inner>, failed: &DeploymentId, on_error: &OnError) {
    match begin(inner, failed, on_error).await {
        Ok(id) => tracing::info!(deployment = %failed, again = %id, "earlier deployment made again"),
        Err(error) => tracing::warn!(deployment = %failed, %error, "no earlier deployment made again"),
    }
}

async fn begin(
    inner: &Arc<Inner>,
    failed: &DeploymentId,
    on_error: &OnError,
) -> Result<DeploymentId, ArmError> {
    let row = earlier(inner, failed, on_error).await?;
    let old = Job::read(&row.job)?;
    let id = DeploymentId::parse(&row.id).ok_or_else(|| messages::bad_resource_id(&row.id))?;
    // The earlier deployment runs under its own name, once: its own failure does not start another.
    let job = Job { on_error: None, rollback_of: Some(failed.to_string()), ..old };
    let group = group_document(inner, &id.scope).await?;
    let surroundings = Surroundings::new(&inner.options, group, job.now, job.seed.clone());
    let again = id.clone();
    let template = row.template.clone();
    let plan = tokio::task::spawn_blocking(move || plan_again(again, job, &template, &surroundings)).await;
    accept(inner, plan.unwrap_or_else(|_| Err(messages::canceled()))?).await?;
    Ok(id)
}

/// Makes a deployment again with its own template and parameters. Secrets are not kept: with any, it has to be sent again.
pub(super) async fn repeat(inner: &Arc<Inner>, id: &DeploymentId) -> Result<Accepted, ArmError> {
    let row = inner.store.whole_deployment(&id.key()).await?;
    let row = row.ok_or_else(|| messages::deployment_not_found(id))?;
    let mut job = Job::read(&row.job)?;
    let lost = job.parameters.iter().find(|(_, parameter)| parameter.get("value").is_none());
    if let Some((name, _)) = lost.or_else(|| job.configs.iter().next()) {
        return Err(messages::repeat_needs_secret(name));
    }
    job.now = crate::clock::now() / 1000;
    job.rollback_of = None;
    let group = group_document(inner, &id.scope).await?;
    let surroundings = Surroundings::new(&inner.options, group, job.now, job.seed.clone());
    let again = id.clone();
    let plan =
        tokio::task::spawn_blocking(move || plan_again(again, job, &row.template, &surroundings)).await;
    let plan = plan.unwrap_or_else(|_| Err(messages::canceled()))?;
    let accepting = Arc::clone(inner);
    let accepted = tokio::spawn(async move { accept(&accepting, plan).await }).await;
    accepted.unwrap_or_else(|_| Err(messages::canceled()))
}

async fn earlier(
    inner: &Inner,
    failed: &DeploymentId,
    on_error: &OnError,
) -> Result<DeploymentRow, ArmError> {
    let store = &inner.store;
    let key = match on_error {
        OnError::Specific { deployment_name } => {
            DeploymentId::new(failed.scope.clone(), deployment_name).key()
        }
        OnError::LastSuccessful => {
            let last = store.last_success(&failed.scope.key()).await?;
            last.ok_or_else(|| messages::deployment_not_found(failed))?
        }
    };
    let row = store.whole_deployment(&key).await?;
    row.filter(|row| row.state == State::Succeeded).ok_or_else(|| messages::deployment_not_found(failed))
}
