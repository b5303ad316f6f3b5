//! Resources as documents; resource groups are resources too.

use sqlx::any::AnyRow;
use sqlx::{Any, Row, Transaction};

use super::{Fence, Store, StoreError};
use crate::scope::group_key;

/// A resource as it is stored.
#[derive(Debug, Clone)]
pub(crate) struct ResourceRow {
    pub id: String,
    pub document: String,
    pub created: i64,
    pub updated: i64,
}

/// What is written of a resource.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewResource<'r> {
    pub id: &'r str,
    pub resource_type: &'r str,
    pub document: &'r str,
    pub now: i64,
}

impl Store {
    /// A resource by its id.
    pub async fn resource(&self, id: &str) -> Result<Option<ResourceRow>, StoreError> {
        let row = sqlx::query("SELECT id, document, created, updated FROM resources WHERE key = $1")
            .bind(crate::scope::key(id))
            .fetch_optional(&self.pool)
            .await?;
        row.as_ref().map(read).transpose()
    }

    /// Writes a resource on behalf of a deployment, or of nobody.
    pub async fn put_resource(
        &self,
        fence: Option<&Fence>,
        resource: NewResource<'_>,
    ) -> Result<(), StoreError> {
        let mut transaction = self.begin_for(fence).await?;
        sqlx::query(
            "INSERT INTO resources (key, id, group_key, type_key, document, created, updated)
             VALUES ($1, $2, $3, $4, $5, $6, $6)
             ON CONFLICT (key) DO UPDATE SET document = $5, updated = $6",
        )
        .bind(crate::scope::key(resource.id))
        .bind(resource.id)
        .bind(group_key(resource.id).filter(|group| *group != crate::scope::key(resource.id)))
        .bind(resource.resource_type.to_lowercase())
        .bind(resource.document)
        .bind(resource.now)
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(())
    }

    /// Removes a resource and everything below it. Says whether it was there.
    pub async fn delete_resource(&self, fence: Option<&Fence>, id: &str) -> Result<bool, StoreError> {
        let mut transaction = self.begin_for(fence).await?;
        let key = crate::scope::key(id);
        let below = format!("{key}/");
        let length = i64::try_from(below.chars().count()).unwrap_or(i64::MAX);
        let removed =
            sqlx::query("DELETE FROM resources WHERE key = $1").bind(&key).execute(&mut *transaction);
        let removed = removed.await?.rows_affected() > 0;
        sqlx::query("DELETE FROM resources WHERE substr(key, 1, CAST($2 AS INTEGER)) = $1")
            .bind(&below)
            .bind(length)
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(removed)
    }

    /// The resources of a group, ordered by id.
    pub async fn resources_of_group(&self, group_key: &str) -> Result<Vec<ResourceRow>, StoreError> {
        let rows = sqlx::query(
            "SELECT id, document, created, updated FROM resources WHERE group_key = $1 ORDER BY key",
        )
        .bind(group_key)
        .fetch_all(&self.pool)
        .await?;
        rows.iter().map(read).collect()
    }

    /// All resources below a scope, ordered by id.
    pub async fn resources_below(&self, scope_key: &str) -> Result<Vec<ResourceRow>, StoreError> {
        let below = format!("{scope_key}/");
        let length = i64::try_from(below.chars().count()).unwrap_or(i64::MAX);
        let rows = sqlx::query(
            "SELECT id, document, created, updated FROM resources
             WHERE substr(key, 1, CAST($2 AS INTEGER)) = $1 ORDER BY key",
        )
        .bind(below)
        .bind(length)
        .fetch_all(&self.pool)
        .await?;
        rows.iter().map(read).collect()
    }

    /// Removes a resource group, everything in it, and the deployments to it that are over.
    pub async fn delete_group(&self, group_key: &str) -> Result<(), StoreError> {
        self.delete_resource(None, group_key).await?;
        let mut transaction = self.begin().await?;
        sqlx::query(
            "DELETE FROM operations WHERE deployment_key IN
             (SELECT key FROM deployments WHERE scope_key = $1 AND state IN ('Succeeded', 'Failed', 'Canceled'))",
        )
        .bind(group_key)
        .execute(&mut *transaction)
        .await?;
        sqlx::query(
            "DELETE FROM deployments WHERE scope_key = $1 AND state IN ('Succeeded', 'Failed', 'Canceled')",
        )
        .bind(group_key)
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(())
    }

    /// The types of all resources, ordered.
    pub async fn types(&self) -> Result<Vec<String>, StoreError> {
        let rows = sqlx::query("SELECT DISTINCT type_key FROM resources ORDER BY type_key");
        let rows = rows.fetch_all(&self.pool).await?;
        rows.iter().map(|row| Ok(row.try_get("type_key")?)).collect()
    }

    async fn begin_for(&self, fence: Option<&Fence>) -> Result<Transaction<'static, Any>, StoreError> {
        match fence {
            Some(fence) => self.begin_fenced(fence).await,
            None => self.begin().await,
        }
    }
}

fn read(row: &AnyRow) -> Result<ResourceRow, StoreError> {
    Ok(ResourceRow {
        id: row.try_get("id")?,
        document: row.try_get("document")?,
        created: row.try_get("created")?,
        updated: row.try_get("updated")?,
    })
}
