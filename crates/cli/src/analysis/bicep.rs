//! Rules over compiled Bicep files: findings about templates become findings about the files they were made from.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use base::{FileReport, SourceFile};
use bicep_emit::Emitted;
use bicep_sema::{FileId, Program};
use bicep_syntax::Dialect;
use camino::Utf8Path;
use project::Compilation;
use project::best_practices::{SilencedFindings, findings_in_sources};

use super::parameters::{self, Values};
use super::{AnalysisOptions, Checked, analyze, sets};
use crate::failure::Failure;
use crate::{compile, parallel};

/// Runs rules over the entry files of a program, on all cores. Files with errors among `reports` are reported and not
/// analysed. A parameter file stands for its template with its values.
pub(crate) fn program(
    compilation: &Compilation<'_>,
    reports: &[FileReport],
    run: &AnalysisOptions<'_>,
) -> Result<Vec<Checked>, Failure> {
    let program = compilation.program();
    let bad: BTreeMap<&Utf8Path, &FileReport> =
        reports.iter().filter(|report| report.has_errors()).map(|it| (it.file.path(), it)).collect();
    let silenced = SilencedFindings::of(program);
    let work = ProgramAnalysis { compilation, program, silenced, bad, run };
    let entries: Vec<FileId> =
        program.entries().iter().filter_map(|(_, loaded)| loaded.as_ref().ok().copied()).collect();
    let sound = entries.iter().filter(|file| work.errors(**file).is_empty());
    let used: BTreeSet<FileId> = sound.filter_map(|file| work.template_of(*file)).collect();
    let results = parallel::map(&entries, |file| work.entry(*file, used.contains(file)));
    let (mut checked, mut looked_at) = (Vec::new(), BTreeSet::new());
    for (file, result) in entries.iter().zip(results) {
        let mut found: Vec<Checked> = result?;
        if found.iter().all(|one| one.passed.is_some()) {
            looked_at.extend(program.closure(*file).iter().filter(|part| program.bicep(**part).is_some()));
        }
        checked.append(&mut found);
    }
    let sources = looked_at.into_iter().map(|part| program.unit(part).source());
    if let Some(first) = checked.first_mut() {
        first.reports.extend(
            sources
                .filter_map(|source| work.silenced.complaints(source, (&run.rules.rules, &run.rules.known))),
        );
    }
    Ok(checked)
}

/// What all entry files of a program are analysed with.
struct ProgramAnalysis<'w> {
    compilation: &'w Compilation<'w>,
    program: &'w Program<'w>,
    silenced: SilencedFindings,
    /// Files with errors.
    bad: BTreeMap<&'w Utf8Path, &'w FileReport>,
    run: &'w AnalysisOptions<'w>,
}

impl ProgramAnalysis<'_> {
    /// The template of a parameter file.
    fn template_of(&self, file: FileId) -> Option<FileId> {
        self.program.bicep(file).filter(|bicep| bicep.dialect == Dialect::Params)?;
        bicep_emit::parameters::used(self.program, file)
    }

    /// What is wrong with a file and everything it is made of.
    fn errors(&self, file: FileId) -> Vec<FileReport> {
        if self.bad.is_empty() {
            return Vec::new();
        }
        let paths = self.program.closure(file).iter().map(|part| self.program.unit(*part).source().path());
        paths.filter_map(|path| self.bad.get(path)).map(|it| errors_of(it)).collect()
    }

    /// Analyses an entry file. A template that has parameter files is analysed with those.
    fn entry(&self, file: FileId, has_parameters: bool) -> Result<Vec<Checked>, Failure> {
        let source = self.program.unit(file).source();
        let errors = self.errors(file);
        if !errors.is_empty() {
            return Ok(vec![Checked { reports: errors, ..Checked::new(source, None) }]);
        }
        if self.program.bicep(file).is_some_and(|bicep| bicep.dialect == Dialect::Params) {
            let values = parameters::of_compilation(self.compilation, file);
            let template = self.template_of(file);
            let one = template.map(|template| self.template(template, values.as_ref()));
            return Ok(one.into_iter().collect());
        }
        let values = self.run.values(source.path())?;
        if has_parameters && values.is_empty() && self.run.given.is_none() {
            return Ok(Vec::new());
        }
        let sets = sets(&values, self.run).into_iter();
        Ok(sets.map(|values| self.template(file, values)).collect())
    }

    fn template(&self, file: FileId, values: Option<&Values>) -> Checked {
        let source = self.program.unit(file).source();
        let emitted = self.compilation.template(file);
        if emitted.is_cut {
            return Checked { reports: vec![compile::too_large(source)], ..Checked::new(source, None) };
        }
        of_emitted(source, values, &emitted, (&self.silenced, self.run))
    }
}

fn errors_of(report: &FileReport) -> FileReport {
    let errors = report.diagnostics.iter().filter(|it| it.severity == base::Severity::Error);
    FileReport::new(Arc::clone(&report.file), errors.cloned().collect())
}

fn of_emitted(
    source: &Arc<SourceFile>,
    values: Option<&Values>,
    emitted: &Emitted,
    (silenced, run): (&SilencedFindings, &AnalysisOptions<'_>),
) -> Checked {
    let mut checked = Checked::new(source, values);
    let analysis = analyze(emitted.model(), &[], values, run);
    checked.passed = Some(analysis.passed);
    checked.findings = findings_in_sources(&analysis, (emitted, source), &run.rules.rules, silenced);
    checked
}
