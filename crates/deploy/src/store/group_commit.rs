//! Group commit: batches that wait for a connection are written in one transaction.
//!
//! Each batch is a transaction of its own in effect: it reads and writes in its turn, and whoever asked for it is answered
//! after the commit of all. A commit of SQLite writes whole pages, and neighbours in time share most of theirs. A commit of
//! PostgreSQL waits for the disk, and all sessions that waited for the same write of the log wake at once: whoever reads then
//! finds no processor for some milliseconds. When a batch fails, its group is rolled back and everybody writes alone, so that
//! nobody suffers from another's error.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use sqlx::any::{AnyArguments, AnyRow};
use sqlx::{Error, Executor};
use tokio::sync::oneshot;

use super::connections::{ConnectionPool, PooledConnection};

/// The most batches in a group: the first one waits for the last.
const MAX_GROUP: usize = 32;

/// The text of a batch.
#[derive(Debug, Clone, Copy)]
pub(super) struct BatchText {
    /// As a transaction of its own.
    pub alone: &'static str,
    /// Without beginning and end.
    pub in_group: &'static str,
}

/// A batch to be written in a group.
pub(super) struct Batch {
    pub text: BatchText,
    pub arguments: AnyArguments,
    /// What it locks: groups take their locks in one order, so that no two wait for each other.
    pub locked: String,
}

/// What became of a batch.
pub(super) enum GroupAnswer {
    Written(Vec<AnyRow>),
    /// Its group was rolled back: it may be written alone.
    RolledBack,
    /// The connection broke: nobody knows whether the group was committed.
    Broken(Error),
}

/// The batches that wait, and the connections that they wait for.
#[derive(Debug)]
pub(super) struct GroupCommit {
    queue: Mutex<Queue>,
    connections: ConnectionPool,
    /// How a transaction begins.
    begin: &'static str,
}

#[derive(Default)]
struct Queue {
    jobs: VecDeque<QueuedBatch>,
    /// Whether a task takes groups from the queue.
    is_served: bool,
}

impl std::fmt::Debug for Queue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Queue").field("jobs", &self.jobs.len()).finish_non_exhaustive()
    }
}

struct QueuedBatch {
    batch: Batch,
    answer: oneshot::Sender<GroupAnswer>,
}

impl GroupCommit {
    pub fn new(connections: ConnectionPool, begin: &'static str) -> Self {
        Self { queue: Mutex::default(), connections, begin }
    }

    /// A connection for a batch that need not wait.
    pub fn idle_connection(&self) -> Option<PooledConnection> {
        self.connections.try_acquire()
    }

    /// Writes a batch together with others that wait.
    pub async fn write(self: &Arc<Self>, batch: Batch) -> GroupAnswer {
        let (answer, answered) = oneshot::channel();
        let is_served = {
            let mut queue = self.lock();
            queue.jobs.push_back(QueuedBatch { batch, answer });
            std::mem::replace(&mut queue.is_served, true)
        };
        if !is_served {
            // In a task of its own: whoever began it may be given up, the others in the group are not.
            tokio::spawn(serve(Arc::clone(self)));
        }
        answered.await.unwrap_or(GroupAnswer::RolledBack)
    }

    /// Closes its connections.
    pub async fn close(&self) {
        self.connections.close().await;
    }

    /// The next group; none when the queue is empty, and then nobody serves it any more.
    fn next_group(&self) -> Option<Vec<QueuedBatch>> {
        let mut queue = self.lock();
        let count = queue.jobs.len().min(MAX_GROUP);
        queue.is_served = count > 0;
        queue.is_served.then(|| queue.jobs.drain(..count).collect())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes groups until the queue is empty, one for each connection that becomes free. Who waits more meanwhile makes the next one
/// larger.
async fn serve(group_commit: Arc<GroupCommit>) {
    loop {
        // Without a connection all are told to write alone, and learn why that does not work.
        let connection = group_commit.connections.acquire().await;
        let Some(jobs) = group_commit.next_group() else {
            if let Ok(connection) = connection {
                connection.release();
            }
            return;
        };
        if let Ok(connection) = connection {
            tokio::spawn(write_group(connection, group_commit.begin, jobs));
        }
    }
}

/// Writes a group and answers it. Whoever gets no answer writes alone.
async fn write_group(mut connection: PooledConnection, begin: &'static str, mut jobs: Vec<QueuedBatch>) {
    // Another group, or another server, may lock the same: whoever takes locks in the same order cannot deadlock.
    jobs.sort_by(|one, other| one.batch.locked.cmp(&other.batch.locked));
    let (batches, waiting): (Vec<_>, Vec<_>) = jobs.into_iter().map(|job| (job.batch, job.answer)).unzip();
    match run_group(&mut connection, begin, batches).await {
        Ok(answers) => {
            connection.release();
            for (answer, rows) in waiting.into_iter().zip(answers) {
                // Whoever asked may be gone.
                let _ = answer.send(GroupAnswer::Written(rows));
            }
        }
        // The database refused something, and closing the connection rolls back the rest.
        Err(error @ Error::Database(_)) => connection.abandon(&error),
        Err(error) => {
            connection.abandon(&error);
            let reason = error.to_string();
            for answer in waiting {
                let broken = Error::Io(std::io::Error::other(reason.clone()));
                let _ = answer.send(GroupAnswer::Broken(broken));
            }
        }
    }
}

/// Runs the batches of a group in one transaction. Gives what each has returned.
async fn run_group(
    connection: &mut PooledConnection,
    begin: &'static str,
    batches: Vec<Batch>,
) -> Result<Vec<Vec<AnyRow>>, Error> {
    let is_alone = batches.len() == 1;
    let mut answers = Vec::with_capacity(batches.len());
    if !is_alone {
        connection.execute(begin).await?;
    }
    for Batch { text, arguments, .. } in batches {
        let text = if is_alone { text.alone } else { text.in_group };
        answers.push(sqlx::query_with(text, arguments).fetch_all(&mut **connection).await?);
    }
    if !is_alone {
        connection.execute("COMMIT").await?;
    }
    Ok(answers)
}

#[cfg(test)]
mod tests {
    use sqlx::Row;

    use super::super::{Location, Store};
    use super::*;

    const INSERT: BatchText = BatchText {
        alone: "BEGIN IMMEDIATE; INSERT INTO servers (owner, beat, seen) VALUES ($1, $2, 0); COMMIT",
        in_group: "INSERT INTO servers (owner, beat, seen) VALUES ($1, $2, 0)",
    };

    /// Writes servers while the writer is busy, so that they wait for each other. Says who was answered.
    async fn write(store: &Store, servers: &[(&'static str, Option<i64>)]) -> Vec<bool> {
        let busy = store.begin().await.unwrap();
        let waiting: Vec<_> = servers
            .iter()
            .map(|(owner, beat)| {
                let mut arguments = AnyArguments::default();
                sqlx::Arguments::add(&mut arguments, *owner).unwrap();
                sqlx::Arguments::add(&mut arguments, *beat).unwrap();
                let group_commit = Arc::clone(&store.group_commit);
                let batch = Batch { text: INSERT, arguments, locked: (*owner).to_owned() };
                tokio::spawn(
                    async move { matches!(group_commit.write(batch).await, GroupAnswer::Written(_)) },
                )
            })
            .collect();
        while store.group_commit.lock().jobs.len() < servers.len() {
            tokio::task::yield_now().await;
        }
        busy.commit().await.unwrap();
        let mut written = Vec::new();
        for waiting in waiting {
            written.push(waiting.await.unwrap());
        }
        written
    }

    async fn count(store: &Store) -> i64 {
        let row = sqlx::query("SELECT COUNT(*) AS servers FROM servers").fetch_one(&store.readers).await;
        row.unwrap().try_get("servers").unwrap()
    }

    #[tokio::test]
    async fn what_waits_is_written_together() {
        let store = Store::open(&Location::Memory, None).await.unwrap();
        assert_eq!(write(&store, &[("a", Some(1)), ("b", Some(1)), ("c", Some(1))]).await, [true; 3]);
        assert_eq!(count(&store).await, 3);
    }

    #[tokio::test]
    async fn locks_are_taken_in_one_order() {
        let store = Store::open(&Location::Memory, None).await.unwrap();
        assert_eq!(write(&store, &[("c", Some(1)), ("a", Some(1)), ("b", Some(1))]).await, [true; 3]);
        let rows = sqlx::query("SELECT owner FROM servers ORDER BY rowid").fetch_all(&store.readers).await;
        let owners: Vec<String> = rows.unwrap().iter().map(|row| row.try_get("owner").unwrap()).collect();
        assert_eq!(owners, ["a", "b", "c"]);
    }

    #[tokio::test]
    async fn an_error_leaves_nothing_of_its_group() {
        let store = Store::open(&Location::Memory, None).await.unwrap();
        // A server without a beat is refused.
        assert_eq!(write(&store, &[("a", Some(1)), ("b", None), ("c", Some(1))]).await, [false; 3]);
        assert_eq!(count(&store).await, 0);
        assert_eq!(write(&store, &[("a", Some(1))]).await, [true]);
        assert_eq!(count(&store).await, 1);
    }
}
