//! How long the program takes to start, as a ratio to `/bin/true`: the only measure that means the same everywhere.
//!
//! `cargo bench -p benches --bench startup -- target/release/sinew` measures `--version`; arguments behind the program are
//! measured instead. Runs of both alternate, so that a busy moment of the machine hits both; the medians are compared.
#![expect(clippy::disallowed_methods, reason = "a measurement runs programs and looks at the clock")]
#![expect(clippy::disallowed_macros, reason = "a measurement prints its result")]

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

const RUNS: usize = 400;

/// `sinew --version` may take this many times what `/bin/true` takes.
const BUDGET: f64 = 2.0;

/// The same for a small piece of work, types included.
const WORK_BUDGET: f64 = 5.0;

fn main() -> ExitCode {
    let mut given = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let program = given.next().map_or_else(default_program, PathBuf::from);
    let work: Vec<String> = given.collect();
    let (command, budget) = match work.is_empty() {
        true => (vec!["--version".to_owned()], BUDGET),
        false => (work, WORK_BUDGET),
    };
    if !program.exists() {
        println!("startup: {} is not there; build it with `cargo build --release`", program.display());
        return ExitCode::SUCCESS;
    }
    let (mut ours, mut nothing) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        nothing.push(time(Command::new("/bin/true")));
        ours.push(time(Command::new(&program).args(&command).stdout(Stdio::null())));
    }
    let (ours, nothing) = (median(&mut ours), median(&mut nothing));
    let ratio = ours.as_secs_f64() / nothing.as_secs_f64();
    println!("/bin/true  {nothing:?}");
    println!("ours       {ours:?}  ({})", command.join(" "));
    println!("ratio      {ratio:.2} (budget {budget:.1})");
    if ratio <= budget { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn default_program() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let target = target.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../target"));
    target.join("release/sinew")
}

fn time(mut command: impl std::borrow::BorrowMut<Command>) -> Duration {
    let start = Instant::now();
    let status = command.borrow_mut().status();
    let elapsed = start.elapsed();
    if !status.is_ok_and(|status| status.success()) {
        println!("startup: {:?} failed", command.borrow());
    }
    elapsed
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
