//! Operations: what a deployment did to each of its resources.

use serde_json::Value as Json;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row};

use super::deployments::read_state;
use super::paging::{KeysetRange, Page, PageBuilder, PageRow, Paging};
use super::{Store, StoreError};
use crate::state::State;

/// One operation as it is stored.
#[derive(Debug, Clone)]
pub(crate) struct OperationRow {
    pub operation_id: String,
    pub position: i64,
    /// Which planned resource it is about.
    pub subject: String,
    pub state: State,
    /// The operation as the API returns it.
    pub document: String,
}

impl Store {
    /// All operations of a deployment in order.
    pub async fn operations(&self, deployment: &str) -> Result<Vec<OperationRow>, StoreError> {
        let rows = sqlx::query(
            "SELECT operation_id, position, subject, state, document FROM operations
             WHERE deployment_key = $1 ORDER BY position, operation_id",
        )
        .bind(deployment)
        .fetch_all(&self.readers)
        .await?;
        rows.iter().map(read).collect()
    }

    /// Some operations of a deployment in order, as the API returns them: those that `fits` lets through.
    pub async fn operations_page(
        &self,
        deployment: &str,
        paging: &Paging<'_>,
        fits: impl Fn(&Json) -> bool,
    ) -> Result<Page, StoreError> {
        let mut filling = PageBuilder::new(paging);
        while let Some(KeysetRange { after, limit }) = filling.wanted() {
            let after = after.map_or(-1, |after| after.parse().unwrap_or(i64::MAX));
            let rows = sqlx::query(
                "SELECT operation_id, position, subject, state, document FROM operations
                 WHERE deployment_key = $1 AND position > $2 ORDER BY position LIMIT $3",
            );
            let rows = rows.bind(deployment).bind(after).bind(limit).fetch_all(&self.readers);
            filling.take(&rows.await?, |row| {
                let row = read(row)?;
                let document = crate::stored::object(&row.document).filter(|document| fits(document));
                let shown = document.map(|document| (row.document.len(), document));
                Ok(PageRow { place: row.position.to_string(), shown })
            })?;
        }
        Ok(filling.into_page())
    }

    /// One operation of a deployment.
    pub async fn operation(&self, deployment: &str, id: &str) -> Result<Option<OperationRow>, StoreError> {
        let row = sqlx::query(
            "SELECT operation_id, position, subject, state, document FROM operations
             WHERE deployment_key = $1 AND operation_id = $2",
        )
        .bind(deployment)
        .bind(id.to_uppercase())
        .fetch_optional(&self.readers)
        .await?;
        row.as_ref().map(read).transpose()
    }
}

/// Writes an operation of a deployment, or writes over it.
pub(super) async fn put(
    transaction: &mut AnyConnection,
    deployment: &str,
    row: &OperationRow,
) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO operations (deployment_key, operation_id, position, subject, state, document)
         VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (deployment_key, operation_id) DO UPDATE SET state = $5, document = $6",
    )
    .bind(deployment)
    .bind(&row.operation_id)
    .bind(row.position)
    .bind(&row.subject)
    .bind(row.state.name())
    .bind(&row.document)
    .execute(transaction)
    .await?;
    Ok(())
}

/// Ends the operations of a deployment, and of those inside it, that have no worker any more.
pub(super) async fn cancel_rest(transaction: &mut AnyConnection, root: &str) -> Result<(), StoreError> {
    let rows = sqlx::query(
        "SELECT deployment_key, operation_id, position, subject, state, document FROM operations
         WHERE state = 'Running' AND (deployment_key = $1
           OR deployment_key IN (SELECT key FROM deployments WHERE parent_key = $1))",
    )
    .bind(root)
    .fetch_all(&mut *transaction)
    .await?;
    for row in &rows {
        let deployment: String = row.try_get("deployment_key")?;
        let mut operation = read(row)?;
        let mut document = crate::stored::json(&operation.document);
        crate::document::cancel_operation(&mut document);
        operation.state = State::Canceled;
        operation.document = document.to_string();
        put(transaction, &deployment, &operation).await?;
    }
    Ok(())
}

fn read(row: &AnyRow) -> Result<OperationRow, StoreError> {
    Ok(OperationRow {
        operation_id: row.try_get("operation_id")?,
        position: row.try_get("position")?,
        subject: row.try_get("subject")?,
        state: read_state(row)?,
        document: row.try_get("document")?,
    })
}
