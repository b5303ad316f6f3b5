//! Deployments: accepted, claimed, finished.
//!
//! Whoever works on a deployment raises its `lease` now and then. Others take over when it has not changed for a while by
//! their own monotonic clock: clocks of different machines are never compared.

use serde_json::Value as Json;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row};

use super::batch::{bind_deployment, insert_deployment};
use super::operations::{self, OperationRow};
use super::paging::{KeysetRange, Page, PageBuilder, PageRow, Paging};
use super::resources::{is_protecting, range_below};
use super::{Fence, FenceLock, Store, StoreError};
use crate::state::State;

/// What is read of a deployment.
macro_rules! columns {
    () => {
        "key, id, state, run, document, job, template, cancel, created, updated"
    };
}

/// The same without what only its executor needs.
macro_rules! shown_columns {
    () => {
        "key, id, state, run, document, '' AS job, '' AS template, cancel, created, updated"
    };
}

/// A deployment as it is stored.
#[derive(Debug, Clone)]
pub(crate) struct DeploymentRow {
    pub key: String,
    pub id: String,
    pub state: State,
    pub run: String,
    /// What GET returns; its state is in `state`.
    pub document: String,
    pub job: String,
    pub template: String,
    pub cancel: bool,
    pub created: i64,
    pub updated: i64,
}

/// A deployment in a list of all.
#[derive(Debug)]
pub(crate) struct ListedRow {
    pub row: DeploymentRow,
    /// Whether it is part of another one.
    pub is_nested: bool,
}

/// A deployment to be written.
#[derive(Debug, Clone)]
pub(crate) struct NewDeployment {
    pub key: String,
    pub id: String,
    pub scope_key: String,
    pub name: String,
    pub state: State,
    pub run: String,
    pub document: String,
    pub job: String,
    pub template: String,
    /// The process that must run it, since only that one has its secrets.
    pub owner: Option<String>,
    pub now: i64,
}

/// A deployment that was taken in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AcceptedRow {
    pub epoch: i64,
    /// Whether any of the resources that it will write is there already.
    pub has_resources: bool,
}

/// How a deployment that is part of another one begins.
#[derive(Debug)]
pub(crate) enum NestedStart {
    /// From the start.
    New,
    /// It was interrupted: some of it may be done.
    Again,
    /// It has ended already.
    Ended { state: State, document: String },
    /// Another deployment of this name is active.
    Busy,
}

/// How a deployment ended.
#[derive(Debug, Clone)]
pub(crate) struct FinishedDeployment<'f> {
    pub key: &'f str,
    pub run: &'f str,
    pub state: State,
    pub document: &'f str,
    pub error: Option<&'f str>,
    /// Its last operation, recorded together with the end.
    pub operation: Option<&'f OperationRow>,
    pub now: i64,
}

/// The result of the automatic deletion of the oldest deployments of a scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RetentionResult {
    /// How many were forgotten.
    pub count: i64,
    /// How many there are still.
    pub left: i64,
}

/// A claimed deployment and its last heartbeat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LeasedDeployment {
    pub key: String,
    pub epoch: i64,
    pub lease: i64,
}

/// What decides whether a deployment is accepted.
#[derive(Debug)]
pub(crate) struct Admission {
    /// The deployment of that name.
    pub known: Option<DeploymentRow>,
    /// The document of the resource group, if it is there.
    pub group: Option<String>,
    /// Whether anything in the subscription is locked or denied.
    pub is_protected: bool,
}

impl Store {
    /// What decides whether a deployment is accepted, in one round trip.
    pub async fn admission(
        &self,
        key: &str,
        group_key: Option<&str>,
        subscription_key: &str,
    ) -> Result<Admission, StoreError> {
        let (first, end) = range_below(subscription_key);
        let row = sqlx::query(concat!(
            "SELECT known.key, known.id, known.state, known.run, known.document, '' AS job, '' AS template,
                    known.cancel, known.created, known.updated, its_group.document AS group_document,
                    CAST(CASE WHEN EXISTS (SELECT 1 FROM resources WHERE ",
            is_protecting!(),
            " AND key > $3 AND key < $4) THEN 1 ELSE 0 END AS BIGINT) AS is_protected
             FROM (SELECT 1 AS one) AS one
             LEFT JOIN deployments AS known ON known.key = $1
             LEFT JOIN resources AS its_group ON its_group.key = $2"
        ))
        .bind(key)
        .bind(group_key)
        .bind(first)
        .bind(end)
        .fetch_one(&self.readers)
        .await?;
        let known = match row.try_get::<Option<String>, _>("key")? {
            Some(_) => Some(read(&row)?),
            None => None,
        };
        let is_protected = row.try_get::<i64, _>("is_protected")? != 0;
        Ok(Admission { known, group: row.try_get("group_document")?, is_protected })
    }

    /// Begins a deployment that is part of another one, or goes on with it.
    pub async fn begin_nested(&self, fence: &Fence, new: &NewDeployment) -> Result<NestedStart, StoreError> {
        let mut transaction = self.begin_fenced(fence, FenceLock::Exclusive).await?;
        let known = sqlx::query("SELECT run, state, document FROM deployments WHERE key = $1")
            .bind(&new.key)
            .fetch_optional(&mut *transaction)
            .await?;
        if let Some(row) = known
            && row.try_get::<String, _>("run")? == new.run
        {
            let state = read_state(&row)?;
            transaction.roll_back().await;
            return Ok(match state.is_over() {
                false => NestedStart::Again,
                true => NestedStart::Ended { state, document: row.try_get("document")? },
            });
        }
        if write(&mut transaction, new, Some(&fence.key)).await?.is_none() {
            transaction.roll_back().await;
            return Ok(NestedStart::Busy);
        }
        transaction.commit().await?;
        Ok(NestedStart::New)
    }

    /// A deployment by its key, without what only its executor needs.
    pub async fn deployment(&self, key: &str) -> Result<Option<DeploymentRow>, StoreError> {
        let row = sqlx::query(concat!("SELECT ", shown_columns!(), " FROM deployments WHERE key = $1"))
            .bind(key)
            .fetch_optional(&self.readers)
            .await?;
        row.as_ref().map(read).transpose()
    }

    /// All that is stored of a deployment.
    pub async fn whole_deployment(&self, key: &str) -> Result<Option<DeploymentRow>, StoreError> {
        let row = sqlx::query(concat!("SELECT ", columns!(), " FROM deployments WHERE key = $1"))
            .bind(key)
            .fetch_optional(&self.readers)
            .await?;
        row.as_ref().map(read).transpose()
    }

    /// The deployments of a scope, the newest first; of one state, if one is given.
    pub async fn deployments(
        &self,
        scope_key: &str,
        state: Option<State>,
        paging: &Paging<'_>,
        item: impl Fn(&DeploymentRow) -> Json,
    ) -> Result<Page, StoreError> {
        let mut filling = PageBuilder::new(paging);
        while let Some(KeysetRange { after, limit }) = filling.wanted() {
            let (created, key) = match after.as_deref().and_then(|after| after.split_once('.')) {
                Some((created, key)) => (created.parse().unwrap_or(i64::MIN), key),
                None => (i64::MAX, ""),
            };
            let rows = sqlx::query(concat!(
                "SELECT ",
                shown_columns!(),
                " FROM deployments WHERE scope_key = $1 AND (created, key) < ($2, $3)
                  ORDER BY created DESC, key DESC LIMIT $4"
            ));
            let rows = rows.bind(scope_key).bind(created).bind(key).bind(limit).fetch_all(&self.readers);
            filling.take(&rows.await?, |row| {
                let row = read(row)?;
                let fits = state.is_none_or(|state| state == row.state);
                let place = format!("{}.{}", row.created, row.key);
                Ok(PageRow { place, shown: fits.then(|| (row.document.len(), item(&row))) })
            })?;
        }
        Ok(filling.into_page())
    }

    /// The key of the deployment of a scope that succeeded last.
    pub async fn last_success(&self, scope_key: &str) -> Result<Option<String>, StoreError> {
        let row = sqlx::query(
            "SELECT key FROM deployments WHERE scope_key = $1 AND state = 'Succeeded'
             ORDER BY created DESC, key DESC LIMIT 1",
        )
        .bind(scope_key)
        .fetch_optional(&self.readers)
        .await?;
        row.map(|row| Ok(row.try_get("key")?)).transpose()
    }

    /// The deployments of all scopes, those that changed last first. Only what is asked for is read of their documents.
    pub async fn all_deployments(&self, whole: bool, top: i64) -> Result<Vec<ListedRow>, StoreError> {
        let rows = sqlx::query(
            "SELECT key, id, state, run, CASE WHEN $1 = 1 THEN document ELSE '' END AS document,
                    '' AS job, '' AS template, cancel, created, updated,
                    CAST(CASE WHEN parent_key IS NULL THEN 0 ELSE 1 END AS BIGINT) AS is_nested
             FROM deployments ORDER BY updated DESC, key DESC LIMIT $2",
        )
        .bind(i64::from(whole))
        .bind(top)
        .fetch_all(&self.readers)
        .await?;
        let listed = |row: &AnyRow| {
            Ok(ListedRow { row: read(row)?, is_nested: row.try_get::<i64, _>("is_nested")? != 0 })
        };
        rows.iter().map(listed).collect()
    }

    /// Takes the lease of a deployment that is unclaimed, or whose holder `held` has missed its heartbeats.
    pub async fn claim(
        &self,
        key: &str,
        held: Option<&LeasedDeployment>,
        owner: &str,
    ) -> Result<Option<(Fence, DeploymentRow)>, StoreError> {
        // Another process may be busy with the row, or frozen while it is: nobody waits for it.
        let text = match self.shared {
            true => concat!(
                "UPDATE deployments SET owner = $2, lease = lease + 1, epoch = epoch + 1
                 WHERE key = (SELECT key FROM deployments
                   WHERE key = $1 AND parent_key IS NULL AND state IN ('Accepted', 'Running')
                     AND (owner IS NULL OR (epoch = $3 AND lease = $4)) FOR UPDATE SKIP LOCKED)
                 RETURNING ",
                columns!(),
                ", epoch"
            ),
            false => concat!(
                "UPDATE deployments SET owner = $2, lease = lease + 1, epoch = epoch + 1
                 WHERE key = $1 AND parent_key IS NULL AND state IN ('Accepted', 'Running')
                   AND (owner IS NULL OR (epoch = $3 AND lease = $4))
                 RETURNING ",
                columns!(),
                ", epoch"
            ),
        };
        let row = sqlx::query(text)
            .bind(key)
            .bind(owner)
            .bind(held.map_or(-1, |held| held.epoch))
            .bind(held.map_or(-1, |held| held.lease))
            .fetch_optional(&self.writers)
            .await?;
        let Some(row) = row else { return Ok(None) };
        let fence = Fence { key: key.to_owned(), epoch: row.try_get("epoch")? };
        Ok(Some((fence, read(&row)?)))
    }

    /// The keys of unclaimed deployments: those to cancel, or those to run, the oldest first.
    pub async fn claimable(&self, cancel: bool, top: i64) -> Result<Vec<String>, StoreError> {
        let rows = sqlx::query(
            "SELECT key FROM deployments
             WHERE parent_key IS NULL AND state IN ('Accepted', 'Running') AND owner IS NULL AND cancel = $1
             ORDER BY created LIMIT $2",
        )
        .bind(i64::from(cancel))
        .bind(top)
        .fetch_all(&self.readers)
        .await?;
        rows.iter().map(|row| Ok(row.try_get("key")?)).collect()
    }

    /// The deployments that somebody works on, the oldest first.
    pub async fn held(&self) -> Result<Vec<LeasedDeployment>, StoreError> {
        let rows = sqlx::query(
            "SELECT key, epoch, lease FROM deployments
             WHERE parent_key IS NULL AND state IN ('Accepted', 'Running') AND owner IS NOT NULL
             ORDER BY created LIMIT 4096",
        )
        .fetch_all(&self.readers)
        .await?;
        let read = |row: &AnyRow| {
            let (epoch, lease) = (row.try_get("epoch")?, row.try_get("lease")?);
            Ok(LeasedDeployment { key: row.try_get("key")?, epoch, lease })
        };
        rows.iter().map(read).collect()
    }

    /// Writes a heartbeat. The answer says whether the deployment is to be cancelled.
    pub async fn renew(&self, fence: &Fence) -> Result<bool, StoreError> {
        let row = sqlx::query(
            "UPDATE deployments SET lease = lease + 1 WHERE key = $1 AND epoch = $2 RETURNING cancel",
        )
        .bind(&fence.key)
        .bind(fence.epoch)
        .fetch_optional(&self.writers)
        .await?;
        let row = row.ok_or(StoreError::LostLease)?;
        Ok(row.try_get::<i64, _>("cancel")? != 0)
    }

    /// Gives back a deployment, so that anybody can take it.
    pub async fn release(&self, fence: &Fence) -> Result<(), StoreError> {
        sqlx::query("UPDATE deployments SET owner = NULL WHERE key = $1 AND epoch = $2")
            .bind(&fence.key)
            .bind(fence.epoch)
            .execute(&self.writers)
            .await?;
        Ok(())
    }

    /// Says that a claimed deployment runs.
    pub async fn set_running(&self, fence: &Fence, run: &str, now: i64) -> Result<(), StoreError> {
        let mut transaction = self.begin_fenced(fence, FenceLock::Exclusive).await?;
        sqlx::query("UPDATE deployments SET state = 'Running', updated = $2 WHERE key = $1")
            .bind(&fence.key)
            .bind(now)
            .execute(&mut *transaction)
            .await?;
        sqlx::query("UPDATE statuses SET state = 'Running' WHERE id = $1")
            .bind(run)
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await
    }

    /// Ends a deployment: its state, its document, its last operation and its status change together.
    pub async fn finish(&self, fence: &Fence, end: &FinishedDeployment<'_>) -> Result<(), StoreError> {
        if let (State::Succeeded, true, Some(operation)) = (end.state, end.key == fence.key, end.operation) {
            return self.finish_success(fence, end, operation).await;
        }
        let mut transaction = self.begin_fenced(fence, FenceLock::Exclusive).await?;
        if let Some(operation) = end.operation {
            operations::put(&mut transaction, end.key, operation).await?;
        }
        sqlx::query("UPDATE deployments SET state = $2, document = $3, updated = $4 WHERE key = $1")
            .bind(end.key)
            .bind(end.state.name())
            .bind(end.document)
            .bind(end.now)
            .execute(&mut *transaction)
            .await?;
        if end.key == fence.key {
            sqlx::query("UPDATE statuses SET state = $2, error = $3 WHERE id = $1")
                .bind(end.run)
                .bind(end.state.name())
                .bind(end.error)
                .execute(&mut *transaction)
                .await?;
        }
        // An attempt that was interrupted may have left some behind that nobody else would end.
        if end.key == fence.key && end.state != State::Succeeded {
            operations::cancel_rest(&mut transaction, end.key).await?;
            sqlx::query(
                "UPDATE deployments SET state = 'Canceled', updated = $2
                 WHERE parent_key = $1 AND state IN ('Accepted', 'Running')",
            )
            .bind(end.key)
            .bind(end.now)
            .execute(&mut *transaction)
            .await?;
        }
        transaction.commit().await
    }

    /// Asks a deployment to stop, or the one that it is part of. Gives the key of the outermost one, if it is active.
    pub async fn request_cancel(&self, key: &str) -> Result<Option<String>, StoreError> {
        let asked = sqlx::query(
            "UPDATE deployments SET cancel = 1
             WHERE state IN ('Accepted', 'Running') AND key =
               (SELECT COALESCE(parent_key, key) FROM deployments
                WHERE key = $1 AND state IN ('Accepted', 'Running'))
             RETURNING key",
        )
        .bind(key)
        .fetch_optional(&self.writers)
        .await?;
        asked.map(|row| Ok(row.try_get("key")?)).transpose()
    }

    /// The keys of the deployments of a scope that are not over; not those that are part of another.
    pub async fn active_of_scope(&self, scope_key: &str) -> Result<Vec<String>, StoreError> {
        let rows = sqlx::query(
            "SELECT key FROM deployments
             WHERE parent_key IS NULL AND state IN ('Accepted', 'Running') AND scope_key = $1",
        )
        .bind(scope_key)
        .fetch_all(&self.readers)
        .await?;
        rows.iter().map(|row| Ok(row.try_get("key")?)).collect()
    }

    /// Forgets a deployment that is not active. False if it is.
    pub async fn delete_deployment(&self, key: &str) -> Result<bool, StoreError> {
        let mut transaction = self.begin().await?;
        let removed = delete(&mut transaction, key).await?;
        transaction.commit().await?;
        Ok(removed)
    }

    /// Forgets the oldest deployments of a scope that are over, so that no more than a number of them is left.
    pub async fn forget_oldest(&self, scope_key: &str, left: i64) -> Result<RetentionResult, StoreError> {
        let counted = sqlx::query("SELECT COUNT(*) AS count FROM deployments WHERE scope_key = $1");
        let count: i64 = counted.bind(scope_key).fetch_one(&self.readers).await?.try_get("count")?;
        if count <= left {
            return Ok(RetentionResult { count: 0, left: count });
        }
        let rows = sqlx::query(
            "SELECT key FROM deployments WHERE scope_key = $1
             ORDER BY created DESC, key DESC LIMIT 1000 OFFSET $2",
        )
        .bind(scope_key)
        .bind(left)
        .fetch_all(&self.readers)
        .await?;
        let mut removed = 0;
        for row in &rows {
            removed += i64::from(self.delete_deployment(row.try_get("key")?).await?);
        }
        Ok(RetentionResult { count: removed, left: count - removed })
    }

    /// The state of a run, with its error.
    pub async fn status(&self, run: &str) -> Result<Option<(State, Option<String>)>, StoreError> {
        let row = sqlx::query("SELECT state, error FROM statuses WHERE id = $1")
            .bind(run)
            .fetch_optional(&self.readers)
            .await?;
        row.map(|row| Ok((read_state(&row)?, row.try_get("error")?))).transpose()
    }

    /// Forgets the statuses of runs that began before a time and are over, and servers that are gone since then.
    pub async fn forget_statuses(&self, before: i64) -> Result<(), StoreError> {
        sqlx::query("DELETE FROM statuses WHERE created < $1 AND state NOT IN ('Accepted', 'Running')")
            .bind(before)
            .execute(&self.writers)
            .await?;
        sqlx::query("DELETE FROM servers WHERE seen < $1").bind(before).execute(&self.writers).await?;
        Ok(())
    }
}

/// Forgets a deployment with its operations, unless it is active.
pub(super) async fn delete(transaction: &mut AnyConnection, key: &str) -> Result<bool, StoreError> {
    let removed = sqlx::query(
        "DELETE FROM deployments WHERE key = $1 AND state IN ('Succeeded', 'Failed', 'Canceled')",
    )
    .bind(key)
    .execute(&mut *transaction)
    .await?;
    if removed.rows_affected() == 0 {
        return Ok(false);
    }
    sqlx::query("DELETE FROM operations WHERE deployment_key = $1").bind(key).execute(transaction).await?;
    Ok(true)
}

/// Writes a deployment that begins, over one of its name that is over, and forgets what that one did. Gives its epoch; none
/// if one of its name is active.
async fn write(
    transaction: &mut AnyConnection,
    new: &NewDeployment,
    parent: Option<&str>,
) -> Result<Option<i64>, StoreError> {
    let statement = bind_deployment(sqlx::query(insert_deployment!()), new, parent);
    let written = statement.fetch_optional(&mut *transaction).await?;
    let Some(written) = written else { return Ok(None) };
    let epoch: i64 = written.try_get("epoch")?;
    // The first of a name has left nothing behind, unless an older one was forgotten without its operations.
    if epoch > 1 {
        sqlx::query("DELETE FROM operations WHERE deployment_key = $1")
            .bind(&new.key)
            .execute(transaction)
            .await?;
    }
    Ok(Some(epoch))
}

pub(super) fn read_state(row: &AnyRow) -> Result<State, StoreError> {
    let name: String = row.try_get("state")?;
    State::parse(&name).ok_or_else(|| StoreError::Damaged(format!("the state '{name}'")))
}

fn read(row: &AnyRow) -> Result<DeploymentRow, StoreError> {
    Ok(DeploymentRow {
        key: row.try_get("key")?,
        id: row.try_get("id")?,
        state: read_state(row)?,
        run: row.try_get("run")?,
        document: row.try_get("document")?,
        job: row.try_get("job")?,
        template: row.try_get("template")?,
        cancel: row.try_get::<i64, _>("cancel")? != 0,
        created: row.try_get("created")?,
        updated: row.try_get("updated")?,
    })
}
