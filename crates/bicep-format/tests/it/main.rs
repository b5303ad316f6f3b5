//! Tests of the crate as its users see it: one binary, one file per subject.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "the helpers of tests may fail a test, too"
)]

mod constructs;
mod corpus;
mod properties;
