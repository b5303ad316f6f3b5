//! Names and heads of files.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::shown;

/// A source file with its text.
pub(super) struct Source {
    pub(super) path: PathBuf,
    pub(super) text: String,
}

/// Folders with sources of ours.
const FOLDERS: [&str; 4] = ["crates", "tests", "benches", "xtask"];

/// Words that say nothing about what is in a file.
const EMPTY_WORDS: [&str; 8] = ["util", "utils", "common", "helper", "helpers", "manager", "misc", "stuff"];

/// The files that may lie in the root.
const IN_THE_ROOT: [&str; 14] = [
    ".editorconfig",
    ".gitattributes",
    ".gitignore",
    ".pre-commit-hooks.yaml", // pre-commit looks for it here, and GitHub for the action
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE",
    "README.md",
    "action.yml",
    "clippy.toml",
    "rust-toolchain.toml",
];

/// The one file that may lift the ban on `unsafe`.
const WITH_UNSAFE: &str = "crates/registry/src/mapped.rs";

/// All Rust files of the workspace, sorted.
pub(super) fn sources(root: &Path) -> io::Result<Vec<Source>> {
    let mut paths = Vec::new();
    for folder in FOLDERS {
        collect(&root.join(folder), &mut paths)?;
    }
    paths.sort();
    paths.into_iter().map(|path| Ok(Source { text: fs::read_to_string(&path)?, path })).collect()
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default();
        if path.is_dir() && name != "target" {
            collect(&path, paths)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            paths.push(path);
        }
    }
    Ok(())
}

/// Checks names and heads.
pub(super) fn check(root: &Path, sources: &[Source]) -> Vec<String> {
    let mut problems = check_root(root);
    for source in sources {
        let shown = shown(root, &source.path);
        let stem =
            source.path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        if let Some(word) = stem.split(['_', '-']).find(|word| EMPTY_WORDS.contains(word)) {
            problems.push(format!("{shown}: `{word}` does not say what is in the file"));
        }
        if !source.text.starts_with("//!") {
            problems.push(format!("{shown}: the first line must be `//!` and say what the file is for"));
        }
        // Written in two parts, so that this file does not find itself.
        if source.text.contains(concat!("(unsafe", "_code")) && Path::new(&shown) != Path::new(WITH_UNSAFE) {
            problems.push(format!("{shown}: only {WITH_UNSAFE} may use `unsafe`"));
        }
    }
    problems
}

fn check_root(root: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(root) else { return Vec::new() };
    let mut stray: Vec<String> = entries
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| !IN_THE_ROOT.contains(&name.as_str()) && name != "rustfmt.toml" && name != ".git")
        .map(|name| format!("{name}: does not belong into the root"))
        .collect();
    stray.sort();
    stray
}
