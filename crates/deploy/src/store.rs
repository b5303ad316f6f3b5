//! The state: deployments, operations and resources in one SQL database.
//!
//! SQLite in a file (or in memory) and PostgreSQL are used with the same statements. Whatever must be true together is
//! written in one transaction; whoever works on a deployment proves with every write that it is still the owner
//! (see [`Fence`]).

mod deployments;
mod migrate;
mod operations;
mod paging;
mod resources;

use std::path::PathBuf;
use std::time::Duration;

use sqlx::any::AnyPoolOptions;
use sqlx::{Any, AnyConnection, AnyPool, Transaction};

pub(crate) use self::deployments::{Begun, Claim, DeploymentRow, Finish, NewDeployment, is_active};
pub(crate) use self::operations::OperationRow;
pub use self::paging::{Page, Paging};
pub(crate) use self::resources::{NewResource, ResourceRow};

/// Where the state is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Location {
    /// In memory: gone when the engine is.
    Memory,
    /// An SQLite file; made when it is not there.
    File(PathBuf),
    /// A PostgreSQL database: `postgres://user@host/name`.
    Postgres(String),
}

impl Location {
    /// A file's path, or the URL of a database.
    pub fn parse(text: &str) -> Self {
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            Self::Postgres(text.into())
        } else if text == ":memory:" {
            Self::Memory
        } else {
            Self::File(text.strip_prefix("sqlite:").unwrap_or(text).into())
        }
    }
}

/// Why the store did not do what it should.
#[derive(Debug)]
pub enum StoreError {
    /// The database said no.
    Database(sqlx::Error),
    /// Another process has taken the deployment over, or it was deleted.
    LostLease,
    /// What was stored cannot be read.
    Damaged(String),
    /// The database was written by a newer version.
    Newer(i64),
    /// The resource group of what was to be written is not there.
    NoGroup(String),
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        Self::Database(error)
    }
}

impl std::fmt::Display for StoreError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Database(error) => write!(f, "the state database: {error}"),
            Self::NoGroup(group) => write!(f, "the resource group '{group}' is not there"),
            Self::LostLease => f.write_str("another process works on this deployment now"),
            Self::Damaged(what) => write!(f, "the state database holds {what} that cannot be read"),
            Self::Newer(version) => {
                write!(f, "the state database has version {version}, which is newer than this program")
            }
        }
    }
}

impl std::error::Error for StoreError {}

/// Proof that whoever writes is still the one who works on the deployment.
#[derive(Debug, Clone)]
pub(crate) struct Fence {
    /// The deployment that was claimed: the outermost one.
    pub key: String,
    /// Which claim it was.
    pub epoch: i64,
}

/// A database with its connections. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Store {
    pool: AnyPool,
    begin: &'static str,
    /// Whether several processes may use it.
    pub shared: bool,
}

impl Store {
    /// Opens the database and brings its tables up to date.
    pub async fn open(location: &Location) -> Result<Self, StoreError> {
        sqlx::any::install_default_drivers();
        let (url, connections, shared) = match location {
            Location::Memory => ("sqlite::memory:".to_owned(), 1, false),
            Location::File(path) => (format!("sqlite://{}?mode=rwc", path.display()), 8, false),
            Location::Postgres(url) => (url.clone(), 16, true),
        };
        let mut options =
            AnyPoolOptions::new().max_connections(connections).acquire_timeout(Duration::from_secs(30));
        if !shared {
            // A connection in memory is the database: it must never be closed.
            options = options
                .idle_timeout(None)
                .max_lifetime(None)
                .after_connect(|connection, _| Box::pin(async move { prepare_sqlite(connection).await }));
        }
        let pool = options.connect(&url).await?;
        let store = Self { pool, begin: if shared { "BEGIN" } else { "BEGIN IMMEDIATE" }, shared };
        store.migrate().await?;
        Ok(store)
    }

    /// Closes all connections.
    pub async fn close(&self) {
        self.pool.close().await;
    }

    /// A transaction that may write from its first statement on.
    async fn begin(&self) -> Result<Transaction<'static, Any>, StoreError> {
        Ok(self.pool.begin_with(self.begin).await?)
    }

    /// A transaction of the owner of a deployment: nobody else can become the owner before it ends.
    async fn begin_fenced(&self, fence: &Fence) -> Result<Transaction<'static, Any>, StoreError> {
        let mut transaction = self.begin().await?;
        let touched = sqlx::query("UPDATE deployments SET epoch = epoch WHERE key = $1 AND epoch = $2")
            .bind(&fence.key)
            .bind(fence.epoch)
            .execute(&mut *transaction)
            .await?;
        if touched.rows_affected() == 0 {
            return Err(StoreError::LostLease);
        }
        Ok(transaction)
    }
}

/// Write-ahead logging, and patience with other writers.
async fn prepare_sqlite(connection: &mut AnyConnection) -> Result<(), sqlx::Error> {
    use sqlx::Executor;
    for statement in
        ["PRAGMA busy_timeout = 30000", "PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL"]
    {
        connection.execute(statement).await?;
    }
    Ok(())
}
