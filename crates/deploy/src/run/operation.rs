//! Operations: recorded when they begin and when they end.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicI64, Ordering};

use arm::expand::Planned;
use serde_json::Value as Json;
use uuid::Uuid;

use super::active_deployment::subject_of;
use super::{ActiveDeployment, DeploymentRun};
use crate::clock;
use crate::document::{Operation, OperationTarget};
use crate::engine::Event;
use crate::error::ArmError;
use crate::messages;
use crate::state::State;
use crate::store::{OperationRecord, OperationRow, StoreError, until_available};

/// Records the operations of one deployment.
pub(super) struct OperationRecorder<'r> {
    run: &'r DeploymentRun,
    unit: &'r ActiveDeployment,
    deployment: String,
    /// What was done before the run was interrupted, by subject.
    before: HashMap<String, Json>,
    /// What had begun by then.
    interrupted: HashSet<String>,
    next: AtomicI64,
}

/// An operation that has begun.
pub(super) struct BegunOperation {
    subject: String,
    operation_id: String,
    position: i64,
    kind: &'static str,
    pub target: Option<OperationTarget>,
    started: i64,
}

/// How an operation is.
struct OperationProgress<'p> {
    state: State,
    status_code: Option<&'p str>,
    error: Option<&'p ArmError>,
}

impl<'p> OperationProgress<'p> {
    const RUNNING: Self = Self { state: State::Running, status_code: None, error: None };

    fn succeeded(code: &'p str) -> Self {
        Self { state: State::Succeeded, status_code: Some(code), error: None }
    }

    fn failed(error: &'p ArmError) -> Self {
        Self { state: State::Failed, status_code: Some(status_name(error.status)), error: Some(error) }
    }
}

impl<'r> OperationRecorder<'r> {
    pub async fn new(run: &'r DeploymentRun, unit: &'r ActiveDeployment) -> Result<Self, StoreError> {
        let rows = match unit.is_resumed {
            true => until_available!(run.inner.store.operations(&unit.key))?,
            false => Vec::new(),
        };
        let next = rows.iter().map(|row| row.position + 1).max().unwrap_or(0);
        let mut recorder = Self {
            run,
            unit,
            deployment: unit.id.to_string(),
            before: HashMap::new(),
            interrupted: HashSet::new(),
            next: AtomicI64::new(next),
        };
        for row in rows {
            match row.state {
                State::Succeeded => {
                    recorder.before.insert(row.subject, crate::stored::json(&row.document));
                }
                State::Running => {
                    recorder.interrupted.insert(row.subject);
                }
                _ => {}
            }
        }
        Ok(recorder)
    }

    /// The operation that was done before the run was interrupted.
    pub fn before(&self, subject: &str) -> Option<&Json> {
        self.before.get(subject)
    }

    /// Whether the operation had begun when the run was interrupted: its progress is unknown.
    pub fn was_interrupted(&self, subject: &str) -> bool {
        self.interrupted.contains(subject)
    }

    /// Records that an operation begins.
    pub async fn begin(
        &self,
        subject: &str,
        kind: &'static str,
        target: Option<OperationTarget>,
    ) -> Result<BegunOperation, StoreError> {
        let begun = self.make(subject, kind, target);
        self.write(&begun, &OperationProgress::RUNNING).await?;
        Ok(begun)
    }

    /// Begins an operation that is over with the transaction that records it: it needs no record of its beginning.
    pub fn begin_step(&self, subject: &str, kind: &'static str, target: OperationTarget) -> BegunOperation {
        let begun = self.make(subject, kind, Some(target));
        self.tell(&begun, State::Running, None);
        begun
    }

    fn make(&self, subject: &str, kind: &'static str, target: Option<OperationTarget>) -> BegunOperation {
        let name = format!("{}\n{kind}\n{subject}", self.unit.run);
        BegunOperation {
            subject: subject.to_owned(),
            operation_id: Uuid::new_v5(&Uuid::NAMESPACE_OID, name.as_bytes())
                .simple()
                .to_string()
                .to_uppercase(),
            position: self.next.fetch_add(1, Ordering::Relaxed),
            kind,
            target,
            started: clock::now(),
        }
    }

    /// Records that an operation succeeded.
    pub async fn succeed(&self, begun: &BegunOperation, status_code: &str) -> Result<(), StoreError> {
        self.write(begun, &OperationProgress::succeeded(status_code)).await
    }

    /// The record of an operation that succeeds together with what it is written with.
    pub fn success(&self, begun: &BegunOperation, status_code: &str) -> OperationRecord {
        let operation = self.row(begun, &OperationProgress::succeeded(status_code));
        OperationRecord { deployment: self.unit.key.clone(), operation }
    }

    /// Tells that such an operation is recorded.
    pub fn tell_success(&self, begun: &BegunOperation) {
        self.tell(begun, State::Succeeded, None);
    }

    /// Records that an operation failed.
    pub async fn fail(&self, begun: &BegunOperation, error: &ArmError) -> Result<(), StoreError> {
        self.write(begun, &OperationProgress::failed(error)).await
    }

    /// Records that something failed before it could begin.
    pub async fn refuse(&self, planned: &Planned, error: &ArmError) -> Result<(), StoreError> {
        let kind = if planned.existing { "Read" } else { "Create" };
        let begun = self.make(&subject_of(planned), kind, Some(OperationTarget::planned(planned)));
        self.fail(&begun, error).await
    }

    /// Records that an operation was cancelled.
    pub async fn cancel(&self, begun: &BegunOperation) -> Result<(), StoreError> {
        let (state, error) = (State::Canceled, messages::canceled());
        self.write(begun, &OperationProgress { state, status_code: Some("Conflict"), error: Some(&error) })
            .await
    }

    /// The operation of evaluating the outputs, to be recorded with the end of the deployment.
    pub fn outputs(&self, error: Option<&ArmError>) -> OperationRow {
        let begun = self.make("outputs", "EvaluateDeploymentOutput", None);
        match error {
            Some(error) => self.row(&begun, &OperationProgress::failed(error)),
            None => self.row(&begun, &OperationProgress::succeeded("OK")),
        }
    }

    async fn write(
        &self,
        begun: &BegunOperation,
        progress: &OperationProgress<'_>,
    ) -> Result<(), StoreError> {
        let row = self.row(begun, progress);
        let (store, fence) = (&self.run.inner.store, &self.run.fence);
        until_available!(store.put_operation(fence, &self.unit.key, &row))?;
        self.tell(begun, progress.state, progress.error);
        Ok(())
    }

    fn row(&self, begun: &BegunOperation, progress: &OperationProgress<'_>) -> OperationRow {
        let error = progress.error.map(|error| self.run.told(error.clone()));
        let operation = Operation {
            deployment: &self.deployment,
            operation_id: &begun.operation_id,
            kind: begun.kind,
            state: progress.state,
            status_code: progress.status_code,
            message: error.as_ref().map(|error| messages::status_message(progress.state, error)),
            target: begun.target.as_ref(),
            run: &self.unit.run,
            started: begun.started,
            now: clock::now(),
        };
        OperationRow {
            operation_id: begun.operation_id.clone(),
            position: begun.position,
            subject: begun.subject.clone(),
            state: progress.state,
            document: operation.to_json().to_string(),
        }
    }

    fn tell(&self, begun: &BegunOperation, state: State, error: Option<&ArmError>) {
        let Some(target) = &begun.target else { return };
        // Nobody may be listening.
        let _ = self.run.inner.events.send(Event {
            root: self.run.root.clone(),
            deployment: self.deployment.clone(),
            resource: target.id.clone().or_else(|| target.symbol.clone()),
            resource_type: Some(target.resource_type.clone()),
            state,
            error: error.map(|error| self.run.told(error.clone()).to_string()),
        });
    }
}

/// The name of an HTTP status in operations.
fn status_name(status: u16) -> &'static str {
    match status {
        404 => "NotFound",
        409 => "Conflict",
        403 => "Forbidden",
        429 => "TooManyRequests",
        504 | 408 => "GatewayTimeout",
        500..=599 => "InternalServerError",
        _ => "BadRequest",
    }
}
