//! The engine as its callers see it: requests in, documents out.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::needless_pass_by_value,
    reason = "a test that cannot go on has failed"
)]

mod support;

mod deploy;
mod hostile;
mod inputs;
mod lifecycle;
mod outputs;
mod secrets;
mod stacks;
mod types;
mod what_if;
