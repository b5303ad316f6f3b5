//! The folder of a case, copied to where a check may write, and its configuration adapted to the check.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use tempfile::TempDir;

/// A copy that lives as long as the check.
pub(super) struct Copy {
    /// Keeps the folder.
    keep: TempDir,
    /// The entry file in the copy.
    pub(super) entry: PathBuf,
}

/// What a check needs in `bicepconfig.json`.
#[derive(Default)]
pub(super) struct Patch<'a> {
    /// Experimental features to switch on.
    pub(super) features: Vec<&'a str>,
    /// Levels of lint rules.
    pub(super) rules: Option<&'a Map<String, Value>>,
    /// How long a line should be at most.
    pub(super) width: Option<u64>,
    /// Where artifacts are kept, if not where they are by default.
    pub(super) cache: Option<PathBuf>,
}

impl Copy {
    /// Copies the folder of a case.
    pub(super) fn new(folder: &Path, entry: &str) -> io::Result<Self> {
        let keep = tempfile::tempdir()?;
        let copy = keep.path().join("case");
        copy_folder(folder, &copy)?;
        Ok(Self { entry: copy.join(entry), keep })
    }

    /// A folder for output, outside of the copy.
    pub(super) fn output(&self) -> io::Result<PathBuf> {
        let output = self.keep.path().join("output");
        fs::create_dir_all(&output)?;
        Ok(output)
    }

    /// Writes what a check needs into the configuration beside the entry file.
    pub(super) fn patch(&self, patch: &Patch<'_>) -> io::Result<()> {
        if patch.features.is_empty() && patch.rules.is_none_or(Map::is_empty) && patch.width.is_none() {
            return Ok(());
        }
        let path = self.entry.with_file_name("bicepconfig.json");
        let mut config = match fs::read_to_string(&path) {
            Ok(text) => json::parse(text.trim_start_matches('\u{feff}'), json::Options::jsonc())
                .root
                .map(|root| root.to_value())
                .unwrap_or_default(),
            Err(_) => json!({}),
        };
        for feature in &patch.features {
            set(&mut config, &["experimentalFeaturesEnabled", feature], true.into());
        }
        for (rule, level) in patch.rules.into_iter().flatten() {
            set(&mut config, &["analyzers", "core", "rules", rule, "level"], level.clone());
        }
        if let Some(cache) = &patch.cache {
            set(&mut config, &["cacheRootDirectory"], cache.to_string_lossy().into());
        }
        if let Some(width) = patch.width {
            set(&mut config, &["formatting", "width"], width.into());
        }
        fs::write(path, config.to_string())
    }
}

/// Sets a value, making the objects that lead to it.
fn set(root: &mut Value, path: &[&str], value: Value) {
    let mut at = root;
    for key in path {
        if !at.is_object() {
            *at = json!({});
        }
        let Value::Object(object) = at else { return };
        at = object.entry(*key).or_insert(Value::Null);
    }
    *at = value;
}

fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
