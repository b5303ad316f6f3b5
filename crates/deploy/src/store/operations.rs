//! Operations: what a deployment did to each of its resources.

use serde_json::Value as Json;
use sqlx::Row;
use sqlx::any::AnyRow;

use super::paging::{Page, Paging, page};
use super::{Fence, Store, StoreError};

/// One operation as it is stored.
#[derive(Debug, Clone)]
pub(crate) struct OperationRow {
    pub operation_id: String,
    pub position: i64,
    /// Which planned resource it is about.
    pub subject: String,
    pub state: String,
    /// The operation as the API returns it.
    pub document: String,
}

impl Store {
    /// Writes an operation of a deployment, or writes over it.
    pub async fn put_operation(
        &self,
        fence: &Fence,
        deployment: &str,
        row: &OperationRow,
    ) -> Result<(), StoreError> {
        let mut transaction = self.begin_fenced(fence).await?;
        sqlx::query(
            "INSERT INTO operations (deployment_key, operation_id, position, subject, state, document)
             VALUES ($1, $2, $3, $4, $5, $6)
             ON CONFLICT (deployment_key, operation_id) DO UPDATE SET state = $5, document = $6",
        )
        .bind(deployment)
        .bind(&row.operation_id)
        .bind(row.position)
        .bind(&row.subject)
        .bind(&row.state)
        .bind(&row.document)
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(())
    }

    /// All operations of a deployment in order.
    pub async fn operations(&self, deployment: &str) -> Result<Vec<OperationRow>, StoreError> {
        let rows = sqlx::query(
            "SELECT operation_id, position, subject, state, document FROM operations
             WHERE deployment_key = $1 ORDER BY position, operation_id",
        )
        .bind(deployment)
        .fetch_all(&self.pool)
        .await?;
        rows.iter().map(read).collect()
    }

    /// Some operations of a deployment in order, as the API returns them.
    pub async fn operations_page(&self, deployment: &str, paging: &Paging<'_>) -> Result<Page, StoreError> {
        let after = paging.after.map_or(-1, |after| after.parse().unwrap_or(i64::MAX));
        let rows = sqlx::query(
            "SELECT operation_id, position, subject, state, document FROM operations
             WHERE deployment_key = $1 AND position > $2 ORDER BY position",
        )
        .bind(deployment)
        .bind(after)
        .fetch(&self.pool);
        page(rows, paging, |row| {
            let row = read(row)?;
            let document: Option<Json> = crate::stored::object(&row.document);
            Ok(document.map(|document| (row.position.to_string(), row.document.len(), document)))
        })
        .await
    }

    /// One operation of a deployment.
    pub async fn operation(&self, deployment: &str, id: &str) -> Result<Option<OperationRow>, StoreError> {
        let row = sqlx::query(
            "SELECT operation_id, position, subject, state, document FROM operations
             WHERE deployment_key = $1 AND operation_id = $2",
        )
        .bind(deployment)
        .bind(id.to_uppercase())
        .fetch_optional(&self.pool)
        .await?;
        row.as_ref().map(read).transpose()
    }
}

fn read(row: &AnyRow) -> Result<OperationRow, StoreError> {
    Ok(OperationRow {
        operation_id: row.try_get("operation_id")?,
        position: row.try_get("position")?,
        subject: row.try_get("subject")?,
        state: row.try_get("state")?,
        document: row.try_get("document")?,
    })
}
