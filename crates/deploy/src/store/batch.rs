//! Transactions that are one round trip to the database: what happens most often while deployments run.
//!
//! SQLite runs a text of several statements at once; PostgreSQL runs one statement whose parts write. Each checks in itself that
//! the writer still owns the deployment, and gives a row when it has written. When it has not, nothing is written. Each locks the
//! row of its deployment or of its resource, and others only in shared mode: so group commit can put locks into an order.

use sqlx::any::{AnyArguments, AnyRow};
use sqlx::query::Query;
use sqlx::{Any, Execute, Row};

use super::connections::PooledConnection;
use super::group_commit::{Batch, BatchText, GroupAnswer};
use super::resources::{is_protecting, range_below};
use super::{
    AcceptedRow, Fence, FinishedDeployment, NewDeployment, NewResource, OperationRecord, OperationRow, Store,
    StoreError,
};
use crate::scope::group_key;

/// A resource that is written together with its operation.
pub(crate) struct ResourceStep<'s> {
    pub resource: NewResource<'s>,
    pub document: &'s str,
    /// The document that is replaced; none if there must not be one.
    pub old: Option<&'s str>,
    pub record: &'s OperationRecord,
    pub now: i64,
}

/// Inserts a deployment, or replaces one of its name that is over. Rows: its epoch.
macro_rules! insert_deployment {
    () => {
        "INSERT INTO deployments (key, id, scope_key, name, parent_key, state, run, document, job, template,
                                  owner, epoch, lease, cancel, created, updated)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 1, 0, 0, $12, $12)
         ON CONFLICT (key) DO UPDATE
         SET id = $2, parent_key = $5, state = $6, run = $7, document = $8, job = $9, template = $10,
             owner = $11, epoch = deployments.epoch + 1, lease = 0, cancel = 0, created = $12, updated = $12
         WHERE deployments.state IN ('Succeeded', 'Failed', 'Canceled')
         RETURNING epoch"
    };
}
pub(super) use insert_deployment;

/// A batch of SQLite, as a transaction of its own and as part of one.
macro_rules! batch_text {
    ($($part:expr),+ $(,)?) => {
        BatchText {
            alone: concat!("BEGIN IMMEDIATE;", $($part),+, ";COMMIT"),
            in_group: concat!($($part),+),
        }
    };
}

const ACCEPT_SQLITE: BatchText = batch_text!(
    insert_deployment!(),
    ";
     INSERT INTO statuses (id, deployment_key, state, created) SELECT $7, $1, $6, $12 WHERE changes() > 0;
     DELETE FROM operations WHERE deployment_key = $1 AND changes() > 0;
     SELECT EXISTS (SELECT 1 FROM resources WHERE key IN (SELECT value FROM json_each($13))) AS has_resources"
);

const ACCEPT_POSTGRES: &str = concat!(
    "WITH written AS (",
    insert_deployment!(),
    "), status AS (
       INSERT INTO statuses (id, deployment_key, state, created) SELECT $7, $1, $6, $12 FROM written
     ), forgotten AS (
       DELETE FROM operations WHERE deployment_key = $1 AND EXISTS (SELECT 1 FROM written WHERE epoch > 1)
     )
     SELECT epoch, CAST(CASE WHEN EXISTS (
              SELECT 1 FROM resources
              WHERE key = ANY (ARRAY(SELECT json_array_elements_text(CAST($13 AS JSON))))
            ) THEN 1 ELSE 0 END AS BIGINT) AS has_resources FROM written"
);

/// The columns of an operation.
macro_rules! operation_columns {
    () => {
        "INSERT INTO operations (deployment_key, operation_id, position, subject, state, document)"
    };
}

/// What becomes of an operation that is there already, and the row that says that it was written.
macro_rules! replace_operation {
    () => {
        " ON CONFLICT (deployment_key, operation_id)
          DO UPDATE SET state = excluded.state, document = excluded.document
          RETURNING operation_id"
    };
}

const OPERATION_SQLITE: BatchText = batch_text!(
    operation_columns!(),
    " SELECT $3, $4, $5, $6, $7, $8
      WHERE EXISTS (SELECT 1 FROM deployments WHERE key = $1 AND epoch = $2)",
    replace_operation!()
);

const OPERATION_POSTGRES: &str = concat!(
    "WITH held AS (SELECT 1 FROM deployments WHERE key = $1 AND epoch = $2 FOR SHARE) ",
    operation_columns!(),
    " SELECT $3, $4, $5, $6, $7, $8 FROM held",
    replace_operation!()
);

const FINISH_SQLITE: BatchText = batch_text!(
    "UPDATE deployments SET state = $7, document = $10, updated = $11 WHERE key = $1 AND epoch = $2;
     UPDATE statuses SET state = $7, error = NULL
     WHERE id = $9 AND EXISTS (SELECT 1 FROM deployments WHERE key = $1 AND epoch = $2);",
    operation_columns!(),
    " SELECT $3, $4, $5, $6, $7, $8
      WHERE EXISTS (SELECT 1 FROM deployments WHERE key = $1 AND epoch = $2)",
    replace_operation!(),
);

const FINISH_POSTGRES: &str = concat!(
    "WITH done AS (
       UPDATE deployments SET state = $7, document = $10, updated = $11 WHERE key = $1 AND epoch = $2
       RETURNING key
     ), status AS (
       UPDATE statuses SET state = $7, error = NULL
       WHERE id = $9 AND EXISTS (SELECT 1 FROM done)
     ) ",
    operation_columns!(),
    " SELECT $3, $4, $5, $6, $7, $8 FROM done",
    replace_operation!()
);

/// Inserts a resource, or replaces what was read of it; its group must be there, and nothing in its subscription may be
/// protected: what is needs a closer look.
macro_rules! insert_resource {
    ($from:literal, $group:literal) => {
        concat!(
            "INSERT INTO resources (key, id, group_key, type_key, document, created, updated)
             SELECT $9, $10, $11, $12, $13, $14, $14 ",
            $from,
            " AND ($11 IS NULL OR EXISTS (",
            $group,
            ")) AND NOT EXISTS (SELECT 1 FROM resources WHERE ",
            is_protecting!(),
            " AND key > $16 AND key < $17)
             ON CONFLICT (key) DO UPDATE SET document = excluded.document, updated = excluded.updated
             WHERE resources.document = $15"
        )
    };
}

const RESOURCE_SQLITE: BatchText = batch_text!(
    insert_resource!(
        "WHERE EXISTS (SELECT 1 FROM deployments WHERE key = $1 AND epoch = $2)",
        "SELECT 1 FROM resources WHERE key = $11"
    ),
    ";",
    operation_columns!(),
    " SELECT $3, $4, $5, $6, $7, $8 WHERE changes() > 0",
    replace_operation!(),
);

const RESOURCE_POSTGRES: &str = concat!(
    "WITH held AS (SELECT 1 FROM deployments WHERE key = $1 AND epoch = $2 FOR SHARE),
          its_group AS (SELECT 1 FROM resources WHERE key = $11 FOR KEY SHARE),
          written AS (",
    insert_resource!("FROM held WHERE TRUE", "SELECT 1 FROM its_group"),
    " RETURNING key) ",
    operation_columns!(),
    " SELECT $3, $4, $5, $6, $7, $8 FROM written",
    replace_operation!()
);

type Statement<'q> = Query<'q, Any, AnyArguments>;

impl Store {
    /// Takes a deployment in that will write resources with these keys, a JSON array. If one of its name is active, nothing
    /// changes and there is no answer.
    pub async fn accept(
        &self,
        new: &NewDeployment,
        resource_keys: &str,
    ) -> Result<Option<AcceptedRow>, StoreError> {
        let bind = |statement| bind_deployment(statement, new, None).bind(resource_keys);
        let rows = self.run_batch(ACCEPT_SQLITE, ACCEPT_POSTGRES, &new.key, bind).await?;
        let epoch = rows.iter().find_map(|row| row.try_get("epoch").ok());
        let has_resources = rows.iter().find_map(|row| row.try_get::<i64, _>("has_resources").ok());
        Ok(epoch.map(|epoch| AcceptedRow { epoch, has_resources: has_resources != Some(0) }))
    }

    /// Writes an operation of a deployment, or writes over it.
    pub async fn put_operation(
        &self,
        fence: &Fence,
        deployment: &str,
        row: &OperationRow,
    ) -> Result<(), StoreError> {
        let bind = |statement| bind_operation(fenced(statement, fence), deployment, row);
        let rows = self.run_batch(OPERATION_SQLITE, OPERATION_POSTGRES, deployment, bind).await?;
        if rows.is_empty() { Err(StoreError::LostLease) } else { Ok(()) }
    }

    /// Ends an outermost deployment that has succeeded: its state, its document, its last operation and its status change
    /// together.
    pub(super) async fn finish_success(
        &self,
        fence: &Fence,
        end: &FinishedDeployment<'_>,
        operation: &OperationRow,
    ) -> Result<(), StoreError> {
        let bind = |statement| {
            let statement = bind_operation(fenced(statement, fence), end.key, operation);
            statement.bind(end.run).bind(end.document).bind(end.now)
        };
        let rows = self.run_batch(FINISH_SQLITE, FINISH_POSTGRES, end.key, bind).await?;
        if rows.is_empty() { Err(StoreError::LostLease) } else { Ok(()) }
    }

    /// Writes a resource and its operation, in the common case: the lease is held, the group is there, nothing in the
    /// subscription is protected, and the resource was not written since it was read. False if any of that does not hold.
    pub async fn put_resource_step(
        &self,
        fence: &Fence,
        step: &ResourceStep<'_>,
    ) -> Result<bool, StoreError> {
        let key = crate::scope::key(step.resource.id);
        let (first, end) = range_below(&crate::scope::subscription_key(&key));
        let type_key = step.resource.resource_type.to_lowercase();
        let group = group_key(step.resource.id).filter(|group| *group != key);
        let bind = |statement| {
            bind_operation(fenced(statement, fence), &step.record.deployment, &step.record.operation)
                .bind(key.as_str())
                .bind(step.resource.id)
                .bind(group.as_deref())
                .bind(type_key.as_str())
                .bind(step.document)
                .bind(step.now)
                .bind(step.old)
                .bind(first.as_str())
                .bind(end.as_str())
        };
        Ok(!self.run_batch(RESOURCE_SQLITE, RESOURCE_POSTGRES, &key, bind).await?.is_empty())
    }

    /// Runs a text that is a transaction of its own. What would wait for a connection is written in a group.
    async fn run_batch<'q>(
        &self,
        sqlite: BatchText,
        postgres: &'static str,
        locked: &str,
        bind: impl Fn(Statement<'q>) -> Statement<'q>,
    ) -> Result<Vec<AnyRow>, StoreError> {
        let text = if self.shared { BatchText { alone: postgres, in_group: postgres } } else { sqlite };
        if let Some(connection) = self.group_commit.idle_connection() {
            return run_alone(connection, bind(sqlx::query(text.alone))).await;
        }
        let arguments = bind(sqlx::query(text.in_group)).take_arguments();
        let arguments = arguments.map_err(sqlx::Error::Encode)?.unwrap_or_default();
        let batch = Batch { text, arguments, locked: locked.to_owned() };
        match self.group_commit.write(batch).await {
            GroupAnswer::Written(rows) => Ok(rows),
            GroupAnswer::RolledBack => {
                run_alone(self.writers.acquire().await?, bind(sqlx::query(text.alone))).await
            }
            GroupAnswer::Broken(error) => Err(error.into()),
        }
    }
}

/// Runs a text on a connection. All results are read: the last statement commits. After an error the connection is closed, and
/// the database rolls back.
async fn run_alone(
    mut connection: PooledConnection,
    statement: Statement<'_>,
) -> Result<Vec<AnyRow>, StoreError> {
    match statement.fetch_all(&mut *connection).await {
        Ok(rows) => {
            connection.release();
            Ok(rows)
        }
        Err(error) => {
            connection.abandon(&error);
            Err(error.into())
        }
    }
}

fn fenced<'q>(statement: Statement<'q>, fence: &'q Fence) -> Statement<'q> {
    statement.bind(&fence.key).bind(fence.epoch)
}

/// Binds the values of [`insert_deployment`].
pub(super) fn bind_deployment<'q>(
    statement: Statement<'q>,
    new: &'q NewDeployment,
    parent: Option<&'q str>,
) -> Statement<'q> {
    statement
        .bind(&new.key)
        .bind(&new.id)
        .bind(&new.scope_key)
        .bind(&new.name)
        .bind(parent)
        .bind(new.state.name())
        .bind(&new.run)
        .bind(&new.document)
        .bind(&new.job)
        .bind(&new.template)
        .bind(new.owner.as_deref())
        .bind(new.now)
}

/// Binds the columns of an operation, in their order.
fn bind_operation<'q>(statement: Statement<'q>, deployment: &'q str, row: &'q OperationRow) -> Statement<'q> {
    statement
        .bind(deployment)
        .bind(&row.operation_id)
        .bind(row.position)
        .bind(&row.subject)
        .bind(row.state.name())
        .bind(&row.document)
}
