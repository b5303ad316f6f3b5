//! Artifacts from OCI registries. References come in; folders of the cache go out, with content that is what its
//! digests say, or an [`Error`] that says what to do. This crate is part of the rim: it does the network and the disk,
//! so that the compiler needs neither ([`RegistryWorld`]). Without the feature `network` it finds what is in the cache, and says
//! that it cannot download the rest.
//!
//! The functions are synchronous and may be called from any thread that does not itself drive an async runtime.
#![expect(clippy::disallowed_methods, reason = "this crate is the rim: it reads, writes and asks the clock")]

pub mod archive;
mod assembly;
mod cache;
mod client;
mod credential_program;
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
mod runtime;
pub mod sources;
mod template_spec;
pub mod types;
mod world;
mod zip;

pub use cache::{Cache, Depth, Lookup, Stored};
pub use client::Patience;
pub use digest::Digest;
pub use error::Error;
pub use extension::ExtensionPackage;
pub use home::docker_config_path;
pub use image::{ImageOptions, unpack_image};
pub use lockfile::{LOCK_FILE_NAME, LockFile, Locked};
pub use mapped::Mapped;
pub use publish::{Module, PublishOptions, publish, publish_extension, write_extension};
pub use restore::{ArtifactRequest, Event, RestoreOptions, RestoreResult, restore};
pub use template_spec::Azure;
pub use world::RegistryWorld;
