//! What the crate does, seen from outside.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "tests read the corpus from disk and say when it is not there"
)]
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that meets what it does not expect fails"
)]

mod corpus;
mod expand;
mod limits;
mod parameters;
mod robust;
mod snapshot;
mod support;
