//! What a command works with: the name it was started under, the outside, and the output.

use std::process::ExitCode;

use base::disk::DiskWorld;
use camino::{Utf8Path, Utf8PathBuf};
use clap::ValueEnum;

use crate::commands::Command;
use crate::failure::Failure;
use crate::names::Name;
use crate::output::Output;
use crate::type_install::Attempts;

/// What a command works with.
pub(crate) struct Session {
    /// What the program was started as.
    pub(crate) name: Name,
    /// Files and variables of this machine.
    pub(crate) world: DiskWorld,
    /// Standard output and standard error.
    pub(crate) output: Output,
    /// The types that were fetched because a program needs them.
    pub(crate) type_attempts: Attempts,
}

/// How a command ended when it could do its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    /// Nothing to complain about.
    Clean,
    /// It found errors, and has reported them.
    Findings,
    /// It ends with a code of its own, as the name it was started under wants it.
    Code(u8),
}

/// What a command gives back. A [`Failure`] is reported by the session; findings are reported by the command.
pub(crate) type Outcome = Result<Status, Failure>;

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Colour {
    /// On a terminal, unless `NO_COLOR` or `CLICOLOR=0` asks for none
    #[default]
    Auto,
    /// Also into files and pipes
    Always,
    /// Nowhere
    Never,
}

impl Session {
    /// A session of this process.
    pub(crate) fn start(name: Name, colour: Colour) -> Self {
        Self { name, world: DiskWorld, output: Output::new(colour), type_attempts: Attempts::default() }
    }

    /// A session whose output is kept.
    #[cfg(feature = "lsp")]
    pub(crate) fn capturing() -> Self {
        Self {
            name: Name::Sinew,
            world: DiskWorld,
            output: Output::capturing(),
            type_attempts: Attempts::default(),
        }
    }

    /// Runs a command and says how it went.
    pub(crate) fn run(&self, command: Command) -> ExitCode {
        match command.run(self) {
            Ok(Status::Clean) => ExitCode::SUCCESS,
            Ok(Status::Findings) => ExitCode::FAILURE,
            Ok(Status::Code(code)) => code.into(),
            Err(failure) => self.refuse(&failure),
        }
    }

    /// Writes a text to standard output, and that is all.
    pub(crate) fn print(&self, text: &str) -> ExitCode {
        match self.output.data(text) {
            Ok(()) => ExitCode::SUCCESS,
            Err(failure) => self.refuse(&failure),
        }
    }

    /// Says why nothing was done.
    pub(crate) fn refuse(&self, failure: &Failure) -> ExitCode {
        if *failure != Failure::Closed {
            self.output.failure(failure);
        }
        self.name.code_of(failure)
    }

    /// Takes what is not needed any more. The process of a command ends soon, and one thread would have to free what all of them
    /// have allocated; a server goes on, and gets its memory back.
    pub(crate) fn discard<T>(&self, value: T) {
        if self.output.is_captured() {
            drop(value);
        } else {
            std::mem::forget(value);
        }
    }

    /// A path from the root on, without asking whether it exists.
    pub(crate) fn absolute(&self, path: &Utf8Path) -> Result<Utf8PathBuf, Failure> {
        if path.is_absolute() {
            return Ok(path.to_owned());
        }
        let folder = std::env::current_dir().map_err(|_| Failure::no_current_folder())?;
        let folder = Utf8PathBuf::from_path_buf(folder).map_err(|_| Failure::no_current_folder())?;
        Ok(config::paths::normalize(&folder.join(path)))
    }
}

impl Status {
    /// Findings when there are any.
    pub(crate) fn from_findings(any: bool) -> Self {
        if any { Self::Findings } else { Self::Clean }
    }
}

#[cfg(all(test, feature = "lsp"))]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn a_server_gets_its_memory_back() {
        let value = Arc::new(());
        Session::capturing().discard(Arc::clone(&value));
        assert_eq!(Arc::strong_count(&value), 1);
        Session::start(Name::Sinew, Colour::Never).discard(Arc::clone(&value));
        assert_eq!(Arc::strong_count(&value), 2, "a command does not wait for that");
    }
}
