//! Packages: `node_modules`, and what `package.json` says about entry points.

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;

use super::{ImportKind, Module, Search};
use crate::paths;

impl Search<'_> {
    /// `node_modules` of the importing folder and of all folders above it.
    pub(super) fn node_modules(&mut self, folder: &Utf8Path, specifier: &str) -> Option<Module> {
        let (name, subpath) = split(specifier)?;
        let above = folder.ancestors().filter(|above| above.file_name() != Some("node_modules"));
        for above in above.map(Utf8Path::to_owned).collect::<Vec<_>>() {
            let root = match self.resolver.root_of(&above) {
                Some(root) => root,
                None => self.resolver.workspace_of(&above),
            };
            let modules = above.join("node_modules");
            // Folders above the root are worth a line only if there is something to find.
            if !above.starts_with(&self.resolver.roots.main) && !self.resolver.is_folder(&modules) {
                continue;
            }
            let found = self.package(&root, &modules.join(name), subpath).or_else(|| {
                // Links to packages of the same workspace lead out of the folder.
                let workspace = self.resolver.workspace_of(&above);
                (workspace != root).then(|| self.package(&workspace, &modules.join(name), subpath)).flatten()
            });
            if let Some(Module::File(path, _)) = &found {
                self.remember_root(path, &above);
            }
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// What a package outside of the module root imports stays in the folder that holds it.
    fn remember_root(&self, path: &Utf8Path, above: &Utf8Path) {
        if self.resolver.root_of(path).is_none() {
            let workspace = self.resolver.workspace_of(above);
            self.resolver.package_roots.borrow_mut().push(workspace);
        }
    }

    /// A package or a file in it.
    fn package(&mut self, root: &Utf8Path, folder: &Utf8Path, subpath: &str) -> Option<Module> {
        const VIA: &str = ", via NPM resolution";
        let Some(package) = self.resolver.package_json(root, folder) else {
            let path = if subpath.is_empty() { folder.to_owned() } else { folder.join(subpath) };
            return self.file(root, &path, VIA).or_else(|| self.index(root, &path, VIA));
        };
        if let Some(exports) = package.get("exports").filter(|exports| !exports.is_null()) {
            let wanted = if subpath.is_empty() { ".".to_owned() } else { format!("./{subpath}") };
            return self.exported(root, folder, exports, &wanted);
        }
        if subpath.is_empty() {
            return self.package_folder(root, folder, VIA);
        }
        self.path_in_package(root, &folder.join(subpath), VIA)
    }

    fn path_in_package(&mut self, root: &Utf8Path, path: &Utf8Path, via: &str) -> Option<Module> {
        self.file(root, path, via).or_else(|| self.package_folder(root, path, via))
    }

    /// A folder with a package.json that names its module, or with an index.
    pub(super) fn package_folder(&mut self, root: &Utf8Path, folder: &Utf8Path, via: &str) -> Option<Module> {
        if let Some(package) = self.resolver.package_json(root, folder) {
            let text = |name: &str| package.get(name).and_then(Value::as_str);
            let module = text("module").filter(|_| self.kind == ImportKind::Import);
            for entry in module.into_iter().chain(text("main")) {
                let path = paths::join_clamped(root, folder, entry);
                let via = format!(", via package.json in {folder}");
                let found = self.file(root, &path, &via).or_else(|| self.index(root, &path, &via));
                if found.is_some() {
                    return found;
                }
            }
        }
        self.index(root, folder, via)
    }

    fn exported(
        &mut self,
        root: &Utf8Path,
        folder: &Utf8Path,
        exports: &Value,
        wanted: &str,
    ) -> Option<Module> {
        let Some(target) = target_of(exports, wanted, self.kind) else {
            let rule = format!("the package does not export '{wanted}' (`exports` in package.json)");
            self.note(folder.to_owned(), rule);
            return None;
        };
        let path = paths::join(folder, &target);
        if !path.starts_with(folder) {
            self.note(path, "`exports` leads out of the package".to_owned());
            return None;
        }
        let via = format!(", via exports in {folder}/package.json");
        self.try_file(root, path.clone(), || format!("verbatim{via}"))
            .or_else(|| self.file(root, &path, &via))
    }

    /// `#name`: what `imports` of the package says that the importing module belongs to.
    pub(super) fn package_import(&mut self, folder: &Utf8Path, specifier: &str) -> Option<Module> {
        let Some((package_folder, package)) = self.resolver.nearest_package(folder) else {
            self.note(folder.to_owned(), "no package.json with `imports`".to_owned());
            return None;
        };
        let target = package.get("imports").and_then(|imports| target_of(imports, specifier, self.kind));
        let Some(target) = target else {
            let rule = format!("`imports` does not have '{specifier}'");
            self.note(package_folder.join("package.json"), rule);
            return None;
        };
        if target.starts_with("./") {
            let root = self.resolver.root_of(&package_folder)?;
            return self.file(&root, &paths::join(&package_folder, &target), ", via imports in package.json");
        }
        let referrer = super::Referrer { folder: &package_folder, is_std: false, kind: self.kind };
        self.module(referrer, &target)
    }

    /// A package may import itself by its name.
    pub(super) fn own_package(&mut self, folder: &Utf8Path, specifier: &str) -> Option<Module> {
        let (name, subpath) = split(specifier)?;
        let (package_folder, package) = self.resolver.nearest_package(folder)?;
        if package.get("name").and_then(Value::as_str) != Some(name) {
            return None;
        }
        let exports = package.get("exports").filter(|exports| !exports.is_null())?;
        let root: Utf8PathBuf = self.resolver.root_of(&package_folder)?;
        let wanted = if subpath.is_empty() { ".".to_owned() } else { format!("./{subpath}") };
        self.exported(&root, &package_folder, exports, &wanted)
    }
}

/// The name of the package and the path in it.
fn split(specifier: &str) -> Option<(&str, &str)> {
    let parts = if specifier.starts_with('@') { 2 } else { 1 };
    let Some((end, _)) = specifier.match_indices('/').nth(parts - 1) else { return Some((specifier, "")) };
    Some((specifier.get(..end)?, specifier.get(end + 1..)?))
}

/// What `exports` or `imports` says about a path in the package.
fn target_of(table: &Value, wanted: &str, kind: ImportKind) -> Option<String> {
    let is_table = |key: &String| key.starts_with('.') || key.starts_with('#');
    let members = match table {
        Value::Object(members) if members.keys().any(is_table) => members,
        target => return (wanted == ".").then(|| conditional(target, kind)).flatten(),
    };
    if let Some(target) = members.get(wanted) {
        return conditional(target, kind);
    }
    // Of several patterns, the one with the longest text before the star wins.
    let (_, target, star) = members
        .iter()
        .filter_map(|(key, target)| {
            let (before, after) = key.split_once('*')?;
            let star = wanted.strip_prefix(before)?.strip_suffix(after)?;
            Some((before.len(), target, star))
        })
        .max_by_key(|(length, ..)| *length)?;
    conditional(target, kind).map(|path| path.replace('*', star))
}

fn conditional(target: &Value, kind: ImportKind) -> Option<String> {
    match target {
        Value::String(path) => Some(path.clone()),
        Value::Object(conditions) => {
            for (name, target) in conditions {
                let holds = match name.as_str() {
                    "node" | "default" => true,
                    "import" | "module-sync" => kind == ImportKind::Import,
                    "require" => kind == ImportKind::Require,
                    _ => false,
                };
                // `null` ends the search: the path is not exported under this condition.
                if holds && target.is_null() {
                    return None;
                }
                if let Some(path) = holds.then(|| conditional(target, kind)).flatten() {
                    return Some(path);
                }
            }
            None
        }
        Value::Array(targets) => targets.iter().find_map(|target| conditional(target, kind)),
        _ => None,
    }
}
