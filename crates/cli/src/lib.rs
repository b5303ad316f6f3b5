//! The rim: command-line arguments, the disk and the terminal come in; an exit code goes out.
//!
//! The way of a call: [`main`] looks at the name it was started under (`names`), that name's parser reads the arguments
//! (`args` for `sinew`), a command (`commands`, one file each) does the work with what the `session` offers, and its
//! `Outcome` becomes the exit code. Commands hold no logic of their own beyond reading, calling a library and writing.
#![expect(clippy::disallowed_methods, reason = "this crate is the rim that other crates are kept away from")]
#![cfg_attr(
    not(all(feature = "deploy", feature = "generate", feature = "lsp")),
    expect(dead_code, reason = "some words and helpers are only for the products that are left out")
)]

mod analysis;
mod args;
mod artifacts;
#[cfg(feature = "deploy")]
mod azure;
mod batch;
mod bundled;
mod catalogue;
mod change_report;
mod commands;
mod compile;
#[cfg(feature = "deploy")]
mod deployment;
mod evaluation;
mod external_inputs;
mod failure;
mod inputs;
mod interrupt;
mod messages;
mod names;
mod output;
mod outputs;
mod parallel;
mod project_settings;
#[cfg(test)]
mod reference;
mod report;
mod review;
#[cfg(feature = "generate")]
mod scripts;
#[cfg(feature = "lsp")]
mod servers;
mod session;
mod type_install;
mod write;

use std::ffi::OsString;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The version of this program.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Runs the program with the arguments of this process.
pub fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    run(&arguments)
}

/// Runs the program with these arguments, the name it is started under among them.
pub fn run(arguments: &[OsString]) -> ExitCode {
    names::run(arguments)
}
