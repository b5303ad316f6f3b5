//! Rules over files: templates and compiled Bicep files come in, findings in the files that people wrote go out.

mod bicep;
pub(crate) mod condense;
pub(crate) mod parameters;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock};

use arm::Template;
use base::render::CodeInfo;
use base::{Budget, Diagnostic, FileReport, Limits, SourceFile};
use camino::{Utf8Path, Utf8PathBuf};
use globset::GlobMatcher;
use project::best_practices::SilencedFindings;
use rules::{Accepted, Analysis, Exemption, Finding, MissingValues, Reach, Rule, Source};

use crate::failure::Failure;
use crate::session::Session;

pub(crate) use bicep::{ProgramFindings, program};
use parameters::{Beside, Values};

/// The rules of a run.
#[derive(Debug, Default)]
pub(crate) struct RuleSet {
    /// Those that run.
    pub(crate) rules: Vec<Rule>,
    /// The ids of all there are, also of those that do not run.
    pub(crate) known: Vec<String>,
    /// What a configuration accepts.
    pub(crate) exemptions: Vec<Exempt>,
    /// Found out when it is first asked for.
    pub(crate) reach: OnceLock<Reach>,
}

/// Findings of one rule that a configuration accepts.
#[derive(Debug)]
pub(crate) struct Exempt {
    pub(crate) exemption: Exemption,
    /// Which files, seen from the folder of the configuration.
    pub(crate) files: GlobMatcher,
    pub(crate) folder: Utf8PathBuf,
}

impl Exempt {
    /// Whether a finding is accepted.
    pub(crate) fn covers(&self, rule: &Rule, file: &Utf8Path) -> bool {
        self.exemption.rule.eq_ignore_ascii_case(&rule.id)
            && self.files.is_match(config::paths::relative(&self.folder, file))
    }
}

impl RuleSet {
    /// What of a template the rules may look at.
    fn reach(&self) -> Reach {
        *self.reach.get_or_init(|| Reach::of(&self.rules))
    }
}

/// What all files are analysed with.
pub(crate) struct AnalysisOptions<'r> {
    pub(crate) rules: &'r RuleSet,
    /// The values that every template gets, instead of those in the files beside it.
    pub(crate) given: Option<Values>,
    /// Parameter files that were named, by their templates.
    pub(crate) named: BTreeMap<Utf8PathBuf, Vec<Utf8PathBuf>>,
    pub(crate) beside: Beside,
    /// What the Bicep files ask not to be told.
    pub(crate) silenced: SilencedFindings,
    /// What becomes of parameters without a value.
    pub(crate) missing: MissingValues,
    /// Whether the report has offsets, so that texts must stay as they are.
    pub(crate) has_offsets: bool,
    pub(crate) session: &'r Session,
}

impl AnalysisOptions<'_> {
    /// The values to analyse a template with; none for values that are made up.
    fn values(&self, template: &Utf8Path) -> Result<Vec<Values>, Failure> {
        match (&self.given, self.named.get(template)) {
            (Some(_), _) => Ok(Vec::new()),
            (None, Some(named)) => named.iter().map(|path| parameters::read(path, self.session)).collect(),
            (None, None) => self.beside.of(template, self.session),
        }
    }
}

/// What rules say about one template with one set of parameters.
#[derive(Debug)]
pub(crate) struct Checked {
    /// The file that was asked about.
    pub(crate) root: Arc<SourceFile>,
    /// The parameter file that was used.
    pub(crate) parameters: Option<Utf8PathBuf>,
    /// What did not pass, each with the file it stands in; ranges are those of that file.
    pub(crate) findings: Vec<(Arc<SourceFile>, Finding)>,
    /// How many evaluations passed; none when it could not be analysed.
    pub(crate) passed: Option<usize>,
    /// Whether it is a Bicep file that was analysed as it is, for want of parameter files.
    pub(crate) is_without_values: bool,
    /// What is wrong with the files themselves.
    pub(crate) reports: Vec<FileReport>,
}

impl Checked {
    fn new(root: &Arc<SourceFile>, values: Option<&Values>) -> Self {
        Self {
            root: Arc::clone(root),
            parameters: values.map(|values| values.path().to_owned()),
            findings: Vec::new(),
            passed: None,
            is_without_values: false,
            reports: values.map(|values| values.report.clone()).into_iter().collect(),
        }
    }

    /// Forgets the text of a file that nothing is said about: nobody will ask for a line of it.
    fn let_go(&mut self) {
        let is_silent = |report: &FileReport| report.diagnostics.is_empty();
        if self.findings.is_empty() && self.reports.iter().all(is_silent) {
            self.root = SourceFile::new(self.root.path(), "");
            self.reports.clear();
            self.reports.push(FileReport::new(Arc::clone(&self.root), Vec::new()));
        }
    }

    /// Whether a rule is broken; what could not be decided is not that.
    pub(crate) fn is_broken(&self) -> bool {
        self.findings.iter().any(|(_, finding)| finding.verdict.is_fail())
    }
}

/// Whether a file is a template, or not even JSON.
pub(crate) enum Looked {
    /// It was analysed, once for each of its parameter files.
    Checked(Vec<Checked>),
    /// It is JSON, but no template.
    NotATemplate,
    /// It cannot be read as JSON; these say why.
    Broken(FileReport),
}

/// Runs rules over a template.
pub(crate) fn template(file: &Arc<SourceFile>, run: &AnalysisOptions<'_>) -> Result<Looked, Failure> {
    let mut parsed = json::parse(file.text(), json::Options::lenient());
    let broken = parsed.diagnostics.iter().any(|diagnostic| diagnostic.severity == base::Severity::Error);
    if parsed.root.is_none() || broken {
        return Ok(Looked::Broken(FileReport::new(Arc::clone(file), parsed.diagnostics)));
    }
    let (accepted, complaints) = Accepted::of_json(&parsed, file);
    let Some(root) = parsed.root.take().filter(rules::is_template) else { return Ok(Looked::NotATemplate) };
    drop(parsed);
    let rules = &run.rules.rules;
    let values = run.values(file.path())?;
    let (template, problems) = Template::read_owned(root);
    let mut all = Vec::new();
    for values in sets(&values, run) {
        let mut checked = Checked::new(file, values);
        let analysis = analyze(&template, &problems, values, run);
        checked.passed = Some(analysis.passed);
        let open = analysis.distinct().into_iter().filter_map(|finding| {
            let rule = rules.get(finding.rule)?;
            accepted.remaining(finding, &rule.id, file)
        });
        checked.findings.extend(open.map(|finding| (Arc::clone(file), finding)));
        checked.reports.push(FileReport::new(Arc::clone(file), analysis.diagnostics));
        all.push(checked);
    }
    drop(template);
    if let Some(first) = all.first_mut() {
        let unused = accepted.unused(rules, &run.rules.known);
        let about_comments = complaints.into_iter().chain(unused).collect();
        first.reports.push(FileReport::new(Arc::clone(file), about_comments));
    }
    all.iter_mut().for_each(Checked::let_go);
    Ok(Looked::Checked(all))
}

/// The sets of values to go through: the given one, else those that were found, else none at all, once.
fn sets<'v>(found: &'v [Values], run: &'v AnalysisOptions<'_>) -> Vec<Option<&'v Values>> {
    match (&run.given, found) {
        (Some(given), _) => vec![Some(given)],
        (None, []) => vec![None],
        (None, found) => found.iter().map(Some).collect(),
    }
}

fn analyze(
    template: &Template,
    problems: &[arm::Error],
    values: Option<&Values>,
    run: &AnalysisOptions<'_>,
) -> Analysis {
    let budget = Budget::new(Limits::default());
    let source = Source {
        template,
        problems,
        inputs: values.map(Values::inputs).unwrap_or_default(),
        missing: run.missing,
        context: rules::placeholder_context(),
        budget: &budget,
        // The original tells of everything that cannot be evaluated, whether a rule looks at it or not.
        reach: match run.missing {
            MissingValues::Placeholders => Reach::default(),
            _ => run.rules.reach(),
        },
    };
    rules::analyze(source, &run.rules.rules)
}

/// What rules are about, for report formats that describe them.
pub(crate) fn codes(rules: &[Rule]) -> Vec<CodeInfo> {
    let info = |rule: &Rule| CodeInfo {
        code: rule.id.clone(),
        name: rule.name.clone(),
        short: rule.short_description.clone(),
        full: rule.full_description.clone(),
        help: rule.recommendation.clone(),
    };
    rules.iter().map(info).collect()
}

/// Everything as reports, one for each file, in the order in which the files were met. What was found twice, because
/// two templates use a module or two parameter files a template, is told once.
pub(crate) fn reports(checked: Vec<Checked>, rules: &[Rule]) -> Vec<FileReport> {
    let mut all = Merged::default();
    for checked in checked {
        for report in checked.reports {
            all.add(report);
        }
        for (file, finding) in checked.findings {
            if let Some(rule) = rules.get(finding.rule) {
                let diagnostic = rules::diagnostic(&finding, rule, |spot| spot.range);
                all.add(FileReport { file, diagnostics: vec![diagnostic] });
            }
        }
    }
    all.finish()
}

/// Reports that are put together, so that every file has one.
#[derive(Default)]
pub(crate) struct Merged {
    all: Vec<FileReport>,
    positions: HashMap<Utf8PathBuf, usize>,
}

impl Merged {
    /// Adds what is not there yet.
    pub(crate) fn add(&mut self, report: FileReport) {
        let next = self.all.len();
        let position = *self.positions.entry(report.file.path().to_owned()).or_insert(next);
        match self.all.get_mut(position) {
            Some(known) => known.diagnostics.extend(report.diagnostics),
            None => self.all.push(report),
        }
    }

    /// One report for each file, in the order in which the files were met.
    pub(crate) fn finish(self) -> Vec<FileReport> {
        self.all.into_iter().map(once_each).collect()
    }
}

/// A report in reading order in which nothing stands twice.
fn once_each(report: FileReport) -> FileReport {
    let mut report = FileReport::new(report.file, report.diagnostics);
    let mut kept: Vec<Diagnostic> = Vec::with_capacity(report.diagnostics.len());
    for diagnostic in report.diagnostics {
        // Equal ones have equal ranges and messages, and so stand together.
        let same_place = kept.iter().rev().take_while(|it| it.range == diagnostic.range);
        if !same_place.into_iter().any(|it| *it == diagnostic) {
            kept.push(diagnostic);
        }
    }
    report.diagnostics = kept;
    report
}
