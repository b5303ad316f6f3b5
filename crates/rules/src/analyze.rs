//! Rules over a template: what breaks them, what could not be said, and where.

use arm::document::Node;
use base::{Budget, Diagnostic, Limits, TextRange, Verdict};
use json::{Path, Segment};

use crate::describe;
use crate::document::Document;
use crate::evaluate::{OperatorCheck, evaluate};
use crate::locate::{locate, pointer};
use crate::process::{Source, TemplateLayer, process};
use crate::rule::Rule;

/// Runs rules over a template and the templates inside it.
pub fn analyze(source: Source<'_>, rules: &[Rule]) -> Analysis {
    let root = &source.template.document;
    // One rule that takes too long is given up; the others still run.
    let limits = source.budget.limits();
    let limits = Limits { steps: limits.steps.min(STEPS_PER_RULE), ..limits };
    let processed = process(source);
    let mut analysis = Analysis { diagnostics: processed.diagnostics, ..Analysis::default() };
    for layer in &processed.layers {
        for (at, rule) in rules.iter().enumerate() {
            let budget = Budget::new(limits);
            let target = AnalyzedLayer { root, layer };
            for answer in evaluate(&rule.evaluation, layer.document.view(), &budget) {
                match answer.map(|part| spot(&part, &target)) {
                    Verdict::Pass => analysis.passed += 1,
                    verdict => analysis.findings.push(Finding { rule: at, verdict }),
                }
            }
        }
    }
    analysis
}

/// How many places a rule may look at in one template.
const STEPS_PER_RULE: u64 = 1_000_000;

/// What rules say about a template.
#[derive(Debug, Default)]
pub struct Analysis {
    /// What did not pass, in the order of templates and rules.
    pub findings: Vec<Finding>,
    /// How many evaluations passed.
    pub passed: usize,
    /// What is wrong with the template itself, or could not be evaluated.
    pub diagnostics: Vec<Diagnostic>,
}

/// An evaluation that did not pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Which rule, by its position.
    pub rule: usize,
    /// A fail, or undetermined: with the values that made it so.
    pub verdict: Verdict<FindingLocation>,
}

/// A value that did not pass, and where it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FindingLocation {
    /// Which value of which resource, in words that survive moving things around in the file.
    pub place: String,
    /// The nearest value in the text of the template, as a JSON pointer.
    pub pointer: String,
    /// Where that is written.
    pub range: TextRange,
    /// Whether nothing is written there.
    pub is_missing: bool,
    /// How many resources it is inside of.
    pub depth: usize,
    /// What was wanted and what was found.
    pub message: String,
    /// Why nothing can be said about the value; none if it is known to be wrong.
    pub open: Option<String>,
}

impl Analysis {
    /// Findings without repetition: a resource that stands in several places is reported once.
    pub fn distinct(&self) -> Vec<&Finding> {
        let key = |finding: &Finding| {
            let mut ranges: Vec<_> =
                finding.spots().iter().map(|spot| (spot.range.start(), spot.range.end())).collect();
            ranges.sort_unstable();
            ranges.dedup();
            (finding.rule, finding.verdict.is_undetermined(), ranges)
        };
        let mut seen = std::collections::BTreeSet::new();
        self.findings.iter().filter(|finding| seen.insert(key(finding))).collect()
    }
}

impl Finding {
    /// The values that made it so; at least one.
    pub fn spots(&self) -> &[FindingLocation] {
        self.verdict.findings()
    }

    /// Why nothing can be said, if nothing can.
    pub fn undetermined(&self) -> Option<&str> {
        self.verdict.open().first().map(|spot| spot.open.as_deref().unwrap_or_default())
    }
}

struct AnalyzedLayer<'t> {
    root: &'t Node,
    layer: &'t TemplateLayer,
}

fn spot(part: &OperatorCheck<'_, '_>, target: &AnalyzedLayer<'_>) -> FindingLocation {
    let (resource, subject) = split(&target.layer.document, &part.scope.path);
    let located = match target.layer.document.original_path(&part.scope.path) {
        Some(path) => {
            let mut whole = target.layer.prefix.clone();
            whole.0.extend(path.0);
            locate(target.root, &whole)
        }
        None => locate(target.root, &Path::default()),
    };
    let subject = if subject.0.is_empty() { "the resource".to_owned() } else { subject.to_string() };
    FindingLocation {
        place: if resource.is_empty() { subject.clone() } else { format!("{resource}: {subject}") },
        pointer: pointer(&located.path),
        range: located.range,
        is_missing: part.scope.view.is_none(),
        depth: depth(&part.scope.path),
        message: describe::part(part, &subject),
        open: part.open.as_ref().map(ToString::to_string),
    }
}

/// How many resources a path leads into.
fn depth(path: &Path) -> usize {
    let steps = path.0.chunks(2);
    let is_resource = |step: &&[Segment]| match step {
        [Segment::Key(key), Segment::Index(_)] => key.eq_ignore_ascii_case("resources"),
        _ => false,
    };
    steps.take_while(is_resource).count()
}

/// The resource that a path leads into, as `type 'name'`, and the rest of the path.
fn split(document: &Document, path: &Path) -> (String, Path) {
    let mut view = document.view();
    let mut resource = String::new();
    let mut rest = path.0.as_slice();
    while let [Segment::Key(key), Segment::Index(index), tail @ ..] = rest
        && key.eq_ignore_ascii_case("resources")
        && let Some(inner) = view.member(key).and_then(|(_, list)| list.item(*index))
    {
        let text = |name: &str| {
            let value = inner.member(name).and_then(|(_, value)| value.value());
            value.and_then(arm::Value::as_str).unwrap_or_default().to_owned()
        };
        resource = format!("{} '{}'", text("type"), text("name"));
        view = inner;
        rest = tail;
    }
    (resource, Path(rest.to_vec()))
}
