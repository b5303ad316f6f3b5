//! The files of a workspace: folders come in, the paths of Bicep files in them go out.

use std::collections::BTreeSet;
use std::sync::Arc;

use base::{Diagnostic, FileReport, TextRange};
use camino::{Utf8Path, Utf8PathBuf};
use project::Snapshot;

use crate::uri;

/// More files than this are not searched for uses: the editor's other tools give up long before.
const MAX_FILES: usize = 50_000;

/// Folders that hold no sources of the user's.
const SKIPPED: [&str; 4] = ["node_modules", "target", "bin", "obj"];

/// The Bicep files below some folders.
pub(crate) fn files(folders: &[String]) -> BTreeSet<Utf8PathBuf> {
    let mut found = BTreeSet::new();
    let mut open: Vec<Utf8PathBuf> = folders.iter().filter_map(|uri| uri::file_path(uri)).collect();
    while let Some(folder) = open.pop() {
        let Ok(entries) = folder.read_dir_utf8() else { continue };
        for entry in entries.flatten() {
            // A link to a folder may lead back to where it came from.
            let Ok(kind) = entry.file_type() else { continue };
            let name = entry.file_name();
            if kind.is_dir() && !name.starts_with('.') && !SKIPPED.contains(&name) {
                open.push(entry.path().to_owned());
            } else if is_source(entry.path()) {
                found.insert(entry.path().to_owned());
            }
        }
        if found.len() > MAX_FILES {
            break;
        }
    }
    found
}

/// The files of the workspace after some have been created, changed or deleted.
pub(crate) fn after(before: &Snapshot, changed: &[Utf8PathBuf]) -> BTreeSet<Utf8PathBuf> {
    let mut files = before.all_files();
    for path in changed {
        files.retain(|file| !file.starts_with(path));
        if is_source(path) && path.is_file() {
            files.insert(path.clone());
        }
    }
    files
}

fn is_source(path: &Utf8Path) -> bool {
    matches!(path.extension(), Some("bicep" | "bicepparam"))
}

/// What is wrong with a configuration file and those that it extends.
pub(crate) fn config_reports(snapshot: &Snapshot, path: &Utf8Path) -> Vec<FileReport> {
    let probe = path.parent().unwrap_or(path).join("main.bicep");
    let _ = snapshot.config(&probe);
    let mut reports = snapshot.config_reports();
    if !reports.iter().any(|report| report.file.path() == path)
        && let Some(source) = snapshot.source(path)
    {
        reports.push(FileReport::new(source, Vec::new()));
    }
    reports
}

/// A diagnostic at the start of a file whose configuration cannot be read: what the file says may then mean something else.
pub(crate) fn broken_config(snapshot: &Snapshot, path: &Utf8Path) -> Option<Diagnostic> {
    let mut configs = path.ancestors().skip(1).map(|folder| folder.join("bicepconfig.json"));
    let config = configs.find(|it| snapshot.source(it).is_some())?;
    let _ = snapshot.config(path);
    let report = snapshot.config_reports().into_iter().find(|report| report.file.path() == config)?;
    let unreadable = report.diagnostics.iter().find(|it| it.code == "BCP271")?;
    Some(Diagnostic {
        range: TextRange::default(),
        fixes: Vec::new(),
        labels: Vec::new(),
        ..unreadable.clone()
    })
}

/// Everything that compiler, linter and validators say about an open file, and whether its configuration can be read.
pub(crate) fn document_report(snapshot: &Snapshot, path: &Utf8Path) -> Option<Arc<FileReport>> {
    let report = snapshot.diagnostics(path)?;
    let Some(broken) = broken_config(snapshot, path) else { return Some(report) };
    let all = std::iter::once(broken).chain(report.diagnostics.iter().cloned()).collect();
    Some(Arc::new(FileReport::new(Arc::clone(&report.file), all)))
}
