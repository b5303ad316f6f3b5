//! SARIF 2.1.0, for code scanning services and editors.
//!
//! A log is always valid and always accepted: what goes beyond the limits of the largest consumer (GitHub code
//! scanning) is left out, the least severe first, and a notification in the log says how much that is.

use rustc_hash::FxHashMap;
use serde_json::{Value, json};
use smol_str::SmolStr;
use text_size::TextRange;

use super::regions::{Region, RegionFinder, region};
use super::{CodeInfo, Summary, Tool, uri};
use crate::{Diagnostic, FileReport, Fix, Severity, SourceFile};

pub(super) fn render(reports: &[FileReport], tool: &Tool) -> String {
    format!("{:#}\n", log(reports, tool, GITHUB))
}

/// How much a log may hold.
#[derive(Clone, Copy)]
struct Limits {
    results: usize,
    /// Of all results together, before compression. GitHub takes 10 MB compressed; logs shrink to a tenth or less.
    bytes: usize,
    /// Of a single result; beyond it, its fixes and related places are left out.
    bytes_per_result: usize,
    /// Of a message, in characters.
    message: usize,
    related: usize,
}

const GITHUB: Limits =
    Limits { results: 25_000, bytes: 50_000_000, bytes_per_result: 100_000, message: 4_000, related: 100 };

fn log(reports: &[FileReport], tool: &Tool, limits: Limits) -> Value {
    let mut run = Run::new(reports, limits);
    for report in reports {
        run.push_report(report);
    }
    let mut driver = json!({ "name": tool.name, "rules": run.rules.to_json(&tool.codes) });
    insert(&mut driver, "version", (!tool.version.is_empty()).then(|| json!(tool.version)));
    insert(&mut driver, "informationUri", tool.information_uri.as_deref().and_then(uri::from_link));
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": driver },
            "columnKind": "utf16CodeUnits",
            "invocations": [run.invocation()],
            "results": run.results,
        }],
    })
}

/// What has been put into the log so far, and what may still be.
struct Run {
    limits: Limits,
    /// How many diagnostics of each severity are still taken.
    quota: [usize; 3],
    rules: Rules,
    results: Vec<Value>,
    bytes: usize,
    total: usize,
}

impl Run {
    fn new(reports: &[FileReport], limits: Limits) -> Self {
        let Summary { errors, warnings, infos, undetermined, .. } = Summary::of(reports);
        let infos = infos + undetermined;
        let most_errors = errors.min(limits.results);
        let most_warnings = warnings.min(limits.results - most_errors);
        let most_infos = infos.min(limits.results - most_errors - most_warnings);
        Self {
            limits,
            quota: [most_infos, most_warnings, most_errors],
            rules: Rules::default(),
            results: Vec::new(),
            bytes: 0,
            total: errors + warnings + infos,
        }
    }

    fn push_report(&mut self, report: &FileReport) {
        let uri = uri::from_path(report.file.path().as_str());
        let mut places = RegionFinder::new(&report.file);
        let mut fingerprints = Fingerprints::default();
        for diagnostic in &report.diagnostics {
            let place = places.region(diagnostic.range);
            let fingerprint = fingerprints.of(&report.file, diagnostic);
            if !self.takes(diagnostic.severity) {
                continue;
            }
            let mut result = json!({
                "ruleId": diagnostic.code.as_str(),
                "ruleIndex": self.rules.index(diagnostic),
                "level": level(diagnostic.severity),
                "message": { "text": message(diagnostic, self.limits.message) },
                "locations": [{ "physicalLocation": location(&uri, place) }],
                "partialFingerprints": { "primaryLocationLineHash": fingerprint },
            });
            if diagnostic.is_undetermined {
                // What is neither passed nor failed has no level.
                insert(&mut result, "kind", Some("open"));
                insert(&mut result, "level", Some("none"));
            }
            let related = related_locations(report, diagnostic, self.limits.related);
            insert(&mut result, "relatedLocations", (!related.is_empty()).then_some(related));
            let fixes = fixes(&report.file, diagnostic);
            insert(&mut result, "fixes", (!fixes.is_empty()).then_some(fixes));
            self.push(result);
        }
    }

    fn takes(&mut self, severity: Severity) -> bool {
        let quota = self.quota.get_mut(severity as usize);
        quota.is_some_and(|left| match left.checked_sub(1) {
            Some(fewer) => {
                *left = fewer;
                true
            }
            None => false,
        })
    }

    fn push(&mut self, mut result: Value) {
        let mut bytes = result.to_string().len();
        if bytes > self.limits.bytes_per_result
            && let Some(members) = result.as_object_mut()
        {
            members.remove("fixes");
            members.remove("relatedLocations");
            bytes = result.to_string().len();
        }
        if self.bytes + bytes <= self.limits.bytes {
            self.bytes += bytes;
            self.results.push(result);
        }
    }

    fn invocation(&self) -> Value {
        let left_out = self.total - self.results.len();
        if left_out == 0 {
            return json!({ "executionSuccessful": true });
        }
        let text = format!(
            "{left_out} of {} results were left out of this log, the least severe first, to keep it small enough \
             for code scanning services.",
            self.total
        );
        let notification = json!({
            "descriptor": { "id": "results-left-out" },
            "level": "warning",
            "message": { "text": text },
        });
        json!({ "executionSuccessful": true, "toolExecutionNotifications": [notification] })
    }
}

/// The codes of the results, each with what is known about it.
#[derive(Default)]
struct Rules {
    rules: Vec<Rule>,
    indices: FxHashMap<SmolStr, usize>,
}

struct Rule {
    code: SmolStr,
    severity: Severity,
    link: Option<String>,
}

impl Rules {
    fn index(&mut self, diagnostic: &Diagnostic) -> usize {
        let next = self.rules.len();
        let index = *self.indices.entry(diagnostic.code.clone()).or_insert(next);
        let link = || diagnostic.link.as_deref().and_then(uri::from_link);
        match self.rules.get_mut(index) {
            Some(rule) => {
                rule.severity = rule.severity.max(diagnostic.severity);
                rule.link = rule.link.take().or_else(link);
            }
            None => self.rules.push(Rule {
                code: diagnostic.code.clone(),
                severity: diagnostic.severity,
                link: link(),
            }),
        }
        index
    }

    fn to_json(&self, codes: &[CodeInfo]) -> Value {
        let info = |rule: &Rule| codes.iter().find(|info| info.code == rule.code);
        self.rules.iter().map(|rule| rule.to_json(info(rule))).collect()
    }
}

impl Rule {
    fn to_json(&self, info: Option<&CodeInfo>) -> Value {
        let problem_severity = match self.severity {
            Severity::Info => "recommendation",
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        let mut rule = json!({
            "id": self.code.as_str(),
            "shortDescription": { "text": self.code.as_str() },
            "defaultConfiguration": { "level": level(self.severity) },
            "properties": { "problem.severity": problem_severity },
        });
        insert(&mut rule, "helpUri", self.link.clone());
        insert(&mut rule, "help", self.link.as_ref().map(|link| json!({ "text": format!("See {link}") })));
        if let Some(info) = info {
            describe(&mut rule, info);
        }
        rule
    }
}

fn describe(rule: &mut Value, info: &CodeInfo) {
    let text = |text: &str| Some(text).filter(|text| !text.is_empty()).map(|text| json!({ "text": text }));
    insert(rule, "name", info.name.clone());
    insert(rule, "shortDescription", text(&info.short));
    insert(rule, "fullDescription", text(&info.full));
    insert(rule, "help", info.help.as_deref().and_then(text));
}

fn message(diagnostic: &Diagnostic, longest: usize) -> String {
    let mut text = diagnostic.message.clone();
    for note in &diagnostic.notes {
        text.push('\n');
        text.push_str(note);
    }
    match text.char_indices().nth(longest) {
        None => text,
        Some((end, _)) => text.get(..end).unwrap_or_default().chars().chain(['…']).collect(),
    }
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Info => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}

/// The labels of the same file, then the places in others.
fn related_locations(report: &FileReport, diagnostic: &Diagnostic, most: usize) -> Vec<Value> {
    let labels = diagnostic.labels.iter().map(|label| (&report.file, label.range, &label.message));
    let related = diagnostic.related.iter().map(|related| (&related.file, related.range, &related.message));
    let places = labels.chain(related).take(most).enumerate();
    places.map(|(id, (file, range, message))| related_location(id, file, range, message)).collect()
}

fn related_location(id: usize, file: &SourceFile, range: TextRange, message: &str) -> Value {
    let uri = uri::from_path(file.path().as_str());
    json!({
        "id": id,
        "physicalLocation": location(&uri, region(file, range)),
        "message": { "text": message },
    })
}

fn location(uri: &str, place: Region) -> Value {
    json!({ "artifactLocation": { "uri": uri }, "region": region_json(place) })
}

fn region_json(place: Region) -> Value {
    json!({
        "startLine": place.start_line,
        "startColumn": place.start_column,
        "endLine": place.end_line,
        "endColumn": place.end_column,
    })
}

/// The fixes that change something.
fn fixes(file: &SourceFile, diagnostic: &Diagnostic) -> Vec<Value> {
    diagnostic.fixes.iter().filter(|fix| !fix.edits.is_empty()).map(|found| fix(file, found)).collect()
}

fn fix(file: &SourceFile, fix: &Fix) -> Value {
    let replacements = fix.edits.iter().map(|edit| {
        json!({
            "deletedRegion": region_json(region(file, edit.range)),
            "insertedContent": { "text": edit.text },
        })
    });
    let change = json!({
        "artifactLocation": { "uri": uri::from_path(file.path().as_str()) },
        "replacements": replacements.collect::<Value>(),
    });
    json!({ "description": { "text": fix.title }, "artifactChanges": [change] })
}

fn insert(object: &mut Value, key: &str, value: Option<impl Into<Value>>) {
    if let (Some(members), Some(value)) = (object.as_object_mut(), value) {
        members.insert(key.to_owned(), value.into());
    }
}

/// Names for results that stay the same when lines are added above: a hash of the code and of the line's text, and the
/// how-manieth of its kind in the file.
#[derive(Default)]
struct Fingerprints {
    seen: FxHashMap<u64, u32>,
}

impl Fingerprints {
    /// Of a longer line only what stands near the result counts.
    const LONGEST_LINE: usize = 500;

    fn of(&mut self, file: &SourceFile, diagnostic: &Diagnostic) -> String {
        let start = diagnostic.range.start();
        let number = file.lines().line(start);
        let line = file.slice(TextRange::new(
            file.lines().line_start(number),
            file.lines().line_start(number.saturating_add(1)),
        ));
        let text = if line.len() > Self::LONGEST_LINE { file.slice(diagnostic.range) } else { line };
        let letters = text.bytes().take(Self::LONGEST_LINE).filter(|byte| !byte.is_ascii_whitespace());
        let hash = hash(diagnostic.code.bytes().chain([0]).chain(letters));
        let count = self.seen.entry(hash).or_insert(0);
        *count += 1;
        format!("{hash:016x}:{count}")
    }
}

/// FNV-1a: the same on every machine and in every version.
fn hash(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
#[path = "sarif_tests.rs"]
mod tests;
