//! How documentation of modules is generated: the settings under `documentation`, with what they must fulfil beyond
//! their shape. A value that breaks a rule is an error here, because files are found and written by these settings.

use base::{Diagnostic, SmolStr};
use camino::Utf8Path;

use crate::diagnostics;
use crate::paths;
use crate::settings::{Documentation, ExampleReassignment, ExampleSettings, ExampleSource};
use crate::tree::{Entry, Origin, Value};

/// Reads the settings. Diagnostics come with the origin that says which layer they belong to.
pub(crate) fn resolve<'a>(
    entry: Option<&Entry>,
    folder_of: impl Fn(Origin) -> &'a Utf8Path,
    reports: &mut Vec<(Origin, Diagnostic)>,
) -> Documentation {
    let mut reader = DocumentationSettingsReader { reports };
    let at = |path: &[&str]| entry.and_then(|entry| entry.at(path));
    let output = at(&["output", "file"]);
    let templates = [at(&["template", "file"]), at(&["template", "includeRoot"])];
    output.into_iter().for_each(|entry| reader.file_name(entry));
    templates.into_iter().flatten().for_each(|entry| reader.not_empty(entry, "A path of a template"));
    let values = at(&["template", "values"]).into_iter().flat_map(Entry::entries);
    let values: Vec<_> = values.collect();
    for (key, entry) in &values {
        if key.trim().is_empty() {
            reader.refuse(entry, "The name of a value for templates is empty");
        }
        if matches!(entry.value, Value::Nothing) {
            reader.refuse(entry, "A value for templates must be a text");
        }
    }
    let items = |path: &[&str]| at(path).map(Entry::items).unwrap_or_default();
    let [template_file, include_root] = templates.map(|entry| {
        entry.and_then(|e| Some(paths::resolve(folder_of(e.origin), e.text()?.as_str().into())))
    });
    Documentation {
        output_file: output.and_then(Entry::text).cloned().unwrap_or_default(),
        template_file,
        include_root,
        values: values.into_iter().filter_map(|(key, e)| Some((key.clone(), e.text()?.clone()))).collect(),
        examples: ExampleSettings {
            sources: items(&["examples", "sources"]).iter().filter_map(|item| reader.source(item)).collect(),
            reassignments: items(&["examples", "reassignments"])
                .iter()
                .filter_map(|item| reader.reassignment(item))
                .collect(),
        },
    }
}

struct DocumentationSettingsReader<'r> {
    reports: &'r mut Vec<(Origin, Diagnostic)>,
}

impl DocumentationSettingsReader<'_> {
    fn refuse(&mut self, entry: &Entry, reason: impl AsRef<str>) {
        self.reports.push((entry.origin, diagnostics::invalid(entry.origin.range, reason)));
    }

    fn not_empty(&mut self, entry: &Entry, what: &str) {
        if entry.text().is_none_or(|text| text.trim().is_empty()) {
            self.refuse(entry, format!("{what} is empty"));
        }
    }

    /// A name that every system can write.
    fn file_name(&mut self, entry: &Entry) {
        let Some(name) = entry.text() else { return };
        if !is_portable_file_name(name) {
            let reason = format!(
                "\"{name}\" cannot be used as the name of the documentation: it must be one file name without \
                 folders that every system accepts"
            );
            self.refuse(entry, reason);
        }
    }

    fn source(&mut self, entry: &Entry) -> Option<ExampleSource> {
        let Some(path) = entry.get("path").and_then(Entry::text) else {
            self.refuse(entry, "A source of examples needs \"path\"");
            return None;
        };
        if path != "." && !is_relative_path(path) {
            let reason = format!(
                "\"{path}\" cannot be a source of examples: it must be a folder below the module, without \".\" and \
                 \"..\""
            );
            self.refuse(entry, reason);
        }
        Some(ExampleSource {
            path: path.clone(),
            include: self.patterns(entry, "include"),
            exclude: self.patterns(entry, "exclude"),
        })
    }

    fn reassignment(&mut self, entry: &Entry) -> Option<ExampleReassignment> {
        let (Some(from), Some(to)) = (
            entry.get("from").filter(|from| matches!(from.value, Value::Object(_))),
            entry.get("to").and_then(Entry::text),
        ) else {
            self.refuse(entry, "A reassignment of examples needs \"from\" and \"to\"");
            return None;
        };
        if !is_relative_path(to) || to.contains(['/', '\\']) {
            self.refuse(entry, format!("\"{to}\" cannot get examples: it must be the name of one folder"));
        }
        let (include, exclude) = (self.patterns(from, "include"), self.patterns(from, "exclude"));
        if include.is_empty() {
            self.refuse(from, "A reassignment of examples needs at least one pattern in \"include\"");
        }
        Some(ExampleReassignment { include, exclude, to: to.clone() })
    }

    fn patterns(&mut self, entry: &Entry, key: &str) -> Vec<SmolStr> {
        let Some(list) = entry.get(key) else { return Vec::new() };
        list.items().iter().for_each(|item| self.not_empty(item, "A pattern of examples"));
        list.texts()
    }
}

/// Whether a path leads below a folder, step by step.
fn is_relative_path(path: &str) -> bool {
    !path.trim().is_empty()
        && !paths::is_absolute(path)
        && !path.split(['/', '\\']).any(|segment| matches!(segment, "." | ".."))
}

/// Whether a file of this name can be written on every system.
pub fn is_portable_file_name(name: &str) -> bool {
    const FORBIDDEN: [char; 9] = ['<', '>', ':', '"', '|', '?', '*', '/', '\\'];
    const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_ascii_lowercase();
    let is_port = |prefix: &str| {
        let number = stem.strip_prefix(prefix);
        number.is_some_and(|number| number.len() == 1 && number.bytes().all(|digit| digit.is_ascii_digit()))
    };
    is_relative_path(name)
        && !name.contains(FORBIDDEN)
        && !name.contains(char::is_control)
        && !name.ends_with(['.', ' '])
        && !DEVICES.contains(&stem.as_str())
        && !is_port("com")
        && !is_port("lpt")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_are_portable() {
        for good in ["README.md", "docs.markdown", "contents", "com.md"] {
            assert!(is_portable_file_name(good), "{good}");
        }
        for bad in ["", " ", ".", "..", "a/b.md", "a\\b.md", "c:", "CON.md", "lpt1", "README.md.", "a?", "/a"]
        {
            assert!(!is_portable_file_name(bad), "{bad}");
        }
    }
}
