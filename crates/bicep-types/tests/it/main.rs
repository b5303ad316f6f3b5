//! Tests of the crate as its users see it: one binary, one file per subject.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "the helpers of tests may fail a test, too"
)]

mod notation;
mod ty;
