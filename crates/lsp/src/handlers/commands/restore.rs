//! `restore` and `forceModulesRestore`: fetches the modules and extensions that a file wants from registries.

use std::sync::atomic::Ordering;

use camino::Utf8Path;
use project::artifacts::{self, ArtifactStore, Demand, RestoreRequest};
use serde_json::{Value, json};

use super::build::no_path;
use super::{Request, argument, path_of, refuse};
use crate::rpc::Answer;

/// Fetches what is missing.
pub(super) fn restore(request: &Request) -> Answer {
    run(request, false)
}

/// Fetches everything anew, whether it is there or not.
pub(super) fn force(request: &Request) -> Answer {
    run(request, true)
}

fn run(request: &Request, force: bool) -> Answer {
    let path = path_of(argument(request, 0)).ok_or_else(no_path)?;
    match fetch(request, &path, force) {
        Ok(message) => Ok(Value::String(message)),
        Err(message) => refuse(request, message),
    }
}

fn fetch(request: &Request, path: &Utf8Path, force: bool) -> Result<String, String> {
    let compilation = request.snapshot.compilation(path);
    let world = request.snapshot.world();
    let store = ArtifactStore::of(path, &request.snapshot.config(path), world)
        .ok_or("There is no home folder to keep artifacts in: set SINEW_HOME.")?;
    let demand = Demand::of(compilation.program(), [&path.to_owned()]);
    let restored = artifacts::restore(&demand, &store, RestoreRequest { force, ..RestoreRequest::default() })
        .map_err(|error| format!("The restore of {path} failed: {error}"))?;
    if restored.has_changed {
        // The server looks at the files anew when the client answers this.
        request.needs_refresh.store(true, Ordering::Release);
        request.client.request("workspace/configuration", &json!({ "items": [] }));
    }
    match restored.failures.is_empty() {
        true => Ok(format!("Restore of {path} succeeded.")),
        false => {
            let reasons = restored.failures.iter().map(|(name, reason)| format!("{name}: {reason}"));
            Err(format!("Not everything could be restored. {}", reasons.collect::<Vec<_>>().join(" ")))
        }
    }
}
