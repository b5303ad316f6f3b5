//! Development tasks, run as `cargo xtask TASK`.
#![expect(clippy::disallowed_methods, reason = "a development tool reads files and its arguments")]
#![expect(clippy::disallowed_macros, reason = "a development tool talks to the person who started it")]

mod tidy;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask TASK

tasks:
  tidy    check who uses whom, names and heads of files; report sizes of files and functions";

fn main() -> ExitCode {
    let task = std::env::args().nth(1);
    let result = match task.as_deref() {
        Some("tidy") => tidy::run(),
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
