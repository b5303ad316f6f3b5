//! `sinew check`: everything that can be known about files, in one run and one report.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use base::render::{Step, Summary};
use base::{Check, FileReport, Severity, TextRange, TextSize};
use bicep_emit::{Emitter, validation};
use bicep_sema::{BicepFile, FileId};
use camino::Utf8PathBuf;
use project::Compilation;

use super::analyze::files::FileArgs;
use super::analyze::selection::RuleArgs;
use super::analyze::{AnalysisResult, BaselineArgs, ProgramAnalysis};
use super::format;
use crate::analysis::{self, AnalysisOptions, Checked, Merged, RuleSet};
use crate::compile::{self, CompileArgs};
use crate::failure::Failure;
use crate::messages;
use crate::parallel;
use crate::report::{self, Report, ReportArgs};
use crate::session::{Outcome, Session, Status};

const EXAMPLES: &str = "\
Examples:
  sinew check .
  sinew check main.bicep --report report.html
  sinew check . --rules company-rules.json --baseline accepted.json
  sinew check . --diagnostics-format sarif > report.sarif

Every file is read once, then compiled, linted, validated, checked against
best-practice rules and for formatting. Exit code 1 means that a check failed:
an error, a violated rule, or an unformatted file. Linter warnings and
undetermined checks are reported and give 0.";

/// Compile, lint, validate, analyze and check formatting, in one report
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    files: FileArgs,

    #[command(flatten)]
    rules: RuleArgs,

    #[command(flatten)]
    baseline: BaselineArgs,

    #[command(flatten)]
    compile: CompileArgs,

    #[command(flatten)]
    report: ReportArgs,
}

pub(crate) fn run(args: &Args, session: &Session) -> Outcome {
    let (rules, rule_reports) = args.rules.select(session)?;
    let files = args.files.resolve(session)?;
    if files.is_empty() {
        session.output.warning("no templates and no Bicep files were found")?;
    }
    let mut run = args.files.run(&files, &rules, args.compile, session)?;
    run.has_offsets = args.report.has_offsets();
    let mut work = CheckRun { found: AnalysisResult::new(rule_reports), ..CheckRun::default() };
    let parts = compile::map_batches(&files.bicep, None, args.compile, session, |made| checked(made, &run))?;
    let mut programs = Vec::new();
    for (program, reports, bicep) in parts {
        programs.push(program);
        work.reports.extend(reports);
        work.bicep.extend(bicep);
    }
    work.found.programs(programs, &run);
    work.found.templates(&files, &run);
    work.found.finish(&args.baseline, &rules, session)?;
    let (files, steps) = work.conclude(&rules);
    let failed = steps.iter().any(|step| step.failed);
    let files = report::with_short_paths(files, session)?;
    args.report.deliver(Report { files, codes: analysis::codes(&rules.rules), steps }, session)?;
    Ok(Status::from_findings(failed))
}

/// What rules say about a program; what compiler, linter and formatter say; and its Bicep files.
fn checked(
    compilation: &Compilation<'_>,
    run: &AnalysisOptions<'_>,
) -> Result<(ProgramAnalysis, Vec<FileReport>, Vec<Utf8PathBuf>), Failure> {
    let program = compilation.program();
    let mut reports = compile::reports(compilation);
    let part = ProgramAnalysis::of(compilation, &reports, run)?;
    let files: Vec<FileId> = program.files().collect();
    // That a validator refuses one value does not keep the others from being looked at.
    let compiled: Vec<FileReport> = reports.iter().map(without_validators).collect();
    let sound = compile::Sound::new(program, &compiled);
    let emitter = compilation.emitter();
    let open = parallel::map(&files, |file| {
        sound.contains(*file).then(|| undetermined(&emitter, compilation.options().clocks, *file))
    });
    reports.extend(open.into_iter().flatten().flatten());
    let layouts = parallel::map(&files, |file| layout(program.bicep(*file)?));
    reports.extend(layouts.into_iter().flatten());
    let sources = files.iter().filter_map(|file| program.bicep(*file));
    Ok((part, reports, sources.map(|bicep| bicep.source.path().to_owned()).collect()))
}

/// A report without what validators say.
fn without_validators(report: &FileReport) -> FileReport {
    let others = report.diagnostics.iter().filter(|it| it.check != Check::Validators);
    FileReport { file: Arc::clone(&report.file), diagnostics: others.cloned().collect() }
}

/// The values of a file that validators could not look at.
fn undetermined(
    emitter: &Emitter<'_>,
    clocks: Option<validation::Clocks>,
    file: FileId,
) -> Option<FileReport> {
    let open = validation::undetermined_values(emitter, file, clocks);
    (!open.is_empty()).then(|| FileReport::new(Arc::clone(emitter.program().unit(file).source()), open))
}

/// What has been found so far.
#[derive(Default)]
struct CheckRun {
    found: AnalysisResult,
    /// What compiler, linter and formatter say.
    reports: Vec<FileReport>,
    /// The Bicep files that were looked at.
    bicep: BTreeSet<Utf8PathBuf>,
}

impl CheckRun {
    /// One report for each file, and what each of the checks came to.
    fn conclude(self, rules: &RuleSet) -> (Vec<FileReport>, Vec<Step>) {
        let analysed = self.found.checked.iter().filter(|one| one.passed.is_some());
        let templates: BTreeSet<Utf8PathBuf> = analysed.map(|one| one.root.path().to_owned()).collect();
        let broken = self.found.checked.iter().any(Checked::is_broken) || self.found.failed;
        let mut merged = Merged::default();
        let analysed = analysis::reports(self.found.checked, &rules.rules);
        for report in self.reports.into_iter().chain(self.found.reports).chain(analysed) {
            merged.add(report);
        }
        let reports = report::once_a_run(merged.finish());
        let mut made: BTreeMap<Check, Step> = MADE.iter().map(|check| (*check, step(*check))).collect();
        for (check, step) in &mut made {
            let is_rules = *check == Check::Rules;
            step.summary.files = if is_rules { templates.len() } else { self.bicep.len() };
            step.failed = broken && is_rules;
        }
        for diagnostic in reports.iter().flat_map(|report| &report.diagnostics) {
            let step = made.entry(diagnostic.check).or_insert_with(|| step(diagnostic.check));
            step.summary.add(diagnostic);
            step.failed |= diagnostic.severity == Severity::Error;
        }
        let steps = made.into_values().collect();
        (reports, steps)
    }
}

/// The checks that are always made, in the order of the report. Others are shown when they found something.
const MADE: [Check; 5] = [Check::Compiler, Check::Linter, Check::Validators, Check::Rules, Check::Formatter];

fn step(check: Check) -> Step {
    Step { name: check.name(), summary: Summary::default(), failed: false }
}

/// Larger changes are not worth a place in a report.
const LARGEST_FIX: usize = 16 << 10;

/// Says that a file does not have the standard layout, where it first differs. What cannot be parsed is reported as
/// that.
fn layout(bicep: &BicepFile) -> Option<FileReport> {
    if bicep.parse.diagnostics.iter().any(|it| it.severity == Severity::Error) {
        return None;
    }
    let (text, wanted) = (bicep.source.text().as_ref(), format::standard(bicep));
    if text == wanted {
        return None;
    }
    let start = common_prefix(text, &wanted);
    let end = common_suffix(text.get(start..)?, wanted.get(start..)?);
    let at = |offset: usize| TextSize::try_from(offset).unwrap_or_default();
    let range = TextRange::new(at(start), at(text.len() - end));
    let line = bicep.source.lines().line(range.start());
    let line_end = bicep.source.lines().line_start(line + 1).min(TextSize::of(text));
    let shown = TextRange::new(bicep.source.lines().line_start(line).min(line_end), line_end);
    let mut diagnostic = messages::not_formatted(shown);
    let replacement = wanted.get(start..wanted.len() - end).unwrap_or_default();
    if replacement.len() + usize::from(range.len()) <= LARGEST_FIX {
        diagnostic = diagnostic.with_fix("Format the file", range, replacement);
    }
    Some(FileReport::new(Arc::clone(&bicep.source), vec![diagnostic]))
}

/// How many bytes two texts have in common at their start, up to a whole character.
fn common_prefix(a: &str, b: &str) -> usize {
    let same = a.char_indices().zip(b.chars()).find(|((_, a), b)| a != b);
    same.map_or(a.len().min(b.len()), |((at, _), _)| at)
}

/// The same at their end.
fn common_suffix(a: &str, b: &str) -> usize {
    let same = a.chars().rev().zip(b.chars().rev()).take_while(|(a, b)| a == b);
    same.map(|(a, _)| a.len_utf8()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_compared_by_characters() {
        for (a, b, start, end) in
            [("aéb", "aèb", 1, 1), ("ab", "abc", 2, 0), ("", "x", 0, 0), ("xx", "x", 1, 0), ("ab", "b", 0, 1)]
        {
            assert_eq!(common_prefix(a, b), start, "{a} {b}");
            assert_eq!(common_suffix(&a[start..], &b[start..]), end, "{a} {b}");
        }
    }
}
