//! Group commit: batches that wait for the one connection that writes to SQLite are written in one transaction.
//!
//! Each batch is a transaction of its own in effect: it reads and writes in its turn, and whoever asked for it is answered
//! after the commit of all. A commit writes whole pages, and neighbours in time share most of theirs. When anything in a group
//! fails, all of it is rolled back and everybody writes alone, so that nobody suffers from another's error.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use sqlx::Executor;
use sqlx::any::{AnyArguments, AnyRow};
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

/// The batches that wait.
#[derive(Debug, Default)]
pub(super) struct GroupCommit {
    queue: Mutex<Queue>,
}

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    /// Whether a task writes what is in the queue.
    is_served: bool,
}

impl std::fmt::Debug for Queue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Queue").field("jobs", &self.jobs.len()).finish_non_exhaustive()
    }
}

struct Job {
    text: BatchText,
    arguments: AnyArguments,
    answer: oneshot::Sender<Vec<AnyRow>>,
}

impl GroupCommit {
    /// Writes a batch together with others that wait. None if nothing was written: then it has to be written alone.
    pub async fn write(
        self: &Arc<Self>,
        writers: &ConnectionPool,
        text: BatchText,
        arguments: AnyArguments,
    ) -> Option<Vec<AnyRow>> {
        let (answer, answered) = oneshot::channel();
        let is_served = {
            let mut queue = self.lock();
            queue.jobs.push_back(Job { text, arguments, answer });
            std::mem::replace(&mut queue.is_served, true)
        };
        if !is_served {
            // In a task of its own: whoever began it may be given up, the others in the group are not.
            tokio::spawn(serve(Arc::clone(self), writers.clone()));
        }
        answered.await.ok()
    }

    /// The next group; none when the queue is empty, and then nobody serves it any more.
    fn next_group(&self) -> Option<Vec<Job>> {
        let mut queue = self.lock();
        let count = queue.jobs.len().min(MAX_GROUP);
        queue.is_served = count > 0;
        queue.is_served.then(|| queue.jobs.drain(..count).collect())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes groups until the queue is empty. Who waits more while a group is written makes the next one larger.
async fn serve(group_commit: Arc<GroupCommit>, writers: ConnectionPool) {
    loop {
        // Without a connection all are told to write alone, and learn why that does not work.
        let connection = writers.acquire().await;
        let Some(jobs) = group_commit.next_group() else {
            if let Ok(connection) = connection {
                connection.release();
            }
            return;
        };
        if let Ok(connection) = connection {
            write_group(connection, jobs).await;
        }
    }
}

/// Writes a group and answers it. Whoever gets no answer writes alone.
async fn write_group(mut connection: PooledConnection, jobs: Vec<Job>) {
    let mut answers = Vec::with_capacity(jobs.len());
    let written = run_group(&mut connection, jobs, &mut answers).await;
    match written {
        Ok(()) => {
            connection.release();
            for (answer, rows) in answers {
                // Whoever asked may be gone.
                let _ = answer.send(rows);
            }
        }
        Err(error) => connection.abandon(&error),
    }
}

async fn run_group(
    connection: &mut PooledConnection,
    jobs: Vec<Job>,
    answers: &mut Vec<(oneshot::Sender<Vec<AnyRow>>, Vec<AnyRow>)>,
) -> Result<(), sqlx::Error> {
    let is_alone = jobs.len() == 1;
    if !is_alone {
        connection.execute("BEGIN IMMEDIATE").await?;
    }
    for Job { text, arguments, answer } in jobs {
        let text = if is_alone { text.alone } else { text.in_group };
        let rows = sqlx::query_with(text, arguments).fetch_all(&mut **connection).await?;
        answers.push((answer, rows));
    }
    if !is_alone {
        connection.execute("COMMIT").await?;
    }
    Ok(())
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
                let (group_commit, writers) = (Arc::clone(&store.group_commit), store.writers.clone());
                tokio::spawn(async move { group_commit.write(&writers, INSERT, arguments).await.is_some() })
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
    async fn an_error_leaves_nothing_of_its_group() {
        let store = Store::open(&Location::Memory, None).await.unwrap();
        // A server without a beat is refused.
        assert_eq!(write(&store, &[("a", Some(1)), ("b", None), ("c", Some(1))]).await, [false; 3]);
        assert_eq!(count(&store).await, 0);
        assert_eq!(write(&store, &[("a", Some(1))]).await, [true]);
        assert_eq!(count(&store).await, 1);
    }
}
