//! Fixes and broken files on the shared corpus. What rules find there is compared with the reference by the corpus
//! runner.

#![expect(clippy::disallowed_methods, clippy::disallowed_macros, reason = "the corpus is read from disk")]
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may stop where its data is not as it should"
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use base::{Diagnostic, MemoryWorld, World as _};
use bicep_sema::{BicepFile, Program, Setup};
use serde_json::{Value, json};

/// Every fix in the corpus leaves a file that can still be read; no file makes a rule fail, even if it ends too early.
#[test]
fn fixes_keep_files_readable_and_broken_files_are_survived() {
    let Some(corpus) = shared().map(|shared| shared.join("corpus/bicep")) else {
        eprintln!("skipped: there is no folder `shared` beside the project and SINEW_SHARED is not set");
        return;
    };
    let index = read_json(&corpus.join("corpus.json"));
    let everything: Value =
        config::rules::RULES.iter().map(|rule| (rule.code.to_owned(), json!("warning"))).collect();
    let mut fixes = 0;
    for check in index["cases"].as_array().unwrap().iter().flat_map(checks) {
        let world = world(&corpus.join(&check.folder), &check.entry, &everything);
        let text = world.read(check.entry.as_str().into()).unwrap();
        let text = std::str::from_utf8(&text).unwrap();
        fixes += check_fixes(&world, &check);
        if check.id.starts_with("baselines/") {
            for part in 1..4 {
                let cut = text.floor_char_boundary(text.len() * part / 4);
                let world = world.clone().with_file(&check.entry, &text[..cut]);
                lint_in(&world, &check.entry, |_, _| ());
            }
        }
    }
    assert!(fixes > 1000, "only {fixes} fixes were looked at");
}

/// Applies each fix in a file without syntax errors. Gives how many there were.
fn check_fixes(world: &MemoryWorld, check: &Check) -> usize {
    lint_in(world, &check.entry, |bicep, findings| {
        if !bicep.parse.diagnostics.is_empty() {
            return 0;
        }
        let fixes = findings.iter().flat_map(|finding| finding.fixes.iter().map(move |fix| (finding, fix)));
        fixes
            .map(|(finding, fix)| {
                let mut text = bicep.source.text().to_string();
                let mut end = text.len();
                for edit in fix.edits.iter().rev() {
                    assert!(
                        usize::from(edit.range.end()) <= end,
                        "{} of {}: edits overlap",
                        fix.title,
                        check.id
                    );
                    end = edit.range.start().into();
                    text.replace_range(
                        usize::from(edit.range.start())..usize::from(edit.range.end()),
                        &edit.text,
                    );
                }
                let errors = bicep_syntax::parse(text, bicep.dialect).diagnostics;
                assert!(
                    errors.is_empty(),
                    "{} at {:?} of {}: {errors:?}",
                    fix.title,
                    finding.range,
                    check.id
                );
            })
            .count()
    })
}

/// Lints a file and hands it over with what was found.
fn lint_in<T>(world: &MemoryWorld, entry: &str, then: impl FnOnce(&BicepFile, Vec<Diagnostic>) -> T) -> T {
    let program = Program::load(Setup::new(world), &[entry.into()]);
    let file = program.file_at(entry.into()).unwrap();
    then(program.bicep(file).unwrap(), bicep_lint::lint(&program, file, &bicep_lint::Options::default()))
}

/// One file of the corpus.
struct Check {
    id: String,
    /// The folder of all its files, relative to the corpus.
    folder: String,
    /// The file, relative to that folder.
    entry: String,
}

fn checks(case: &Value) -> Vec<Check> {
    let text = |key: &str| case[key].as_str().unwrap_or_default().to_owned();
    let check = |id: String, entry: String| Check { id, folder: text("dir"), entry };
    match &case["expected"]["diagnostics"] {
        Value::String(_) => vec![check(text("id"), text("entry"))],
        Value::Object(files) => files
            .keys()
            .map(|file| check(format!("{} {file}", text("id")), format!("expected/{file}")))
            .collect(),
        _ => Vec::new(),
    }
}

/// The files of a case, with the levels of its profile in the configuration beside the entry.
fn world(folder: &Path, entry: &str, overrides: &Value) -> MemoryWorld {
    let mut files = BTreeMap::new();
    collect(folder, folder, &mut files);
    let config = Path::new(entry).parent().unwrap().join("bicepconfig.json");
    let config = config.to_str().unwrap().to_owned();
    let mut settings: Value = files.get(&config).map_or(json!({}), |text| {
        let parsed = json::parse(std::str::from_utf8(text).unwrap(), json::Options::jsonc());
        parsed.root.unwrap().to_value()
    });
    for (rule, level) in overrides.as_object().unwrap() {
        settings["analyzers"]["core"]["rules"][rule]["level"] = level.clone();
    }
    files.insert(config, settings.to_string().into_bytes());
    files.into_iter().fold(MemoryWorld::new(), |world, (path, content)| world.with_file(path, content))
}

fn collect(root: &Path, folder: &Path, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(root, &path, files);
        } else {
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            files.insert(name, std::fs::read(&path).unwrap());
        }
    }
}

fn read_json(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// The folder of shared test data.
fn shared() -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os("SINEW_SHARED") {
        return Some(folder.into());
    }
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().map(|folder| folder.join("shared")).find(|folder| folder.join("corpus").is_dir())
}
