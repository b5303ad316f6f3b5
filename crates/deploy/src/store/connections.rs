//! A pool of connections to the database.
//!
//! A connection that was given back in good order is used again as it is. The pool of the driver asks each connection before
//! and after every use whether it is still alive: two more round trips for a statement, and three quarters of the time of a
//! write to SQLite, where all writers share one connection.

use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream};
use futures_util::{FutureExt, StreamExt, TryFutureExt, TryStreamExt};
use sqlx::any::{AnyQueryResult, AnyRow, AnyStatement, AnyTypeInfo};
use sqlx::{Any, AnyConnection, Connection, Either, Error, Execute, Executor, SqlStr};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How long somebody waits for a connection.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(30);

/// How long the end waits for connections that are in use.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// How a connection is opened.
#[derive(Debug, Clone)]
pub(super) struct ConnectOptions {
    pub url: String,
    /// Statements that every new connection runs first.
    pub settings: &'static [&'static str],
    /// Whether the connection is the database itself, which must never be closed.
    pub is_in_memory: bool,
}

impl ConnectOptions {
    /// Opens a connection.
    pub async fn connect(&self) -> Result<AnyConnection, Error> {
        let mut connection = AnyConnection::connect(&self.url).await?;
        for setting in self.settings {
            sqlx::query(*setting).execute(&mut connection).await?;
        }
        Ok(connection)
    }
}

/// A pool of connections. Whoever waits for one gets it in the order of asking. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct ConnectionPool {
    shared: Arc<PoolState>,
}

#[derive(Debug)]
struct PoolState {
    options: ConnectOptions,
    /// The one used last is used first: its statements are prepared.
    idle: Mutex<Vec<AnyConnection>>,
    permits: Arc<Semaphore>,
    size: u32,
    /// Whether the only connection to a database in memory was dropped in the middle of something.
    is_unclean: AtomicBool,
}

impl ConnectionPool {
    /// A pool of at most so many connections; the first one is open.
    pub async fn open(size: u32, options: ConnectOptions) -> Result<Self, Error> {
        let first = options.connect().await?;
        let shared = PoolState {
            options,
            idle: Mutex::new(vec![first]),
            permits: Arc::new(Semaphore::new(usize::try_from(size).unwrap_or(1))),
            size,
            is_unclean: AtomicBool::new(false),
        };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// A connection for one use.
    pub async fn acquire(&self) -> Result<PooledConnection, Error> {
        let pool = Arc::clone(&self.shared);
        let permit = Arc::clone(&pool.permits).acquire_owned();
        let permit = match tokio::time::timeout(ACQUIRE_TIMEOUT, permit).await {
            Ok(permit) => permit.map_err(|_| Error::PoolClosed)?,
            Err(_) => return Err(Error::PoolTimedOut),
        };
        let idle = pool.lock().pop();
        let connection = match idle {
            Some(connection) => connection,
            None => pool.options.connect().await?,
        };
        let is_unclean = pool.is_unclean.swap(false, Ordering::Relaxed);
        let mut connection = PooledConnection { connection: Some(connection), pool, _permit: permit };
        if is_unclean {
            // An error says that no transaction was open.
            let _ = sqlx::query("ROLLBACK").execute(&mut *connection).await;
        }
        Ok(connection)
    }

    /// A connection that is idle, if there is one and nobody waits for it.
    pub fn try_acquire(&self) -> Option<PooledConnection> {
        let permit = Arc::clone(&self.shared.permits).try_acquire_owned().ok()?;
        // One that was not left in good order has to be seen to first.
        if self.shared.is_unclean.load(Ordering::Relaxed) {
            return None;
        }
        let connection = self.shared.lock().pop()?;
        Some(PooledConnection {
            connection: Some(connection),
            pool: Arc::clone(&self.shared),
            _permit: permit,
        })
    }

    /// Closes all connections, after those in use have come back.
    pub async fn close(&self) {
        let shared = &self.shared;
        let all = tokio::time::timeout(CLOSE_TIMEOUT, shared.permits.acquire_many(shared.size)).await;
        shared.permits.close();
        drop(all);
        let idle = std::mem::take(&mut *shared.lock());
        for connection in idle {
            let _ = connection.close().await;
        }
    }
}

impl PoolState {
    /// After one connection broke, the others are likely to be broken as well: a server that was restarted has closed them all.
    fn discard_idle(&self) {
        if !self.options.is_in_memory {
            self.lock().clear();
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<AnyConnection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection that somebody uses. Dropped without [`Self::release`], it is closed: nobody knows what state it is in. The
/// database rolls back what was not committed.
pub(super) struct PooledConnection {
    connection: Option<AnyConnection>,
    pool: Arc<PoolState>,
    _permit: OwnedSemaphorePermit,
}

impl PooledConnection {
    /// Gives the connection back: no transaction is open, no result is left unread.
    pub fn release(mut self) {
        if let Some(connection) = self.connection.take() {
            self.pool.lock().push(connection);
        }
    }

    /// Gives the connection back after a statement outside of a transaction. One that the database refused leaves the
    /// connection as it was.
    fn settle<T>(self, result: Result<T, Error>) -> Result<T, Error> {
        match &result {
            Ok(_) | Err(Error::Database(_) | Error::RowNotFound) => self.release(),
            Err(error) => self.abandon(error),
        }
        result
    }

    /// Closes the connection after an error in a transaction.
    pub fn abandon(self, error: &Error) {
        if !matches!(error, Error::Database(_)) {
            self.pool.discard_idle();
        }
    }
}

impl Drop for PooledConnection {
    fn drop(&mut self) {
        if self.pool.options.is_in_memory
            && let Some(connection) = self.connection.take()
        {
            self.pool.is_unclean.store(true, Ordering::Relaxed);
            self.pool.lock().push(connection);
        }
    }
}

impl Deref for PooledConnection {
    type Target = AnyConnection;

    #[expect(clippy::expect_used, reason = "the connection is only taken by what consumes the guard")]
    fn deref(&self) -> &AnyConnection {
        self.connection.as_ref().expect("a connection")
    }
}

impl DerefMut for PooledConnection {
    #[expect(clippy::expect_used, reason = "the connection is only taken by what consumes the guard")]
    fn deref_mut(&mut self) -> &mut AnyConnection {
        self.connection.as_mut().expect("a connection")
    }
}

/// A statement outside of a transaction, on any connection. Results are read to their end before the connection is given back.
impl<'c> Executor<'c> for &'_ ConnectionPool {
    type Database = Any;

    fn fetch_many<'e, 'q: 'e, E>(
        self,
        query: E,
    ) -> BoxStream<'e, Result<Either<AnyQueryResult, AnyRow>, Error>>
    where
        E: 'q + Execute<'q, Any>,
    {
        let pool = self.clone();
        async move {
            let mut connection = pool.acquire().await?;
            let results = connection.fetch_many(query).try_collect::<Vec<_>>().await;
            let results = connection.settle(results)?;
            Ok(stream::iter(results).map(Ok))
        }
        .try_flatten_stream()
        .boxed()
    }

    fn fetch_optional<'e, 'q: 'e, E>(self, query: E) -> BoxFuture<'e, Result<Option<AnyRow>, Error>>
    where
        E: 'q + Execute<'q, Any>,
    {
        let pool = self.clone();
        async move {
            let mut connection = pool.acquire().await?;
            let row = connection.fetch_optional(query).await;
            connection.settle(row)
        }
        .boxed()
    }

    fn prepare_with<'e>(
        self,
        sql: SqlStr,
        parameters: &'e [AnyTypeInfo],
    ) -> BoxFuture<'e, Result<AnyStatement, Error>>
    where
        'c: 'e,
    {
        let pool = self.clone();
        async move {
            let mut connection = pool.acquire().await?;
            let statement = connection.prepare_with(sql, parameters).await;
            connection.settle(statement)
        }
        .boxed()
    }
}
