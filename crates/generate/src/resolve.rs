//! Which module an import means. A specifier and the importing module come in; a [`Module`] goes out, or the list of
//! everything that was tried.
//!
//! The order: relative paths; the standard library and the modules of Node; `#name` of the package itself; the paths of
//! `tsconfig.json`; a path from the module root; `node_modules`, from the importing module up; folders of libraries.
//! Files are known by their real paths, links followed, as Node does it.

mod package;
mod tsconfig;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashMap;
use serde_json::Value;

use crate::host::{ConfinedPath, Host, Kind};
use crate::paths;
use crate::std_modules;
use crate::typescript::DECORATORS;
use tsconfig::TsConfig;

/// What an import means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Module {
    /// A module of the standard library, by its file name.
    Std(&'static str),
    /// A module of Node that cannot be used here, by its name.
    Unavailable(String),
    /// The module that reads files next to the importing module, which lies in this folder.
    Resource(Utf8PathBuf),
    /// A file and its bytes.
    File(Utf8PathBuf, Arc<[u8]>),
}

/// One path that was tried, and the rule that led to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    pub path: Utf8PathBuf,
    /// How the specifier became this path.
    pub rule: String,
}

/// Where modules may come from.
#[derive(Debug, Clone)]
pub struct Roots {
    /// The folder that holds the script and everything it may import.
    pub main: Utf8PathBuf,
    /// Folders of further modules, in order of preference.
    pub libraries: Vec<Utf8PathBuf>,
}

/// How a module asks for another one. It decides which conditions of `package.json` hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportKind {
    /// `import`.
    Import,
    /// `require`.
    Require,
}

/// The module that imports.
#[derive(Debug, Clone, Copy)]
pub struct Referrer<'a> {
    /// The folder that relative specifiers start from.
    pub folder: &'a Utf8Path,
    /// Whether it belongs to the standard library and may import its internals.
    pub is_std: bool,
    /// How it imports.
    pub kind: ImportKind,
}

/// Finds modules, and remembers what it has read on the way.
pub struct ModuleResolver {
    host: Rc<dyn Host>,
    roots: Roots,
    packages: RefCell<FxHashMap<Utf8PathBuf, Option<Rc<Value>>>>,
    tsconfigs: RefCell<FxHashMap<Utf8PathBuf, Option<Rc<TsConfig>>>>,
    /// Folders outside of the module root that packages have come from: what they import stays in there.
    package_roots: RefCell<Vec<Utf8PathBuf>>,
}

impl ModuleResolver {
    /// A resolver for modules below these roots.
    pub fn new(host: Rc<dyn Host>, roots: Roots) -> Self {
        // Files are known by their real paths, and so their roots have to be.
        let real = |path: Utf8PathBuf| {
            let real = host.real_path(&ConfinedPath::unconfined(&path));
            real.unwrap_or(path)
        };
        let roots =
            Roots { main: real(roots.main), libraries: roots.libraries.into_iter().map(real).collect() };
        Self {
            host,
            roots,
            packages: RefCell::default(),
            tsconfigs: RefCell::default(),
            package_roots: RefCell::default(),
        }
    }

    /// Finds the module that a specifier means: the first rule that leads to a file wins.
    pub fn resolve(&self, referrer: Referrer<'_>, specifier: &str) -> Result<Module, Vec<Candidate>> {
        let mut search = Search { resolver: self, kind: referrer.kind, tried: Vec::new() };
        search.module(referrer, specifier).ok_or(search.tried)
    }

    /// Whether the package that a file belongs to says that its `.js` files are ES modules (`Some(true)`), that they are
    /// CommonJS (`Some(false)`), or nothing.
    pub fn package_type(&self, file: &Utf8Path) -> Option<bool> {
        let folder = file.parent()?;
        let package = self.nearest_package(folder)?.1;
        match package.get("type").and_then(Value::as_str) {
            Some("module") => Some(true),
            Some("commonjs") => Some(false),
            _ => None,
        }
    }

    /// The options of the `tsconfig.json` that holds for a file of the project itself.
    pub(crate) fn tsconfig(&self, folder: &Utf8Path) -> Option<Rc<TsConfig>> {
        let root = self.root_of(folder)?;
        if folder.components().any(|part| part.as_str() == "node_modules") {
            return None;
        }
        if let Some(known) = self.tsconfigs.borrow().get(folder) {
            return known.clone();
        }
        let found = folder
            .ancestors()
            .take_while(|above| above.starts_with(&root))
            .find_map(|above| TsConfig::read(self.host.as_ref(), &root, &above.join("tsconfig.json")))
            .map(Rc::new);
        self.tsconfigs.borrow_mut().insert(folder.to_owned(), found.clone());
        found
    }

    /// The root that holds a folder; imports from there stay in it.
    fn root_of(&self, folder: &Utf8Path) -> Option<Utf8PathBuf> {
        let mut libraries = self.roots.libraries.iter().filter(|library| folder.starts_with(library));
        if let Some(library) = libraries.next() {
            return Some(library.clone());
        }
        if folder.starts_with(&self.roots.main) {
            return Some(self.roots.main.clone());
        }
        self.package_roots.borrow().iter().find(|root| folder.starts_with(root)).cloned()
    }

    /// The nearest `package.json` at or above a folder, up to the package that a folder of `node_modules` holds.
    fn nearest_package(&self, folder: &Utf8Path) -> Option<(Utf8PathBuf, Rc<Value>)> {
        let root = self.root_of(folder)?;
        for above in folder.ancestors().take_while(|above| above.starts_with(&root)) {
            if above.file_name() == Some("node_modules") {
                return None;
            }
            if let Some(package) = self.package_json(&root, above) {
                return Some((above.to_owned(), package));
            }
        }
        None
    }

    fn is_folder(&self, path: &Utf8Path) -> bool {
        self.host.kind(&ConfinedPath::unconfined(path)) == Ok(Kind::Folder)
    }

    fn package_json(&self, root: &Utf8Path, folder: &Utf8Path) -> Option<Rc<Value>> {
        if let Some(known) = self.packages.borrow().get(folder) {
            return known.clone();
        }
        let bytes = self.host.read(&ConfinedPath::within(root, folder.join("package.json"))).ok();
        let package = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).map(Rc::new);
        self.packages.borrow_mut().insert(folder.to_owned(), package.clone());
        package
    }

    /// The folder that links in the `node_modules` of a folder may lead to: the workspace that the folder belongs to, or
    /// the folder itself.
    fn workspace_of(&self, folder: &Utf8Path) -> Utf8PathBuf {
        let is_workspace = |above: &&Utf8Path| {
            let marker = ConfinedPath::unconfined(above.join("pnpm-workspace.yaml"));
            let package = self.package_json(above, above);
            package.is_some_and(|package| package.get("workspaces").is_some())
                || self.host.kind(&marker) == Ok(Kind::File)
        };
        folder.ancestors().find(is_workspace).unwrap_or(folder).to_owned()
    }
}

/// Suffixes that may be left out of a specifier.
const SUFFIXES: [&str; 3] = [".mjs", ".js", ".ts"];
/// Suffixes that `require` adds.
const REQUIRE_SUFFIXES: [&str; 4] = [".js", ".cjs", ".json", ".ts"];
/// TypeScript sources name the file that a compiler would have written.
const COMPILED: [(&str, &str); 3] = [(".js", ".ts"), (".mjs", ".mts"), (".cjs", ".cts")];

struct Search<'a> {
    resolver: &'a ModuleResolver,
    kind: ImportKind,
    tried: Vec<Candidate>,
}

impl Search<'_> {
    fn module(&mut self, referrer: Referrer<'_>, specifier: &str) -> Option<Module> {
        let is_relative = specifier.starts_with("./") || specifier.starts_with("../");
        if is_relative || specifier == "." || specifier == ".." {
            return self.relative(referrer.folder, specifier);
        }
        if let Some(url) = specifier.strip_prefix("file://") {
            let path = paths::from_file_url(&format!("file://{url}"))?;
            return self.absolute(Utf8Path::new(&path));
        }
        if let Some(module) = std_module(specifier, referrer).or_else(|| node_module(specifier, true)) {
            return Some(module);
        }
        if specifier.starts_with('/') {
            return self.absolute(Utf8Path::new(specifier));
        }
        if specifier.starts_with('#') {
            return self.package_import(referrer.folder, specifier);
        }
        if self.kind == ImportKind::Require
            && let Some(module) = node_module(specifier, false)
        {
            return Some(module);
        }
        let main = self.resolver.roots.main.clone();
        self.mapped(referrer.folder, specifier)
            .or_else(|| self.path(&main, &paths::join_clamped(&main, &main, specifier), ""))
            .or_else(|| node_module(specifier, false))
            .or_else(|| self.own_package(referrer.folder, specifier))
            .or_else(|| self.node_modules(referrer.folder, specifier))
            .or_else(|| self.libraries(specifier))
    }

    fn relative(&mut self, folder: &Utf8Path, specifier: &str) -> Option<Module> {
        let root = self.resolver.root_of(folder)?;
        let path = paths::join(folder, specifier);
        if !path.starts_with(&root) {
            self.note(path, format!("leads out of the module root '{root}'; --module-root sets another one"));
            return None;
        }
        self.path(&root, &path, "")
    }

    /// An absolute path is for packages that build one from `import.meta.url` or `__dirname`.
    fn absolute(&mut self, path: &Utf8Path) -> Option<Module> {
        let cleaned = Utf8PathBuf::from(paths::clean(path.as_str()));
        match self.resolver.root_of(&cleaned) {
            Some(root) if self.kind == ImportKind::Require => self.path(&root, &cleaned, ""),
            _ => {
                self.note(path.to_owned(), "absolute paths cannot be imported".to_owned());
                None
            }
        }
    }

    /// A path that may be a file, a file without its suffix, or a folder with an index.
    fn path(&mut self, root: &Utf8Path, path: &Utf8Path, via: &str) -> Option<Module> {
        let found = self.file(root, path, via);
        if found.is_none() && self.kind == ImportKind::Require {
            return self.package_folder(root, path, via);
        }
        found.or_else(|| self.index(root, path, via))
    }

    fn suffixes(&self) -> &'static [&'static str] {
        match self.kind {
            ImportKind::Import => &SUFFIXES,
            ImportKind::Require => &REQUIRE_SUFFIXES,
        }
    }

    fn file(&mut self, root: &Utf8Path, path: &Utf8Path, via: &str) -> Option<Module> {
        if let Some(module) = self.try_file(root, path.to_owned(), || format!("verbatim{via}")) {
            return Some(module);
        }
        for suffix in self.suffixes() {
            let rule = || format!("<path> -> <path>{suffix}{via}");
            if let Some(module) = self.try_file(root, format!("{path}{suffix}").into(), rule) {
                return Some(module);
            }
        }
        COMPILED.iter().find_map(|(compiled, source)| {
            let stem = path.as_str().strip_suffix(compiled)?;
            let rule = || format!("<path>{compiled} -> <path>{source}{via}");
            self.try_file(root, format!("{stem}{source}").into(), rule)
        })
    }

    fn index(&mut self, root: &Utf8Path, folder: &Utf8Path, via: &str) -> Option<Module> {
        self.suffixes().iter().find_map(|suffix| {
            let rule = || format!("<path> -> <path>/index{suffix}{via}");
            self.try_file(root, folder.join(format!("index{suffix}")), rule)
        })
    }

    fn try_file(&mut self, root: &Utf8Path, path: Utf8PathBuf, rule: impl Fn() -> String) -> Option<Module> {
        let host = &self.resolver.host;
        let place = ConfinedPath::within(root, path);
        match host.read_following_links(&place) {
            Ok((real, bytes)) => Some(Module::File(real, bytes)),
            Err(base::ReadError::Other(reason)) => {
                self.note(place.path, format!("{}: {reason}", rule()));
                None
            }
            Err(_) => {
                self.note(place.path, rule());
                None
            }
        }
    }

    fn note(&mut self, path: Utf8PathBuf, rule: String) {
        self.tried.push(Candidate { path, rule });
    }

    /// What `paths` and `baseUrl` of `tsconfig.json` make of a specifier.
    fn mapped(&mut self, folder: &Utf8Path, specifier: &str) -> Option<Module> {
        let config = self.resolver.tsconfig(folder)?;
        let root = self.resolver.root_of(folder)?;
        config
            .candidates(specifier)
            .into_iter()
            .filter(|path| path.starts_with(&root))
            .find_map(|path| self.path(&root, &path, ", via tsconfig.json"))
    }

    fn libraries(&mut self, specifier: &str) -> Option<Module> {
        let libraries = self.resolver.roots.libraries.clone();
        libraries
            .iter()
            .find_map(|library| self.path(library, &paths::join_clamped(library, library, specifier), ""))
    }
}

fn std_module(specifier: &str, referrer: Referrer<'_>) -> Option<Module> {
    // What translated TypeScript imports for decorators.
    if let Some(helper) = specifier.strip_prefix("@oxc-project/runtime/helpers/") {
        return std_modules::find(&format!("helpers/{helper}")).map(|module| Module::Std(module.name));
    }
    if specifier == DECORATORS {
        return std_modules::find("helpers/decorators").map(|module| Module::Std(module.name));
    }
    let name = specifier
        .strip_prefix("@jkcfg/std")
        .or_else(|| specifier.strip_prefix("sinew:std"))
        .filter(|rest| rest.is_empty() || rest.starts_with('/'))?
        .trim_start_matches('/');
    let name = name.strip_suffix(".js").unwrap_or(name);
    if name == "resource" {
        return Some(Module::Resource(referrer.folder.to_owned()));
    }
    let module = std_modules::find(if name.is_empty() { "index" } else { name })?;
    (module.is_public || referrer.is_std).then_some(Module::Std(module.name))
}

/// A module of Node, with or without `node:` in front.
fn node_module(specifier: &str, wants_prefix: bool) -> Option<Module> {
    let name = match specifier.strip_prefix("node:") {
        Some(name) => name,
        None if wants_prefix => return None,
        None => specifier,
    };
    let name = name.strip_suffix('/').unwrap_or(name);
    if let Some(module) = std_modules::node(name) {
        return Some(Module::Std(module));
    }
    let is_known = std_modules::NODE_UNAVAILABLE.contains(&name) || specifier.starts_with("node:");
    is_known.then(|| Module::Unavailable(name.to_owned()))
}

#[cfg(test)]
mod tests;
