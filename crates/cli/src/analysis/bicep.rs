//! Rules over compiled Bicep files: findings about templates become findings about the files they were made from.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use base::{FileReport, SourceFile};
use bicep_emit::Emitted;
use bicep_sema::{FileId, Program};
use bicep_syntax::Dialect;
use camino::{Utf8Path, Utf8PathBuf};
use project::Compilation;
use project::best_practices::findings_in_sources;

use super::parameters::{self, Values};
use super::{AnalysisOptions, Checked, analyze, sets};
use crate::failure::Failure;
use crate::{compile, parallel};

/// What rules say about the entry files of one program.
#[derive(Default)]
pub(crate) struct ProgramFindings {
    pub(crate) checked: Vec<Checked>,
    /// The Bicep files that were analysed, with all their modules.
    looked_at: BTreeMap<Utf8PathBuf, Arc<SourceFile>>,
    /// The templates that sound parameter files stand for.
    parameterized: BTreeSet<Utf8PathBuf>,
}

impl ProgramFindings {
    /// Adds what is known of another program.
    pub(crate) fn add(&mut self, other: Self) {
        self.checked.extend(other.checked);
        self.looked_at.extend(other.looked_at);
        self.parameterized.extend(other.parameterized);
    }

    /// What is known once all programs are: a template that a parameter file of another program stands for is not reported
    /// without values, and comments that accept nothing are.
    pub(crate) fn finish(self, run: &AnalysisOptions<'_>) -> Vec<Checked> {
        let Self { mut checked, looked_at, parameterized } = self;
        checked.retain(|one| !(one.is_without_values && parameterized.contains(one.root.path())));
        if let Some(first) = checked.first_mut() {
            let super::RuleSet { rules, known, .. } = run.rules;
            let complaints =
                looked_at.values().filter_map(|file| run.silenced.complaints(file, rules, known));
            first.reports.extend(complaints);
        }
        checked
    }
}

/// Runs rules over the entry files of a program, on all cores. Files with errors among `reports` are reported and not
/// analysed. A parameter file stands for its template with its values.
pub(crate) fn program(
    compilation: &Compilation<'_>,
    reports: &[FileReport],
    run: &AnalysisOptions<'_>,
) -> Result<ProgramFindings, Failure> {
    let program = compilation.program();
    let bad: BTreeMap<&Utf8Path, &FileReport> =
        reports.iter().filter(|report| report.has_errors()).map(|it| (it.file.path(), it)).collect();
    run.silenced.add(program);
    let work = ProgramAnalysis { compilation, program, bad, run };
    let entries: Vec<FileId> =
        program.entries().iter().filter_map(|(_, loaded)| loaded.as_ref().ok().copied()).collect();
    let sound = entries.iter().filter(|file| work.errors(**file).is_empty());
    let parameterized: BTreeSet<FileId> = sound.filter_map(|file| work.template_of(*file)).collect();
    let results = parallel::map(&entries, |file| work.entry(*file, parameterized.contains(file)));
    let mut found = ProgramFindings::default();
    for (file, result) in entries.iter().zip(results) {
        let checked: Vec<Checked> = result?;
        if checked.iter().all(|one| one.passed.is_some()) {
            let parts = program.closure(*file).iter().filter(|part| program.bicep(**part).is_some());
            let sources = parts.map(|part| program.unit(*part).source());
            found.looked_at.extend(sources.map(|source| (source.path().to_owned(), Arc::clone(source))));
        }
        found.checked.extend(checked);
    }
    let path = |file: FileId| program.unit(file).source().path().to_owned();
    found.parameterized = parameterized.into_iter().map(path).collect();
    Ok(found)
}

/// What all entry files of a program are analysed with.
struct ProgramAnalysis<'w> {
    compilation: &'w Compilation<'w>,
    program: &'w Program<'w>,
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
        let checked =
            sets.map(|values| Checked { is_without_values: values.is_none(), ..self.template(file, values) });
        Ok(checked.collect())
    }

    fn template(&self, file: FileId, values: Option<&Values>) -> Checked {
        let source = self.program.unit(file).source();
        let emitted = self.compilation.template(file);
        if emitted.is_cut {
            return Checked { reports: vec![compile::too_large(source)], ..Checked::new(source, None) };
        }
        of_emitted(source, values, &emitted, self.run)
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
    run: &AnalysisOptions<'_>,
) -> Checked {
    let mut checked = Checked::new(source, values);
    let analysis = analyze(emitted.model(), &[], values, run);
    checked.passed = Some(analysis.passed);
    checked.findings = findings_in_sources(&analysis, emitted, source, &run.rules.rules, &run.silenced);
    checked
}
