//! Errors of templates as reports: in the source that the template was made from, else in the template itself.

use std::collections::BTreeMap;
use std::sync::Arc;

use arm::SourceMap;
use base::{Diagnostic, FileReport, SourceFile, TextRange};
use camino::Utf8PathBuf;

use crate::messages;

/// A template's text, and where its parts come from if it was compiled.
#[derive(Debug, Clone)]
pub(crate) struct Origin {
    /// The template, or the file it was compiled from.
    pub(crate) file: Arc<SourceFile>,
    /// For compiled templates.
    pub(crate) map: Option<Arc<SourceMap>>,
}

/// Errors of a template, by file.
pub(crate) fn reports(errors: Vec<arm::Error>, origin: &Origin) -> Vec<FileReport> {
    let mut files: BTreeMap<Utf8PathBuf, (Arc<SourceFile>, Vec<Diagnostic>)> = BTreeMap::new();
    for error in errors {
        let (file, range) = match &origin.map {
            None => (Arc::clone(&origin.file), error.range().unwrap_or_default()),
            Some(map) => match map.find(&error.pointer()) {
                Some(place) => (Arc::clone(&place.file), place.range),
                // The ranges of a compiled template are not those of its source.
                None => (Arc::clone(&origin.file), TextRange::default()),
            },
        };
        let diagnostic = diagnostic(&error, range);
        files.entry(file.path().to_owned()).or_insert_with(|| (file, Vec::new())).1.push(diagnostic);
    }
    files.into_values().map(|(file, diagnostics)| FileReport::new(file, diagnostics)).collect()
}

/// An error at a place, under the code that the service has for it.
pub(crate) fn diagnostic(error: &arm::Error, range: TextRange) -> Diagnostic {
    messages::deployment_error(error.code().name(), range, error.message())
}
