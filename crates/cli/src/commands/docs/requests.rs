//! Documentation for programs that ask for it over JSON-RPC: each request is answered with results, never with a failure.

use base::{FileReport, SourceFile};
use camino::{Utf8Path, Utf8PathBuf};
use lsp::{DocumentationRequest, DocumentationResult};
use serde_json::Value as Json;

use super::Run;
use crate::artifacts::ArtifactArgs;
use crate::compile::{self, CompileArgs};
use crate::failure::Failure;
use crate::messages;
use crate::report;
use crate::session::Session;
use crate::write;

/// A result for each module, in the order of the request.
pub(crate) fn answer(request: &DocumentationRequest, session: &Session) -> Vec<DocumentationResult> {
    let text = |value: &Json| value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned);
    let run = Run {
        template_file: request.template_file.clone().map(Utf8PathBuf::from),
        template_root: request.template_root.clone().map(Utf8PathBuf::from),
        values: request.custom.iter().map(|(name, value)| (name.clone(), text(value))).collect(),
        session,
    };
    let one = |path: &String| {
        one(&run, Utf8Path::new(path), request).unwrap_or_else(|failure| {
            let file = SourceFile::new(path.as_str(), "");
            let diagnostic = messages::documentation_input(&failure.to_string());
            result(path, vec![FileReport::new(file, vec![diagnostic])])
        })
    };
    request.paths.iter().map(one).collect()
}

fn one(
    run: &Run<'_>,
    path: &Utf8Path,
    request: &DocumentationRequest,
) -> Result<DocumentationResult, Failure> {
    let entry = run.session.absolute(path)?;
    if !path.extension().is_some_and(|it| it.eq_ignore_ascii_case("bicep")) {
        return Err(Failure::not_a_bicep_file(path));
    }
    let args = CompileArgs { no_restore: request.no_restore, artifacts: ArtifactArgs::default() };
    let mut part =
        compile::with_compilation(&entry, args, run.session, |compilation| Ok(run.part(compilation)))?;
    let Some(document) = part.documents.pop() else { return Ok(result(path.as_str(), part.reports)) };
    let mut answer = result(path.as_str(), part.reports);
    if request.write {
        let name = request.output_file.as_deref().unwrap_or(&document.name);
        let target = entry.with_file_name(name);
        let is_beside =
            target.parent() == entry.parent() && !matches!(target.extension(), Some("bicep" | "bicepparam"));
        let written = if is_beside {
            write::write(&target, &document.text)
        } else {
            Err(Failure::documentation_over_source(&target))
        };
        match written {
            Ok(()) => answer.output_path = Some(target.into_string()),
            Err(failure) => {
                let diagnostic = messages::documentation_not_written(&failure.to_string());
                report::add(&mut answer.reports, FileReport::new(document.file, vec![diagnostic]));
            }
        }
    }
    answer.contents = Some(document.text);
    Ok(answer)
}

fn result(path: &str, reports: Vec<FileReport>) -> DocumentationResult {
    DocumentationResult { path: path.to_owned(), output_path: None, reports, contents: None }
}
