//! Rules over files: templates and compiled Bicep files come in, findings in the files that people wrote go out.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arm::parameters::Inputs;
use base::render::CodeInfo;
use base::{Budget, Diagnostic, FileReport, Limits, SourceFile, TextRange};
use bicep_emit::{Emitter, Options};
use bicep_sema::{FileId, Program};
use bicep_syntax::suppressions;
use camino::{Utf8Path, Utf8PathBuf};
use rules::{Accepted, Analysis, Finding, Rule, Source};

use crate::compile;
use crate::failure::Failure;
use crate::session::Session;

/// What rules say about one template with one set of parameters.
pub(crate) struct Checked {
    /// The file that was asked about.
    pub(crate) root: Arc<SourceFile>,
    /// The parameter file that was used.
    pub(crate) parameters: Option<Utf8PathBuf>,
    /// What did not pass, each with the file it stands in; ranges are those of that file.
    pub(crate) findings: Vec<(Arc<SourceFile>, Finding)>,
    /// How many evaluations passed.
    pub(crate) passed: usize,
    /// What is wrong with the files themselves.
    pub(crate) reports: Vec<FileReport>,
}

/// Whether a file is a template, or not even JSON.
pub(crate) enum Looked {
    /// It was analysed.
    Checked(Box<Checked>),
    /// It is JSON, but no template.
    NotATemplate,
    /// It cannot be read as JSON; these say why.
    Broken(FileReport),
}

/// Runs rules over a template.
pub(crate) fn template(
    file: &Arc<SourceFile>,
    parameters: Option<&Arc<SourceFile>>,
    rules: &[Rule],
) -> Looked {
    let parsed = json::parse(file.text(), json::Options::lenient());
    let broken = parsed.diagnostics.iter().any(|diagnostic| diagnostic.severity == base::Severity::Error);
    let Some(root) = parsed.root.as_ref().filter(|_| !broken) else {
        return Looked::Broken(FileReport::new(Arc::clone(file), parsed.diagnostics));
    };
    if !rules::is_template(root) {
        return Looked::NotATemplate;
    }
    let mut reports = Vec::new();
    let inputs = parameters.map(|file| inputs_of(file, &mut reports)).unwrap_or_default();
    let analysis = analyze(root, inputs, rules);
    let (accepted, complaints) = Accepted::of_json(&parsed, file);
    let mut diagnostics = analysis.diagnostics.clone();
    diagnostics.extend(complaints);
    reports.push(FileReport::new(Arc::clone(file), diagnostics));
    let open = analysis.distinct().into_iter().filter_map(|finding| {
        let rule = rules.get(finding.rule)?;
        accepted.remaining(finding, &rule.id, file)
    });
    Looked::Checked(Box::new(Checked {
        root: Arc::clone(file),
        parameters: parameters.map(|file| file.path().to_owned()),
        findings: open.map(|finding| (Arc::clone(file), finding)).collect(),
        passed: analysis.passed,
        reports,
    }))
}

fn inputs_of(file: &Arc<SourceFile>, reports: &mut Vec<FileReport>) -> Inputs {
    let parsed = json::parse(file.text(), json::Options::lenient());
    let mut diagnostics = parsed.diagnostics;
    let inputs = parsed.root.map(|root| {
        if root.get_ignore_case("parameters").and_then(json::Node::as_object).is_none() {
            let message = "A parameter file has an object `parameters`.";
            diagnostics.push(Diagnostic::error("ANALYZE009", TextRange::empty(root.range.start()), message));
        }
        let (inputs, errors) = Inputs::read(&root);
        diagnostics.extend(errors.iter().map(|error| {
            Diagnostic::error("ANALYZE009", error.range().unwrap_or(root.range), error.message())
        }));
        inputs
    });
    reports.push(FileReport::new(Arc::clone(file), diagnostics));
    inputs.unwrap_or_default()
}

fn analyze(root: &json::Node, inputs: Inputs, rules: &[Rule]) -> Analysis {
    let budget = Budget::new(Limits::default());
    rules::analyze(Source { root, inputs, context: rules::placeholder_context(), budget: &budget }, rules)
}

/// Runs rules over the entry files of a program. Files with errors are reported and not analysed.
pub(crate) fn program(
    program: &Program<'_>,
    rules: &[Rule],
    given: Option<&Utf8Path>,
    session: &Session,
) -> Result<Vec<Checked>, Failure> {
    let all: Vec<FileReport> = compile::reports(program)
        .into_iter()
        .map(|report| {
            let errors = report.diagnostics.into_iter().filter(|d| d.severity == base::Severity::Error);
            FileReport::new(report.file, errors.collect())
        })
        .collect();
    let bad: BTreeSet<&Utf8Path> =
        all.iter().filter(|report| report.has_errors()).map(|report| report.file.path()).collect();
    let emitter = Emitter::new(program, Options { generator: compile::generator(session) });
    let mut checked = Vec::new();
    for (_, loaded) in program.entries() {
        let Ok(file) = loaded else { continue };
        let parts = compile::parts(program, *file);
        let source = program.unit(*file).source();
        let is_bad = |part: &FileId| bad.contains(program.unit(*part).source().path());
        if parts.iter().any(is_bad) {
            let of_parts = |report: &&FileReport| {
                report.has_errors()
                    && parts.iter().any(|p| program.unit(*p).source().path() == report.file.path())
            };
            let reports = all.iter().filter(of_parts).cloned().collect();
            let root = Arc::clone(source);
            checked.push(Checked { root, parameters: None, findings: Vec::new(), passed: 0, reports });
            continue;
        }
        let emitted = emitter.template(*file);
        for parameters in parameter_files(source.path(), given, session)? {
            let mut one = of_emitted(program, (source, parameters.as_ref()), &emitted, rules);
            one.parameters = parameters.map(|file| file.path().to_owned());
            checked.push(one);
        }
    }
    Ok(checked)
}

/// The parameter files to use with a template: the given one, else `NAME.parameters*.json` beside it, else none.
pub(crate) fn parameter_files(
    template: &Utf8Path,
    given: Option<&Utf8Path>,
    session: &Session,
) -> Result<Vec<Option<Arc<SourceFile>>>, Failure> {
    use base::World as _;
    let paths = given.map_or_else(|| beside(template), |given| vec![given.to_owned()]);
    if paths.is_empty() {
        return Ok(vec![None]);
    }
    let read = |path: &Utf8PathBuf| {
        session.world.read_source(path).map_err(|error| Failure::unreadable(path, &error))
    };
    paths.iter().map(|path| read(path).map(Some)).collect()
}

/// `NAME.parameters.json`, `NAME.parameters.test.json` and the like, sorted.
fn beside(template: &Utf8Path) -> Vec<Utf8PathBuf> {
    let Some(stem) = template.file_stem() else { return Vec::new() };
    let start = format!("{}.parameters", stem.to_ascii_lowercase());
    let folder = template.parent().filter(|folder| *folder != "").unwrap_or(Utf8Path::new("."));
    let entries = folder.read_dir_utf8().into_iter().flatten().filter_map(Result::ok);
    let names = entries.map(|entry| entry.file_name().to_owned());
    let mut found: Vec<Utf8PathBuf> = names
        .filter(|name| {
            let name = name.to_ascii_lowercase();
            name.starts_with(&start) && name.ends_with(".json")
        })
        .map(|name| template.with_file_name(name))
        .collect();
    found.sort();
    found
}

fn of_emitted(
    program: &Program<'_>,
    (source, parameters): (&Arc<SourceFile>, Option<&Arc<SourceFile>>),
    emitted: &bicep_emit::Emitted,
    rules: &[Rule],
) -> Checked {
    let text = json::to_pretty(&emitted.template);
    let parsed = json::parse(&text, json::Options::strict());
    let mut checked = Checked {
        root: Arc::clone(source),
        parameters: None,
        findings: Vec::new(),
        passed: 0,
        reports: Vec::new(),
    };
    let Some(root) = &parsed.root else { return checked };
    let inputs = parameters.map(|file| inputs_of(file, &mut checked.reports)).unwrap_or_default();
    let analysis = analyze(root, inputs, rules);
    checked.passed = analysis.passed;
    let silenced = Silenced::of(program);
    let mut seen = BTreeSet::new();
    for finding in &analysis.findings {
        let Some(rule) = rules.get(finding.rule) else { continue };
        for (file, finding) in in_source(finding, &emitted.source_map, source) {
            let ranges: BTreeSet<_> =
                finding.spots.iter().map(|s| (s.range.start(), s.range.end())).collect();
            let key = (finding.rule, finding.undetermined.is_some(), file.path().to_owned(), ranges);
            let left = silenced.remaining(&finding, rule, &file);
            if let Some(left) = left.filter(|_| seen.insert(key)) {
                checked.findings.push((file, left));
            }
        }
    }
    checked
}

/// A finding about a template as findings about the files it was made from, one for each file.
fn in_source(
    finding: &Finding,
    map: &bicep_emit::SourceMap,
    entry: &Arc<SourceFile>,
) -> Vec<(Arc<SourceFile>, Finding)> {
    let mut files: Vec<(Arc<SourceFile>, Finding)> = Vec::new();
    for spot in &finding.spots {
        let (file, range) = match map.find(&spot.pointer) {
            Some(place) => (Arc::clone(&place.file), place.range),
            None => (Arc::clone(entry), TextRange::default()),
        };
        let mut spot = spot.clone();
        spot.range = range;
        match files.iter_mut().find(|(other, _)| other.path() == file.path()) {
            Some((_, finding)) => finding.spots.push(spot),
            None => files.push((file, Finding { spots: vec![spot], ..finding.clone() })),
        }
    }
    files
}

/// What the files of a program ask not to be told.
struct Silenced {
    files: BTreeMap<Utf8PathBuf, (Accepted, base::suppression::Suppressions)>,
}

impl Silenced {
    fn of(program: &Program<'_>) -> Self {
        let mut files = BTreeMap::new();
        for id in program.files() {
            let Some(bicep) = program.bicep(id) else { continue };
            let comments = bicep
                .tree()
                .tokens()
                .filter(|token| token.kind().is_comment())
                .map(bicep_syntax::Token::range);
            let (accepted, _) = Accepted::of_comments(comments, &bicep.source);
            let own = suppressions(bicep.tree(), bicep.source.lines());
            files.insert(bicep.source.path().to_owned(), (accepted, own));
        }
        Self { files }
    }

    fn remaining(&self, finding: &Finding, rule: &Rule, file: &SourceFile) -> Option<Finding> {
        let Some((accepted, own)) = self.files.get(file.path()) else { return Some(finding.clone()) };
        let mut left = accepted.remaining(finding, &rule.id, file)?;
        left.spots.retain(|spot| !own.covers(file.lines().line(spot.range.start()), &rule.id));
        (!left.spots.is_empty()).then_some(left)
    }
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
    let mut all: Vec<(Arc<SourceFile>, Vec<Diagnostic>)> = Vec::new();
    let mut add = |file: Arc<SourceFile>, diagnostics: Vec<Diagnostic>| {
        let position = all.iter().position(|(other, _)| other.path() == file.path()).unwrap_or_else(|| {
            all.push((file, Vec::new()));
            all.len() - 1
        });
        if let Some((_, known)) = all.get_mut(position) {
            for diagnostic in diagnostics {
                if !known.contains(&diagnostic) {
                    known.push(diagnostic);
                }
            }
        }
    };
    for checked in checked {
        for report in checked.reports {
            add(report.file, report.diagnostics);
        }
        for (file, finding) in checked.findings {
            if let Some(rule) = rules.get(finding.rule) {
                add(file, vec![rules::diagnostic(&finding, rule, |spot| spot.range)]);
            }
        }
    }
    all.into_iter().map(|(file, diagnostics)| FileReport::new(file, diagnostics)).collect()
}
