//! What files refer to in registries: a file comes in, what it lacks is fetched into the cache.

use base::World;
use camino::Utf8Path;
use config::reference::{ArtifactKind, OciReference};
use project::Snapshot;
use project::artifacts::{ArtifactStore, Demand, RestoreRequest, has_missing, restore};
use registry::{ArtifactRequest, Cache, RestoreOptions};

/// Fetches what a file and the files that it is made of refer to, if some of it is not in the cache. Says whether something
/// was fetched. What cannot be had is reported by the compiler.
pub(crate) fn restore_missing(snapshot: &Snapshot, path: &Utf8Path) -> bool {
    let compilation = snapshot.compilation(path);
    let program = compilation.program();
    if !has_missing(program) {
        return false;
    }
    let Some(store) = ArtifactStore::of(path, &snapshot.config(path), snapshot.world()) else { return false };
    let _ = restore(&Demand::of(program, [&path.to_owned()]), &store, RestoreRequest::default());
    // A new program sees what the cache has now.
    true
}

/// Fetches an extension into the cache.
pub(crate) fn restore_extension(reference: &OciReference, world: &dyn World) -> Result<(), String> {
    let options = options(world)?;
    let wanted = [ArtifactRequest::Oci(reference.clone(), ArtifactKind::Extension)];
    let outcomes = registry::restore(&wanted, &options).map_err(|error| error.to_string())?;
    let failed = outcomes.into_iter().find_map(|outcome| outcome.result.err());
    failed.map_or(Ok(()), |error| Err(error.to_string()))
}

/// The tags of an artifact in its registry.
pub(crate) fn tags(reference: &OciReference, world: &dyn World) -> Result<Vec<String>, String> {
    registry::published::tags(reference, &options(world)?).map_err(|error| error.to_string())
}

fn options(world: &dyn World) -> Result<RestoreOptions<'static>, String> {
    let config = config::built_in(world);
    let cache = registry::home::cache_root(world, &config).ok_or("There is no home folder for the cache.")?;
    let docker_config = registry::docker_config_path(world);
    Ok(RestoreOptions { docker_config, ..RestoreOptions::new(Cache::new(cache)) })
}
