//! Resources as documents; resource groups are resources too.

use serde_json::Value as Json;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row};

use super::operations::{self, OperationRow};
use super::paging::{KeysetRange, Page, PageBuilder, PageRow, Paging};
use super::{Fence, FenceLock, Store, StoreError, WriteTransaction, deployments};
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

/// Who writes a resource.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ResourceWriter<'w> {
    /// The run of a deployment; nobody, if somebody asks for the resource itself.
    pub fence: Option<&'w Fence>,
}

/// An operation that is recorded together with what it did.
pub(crate) struct OperationRecord {
    /// The key of the deployment.
    pub deployment: String,
    pub operation: OperationRow,
}

/// What locks and deny settings are found by, with an index of their own.
macro_rules! is_protecting {
    () => {
        "type_key IN ('microsoft.authorization/locks', 'microsoft.authorization/denyassignments')"
    };
}
pub(super) use is_protecting;

/// The keys between which everything below a scope is: `/` is followed by `0`.
pub(super) fn range_below(scope_key: &str) -> (String, String) {
    (format!("{scope_key}/"), format!("{scope_key}0"))
}

impl Store {
    /// A resource by its id.
    pub async fn resource(&self, id: &str) -> Result<Option<ResourceRow>, StoreError> {
        let row = sqlx::query("SELECT id, document, created, updated FROM resources WHERE key = $1")
            .bind(crate::scope::key(id))
            .fetch_optional(&self.readers)
            .await?;
        row.as_ref().map(read).transpose()
    }

    /// Writes a resource. What it will be is made of what it was, and nobody else writes it in between. What `record` makes
    /// of the result is recorded with it. Gives what was made of it.
    pub async fn change_resource<T, E: From<StoreError>>(
        &self,
        writer: ResourceWriter<'_>,
        resource: NewResource<'_>,
        change: impl FnOnce(Option<&ResourceRow>) -> Result<(String, T), E>,
        record: impl FnOnce(&T) -> Option<OperationRecord>,
    ) -> Result<T, E> {
        let mut transaction = self.begin_for(writer.fence).await?;
        let key = crate::scope::key(resource.id);
        if let Some(group) = group_key(resource.id).filter(|group| *group != key) {
            self.hold_group(&mut transaction, &group).await?;
        }
        let old = self.locked(&mut transaction, &key).await?;
        let (document, result) = match change(old.as_ref()) {
            Ok(changed) => changed,
            Err(error) => {
                transaction.roll_back().await;
                return Err(error);
            }
        };
        put(&mut transaction, resource, &document).await?;
        if let Some(OperationRecord { deployment, operation }) = record(&result) {
            operations::put(&mut transaction, &deployment, &operation).await?;
        }
        transaction.commit().await?;
        Ok(result)
    }

    /// Keeps a group from being removed until the transaction ends.
    async fn hold_group(&self, transaction: &mut AnyConnection, group: &str) -> Result<(), StoreError> {
        // Whoever writes to SQLite is alone.
        let text = match self.shared {
            true => "SELECT key FROM resources WHERE key = $1 FOR SHARE",
            false => "SELECT key FROM resources WHERE key = $1",
        };
        let found = sqlx::query(text).bind(group).fetch_optional(transaction).await?;
        let name = || group.rsplit('/').next().unwrap_or_default().to_owned();
        found.map(drop).ok_or_else(|| StoreError::NoGroup(name()))
    }

    /// A resource that nobody else can write until the transaction ends.
    async fn locked(
        &self,
        transaction: &mut AnyConnection,
        key: &str,
    ) -> Result<Option<ResourceRow>, StoreError> {
        let text = match self.shared {
            true => "SELECT id, document, created, updated FROM resources WHERE key = $1 FOR UPDATE",
            false => "SELECT id, document, created, updated FROM resources WHERE key = $1",
        };
        let row = sqlx::query(text).bind(key).fetch_optional(transaction).await?;
        row.as_ref().map(read).transpose()
    }

    /// Removes a resource and everything below it, and records that if it is asked to. Says whether it was there.
    pub async fn delete_resource(
        &self,
        writer: ResourceWriter<'_>,
        id: &str,
        record: Option<OperationRecord>,
    ) -> Result<bool, StoreError> {
        let mut transaction = self.begin_for(writer.fence).await?;
        let removed = remove(&mut transaction, &crate::scope::key(id)).await?;
        if let Some(OperationRecord { deployment, operation }) = record {
            operations::put(&mut transaction, &deployment, &operation).await?;
        }
        transaction.commit().await?;
        Ok(removed)
    }

    /// Keeps the value of a secret of a key vault, sealed.
    pub async fn put_secret(&self, key: &str, value: &str) -> Result<(), StoreError> {
        sqlx::query(
            "INSERT INTO vault_secrets (key, value, sealed) VALUES ($1, $2, 1)
             ON CONFLICT (key) DO UPDATE SET value = $2, sealed = 1",
        )
        .bind(key)
        .bind(self.sealing.seal(key, value)?)
        .execute(&self.writers)
        .await?;
        Ok(())
    }

    /// The value of a secret of a key vault.
    pub async fn secret(&self, key: &str) -> Result<Option<String>, StoreError> {
        let row = sqlx::query("SELECT value FROM vault_secrets WHERE key = $1 AND sealed = 1")
            .bind(key)
            .fetch_optional(&self.readers)
            .await?;
        row.map(|row| self.sealing.open(key, row.try_get("value")?)).transpose()
    }

    /// Seals the secrets that an earlier version has stored as they are.
    pub(super) async fn seal_secrets(&self) -> Result<(), StoreError> {
        let rows = sqlx::query("SELECT key, value FROM vault_secrets WHERE sealed = 0");
        for row in rows.fetch_all(&self.readers).await? {
            self.put_secret(row.try_get("key")?, row.try_get("value")?).await?;
        }
        Ok(())
    }

    /// Moves resources to another group: each old id with the id and the document that it has there.
    pub async fn move_resources(&self, moves: &[(String, String, String)]) -> Result<(), StoreError> {
        let mut transaction = self.begin().await?;
        for (old, new, document) in moves {
            let key = crate::scope::key(new);
            sqlx::query(
                "UPDATE resources SET key = $2, id = $3, group_key = $4, document = $5 WHERE key = $1",
            )
            .bind(crate::scope::key(old))
            .bind(&key)
            .bind(new)
            .bind(group_key(new).filter(|group| *group != key))
            .bind(document)
            .execute(&mut *transaction)
            .await?;
        }
        transaction.commit().await
    }

    /// The resources of a group, ordered by id.
    pub async fn resources_of_group(&self, group_key: &str) -> Result<Vec<ResourceRow>, StoreError> {
        let rows = sqlx::query(
            "SELECT id, document, created, updated FROM resources WHERE group_key = $1 ORDER BY key",
        )
        .bind(group_key)
        .fetch_all(&self.readers)
        .await?;
        rows.iter().map(read).collect()
    }

    /// The ids of the resources of a group, in order.
    pub async fn ids_of_group(&self, group_key: &str) -> Result<Vec<String>, StoreError> {
        let rows = sqlx::query("SELECT id FROM resources WHERE group_key = $1 ORDER BY key")
            .bind(group_key)
            .fetch_all(&self.readers)
            .await?;
        rows.iter().map(|row| Ok(row.try_get("id")?)).collect()
    }

    /// Some resources below a scope, ordered by id: of one type, if one is given, and of those the ones that give an entry.
    pub async fn resources_page(
        &self,
        scope_key: &str,
        resource_type: Option<&str>,
        paging: &Paging<'_>,
        item: impl Fn(&ResourceRow) -> Option<Json>,
    ) -> Result<Page, StoreError> {
        let (first, end) = range_below(scope_key);
        let of = resource_type.map(str::to_lowercase);
        let mut filling = PageBuilder::new(paging);
        while let Some(KeysetRange { after, limit }) = filling.wanted() {
            let after = after.unwrap_or_default().max(first.clone());
            let rows = match &of {
                // As pairs, so that PostgreSQL does not take the index of all keys and filter by type.
                Some(of) => sqlx::query(
                    "SELECT id, document, created, updated FROM resources
                     WHERE (type_key, key) > ($4, $1) AND (type_key, key) < ($4, $2)
                     ORDER BY type_key, key LIMIT $3",
                )
                .bind(after)
                .bind(end.as_str())
                .bind(limit)
                .bind(of.as_str()),
                None => sqlx::query(
                    "SELECT id, document, created, updated FROM resources
                     WHERE key > $1 AND key < $2 ORDER BY key LIMIT $3",
                )
                .bind(after)
                .bind(end.as_str())
                .bind(limit),
            };
            filling.take(&rows.fetch_all(&self.readers).await?, |row| {
                let row = read(row)?;
                let shown = item(&row).map(|entry| (row.document.len(), entry));
                Ok(PageRow { place: crate::scope::key(&row.id), shown })
            })?;
        }
        Ok(filling.into_page())
    }

    /// All resources of a type below a scope.
    pub async fn resources_of_type(
        &self,
        scope_key: &str,
        resource_type: &str,
    ) -> Result<Vec<ResourceRow>, StoreError> {
        let (first, end) = range_below(scope_key);
        let rows = sqlx::query(
            "SELECT id, document, created, updated FROM resources
             WHERE (type_key, key) > ($1, $2) AND (type_key, key) < ($1, $3) ORDER BY type_key, key",
        )
        .bind(resource_type.to_lowercase())
        .bind(first)
        .bind(end)
        .fetch_all(&self.readers)
        .await?;
        rows.iter().map(read).collect()
    }

    /// The locks and deny settings below a scope.
    pub async fn protections(&self, scope_key: &str) -> Result<Vec<ResourceRow>, StoreError> {
        let (first, end) = range_below(scope_key);
        let rows = sqlx::query(concat!(
            "SELECT id, document, created, updated FROM resources WHERE ",
            is_protecting!(),
            " AND key > $1 AND key < $2 ORDER BY key"
        ))
        .bind(first)
        .bind(end)
        .fetch_all(&self.readers)
        .await?;
        rows.iter().map(read).collect()
    }

    /// Removes a resource group, everything in it, and its deployments. One that still runs loses its lease.
    pub async fn delete_group(&self, group_key: &str) -> Result<(), StoreError> {
        let mut transaction = self.begin().await?;
        remove(&mut transaction, group_key).await?;
        sqlx::query("UPDATE deployments SET state = 'Canceled', epoch = epoch + 1 WHERE scope_key = $1")
            .bind(group_key)
            .execute(&mut *transaction)
            .await?;
        let rows = sqlx::query("SELECT key FROM deployments WHERE scope_key = $1")
            .bind(group_key)
            .fetch_all(&mut *transaction)
            .await?;
        for row in &rows {
            deployments::delete(&mut transaction, row.try_get("key")?).await?;
        }
        transaction.commit().await
    }

    /// The types of all resources, ordered.
    pub async fn types(&self) -> Result<Vec<String>, StoreError> {
        let rows = sqlx::query("SELECT DISTINCT type_key FROM resources ORDER BY type_key");
        let rows = rows.fetch_all(&self.readers).await?;
        rows.iter().map(|row| Ok(row.try_get("type_key")?)).collect()
    }

    /// A transaction of a run, or of anybody.
    async fn begin_for(&self, fence: Option<&Fence>) -> Result<WriteTransaction, StoreError> {
        match fence {
            Some(fence) => self.begin_fenced(fence, FenceLock::Shared).await,
            None => self.begin().await,
        }
    }
}

async fn put(
    transaction: &mut AnyConnection,
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
    .execute(transaction)
    .await?;
    Ok(())
}

/// Removes a resource and everything below it. Says whether it was there.
async fn remove(transaction: &mut AnyConnection, key: &str) -> Result<bool, StoreError> {
    let (first, end) = range_below(key);
    let removed = sqlx::query("DELETE FROM resources WHERE key = $1").bind(key).execute(&mut *transaction);
    let removed = removed.await?.rows_affected() > 0;
    for text in [
        "DELETE FROM resources WHERE key > $1 AND key < $2",
        "DELETE FROM vault_secrets WHERE key > $1 AND key < $2",
    ] {
        sqlx::query(text).bind(&first).bind(&end).execute(&mut *transaction).await?;
    }
    sqlx::query("DELETE FROM vault_secrets WHERE key = $1").bind(key).execute(transaction).await?;
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
