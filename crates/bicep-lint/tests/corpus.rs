//! The findings on the shared corpus against those of the reference: code, level and range, for every case.
//!
//! `SINEW_CATALOGUES` is a folder with `az.catalogue` and `k8s.catalogue`; without it, what follows from resource types is
//! not found. `SINEW_LINT_REPORT=1` lists what is missing and what is too much.

#![expect(clippy::disallowed_methods, clippy::disallowed_macros, reason = "the corpus is read from disk")]
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may stop where its data is not as it should"
)]

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use base::suppression::unless_compiler_error;
use base::{Diagnostic, MemoryWorld, Severity, World as _};
use bicep_sema::{BicepFile, MissingTypes, Program, Setup, TypeSource};
use bicep_types::resources::Flavour;
use bicep_types::{Catalogue, ResourceTypes, catalogue};
use camino::Utf8PathBuf;
use config::provider::{Builtin, ProviderSource};
use serde_json::{Value, json};

/// At least this much of what the reference finds must be found.
const RECALL: f64 = 0.97;

/// At most this much of what is found may be unknown to the reference.
const FALSE_FINDINGS: f64 = 0.02;

#[test]
fn findings_are_those_of_the_reference() {
    let Some(corpus) = shared().map(|shared| shared.join("corpus/bicep")) else {
        eprintln!("skipped: there is no folder `shared` beside the project and SINEW_SHARED is not set");
        return;
    };
    let index = read_json(&corpus.join("corpus.json"));
    let profiles = read_json(&corpus.join("lint-profiles.json"));
    let types = Types::open(&corpus.join("mocks/extensions"));
    let mut score = Score::default();
    for case in index["cases"].as_array().unwrap() {
        for check in checks(case) {
            score.compare(&check.id, &expected(&corpus, &check), &found(&corpus, &check, &profiles, &types));
        }
    }
    score.print();
    assert!(score.recall() >= RECALL, "{score}");
    assert!(score.false_share() <= FALSE_FINDINGS, "{score}");
}

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

/// One file of the corpus whose diagnostics are known.
struct Check {
    id: String,
    /// The folder of all its files, relative to the corpus.
    folder: String,
    /// The file, relative to that folder.
    entry: String,
    /// The file with the diagnostics, relative to the corpus; `None` when there are none.
    expected: Option<String>,
    profile: String,
}

fn checks(case: &Value) -> Vec<Check> {
    let text = |key: &str| case[key].as_str().unwrap_or_default().to_owned();
    let (folder, profile) = (text("dir"), text("lint"));
    let check = |id: String, entry: String, expected: Option<String>| Check {
        id,
        folder: folder.clone(),
        entry,
        expected: expected.map(|path| format!("{folder}/{path}")),
        profile: profile.clone(),
    };
    match &case["expected"]["diagnostics"] {
        Value::String(path) => {
            let expected = (path != "=none").then(|| path.clone());
            vec![check(text("id"), text("entry"), expected)]
        }
        Value::Object(files) => files
            .iter()
            .map(|(file, path)| {
                let path = path.as_str().map(ToOwned::to_owned);
                check(format!("{} {file}", text("id")), format!("expected/{file}"), path)
            })
            .collect(),
        _ => Vec::new(),
    }
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Finding {
    code: String,
    level: String,
    start: (u64, u64),
    end: (u64, u64),
}

fn expected(corpus: &Path, check: &Check) -> Vec<Finding> {
    let Some(path) = &check.expected else { return Vec::new() };
    let all = read_json(&corpus.join(path));
    let pair = |value: &Value| (value[0].as_u64().unwrap(), value[1].as_u64().unwrap());
    let mut findings: Vec<Finding> = all
        .as_array()
        .unwrap()
        .iter()
        .map(|it| Finding {
            code: it["code"].as_str().unwrap().to_owned(),
            level: it["level"].as_str().unwrap().to_owned(),
            start: pair(&it["start"]),
            end: pair(&it["end"]),
        })
        .filter(|finding| config::rules::Rule::find(&finding.code).is_some())
        .collect();
    findings.sort();
    findings
}

fn found(corpus: &Path, check: &Check, profiles: &Value, types: &Types) -> Vec<Finding> {
    let overrides = &profiles["profiles"][&check.profile]["overrides"];
    let world = world(&corpus.join(&check.folder), &check.entry, overrides);
    let entry = Utf8PathBuf::from(&check.entry);
    let setup = Setup::new(&world).with_types(types);
    let program = Program::load(setup, std::slice::from_ref(&entry));
    let file = program.file_at(&entry).unwrap();
    let bicep = program.bicep(file).unwrap();
    let lines = bicep.source.lines();
    let mut findings = bicep_lint::lint(&program, file, &bicep_lint::Options::default());
    bicep_syntax::suppressions(bicep.tree(), lines).apply(&mut findings, lines, unless_compiler_error);
    let mut findings: Vec<Finding> = findings
        .into_iter()
        .map(|finding| {
            let position = |offset| {
                let position = bicep.source.position(offset);
                (u64::from(position.line) + 1, u64::from(position.col) + 1)
            };
            Finding {
                level: level(finding.severity).to_owned(),
                start: position(finding.range.start()),
                end: position(finding.range.end()),
                code: finding.code.to_string(),
            }
        })
        .collect();
    findings.sort();
    findings
}

fn level(severity: Severity) -> &'static str {
    severity.name()
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

/// The resource types of the catalogues in the folder `SINEW_CATALOGUES`, and those of the corpus's own extensions.
struct Types {
    az: Arc<ResourceTypes>,
    kubernetes: Arc<ResourceTypes>,
    extensions: PathBuf,
    packages: Mutex<BTreeMap<String, Arc<ResourceTypes>>>,
}

impl Types {
    fn open(extensions: &Path) -> Self {
        let folder = std::env::var_os("SINEW_CATALOGUES").map(PathBuf::from);
        let installed = |name: &str| {
            let bytes = std::fs::read(folder.as_ref()?.join(name)).ok()?;
            Catalogue::open(bytes).inspect_err(|error| eprintln!("{name} is left out: {error}")).ok()
        };
        Self {
            az: ResourceTypes::new("az", Flavour::Az, installed("az.catalogue")),
            kubernetes: ResourceTypes::new("kubernetes", Flavour::Kubernetes, installed("k8s.catalogue")),
            extensions: extensions.to_owned(),
            packages: Mutex::default(),
        }
    }

    /// The types of an extension of the corpus, by the last but one part of its reference.
    fn package(&self, reference: &str) -> Option<Arc<ResourceTypes>> {
        let mut packages = self.packages.lock().unwrap();
        if let Some(types) = packages.get(reference) {
            return Some(Arc::clone(types));
        }
        let folder = self.extensions.join(reference.rsplit('/').nth(1)?);
        let (bytes, _) = catalogue::pack(reference, |path| std::fs::read(folder.join(path)).ok());
        let catalogue = Catalogue::open(bytes).ok()?;
        let name = catalogue.settings().ok()?.map(|it| it.name.to_string()).unwrap_or_default();
        let types = ResourceTypes::new(&name, Flavour::Extension, Some(catalogue));
        packages.insert(reference.to_owned(), Arc::clone(&types));
        Some(types)
    }
}

impl TypeSource for Types {
    fn types(&self, source: &ProviderSource) -> Result<Arc<ResourceTypes>, MissingTypes> {
        match source {
            ProviderSource::Builtin(Builtin::Az) => Ok(Arc::clone(&self.az)),
            ProviderSource::Builtin(Builtin::Kubernetes) => Ok(Arc::clone(&self.kubernetes)),
            ProviderSource::Package(reference) => {
                self.package(&reference.to_string()).ok_or(MissingTypes::NotRestored)
            }
            _ => Err(MissingTypes::NotRestored),
        }
    }
}

#[derive(Default)]
struct Score {
    expected: usize,
    missing: BTreeMap<String, Vec<String>>,
    too_much: BTreeMap<String, Vec<String>>,
}

impl Score {
    fn compare(&mut self, id: &str, expected: &[Finding], found: &[Finding]) {
        self.expected += expected.len();
        let mut left = found.to_vec();
        for finding in expected {
            match left.iter().position(|it| it == finding) {
                Some(at) => drop(left.remove(at)),
                None => self.missing.entry(finding.code.clone()).or_default().push(format!("{id} {finding}")),
            }
        }
        for finding in left {
            self.too_much.entry(finding.code.clone()).or_default().push(format!("{id} {finding}"));
        }
    }

    fn missing_count(&self) -> usize {
        self.missing.values().map(Vec::len).sum()
    }

    fn false_count(&self) -> usize {
        self.too_much.values().map(Vec::len).sum()
    }

    fn hits(&self) -> usize {
        self.expected - self.missing_count()
    }

    fn recall(&self) -> f64 {
        share(self.hits(), self.expected)
    }

    fn false_share(&self) -> f64 {
        share(self.false_count(), self.hits() + self.false_count())
    }

    fn print(&self) {
        eprintln!("{self}");
        if std::env::var_os("SINEW_LINT_REPORT").is_none() {
            return;
        }
        for (title, list) in [("missing", &self.missing), ("too much", &self.too_much)] {
            for (code, places) in list {
                eprintln!("{title}: {code}: {}", places.len());
                for place in places.iter().take(40) {
                    eprintln!("    {place}");
                }
            }
        }
    }
}

fn share(part: usize, whole: usize) -> f64 {
    let number = |count: usize| u32::try_from(count).map_or(f64::MAX, f64::from);
    if whole == 0 { 0.0 } else { number(part) / number(whole) }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (hits, expected) = (self.hits(), self.expected);
        write!(f, "lint findings: {hits} of {expected} found, {} too much", self.false_count())
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { level, start, end, .. } = self;
        write!(f, "{level} {}:{}-{}:{}", start.0, start.1, end.0, end.1)
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
