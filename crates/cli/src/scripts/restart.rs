//! This command line again, in a process of its own.

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;

/// The command line of this process under the same name, without `--watch`.
pub(crate) fn command() -> io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    #[cfg(unix)]
    if let Some(name) = std::env::args_os().next() {
        use std::os::unix::process::CommandExt;
        // The name decides which command line is spoken.
        command.arg0(name);
    }
    let is_own = |argument: &OsString| argument != "--watch";
    command.args(std::env::args_os().skip(1).filter(is_own));
    Ok(command)
}

/// What this process has read from standard input, for another one that does the same.
#[derive(Debug, Clone, Default)]
pub(super) struct Input(Option<Arc<[u8]>>);

impl Input {
    /// Adds what was read. Standard input ends once, so that later parts are empty.
    pub(super) fn keep(&mut self, bytes: &[u8]) {
        if self.0.is_none() {
            self.0 = Some(bytes.into());
        }
    }

    /// Starts a process with this input, or with another one if nothing has been read.
    pub(super) fn spawn(&self, command: &mut Command, otherwise: Stdio) -> io::Result<Child> {
        let Some(bytes) = &self.0 else { return command.stdin(otherwise).spawn() };
        let mut child = command.stdin(Stdio::piped()).spawn()?;
        if let Some(mut pipe) = child.stdin.take() {
            let bytes = Arc::clone(bytes);
            // A process that does not want all of it closes the pipe.
            thread::spawn(move || pipe.write_all(&bytes));
        }
        Ok(child)
    }
}
