//! The file of a recording: JSON in an xz archive. Texts that occur in many cases are written once.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;

/// What a file of recordings says.
#[derive(Debug, Deserialize)]
pub struct Recording {
    /// Codes that are not compared, as they depend on the day.
    #[serde(default)]
    pub ignore: Vec<String>,
    /// Texts by key.
    pub blobs: BTreeMap<String, String>,
    /// The cases, each with an id of its own.
    pub cases: Vec<Case>,
}

/// A folder of files with one entry, and what the reference said about it.
#[derive(Debug, Deserialize)]
pub struct Case {
    /// Unique in the recording.
    pub id: String,
    /// The file that was compiled.
    pub entry: String,
    /// Names to keys of texts.
    pub files: BTreeMap<String, String>,
    /// The diagnostics of the entry file; absent where the entry is no Bicep file.
    pub diags: Option<Vec<Finding>>,
    /// The key of the compiled template or parameters; absent where there are errors.
    pub template: Option<String>,
    /// The key of the formatted text.
    pub formatted: Option<String>,
}

/// A diagnostic as it is compared: code, level, then line and column of the start and the end, from one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub struct Finding(pub String, pub String, pub u32, pub u32, pub u32, pub u32);

impl Recording {
    /// Reads a recording.
    pub fn load(path: &Path) -> Result<Self, String> {
        read(path)
    }

    /// A text; empty where the recording does not have it.
    pub fn blob(&self, key: &str) -> &str {
        self.blobs.get(key).map_or("", String::as_str)
    }
}

/// Reads compressed JSON.
pub(crate) fn read<T: DeserializeOwned>(path: &Path) -> Result<T, String> {
    let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let file = File::open(path).map_err(|error| failed(&error))?;
    let mut text = Vec::new();
    let mut reader = lzma_rust2::XzReader::new(BufReader::new(file), true);
    reader.read_to_end(&mut text).map_err(|error| failed(&error))?;
    serde_json::from_slice(&text).map_err(|error| failed(&error))
}
