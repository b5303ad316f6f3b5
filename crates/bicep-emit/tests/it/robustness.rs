//! Broken files give some template, never a panic: every file of the shared corpus, cut off and with lines missing.
//!
//! The corpus is found beside the workspace or by `SINEW_SHARED`; without it the test says so and passes.
//! `SINEW_CUTS` says how often each file is cut.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "a test may read files and say what it did"
)]

use std::path::{Path, PathBuf};

use super::{emitted, template};

#[test]
fn broken_files_do_not_break_the_emitter() {
    let Some(corpus) = corpus() else { return eprintln!("no shared corpus: nothing was cut") };
    let cuts = std::env::var("SINEW_CUTS").ok().and_then(|it| it.parse().ok()).unwrap_or(2);
    let mut files = Vec::new();
    collect(&corpus.join("baselines"), &mut files);
    assert!(!files.is_empty());
    for path in files {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        if text.len() > 100_000 {
            continue;
        }
        for (index, broken) in broken(&text, cuts).into_iter().enumerate() {
            let result = std::panic::catch_unwind(|| template(&[("main.bicep", &broken)]));
            assert!(result.is_ok(), "{} (variant {index}):\n{broken}", path.display());
        }
    }
}

#[test]
fn broken_parameter_files_do_not_break_the_evaluator() {
    let Some(corpus) = corpus() else { return eprintln!("no shared corpus: nothing was cut") };
    let cuts = std::env::var("SINEW_CUTS").ok().and_then(|it| it.parse().ok()).unwrap_or(20);
    let folders = std::fs::read_dir(corpus.join("params")).expect("the corpus has parameter files");
    for folder in folders.filter_map(|entry| Some(entry.ok()?.path().join("input"))) {
        let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap_or_default();
        let (text, template) = (read("parameters.bicepparam"), read("main.bicep"));
        for (index, broken) in broken(&text, cuts).into_iter().enumerate() {
            let files = [("main.bicepparam", broken.as_str()), ("main.bicep", template.as_str())];
            let result = std::panic::catch_unwind(|| super::parameters::document(&files));
            assert!(result.is_ok(), "{} (variant {index}):\n{broken}", folder.display());
        }
    }
}

/// The text cut off at some places, and without some of its lines.
fn broken(text: &str, cuts: usize) -> Vec<String> {
    let at = |index: usize, len: usize| (index + 1) * len / (cuts + 1);
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let cut_off = (0..cuts).map(|index| {
        let mut end = at(index, text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text[..end].to_owned()
    });
    let without_line = (0..cuts).map(|index| {
        let gone = at(index, lines.len());
        lines.iter().enumerate().filter(|(line, _)| *line != gone).map(|(_, text)| *text).collect()
    });
    cut_off.chain(without_line).collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|it| it == "bicep") && !is_expectation(&path) {
            files.push(path);
        }
    }
}

fn is_expectation(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("expected."))
}

fn corpus() -> Option<PathBuf> {
    let shared = match std::env::var_os("SINEW_SHARED") {
        Some(shared) => PathBuf::from(shared),
        None => {
            let here = Path::new(env!("CARGO_MANIFEST_DIR"));
            here.ancestors().map(|folder| folder.join("shared")).find(|shared| shared.is_dir())?
        }
    };
    let corpus = shared.join("corpus/bicep");
    corpus.is_dir().then_some(corpus)
}

#[test]
fn what_stands_in_many_places_comes_to_an_end() {
    let account = "'Microsoft.Storage/storageAccounts@2023-01-01'";
    let first =
        format!("resource r0 {account} existing = {{ name: 'x' }}\nvar v0 = [r0.properties.accessTier]\n");
    let name = format!("resource rI {account} existing = {{ name: '${{rJ.name}}${{rJ.name}}' }}");
    for (step, last) in [
        ("var vI = [vJ, vJ]", "output o array = vI"),
        ("var vI = [...vJ, ...vJ]", "output o array = vI"),
        (name.as_str(), "output o string = rI.id"),
    ] {
        let source = |steps: usize| {
            let numbered = |text: &str, i: usize| {
                text.replace('I', &i.to_string()).replace('J', &i.wrapping_sub(1).to_string())
            };
            let steps: Vec<String> =
                (1..=steps).map(|i| numbered(step, i)).chain([numbered(last, steps)]).collect();
            format!("{first}{}\n", steps.join("\n"))
        };
        let is_cut = |steps: usize| emitted(&[("main.bicep", &source(steps))], |emitted| emitted.is_cut);
        assert!(!is_cut(8), "{step}: small enough to be written down");
        assert!(is_cut(60), "{step}");
    }
}
