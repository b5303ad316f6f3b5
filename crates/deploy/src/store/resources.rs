//! Resources as documents; resource groups are resources too.

use serde_json::Value as Json;
use sqlx::any::AnyRow;
use sqlx::{Any, Row, Transaction};

use super::paging::{Page, Paging, page};
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

/// A resource that is written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewResource<'r> {
    pub id: &'r str,
    pub resource_type: &'r str,
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

    /// Writes a resource on behalf of a deployment, or of nobody. What it will be is made of what it was, and nobody else
    /// writes it in between. Gives what was made of it.
    pub async fn change_resource<T, E: From<StoreError>>(
        &self,
        (fence, resource): (Option<&Fence>, NewResource<'_>),
        change: impl FnOnce(Option<&ResourceRow>) -> Result<(String, T), E>,
    ) -> Result<T, E> {
        let mut transaction = self.begin_for(fence).await?;
        let key = crate::scope::key(resource.id);
        if let Some(group) = group_key(resource.id).filter(|group| *group != key) {
            self.hold_group(&mut transaction, &group).await?;
        }
        let old = locked(&mut transaction, &key).await?;
        let (document, result) = change(old.as_ref())?;
        put(&mut transaction, resource, &document).await?;
        transaction.commit().await.map_err(StoreError::from)?;
        Ok(result)
    }

    /// Keeps a group from being removed until the transaction ends.
    async fn hold_group(
        &self,
        transaction: &mut Transaction<'static, Any>,
        group: &str,
    ) -> Result<(), StoreError> {
        // Whoever writes to SQLite is alone.
        let text = match self.shared {
            true => "SELECT key FROM resources WHERE key = $1 FOR SHARE",
            false => "SELECT key FROM resources WHERE key = $1",
        };
        let found = sqlx::query(text).bind(group).fetch_optional(&mut **transaction).await?;
        let name = || group.rsplit('/').next().unwrap_or_default().to_owned();
        found.map(drop).ok_or_else(|| StoreError::NoGroup(name()))
    }

    /// Removes a resource and everything below it. Says whether it was there.
    pub async fn delete_resource(&self, fence: Option<&Fence>, id: &str) -> Result<bool, StoreError> {
        let mut transaction = self.begin_for(fence).await?;
        let removed = remove(&mut transaction, &crate::scope::key(id)).await?;
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

    /// The ids of the resources of a group, in order.
    pub async fn ids_of_group(&self, group_key: &str) -> Result<Vec<String>, StoreError> {
        let rows = sqlx::query("SELECT id FROM resources WHERE group_key = $1 ORDER BY key")
            .bind(group_key)
            .fetch_all(&self.pool)
            .await?;
        rows.iter().map(|row| Ok(row.try_get("id")?)).collect()
    }

    /// Some resources below a scope, ordered by id: of one type, if one is given, and of those the ones that give an entry.
    pub async fn resources_page(
        &self,
        (scope_key, resource_type): (&str, Option<&str>),
        paging: &Paging<'_>,
        item: impl Fn(&ResourceRow) -> Option<Json>,
    ) -> Result<Page, StoreError> {
        let below = format!("{scope_key}/");
        let length = i64::try_from(below.chars().count()).unwrap_or(i64::MAX);
        let rows = sqlx::query(
            "SELECT id, document, created, updated FROM resources
             WHERE substr(key, 1, CAST($2 AS INTEGER)) = $1 AND key > $3 AND ($4 = '' OR type_key = $4)
             ORDER BY key",
        )
        .bind(below)
        .bind(length)
        .bind(paging.after.unwrap_or_default())
        .bind(resource_type.unwrap_or_default().to_lowercase())
        .fetch(&self.pool);
        page(rows, paging, |row| {
            let row = read(row)?;
            Ok(item(&row).map(|entry| (crate::scope::key(&row.id), row.document.len(), entry)))
        })
        .await
    }

    /// Removes a resource group, everything in it, and the deployments to it that are over.
    pub async fn delete_group(&self, group_key: &str) -> Result<(), StoreError> {
        let mut transaction = self.begin().await?;
        remove(&mut transaction, group_key).await?;
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

/// A resource that nobody else can write until the transaction ends.
async fn locked(
    transaction: &mut Transaction<'static, Any>,
    key: &str,
) -> Result<Option<ResourceRow>, StoreError> {
    sqlx::query("UPDATE resources SET updated = updated WHERE key = $1")
        .bind(key)
        .execute(&mut **transaction)
        .await?;
    let row = sqlx::query("SELECT id, document, created, updated FROM resources WHERE key = $1")
        .bind(key)
        .fetch_optional(&mut **transaction)
        .await?;
    row.as_ref().map(read).transpose()
}

async fn put(
    transaction: &mut Transaction<'static, Any>,
    resource: NewResource<'_>,
    document: &str,
) -> Result<(), StoreError> {
    let key = crate::scope::key(resource.id);
    sqlx::query(
        "INSERT INTO resources (key, id, group_key, type_key, document, created, updated)
         VALUES ($1, $2, $3, $4, $5, $6, $6)
         ON CONFLICT (key) DO UPDATE SET document = $5, updated = $6",
    )
    .bind(&key)
    .bind(resource.id)
    .bind(group_key(resource.id).filter(|group| *group != key))
    .bind(resource.resource_type.to_lowercase())
    .bind(document)
    .bind(crate::clock::now())
    .execute(&mut **transaction)
    .await?;
    Ok(())
}

/// Removes a resource and everything below it. Says whether it was there.
async fn remove(transaction: &mut Transaction<'static, Any>, key: &str) -> Result<bool, StoreError> {
    let below = format!("{key}/");
    let length = i64::try_from(below.chars().count()).unwrap_or(i64::MAX);
    let removed = sqlx::query("DELETE FROM resources WHERE key = $1").bind(key).execute(&mut **transaction);
    let removed = removed.await?.rows_affected() > 0;
    sqlx::query("DELETE FROM resources WHERE substr(key, 1, CAST($2 AS INTEGER)) = $1")
        .bind(&below)
        .bind(length)
        .execute(&mut **transaction)
        .await?;
    Ok(removed)
}

fn read(row: &AnyRow) -> Result<ResourceRow, StoreError> {
    Ok(ResourceRow {
        id: row.try_get("id")?,
        document: row.try_get("document")?,
        created: row.try_get("created")?,
        updated: row.try_get("updated")?,
    })
}
