//! The engine as its callers see it: requests in, documents out.

mod support;

mod deploy;
mod inputs;
mod lifecycle;
mod what_if;
