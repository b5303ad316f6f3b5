//! The workers of a process: deployments are claimed, run under a lease that is renewed, and released when the engine stops.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::Value as Json;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;

use super::quota::Quota;
use super::{Inner, Options};
use crate::clock;
use crate::error::ArmError;
use crate::job::Job;
use crate::messages;
use crate::plan::{Plan, Surroundings, plan_again};
use crate::run::{self, ActiveDeployment, DeploymentRun, Ended};
use crate::scope::{DeploymentId, Scope};
use crate::state::State;
use crate::store::{DeploymentRow, Fence, FinishedDeployment, StoreError, until_available};

/// The workers of one process.
pub(crate) struct Workers {
    /// The name under which this process claims deployments.
    pub owner: String,
    /// How many deployments may run at once.
    pub permits: Arc<Semaphore>,
    /// How many may wait for that in memory.
    pub waiting: Arc<Semaphore>,
    /// Wakes the poller.
    pub wake: Notify,
    /// Whether unclaimed deployments are waiting: then a worker that becomes free polls for more.
    pub backlog: AtomicBool,
    /// Since when heartbeats could not be written.
    pub silent_since: Mutex<Option<Instant>>,
    /// What runs here, by key, with the means to make it look whether it is to stop.
    running: Mutex<HashMap<String, Arc<Notify>>>,
    tasks: Mutex<JoinSet<()>>,
    closing: watch::Sender<bool>,
    pub counters: Counters,
    /// How much room scopes have.
    pub quota: Quota,
}

/// What was done.
#[derive(Default)]
pub(crate) struct Counters {
    pub accepted: AtomicU64,
    pub succeeded: AtomicU64,
    pub failed: AtomicU64,
    pub canceled: AtomicU64,
    pub running: AtomicU64,
}

/// A deployment that this process has claimed.
pub(crate) struct ClaimedDeployment {
    pub fence: Fence,
    pub row: DeploymentRow,
    /// The plan, when this process has just made it: it has the secrets.
    pub plan: Option<ReadyPlan>,
    /// What it may run with.
    pub turn: StartPermit,
}

/// A plan, and what is expected of the state.
pub(crate) struct ReadyPlan {
    pub plan: Plan,
    /// Whether none of its resources was there when it was taken in, just now.
    pub writes_new: bool,
}

/// When a claimed deployment may run.
pub(crate) enum StartPermit {
    Now(OwnedSemaphorePermit),
    /// When there is room; it holds one of the places of those that wait.
    Later(Option<OwnedSemaphorePermit>),
}

impl Workers {
    pub fn new(options: &Options) -> Self {
        Self {
            owner: format!("{}-{}", std::process::id(), uuid::Uuid::new_v4()),
            permits: Arc::new(Semaphore::new(options.workers)),
            waiting: Arc::new(Semaphore::new(options.waiting)),
            wake: Notify::new(),
            backlog: AtomicBool::new(false),
            silent_since: Mutex::default(),
            running: Mutex::default(),
            tasks: Mutex::default(),
            closing: watch::channel(false).0,
            counters: Counters::default(),
            quota: Quota::default(),
        }
    }

    /// Makes a deployment that runs here look at once whether it is to stop. False if it does not run here. The state
    /// decides: by now another deployment may run under the name.
    pub fn nudge(&self, key: &str) -> bool {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.get(key).inspect(|look| look.notify_one()).is_some()
    }

    /// Whether a deployment runs here.
    pub fn runs(&self, key: &str) -> bool {
        self.running.lock().unwrap_or_else(PoisonError::into_inner).contains_key(key)
    }

    /// Raised when the engine closes.
    pub fn closing(&self) -> watch::Receiver<bool> {
        self.closing.subscribe()
    }

    /// Notes whether a heartbeat could be written.
    fn note_renewal(&self, worked: bool) {
        let mut silent_since = self.silent_since.lock().unwrap_or_else(PoisonError::into_inner);
        match worked {
            true => *silent_since = None,
            false => {
                silent_since.get_or_insert_with(Instant::now);
            }
        }
    }

    fn enter(&self, key: &str) -> Arc<Notify> {
        let look = Arc::new(Notify::new());
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.insert(key.to_owned(), Arc::clone(&look));
        look
    }

    /// Takes a deployment off the list, unless the next one of its name is there already.
    fn leave(&self, key: &str, look: &Arc<Notify>) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if running.get(key).is_some_and(|known| Arc::ptr_eq(known, look)) {
            running.remove(key);
        }
    }

    /// Starts a task. False if the engine closes: then it is not started.
    pub fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) -> bool {
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        while tasks.try_join_next().is_some() {}
        let is_open = !*self.closing.borrow();
        if is_open {
            tasks.spawn(task);
        }
        is_open
    }

    /// Lets go of everything that runs. It is given back, so that anybody can go on with it at once.
    pub async fn close(&self) {
        self.closing.send_replace(true);
        let mut tasks = std::mem::take(&mut *self.tasks.lock().unwrap_or_else(PoisonError::into_inner));
        while tasks.join_next().await.is_some() {}
    }
}

/// Runs a claimed deployment in the background. An engine that closes gives it back instead: its poller may just have claimed what
/// it let go of itself.
pub(crate) fn spawn(inner: &Arc<Inner>, claimed: ClaimedDeployment) -> BoxFuture<'_, ()> {
    let inner_of_task = Arc::clone(inner);
    let look = inner.work.enter(&claimed.fence.key);
    let (fence, look_of_task) = (claimed.fence.clone(), Arc::clone(&look));
    let is_started = inner.work.spawn(async move {
        let (inner, look) = (inner_of_task, look_of_task);
        let fence = claimed.fence.clone();
        let (stop, stopped) = watch::channel(claimed.row.cancel);
        let mut closing = inner.work.closing.subscribe();
        let id = claimed.row.id.clone();
        tokio::select! {
            result = work(&inner, claimed, stopped) => {
                if let Err(error) = result {
                    tracing::error!(deployment = %id, %error, "deployment interrupted");
                }
            }
            error = keep(&inner, &fence, &stop, &look) => {
                tracing::warn!(deployment = %id, %error, "deployment lost");
            }
            () = raised(&mut closing) => give_back(&inner, &fence).await,
        }
        inner.work.leave(&fence.key, &look);
        if inner.work.backlog.load(Ordering::Relaxed) {
            inner.work.wake.notify_one();
        }
    });
    async move {
        if !is_started {
            inner.work.leave(&fence.key, &look);
            give_back(inner, &fence).await;
        }
    }
    .boxed()
}

async fn give_back(inner: &Inner, fence: &Fence) {
    if let Err(error) = inner.store.release(fence).await {
        tracing::warn!(deployment = %fence.key, %error, "deployment not given back");
    }
}

/// Waits until a flag is set, or until nobody can set it any more.
pub(crate) async fn raised(flag: &mut watch::Receiver<bool>) {
    let _ = flag.wait_for(|flag| *flag).await;
}

/// Renews the lease as long as that works, and passes on the wish to stop.
async fn keep(inner: &Inner, fence: &Fence, stop: &watch::Sender<bool>, look: &Notify) -> StoreError {
    let pause = (inner.options.lease / 4).min(Duration::from_secs(1));
    loop {
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            () = look.notified() => {}
        }
        match inner.store.renew(fence).await {
            Ok(canceled) => {
                inner.work.note_renewal(true);
                if canceled {
                    stop.send_replace(true);
                }
            }
            Err(StoreError::LostLease) => return StoreError::LostLease,
            // While the database is away nobody can take over, and whoever gives up loses the secrets. If it is away for
            // this process alone, the fence keeps it from writing once somebody else has taken over.
            Err(_) => inner.work.note_renewal(false),
        }
    }
}

async fn work(
    inner: &Arc<Inner>,
    claimed: ClaimedDeployment,
    mut stop: watch::Receiver<bool>,
) -> Result<(), StoreError> {
    let ClaimedDeployment { fence, row, plan, turn } = claimed;
    let _permit = match turn {
        StartPermit::Now(permit) => Some(permit),
        StartPermit::Later(_place) => tokio::select! {
            // To stop needs no room.
            biased;
            () = raised(&mut stop) => None,
            permit = Arc::clone(&inner.work.permits).acquire_owned() => permit.ok(),
        },
    };
    let _counted = GaugeGuard::new(&inner.work.counters.running);
    deploy(inner, StartedDeployment { fence, row, plan, stop }).await
}

/// Raises a gauge for as long as it lives: a deployment may be let go of at any point.
struct GaugeGuard<'c>(&'c AtomicU64);

impl<'c> GaugeGuard<'c> {
    fn new(counter: &'c AtomicU64) -> Self {
        counter.fetch_add(1, Ordering::Relaxed);
        Self(counter)
    }
}

impl Drop for GaugeGuard<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A claimed deployment whose turn has come.
struct StartedDeployment {
    fence: Fence,
    row: DeploymentRow,
    plan: Option<ReadyPlan>,
    /// Raised when it must stop.
    stop: watch::Receiver<bool>,
}

async fn deploy(
    inner: &Arc<Inner>,
    StartedDeployment { fence, row, plan, stop }: StartedDeployment,
) -> Result<(), StoreError> {
    let plan = match plan {
        Some(ready) => Ok(ready),
        None => again(inner, &row).await.map(|plan| ReadyPlan { plan, writes_new: false }),
    };
    let ReadyPlan { plan, writes_new } = match plan {
        Ok(plan) => plan,
        Err(error) => return give_up(inner, &fence, &row, &error).await,
    };
    if row.state == State::Accepted {
        until_available!(inner.store.set_running(&fence, &row.run, clock::now()))?;
    }
    let document = crate::stored::json(&row.document);
    let mut unit = ActiveDeployment::of_plan(&plan, &row, document);
    let run = DeploymentRun::new(Arc::clone(inner), fence, &plan, stop).expecting_new(writes_new);
    run.tell(&unit, State::Running, None);
    let ended = run::deploy(&run, &mut unit).await?;
    let counters = &inner.work.counters;
    match &ended {
        Ended::Succeeded => counters.succeeded.fetch_add(1, Ordering::Relaxed),
        Ended::Failed(_) => counters.failed.fetch_add(1, Ordering::Relaxed),
        Ended::Canceled => counters.canceled.fetch_add(1, Ordering::Relaxed),
    };
    if let (Ended::Failed(_), Some(on_error)) = (&ended, plan.job.on_error.clone()) {
        // The failed one is over: somebody may already use its name again, which must not end this.
        let rolling = Arc::clone(inner);
        inner.work.spawn(async move { super::rollback::roll_back(&rolling, &plan.id, &on_error).await });
    }
    Ok(())
}

/// Plans a deployment again that was interrupted, or that another process took in.
async fn again(inner: &Arc<Inner>, row: &DeploymentRow) -> Result<Plan, ArmError> {
    let id = DeploymentId::parse(&row.id).ok_or_else(|| messages::bad_resource_id(&row.id))?;
    let job = Job::read(&row.job)?;
    let group = until_available!(group_document(inner, &id.scope))?;
    let surroundings = Surroundings::new(&inner.options, group, job.now, job.seed.clone());
    let template = row.template.clone();
    let planned = tokio::task::spawn_blocking(move || plan_again(id, job, &template, &surroundings)).await;
    planned.unwrap_or_else(|_| Err(messages::canceled()))
}

/// Ends a deployment that cannot be planned any more.
async fn give_up(
    inner: &Inner,
    fence: &Fence,
    row: &DeploymentRow,
    error: &ArmError,
) -> Result<(), StoreError> {
    let mut document = crate::stored::json(&row.document);
    let now = clock::now();
    let end = crate::document::DeploymentEnd {
        state: State::Failed,
        outputs: None,
        error: Some(error),
        resources: Vec::new(),
        started: row.created,
        now,
    };
    crate::document::finish(&mut document, end);
    let error = error.to_json().to_string();
    let document = document.to_string();
    let finish = FinishedDeployment {
        key: &row.key,
        run: &row.run,
        state: State::Failed,
        document: &document,
        error: Some(&error),
        operation: None,
        now,
    };
    until_available!(inner.store.finish(fence, &finish))
}

/// The document of the resource group of a scope, which must be there.
pub(crate) async fn group_document(inner: &Inner, scope: &Scope) -> Result<Option<Json>, ArmError> {
    match scope {
        Scope::ResourceGroup { .. } => found_group(scope, inner.documents.read(&scope.id()).await?),
        _ => Ok(None),
    }
}

/// The same with what was read of the group.
pub(crate) fn found_group(scope: &Scope, found: Option<Json>) -> Result<Option<Json>, ArmError> {
    match scope {
        Scope::ResourceGroup { group, .. } if found.is_none() => Err(messages::group_not_found(group)),
        _ => Ok(found),
    }
}
