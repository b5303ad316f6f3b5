//! One test per section of the Markdown files in `spec`. `UPDATE_EXPECT=1` writes what is into them; the difference is
//! then reviewed as a change of behaviour.
#![expect(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    reason = "a test program talks and reads variables"
)]

use std::io;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};
use tests::spec::{self, Program, Updates};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/spec");

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("{FOLDER}: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> io::Result<ExitCode> {
    let arguments = Arguments::from_args();
    let program = Arc::new(Program::new(Path::new(env!("CARGO_BIN_EXE_sinew-tested")))?);
    let updates = std::env::var_os("UPDATE_EXPECT").map(|_| Arc::new(Updates::default()));
    let mut trials = Vec::new();
    for case in spec::cases(Path::new(FOLDER))? {
        let (program, updates) = (Arc::clone(&program), updates.clone());
        trials.push(Trial::test(case.name.clone(), move || {
            spec::run(&case, &program, updates.as_deref()).map_err(Failed::from)
        }));
    }
    let conclusion = libtest_mimic::run(&arguments, trials);
    if let Some(updates) = updates {
        println!("{} fences have new content", updates.write()?);
    }
    Ok(conclusion.exit_code())
}
