//! The engine: what the API and the command line call.

mod actions;
mod deployments;
mod events;
mod export;
mod groups;
pub(crate) mod locks;
mod notify;
mod policy_states;
mod provider_operations;
mod quota;
mod resource_filter;
mod resources;
mod roles;
mod rollback;
mod stacks;
mod tag_names;
mod work_poller;
pub(crate) mod workers;

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use base::Limits;
use smol_str::SmolStr;

pub use self::deployments::{Accepted, OperationStatusId};
pub use self::events::{Event, Events};
pub use self::resource_filter::{ResourceFilter, ResourceProperty, TagFilter};
pub use self::roles::AssignmentFilter;
pub use self::stacks::UnmanageAction;
pub use self::tag_names::TagEntry;
use self::workers::Workers;
use crate::error::ArmError;
use crate::messages;
use crate::provider::{Documents, Extensions, Provider, Providers, ResourceTarget, Types};
use crate::store::{Location, Store, StoreError};

/// How an engine is set up.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where the state is kept.
    pub store: Location,
    /// The tenant that everything belongs to.
    pub tenant: SmolStr,
    /// How many deployments run at once. Without any, deployments are taken in and left to other processes.
    pub workers: usize,
    /// How many deployments with secrets may wait for their turn: they do so in memory, since secrets are not stored.
    pub waiting: usize,
    /// How many resources of one deployment are made at once.
    pub parallel: usize,
    /// How much work the evaluation of one template may be.
    pub limits: Limits,
    /// How long a provider may take for one resource.
    pub provider_timeout: Duration,
    /// How often a provider is asked again when it says that this may help.
    pub attempts: u32,
    /// How long a process may be silent before others take over its deployments.
    pub lease: Duration,
    /// Who makes resources of certain types instead of the built-in provider.
    pub providers: Providers,
    /// The programs that make the resources of extensions.
    pub extensions: Extensions,
    /// The types that resources are checked against and completed by.
    pub types: Types,
    /// The folder that templates may be linked from.
    pub linked_templates: Option<PathBuf>,
    /// The file with the key that the secrets of key vaults are sealed with. A state file has one beside it; servers that share a
    /// database need to be told of the same.
    pub secrets_key: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            store: Location::Memory,
            tenant: SmolStr::new_static("00000000-0000-0000-0000-000000000001"),
            workers: 64,
            waiting: 64,
            parallel: 16,
            limits: Limits {
                steps: 50_000_000,
                memory: 256 << 20,
                depth: 512,
                time: Duration::from_secs(30),
            },
            provider_timeout: Duration::from_secs(120),
            attempts: 4,
            lease: Duration::from_secs(3),
            providers: Providers::default(),
            extensions: Extensions::default(),
            types: Types::default(),
            linked_templates: None,
            secrets_key: None,
        }
    }
}

/// Why an engine could not be opened.
#[derive(Debug)]
pub struct OpenError(StoreError);

impl std::fmt::Display for OpenError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the state could not be opened: {}", self.0)
    }
}

impl std::error::Error for OpenError {}

/// How long a question about health may take.
const HEALTH_TIME: Duration = Duration::from_millis(800);

/// The deployment engine. Cheap to clone.
#[derive(Clone)]
pub struct Engine {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub options: Options,
    pub store: Store,
    pub documents: Documents,
    pub events: tokio::sync::broadcast::Sender<Event>,
    pub work: Workers,
}

impl Inner {
    /// Who makes resources of this kind.
    pub fn provider(&self, target: &ResourceTarget) -> &dyn Provider {
        self.options.providers.find(&target.resource_type).unwrap_or(&self.documents)
    }
}

/// What the engine has done since it was opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Metrics {
    /// Deployments taken in.
    pub accepted: u64,
    /// Deployments that succeeded.
    pub succeeded: u64,
    /// Deployments that failed.
    pub failed: u64,
    /// Deployments that were cancelled.
    pub canceled: u64,
    /// Deployments that run now.
    pub running: u64,
}

impl Engine {
    /// Opens the state and goes on with what was interrupted. Needs a tokio runtime around it.
    pub async fn open(options: Options) -> Result<Self, OpenError> {
        let store = Store::open(&options.store, options.secrets_key.as_deref()).await.map_err(OpenError)?;
        let inner = Inner {
            documents: Documents::new(store.clone(), options.types.clone()),
            store,
            events: tokio::sync::broadcast::channel(4096).0,
            work: Workers::new(&options),
            options,
        };
        let inner = Arc::new(inner);
        work_poller::start(&inner);
        notify::start(&inner);
        Ok(Self { inner })
    }

    /// Stops taking work, lets go of what runs, so that it can be resumed, and closes the state.
    pub async fn shutdown(&self) {
        self.inner.work.close().await;
        self.inner.store.close().await;
    }

    /// What the engine has done since it was opened.
    pub fn metrics(&self) -> Metrics {
        let counters = &self.inner.work.counters;
        let read = |counter: &std::sync::atomic::AtomicU64| counter.load(Ordering::Relaxed);
        Metrics {
            accepted: read(&counters.accepted),
            succeeded: read(&counters.succeeded),
            failed: read(&counters.failed),
            canceled: read(&counters.canceled),
            running: read(&counters.running),
        }
    }

    /// Whether the state can be written, and whether the heartbeats of the deployments that run here are.
    pub async fn health(&self) -> Result<(), ArmError> {
        let silent_since = *self.inner.work.silent_since.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(since) = silent_since.filter(|since| since.elapsed() > self.inner.options.lease) {
            return Err(messages::silent(since.elapsed().as_secs()));
        }
        let beat = self.inner.store.beat(&self.inner.work.owner);
        match tokio::time::timeout(HEALTH_TIME, beat).await {
            Ok(beat) => Ok(beat?),
            Err(_) => Err(messages::state_too_slow()),
        }
    }

    /// Whether deployments are taken in: not while the engine closes.
    pub async fn ready(&self) -> Result<(), ArmError> {
        if *self.inner.work.closing().borrow() {
            return Err(messages::closing());
        }
        self.health().await
    }

    /// The tenant that everything belongs to.
    pub fn tenant(&self) -> &str {
        &self.inner.options.tenant
    }
}
