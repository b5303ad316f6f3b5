//! What users get from registries, tried against a real one on this machine: the Debian package `docker-registry`.
//! Without it the tests say so and pass.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tests prepare the disk and start programs"
)]
#![expect(clippy::disallowed_macros, reason = "says when the registry is not installed")]

mod auth;
mod failures;
mod locking;
mod server;
mod template_spec;
mod using;

use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use config::reference::{ArtifactKind, OciReference};
use libtest_mimic::{Arguments, Trial};
use registry::{ArtifactRequest, Cache, Module, Patience, PublishOptions, RestoreOptions, Stored};

fn main() {
    // The second process of some tests.
    if let Ok(reference) = std::env::var("SINEW_TEST_RESTORE") {
        std::process::exit(child(&reference));
    }
    let arguments = Arguments::from_args();
    if !server::is_installed() {
        println!(
            "docker-registry is not installed (Debian package `docker-registry`): registry tests are not run"
        );
        return;
    }
    let mut trials = Vec::new();
    for (name, test) in
        [using::TESTS, failures::TESTS, locking::TESTS, auth::TESTS, template_spec::TESTS].concat()
    {
        trials.push(Trial::test(name, move || {
            test();
            Ok(())
        }));
    }
    libtest_mimic::run(&arguments, trials).exit();
}

/// A test and its name.
type Test = (&'static str, fn());

/// A folder with a cache and a project, gone after the test.
struct RegistryFixture {
    folder: tempfile::TempDir,
}

impl RegistryFixture {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn root(&self) -> &Utf8Path {
        Utf8Path::from_path(self.folder.path()).unwrap()
    }

    fn cache(&self) -> Cache {
        Cache::new(self.root().join("cache"))
    }

    fn options(&self) -> RestoreOptions<'static> {
        RestoreOptions {
            patience: patience(),
            lock_file: Some(self.lock_file()),
            ..RestoreOptions::new(self.cache())
        }
    }

    fn lock_file(&self) -> Utf8PathBuf {
        self.root().join("sinew.lock.json")
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> Utf8PathBuf {
        let path = self.root().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }
}

/// As patient as a user, only faster.
fn patience() -> Patience {
    Patience { first_wait: Duration::from_millis(10), ..Patience::default() }
}

fn reference(text: &str) -> OciReference {
    OciReference::parse(text).unwrap()
}

fn module(text: &str) -> ArtifactRequest {
    ArtifactRequest::Oci(reference(text), ArtifactKind::Module)
}

fn extension(text: &str) -> ArtifactRequest {
    ArtifactRequest::Oci(reference(text), ArtifactKind::Extension)
}

/// Restores one thing: where it is, or what the user is told.
fn restore(wanted: ArtifactRequest, options: &RestoreOptions<'_>) -> Result<Stored, String> {
    let mut outcomes = registry::restore(&[wanted], options).map_err(|error| error.to_string())?;
    outcomes.remove(0).result.map_err(|error| error.to_string())
}

const TEMPLATE: &str = r#"{ "metadata": { "description": "A storage account." }, "resources": [] }"#;

/// Publishes a module with this template.
fn publish(target: &str, template: &str) -> registry::Digest {
    let options = PublishOptions {
        force: true,
        created: Some(1_700_000_000),
        patience: patience(),
        ..PublishOptions::new(reference(target))
    };
    registry::publish(
        &Module { template: template.as_bytes(), sources: None, documentation_uri: None },
        &options,
    )
    .unwrap()
}

/// Starts this program again to restore a module, with more variables if need be.
fn start_child(place: &RegistryFixture, reference: &str, variables: &[(&str, &str)]) -> std::process::Child {
    std::process::Command::new(std::env::current_exe().unwrap())
        .env("SINEW_TEST_RESTORE", reference)
        .env("SINEW_TEST_ROOT", place.root())
        .envs(variables.iter().copied())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap()
}

/// What the second process does.
fn child(reference: &str) -> i32 {
    let root = Utf8PathBuf::from(std::env::var("SINEW_TEST_ROOT").unwrap());
    let options = RestoreOptions {
        patience: patience(),
        lock_file: Some(root.join("sinew.lock.json")),
        docker_config: registry::docker_config_path(&base::disk::DiskWorld),
        ..RestoreOptions::new(Cache::new(root.join("cache")))
    };
    match restore(module(reference), &options) {
        Ok(_) => 0,
        Err(error) => {
            eprintln!("{error}");
            1
        }
    }
}
