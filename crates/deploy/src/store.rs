//! The state: deployments, operations and resources in one SQL database.
//!
//! SQLite in a file (or in memory) and PostgreSQL are used with the same statements. Whatever must be true together is
//! written in one transaction; whoever works on a deployment proves with every write that it is still the owner
//! (see [`Fence`]).

mod batch;
mod connections;
mod deployments;
mod group_commit;
mod migrate;
mod operations;
mod paging;
mod resources;
mod sealing;

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use sqlx::postgres::PgConnectOptions;
use sqlx::{AnyConnection, Connection};

pub(crate) use self::batch::ResourceStep;
use self::connections::{ConnectOptions, ConnectionPool, PooledConnection};
pub(crate) use self::deployments::{
    AcceptedRow, Admission, DeploymentRow, FinishedDeployment, LeasedDeployment, ListedRow, NestedStart,
    NewDeployment,
};
use self::group_commit::GroupCommit;
pub(crate) use self::operations::OperationRow;
pub use self::paging::{Page, Paging};
pub(crate) use self::resources::{NewResource, OperationRecord, ResourceRow, ResourceWriter};
use self::sealing::SealingKey;

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
    /// The file of the state cannot be used, and why.
    File(PathBuf, String),
    /// The key of the secrets of key vaults cannot be used, and why.
    SecretKey(String),
}

impl StoreError {
    /// Whether the same may work later: the database is away, busy or full.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Database(_))
    }

    fn file(path: &Path, error: &sqlx::Error) -> Self {
        let reason = match error {
            sqlx::Error::Database(error) => error.message().to_owned(),
            other => other.to_string(),
        };
        Self::File(path.to_owned(), reason)
    }
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
            Self::File(path, reason) => write!(f, "the state file '{}': {reason}", path.display()),
            Self::SecretKey(reason) => write!(f, "the key of the secrets: {reason}"),
            Self::LostLease => f.write_str("another process works on this deployment now"),
            Self::Damaged(what) => write!(f, "the state database holds {what} that cannot be read"),
            Self::Newer(version) => {
                write!(f, "the state database has version {version}, which is newer than this program")
            }
        }
    }
}

impl std::error::Error for StoreError {}

/// The fencing token of a lease. Every write of a run checks it, so that a process that has lost the lease writes nothing.
#[derive(Debug, Clone)]
pub(crate) struct Fence {
    /// The deployment that was claimed: the outermost one.
    pub key: String,
    /// Which claim it was.
    pub epoch: i64,
}

/// How the row of a deployment is locked by a transaction under its lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FenceLock {
    /// By what changes the deployment itself.
    Exclusive,
    /// By what writes resources: group commit holds resources while it waits for this row, so that an exclusive lock of whoever
    /// wants one of those would be a deadlock.
    Shared,
}

/// A database with its connections. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Store {
    readers: ConnectionPool,
    /// SQLite has one writer at a time: waiting here is fair, waiting in the database is not.
    writers: ConnectionPool,
    /// Writes what happens most often while deployments run.
    group_commit: Arc<GroupCommit>,
    begin: &'static str,
    /// Whether several processes may use it: PostgreSQL.
    pub shared: bool,
    /// Seals the values of secrets.
    sealing: Arc<SealingKey>,
}

/// The connections of a store, by what they are for.
struct Pools {
    readers: ConnectionPool,
    writers: ConnectionPool,
    groups: ConnectionPool,
}

/// The channel of the notices between servers.
pub(crate) const CHANNEL: &str = "sinew";

/// How long a statement of PostgreSQL waits for a row that another session holds, and how long a session may hold rows
/// without doing anything. A process that is frozen in the middle of a transaction loses its rows after that.
///
/// Each statement is planned once for each connection, and each has an index that fits: neither a table that is still small nor
/// statistics that are still missing may lead to a plan that reads all of it.
const POSTGRES_SETTINGS: [&str; 4] = [
    "SET lock_timeout = '2s'",
    "SET idle_in_transaction_session_timeout = '2s'",
    "SET plan_cache_mode = force_generic_plan",
    "SET enable_seqscan = off",
];

/// Connections of a server to PostgreSQL, besides those of group commit. Four servers, each with one more that listens, fit into
/// the 100 that it allows by default. Whoever reads does not wait behind those who write.
const POSTGRES_READERS: u32 = 8;
const POSTGRES_WRITERS: u32 = 4;

/// Connections for group commit to a PostgreSQL on another machine: most of the time of a batch is its round trip, so that many
/// may be under way at once.
const REMOTE_GROUPS: u32 = 10;

/// Connections for group commit to PostgreSQL. On the same machine its sessions compete for the processors with whoever reads:
/// one for each. Measured on two cores with 16 clients (medians of runs in turns, benches/deploy): 14 writing sessions without
/// groups gave 1,000 deployments a second and a GET of 8.2 ms at the 99th percentile; with groups, 14 sessions gave 1,350 and
/// 6.8 ms, 4 gave 1,120 and 5.1 ms, 2 gave 1,490 and 3.5 ms. There are at least two: one goes on while the other waits for a row
/// that a frozen server holds.
fn postgres_groups(url: &str) -> u32 {
    if !is_on_this_machine(url) {
        return REMOTE_GROUPS;
    }
    let processors = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
    u32::try_from(processors).unwrap_or(REMOTE_GROUPS).clamp(2, REMOTE_GROUPS)
}

fn is_on_this_machine(url: &str) -> bool {
    let Ok(options) = url.parse::<PgConnectOptions>() else { return false };
    let host = options.get_host();
    let is_loopback = || host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
    options.get_socket().is_some() || host.starts_with('/') || host == "localhost" || is_loopback()
}

/// Write-ahead logging, and how long to wait for other processes. Statements that may be undone alone keep what they need for that
/// in memory, not in a file.
const SQLITE_SETTINGS: [&str; 4] = [
    "PRAGMA busy_timeout = 30000",
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = NORMAL",
    "PRAGMA temp_store = MEMORY",
];

/// The same for the one connection that writes. Every deployment adds to seven indexes at the place of its group: with more groups
/// than fit into the cache of 2 MB that SQLite has by default, those pages are read again each time. The log is written back every
/// 32 MB instead of every 4: with small transactions the pauses of that were most of the slowest percent (8 ms, 0.3 ms with this,
/// on a busy disk).
const SQLITE_WRITER_SETTINGS: [&str; 6] = [
    "PRAGMA busy_timeout = 30000",
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = NORMAL",
    "PRAGMA temp_store = MEMORY",
    "PRAGMA cache_size = -32768",
    "PRAGMA wal_autocheckpoint = 8000",
];

impl ConnectOptions {
    fn of(location: &Location) -> Self {
        match location {
            Location::Memory => {
                Self { url: "sqlite::memory:".to_owned(), settings: &SQLITE_SETTINGS, is_in_memory: true }
            }
            Location::File(path) => Self {
                url: format!("sqlite://{}?mode=rwc", path.display()),
                settings: &SQLITE_SETTINGS,
                is_in_memory: false,
            },
            Location::Postgres(url) => {
                Self { url: url.clone(), settings: &POSTGRES_SETTINGS, is_in_memory: false }
            }
        }
    }
}

impl Store {
    /// Opens the database and brings its tables up to date.
    pub async fn open(location: &Location, secrets_key: Option<&Path>) -> Result<Self, StoreError> {
        sqlx::any::install_default_drivers();
        let options = ConnectOptions::of(location);
        if let Location::File(path) = location {
            prepare_file(path)?;
        }
        probe(&options).await.map_err(|error| match location {
            Location::File(path) => StoreError::file(path, &error),
            _ => error.into(),
        })?;
        let sealing = SealingKey::of(location, secrets_key);
        let store = match location {
            Location::Memory => {
                let pool = ConnectionPool::open(1, options).await?;
                let pools = Pools { readers: pool.clone(), writers: pool.clone(), groups: pool };
                Self::new(pools, location, sealing)
            }
            Location::File(_) => {
                let writing = ConnectOptions { settings: &SQLITE_WRITER_SETTINGS, ..options.clone() };
                let writers = ConnectionPool::open(1, writing).await?;
                let readers = ConnectionPool::open(8, options).await?;
                let pools = Pools { readers, groups: writers.clone(), writers };
                Self::new(pools, location, sealing)
            }
            Location::Postgres(url) => {
                let groups = ConnectionPool::open(postgres_groups(url), options.clone()).await?;
                let writers = ConnectionPool::open(POSTGRES_WRITERS, options.clone()).await?;
                let readers = ConnectionPool::open(POSTGRES_READERS, options).await?;
                Self::new(Pools { readers, writers, groups }, location, sealing)
            }
        };
        store.migrate().await.map_err(|error| match (error, location) {
            (StoreError::Database(error), Location::File(path)) => StoreError::file(path, &error),
            (error, _) => error,
        })?;
        store.seal_secrets().await?;
        Ok(store)
    }

    fn new(pools: Pools, location: &Location, sealing: SealingKey) -> Self {
        let shared = matches!(location, Location::Postgres(_));
        let begin = if shared { "BEGIN" } else { "BEGIN IMMEDIATE" };
        Self {
            readers: pools.readers,
            writers: pools.writers,
            group_commit: Arc::new(GroupCommit::new(pools.groups, begin)),
            begin,
            shared,
            sealing: Arc::new(sealing),
        }
    }

    /// Closes all connections.
    pub async fn close(&self) {
        self.readers.close().await;
        self.group_commit.close().await;
        self.writers.close().await;
    }

    /// A transaction that may write from its first statement on.
    async fn begin(&self) -> Result<WriteTransaction, StoreError> {
        let mut transaction = WriteTransaction { connection: self.writers.acquire().await? };
        sqlx::query(self.begin).execute(&mut *transaction).await?;
        Ok(transaction)
    }

    /// A transaction under the lease of a deployment: the lease cannot be taken over before it ends.
    async fn begin_fenced(&self, fence: &Fence, lock: FenceLock) -> Result<WriteTransaction, StoreError> {
        let mut transaction = self.begin().await?;
        // Whoever writes to SQLite is alone.
        let text = match (self.shared, lock) {
            (true, FenceLock::Exclusive) => {
                "SELECT epoch FROM deployments WHERE key = $1 AND epoch = $2 FOR UPDATE"
            }
            (true, FenceLock::Shared) => {
                "SELECT epoch FROM deployments WHERE key = $1 AND epoch = $2 FOR SHARE"
            }
            (false, _) => "SELECT epoch FROM deployments WHERE key = $1 AND epoch = $2",
        };
        let held = sqlx::query(text).bind(&fence.key).bind(fence.epoch).fetch_optional(&mut *transaction);
        match held.await? {
            Some(_) => Ok(transaction),
            None => {
                transaction.roll_back().await;
                Err(StoreError::LostLease)
            }
        }
    }

    /// Wakes the other servers of a PostgreSQL database: with nothing, to look for work; with the key of a deployment, to see
    /// whether it is to stop.
    pub async fn notify(&self, what: &str) -> Result<(), StoreError> {
        if self.shared {
            sqlx::query("SELECT pg_notify($1, $2)").bind(CHANNEL).bind(what).execute(&self.writers).await?;
        }
        Ok(())
    }

    /// Writes a heartbeat: proof that the state can be written.
    pub async fn beat(&self, owner: &str) -> Result<(), StoreError> {
        let mut transaction = self.begin().await?;
        sqlx::query(
            "INSERT INTO servers (owner, beat, seen) VALUES ($1, 1, $2)
             ON CONFLICT (owner) DO UPDATE SET beat = servers.beat + 1, seen = $2",
        )
        .bind(owner)
        .bind(crate::clock::now())
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await
    }
}

/// Does something with the state again and again until the database answers. Only for whoever works on a deployment: its lease
/// ends the wait when another process has taken over.
macro_rules! until_available {
    ($operation:expr) => {{
        let mut pause = $crate::store::Pause::default();
        loop {
            match $operation.await {
                Err(error) if error.is_transient() => pause.wait(&error).await,
                other => break other,
            }
        }
    }};
}
pub(crate) use until_available;

/// The growing pauses between two attempts.
#[derive(Default)]
pub(crate) struct Pause {
    attempts: u32,
}

impl Pause {
    /// Waits, and says in the log what for.
    pub async fn wait(&mut self, error: &(impl std::fmt::Display + ?Sized)) {
        if self.attempts == 0 {
            tracing::warn!(%error, "waiting for the state");
        }
        tokio::time::sleep(Duration::from_millis(20 << self.attempts.min(5))).await;
        self.attempts += 1;
    }
}

/// A transaction on a connection of its own. Dropped before it is committed, it is rolled back, as its connection is closed.
struct WriteTransaction {
    connection: PooledConnection,
}

impl WriteTransaction {
    async fn commit(mut self) -> Result<(), StoreError> {
        sqlx::query("COMMIT").execute(&mut *self).await?;
        self.connection.release();
        Ok(())
    }

    /// Gives the transaction up and keeps the connection. If that does not work, the connection is closed.
    async fn roll_back(mut self) {
        if sqlx::query("ROLLBACK").execute(&mut *self).await.is_ok() {
            self.connection.release();
        }
    }
}

impl std::ops::Deref for WriteTransaction {
    type Target = AnyConnection;

    fn deref(&self) -> &AnyConnection {
        &self.connection
    }
}

impl std::ops::DerefMut for WriteTransaction {
    fn deref_mut(&mut self) -> &mut AnyConnection {
        &mut self.connection
    }
}

/// Connects once, to be told the reason if that does not work, and reads something: a file that is no database is noticed
/// only then.
async fn probe(options: &ConnectOptions) -> Result<(), sqlx::Error> {
    let mut connection = options.connect().await?;
    sqlx::query("SELECT 1 AS one").fetch_one(&mut connection).await?;
    connection.close().await
}

/// The file must be there for its owner alone before anything is written to it: the log beside it takes its rights over.
fn prepare_file(path: &Path) -> Result<(), StoreError> {
    let mut options = std::fs::OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop).map_err(|error| StoreError::File(path.to_owned(), error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_on_this_machine_is_recognised() {
        let check = |url: &str, expected: bool| assert_eq!(is_on_this_machine(url), expected, "{url}");
        check("postgres://user@localhost/name", true);
        check("postgres://user@127.0.0.1:5433/name", true);
        check("postgresql://user@[::1]/name", true);
        check("postgres://user@%2Fvar%2Frun%2Fpostgresql/name", true);
        check("postgres:///name?host=/var/run/postgresql", true);
        check("postgres://user:word@database.example:5432/name?sslmode=require", false);
        check("postgres://user@10.0.0.4/name", false);
        check("postgres://user@[2001:db8::1]/name", false);
        check("nothing of the kind", false);
    }
}
