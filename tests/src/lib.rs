//! What the test programs of this package are made of: `corpus` compares the program with recorded results of the
//! reference implementation, `spec` runs Markdown files. Both drive the real program from outside.
#![expect(clippy::disallowed_methods, reason = "tests run programs and write files")]

pub mod corpus;
pub mod program;
pub mod registry;
pub mod sample;
pub mod shared;
pub mod spec;
