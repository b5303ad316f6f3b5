//! Deployments: accepted, claimed, finished.

use serde_json::Value as Json;
use sqlx::any::AnyRow;
use sqlx::{Any, Row, Transaction};

use super::paging::{Page, Paging, page};
use super::{Fence, Store, StoreError};

/// What is read of a deployment.
macro_rules! columns {
    () => {
        "key, id, state, run, document, job, template, cancel, created, updated"
    };
}

/// A deployment as it is stored.
#[derive(Debug, Clone)]
pub(crate) struct DeploymentRow {
    pub key: String,
    pub id: String,
    pub state: String,
    pub run: String,
    /// What GET returns; its state is in `state`.
    pub document: String,
    pub job: String,
    pub template: String,
    pub cancel: bool,
    pub created: i64,
    pub updated: i64,
}

/// A deployment to be written.
#[derive(Debug, Clone)]
pub(crate) struct NewDeployment {
    pub key: String,
    pub id: String,
    pub scope_key: String,
    pub name: String,
    pub run: String,
    pub document: String,
    pub job: String,
    pub template: String,
    /// The process that must run it, since only that one has its secrets.
    pub owner: Option<String>,
    pub lease: i64,
    pub now: i64,
}

/// How a deployment that is part of another one begins.
#[derive(Debug)]
pub(crate) enum Begun {
    /// From the start.
    New,
    /// It was interrupted: some of it may be done.
    Again,
    /// It has ended already.
    Ended { state: String, document: String },
    /// Another deployment of this name is active.
    Busy,
}

/// Whether a deployment in this state may still change.
pub(crate) fn is_active(state: &str) -> bool {
    !matches!(state, "Succeeded" | "Failed" | "Canceled")
}

/// How a deployment ended.
#[derive(Debug, Clone)]
pub(crate) struct Finish<'f> {
    pub key: &'f str,
    pub run: &'f str,
    pub state: &'f str,
    pub document: &'f str,
    pub error: Option<&'f str>,
    pub now: i64,
}

/// Who wants to work on deployments, and until when.
#[derive(Debug, Clone)]
pub(crate) struct Claim {
    pub owner: String,
    pub lease: i64,
    pub now: i64,
}

impl Store {
    /// Takes a deployment in and gives its epoch. If one of its name is active, nothing changes and there is none.
    pub async fn accept(&self, new: &NewDeployment) -> Result<Option<i64>, StoreError> {
        let mut transaction = self.begin().await?;
        let Some(epoch) = write(&mut transaction, new, ("Accepted", None)).await? else { return Ok(None) };
        sqlx::query(
            "INSERT INTO statuses (id, deployment_key, state, updated) VALUES ($1, $2, 'Accepted', $3)",
        )
        .bind(&new.run)
        .bind(&new.key)
        .bind(new.now)
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(Some(epoch))
    }

    /// Begins a deployment that is part of another one, or goes on with it.
    pub async fn begin_nested(&self, fence: &Fence, new: &NewDeployment) -> Result<Begun, StoreError> {
        let mut transaction = self.begin_fenced(fence).await?;
        let known = sqlx::query("SELECT run, state, document FROM deployments WHERE key = $1")
            .bind(&new.key)
            .fetch_optional(&mut *transaction)
            .await?;
        if let Some(row) = known
            && row.try_get::<String, _>("run")? == new.run
        {
            let state: String = row.try_get("state")?;
            return Ok(match is_active(&state) {
                true => Begun::Again,
                false => Begun::Ended { state, document: row.try_get("document")? },
            });
        }
        if write(&mut transaction, new, ("Running", Some(&fence.key))).await?.is_none() {
            return Ok(Begun::Busy);
        }
        transaction.commit().await?;
        Ok(Begun::New)
    }

    /// A deployment by its key.
    pub async fn deployment(&self, key: &str) -> Result<Option<DeploymentRow>, StoreError> {
        let row = sqlx::query(concat!("SELECT ", columns!(), " FROM deployments WHERE key = $1"))
            .bind(key)
            .fetch_optional(&self.pool)
            .await?;
        row.as_ref().map(read).transpose()
    }

    /// The deployments of a scope, the newest first; of one state, if one is given.
    pub async fn deployments(
        &self,
        scope_key: &str,
        state: Option<&str>,
        paging: &Paging<'_>,
        item: impl Fn(&DeploymentRow) -> Json,
    ) -> Result<Page, StoreError> {
        let (created, key) = match paging.after.and_then(|after| after.split_once('.')) {
            Some((created, key)) => (created.parse().unwrap_or(i64::MIN), key),
            None => (i64::MAX, ""),
        };
        let rows = sqlx::query(
            "SELECT key, id, state, run, document, '' AS job, '' AS template, cancel, created, updated
             FROM deployments
             WHERE scope_key = $1 AND (created < $2 OR (created = $2 AND key > $3))
               AND ($4 = '' OR LOWER(state) = $4)
             ORDER BY created DESC, key",
        )
        .bind(scope_key)
        .bind(created)
        .bind(key)
        .bind(state.unwrap_or_default().to_lowercase())
        .fetch(&self.pool);
        page(rows, paging, |row| {
            let row = read(row)?;
            Ok(Some((format!("{}.{}", row.created, row.key), row.document.len(), item(&row))))
        })
        .await
    }

    /// The key of the deployment of a scope that succeeded last.
    pub async fn last_success(&self, scope_key: &str) -> Result<Option<String>, StoreError> {
        let row = sqlx::query(
            "SELECT key FROM deployments WHERE scope_key = $1 AND state = 'Succeeded'
             ORDER BY updated DESC, key LIMIT 1",
        )
        .bind(scope_key)
        .fetch_optional(&self.pool)
        .await?;
        row.map(|row| Ok(row.try_get("key")?)).transpose()
    }

    /// The deployments of all scopes, the newest first. Only what is asked for is read of their documents.
    pub async fn all_deployments(&self, whole: bool, top: i64) -> Result<Vec<DeploymentRow>, StoreError> {
        let rows = sqlx::query(
            "SELECT key, id, state, run, CASE WHEN $1 = 1 THEN document ELSE '' END AS document,
                    '' AS job, '' AS template, cancel, created, updated
             FROM deployments ORDER BY updated DESC, key LIMIT $2",
        )
        .bind(i64::from(whole))
        .bind(top)
        .fetch_all(&self.pool)
        .await?;
        rows.iter().map(read).collect()
    }

    /// Takes the right to work on a deployment that nobody works on.
    pub async fn claim(
        &self,
        key: &str,
        claim: &Claim,
    ) -> Result<Option<(Fence, DeploymentRow)>, StoreError> {
        let mut transaction = self.begin().await?;
        let taken = sqlx::query(
            "UPDATE deployments SET owner = $2, lease = $3, epoch = epoch + 1
             WHERE key = $1 AND parent_key IS NULL AND state IN ('Accepted', 'Running')
               AND (owner IS NULL OR owner = $2 OR lease < $4)",
        )
        .bind(key)
        .bind(&claim.owner)
        .bind(claim.lease)
        .bind(claim.now)
        .execute(&mut *transaction)
        .await?;
        if taken.rows_affected() == 0 {
            return Ok(None);
        }
        let row = sqlx::query(concat!("SELECT ", columns!(), ", epoch FROM deployments WHERE key = $1"))
            .bind(key)
            .fetch_one(&mut *transaction)
            .await?;
        let fence = Fence { key: key.to_owned(), epoch: row.try_get("epoch")? };
        let deployment = read(&row)?;
        transaction.commit().await?;
        Ok(Some((fence, deployment)))
    }

    /// The keys of deployments that nobody works on: those that are to stop, or those that are to go on, the oldest first.
    pub async fn claimable(&self, cancel: bool, now: i64, top: i64) -> Result<Vec<String>, StoreError> {
        let rows = sqlx::query(
            "SELECT key FROM deployments
             WHERE state IN ('Accepted', 'Running') AND parent_key IS NULL AND (owner IS NULL OR lease < $1)
               AND cancel = $2
             ORDER BY created LIMIT $3",
        )
        .bind(now)
        .bind(i64::from(cancel))
        .bind(top)
        .fetch_all(&self.pool)
        .await?;
        rows.iter().map(|row| Ok(row.try_get("key")?)).collect()
    }

    /// Keeps the right to work on a deployment. The answer says whether it is to stop.
    pub async fn renew(&self, fence: &Fence, lease: i64) -> Result<bool, StoreError> {
        let mut transaction = self.begin().await?;
        let kept = sqlx::query("UPDATE deployments SET lease = $3 WHERE key = $1 AND epoch = $2")
            .bind(&fence.key)
            .bind(fence.epoch)
            .bind(lease)
            .execute(&mut *transaction)
            .await?;
        if kept.rows_affected() == 0 {
            return Err(StoreError::LostLease);
        }
        let row = sqlx::query("SELECT cancel FROM deployments WHERE key = $1")
            .bind(&fence.key)
            .fetch_one(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(row.try_get::<i64, _>("cancel")? != 0)
    }

    /// Gives back a deployment that was not begun, so that anybody can take it.
    pub async fn release(&self, fence: &Fence) -> Result<(), StoreError> {
        sqlx::query("UPDATE deployments SET owner = NULL, lease = 0 WHERE key = $1 AND epoch = $2")
            .bind(&fence.key)
            .bind(fence.epoch)
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// Says that a claimed deployment runs.
    pub async fn set_running(&self, fence: &Fence, run: &str, now: i64) -> Result<(), StoreError> {
        let mut transaction = self.begin_fenced(fence).await?;
        sqlx::query("UPDATE deployments SET state = 'Running', updated = $2 WHERE key = $1")
            .bind(&fence.key)
            .bind(now)
            .execute(&mut *transaction)
            .await?;
        sqlx::query("UPDATE statuses SET state = 'Running', updated = $2 WHERE id = $1")
            .bind(run)
            .bind(now)
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(())
    }

    /// Ends a deployment: its state, its document and its status change together.
    pub async fn finish(&self, fence: &Fence, end: &Finish<'_>) -> Result<(), StoreError> {
        let mut transaction = self.begin_fenced(fence).await?;
        sqlx::query("UPDATE deployments SET state = $2, document = $3, updated = $4 WHERE key = $1")
            .bind(end.key)
            .bind(end.state)
            .bind(end.document)
            .bind(end.now)
            .execute(&mut *transaction)
            .await?;
        sqlx::query("UPDATE statuses SET state = $2, error = $3, updated = $4 WHERE id = $1")
            .bind(end.run)
            .bind(end.state)
            .bind(end.error)
            .bind(end.now)
            .execute(&mut *transaction)
            .await?;
        if end.key == fence.key {
            // An earlier attempt may have left some behind that nobody would end.
            sqlx::query(
                "UPDATE deployments SET state = 'Canceled', updated = $2
                 WHERE parent_key = $1 AND state IN ('Accepted', 'Running')",
            )
            .bind(end.key)
            .bind(end.now)
            .execute(&mut *transaction)
            .await?;
        }
        transaction.commit().await?;
        Ok(())
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
        .fetch_optional(&self.pool)
        .await?;
        asked.map(|row| Ok(row.try_get("key")?)).transpose()
    }

    /// Forgets a deployment that is not active. False if it is.
    pub async fn delete_deployment(&self, key: &str) -> Result<bool, StoreError> {
        let mut transaction = self.begin().await?;
        let removed = sqlx::query(
            "DELETE FROM deployments WHERE key = $1 AND state IN ('Succeeded', 'Failed', 'Canceled')",
        )
        .bind(key)
        .execute(&mut *transaction)
        .await?;
        if removed.rows_affected() == 0 {
            return Ok(false);
        }
        sqlx::query("DELETE FROM operations WHERE deployment_key = $1")
            .bind(key)
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(true)
    }

    /// The state of a run, with its error.
    pub async fn status(&self, run: &str) -> Result<Option<(String, Option<String>)>, StoreError> {
        let row = sqlx::query("SELECT state, error FROM statuses WHERE id = $1")
            .bind(run)
            .fetch_optional(&self.pool)
            .await?;
        row.map(|row| Ok((row.try_get("state")?, row.try_get("error")?))).transpose()
    }

    /// Forgets the statuses of runs that ended before a time.
    pub async fn forget_statuses(&self, before: i64) -> Result<(), StoreError> {
        sqlx::query("DELETE FROM statuses WHERE updated < $1 AND state NOT IN ('Accepted', 'Running')")
            .bind(before)
            .execute(&self.pool)
            .await?;
        Ok(())
    }
}

/// Writes a deployment that begins, over one of its name that is over, and forgets what that one did. Gives its epoch; none
/// if one of its name is active.
async fn write(
    transaction: &mut Transaction<'static, Any>,
    new: &NewDeployment,
    (state, parent): (&str, Option<&str>),
) -> Result<Option<i64>, StoreError> {
    let written = sqlx::query(
        "INSERT INTO deployments (key, id, scope_key, name, parent_key, state, run, document, job, template,
                                  owner, epoch, lease, cancel, created, updated)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 1, $12, 0, $13, $13)
         ON CONFLICT (key) DO UPDATE
         SET id = $2, parent_key = $5, state = $6, run = $7, document = $8, job = $9, template = $10,
             owner = $11, epoch = deployments.epoch + 1, lease = $12, cancel = 0, created = $13, updated = $13
         WHERE deployments.state IN ('Succeeded', 'Failed', 'Canceled')
         RETURNING epoch",
    )
    .bind(&new.key)
    .bind(&new.id)
    .bind(&new.scope_key)
    .bind(&new.name)
    .bind(parent)
    .bind(state)
    .bind(&new.run)
    .bind(&new.document)
    .bind(&new.job)
    .bind(&new.template)
    .bind(new.owner.as_deref())
    .bind(new.lease)
    .bind(new.now)
    .fetch_optional(&mut **transaction)
    .await?;
    let Some(written) = written else { return Ok(None) };
    sqlx::query("DELETE FROM operations WHERE deployment_key = $1")
        .bind(&new.key)
        .execute(&mut **transaction)
        .await?;
    Ok(Some(written.try_get("epoch")?))
}

fn read(row: &AnyRow) -> Result<DeploymentRow, StoreError> {
    Ok(DeploymentRow {
        key: row.try_get("key")?,
        id: row.try_get("id")?,
        state: row.try_get("state")?,
        run: row.try_get("run")?,
        document: row.try_get("document")?,
        job: row.try_get("job")?,
        template: row.try_get("template")?,
        cancel: row.try_get::<i64, _>("cancel")? != 0,
        created: row.try_get("created")?,
        updated: row.try_get("updated")?,
    })
}
