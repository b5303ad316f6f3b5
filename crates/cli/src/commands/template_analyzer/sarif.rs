//! The SARIF of the original analyzer: rules with their messages, results with one location for each line, paths below a
//! root. Sinew's own form is in `base::render`.

use std::collections::BTreeSet;
use std::sync::Arc;

use base::render::path_uri;
use base::{FileReport, Severity, SourceFile};
use camino::{Utf8Path, Utf8PathBuf};
use rules::{Finding, Rule};
use serde_json::{Map, Value as Json, json};

use super::AnalysisResult;
use crate::VERSION;
use crate::analysis::Checked;
use crate::failure::Failure;
use crate::session::Session;

/// The log, and how many results it has.
pub(super) fn render(
    found: &AnalysisResult,
    rules: &[Rule],
    root: &Utf8Path,
    session: &Session,
) -> Result<(String, usize), Failure> {
    let root = session.absolute(root)?;
    let mut log =
        Log { rules, session, root, listed: Vec::new(), told: BTreeSet::new(), results: Vec::new() };
    for checked in &found.checked {
        for (file, finding) in &checked.findings {
            log.add(checked, file, finding)?;
        }
    }
    let reports = found.reports.iter().chain(found.checked.iter().flat_map(|checked| &checked.reports));
    let notifications: Vec<Json> = reports.flat_map(notifications).collect();
    let count = log.results.len();
    Ok((format!("{:#}\n", log.finish(session.name.text(), notifications)), count))
}

/// How the original names the root of all paths.
const ROOT: &str = "ROOTPATH";

/// What has been put into the log so far.
struct Log<'l> {
    rules: &'l [Rule],
    session: &'l Session,
    root: Utf8PathBuf,
    /// The rules that have results, by their positions, in the order of their first results.
    listed: Vec<usize>,
    /// Two templates that use one module find the same in it.
    told: BTreeSet<(usize, Utf8PathBuf, BTreeSet<u32>, bool)>,
    results: Vec<Json>,
}

impl Log<'_> {
    fn add(&mut self, checked: &Checked, file: &Arc<SourceFile>, finding: &Finding) -> Result<(), Failure> {
        let Some(rule) = self.rules.get(finding.rule) else { return Ok(()) };
        let lines: BTreeSet<u32> =
            finding.spots().iter().map(|spot| file.position(spot.range.start()).line + 1).collect();
        let is_open = finding.verdict.is_undetermined();
        if !self.told.insert((finding.rule, file.path().to_owned(), lines.clone(), is_open)) {
            return Ok(());
        }
        let place = self.place(file.path())?;
        let index = self.listed.iter().position(|known| *known == finding.rule).unwrap_or_else(|| {
            self.listed.push(finding.rule);
            self.listed.len() - 1
        });
        let location = |line: &u32| json!({ "physicalLocation": { "artifactLocation": place, "region": { "startLine": line } } });
        let mut result = Map::new();
        result.insert("ruleId".into(), json!(rule.id.as_str()));
        result.insert("ruleIndex".into(), json!(index));
        if let Some(reason) = finding.undetermined() {
            // The original has no such answer; the format has.
            result.insert("kind".into(), json!("open"));
            result.insert("level".into(), json!("none"));
            result.insert("message".into(), json!({ "text": format!("Undetermined, because {reason}.") }));
        } else {
            result.extend(level(rule.severity.severity()).map(|level| ("level".to_owned(), json!(level))));
            result.insert("message".into(), json!({ "id": "default" }));
        }
        result.insert("locations".into(), lines.iter().map(location).collect());
        if file.path() != checked.root.path() {
            result.insert("analysisTarget".into(), self.place(checked.root.path())?);
        }
        self.results.push(Json::Object(result));
        Ok(())
    }

    /// A file below the root; others have a whole address.
    fn place(&self, path: &Utf8Path) -> Result<Json, Failure> {
        let path = self.session.absolute(path)?;
        Ok(match path.strip_prefix(&self.root) {
            Ok(inside) => json!({ "uri": path_uri(inside.as_str()), "uriBaseId": ROOT }),
            Err(_) => json!({ "uri": path_uri(path.as_str()) }),
        })
    }

    fn finish(self, name: &str, notifications: Vec<Json>) -> Json {
        let rules = self.listed.iter().filter_map(|at| self.rules.get(*at)).map(described);
        let mut invocation = json!({ "executionSuccessful": true });
        if let (false, Some(members)) = (notifications.is_empty(), invocation.as_object_mut()) {
            members.insert("toolExecutionNotifications".into(), notifications.into());
        }
        let root = format!("{}/", path_uri(self.root.as_str()).trim_end_matches('/'));
        json!({
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [{
                "tool": { "driver": {
                    "name": name,
                    "fullName": "Template Analyzer",
                    "version": VERSION,
                    "organization": "Microsoft",
                    "informationUri": "https://github.com/Azure/template-analyzer",
                    "rules": rules.collect::<Json>(),
                } },
                "invocations": [invocation],
                "originalUriBaseIds": { ROOT: { "uri": root } },
                "results": self.results,
            }],
        })
    }
}

fn described(rule: &Rule) -> Json {
    let text = |text: &str| json!({ "text": sentence(text) });
    let mut members = Map::new();
    members.insert("id".into(), json!(rule.id.as_str()));
    members.extend(rule.name.as_ref().map(|name| ("name".to_owned(), json!(name))));
    members.insert("shortDescription".into(), text(&rule.short_description));
    members.insert("fullDescription".into(), text(&rule.full_description));
    let help = rule.recommendation.as_deref().filter(|help| !help.trim().is_empty());
    members.extend(help.map(|help| ("help".to_owned(), text(help))));
    members.extend(rule.help_uri.as_ref().map(|uri| ("helpUri".to_owned(), json!(uri))));
    members.insert("messageStrings".into(), json!({ "default": text(&rule.full_description) }));
    if let Some(level) = level(rule.severity.severity()) {
        members.insert("defaultConfiguration".into(), json!({ "level": level }));
    }
    Json::Object(members)
}

/// Texts end with a period, as the original writes them.
fn sentence(text: &str) -> String {
    let text = text.trim_end();
    if text.is_empty() || text.ends_with('.') { text.to_owned() } else { format!("{text}.") }
}

/// `warning` is what the format takes for granted; the original leaves it out.
fn level(severity: Severity) -> Option<&'static str> {
    match severity {
        Severity::Info => Some("note"),
        Severity::Warning => None,
        Severity::Error => Some("error"),
    }
}

/// What is wrong with files, as notifications.
fn notifications(report: &FileReport) -> Vec<Json> {
    let notification = |diagnostic: &base::Diagnostic| {
        let at = report.file.position(diagnostic.range.start());
        let path = report.file.path();
        let text = format!("{path}({},{}): {}", at.line + 1, at.col + 1, diagnostic.message);
        let level = level(diagnostic.severity).unwrap_or("warning");
        json!({ "message": { "text": text }, "level": level })
    };
    report.diagnostics.iter().map(notification).collect()
}
