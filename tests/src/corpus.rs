//! The corpus: inputs with what the reference implementation made of them. A folder of cases and the program come in;
//! one named check per expectation goes out.
//!
//! `corpus.json` lists the cases. A case has an entry file in a folder of its own, and expectations by kind: `build`,
//! `params`, `format`, `diagnostics`, `decompile`, `snapshot`. To these we add `syntax`: the part of the diagnostics
//! that lexer and parser alone are responsible for.

mod artifacts;
mod check;
mod findings;
mod folder;
pub mod live;
pub mod ratchet;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use tempfile::TempDir;

use crate::program;

/// A corpus and the program to check.
#[derive(Debug)]
pub struct Corpus {
    root: PathBuf,
    program: PathBuf,
    /// Environment variables of every run.
    variables: Vec<(String, String)>,
    /// Where resource types are installed and artifacts are kept for these runs.
    home: PathBuf,
    /// Takes that folder away in the end, unless it was asked for.
    _keep: Option<TempDir>,
    /// Levels of lint rules by the name of the profile.
    profiles: BTreeMap<String, Map<String, Value>>,
    cases: Vec<Value>,
}

/// One thing to check: a case, and one of its expectations.
#[derive(Debug, Clone)]
pub struct Check {
    /// The kind and the case: unique, and stable.
    pub name: String,
    kind: Kind,
    /// What stands behind the colon of a kind, such as `width=40`.
    option: String,
    case: usize,
    expected: Value,
}

/// What is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// The compiled template.
    Build,
    /// The compiled parameters.
    Params,
    /// The formatted text.
    Format,
    /// All diagnostics.
    Diagnostics,
    /// The diagnostics of lexer and parser.
    Syntax,
    /// The decompiled files.
    Decompile,
    /// The predicted resources.
    Snapshot,
}

impl Kind {
    const ALL: [Self; 7] = [
        Self::Build,
        Self::Params,
        Self::Format,
        Self::Diagnostics,
        Self::Syntax,
        Self::Decompile,
        Self::Snapshot,
    ];

    /// Its name in the corpus and in the names of checks.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Build => "build",
            Self::Params => "params",
            Self::Format => "format",
            Self::Diagnostics => "diagnostics",
            Self::Syntax => "syntax",
            Self::Decompile => "decompile",
            Self::Snapshot => "snapshot",
        }
    }
}

/// Which of the packages in the archive of Kubernetes types the corpus was made with is not recorded; this is the newest.
const KUBERNETES_PACKAGE: &str = "v1.33.0";

impl Corpus {
    /// Reads the list of cases.
    pub fn load(root: PathBuf, program: PathBuf) -> Result<Self, String> {
        let mut list = read_json(&root.join("corpus.json"))?;
        let profiles = read_json(&root.join("lint-profiles.json")).unwrap_or_default();
        let mut variables = vec![("NO_COLOR".to_owned(), "1".to_owned())];
        if let Some(environment) = list.get("env").and_then(Value::as_object) {
            variables.extend(environment.iter().map(|(name, value)| (name.clone(), text_of(value))));
        }
        let generator = list.get("generatorVersion").map_or("dev".to_owned(), text_of);
        variables.push(("SINEW_GENERATOR".to_owned(), format!("bicep@{generator}")));
        let (home, keep) = home().map_err(|error| error.to_string())?;
        variables.push(("SINEW_HOME".to_owned(), home.display().to_string()));
        let Some(Value::Array(cases)) = list.get_mut("cases").map(Value::take) else {
            return Err(format!("{} has no list of cases", root.display()));
        };
        Ok(Self { root, program, variables, home, _keep: keep, profiles: overrides(&profiles), cases })
    }

    /// Installs the published resource types for all runs, as a user would.
    pub fn install_types(&self, folder: &Path) -> Result<(), String> {
        let archives = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let mut archives: Vec<PathBuf> = archives.filter_map(|entry| Some(entry.ok()?.path())).collect();
        archives.retain(|path| path.extension().is_some_and(|extension| extension == "zst"));
        archives.sort();
        for archive in archives {
            let mut arguments: Vec<OsString> = vec!["types".into(), "install".into(), archive.clone().into()];
            if archive.file_name().is_some_and(|name| name.to_string_lossy().starts_with("k8s")) {
                arguments.extend(["--package".into(), KUBERNETES_PACKAGE.into()]);
            }
            let ran =
                program::run(&self.program, arguments, &self.variables).map_err(|error| error.to_string())?;
            if ran.code != Some(0) {
                return Err(format!("{}: {}", archive.display(), ran.errors()));
            }
        }
        Ok(())
    }

    /// The folder that holds what was installed.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// Every check, in the order of the list.
    pub fn checks(&self) -> Vec<Check> {
        let mut checks = Vec::new();
        for (case, content) in self.cases.iter().enumerate() {
            let expectations = content.get("expected").and_then(Value::as_object).into_iter().flatten();
            for (key, expected) in expectations {
                let (name, option) = key.split_once(':').unwrap_or((key, ""));
                let Some(kind) = Kind::ALL.into_iter().find(|kind| kind.name() == name) else { continue };
                // Expectations about several files are of decompilation, and of nothing else but its refusals.
                if expected.is_object() != (kind == Kind::Decompile) && expected.as_str() != Some("=fail") {
                    continue;
                }
                let id = string(content, "id");
                let check = |kind: Kind, key: &str| Check {
                    name: format!("{key}::{id}"),
                    kind,
                    option: option.to_owned(),
                    case,
                    expected: expected.clone(),
                };
                checks.push(check(kind, key));
                if kind == Kind::Diagnostics {
                    checks.push(check(Kind::Syntax, Kind::Syntax.name()));
                }
            }
        }
        checks
    }

    /// Runs a check. The error says what differs.
    pub fn run(&self, check: &Check) -> Result<(), String> {
        let Some(case) = self.cases.get(check.case) else { return Err("no such case".to_owned()) };
        check::run(self, check, case)
    }
}

/// The folder that `SINEW_CORPUS_HOME` names, which is kept, else a new one.
fn home() -> std::io::Result<(PathBuf, Option<TempDir>)> {
    match std::env::var_os("SINEW_CORPUS_HOME") {
        Some(folder) => {
            fs::create_dir_all(&folder)?;
            Ok((fs::canonicalize(folder)?, None))
        }
        None => TempDir::new().map(|folder| (folder.path().to_owned(), Some(folder))),
    }
}

fn overrides(profiles: &Value) -> BTreeMap<String, Map<String, Value>> {
    let profiles = profiles.get("profiles").and_then(Value::as_object).into_iter().flatten();
    profiles
        .filter_map(|(name, profile)| {
            Some((name.clone(), profile.get("overrides").and_then(Value::as_object)?.clone()))
        })
        .collect()
}

fn read_json(path: &Path) -> Result<Value, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let text = text.trim_start_matches('\u{feff}');
    serde_json::from_str(text).map_err(|error| format!("{}: {error}", path.display()))
}

fn string<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// A value as a command line or an environment variable has it.
fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
