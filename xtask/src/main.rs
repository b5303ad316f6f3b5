//! Development tasks, run as `cargo xtask TASK`.
#![expect(clippy::disallowed_methods, reason = "a development tool reads files and its arguments")]
#![expect(clippy::disallowed_macros, reason = "a development tool talks to the person who started it")]

mod notices;
mod tidy;

use std::ffi::OsString;
use std::process::{Command, ExitCode};

const USAGE: &str = "\
usage: cargo xtask TASK

tasks:
  tidy            check who uses whom, names and heads of files; report sizes of files and functions
  differential    compare the library with recorded answers of the reference; see `--help`
  notices         list the packages that the program is built from, with their licenses";

fn main() -> ExitCode {
    let task = std::env::args().nth(1);
    let result = match task.as_deref() {
        Some("tidy") => tidy::run(),
        Some("notices") => notices::run(),
        Some("differential") => differential(std::env::args_os().skip(2)),
        _ => Err(vec![USAGE.to_owned()]),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(problems) => {
            problems.iter().for_each(|problem| eprintln!("{problem}"));
            ExitCode::FAILURE
        }
    }
}

/// A program of its own, so that the other tasks need not compile the library.
fn differential(arguments: impl Iterator<Item = OsString>) -> Result<(), Vec<String>> {
    let cargo = std::env::var_os("CARGO").unwrap_or("cargo".into());
    let mut command = Command::new(cargo);
    command.args(["run", "--quiet", "--package", "differential", "--"]).args(arguments);
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(Vec::new()),
        Err(error) => Err(vec![error.to_string()]),
    }
}
