//! Tests of the crate as its users see it: one binary, one file per subject.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "the helpers of tests may fail a test, too"
)]

mod catalogue;
mod notation;
mod resources;
mod round_trip;
mod shared;
mod ty;
