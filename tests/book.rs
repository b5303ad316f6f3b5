//! The book in `docs` and the README of every example are run: each page from top to bottom. `UPDATE_EXPECT=1` writes
//! what is into them; the difference is then reviewed as a change of behaviour.
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

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("{ROOT}: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> io::Result<ExitCode> {
    let arguments = Arguments::from_args();
    let program = Arc::new(Program::new(Path::new(env!("CARGO_BIN_EXE_sinew-tested")))?);
    let updates = std::env::var_os("UPDATE_EXPECT").map(|_| Arc::new(Updates::default()));
    let root = Path::new(ROOT);
    let docs = spec::pages(&root.join("docs"))?.into_iter().map(|page| (format!("docs/{}", page.name), page));
    let examples = spec::examples(&root.join("examples"))?.into_iter();
    let examples = examples.map(|page| (format!("examples/{}", page.name), page));
    let mut trials = Vec::new();
    for (name, page) in docs.chain(examples) {
        let (program, updates) = (Arc::clone(&program), updates.clone());
        trials.push(Trial::test(name, move || {
            spec::run_page(&page, &program, updates.as_deref()).map_err(Failed::from)
        }));
    }
    let conclusion = libtest_mimic::run(&arguments, trials);
    if let Some(updates) = updates {
        println!("{} fences have new content", updates.write()?);
    }
    Ok(conclusion.exit_code())
}
