//! Runs the analyzer over the shared corpus of cases, one test for each case.
//!
//! `tests/ratchet/analyzer.txt` lists the cases that are known to fail, each with a reason. A case that fails without
//! being listed fails the run, and so does a listed one that passes: the list can only become shorter by editing it.
//! Without the corpus there is nothing to run, and the runner says so.

#![expect(clippy::indexing_slicing, clippy::panic, reason = "a corpus that cannot be read fails the run")]

#[path = "corpus/engine.rs"]
mod engine;
#[path = "corpus/templates.rs"]
mod templates;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;

/// A suite: where its cases are, and what checks one.
struct Suite {
    name: &'static str,
    file: &'static str,
    check: Check,
}

/// Checks a case. The second value is the whole suite, for what its cases share.
type Check = fn(&Corpus, &Value, &Value) -> Result<(), String>;

/// Where the corpus is.
pub struct Corpus {
    root: PathBuf,
}

impl Corpus {
    /// The text of a file of the corpus.
    pub fn text(&self, path: &str) -> Result<String, String> {
        read(&self.root.join(path))
    }
}

const SUITES: &[Suite] = &[
    Suite { name: "operators", file: "engine/operators.json", check: engine::operator },
    Suite { name: "paths", file: "engine/paths.json", check: engine::path },
    Suite { name: "scopes", file: "engine/scopes.json", check: engine::scope },
    Suite { name: "resource-types", file: "engine/resource-types.json", check: engine::resource_type },
    Suite { name: "structured", file: "engine/structured.json", check: engine::structured },
    Suite { name: "rule-parsing", file: "engine/rule-parsing.json", check: engine::rule_parsing },
    Suite { name: "rule-evaluation", file: "engine/rule-evaluation.json", check: engine::rule_evaluation },
    Suite { name: "config-filter", file: "engine/config-filter.json", check: engine::config_filter },
    Suite {
        name: "template-validity",
        file: "engine/template-validity.json",
        check: engine::template_validity,
    },
    Suite { name: "placeholders", file: "engine/placeholders.json", check: templates::placeholders },
    Suite {
        name: "evaluation-counts",
        file: "engine/evaluation-counts.json",
        check: templates::evaluation_count,
    },
    Suite {
        name: "resource-mappings",
        file: "engine/resource-mappings.json",
        check: templates::resource_mapping,
    },
    Suite { name: "line-mapping", file: "engine/line-mapping.json", check: templates::line_mapping },
    Suite { name: "rule-tests", file: "rule-tests/cases.json", check: templates::rule_test },
    Suite { name: "nested", file: "nested/cases.json", check: templates::nested },
];

fn main() {
    let arguments = Arguments::from_args();
    let Some(root) = shared() else {
        note("the shared corpus is not here: no case is run");
        return;
    };
    let corpus = Arc::new(Corpus { root });
    let known = ratchet();
    let mut trials = Vec::new();
    for suite in SUITES {
        let whole = Arc::new(cases(&corpus, suite));
        let count = whole["cases"].as_array().map_or(0, Vec::len);
        for at in 0..count {
            // Bicep is compiled by the command line, whose tests run those cases.
            if whole["cases"][at]["kind"] == "bicep" {
                continue;
            }
            let id = format!("{}/{}", suite.name, whole["cases"][at]["id"].as_str().unwrap_or("unnamed"));
            let (corpus, whole, expected) =
                (Arc::clone(&corpus), Arc::clone(&whole), known.get(&id).cloned());
            let check = suite.check;
            trials
                .push(Trial::test(id, move || judge(check(&corpus, &whole["cases"][at], &whole), expected)));
        }
    }
    libtest_mimic::run(&arguments, trials).exit();
}

fn judge(result: Result<(), String>, known: Option<String>) -> Result<(), Failed> {
    match (result, known) {
        (Ok(()), None) | (Err(_), Some(_)) => Ok(()),
        (Err(message), None) => Err(message.into()),
        (Ok(()), Some(reason)) => Err(format!("passes now; take it out of the ratchet ({reason})").into()),
    }
}

/// `suite/case: reason`, one per line.
fn ratchet() -> BTreeMap<String, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ratchet/analyzer.txt");
    let text = read(&path).unwrap_or_default();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .filter_map(|line| line.split_once(": "))
        .map(|(id, why)| (id.trim().into(), why.trim().into()))
        .collect()
}

fn cases(corpus: &Corpus, suite: &Suite) -> Value {
    let text = corpus.text(suite.file).unwrap_or_else(|message| panic!("{message}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", suite.file))
}

#[expect(clippy::disallowed_methods, reason = "test data is on disk")]
fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// The corpus, in a folder `shared` beside the project or wherever `SINEW_SHARED` says.
#[expect(clippy::disallowed_methods, reason = "test data is on disk")]
fn shared() -> Option<PathBuf> {
    let given = std::env::var_os("SINEW_SHARED").map(PathBuf::from);
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|folder| folder.join("shared"));
    given.into_iter().chain(above).map(|shared| shared.join("corpus/analyzer")).find(|folder| folder.is_dir())
}

#[expect(clippy::disallowed_macros, reason = "the runner speaks to whoever runs it")]
fn note(text: &str) {
    eprintln!("{text}");
}
