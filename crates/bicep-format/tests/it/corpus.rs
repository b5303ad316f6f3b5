//! Every formatted file of the conformance corpus, byte for byte, where the corpus is there.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "reads test data beside the project, and says so when there is none"
)]

use std::path::{Path, PathBuf};

use bicep_format::Options;
use bicep_syntax::Dialect;
use serde_json::Value;

/// A file of the corpus that is to be formatted.
pub struct Case {
    pub name: String,
    pub dialect: Dialect,
    pub input: String,
    expected: String,
    options: Options,
}

#[test]
fn corpus_files_are_laid_out_as_the_reference_does() {
    let cases = cases();
    let failures: Vec<_> = cases
        .iter()
        .filter_map(|case| {
            let parse = bicep_syntax::parse(case.input.as_str(), case.dialect);
            let actual = bicep_format::format(&parse, &case.options);
            first_difference(&case.expected, &actual).map(|difference| format!("{}: {difference}", case.name))
        })
        .collect();
    println!("{} of {} files as the reference", cases.len() - failures.len(), cases.len());
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// All cases of the corpus; none, with a word about it, where it is not there.
pub fn cases() -> Vec<Case> {
    let Some(root) = corpus() else {
        println!("skipped: no conformance corpus beside the project, and SINEW_SHARED is not set");
        return Vec::new();
    };
    let index: Value = serde_json::from_str(&read(&root.join("corpus.json"))).unwrap();
    let mut cases = Vec::new();
    for case in index["cases"].as_array().unwrap() {
        for (check, expected) in case["expected"].as_object().unwrap() {
            if check == "format" || check.starts_with("format:") {
                cases.push(read_case(&root, case, check, expected.as_str().unwrap()));
            }
        }
    }
    cases
}

fn read_case(root: &Path, case: &Value, check: &str, expected: &str) -> Case {
    let folder = root.join(case["dir"].as_str().unwrap());
    let entry = case["entry"].as_str().unwrap();
    let input = read(&folder.join(entry));
    let expected = if expected == "=input" { input.clone() } else { read(&folder.join(expected)) };
    let mut options = Options::default();
    if let Some(width) = check.strip_prefix("format:width=") {
        options.width = width.parse().unwrap();
    }
    let name = format!("{} {check}", case["id"].as_str().unwrap());
    Case { name, dialect: Dialect::of_path(entry), input, expected, options }
}

fn corpus() -> Option<PathBuf> {
    let shared = std::env::var_os("SINEW_SHARED").map(PathBuf::from).or_else(|| {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        here.ancestors().map(|folder| folder.join("shared")).find(|shared| shared.is_dir())
    })?;
    Some(shared.join("corpus/bicep")).filter(|corpus| corpus.is_dir())
}

/// A file without its byte order mark, which is no part of the text.
fn read(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.strip_prefix('\u{feff}').map_or(text.clone(), str::to_owned)
}

fn first_difference(expected: &str, actual: &str) -> Option<String> {
    if expected == actual {
        return None;
    }
    let (mut expected, mut actual) = (expected.split('\n'), actual.split('\n'));
    for number in 1.. {
        let (expected, actual) = (expected.next(), actual.next());
        if expected != actual {
            return Some(format!("line {number}: expected {expected:?}, got {actual:?}"));
        }
    }
    None
}
