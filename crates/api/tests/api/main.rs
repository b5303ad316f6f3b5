//! The server from outside: real connections, a real engine, its state in memory.
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]
#![expect(clippy::disallowed_methods, reason = "tests prepare the disk and start programs")]
#![expect(clippy::disallowed_macros, reason = "says when Chromium is not installed")]

mod accessibility;
mod browser;
mod deployments;
mod gate;
mod groups;
mod hostile;
mod lists;
mod login;
mod page;
mod policies;
mod providers;
mod server;
mod services;
