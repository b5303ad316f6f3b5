//! Programs that know credentials: they are asked on their input and answer on their output, within limits.

use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::error::Error;

/// Runs such a program: whether it succeeded, and its output.
pub(crate) fn run_credential_program(
    mut command: Command,
    name: &str,
    input: &str,
) -> Result<(bool, String), Error> {
    let failed = |reason: String| Error::Credentials(format!("`{name}` {reason}"));
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| failed(format!("cannot be started: {error}")))?;
    if let Some(mut stdin) = child.stdin.take() {
        // A helper that does not read its input says so by its exit code.
        let _ = stdin.write_all(input.as_bytes());
    }
    let started = Instant::now();
    let status = loop {
        match child.try_wait().map_err(|error| failed(error.to_string()))? {
            Some(status) => break status,
            None if started.elapsed() > HELPER_TIMEOUT => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(failed("does not answer".to_owned()));
            }
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    let mut output = String::new();
    if let Some(stdout) = child.stdout.take() {
        let read = stdout.take(MAX_HELPER_OUTPUT).read_to_string(&mut output);
        read.map_err(|error| failed(error.to_string()))?;
    }
    Ok((status.success(), output))
}

const HELPER_TIMEOUT: Duration = Duration::from_secs(30);
const MAX_HELPER_OUTPUT: u64 = 64 << 10;
