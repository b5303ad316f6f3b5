//! Which module an import means. A specifier and the importing module come in; a [`Module`] goes out, or the list of
//! everything that was tried.

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;

use crate::host::{ConfinedPath, Host};
use crate::paths;
use crate::std_modules;

/// What an import means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Module {
    /// A module of the standard library, by its file name.
    Std(&'static str),
    /// The module that reads files next to the importing module, which lies in this folder.
    Resource(Utf8PathBuf),
    /// A file and its bytes.
    File(Utf8PathBuf, Arc<[u8]>),
}

/// One path that was tried, and the rule that led to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The path.
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

/// The module that imports.
#[derive(Debug, Clone, Copy)]
pub struct Referrer<'a> {
    /// The folder that relative specifiers start from.
    pub folder: &'a Utf8Path,
    /// Whether it belongs to the standard library and may import its internals.
    pub is_std: bool,
}

/// Finds the module that a specifier means: the first rule that leads to a file wins.
pub fn resolve(
    host: &dyn Host,
    roots: &Roots,
    referrer: Referrer<'_>,
    specifier: &str,
) -> Result<Module, Vec<Candidate>> {
    let mut search = Search { host, tried: Vec::new() };
    if specifier.starts_with("./") || specifier.starts_with("../") {
        let root = roots.root_of(referrer.folder);
        let path = paths::join_clamped(root, referrer.folder, specifier);
        return search.path(root, &path, "").ok_or(search.tried);
    }
    if let Some(module) = std_module(specifier, referrer) {
        return Ok(module);
    }
    if specifier.starts_with('/') {
        search.note(specifier.into(), "absolute paths cannot be imported".to_owned());
        return Err(search.tried);
    }
    let from_root = paths::join_clamped(&roots.main, &roots.main, specifier);
    let found = search
        .path(&roots.main, &from_root, "")
        .or_else(|| search.node_modules(roots.root_of(referrer.folder), referrer.folder, specifier))
        .or_else(|| {
            roots.libraries.iter().find_map(|library| {
                let path = paths::join_clamped(library, library, specifier);
                search.path(library, &path, "")
            })
        });
    found.ok_or(search.tried)
}

impl Roots {
    /// The root that holds a folder; imports from there stay in it.
    pub fn root_of(&self, folder: &Utf8Path) -> &Utf8Path {
        let mut libraries = self.libraries.iter().filter(|library| folder.starts_with(library));
        libraries.next().unwrap_or(&self.main)
    }
}

fn std_module(specifier: &str, referrer: Referrer<'_>) -> Option<Module> {
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

/// Suffixes that may be left out of a specifier.
const SUFFIXES: [&str; 3] = [".mjs", ".js", ".ts"];

struct Search<'a> {
    host: &'a dyn Host,
    tried: Vec<Candidate>,
}

impl Search<'_> {
    /// A path that may be a file, a file without its suffix, or a folder with an index.
    fn path(&mut self, root: &Utf8Path, path: &Utf8Path, via: &str) -> Option<Module> {
        self.file(root, path, via).or_else(|| self.index(root, path, via))
    }

    fn file(&mut self, root: &Utf8Path, path: &Utf8Path, via: &str) -> Option<Module> {
        if let Some(module) = self.try_file(root, path.to_owned(), format!("verbatim{via}")) {
            return Some(module);
        }
        for suffix in SUFFIXES {
            let rule = format!("<path> -> <path>{suffix}{via}");
            if let Some(module) = self.try_file(root, format!("{path}{suffix}").into(), rule) {
                return Some(module);
            }
        }
        // TypeScript sources name the file that a compiler would have written.
        let stem = path.as_str().strip_suffix(".js")?;
        self.try_file(root, format!("{stem}.ts").into(), format!("<path>.js -> <path>.ts{via}"))
    }

    fn index(&mut self, root: &Utf8Path, folder: &Utf8Path, via: &str) -> Option<Module> {
        SUFFIXES.iter().find_map(|suffix| {
            let rule = format!("<path> -> <path>/index{suffix}{via}");
            self.try_file(root, folder.join(format!("index{suffix}")), rule)
        })
    }

    /// `node_modules` of the importing folder and of those above it, up to the root.
    fn node_modules(&mut self, root: &Utf8Path, folder: &Utf8Path, specifier: &str) -> Option<Module> {
        let above = folder.ancestors().take_while(|folder| folder.starts_with(root));
        let above = above.filter(|folder| folder.file_name() != Some("node_modules"));
        for folder in above.map(|folder| folder.join("node_modules")).collect::<Vec<_>>() {
            let path = paths::join_clamped(root, &folder, specifier);
            let via = ", via NPM resolution";
            let found = self
                .file(root, &path, via)
                .or_else(|| self.package(root, &path, via))
                .or_else(|| self.subpath_of_package(root, &folder, specifier));
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// A folder with a package.json that names its module.
    fn package(&mut self, root: &Utf8Path, folder: &Utf8Path, via: &str) -> Option<Module> {
        if let Some(package) = self.package_json(root, folder) {
            let entry = package_entry(&package, ".").into_iter();
            let via = format!(", via package.json in {folder}");
            for entry in entry {
                let path = paths::join_clamped(root, folder, &entry);
                if let Some(module) = self.path(root, &path, &via) {
                    return Some(module);
                }
            }
        }
        self.index(root, folder, via)
    }

    /// A path inside of a package, as its `exports` map it.
    fn subpath_of_package(&mut self, root: &Utf8Path, folder: &Utf8Path, specifier: &str) -> Option<Module> {
        let parts = if specifier.starts_with('@') { 2 } else { 1 };
        let end = specifier.match_indices('/').nth(parts - 1).map(|(at, _)| at)?;
        let (name, subpath) = specifier.split_at_checked(end)?;
        let package_folder = paths::join_clamped(root, folder, name);
        let package = self.package_json(root, &package_folder)?;
        let via = format!(", via exports in {package_folder}/package.json");
        let target = exported(package.get("exports")?, &format!(".{subpath}"))?;
        self.file(root, &paths::join_clamped(root, &package_folder, &target), &via)
    }

    fn package_json(&self, root: &Utf8Path, folder: &Utf8Path) -> Option<Value> {
        let bytes = self.host.read(&ConfinedPath::within(root, folder.join("package.json"))).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    fn try_file(&mut self, root: &Utf8Path, path: Utf8PathBuf, rule: String) -> Option<Module> {
        match self.host.read(&ConfinedPath::within(root, &path)) {
            Ok(bytes) => Some(Module::File(path, bytes)),
            Err(base::ReadError::Other(reason)) => {
                self.note(path, format!("{rule}: {reason}"));
                None
            }
            Err(_) => {
                self.note(path, rule);
                None
            }
        }
    }

    fn note(&mut self, path: Utf8PathBuf, rule: String) {
        self.tried.push(Candidate { path, rule });
    }
}

/// The files that a package.json offers for the package itself, the most likely one first.
fn package_entry(package: &Value, subpath: &str) -> Vec<String> {
    let mut entries = Vec::new();
    let text = |name: &str| package.get(name).and_then(Value::as_str).map(str::to_owned);
    entries.extend(text("module"));
    entries.extend(package.get("exports").and_then(|exports| exported(exports, subpath)));
    let is_module = text("type").as_deref() == Some("module");
    entries.extend(text("main").filter(|main| is_module || main.ends_with(".mjs")));
    entries
}

/// What `exports` says about a subpath, for importers of ES modules.
fn exported(exports: &Value, subpath: &str) -> Option<String> {
    let target = match exports {
        Value::Object(members) if members.keys().any(|key| key.starts_with('.')) => {
            match members.get(subpath) {
                Some(target) => return conditional(target),
                None => {
                    let (target, star) = members.iter().find_map(|(key, target)| {
                        let (before, after) = key.split_once('*')?;
                        let star = subpath.strip_prefix(before)?.strip_suffix(after)?;
                        Some((target, star))
                    })?;
                    return conditional(target).map(|path| path.replace('*', star));
                }
            }
        }
        target => target,
    };
    (subpath == ".").then(|| conditional(target)).flatten()
}

fn conditional(target: &Value) -> Option<String> {
    match target {
        Value::String(path) => Some(path.clone()),
        Value::Object(conditions) => conditions
            .iter()
            .filter(|(name, _)| matches!(name.as_str(), "module" | "import" | "default"))
            .find_map(|(_, target)| conditional(target)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::MemoryHost;

    fn host(files: &[(&str, &str)]) -> MemoryHost {
        files.iter().fold(MemoryHost::new(), |host, (path, text)| host.with_file(*path, text))
    }

    #[track_caller]
    fn check(files: &[(&str, &str)], folder: &str, specifier: &str, expected: &str) {
        let roots = Roots { main: "/w".into(), libraries: vec!["/lib".into()] };
        let referrer = Referrer { folder: folder.into(), is_std: false };
        let found = match resolve(&host(files), &roots, referrer, specifier) {
            Ok(Module::File(path, _)) => path.into_string(),
            Ok(Module::Std(name)) => format!("std {name}"),
            Ok(Module::Resource(folder)) => format!("resource {folder}"),
            Err(_) => "not found".to_owned(),
        };
        assert_eq!(found, expected, "{specifier} from {folder}");
    }

    #[test]
    fn relative_specifiers_try_suffixes_and_indexes() {
        let files =
            [("/w/a.js", ""), ("/w/b.mjs", ""), ("/w/c/index.js", ""), ("/w/t.ts", ""), ("/w/d.json", "1")];
        check(&files, "/w", "./a", "/w/a.js");
        check(&files, "/w/c", "../b", "/w/b.mjs");
        check(&files, "/w", "./c", "/w/c/index.js");
        check(&files, "/w", "./t", "/w/t.ts");
        check(&files, "/w", "./t.js", "/w/t.ts");
        check(&files, "/w", "./d.json", "/w/d.json");
        check(&files, "/w", "../../../a.js", "/w/a.js");
        check(&files, "/w", "./missing", "not found");
        check(&files, "/w", "/w/a.js", "not found");
    }

    #[test]
    fn bare_specifiers_start_at_the_root_then_go_to_node_modules() {
        let files = [
            ("/w/lib/foo.js", ""),
            ("/w/node_modules/pkg/package.json", r#"{"module":"es","main":"cjs.js"}"#),
            ("/w/node_modules/pkg/es/index.js", ""),
            ("/w/node_modules/pkg/node_modules/inner/index.mjs", ""),
            ("/w/node_modules/@s/x/sub.js", ""),
            ("/w/sub/node_modules/near/index.js", ""),
            ("/lib/remote/index.js", ""),
        ];
        check(&files, "/w/sub", "lib/foo", "/w/lib/foo.js");
        check(&files, "/w/sub/deep", "pkg", "/w/node_modules/pkg/es/index.js");
        check(&files, "/w/node_modules/pkg/es", "inner", "/w/node_modules/pkg/node_modules/inner/index.mjs");
        check(&files, "/w", "@s/x/sub", "/w/node_modules/@s/x/sub.js");
        check(&files, "/w/sub", "near", "/w/sub/node_modules/near/index.js");
        check(&files, "/w", "near", "not found");
        check(&files, "/w", "remote", "/lib/remote/index.js");
    }

    #[test]
    fn what_was_tried_is_told() {
        let roots = Roots { main: "/w".into(), libraries: Vec::new() };
        let referrer = Referrer { folder: "/w/sub".into(), is_std: false };
        let tried = resolve(&host(&[]), &roots, referrer, "./x").expect_err("there is nothing");
        let shown: Vec<_> = tried.iter().map(|c| format!("{} ({})", c.path, c.rule)).collect();
        assert_eq!(shown.first().unwrap(), "/w/sub/x (verbatim)");
        assert_eq!(shown.last().unwrap(), "/w/sub/x/index.ts (<path> -> <path>/index.ts)");
    }

    #[test]
    fn packages_may_use_exports() {
        let exports = r#"{"exports":{".":{"require":"./c.js","import":"./m.js"},"./f/*":"./src/*.js","./x":"./y.mjs"}}"#;
        let files = [
            ("/w/node_modules/p/package.json", exports),
            ("/w/node_modules/p/m.js", ""),
            ("/w/node_modules/p/src/a.js", ""),
            ("/w/node_modules/p/y.mjs", ""),
        ];
        check(&files, "/w", "p", "/w/node_modules/p/m.js");
        check(&files, "/w", "p/f/a", "/w/node_modules/p/src/a.js");
        check(&files, "/w", "p/x", "/w/node_modules/p/y.mjs");
    }

    #[test]
    fn the_standard_library_has_two_names_and_private_parts() {
        check(&[], "/w", "@jkcfg/std", "std index");
        check(&[], "/w", "sinew:std/param.js", "std param");
        check(&[], "/w/sub", "@jkcfg/std/resource", "resource /w/sub");
        check(&[], "/w", "@jkcfg/stdx", "not found");
        check(&[], "/w", "@jkcfg/std/internal/host", "not found");
        let roots = Roots { main: "/w".into(), libraries: Vec::new() };
        let referrer = Referrer { folder: "/w".into(), is_std: true };
        let found = resolve(&host(&[]), &roots, referrer, "@jkcfg/std/internal/host");
        assert_eq!(found, Ok(Module::Std("internal/host")));
    }
}
