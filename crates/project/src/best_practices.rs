//! Best-practice rules over compiled Bicep files: findings about templates become findings about the files they were made from.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

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
    (emitted, entry): (&Emitted, &Arc<SourceFile>),
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
pub fn baseline_entry(file: &SourceFile, finding: &Finding, (rules, folder): (&[Rule], &Utf8Path)) -> Entry {
    Entry {
        file: config::paths::relative(folder, file.path()),
        rule: rules.get(finding.rule).map(|rule| rule.id.to_string()).unwrap_or_default(),
        place: finding.spots().first().map(|spot| spot.place.clone()).unwrap_or_default(),
    }
}

/// What the files of a program ask not to be told.
pub struct SilencedFindings {
    files: BTreeMap<Utf8PathBuf, Silence>,
}

struct Silence {
    accepted: Accepted,
    /// The directives of the language.
    own: Suppressions,
    /// What is wrong with the comments.
    complaints: Vec<Diagnostic>,
}

impl SilencedFindings {
    /// Reads the comments and directives of all files of a program.
    pub fn of(program: &Program<'_>) -> Self {
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
    /// `ran` are the rules that ran, `known` the ids of all there are.
    pub fn complaints(
        &self,
        file: &Arc<SourceFile>,
        (ran, known): (&[Rule], &[String]),
    ) -> Option<FileReport> {
        let silence = self.files.get(file.path())?;
        let unused = silence.accepted.unused(ran, known);
        let all: Vec<Diagnostic> = silence.complaints.iter().cloned().chain(unused).collect();
        (!all.is_empty()).then(|| FileReport::new(Arc::clone(file), all))
    }
}
