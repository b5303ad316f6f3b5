//! `--help` of every command, under every name: it fits a terminal of 80 columns, and its examples work when they are
//! pasted into the project of `tests/project`.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeSet;
use std::path::Path;

use tests::sample::{SampleProject, run_lines};
use tests::spec::Program;

/// What runs until somebody ends it, or waits for somebody to type.
const ENDLESS: &[&str] =
    &["sinew serve", "sinew console", "--watch", "sinew lsp", "sinew jsonrpc", "sinew mcp"];

/// What changes the folder of the program; `tests/packaging.rs` runs it on a copy.
const INSTALLING: &str = "sinew self names";

/// Examples that need more than a folder, and what they need. They are started all the same: they must say what is
/// missing, and not that their arguments make no sense.
const NEEDING_MORE: &[(&str, &str)] = &[
    ("example.azurecr.io", "a registry"),
    ("br/corp:", "a registry"),
    ("sinew types ", "the types of Azure's resources"),
    ("sinew outdated", "the types of Azure's resources"),
    ("sinew upgrade", "the types of Azure's resources"),
    ("--endpoint", "a server"),
    ("teardown", "a server with a stack"),
    ("local-deploy", "an extension with a program"),
    ("sinew init", "a folder without a script"),
];

fn program() -> Program {
    Program::new(Path::new(env!("CARGO_BIN_EXE_sinew-tested"))).unwrap()
}

/// The help of a command and of all below it, each with the words that lead to it.
fn pages(program: &Program, words: &str, flag: &str, found: &mut Vec<(String, String)>) {
    let folder = tempfile::tempdir().unwrap();
    let ran = program.shell(&format!("{words} {flag}"), folder.path()).unwrap();
    assert_eq!(ran.code, Some(0), "{words} {flag}: {}", ran.errors());
    let page = String::from_utf8_lossy(&ran.stdout).into_owned();
    let commands = commands(&page);
    found.push((format!("{words} {flag}"), page));
    for command in commands {
        pages(program, &format!("{words} {command}"), flag, found);
    }
}

fn commands(help: &str) -> Vec<String> {
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names = listed.take_while(|line| line.starts_with("  ")).filter(|line| !line.starts_with("   "));
    let names = names.filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

/// The command lines below `Examples:`, each without the description behind it.
fn examples(help: &str) -> Vec<String> {
    let after = help.lines().skip_while(|line| *line != "Examples:").skip(1);
    let lines = after.take_while(|line| line.starts_with("  "));
    let lines: Vec<&str> =
        lines.map(str::trim).map(|line| line.split_once("   ").map_or(line, |(it, _)| it)).collect();
    let commands = lines.join("\n").replace("\\\n", "");
    commands.lines().filter(|line| line.contains("sinew ")).map(str::to_owned).collect()
}

#[test]
fn help_fits_eighty_columns_under_every_name() {
    let program = program();
    let mut found = Vec::new();
    for name in ["sinew", "bicep", "jk", "TemplateAnalyzer"] {
        pages(&program, name, "--help", &mut found);
        pages(&program, name, "-h", &mut found);
    }
    assert!(found.len() > 100, "only {} pages", found.len());
    let wide = found.iter().flat_map(|(words, page)| {
        let lines = page.lines().filter(|line| line.chars().count() > 80);
        lines.map(move |line| format!("{words}: {line}"))
    });
    let wide: Vec<String> = wide.collect();
    assert!(wide.is_empty(), "{}", wide.join("\n"));
    let foreign = found.iter().filter(|(words, _)| !words.starts_with("sinew"));
    let wrong: Vec<&str> =
        foreign.filter(|(_, page)| !examples(page).is_empty()).map(|(words, _)| words.as_str()).collect();
    assert!(wrong.is_empty(), "examples for another name: {wrong:?}");
}

#[test]
fn the_first_page_fits_a_screen() {
    let folder = tempfile::tempdir().unwrap();
    let ran = program().shell("sinew", folder.path()).unwrap();
    let page = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(page.lines().all(|line| line.chars().count() <= 80) && page.lines().count() <= 24, "{page}");
}

#[test]
fn examples_of_the_help_work_when_pasted() {
    let program = program();
    let project = SampleProject::new(&program).unwrap();
    let mut found = Vec::new();
    pages(&program, "sinew", "--help", &mut found);
    let all: BTreeSet<String> = found.iter().flat_map(|(_, page)| examples(page)).collect();
    assert!(all.len() > 100, "{all:?}");
    let mut wrong = Vec::new();
    let is_run =
        |line: &&String| *line != INSTALLING && !ENDLESS.iter().any(|endless| line.contains(endless));
    for line in all.iter().filter(is_run) {
        let folder = tempfile::tempdir().unwrap();
        project.copy_to(folder.path()).unwrap();
        let ran = run_lines(&program, line, folder.path()).unwrap();
        let needs_more = NEEDING_MORE.iter().any(|(part, _)| line.contains(part));
        let is_right = match needs_more {
            true => matches!(ran.code, Some(0 | 1)),
            false => ran.code == Some(0),
        };
        if !is_right || ran.errors().contains("panicked") || ran.errors().contains("Usage:") {
            wrong.push(format!("$ {line}\n{:?} {}", ran.code, ran.errors()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_command_that_is_misspelt_is_suggested() {
    let folder = tempfile::tempdir().unwrap();
    let ran = program().shell("sinew biuld main.bicep", folder.path()).unwrap();
    assert_eq!(ran.code, Some(2));
    assert!(ran.errors().contains("'build'"), "{}", ran.errors());
}
