//! Artifacts on the command line: the arguments that say how they are had, and a bar that shows how they are fetched.

use std::sync::Mutex;

use base::disk::DiskWorld;
use camino::Utf8Path;
use config::Config;
use indicatif::{ProgressBar, ProgressStyle};
use project::artifacts::{ArtifactStore, Demand, RestoreRequest, Restored};
use registry::{Event, RegistryWorld};

use crate::failure::Failure;
use crate::session::Session;

/// The arguments that say how artifacts are had, for every command that needs them.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub(crate) struct ArtifactArgs {
    /// Use only the cache; open no network connection
    #[arg(long)]
    pub(crate) offline: bool,

    /// Fail if `sinew.lock.json` would change
    #[arg(long)]
    pub(crate) locked: bool,
}

/// Where the artifacts of a source file are kept.
pub(crate) fn store_of(
    source: &Utf8Path,
    config: &Config,
    session: &Session,
) -> Result<ArtifactStore, Failure> {
    ArtifactStore::of(source, config, &session.world).ok_or_else(Failure::no_home)
}

/// The outside with the artifacts of a store.
pub(crate) fn world_of(
    store: &ArtifactStore,
    args: ArtifactArgs,
) -> Result<RegistryWorld<DiskWorld>, Failure> {
    store.world(DiskWorld, args.locked).map_err(|error| Failure::artifact(&error))
}

/// How artifacts are fetched.
#[derive(Clone, Copy)]
pub(crate) struct RestoreOptions {
    pub(crate) artifacts: ArtifactArgs,
    /// Whether what is there is fetched again.
    pub(crate) force: bool,
}

/// Fetches what files want from a store and it does not have; shows that it does.
pub(crate) fn restore(
    demand: &Demand,
    store: &ArtifactStore,
    options: RestoreOptions,
    session: &Session,
) -> Result<Restored, Failure> {
    let bar = Bar::new(session);
    let tell = |event: Event<'_>| {
        if let Event::Damaged { reference, reason } = event {
            // Nobody is hindered by it: what cannot be said is left unsaid.
            let _ = session
                .output
                .warning(&format!("{reference} is damaged in the cache and is fetched anew: {reason}"));
        }
        bar.tell(event);
    };
    let RestoreOptions { artifacts: ArtifactArgs { offline, locked }, force } = options;
    let request = RestoreRequest { locked, force, offline, progress: Some(&tell) };
    let restored = project::artifacts::restore(demand, store, request);
    let restored = restored.map_err(|error| Failure::artifact(&error))?;
    bar.finish();
    Ok(restored)
}

/// A progress bar, where somebody can see it.
pub(crate) struct Bar(Option<Mutex<ProgressBar>>);

impl Bar {
    pub(crate) fn new(session: &Session) -> Self {
        if !session.output.is_terminal {
            return Self(None);
        }
        let bar = ProgressBar::new(0);
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {bytes}/{total_bytes} {msg}") {
            bar.set_style(style);
        }
        Self(Some(Mutex::new(bar)))
    }

    pub(crate) fn tell(&self, event: Event<'_>) {
        let Some(Ok(bar)) = self.0.as_ref().map(Mutex::lock) else { return };
        match event {
            Event::Started { reference, bytes } => {
                bar.inc_length(bytes);
                bar.set_message(reference.to_owned());
            }
            Event::Received { bytes, .. } => bar.set_position(bar.position().saturating_add_signed(bytes)),
            Event::Damaged { .. } | Event::Finished { .. } => {}
        }
    }

    pub(crate) fn finish(&self) {
        if let Some(Ok(bar)) = self.0.as_ref().map(Mutex::lock) {
            bar.finish_and_clear();
        }
    }
}
