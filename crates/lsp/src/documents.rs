//! The documents that the client has open: what it says about them comes in; their texts and paths go out.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::SourceFile;
use base::world::MAX_SOURCE_BYTES;
use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;

use crate::convert::range_of;

/// An open document.
#[derive(Debug, Clone)]
pub(crate) struct Document {
    /// As the client spells it.
    pub(crate) uri: String,
    pub(crate) path: Utf8PathBuf,
    pub(crate) version: i32,
    /// The language that the client says it is in.
    language: String,
    pub(crate) kind: DocumentKind,
    /// Its text; nothing when it is too large.
    pub(crate) source: Arc<SourceFile>,
}

impl Document {
    /// Gives it another text.
    fn set_text(&mut self, text: &str) {
        let is_large = text.len() > MAX_SOURCE_BYTES;
        self.kind = match is_large {
            true => DocumentKind::TooLarge,
            false => DocumentKind::of(&self.path, &self.language),
        };
        self.source = SourceFile::new(self.path.clone(), if is_large { "" } else { text });
    }
}

/// What a document is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DocumentKind {
    /// A Bicep or parameter file.
    Bicep,
    /// `bicepconfig.json`: edits count when they are saved.
    Config,
    /// A template, a rule file, or some other JSON that Bicep files may refer to.
    Json,
    /// Some other text that Bicep files may refer to.
    Other,
    /// Larger than any file that is read: only a whole new text changes that.
    TooLarge,
}

impl DocumentKind {
    fn of(path: &Utf8Path, language: &str) -> Self {
        match (language, path.extension(), path.file_name()) {
            ("bicep" | "bicep-params", _, _) | (_, Some("bicep" | "bicepparam"), _) => Self::Bicep,
            (_, _, Some("bicepconfig.json")) => Self::Config,
            (_, Some("json" | "jsonc"), _) => Self::Json,
            _ => Self::Other,
        }
    }
}

/// All open documents.
#[derive(Debug, Default)]
pub(crate) struct Documents {
    by_uri: BTreeMap<String, Document>,
}

impl Documents {
    /// Takes a document that was opened.
    pub(crate) fn open(&mut self, params: &Value) -> Option<Document> {
        let item = params.get("textDocument")?;
        let text_of = |name: &str| item.get(name).and_then(Value::as_str);
        let (uri, language) = (text_of("uri")?, text_of("languageId").unwrap_or_default());
        let path = crate::uri::document_path(uri, language);
        let text = text_of("text").unwrap_or_default();
        let mut document = Document {
            uri: uri.to_owned(),
            version: version_of(item),
            language: language.to_owned(),
            kind: DocumentKind::Other,
            source: SourceFile::new(path.clone(), ""),
            path,
        };
        document.set_text(without_mark(text));
        self.by_uri.insert(uri.to_owned(), document.clone());
        Some(document)
    }

    /// Takes changes of a document: whole texts, or ranges with what stands there now.
    pub(crate) fn change(&mut self, params: &Value) -> Option<Document> {
        let item = params.get("textDocument")?;
        let document = self.by_uri.get_mut(item.get("uri")?.as_str()?)?;
        for change in params.get("contentChanges")?.as_array()? {
            let new = change.get("text").and_then(Value::as_str).unwrap_or_default();
            let text = match change.get("range").filter(|range| !range.is_null()) {
                None => without_mark(new).to_owned(),
                Some(_) if document.kind == DocumentKind::TooLarge => continue,
                Some(range) => {
                    let Ok(range) = range_of(&document.source, range) else { continue };
                    let mut text = document.source.text().to_string();
                    text.replace_range(usize::from(range.start())..usize::from(range.end()), new);
                    text
                }
            };
            document.set_text(&text);
        }
        document.version = version_of(item);
        Some(document.clone())
    }

    /// Takes the end of a document.
    pub(crate) fn close(&mut self, params: &Value) -> Option<Document> {
        self.by_uri.remove(params.get("textDocument")?.get("uri")?.as_str()?)
    }

    pub(crate) fn get(&self, uri: &str) -> Option<&Document> {
        self.by_uri.get(uri)
    }

    /// The documents with a path: several spellings of a URI may lead to one.
    pub(crate) fn with_path(&self, path: &Utf8Path) -> impl Iterator<Item = &Document> {
        self.by_uri.values().filter(move |document| document.path == path)
    }

    /// All of them.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Document> {
        self.by_uri.values()
    }
}

fn version_of(item: &Value) -> i32 {
    item.get("version").and_then(Value::as_i64).and_then(|it| i32::try_from(it).ok()).unwrap_or_default()
}

fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}
