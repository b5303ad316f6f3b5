//! The poller: finds unclaimed deployments, and those whose owner has stopped its heartbeats.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::Inner;
use super::workers::{ClaimedDeployment, StartPermit, raised, spawn};
use crate::clock;
use crate::store::{LeasedDeployment, StoreError};

/// How often the statuses of old runs are forgotten, in milliseconds.
const SWEEP: i64 = 3600 * 1000;
/// How long they are kept.
const KEPT: i64 = 7 * 24 * SWEEP;

/// How often a poller looks at the heartbeats of others: twelve times per lease, so that a takeover begins one lease and two of
/// these pauses after the last heartbeat at the latest, 3.5 s with the lease of servers.
fn watch_interval(lease: Duration) -> Duration {
    (lease / 12).min(Duration::from_millis(250))
}

/// How long a deployment is known to be without a heartbeat.
struct MissedHeartbeats {
    held: LeasedDeployment,
    length: Duration,
}

/// The heartbeats that this process has seen, and for how long they are unchanged by its own monotonic clock.
#[derive(Default)]
struct HeartbeatMonitor {
    seen: HashMap<String, MissedHeartbeats>,
    last_look: Option<Instant>,
}

impl HeartbeatMonitor {
    /// The deployments whose owner has missed its heartbeats for so long. A poller that is late itself, on a machine that is
    /// overloaded or was suspended, does not blame others: a gap between two looks counts as two intervals at most.
    fn silent(
        &mut self,
        held: Vec<LeasedDeployment>,
        lease: Duration,
        now: Instant,
    ) -> Vec<LeasedDeployment> {
        let gap = self.last_look.map_or(Duration::ZERO, |last| now.duration_since(last));
        let gap = gap.min(watch_interval(lease) * 2);
        self.last_look = Some(now);
        let mut seen = HashMap::with_capacity(held.len());
        for held in held {
            let length = match self.seen.remove(&held.key) {
                Some(silence) if silence.held == held => silence.length + gap,
                _ => Duration::ZERO,
            };
            seen.insert(held.key.clone(), MissedHeartbeats { held, length });
        }
        self.seen = seen;
        let silent = self.seen.values().filter(|silence| silence.length >= lease);
        silent.map(|silence| silence.held.clone()).collect()
    }
}

/// Looks for work until the engine closes.
pub(crate) fn start(inner: &Arc<Inner>) {
    let looking = Arc::clone(inner);
    let mut closing = inner.work.closing();
    inner.work.spawn(async move {
        let pause = watch_interval(looking.options.lease);
        let mut next = Instant::now();
        let mut watched = HeartbeatMonitor::default();
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
                watched = HeartbeatMonitor::default();
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
async fn look(inner: &Arc<Inner>, watched: Option<&mut HeartbeatMonitor>) -> Result<(), StoreError> {
    if let Some(watched) = watched {
        for key in inner.store.claimable(true, 64).await? {
            take(inner, &key, None, StartPermit::Later(None)).await?;
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
        take(inner, &key, None, StartPermit::Now(permit)).await?;
    }
    Ok(())
}

/// Claims what silent processes have left behind.
async fn take_over(inner: &Arc<Inner>, watched: &mut HeartbeatMonitor) -> Result<(), StoreError> {
    let mut held = inner.store.held().await?;
    held.retain(|held| !inner.work.runs(&held.key));
    if held.is_empty() {
        return Ok(());
    }
    // A process that cannot write cannot give signs of life either. So only whoever could write all the time may conclude
    // anything from silence.
    inner.store.beat(&inner.work.owner).await?;
    for held in watched.silent(held, inner.options.lease, Instant::now()) {
        let turn = match Arc::clone(&inner.work.permits).try_acquire_owned() {
            Ok(permit) => StartPermit::Now(permit),
            Err(_) if inner.options.workers > 0 => StartPermit::Later(None),
            Err(_) => return Ok(()),
        };
        take(inner, &held.key, Some(&held), turn).await?;
    }
    Ok(())
}

/// Claims a deployment, unless another worker holds its lease, and runs it.
pub(super) async fn take(
    inner: &Arc<Inner>,
    key: &str,
    held: Option<&LeasedDeployment>,
    turn: StartPermit,
) -> Result<(), StoreError> {
    if let Some((fence, row)) = inner.store.claim(key, held, &inner.work.owner).await? {
        tracing::info!(deployment = %row.id, state = %row.state, "deployment claimed");
        spawn(inner, ClaimedDeployment { fence, row, plan: None, turn }).await;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEASE: Duration = Duration::from_secs(3);

    fn held(lease: i64) -> Vec<LeasedDeployment> {
        vec![LeasedDeployment { key: "a".into(), epoch: 1, lease }]
    }

    /// When a poller that looks every `interval` takes over from an owner whose last heartbeat was at `death`.
    fn takeover(interval: Duration, death: Duration) -> Duration {
        let (start, mut watched, mut now) = (Instant::now(), HeartbeatMonitor::default(), Duration::ZERO);
        loop {
            let heartbeats = now.min(death).as_millis() / (LEASE / 4).as_millis() + u128::from(now >= death);
            let held = held(i64::try_from(heartbeats).unwrap());
            if !watched.silent(held, LEASE, start + now).is_empty() {
                return now.checked_sub(death).expect("healthy work was taken");
            }
            now += interval;
        }
    }

    #[test]
    fn a_takeover_begins_within_four_seconds() {
        let interval = watch_interval(LEASE);
        for death in (0..5000).step_by(7).map(Duration::from_millis) {
            let time = takeover(interval, death);
            assert!(time >= LEASE, "{death:?}: after {time:?}");
            assert!(time <= LEASE + interval * 2, "{death:?}: after {time:?}");
        }
        assert!(LEASE + interval * 2 < Duration::from_secs(4));
    }

    #[test]
    fn a_poller_that_is_late_blames_nobody() {
        let (start, mut watched) = (Instant::now(), HeartbeatMonitor::default());
        assert!(watched.silent(held(1), LEASE, start).is_empty());
        let late = start + Duration::from_secs(60);
        assert!(watched.silent(held(1), LEASE, late).is_empty(), "it did not look for a minute");
        let second = Duration::from_secs(1);
        let looks = (1..).take_while(|look| watched.silent(held(1), LEASE, late + second * *look).is_empty());
        assert_eq!(looks.count(), 4, "each look counts for half a second");
    }

    #[test]
    fn a_sign_of_life_begins_anew() {
        let (start, mut watched) = (Instant::now(), HeartbeatMonitor::default());
        let interval = watch_interval(LEASE);
        for look in 0..40 {
            let heartbeat = i64::from(look / 8);
            assert!(watched.silent(held(heartbeat), LEASE, start + interval * look).is_empty());
        }
        assert!(watched.silent(Vec::new(), LEASE, start + interval * 41).is_empty());
    }
}
