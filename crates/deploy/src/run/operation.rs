//! Operations: recorded when they begin and when they end.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};

use arm::expand::Planned;
use serde_json::Value as Json;
use uuid::Uuid;

use super::unit::subject_of;
use super::{Run, Unit};
use crate::clock;
use crate::document::{self, Operation, Target};
use crate::engine::Event;
use crate::error::ArmError;
use crate::messages;
use crate::store::{OperationRow, StoreError};

/// Records the operations of one deployment.
pub(super) struct Recorder<'r> {
    run: &'r Run,
    unit: &'r Unit,
    deployment: String,
    /// What was recorded before the run was interrupted, by subject.
    before: HashMap<String, Json>,
    next: AtomicI64,
}

/// An operation that has begun.
pub(super) struct Begun {
    subject: String,
    operation_id: String,
    position: i64,
    kind: &'static str,
    pub target: Option<Target>,
    started: i64,
}

impl<'r> Recorder<'r> {
    pub async fn new(run: &'r Run, unit: &'r Unit) -> Result<Self, StoreError> {
        let rows = run.inner.store.operations(&unit.key).await?;
        let next = rows.iter().map(|row| row.position + 1).max().unwrap_or(0);
        let done = rows.into_iter().filter(|row| row.state == "Succeeded");
        let before = done.map(|row| (row.subject, crate::stored::json(&row.document)));
        let before = before.collect();
        Ok(Self { run, unit, deployment: unit.id.to_string(), before, next: AtomicI64::new(next) })
    }

    /// The operation that was done before the run was interrupted.
    pub fn before(&self, subject: &str) -> Option<&Json> {
        self.before.get(subject)
    }

    /// Records that an operation begins.
    pub async fn begin(
        &self,
        subject: &str,
        kind: &'static str,
        target: Option<Target>,
    ) -> Result<Begun, StoreError> {
        let begun = self.make(subject, kind, target);
        self.write(&begun, ("Running", None, None)).await?;
        Ok(begun)
    }

    fn make(&self, subject: &str, kind: &'static str, target: Option<Target>) -> Begun {
        let name = format!("{}\n{kind}\n{subject}", self.unit.run);
        Begun {
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
    pub async fn succeed(&self, begun: &Begun, status_code: &str) -> Result<(), StoreError> {
        self.write(begun, ("Succeeded", Some(status_code), None)).await
    }

    /// Records that an operation failed.
    pub async fn fail(&self, begun: &Begun, error: &ArmError) -> Result<(), StoreError> {
        self.write(begun, ("Failed", Some(status_name(error.status)), Some(error))).await
    }

    /// Records that something failed before it could begin.
    pub async fn refuse(&self, planned: &Planned, error: &ArmError) -> Result<(), StoreError> {
        let kind = if planned.existing { "Read" } else { "Create" };
        let begun = self.make(&subject_of(planned), kind, Some(Target::planned(planned)));
        self.fail(&begun, error).await
    }

    /// Records that an operation was cancelled.
    pub async fn cancel(&self, begun: &Begun) -> Result<(), StoreError> {
        self.write(begun, ("Canceled", Some("Conflict"), Some(&messages::canceled()))).await
    }

    /// Records that what an earlier attempt has left behind was cancelled: nobody works on it any more.
    pub async fn cancel_rest(&self) -> Result<(), StoreError> {
        let rows = self.run.inner.store.operations(&self.unit.key).await?;
        for mut row in rows.into_iter().filter(|row| row.state == "Running") {
            let mut document = crate::stored::json(&row.document);
            document::cancel_operation(&mut document);
            row.state = "Canceled".to_owned();
            row.document = document.to_string();
            self.run.inner.store.put_operation(&self.run.fence, &self.unit.key, &row).await?;
        }
        Ok(())
    }

    /// Records that the outputs were evaluated, or not.
    pub async fn outputs(&self, error: Option<&ArmError>) -> Result<(), StoreError> {
        let begun = self.make("outputs", "EvaluateDeploymentOutput", None);
        match error {
            Some(error) => self.fail(&begun, error).await,
            None => self.succeed(&begun, "OK").await,
        }
    }

    async fn write(
        &self,
        begun: &Begun,
        (state, status_code, error): (&str, Option<&str>, Option<&ArmError>),
    ) -> Result<(), StoreError> {
        let error = error.map(|error| self.run.told(error.clone()));
        let operation = Operation {
            deployment: &self.deployment,
            operation_id: &begun.operation_id,
            kind: begun.kind,
            state,
            status_code,
            message: error.as_ref().map(|error| messages::status_message(state, error)),
            target: begun.target.as_ref(),
            run: &self.unit.run,
            started: begun.started,
            now: clock::now(),
        };
        let row = OperationRow {
            operation_id: begun.operation_id.clone(),
            position: begun.position,
            subject: begun.subject.clone(),
            state: state.to_owned(),
            document: operation.to_json().to_string(),
        };
        self.run.inner.store.put_operation(&self.run.fence, &self.unit.key, &row).await?;
        if let Some(target) = &begun.target {
            // Nobody may be listening.
            let _ = self.run.inner.events.send(Event {
                root: self.run.root.clone(),
                deployment: self.deployment.clone(),
                resource: target.id.clone().or_else(|| target.symbol.clone()),
                resource_type: Some(target.resource_type.clone()),
                state: state.to_owned(),
                error: error.as_ref().map(ToString::to_string),
            });
        }
        Ok(())
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
