//! What scripts see and users get, one file for each feature.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "tests set up folders and fail loudly"
)]

mod decorators;
mod disk;
#[cfg(feature = "typescript")]
mod examples;
mod formats;
mod hostile;
mod modules;
mod npm;
mod protocol;
mod schema_suite;
mod seed;
mod std_library;
mod support;
mod typescript;
mod validation;
