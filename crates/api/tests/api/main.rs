//! The server from outside: real connections, a real engine, its state in memory.
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]

mod deployments;
mod groups;
mod hostile;
mod login;
mod server;
