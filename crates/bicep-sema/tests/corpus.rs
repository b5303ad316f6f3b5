//! The compiler's own diagnostics against those of the reference, over the shared corpus: every expected one that is
//! found, and none that is not expected. Prints what is missing and what is too much, by code.
//!
//! The corpus is found beside the workspace or by `SINEW_SHARED`; the catalogues of resource types by
//! `SINEW_CATALOGUES`, a folder with `az.catalogue`. Without them the test says so and passes.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    clippy::unwrap_used,
    reason = "a test may read files, say what it found and fail"
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use base::disk::DiskWorld;
use base::{Artifact, ReadError, Severity, SourceFile, TextSize, World};
use bicep_sema::{MissingTypes, Program, Setup, TypeSource};
use bicep_types::resources::Flavour;
use bicep_types::{Catalogue, ResourceTypes, catalogue};
use camino::{Utf8Path, Utf8PathBuf};
use config::provider::{Builtin, ProviderSource};
use serde_json::Value;

#[test]
fn diagnostics_are_those_of_the_reference() {
    let Some(shared) = shared() else { return eprintln!("no shared corpus: nothing compared") };
    let Some(types) = Types::open(&shared.join("corpus/bicep/mocks/extensions")) else {
        return eprintln!("no catalogues: nothing compared");
    };
    let corpus = shared.join("corpus/bicep");
    let index: Value = serde_json::from_slice(&std::fs::read(corpus.join("corpus.json")).unwrap()).unwrap();
    let filter = std::env::var("SINEW_CASE").unwrap_or_default();
    let mut score = Score::default();
    for case in index["cases"].as_array().unwrap() {
        let id = case["id"].as_str().unwrap();
        let needs: Vec<&str> =
            case["needs"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let unsupported = ["registry", "template-specs", "msgraph-types", "extensions"];
        let is_skipped = needs.iter().any(|need| unsupported.contains(need));
        let folder = corpus.join(case["dir"].as_str().unwrap());
        if is_skipped || !id.contains(&filter) {
            continue;
        }
        if let Some(files) = case["expected"]["diagnostics"].as_object() {
            // Decompiled files.
            for (file, list) in files {
                let found = found(&folder.join("expected").join(file), &types, &index["env"]);
                score.add(&format!("{id}/{file}"), expected(&folder, list), found);
            }
            continue;
        }
        if !case["kinds"].as_array().unwrap().contains(&"diagnostics".into()) {
            continue;
        }
        let expected = expected(&folder, &case["expected"]["diagnostics"]);
        let entry = folder.join(case["entry"].as_str().unwrap());
        let found = found(&entry, &types, &index["env"]);
        score.add(id, expected, found);
    }
    score.print();
    if filter.is_empty() {
        assert!(score.recall() >= 0.99, "too few of the expected diagnostics are found");
        assert!(score.false_share() <= 0.01, "too many diagnostics are not expected");
    }
}

fn shared() -> Option<PathBuf> {
    if let Ok(shared) = std::env::var("SINEW_SHARED") {
        return Some(shared.into());
    }
    let ancestors = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    ancestors.map(|folder| folder.join("shared")).find(|folder| folder.join("corpus/bicep").is_dir())
}

type Finding = (String, String, [u64; 2], [u64; 2]);

fn expected(folder: &Path, expected: &Value) -> Vec<Finding> {
    let Some(file) = expected.as_str().filter(|file| !file.starts_with('=')) else { return Vec::new() };
    let list: Value = serde_json::from_slice(&std::fs::read(folder.join(file)).unwrap()).unwrap();
    let place = |value: &Value| [value[0].as_u64().unwrap(), value[1].as_u64().unwrap()];
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    list.as_array()
        .unwrap()
        .iter()
        .map(|it| (text(&it["code"]), text(&it["level"]), place(&it["start"]), place(&it["end"])))
        .filter(|(code, ..)| is_ours(code))
        .collect()
}

/// Lint rules are checked elsewhere, and so is what evaluating a parameter file finds.
fn is_ours(code: &str) -> bool {
    code.starts_with("BCP") && code != "BCP338"
}

fn found(entry: &Path, types: &Types, variables: &Value) -> Vec<Finding> {
    let world = Disk { variables };
    let path = Utf8PathBuf::from_path_buf(entry.to_owned()).unwrap();
    let program = Program::load(Setup::new(&world).with_types(types), std::slice::from_ref(&path));
    let Some((_, Ok(file))) = program.entries().first() else { return Vec::new() };
    let report = program.report(*file);
    let place = |offset: TextSize| {
        let (line, column) = line_and_column(&report.file, offset);
        [line, column]
    };
    report
        .diagnostics
        .iter()
        .filter(|it| is_ours(&it.code))
        .map(|it| {
            let level = match it.severity {
                Severity::Error => "Error",
                Severity::Warning => "Warning",
                _ => "Info",
            };
            (it.code.to_string(), level.to_owned(), place(it.range.start()), place(it.range.end()))
        })
        .collect()
}

fn line_and_column(file: &SourceFile, offset: TextSize) -> (u64, u64) {
    let text: &str = file.text();
    let before = &text[..usize::from(offset)];
    let line = before.matches('\n').count() as u64 + 1;
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    (line, before[start..].encode_utf16().count() as u64 + 1)
}

/// The disk, with the environment that the corpus expects.
struct Disk<'v> {
    variables: &'v Value,
}

impl World for Disk<'_> {
    fn read(&self, path: &Utf8Path) -> Result<Arc<[u8]>, ReadError> {
        DiskWorld.read(path)
    }

    fn list(&self, folder: &Utf8Path) -> Result<Vec<base::world::Entry>, ReadError> {
        DiskWorld.list(folder)
    }

    fn variable(&self, name: &str) -> Option<String> {
        self.variables.get(name)?.as_str().map(str::to_owned)
    }

    fn variable_names(&self) -> Vec<String> {
        self.variables.as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect()
    }

    fn artifact(&self, _reference: &str) -> Artifact {
        Artifact::Missing
    }
}

#[derive(Default)]
struct Score {
    matched: usize,
    missing: BTreeMap<String, Vec<String>>,
    extra: BTreeMap<String, Vec<String>>,
    cases: usize,
    equal: usize,
}

impl Score {
    fn add(&mut self, case: &str, expected: Vec<Finding>, mut found: Vec<Finding>) {
        self.cases += 1;
        let mut is_equal = true;
        let show = |it: &Finding| format!("{case}:{}:{}-{}:{} {}", it.2[0], it.2[1], it.3[0], it.3[1], it.1);
        for finding in expected {
            match found.iter().position(|it| *it == finding) {
                Some(at) => {
                    found.swap_remove(at);
                    self.matched += 1;
                }
                None => {
                    is_equal = false;
                    self.missing.entry(finding.0.clone()).or_default().push(show(&finding));
                }
            }
        }
        for finding in found {
            is_equal = false;
            self.extra.entry(finding.0.clone()).or_default().push(show(&finding));
        }
        self.equal += usize::from(is_equal);
    }

    fn counts(&self) -> (usize, usize) {
        let count = |map: &BTreeMap<String, Vec<String>>| map.values().map(Vec::len).sum();
        (count(&self.missing), count(&self.extra))
    }

    fn recall(&self) -> f64 {
        let (missing, _) = self.counts();
        self.matched as f64 / (self.matched + missing).max(1) as f64
    }

    fn false_share(&self) -> f64 {
        let (_, extra) = self.counts();
        extra as f64 / (self.matched + extra).max(1) as f64
    }

    fn print(&self) {
        for (title, map) in [("missing", &self.missing), ("extra", &self.extra)] {
            for (code, places) in map {
                eprintln!(
                    "{title} {code} {}: {}",
                    places.len(),
                    places.iter().take(6).cloned().collect::<Vec<_>>().join("  ")
                );
            }
        }
        eprintln!(
            "{} of {} cases equal; recall {:.2} %, false {:.2} % ({} matched, {:?} missing/extra)",
            self.equal,
            self.cases,
            self.recall() * 100.0,
            self.false_share() * 100.0,
            self.matched,
            self.counts()
        );
    }
}

/// Catalogues from files, and mock extensions from their published form.
struct Types {
    az: Arc<ResourceTypes>,
    kubernetes: Arc<ResourceTypes>,
    mocks: PathBuf,
    packages: Mutex<BTreeMap<String, Arc<ResourceTypes>>>,
}

impl Types {
    fn open(mocks: &Path) -> Option<Self> {
        let folder = PathBuf::from(std::env::var("SINEW_CATALOGUES").ok()?);
        let open = |name: &str| Catalogue::open(std::fs::read(folder.join(name)).ok()?).ok();
        Some(Self {
            az: ResourceTypes::new("az", Flavour::Az, Some(open("az.catalogue")?)),
            kubernetes: ResourceTypes::new("kubernetes", Flavour::Kubernetes, open("k8s.catalogue")),
            mocks: mocks.to_owned(),
            packages: Mutex::default(),
        })
    }
}

impl TypeSource for Types {
    fn types(&self, source: &ProviderSource) -> Result<Arc<ResourceTypes>, MissingTypes> {
        let reference = match source {
            ProviderSource::Builtin(Builtin::Az) => return Ok(Arc::clone(&self.az)),
            ProviderSource::Builtin(Builtin::Kubernetes) => return Ok(Arc::clone(&self.kubernetes)),
            ProviderSource::Package(reference) => reference.to_string(),
            _ => return Err(MissingTypes::NotRestored),
        };
        let mut packages = self.packages.lock().unwrap();
        if let Some(types) = packages.get(&reference) {
            return Ok(Arc::clone(types));
        }
        let path = Utf8Path::new(&reference);
        let name = path.components().rev().nth(1).map(|it| it.as_str().to_owned()).unwrap_or_default();
        let folder = self.mocks.join(name);
        let (bytes, _) = catalogue::pack(&reference, |path| std::fs::read(folder.join(path)).ok());
        let catalogue = Catalogue::open(bytes).map_err(|_| MissingTypes::NotRestored)?;
        let name = catalogue.settings().ok().flatten().map(|it| it.name.to_string()).unwrap_or_default();
        let types = ResourceTypes::new(&name, Flavour::Extension, Some(catalogue));
        packages.insert(reference, Arc::clone(&types));
        Ok(types)
    }
}
