//! The command line of Bicep's language server: there is one thing to do, and arguments that are not known do not matter.

use std::ffi::OsString;

use crate::args::Deferred;
use crate::commands::{Command, lsp};
use crate::names::Parsed;
use crate::session::Colour;

/// Reads the arguments. Clients add their own, so nothing is refused.
pub(super) fn parse(arguments: &[OsString]) -> Parsed {
    let words = arguments.iter().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    Parsed::Run(Box::new(Command::Lsp(Deferred::new(lsp::Args::of(words)))), Colour::Never)
}
