//! Errors of templates as reports: in the source that the template was made from, else in the template itself.

use std::collections::BTreeMap;
use std::sync::Arc;

use arm::{SourceMap, SourcePosition};
use base::{Diagnostic, FileReport, Related, SourceFile, TextRange};
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

/// Where something stands in a source, and what else has to do with it.
pub(crate) struct Located {
    pub(crate) file: Arc<SourceFile>,
    pub(crate) range: TextRange,
    /// For what lies inside of a module: the other end, so that both files are named.
    pub(crate) related: Option<Related>,
}

impl Origin {
    /// The place of a part of the template. `range` is its place in the template itself.
    pub(crate) fn locate(&self, pointer: &str, range: TextRange) -> Located {
        let nowhere = || Located { file: Arc::clone(&self.file), range: TextRange::default(), related: None };
        match &self.map {
            None => Located { range, ..nowhere() },
            // The ranges of a compiled template are not those of its source.
            Some(map) => in_source(map, pointer).unwrap_or_else(nowhere),
        }
    }
}

/// The place of a part of a compiled template. A value that a module is given stands where it is given, and the parameter
/// is named beside it; whatever else is inside of a module stands there, and the statement that uses the module is named.
fn in_source(map: &SourceMap, pointer: &str) -> Option<Located> {
    let place = map.find(pointer)?;
    let Some(start) = map.templates_around(pointer).last().copied() else {
        return Some(located(place, None));
    };
    let (around, inside) = pointer.split_at_checked(start)?;
    let module = around.strip_suffix("/properties/template").unwrap_or(around);
    let Some(parameter) = inside.strip_prefix("/parameters/").filter(|rest| is_given(rest)) else {
        let used = map.find(module).map(|place| related(place, "the module is used here"));
        return Some(located(place, used));
    };
    let value = map.find(&format!("{module}/properties/parameters/{parameter}"))?;
    Some(located(value, Some(related(place, "the parameter is declared here"))))
}

/// Whether a path below `parameters` leads to a value that was given, and not to a default.
fn is_given(path: &str) -> bool {
    let form = path.split('/').nth(1);
    matches!(form, Some("value" | "expression" | "reference"))
}

fn located(place: &SourcePosition, related: Option<Related>) -> Located {
    Located { file: Arc::clone(&place.file), range: place.range, related }
}

fn related(place: &SourcePosition, message: &str) -> Related {
    Related { file: Arc::clone(&place.file), range: place.range, message: message.to_owned() }
}

/// Diagnostics by the files that they are about.
#[derive(Default)]
pub(crate) struct ByFile(BTreeMap<Utf8PathBuf, (Arc<SourceFile>, Vec<Diagnostic>)>);

impl ByFile {
    /// Adds a diagnostic that has no place yet. The other place is also part of the message, as not every form of a
    /// report has a room for it.
    pub(crate) fn add(&mut self, mut diagnostic: Diagnostic, place: Located) {
        diagnostic.range = place.range;
        if let Some(related) = place.related {
            let at = related.file.position(related.range.start());
            let path = related.file.path();
            let text = diagnostic.message.trim_end_matches('.');
            diagnostic.message =
                format!("{text} ({}: {path}({},{}))", related.message, at.line + 1, at.col + 1);
            diagnostic.related.push(related);
        }
        let path = place.file.path().to_owned();
        self.0.entry(path).or_insert_with(|| (place.file, Vec::new())).1.push(diagnostic);
    }

    pub(crate) fn reports(self) -> Vec<FileReport> {
        self.0.into_values().map(|(file, diagnostics)| FileReport::new(file, diagnostics)).collect()
    }
}

/// Errors of a template, by file.
pub(crate) fn reports(errors: Vec<arm::Error>, origin: &Origin) -> Vec<FileReport> {
    let mut files = ByFile::default();
    for error in errors {
        let range = error.range().unwrap_or_default();
        files.add(diagnostic(&error, range), origin.locate(&error.pointer(), range));
    }
    files.reports()
}

/// An error at a place, under the code that the service has for it.
pub(crate) fn diagnostic(error: &arm::Error, range: TextRange) -> Diagnostic {
    messages::deployment_error(error.code().name(), range, error.message())
}
