//! Tests of the crate as its users see it: one binary, one file per subject.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "the helpers of tests may fail a test, too"
)]

mod constructs;
mod corpus;
mod properties;

use bicep_format::Options;
use bicep_syntax::Dialect;

/// The text laid out with the default options.
fn format(text: &str, dialect: Dialect) -> String {
    bicep_format::format(&bicep_syntax::parse(text, dialect), &Options::default())
}
