//! Artifacts from OCI registries. References come in; folders of the cache go out, with content that is what its
//! digests say, or an [`Error`] that says what to do. This crate is part of the rim: it does the network and the disk,
//! so that the compiler needs neither ([`RegistryWorld`]).
//!
//! The functions are synchronous and may be called from any thread that does not itself drive an async runtime.
#![expect(clippy::disallowed_methods, reason = "this crate is the rim: it reads, writes and asks the clock")]

pub mod archive;
mod assembly;
mod auth;
mod cache;
mod client;
mod digest;
mod error;
mod extension;
pub mod home;
mod image;
mod lockfile;
pub mod manifest;
mod mapped;
mod nupkg;
mod publish;
pub mod published;
mod restore;
pub mod sources;
mod template_spec;
pub mod types;
mod world;
mod zip;

pub use auth::docker_config_path;
pub use cache::{Cache, Depth, Lookup, Stored};
pub use client::Patience;
pub use digest::Digest;
pub use error::Error;
pub use extension::ExtensionPackage;
pub use image::{ImageOptions, unpack_image};
pub use lockfile::{LOCK_FILE_NAME, LockFile, Locked};
pub use mapped::Mapped;
pub use publish::{Module, PublishOptions, publish, publish_extension, write_extension};
pub use restore::{ArtifactRequest, Event, RestoreOptions, RestoreResult, restore};
pub use template_spec::Azure;
pub use world::RegistryWorld;

/// Drives a piece of network work to its end.
fn run<T>(work: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Error::Disk { path: "the network".into(), error })?;
    let result = runtime.block_on(work);
    // A name that is still being looked up must not hold up the program.
    runtime.shutdown_background();
    result
}
