//! Documentation of modules for the JSON-RPC server: what `sinew docs` does, one result for each module.

use std::collections::BTreeSet;
use std::sync::Arc;

use base::{Diagnostic, FileReport, SourceFile};
use camino::{Utf8Path, Utf8PathBuf};
use lsp::{DocumentationRequest, DocumentationResult};

use crate::artifacts::ArtifactArgs;
use crate::commands::docs::{Document, DocumentationRun};
use crate::compile::{self, CompileArgs};
use crate::messages;
use crate::session::Session;
use crate::write;

/// Documents the modules of a request, in their order. What goes wrong with one does not concern the others.
pub(super) fn document(request: &DocumentationRequest) -> Vec<DocumentationResult> {
    let session = Session::capturing();
    let values = request.custom.iter().map(|(name, value)| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        (name.clone(), text)
    });
    let run = DocumentationRun {
        template_file: request.template_file.as_ref().map(Utf8PathBuf::from),
        template_root: request.template_root.as_ref().map(Utf8PathBuf::from),
        values: values.collect(),
        session: &session,
    };
    let mut written = BTreeSet::new();
    request.paths.iter().map(|path| one(path, &run, request, &mut written)).collect()
}

/// Documents one module. `written` has the files of the modules before it.
fn one(
    path: &str,
    run: &DocumentationRun<'_>,
    request: &DocumentationRequest,
    written: &mut BTreeSet<Utf8PathBuf>,
) -> DocumentationResult {
    let mut result =
        DocumentationResult { path: path.to_owned(), output_path: None, reports: Vec::new(), contents: None };
    let entry = match checked(path) {
        Ok(entry) => entry,
        Err(reason) => return refused(result, messages::documentation_input(reason)),
    };
    let args = CompileArgs { no_restore: request.no_restore, artifacts: ArtifactArgs::default() };
    let made = compile::with_compilation(&entry, args, run.session, |compilation| Ok(run.part(compilation)));
    let part = match made {
        Ok(part) => part,
        Err(failure) => return refused(result, messages::documentation_input(&failure.to_string())),
    };
    result.reports = part.reports;
    let Some(document) = part.documents.into_iter().next() else { return result };
    if request.write {
        match put(&entry, &document, request.output_file.as_deref(), written) {
            Ok(target) => result.output_path = Some(target.into_string()),
            Err(reason) => {
                let file = Arc::clone(&document.file);
                let diagnostic = messages::documentation_not_written(&reason);
                result.reports.push(FileReport::new(file, vec![diagnostic]));
                return result;
            }
        }
    }
    result.contents = Some(document.text);
    result
}

/// The path of a module, if it can be one.
fn checked(path: &str) -> Result<Utf8PathBuf, &'static str> {
    let written = Utf8Path::new(path);
    if path.contains('\0') {
        return Err("its path has a character that no path has");
    }
    if !written.is_absolute() {
        return Err("its path is not absolute");
    }
    match written.extension() {
        Some(extension) if extension.eq_ignore_ascii_case("bicep") => Ok(config::paths::normalize(written)),
        _ => Err("it is not a Bicep file"),
    }
}

fn refused(mut result: DocumentationResult, diagnostic: Diagnostic) -> DocumentationResult {
    let file = SourceFile::new(result.path.replace('\0', "\u{fffd}"), "");
    result.reports.push(FileReport::new(file, vec![diagnostic]));
    result
}

/// Writes a document beside its module; gives the file, or why there is none.
fn put(
    entry: &Utf8Path,
    document: &Document,
    name: Option<&str>,
    written: &mut BTreeSet<Utf8PathBuf>,
) -> Result<Utf8PathBuf, String> {
    let name = name.unwrap_or(&document.name);
    if !config::is_portable_file_name(name) {
        return Err(format!("\"{name}\" is not the name of a file that every system takes"));
    }
    let target = entry.with_file_name(name);
    if matches!(target.extension(), Some("bicep" | "bicepparam")) {
        return Err(format!("{target} is a source file"));
    }
    if !written.insert(target.clone()) {
        return Err(format!("{target} has the documentation of another module"));
    }
    write::write(&target, &document.text).map_err(|failure| failure.to_string())?;
    Ok(target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_documented_one_by_one() {
        let folder = tempfile::tempdir().unwrap();
        let folder = Utf8Path::from_path(folder.path()).unwrap();
        let file = |name: &str| folder.join(name).into_string();
        std::fs::write(file("a.bicep"), "metadata name = 'A'\n").unwrap();
        std::fs::write(file("b.bicep"), "metadata name = 'B'\n").unwrap();
        let ask = |paths: Vec<String>, output_file: Option<&str>| {
            let output_file = output_file.map(str::to_owned);
            document(&DocumentationRequest { paths, output_file, write: true, ..Default::default() })
        };
        let codes = |result: &DocumentationResult| {
            let all = result.reports.iter().flat_map(|it| &it.diagnostics);
            all.map(|it| it.code.to_string()).collect::<Vec<_>>()
        };
        let [a, b, text] =
            ask(vec![file("a.bicep"), file("b.bicep"), file("c.txt")], None).try_into().unwrap();
        assert_eq!(a.output_path, Some(file("README.md")));
        assert_eq!(
            (codes(&a), codes(&b), codes(&text)),
            (vec![], vec!["DOCS002".into()], vec!["DOCS001".into()])
        );
        for bad in ["", " ", ".", "..", "../x.md", "CON.md", "child.bicep"] {
            let [result] = ask(vec![file("a.bicep")], Some(bad)).try_into().unwrap();
            assert_eq!(codes(&result), ["DOCS002"], "{bad}");
        }
    }
}
