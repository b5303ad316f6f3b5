//! Rules over compiled Bicep files: findings about templates become findings about the files they were made from.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use base::suppression::Suppressions;
use base::{Diagnostic, FileReport, SourceFile, TextRange, Verdict};
use bicep_emit::{Emitted, SourceMap};
use bicep_sema::{FileId, Program, Unit};
use bicep_syntax::{Dialect, suppressions};
use camino::{Utf8Path, Utf8PathBuf};
use project::Compilation;
use rules::{Accepted, Finding, FindingLocation, Rule};

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
    let silenced = Silenced::of(program);
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
        first.reports.extend(sources.filter_map(|source| work.silenced.complaints(source, run)));
    }
    Ok(checked)
}

/// What all entry files of a program are analysed with.
struct ProgramAnalysis<'w> {
    compilation: &'w Compilation<'w>,
    program: &'w Program<'w>,
    silenced: Silenced,
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
    (silenced, run): (&Silenced, &AnalysisOptions<'_>),
) -> Checked {
    let mut checked = Checked::new(source, values);
    let rules = &run.rules.rules;
    let analysis = analyze(emitted.model(), &[], values, run);
    checked.passed = Some(analysis.passed);
    let mut seen = BTreeSet::new();
    for finding in &analysis.findings {
        let Some(rule) = rules.get(finding.rule) else { continue };
        for (file, finding) in in_source(finding, &emitted.source_map, source) {
            let ranges: BTreeSet<_> =
                finding.spots().iter().map(|s| (s.range.start(), s.range.end())).collect();
            let key = (finding.rule, finding.verdict.is_undetermined(), file.path().to_owned(), ranges);
            let left = silenced.remaining(&finding, rule, &file);
            if let Some(left) = left.filter(|_| seen.insert(key)) {
                checked.findings.push((file, left));
            }
        }
    }
    checked
}

/// A finding about a template as findings about the files it was made from, one for each file.
fn in_source(finding: &Finding, map: &SourceMap, entry: &Arc<SourceFile>) -> Vec<(Arc<SourceFile>, Finding)> {
    let mut files: Vec<(Arc<SourceFile>, Vec<FindingLocation>)> = Vec::new();
    for spot in finding.spots() {
        let (file, range) = match map.find(&spot.pointer) {
            Some(place) => (Arc::clone(&place.file), place.range),
            None => (Arc::clone(entry), TextRange::default()),
        };
        let mut spot = spot.clone();
        spot.range = range;
        match files.iter_mut().find(|(other, _)| other.path() == file.path()) {
            Some((_, spots)) => spots.push(spot),
            None => files.push((file, vec![spot])),
        }
    }
    let is_fail = finding.verdict.is_fail();
    let verdict = |spots| if is_fail { Verdict::Fail(spots) } else { Verdict::Undetermined(spots) };
    files.into_iter().map(|(file, spots)| (file, Finding { verdict: verdict(spots), ..*finding })).collect()
}

/// What the files of a program ask not to be told.
struct Silenced {
    files: BTreeMap<Utf8PathBuf, Silence>,
}

struct Silence {
    accepted: Accepted,
    /// The directives of the language.
    own: Suppressions,
    /// What is wrong with the comments.
    complaints: Vec<Diagnostic>,
}

impl Silenced {
    fn of(program: &Program<'_>) -> Self {
        let mut files = BTreeMap::new();
        for id in program.files() {
            let bicep = match program.unit(id) {
                Unit::Bicep(bicep) => bicep,
                Unit::Template(template) => {
                    let (accepted, complaints) = Accepted::of_json(&template.parsed, &template.source);
                    let silence = Silence { accepted, own: Suppressions::default(), complaints };
                    files.insert(template.source.path().to_owned(), silence);
                    continue;
                }
            };
            let tokens = bicep.tree().tokens().filter(|token| token.kind().is_comment());
            let (accepted, complaints) =
                Accepted::of_comments(tokens.map(bicep_syntax::Token::range), &bicep.source);
            let own = suppressions(bicep.tree(), bicep.source.lines());
            files.insert(bicep.source.path().to_owned(), Silence { accepted, own, complaints });
        }
        Self { files }
    }

    fn remaining(&self, finding: &Finding, rule: &Rule, file: &SourceFile) -> Option<Finding> {
        let Some(Silence { accepted, own, .. }) = self.files.get(file.path()) else {
            return Some(finding.clone());
        };
        let mut left = accepted.remaining(finding, &rule.id, file)?;
        let is_told = |spot: &FindingLocation| !own.covers(file.lines().line(spot.range.start()), &rule.id);
        left.verdict = left.verdict.retain(is_told);
        (!left.verdict.is_pass()).then_some(left)
    }

    /// What is wrong with the comments of a file, and which of them are of no use.
    fn complaints(&self, file: &Arc<SourceFile>, run: &AnalysisOptions<'_>) -> Option<FileReport> {
        let silence = self.files.get(file.path())?;
        let unused = silence.accepted.unused(&run.rules.rules, &run.rules.known);
        let all: Vec<Diagnostic> = silence.complaints.iter().cloned().chain(unused).collect();
        (!all.is_empty()).then(|| FileReport::new(Arc::clone(file), all))
    }
}
