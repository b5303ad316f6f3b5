//! What `tsconfig.json` says about running a module: `paths`, `baseUrl` and the kind of decorators.

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;

use crate::host::{ConfinedPath, Host};
use crate::paths;

/// The options of a `tsconfig.json`, with those of the files that it extends.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct TsConfig {
    base_url: Option<Utf8PathBuf>,
    /// Patterns with at most one star, and the paths that each of them stands for.
    paths: Vec<(String, Vec<Utf8PathBuf>)>,
    /// `experimentalDecorators`.
    pub(crate) has_legacy_decorators: bool,
    /// `emitDecoratorMetadata`.
    pub(crate) emits_metadata: bool,
    /// `useDefineForClassFields: false`.
    pub(crate) assigns_fields: bool,
}

/// How many files may extend each other.
const MAX_EXTENDS: usize = 16;

impl TsConfig {
    /// Reads a file, if it is there and can be understood.
    pub(super) fn read(host: &dyn Host, root: &Utf8Path, path: &Utf8Path) -> Option<Self> {
        let mut config = Self::default();
        config.merge(host, root, path, MAX_EXTENDS)?;
        Some(config)
    }

    fn merge(&mut self, host: &dyn Host, root: &Utf8Path, path: &Utf8Path, left: usize) -> Option<()> {
        let bytes = host.read(&ConfinedPath::within(root, path)).ok()?;
        let text = std::str::from_utf8(&bytes).ok()?;
        let value = json::parse(text, json::Options::jsonc()).root?.to_value();
        let folder = path.parent()?;
        let bases = match value.get("extends") {
            Some(Value::String(base)) => vec![base.clone()],
            Some(Value::Array(bases)) => bases.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            _ => Vec::new(),
        };
        for base in bases.iter().filter(|base| base.starts_with('.') && left > 0) {
            let base = paths::join(folder, base);
            let with_suffix = Utf8PathBuf::from(format!("{base}.json"));
            let found = self.merge(host, root, &base, left - 1);
            found.or_else(|| self.merge(host, root, &with_suffix, left - 1));
        }
        if let Some(options) = value.get("compilerOptions") {
            self.set(options, folder);
        }
        Some(())
    }

    fn set(&mut self, options: &Value, folder: &Utf8Path) {
        let flag = |name: &str| options.get(name).and_then(Value::as_bool);
        self.has_legacy_decorators = flag("experimentalDecorators").unwrap_or(self.has_legacy_decorators);
        self.emits_metadata = flag("emitDecoratorMetadata").unwrap_or(self.emits_metadata);
        self.assigns_fields = flag("useDefineForClassFields").map_or(self.assigns_fields, |defines| !defines);
        if let Some(base) = options.get("baseUrl").and_then(Value::as_str) {
            self.base_url = Some(paths::join(folder, base));
        }
        if let Some(table) = options.get("paths").and_then(Value::as_object) {
            let base = self.base_url.clone().unwrap_or_else(|| folder.to_owned());
            let targets = |value: &Value| {
                let list = value.as_array().into_iter().flatten().filter_map(Value::as_str);
                list.map(|path| paths::join(&base, path)).collect()
            };
            self.paths = table.iter().map(|(pattern, value)| (pattern.clone(), targets(value))).collect();
        }
    }

    /// The paths that a specifier may stand for, the most likely one first.
    pub(super) fn candidates(&self, specifier: &str) -> Vec<Utf8PathBuf> {
        let exact = self.paths.iter().find(|(pattern, _)| pattern == specifier);
        let mut found: Vec<Utf8PathBuf> = exact.map(|(_, paths)| paths.clone()).unwrap_or_default();
        let best = self
            .paths
            .iter()
            .filter_map(|(pattern, paths)| {
                let (before, after) = pattern.split_once('*')?;
                let star = specifier.strip_prefix(before)?.strip_suffix(after)?;
                Some((before.len(), paths, star))
            })
            .max_by_key(|(length, ..)| *length);
        if let Some((_, paths, star)) = best {
            found.extend(paths.iter().map(|path| Utf8PathBuf::from(path.as_str().replace('*', star))));
        }
        found.extend(self.base_url.iter().map(|base| paths::join(base, specifier)));
        found
    }
}
