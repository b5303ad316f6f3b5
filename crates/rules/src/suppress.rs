//! Findings that somebody has accepted, with a reason: comments in the text, or `metadata` where comments are not allowed.
//!
//! `// sinew-ignore TA-000004: reason` is about its own line when something stands before it, else about the next line;
//! `// sinew-ignore-file TA-000004: reason` is about the whole file. In `metadata` of the template or of a resource,
//! `"sinew": { "ignore": { "TA-000004": "reason" } }` is about everything inside. A reason is not optional, and what
//! accepts nothing is told: it would hide the next finding.

use std::sync::atomic::{AtomicBool, Ordering};

use base::{Diagnostic, SourceFile, TextRange, spelling};
use json::{Kind, Node, Parsed};
use smol_str::SmolStr;

use crate::analyze::{Finding, FindingLocation};
use crate::messages;
use crate::rule::Rule;

/// What is accepted in one file. It remembers what was of use; several threads may ask.
#[derive(Debug, Default)]
pub struct Accepted {
    entries: Vec<AcceptedRule>,
}

#[derive(Debug)]
struct AcceptedRule {
    rule: SmolStr,
    reason: String,
    extent: Extent,
    range: TextRange,
    /// Whether anything was found that it accepts.
    used: AtomicBool,
}

/// What an entry is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extent {
    File,
    /// Counted from zero.
    Line(u32),
    /// A value with everything in it.
    Inside(TextRange),
}

impl Accepted {
    /// Reads the comments and the metadata of a template.
    pub fn of_json(parsed: &Parsed, file: &SourceFile) -> (Self, Vec<Diagnostic>) {
        let (mut accepted, mut diagnostics) =
            Self::of_comments(parsed.comments.iter().map(|c| c.range), file);
        if let Some(root) = &parsed.root {
            in_metadata(root, &mut accepted, &mut diagnostics);
        }
        (accepted, diagnostics)
    }

    /// Reads the comments of a file of any language.
    pub fn of_comments(
        comments: impl Iterator<Item = TextRange>,
        file: &SourceFile,
    ) -> (Self, Vec<Diagnostic>) {
        let (mut accepted, mut diagnostics) = (Self::default(), Vec::new());
        for range in comments {
            let (whole_file, rules, reason) = match directive(file.slice(range)) {
                Directive::None => continue,
                Directive::Malformed => {
                    diagnostics.push(messages::no_reason(range));
                    continue;
                }
                Directive::Ignore { whole_file, rules, reason } => (whole_file, rules, reason),
            };
            let line = file.position(range.start()).line;
            let before = TextRange::new(file.lines().line_start(line), range.start());
            let alone = file.slice(before).trim().is_empty();
            let extent = if whole_file { Extent::File } else { Extent::Line(line + u32::from(alone)) };
            accepted.entries.extend(rules.into_iter().map(|rule| AcceptedRule {
                rule,
                reason: reason.to_owned(),
                extent,
                range,
                used: AtomicBool::new(false),
            }));
        }
        (accepted, diagnostics)
    }

    /// The reason why a value is accepted, if it is.
    pub fn reason(&self, rule: &str, spot: &FindingLocation, line: u32) -> Option<&str> {
        let covers = |entry: &&AcceptedRule| {
            json::eq_ignore_case(&entry.rule, rule)
                && match entry.extent {
                    Extent::File => true,
                    Extent::Line(at) => at == line,
                    Extent::Inside(range) => range.contains_range(spot.range),
                }
        };
        let mut reason = None;
        for entry in self.entries.iter().filter(covers) {
            entry.used.store(true, Ordering::Relaxed);
            reason = reason.or(Some(entry.reason.as_str()));
        }
        reason
    }

    /// What accepts nothing, after everything that was found has been asked about. Of rules that did not run nothing can
    /// be said, but a name that no rule has is most often misspelt.
    pub fn unused(&self, ran: &[Rule], known: &[String]) -> Vec<Diagnostic> {
        let is = |id: &str, entry: &AcceptedRule| json::eq_ignore_case(id, &entry.rule);
        let idle = self.entries.iter().filter(|entry| !entry.used.load(Ordering::Relaxed));
        idle.filter_map(|entry| {
            if ran.iter().any(|rule| is(&rule.id, entry)) {
                return Some(messages::accepts_nothing(entry.range, &entry.rule));
            }
            if known.iter().any(|id| is(id, entry)) {
                return None;
            }
            let suggestion = spelling::suggest(&entry.rule, known.iter().map(String::as_str));
            Some(messages::accepts_unknown_rule(entry.range, &entry.rule, suggestion))
        })
        .collect()
    }

    /// A finding without the values that are accepted; none when nothing is left of it.
    pub fn remaining(&self, finding: &Finding, rule: &str, file: &SourceFile) -> Option<Finding> {
        let left = |spot: &FindingLocation| {
            self.reason(rule, spot, file.position(spot.range.start()).line).is_none()
        };
        let verdict = finding.verdict.clone().retain(left);
        (!verdict.is_pass()).then_some(Finding { verdict, ..*finding })
    }
}

/// What a comment says about findings.
enum Directive<'c> {
    /// Nothing.
    None,
    /// Something, but not what.
    Malformed,
    Ignore {
        whole_file: bool,
        rules: Vec<SmolStr>,
        reason: &'c str,
    },
}

fn directive(comment: &str) -> Directive<'_> {
    let text = comment.trim_start_matches(['/', '*', '#']).trim_end_matches(['*', '/']).trim();
    let Some(rest) = text.strip_prefix("sinew-ignore") else { return Directive::None };
    let (whole_file, rest) = match rest.strip_prefix("-file") {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    let (names, reason) = rest.split_once(':').unwrap_or((rest, ""));
    let is_word = names.is_empty() || names.starts_with([' ', '\t']);
    let rules: Vec<SmolStr> =
        names.split([',', ' ', '\t']).filter(|rule| !rule.is_empty()).map(SmolStr::new).collect();
    let reason = reason.trim();
    if !is_word || rules.is_empty() || reason.is_empty() {
        return Directive::Malformed;
    }
    Directive::Ignore { whole_file, rules, reason }
}

fn in_metadata(node: &Node, accepted: &mut Accepted, diagnostics: &mut Vec<Diagnostic>) {
    let own = node.get_ignore_case("metadata").and_then(|metadata| metadata.get_ignore_case("sinew"));
    let ignored = own.and_then(|own| own.get_ignore_case("ignore"));
    match (own, ignored.map(|ignored| (ignored, ignored.as_object()))) {
        (Some(own), None) => diagnostics.push(messages::no_reason_in_metadata(own.range)),
        (_, Some((ignored, None))) => diagnostics.push(messages::no_reason_in_metadata(ignored.range)),
        (_, Some((_, Some(object)))) => {
            for member in object {
                match member.value.as_str().map(str::trim).filter(|reason| !reason.is_empty()) {
                    Some(reason) => accepted.entries.push(AcceptedRule {
                        rule: SmolStr::new(&member.key),
                        reason: reason.to_owned(),
                        extent: Extent::Inside(node.range),
                        range: member.key_range,
                        used: AtomicBool::new(false),
                    }),
                    None => diagnostics.push(messages::no_reason_in_metadata(member.value.range)),
                }
            }
        }
        (None, None) => {}
    }
    match &node.value {
        Kind::Array(items) => items.iter().for_each(|item| in_metadata(item, accepted, diagnostics)),
        Kind::Object(object) => {
            object.iter().for_each(|member| in_metadata(&member.value, accepted, diagnostics));
        }
        _ => {}
    }
}
