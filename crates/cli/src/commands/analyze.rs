//! `sinew analyze`: best-practice rules over templates and Bicep files.

mod baseline;
pub(crate) mod files;
pub(crate) mod selection;

use std::sync::Arc;

use base::FileReport;
use camino::Utf8PathBuf;
use project::Compilation;
use rules::Exemption;

use crate::analysis::{self, AnalysisOptions, Checked, ProgramFindings, RuleSet};
use crate::compile::{self, CompileArgs};
use crate::failure::Failure;
use crate::report::{self, Report, ReportArgs};
use crate::session::{Outcome, Session, Status};

use files::{FileArgs, Files, Problem, Sources};
use selection::RuleArgs;

const EXAMPLES: &str = "\
Examples:
  sinew analyze template.json
  sinew analyze main.bicep modules/
  sinew analyze . --rules company-rules.json --min-severity medium
  sinew analyze . --exclude TA-000028 --exclude-path 'test/**'
  sinew analyze . --write-baseline accepted.json
  sinew analyze . --baseline accepted.json
  sinew analyze . --diagnostics-format sarif > report.sarif
  sinew analyze . --report report.html

Suppress a finding with `// sinew-ignore TA-000004: reason`. Exit code 1 means
that a rule is violated or a file cannot be analyzed. Undetermined rules are
reported and give 0.";

/// Check templates and Bicep files against best-practice rules
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

/// The arguments about findings that are accepted.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct BaselineArgs {
    /// Ignore the findings in this file; report only new ones
    #[arg(long, value_name = "FILE")]
    baseline: Option<Utf8PathBuf>,

    /// Write all findings to a baseline file and accept them
    #[arg(long, value_name = "FILE", conflicts_with = "baseline")]
    write_baseline: Option<Utf8PathBuf>,
}

pub(crate) fn run(args: &Args, session: &Session) -> Outcome {
    let (rules, rule_reports) = args.rules.select(session)?;
    let files = args.files.resolve(session)?;
    if files.is_empty() {
        session.output.warning("no templates and no Bicep files were found")?;
    }
    let mut run = args.files.run(&files, &rules, args.compile, session)?;
    run.has_offsets = args.report.has_offsets();
    let mut found = AnalysisResult::new(rule_reports);
    let programs = compile::map_batches(&files.bicep, None, args.compile, session, |compilation| {
        ProgramAnalysis::of(compilation, &compile::errors(compilation), &run)
    })?;
    found.programs(programs, &run);
    found.templates(&files, &run);
    found.finish(&args.baseline, &rules, session)?;
    let failed = found.failed || found.checked.iter().any(Checked::is_broken);
    let mut reports = found.reports;
    reports.extend(analysis::reports(found.checked, &rules.rules));
    let failed = failed || reports.iter().any(FileReport::has_errors);
    let files = report::with_short_paths(reports, session)?;
    args.report
        .deliver(Report { files, codes: analysis::codes(&rules.rules), steps: Vec::new() }, session)?;
    Ok(Status::from_findings(failed))
}

/// What came of all files.
#[derive(Default)]
pub(crate) struct AnalysisResult {
    /// What was analysed.
    pub(crate) checked: Vec<Checked>,
    /// What is wrong with other files.
    pub(crate) reports: Vec<FileReport>,
    /// Whether something failed that is not in the reports, but has been told.
    pub(crate) failed: bool,
    /// The templates that were read.
    sources: Sources,
}

impl AnalysisResult {
    /// Nothing but what is wrong with rule files.
    pub(crate) fn new(rule_reports: Vec<FileReport>) -> Self {
        Self { reports: rule_reports, ..Self::default() }
    }

    /// Adds what came of all programs.
    pub(crate) fn programs(&mut self, programs: Vec<ProgramAnalysis>, run: &AnalysisOptions<'_>) {
        let mut findings = ProgramFindings::default();
        for program in programs {
            for failure in &program.failures {
                run.session.output.failure(failure);
                self.failed = true;
            }
            self.sources.extend(program.sources);
            findings.add(program.findings);
        }
        self.checked.extend(findings.finish(run));
    }

    /// Runs rules over templates.
    pub(crate) fn templates(&mut self, files: &Files, run: &AnalysisOptions<'_>) {
        for result in files.templates(run, &self.sources) {
            match result {
                Ok(found) => self.checked.extend(found),
                Err(Problem::Report(report)) => self.reports.push(*report),
                Err(Problem::Failure(failure)) => {
                    run.session.output.failure(&failure);
                    self.failed = true;
                }
            }
        }
    }

    /// Takes out what the configuration and a baseline accept, and writes a baseline if that is asked for.
    pub(crate) fn finish(
        &mut self,
        args: &BaselineArgs,
        rules: &RuleSet,
        session: &Session,
    ) -> Result<(), Failure> {
        self.exempt(rules, session)?;
        baseline::apply(&mut self.checked, &rules.rules, args.baseline.as_deref(), session)?;
        match &args.write_baseline {
            Some(path) => baseline::write(&mut self.checked, &rules.rules, path, session),
            None => Ok(()),
        }
    }

    /// Takes out what the configuration accepts. What accepts nothing is told: it would hide the next finding.
    fn exempt(&mut self, rules: &RuleSet, session: &Session) -> Result<(), Failure> {
        for exempt in &rules.exemptions {
            let mut is_used = false;
            for one in &mut self.checked {
                one.findings.retain(|(file, finding)| {
                    let rule = rules.rules.get(finding.rule);
                    let covered = rule.is_some_and(|rule| exempt.covers(rule, file.path()));
                    is_used |= covered;
                    !covered
                });
            }
            let Exemption { rule, path, .. } = &exempt.exemption;
            if !is_used && rules.rules.iter().any(|it| it.id.eq_ignore_ascii_case(rule)) {
                let message = format!("the configuration accepts {rule} in `{path}`, where it finds nothing");
                session.output.warning(&message)?;
            }
        }
        Ok(())
    }
}

/// What came of one program.
pub(crate) struct ProgramAnalysis {
    findings: ProgramFindings,
    /// The templates that were read.
    sources: Sources,
    /// What could not be read.
    failures: Vec<Failure>,
}

impl ProgramAnalysis {
    /// Runs rules over the entry files of a program of which `reports` are known.
    pub(crate) fn of(
        compilation: &Compilation<'_>,
        reports: &[FileReport],
        run: &AnalysisOptions<'_>,
    ) -> Result<Self, Failure> {
        let program = compilation.program();
        let unread =
            program.entries().iter().filter_map(|(path, loaded)| Some((path, loaded.as_ref().err()?)));
        let failures = unread.map(|(path, error)| Failure::unreadable(path, error)).collect();
        // Only templates are asked for again: those that are modules of a program and files of a folder.
        let templates = program.files().filter(|file| program.bicep(*file).is_none());
        let sources = templates.map(|file| program.unit(file).source());
        let sources = sources.map(|file| (file.path().to_owned(), Arc::clone(file))).collect();
        Ok(Self { findings: analysis::program(compilation, reports, run)?, sources, failures })
    }
}
