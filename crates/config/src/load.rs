//! Finding, reading and joining the files of a configuration.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use base::{Diagnostic, FileReport, Held, ReadError, SourceFile, TextRange, World};
use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use json::{Kind, Node};
use rustc_hash::FxHashMap;

use crate::settings::{Config, Layer};
use crate::tree::{BUILT_IN, Entry, Origin, Value};
use crate::{diagnostics, paths, read, resolve};

/// The name of the file that is looked for.
pub const FILE_NAME: &str = "bicepconfig.json";

/// How many files may extend each other.
const MAX_LAYERS: usize = 64;

/// The configuration for a source file, and what is wrong with its files.
///
/// The nearest `bicepconfig.json` upwards from the source file goes over the built-in configuration. Give an absolute
/// path to look beyond the current folder.
pub fn load_for(world: &dyn World, source: &Utf8Path) -> (Arc<Config>, Vec<FileReport>) {
    let loader = Loader::new(world);
    (loader.load_for(source), loader.reports())
}

/// The configuration that a file makes, and what is wrong with it and the files it extends.
pub fn load_file(world: &dyn World, path: &Utf8Path) -> (Arc<Config>, Vec<FileReport>) {
    let mut chain = read_chain(world, path);
    let mut layers = vec![Layer { file: None }];
    let mut tree = BUILT_IN_TREE.clone();
    let mut reports = Vec::new();
    // The file at the end of the chain is the lowest.
    for read in chain.drain(..).rev() {
        let layer = layers.len();
        let mut diagnostics = read.diagnostics;
        if let Some(root) = &read.root {
            let (entry, found) = read::read(root, layer, Some(&tree));
            if diagnostics.iter().all(|d| d.severity < base::Severity::Error) {
                diagnostics.extend(found);
            }
            tree.overlay(entry);
        }
        layers.push(Layer { file: Some(Arc::clone(&read.file)) });
        reports.push((read.file, diagnostics));
    }
    let (config, found) = resolve::resolve(tree, layers, world);
    for (origin, diagnostic) in found {
        if let Some((_, diagnostics)) = origin.layer.checked_sub(1).and_then(|index| reports.get_mut(index)) {
            diagnostics.push(diagnostic);
        }
    }
    let reports = reports.into_iter().rev().filter(|(_, diagnostics)| !diagnostics.is_empty());
    (Arc::new(config), reports.map(|(file, diagnostics)| FileReport::new(file, diagnostics)).collect())
}

/// The configuration that holds where there is no file.
pub fn built_in(world: &dyn World) -> Arc<Config> {
    Arc::new(resolve::resolve(BUILT_IN_TREE.clone(), vec![Layer { file: None }], world).0)
}

/// The configurations of many source files: each file is read once, and reported once.
pub struct Loader<'w> {
    world: Held<'w, dyn World>,
    /// The configuration for the files of a folder, by its path as written.
    by_folder: Mutex<FxHashMap<String, Arc<Config>>>,
    /// The configuration file for what lies in a folder.
    nearest: Mutex<FxHashMap<Utf8PathBuf, Option<Utf8PathBuf>>>,
    loaded: Mutex<BTreeMap<Option<Utf8PathBuf>, Arc<Config>>>,
    reports: Mutex<BTreeMap<Utf8PathBuf, FileReport>>,
}

impl<'w> Loader<'w> {
    /// A loader that knows nothing yet.
    pub fn new(world: &'w dyn World) -> Self {
        Self::held(Held::Borrowed(world))
    }

    /// The same for a world that may be shared.
    pub fn held(world: Held<'w, dyn World>) -> Self {
        Self {
            world,
            by_folder: Mutex::default(),
            nearest: Mutex::default(),
            loaded: Mutex::default(),
            reports: Mutex::default(),
        }
    }

    /// The configuration for a source file.
    pub fn load_for(&self, source: &Utf8Path) -> Arc<Config> {
        let Some(folder) = folder_as_written(source) else { return self.load_nearest(source) };
        if let Some(known) = self.by_folder().get(folder) {
            return Arc::clone(known);
        }
        let config = self.load_nearest(source);
        self.by_folder().insert(folder.to_owned(), Arc::clone(&config));
        config
    }

    fn by_folder(&self) -> MutexGuard<'_, FxHashMap<String, Arc<Config>>> {
        self.by_folder.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn load_nearest(&self, source: &Utf8Path) -> Arc<Config> {
        let path = self.find(source);
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(config) = loaded.get(&path) {
            return Arc::clone(config);
        }
        let (config, reports) = match &path {
            Some(path) => load_file(&*self.world, path),
            None => (built_in(&*self.world), Vec::new()),
        };
        self.keep(reports);
        loaded.insert(path, Arc::clone(&config));
        config
    }

    /// The configuration file of a source file. What is found out about a folder is kept; nobody waits while others look.
    fn find(&self, source: &Utf8Path) -> Option<Utf8PathBuf> {
        let source = paths::normalize(source);
        let mut passed = Vec::new();
        let mut found = None;
        for folder in folders_above(&source) {
            if let Some(known) = self.nearest().get(folder) {
                found.clone_from(known);
                break;
            }
            passed.push(folder);
            match look_into(&*self.world, folder) {
                ConfigLookup::Nothing => {}
                ConfigLookup::File(path) => {
                    found = Some(path);
                    break;
                }
                ConfigLookup::Unreadable(report) => {
                    self.keep(vec![report]);
                    break;
                }
            }
        }
        if !passed.is_empty() {
            let passed = passed.into_iter().map(|folder| (folder.to_owned(), found.clone()));
            self.nearest().extend(passed);
        }
        found
    }

    fn nearest(&self) -> MutexGuard<'_, FxHashMap<Utf8PathBuf, Option<Utf8PathBuf>>> {
        self.nearest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is wrong with the files read so far, in the order of their paths.
    pub fn reports(&self) -> Vec<FileReport> {
        self.reports.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    fn keep(&self, reports: Vec<FileReport>) {
        let mut kept = self.reports.lock().unwrap_or_else(PoisonError::into_inner);
        for report in reports {
            kept.entry(report.file.path().to_owned()).or_insert(report);
        }
    }
}

static BUILT_IN_TREE: LazyLock<Entry> = LazyLock::new(|| {
    let parsed = json::parse(include_str!("default.json"), json::Options::strict());
    match &parsed.root {
        Some(root) => read::read(root, BUILT_IN, None).0,
        None => {
            Entry { value: Value::Nothing, origin: Origin { layer: BUILT_IN, range: TextRange::default() } }
        }
    }
});

enum ConfigLookup {
    File(Utf8PathBuf),
    Nothing,
    Unreadable(FileReport),
}

/// The folders in which the configuration file of a source file may lie, from the nearest on. Above `..` there is no
/// telling where we are.
fn folders_above(source: &Utf8Path) -> impl Iterator<Item = &Utf8Path> {
    let is_up = |folder: &Utf8Path| matches!(folder.components().next_back(), Some(Utf8Component::ParentDir));
    let mut next = source.parent();
    std::iter::from_fn(move || {
        let folder = next?;
        next = if is_up(folder) { None } else { folder.parent() };
        Some(folder)
    })
}

/// The text of a path up to the name of its file, where it ends in one.
fn folder_as_written(source: &Utf8Path) -> Option<&str> {
    let (folder, file) = source.as_str().rsplit_once(std::path::is_separator)?;
    (!matches!(file, "" | "." | "..")).then_some(folder)
}

/// The configuration file in a folder.
fn look_into(world: &dyn World, folder: &Utf8Path) -> ConfigLookup {
    let path = folder.join(FILE_NAME);
    match world.read(&path) {
        Ok(_) => ConfigLookup::File(path),
        Err(ReadError::NotFound | ReadError::IsFolder | ReadError::IsFile) => ConfigLookup::Nothing,
        Err(error) => {
            let (file, diagnostic) = match world.list(folder) {
                Ok(_) => (path.clone(), diagnostics::unreadable(TextRange::default(), &path, &error)),
                Err(error) => (folder.to_owned(), diagnostics::unscannable(folder, &error)),
            };
            ConfigLookup::Unreadable(FileReport::new(SourceFile::new(file, ""), vec![diagnostic]))
        }
    }
}

/// A file of the chain, as read.
struct ReadFile {
    file: Arc<SourceFile>,
    root: Option<Node>,
    diagnostics: Vec<Diagnostic>,
}

/// The file and those it extends, one after the other. A broken link ends the chain and is reported where it is written.
fn read_chain(world: &dyn World, path: &Utf8Path) -> Vec<ReadFile> {
    let first = match world.read_source(path) {
        Ok(file) => parse(file),
        Err(error) => {
            let diagnostic = match error {
                ReadError::NotUtf8(_) => diagnostics::unparsable(TextRange::default(), &error.to_string()),
                error => diagnostics::unreadable(TextRange::default(), path, &error),
            };
            return vec![ReadFile {
                file: SourceFile::new(path, ""),
                root: None,
                diagnostics: vec![diagnostic],
            }];
        }
    };
    let mut chain = vec![first];
    while let Some(last) = chain.last() {
        let Some((range, target)) = last.root.as_ref().and_then(extends) else { break };
        let next = match follow(world, &chain, range, &target) {
            Ok(next) => next,
            Err(diagnostic) => {
                if let Some(last) = chain.last_mut() {
                    last.diagnostics.push(*diagnostic);
                }
                break;
            }
        };
        chain.push(next);
    }
    chain
}

/// What `extends` says, if it says anything.
fn extends(root: &Node) -> Option<(TextRange, String)> {
    let value = root.get("extends")?;
    let Kind::String(text) = &value.value else { return None };
    (!text.trim().is_empty()).then(|| (value.range, text.clone()))
}

fn follow(
    world: &dyn World,
    chain: &[ReadFile],
    range: TextRange,
    target: &str,
) -> Result<ReadFile, Box<Diagnostic>> {
    if paths::is_absolute(target) {
        return Err(Box::new(diagnostics::extends_absolute(range)));
    }
    let visited = || chain.iter().map(|read| read.file.path());
    let folder = visited().next_back().and_then(Utf8Path::parent).unwrap_or(Utf8Path::new(""));
    let path = paths::resolve(folder, target.into());
    if visited().any(|earlier| paths::normalize(earlier) == path) {
        return Err(Box::new(diagnostics::extends_cycle(range, visited().chain([path.as_path()]))));
    }
    if chain.len() >= MAX_LAYERS {
        return Err(Box::new(diagnostics::extends_too_deep(range, MAX_LAYERS)));
    }
    match world.read_source(&path) {
        Ok(file) => Ok(parse(file)),
        Err(error) => Err(Box::new(diagnostics::unreadable(range, &path, &error))),
    }
}

fn parse(file: Arc<SourceFile>) -> ReadFile {
    let options = json::Options { trailing_commas: false, ..json::Options::jsonc() };
    let parsed = json::parse(file.text(), options);
    let to_ours = |diagnostic: Diagnostic| match diagnostic.code.as_str() {
        "JSON010" => diagnostics::trailing_comma(diagnostic.range),
        _ if diagnostic.severity < base::Severity::Error => diagnostic,
        _ => Diagnostic {
            fixes: diagnostic.fixes,
            ..diagnostics::unparsable(diagnostic.range, &diagnostic.message)
        },
    };
    ReadFile { file, root: parsed.root, diagnostics: parsed.diagnostics.into_iter().map(to_ours).collect() }
}
