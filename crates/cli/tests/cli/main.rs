//! The program as a user starts it.
#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on has failed"
)]
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    clippy::disallowed_types,
    reason = "programs are started and talked to, and what was not tested is said"
)]

mod analyze;
mod artifacts;
mod bicep_deploy;
mod build;
mod html_report;
mod many_files;
mod program;
mod sarif;
mod scripts;
mod serve;
