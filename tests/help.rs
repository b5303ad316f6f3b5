//! The examples that `--help` shows work when they are pasted: every one is run in a small project. Exit code 2 would say
//! that the arguments make no sense.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(clippy::disallowed_methods, reason = "the test prepares a folder and runs programs")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use tests::program::{Ran, finish};

const PROGRAM: &str = env!("CARGO_BIN_EXE_sinew-tested");

/// What runs until somebody ends it, or waits for somebody to type.
const ENDLESS: &[&str] =
    &["sinew serve", "sinew console", "--watch", "sinew lsp", "sinew jsonrpc", "sinew mcp"];

fn sinew(words: &str, folder: &Path) -> Ran {
    let script = format!("sinew() {{ '{PROGRAM}' \"$@\"; }}\n{words}");
    let mut command = Command::new("sh");
    command.arg("-c").arg(script).current_dir(folder).env("NO_COLOR", "1");
    command.env("SINEW_HOME", folder.join("home")).env("SINEW_TYPES_MIRROR", "none");
    finish(&mut command).unwrap()
}

/// The command lines below `Examples:` in the help of a command.
fn examples(help: &str) -> Vec<String> {
    let after = help.lines().skip_while(|line| *line != "Examples:").skip(1);
    let lines = after.take_while(|line| line.starts_with("  "));
    lines.filter(|line| line.starts_with("  ") && line.contains("sinew ")).map(example).collect()
}

/// A description stands behind the command, after some spaces.
fn example(line: &str) -> String {
    let line = line.trim();
    line.split_once("   ").map_or(line, |(command, _)| command).trim().to_owned()
}

fn commands(help: &str) -> Vec<String> {
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names = listed.take_while(|line| line.starts_with("  ")).filter(|line| !line.starts_with("   "));
    names
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

fn text(ran: &Ran) -> String {
    String::from_utf8_lossy(&ran.stdout).into_owned()
}

#[test]
fn examples_of_the_help_make_sense() {
    let folder = tempfile::tempdir().unwrap();
    let help = text(&sinew("sinew help", folder.path()));
    let mut all: BTreeSet<String> = examples(&help).into_iter().collect();
    let commands = commands(&help);
    assert!(commands.len() > 20, "{help}");
    for name in commands {
        all.extend(examples(&text(&sinew(&format!("sinew {name} --help"), folder.path()))));
    }
    assert!(all.len() > 60, "{all:?}");
    let mut wrong = Vec::new();
    for line in all.iter().filter(|line| !ENDLESS.iter().any(|endless| line.contains(endless))) {
        let project = tempfile::tempdir().unwrap();
        fs::write(project.path().join("main.bicep"), "param name string = 'a'\noutput name string = name\n")
            .unwrap();
        fs::write(project.path().join("main.bicepparam"), "using 'main.bicep'\n").unwrap();
        let ran = sinew(line, project.path());
        let said = ran.errors();
        if ran.code.is_none() || said.contains("Usage:") || said.contains("panicked") {
            wrong.push(format!("$ {line}\n{:?} {said}", ran.code));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn help_fits_eighty_columns_where_the_terminal_does() {
    let folder = tempfile::tempdir().unwrap();
    let page = text(&sinew("sinew", folder.path()));
    let wide: Vec<&str> = page.lines().filter(|line| line.chars().count() > 80).collect();
    assert!(wide.is_empty() && page.lines().count() <= 40, "{page}");
}

#[test]
fn a_command_that_is_misspelt_is_suggested() {
    let folder = tempfile::tempdir().unwrap();
    let ran = sinew("sinew biuld main.bicep", folder.path());
    assert_eq!(ran.code, Some(2));
    assert!(ran.errors().contains("'build'"), "{}", ran.errors());
}
