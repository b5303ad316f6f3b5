//! JSON Schema (drafts 4, 6 and 7): a value and a schema come in, [`Problem`]s go out in the order and the words of
//! the library that jk used.
//!
//! Schemas refer to each other by file; each file is read and parsed once. Work is bounded: by steps, by depth, and
//! by a limit on the backtracking of patterns.

mod check;
mod decimal;
mod formats;

use std::rc::Rc;

use base::{Budget, Limits};
use camino::{Utf8Path, Utf8PathBuf};
use fancy_regex::Regex;
use rustc_hash::FxHashMap;
use serde_json::Value;

use crate::paths;

/// One thing that is wrong with a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// What is wrong.
    pub message: String,
    /// Where in the value: names and indexes joined by points, `(root)` for the whole value.
    pub path: String,
}

/// Reads a schema file.
pub type ReadSchema<'a> = &'a dyn Fn(&Utf8Path) -> Result<Value, String>;

/// Schemas and patterns that have been used so far.
#[derive(Default)]
pub struct Schemas {
    files: FxHashMap<Utf8PathBuf, Rc<Value>>,
    patterns: FxHashMap<String, Option<Rc<Regex>>>,
}

impl Schemas {
    /// Checks a value against a schema that stands alone.
    pub fn validate(&mut self, value: &Value, schema: Value) -> Result<Vec<Problem>, String> {
        let no_files =
            |file: &Utf8Path| Err(format!("the schema refers to the file '{file}', but is no file itself"));
        let document = Document { path: Utf8PathBuf::new(), root: Rc::new(schema) };
        self.run(value, &document, &no_files)
    }

    /// Checks a value against the schema in a file.
    pub fn validate_with_file(
        &mut self,
        value: &Value,
        path: &Utf8Path,
        read: ReadSchema<'_>,
    ) -> Result<Vec<Problem>, String> {
        let document = self.load(path, read)?;
        self.run(value, &document, read)
    }

    fn run(
        &mut self,
        value: &Value,
        document: &Document,
        read: ReadSchema<'_>,
    ) -> Result<Vec<Problem>, String> {
        let budget = Budget::new(Limits { steps: MAX_STEPS, ..Limits::default() });
        let mut checker =
            check::Checker { schemas: self, read, budget: &budget, references: FxHashMap::default() };
        checker.document(value, document)
    }

    fn load(&mut self, path: &Utf8Path, read: ReadSchema<'_>) -> Result<Document, String> {
        if let Some(root) = self.files.get(path) {
            return Ok(Document { path: path.to_owned(), root: Rc::clone(root) });
        }
        let root = Rc::new(read(path)?);
        self.files.insert(path.to_owned(), Rc::clone(&root));
        Ok(Document { path: path.to_owned(), root })
    }

    /// Whether a text matches a pattern anywhere.
    fn matches(&mut self, pattern: &str, text: &str) -> Result<bool, String> {
        let compiled =
            self.patterns.entry(pattern.to_owned()).or_insert_with(|| compile(pattern).map(Rc::new));
        let Some(regex) = compiled else {
            return Err(format!("the pattern '{pattern}' is not a valid regex"));
        };
        regex.is_match(text).map_err(|_| format!("the pattern '{pattern}' takes too long to match"))
    }

    /// The document and the part of it that a reference means.
    fn resolve(
        &mut self,
        from: &Document,
        reference: &str,
        read: ReadSchema<'_>,
    ) -> Result<(Document, Pointer), String> {
        let (file, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let root_id = id_of(&from.root).map(|id| id.trim_end_matches('#'));
        let document = if file.is_empty() || root_id == Some(file) {
            from.clone()
        } else if let Some(pointer) = find_id(&from.root, file) {
            return Ok((from.clone(), pointer.join(fragment)));
        } else if file.contains("://") && !file.starts_with("file://") {
            return Err(format!("the reference '{reference}' is not a local file"));
        } else {
            let folder = from.path.parent().unwrap_or_else(|| Utf8Path::new(""));
            self.load(&paths::join(folder, file.trim_start_matches("file://")), read)?
        };
        if fragment.is_empty() || fragment.starts_with('/') {
            return Ok((document, Pointer::root().join(fragment)));
        }
        match find_id(&document.root, &format!("#{fragment}")) {
            Some(pointer) => Ok((document, pointer)),
            None => Err(format!("the reference '{reference}' leads nowhere")),
        }
    }
}

/// How many schemas may be applied in one check.
const MAX_STEPS: u64 = 500_000;
/// How much a pattern may backtrack.
const BACKTRACK_LIMIT: usize = 200_000;

fn compile(pattern: &str) -> Option<Regex> {
    fancy_regex::RegexBuilder::new(pattern).backtrack_limit(BACKTRACK_LIMIT).build().ok()
}

/// A parsed schema file.
#[derive(Debug, Clone)]
struct Document {
    path: Utf8PathBuf,
    root: Rc<Value>,
}

/// A JSON pointer inside a document.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Pointer(String);

impl Pointer {
    fn root() -> Self {
        Self(String::new())
    }

    fn join(&self, fragment: &str) -> Self {
        Self(format!("{}{}", self.0, percent_decoded(fragment)))
    }

    fn find<'v>(&self, root: &'v Value) -> Option<&'v Value> {
        root.pointer(&self.0)
    }
}

fn id_of(schema: &Value) -> Option<&str> {
    schema.get("$id").or_else(|| schema.get("id")).and_then(Value::as_str)
}

/// The subschema with this id, looked for in the usual places of definitions.
fn find_id(root: &Value, id: &str) -> Option<Pointer> {
    let definitions = root.get("definitions")?.as_object()?;
    let (name, _) = definitions.iter().find(|(_, schema)| id_of(schema) == Some(id))?;
    Some(Pointer(format!("/definitions/{}", name.replace('~', "~0").replace('/', "~1"))))
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let code = after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        match code.and_then(|hex| u8::from_str_radix(hex, 16).ok()).filter(|_| first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests;
