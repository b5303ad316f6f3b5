//! This command line again, in a process of its own.

use std::ffi::OsString;
use std::io;
use std::process::Command;

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
