//! Errors of templates as reports: in the source that the template was made from, else in the template itself.

use std::collections::BTreeMap;
use std::sync::Arc;

use arm::{SourceMap, SourcePosition};
use base::{Diagnostic, FileReport, Related, SourceFile, TextRange};
use camino::Utf8PathBuf;

use crate::messages;

/// A template's text, where its parts come from if it was compiled, and where its parameters get their values.
#[derive(Debug, Clone)]
pub(crate) struct Origin {
    /// The template, or the file it was compiled from.
    pub(crate) file: Arc<SourceFile>,
    /// For compiled templates.
    pub(crate) map: Option<Arc<SourceMap>>,
    /// Where parameters are given their values, by name.
    pub(crate) given: BTreeMap<String, Written>,
}

/// A place in a file.
#[derive(Debug, Clone)]
pub(crate) struct Written {
    pub(crate) file: Arc<SourceFile>,
    pub(crate) range: TextRange,
}

/// Where something stands in a source, and what else has to do with it.
pub(crate) struct Located {
    pub(crate) file: Arc<SourceFile>,
    pub(crate) range: TextRange,
    /// For what lies inside of a module: the other end, so that both files are named.
    pub(crate) related: Vec<Related>,
}

impl Origin {
    /// A template that is written in JSON.
    pub(crate) fn json(file: Arc<SourceFile>) -> Self {
        Self { file, map: None, given: BTreeMap::new() }
    }

    /// A template that was compiled from a file.
    pub(crate) fn compiled(file: &Arc<SourceFile>, map: &Arc<SourceMap>) -> Self {
        Self { file: Arc::clone(file), map: Some(Arc::clone(map)), given: BTreeMap::new() }
    }

    /// The place of a part of the template, or of the value that is given to a parameter. `range` is its place in the
    /// document that has it, if that is known.
    pub(crate) fn locate(&self, pointer: &str, range: TextRange) -> Located {
        let Some((name, given)) = self.given_at(pointer) else { return self.in_template(pointer, range) };
        let declaration = self.in_template(&format!("/parameters/{name}"), TextRange::default());
        let message = "the parameter is declared here".to_owned();
        let related = vec![Related { file: declaration.file, range: declaration.range, message }];
        // The parts of values have places of their own only in JSON.
        let is_part = given.file.path().extension() == Some("json") && given.range.contains_range(range);
        let range = if is_part && !range.is_empty() { range } else { given.range };
        Located { file: Arc::clone(&given.file), range, related }
    }

    /// The parameter that a path leads to the value of, and where that is given.
    fn given_at<'p>(&self, pointer: &'p str) -> Option<(&'p str, &Written)> {
        let (name, form) = pointer.strip_prefix("/parameters/")?.split_once('/')?;
        let form = form.split('/').next();
        matches!(form, Some("value" | "expression" | "reference")).then_some(())?;
        Some((name, self.given.get(name)?))
    }

    fn in_template(&self, pointer: &str, range: TextRange) -> Located {
        let file = Arc::clone(&self.file);
        match &self.map {
            None if range.is_empty() => Located { file, range: self.range_of(pointer), related: Vec::new() },
            None => Located { file, range, related: Vec::new() },
            // The ranges of a compiled template are not those of its source.
            Some(map) => in_source(map, pointer).unwrap_or_else(|| Located {
                file,
                range: TextRange::default(),
                related: Vec::new(),
            }),
        }
    }

    /// The place of a part in the text of a template that is written in JSON, or of what is around it.
    fn range_of(&self, pointer: &str) -> TextRange {
        let root = json::parse(self.file.text(), json::Options::lenient()).root;
        let Some(root) = root else { return TextRange::default() };
        let mut pointer = pointer;
        while !pointer.is_empty() {
            if let Some(node) = root.pointer(pointer) {
                return node.range;
            }
            pointer = pointer.rsplit_once('/').map_or("", |(shorter, _)| shorter);
        }
        TextRange::default()
    }
}

/// The place of a part of a compiled template. A value that a module is given stands where it is given, and the parameter
/// is named beside it; whatever else is inside of a module stands there. Of modules in modules, every statement that
/// uses the next one is named, from the inside out.
fn in_source(map: &SourceMap, pointer: &str) -> Option<Located> {
    let place = map.find(pointer)?;
    let starts = map.templates_around(pointer);
    let Some(inside) = starts.last().and_then(|start| pointer.get(*start..)) else {
        return Some(located(place, Vec::new()));
    };
    let modules = starts.iter().rev().filter_map(|start| {
        let around = pointer.get(..*start)?;
        Some(around.strip_suffix("/properties/template").unwrap_or(around))
    });
    let uses: Vec<&str> = modules.collect();
    let module = uses.first().copied().unwrap_or_default();
    let given = inside.strip_prefix("/parameters/").filter(|rest| is_given(rest));
    let value = given.and_then(|it| map.find(&format!("{module}/properties/parameters/{it}")));
    // The value stands in the statement that uses the module.
    let named = uses.iter().skip(usize::from(value.is_some()));
    let used = named.filter_map(|it| Some(related(map.find(it)?, "the module is used here")));
    Some(match value {
        Some(value) => {
            let declared = related(place, "the parameter is declared here");
            located(value, std::iter::once(declared).chain(used).collect())
        }
        None => located(place, used.collect()),
    })
}

/// Whether a path below `parameters` leads to a value that was given, and not to a default.
fn is_given(path: &str) -> bool {
    let form = path.split('/').nth(1);
    matches!(form, Some("value" | "expression" | "reference"))
}

fn located(place: &SourcePosition, related: Vec<Related>) -> Located {
    Located { file: Arc::clone(&place.file), range: place.range, related }
}

fn related(place: &SourcePosition, message: &str) -> Related {
    Related { file: Arc::clone(&place.file), range: place.range, message: message.to_owned() }
}

/// Diagnostics by the files that they are about.
#[derive(Default)]
pub(crate) struct ByFile(BTreeMap<Utf8PathBuf, (Arc<SourceFile>, Vec<Diagnostic>)>);

impl ByFile {
    /// Adds a diagnostic that has no place yet. The other places are also part of the message, as not every form of a
    /// report has a room for them.
    pub(crate) fn add(&mut self, mut diagnostic: Diagnostic, place: Located) {
        diagnostic.range = place.range;
        let others = place.related.iter().map(|related| {
            let at = related.file.position(related.range.start());
            format!("{}: {}({},{})", related.message, related.file.path(), at.line + 1, at.col + 1)
        });
        let others: Vec<String> = others.collect();
        if !others.is_empty() {
            let text = diagnostic.message.trim_end_matches('.');
            diagnostic.message = format!("{text} ({})", others.join("; "));
            diagnostic.related.extend(place.related);
        }
        let path = place.file.path().to_owned();
        let (_, known) = self.0.entry(path).or_insert_with(|| (place.file, Vec::new()));
        // The turns of a loop fail in the same way.
        if !known.contains(&diagnostic) {
            known.push(diagnostic);
        }
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

/// Checks that could not be made, by file. That the kind of a value which is not known could not be compared is not worth
/// a line: whoever asks for the value is told that it is not known.
pub(crate) fn undetermined(open: &[arm::Error], origin: &Origin) -> Vec<FileReport> {
    let mut files = ByFile::default();
    for error in open.iter().filter(|error| !error.is_about_kind()) {
        let diagnostic = messages::check_not_made(&own_names(error.message()));
        files.add(diagnostic, origin.locate(&error.pointer(), error.range().unwrap_or_default()));
    }
    files.reports()
}

/// A message in which functions of Bicep files have the names that they have there.
pub(crate) fn own_names(message: &str) -> String {
    message.replace("'__bicep.", "'")
}

/// An error at a place, under the code that the service has for it.
pub(crate) fn diagnostic(error: &arm::Error, range: TextRange) -> Diagnostic {
    messages::deployment_error(error.code().name(), range, &own_names(error.message()))
}
