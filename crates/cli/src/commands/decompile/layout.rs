//! The layout of decompiled files. They are compiled before they are laid out, so that each is read once only: files and what was
//! found out about them come in; the files as they are written, and the same at its new places, go out.

use std::collections::HashMap;
use std::sync::Arc;

use base::{Diagnostic, FileReport, SourceFile};
use bicep_decompile::File;
use bicep_format::Positions;
use camino::Utf8Path;
use config::Loader;

use crate::commands::format;

/// Lays out files.
pub(super) fn lay_out(
    files: &[File],
    reports: Vec<FileReport>,
    configs: &Loader<'_>,
) -> (Vec<Arc<SourceFile>>, Vec<FileReport>) {
    let laid_out = files.iter().map(|file| {
        let (text, positions) = format::with_positions(&file.parse, &configs.load_for(&file.path));
        (SourceFile::new(&*file.path, text), positions)
    });
    let (sources, positions): (Vec<Arc<SourceFile>>, Vec<Positions>) = laid_out.unzip();
    let known: HashMap<&Utf8Path, (&Arc<SourceFile>, &Positions)> = sources
        .iter()
        .zip(&positions)
        .map(|(source, positions)| (source.path(), (source, positions)))
        .collect();
    let moved = |report: FileReport| match known.get(report.file.path()) {
        Some((source, positions)) => {
            let diagnostics = report.diagnostics.into_iter().map(|it| moved(it, positions));
            FileReport::new(Arc::clone(source), diagnostics.collect())
        }
        None => report,
    };
    let reports = reports.into_iter().map(moved).collect();
    (sources, reports)
}

/// A diagnostic at its new place.
fn moved(mut diagnostic: Diagnostic, positions: &Positions) -> Diagnostic {
    let labels = diagnostic.labels.iter_mut().map(|label| &mut label.range);
    let edits = diagnostic.fixes.iter_mut().flat_map(|fix| &mut fix.edits).map(|edit| &mut edit.range);
    for range in std::iter::once(&mut diagnostic.range).chain(labels).chain(edits) {
        *range = positions.range(*range);
    }
    diagnostic
}
