//! The examples are what the README shows: they are in order and in the standard layout.

use std::path::Path;

use tests::program::run;

const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples");

fn check(arguments: &[&str]) {
    let program = Path::new(env!("CARGO_BIN_EXE_sinew-tested"));
    let ran = run(program, arguments.iter().chain([&EXAMPLES]), &[]);
    assert!(ran.as_ref().is_ok_and(|ran| ran.code == Some(0)), "{ran:?}");
}

#[test]
fn examples_have_no_errors() {
    check(&["lint"]);
}

#[test]
fn examples_are_formatted() {
    check(&["format", "--check"]);
}
