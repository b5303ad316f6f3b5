//! Best-practice rules over compiled Bicep files: findings about templates become findings about the files they were made from.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, PoisonError, RwLock};

use base::suppression::Suppressions;
use base::{Diagnostic, FileReport, SourceFile, TextRange, Verdict};
use bicep_emit::{Emitted, SourceMap};
use bicep_sema::{Program, Unit};
use bicep_syntax::suppressions;
use camino::{Utf8Path, Utf8PathBuf};
use rules::baseline::Entry;
use rules::{Accepted, Analysis, Finding, FindingLocation, Rule};

/// What rules found in a template, as findings about the files it was made from, each with its file. What is silenced there is
/// not among them, and nothing is told twice.
pub fn findings_in_sources(
    analysis: &Analysis,
    emitted: &Emitted,
    entry: &Arc<SourceFile>,
    rules: &[Rule],
    silenced: &SilencedFindings,
) -> Vec<(Arc<SourceFile>, Finding)> {
    let (mut seen, mut found) = (BTreeSet::new(), Vec::new());
    for finding in &analysis.findings {
        let Some(rule) = rules.get(finding.rule) else { continue };
        for (file, finding) in in_sources(finding, &emitted.source_map, entry) {
            let ranges: BTreeSet<_> =
                finding.spots().iter().map(|s| (s.range.start(), s.range.end())).collect();
            let key = (finding.rule, finding.verdict.is_undetermined(), file.path().to_owned(), ranges);
            let left = silenced.remaining(&finding, rule, &file);
            if let Some(left) = left.filter(|_| seen.insert(key)) {
                found.push((file, left));
            }
        }
    }
    found
}

/// A finding about a template as findings about the files it was made from, one for each file.
fn in_sources(
    finding: &Finding,
    map: &SourceMap,
    entry: &Arc<SourceFile>,
) -> Vec<(Arc<SourceFile>, Finding)> {
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

/// A finding as a baseline names it. Paths are seen from the folder of the baseline, so that it holds on every machine.
pub fn baseline_entry(file: &SourceFile, finding: &Finding, rules: &[Rule], folder: &Utf8Path) -> Entry {
    Entry {
        file: config::paths::relative(folder, file.path()),
        rule: rules.get(finding.rule).map(|rule| rule.id.to_string()).unwrap_or_default(),
        place: finding.spots().first().map(|spot| spot.place.clone()).unwrap_or_default(),
    }
}

/// What files ask not to be told. It grows with every program that is looked at, so that a comment in a file that several
/// programs use is of use if it is so in one of them.
#[derive(Default)]
pub struct SilencedFindings {
    files: RwLock<BTreeMap<Utf8PathBuf, Arc<Silence>>>,
}

struct Silence {
    accepted: Accepted,
    /// The directives of the language.
    own: Suppressions,
    /// What is wrong with the comments.
    complaints: Vec<Diagnostic>,
}

impl Silence {
    /// Reads the comments and directives of a file.
    fn of(unit: &Unit) -> Self {
        match unit {
            Unit::Template(template) => {
                let (accepted, complaints) = Accepted::of_json(&template.parsed, &template.source);
                Self { accepted, own: Suppressions::default(), complaints }
            }
            Unit::Bicep(bicep) => {
                let tokens = bicep.tree().tokens().filter(|token| token.kind().is_comment());
                let (accepted, complaints) =
                    Accepted::of_comments(tokens.map(bicep_syntax::Token::range), &bicep.source);
                Self { accepted, own: suppressions(bicep.tree(), &bicep.source), complaints }
            }
        }
    }
}

impl SilencedFindings {
    /// What the files of one program ask not to be told.
    pub fn of(program: &Program<'_>) -> Self {
        let silenced = Self::default();
        silenced.add(program);
        silenced
    }

    /// Reads the comments and directives of those files of a program that are not known yet.
    pub fn add(&self, program: &Program<'_>) {
        for id in program.files() {
            let unit = program.unit(id);
            let path = unit.source().path();
            if self.of_file(path).is_none() {
                let silence = Arc::new(Silence::of(unit));
                let mut files = self.files.write().unwrap_or_else(PoisonError::into_inner);
                files.entry(path.to_owned()).or_insert(silence);
            }
        }
    }

    fn of_file(&self, path: &Utf8Path) -> Option<Arc<Silence>> {
        self.files.read().unwrap_or_else(PoisonError::into_inner).get(path).cloned()
    }

    fn remaining(&self, finding: &Finding, rule: &Rule, file: &SourceFile) -> Option<Finding> {
        let Some(silence) = self.of_file(file.path()) else { return Some(finding.clone()) };
        let Silence { accepted, own, .. } = &*silence;
        let mut left = accepted.remaining(finding, &rule.id, file)?;
        let is_told = |spot: &FindingLocation| !own.covers(file.lines().line(spot.range.start()), &rule.id);
        left.verdict = left.verdict.retain(is_told);
        (!left.verdict.is_pass()).then_some(left)
    }

    /// What is wrong with the comments of a file, and which of them are of no use.
    /// `ran` are the rules that ran, `known` the ids of all there are.
    pub fn complaints(&self, file: &Arc<SourceFile>, ran: &[Rule], known: &[String]) -> Option<FileReport> {
        let silence = self.of_file(file.path())?;
        let unused = silence.accepted.unused(ran, known);
        let all: Vec<Diagnostic> = silence.complaints.iter().cloned().chain(unused).collect();
        (!all.is_empty()).then(|| FileReport::new(Arc::clone(file), all))
    }
}
