//! The poller: finds unclaimed deployments, and those whose owner has stopped its heartbeats.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::Inner;
use super::workers::{Claimed, StartPermit, raised, spawn};
use crate::clock;
use crate::store::{LeasedDeployment, StoreError};

/// How often the statuses of old runs are forgotten, in milliseconds.
const SWEEP: i64 = 3600 * 1000;
/// How long they are kept.
const KEPT: i64 = 7 * 24 * SWEEP;

/// The heartbeats that this process has seen, and since when they are unchanged by its own monotonic clock.
#[derive(Default)]
struct Watched {
    seen: HashMap<String, (LeasedDeployment, Instant)>,
}

impl Watched {
    /// The deployments whose owner has missed its heartbeats for so long.
    fn silent(&mut self, held: Vec<LeasedDeployment>, longest: Duration) -> Vec<LeasedDeployment> {
        let now = Instant::now();
        let mut seen = HashMap::with_capacity(held.len());
        for held in held {
            let since = match self.seen.remove(&held.key) {
                Some((before, since)) if before == held => since,
                _ => now,
            };
            seen.insert(held.key.clone(), (held, since));
        }
        self.seen = seen;
        let silent = self.seen.values().filter(|(_, since)| now.duration_since(*since) >= longest);
        silent.map(|(held, _)| held.clone()).collect()
    }
}

/// Looks for work until the engine closes.
pub(crate) fn start(inner: &Arc<Inner>) {
    let looking = Arc::clone(inner);
    let mut closing = inner.work.closing();
    inner.work.spawn(async move {
        let pause = (looking.options.lease / 4).min(Duration::from_millis(500));
        let mut next = Instant::now();
        let mut watched = Watched::default();
        let mut swept = 0;
        loop {
            if clock::now() - swept > SWEEP {
                swept = clock::now();
                if let Err(error) = looking.store.forget_statuses(swept - KEPT).await {
                    tracing::warn!(%error, "old statuses not forgotten");
                }
            }
            let is_due = Instant::now() >= next;
            if is_due {
                next = Instant::now() + pause;
            }
            if let Err(error) = look(&looking, is_due.then_some(&mut watched)).await {
                tracing::warn!(%error, "no work could be looked for");
                // Whoever was silent may have been as helpless as this process.
                watched = Watched::default();
            }
            tokio::select! {
                () = looking.work.wake.notified() => {}
                () = tokio::time::sleep_until(next.into()) => {}
                () = raised(&mut closing) => return,
            }
        }
    });
}

/// Claims unclaimed deployments, as many as there are free workers. When the time has come, also all that is to stop, and what was
/// left behind by processes that are silent.
async fn look(inner: &Arc<Inner>, watched: Option<&mut Watched>) -> Result<(), StoreError> {
    if let Some(watched) = watched {
        for key in inner.store.claimable(true, 64).await? {
            take(inner, (&key, None), StartPermit::Later(None)).await?;
        }
        take_over(inner, watched).await?;
    }
    let room = inner.work.permits.available_permits();
    if room == 0 {
        return Ok(());
    }
    let keys = inner.store.claimable(false, i64::try_from(room).unwrap_or(64)).await?;
    inner.work.backlog.store(keys.len() >= room, Ordering::Relaxed);
    for key in keys {
        let Ok(permit) = Arc::clone(&inner.work.permits).try_acquire_owned() else { return Ok(()) };
        take(inner, (&key, None), StartPermit::Now(permit)).await?;
    }
    Ok(())
}

/// Claims what silent processes have left behind.
async fn take_over(inner: &Arc<Inner>, watched: &mut Watched) -> Result<(), StoreError> {
    let mut held = inner.store.held().await?;
    held.retain(|held| !inner.work.runs(&held.key));
    if held.is_empty() {
        return Ok(());
    }
    // A process that cannot write cannot give signs of life either. So only whoever could write all the time may conclude
    // anything from silence.
    inner.store.beat(&inner.work.owner).await?;
    for held in watched.silent(held, inner.options.lease) {
        let turn = match Arc::clone(&inner.work.permits).try_acquire_owned() {
            Ok(permit) => StartPermit::Now(permit),
            Err(_) if inner.options.workers > 0 => StartPermit::Later(None),
            Err(_) => return Ok(()),
        };
        take(inner, (&held.key, Some(&held)), turn).await?;
    }
    Ok(())
}

/// Claims a deployment, unless another worker holds its lease, and runs it.
pub(super) async fn take(
    inner: &Arc<Inner>,
    (key, held): (&str, Option<&LeasedDeployment>),
    turn: StartPermit,
) -> Result<(), StoreError> {
    if let Some((fence, row)) = inner.store.claim((key, held), &inner.work.owner).await? {
        tracing::info!(deployment = %row.id, state = %row.state, "deployment claimed");
        spawn(inner, Claimed { fence, row, plan: None, turn });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_is_measured_here() {
        let mut watched = Watched::default();
        let held = |lease| vec![LeasedDeployment { key: "a".into(), epoch: 1, lease }];
        let longest = Duration::from_millis(30);
        assert!(watched.silent(held(1), longest).is_empty());
        std::thread::sleep(longest);
        assert!(watched.silent(held(2), longest).is_empty(), "there was a sign of life");
        std::thread::sleep(longest);
        assert_eq!(watched.silent(held(2), longest), held(2));
        assert!(watched.silent(Vec::new(), longest).is_empty());
    }
}
