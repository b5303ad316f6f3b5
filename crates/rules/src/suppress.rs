//! Findings that somebody has accepted, with a reason: comments in the text, or `metadata` where comments are not allowed.
//!
//! `// sinew-ignore TA-000004: reason` is about its own line when something stands before it, else about the next line;
//! `// sinew-ignore-file TA-000004: reason` is about the whole file. In `metadata` of the template or of a resource,
//! `"sinew": { "ignore": { "TA-000004": "reason" } }` is about everything inside. A reason is not optional.

use base::{Diagnostic, SourceFile, TextRange};
use json::{Kind, Node, Parsed};
use smol_str::SmolStr;

use crate::analyze::{Finding, Spot};
use crate::messages;

/// What is accepted in one file.
#[derive(Debug, Clone, Default)]
pub struct Accepted {
    entries: Vec<Entry>,
}

#[derive(Debug, Clone)]
struct Entry {
    rule: SmolStr,
    reason: String,
    extent: Extent,
}

/// What an entry is about.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Extent {
    File,
    /// Counted from zero.
    Line(u32),
    /// Everything below a JSON pointer.
    Below(String),
}

impl Accepted {
    /// Reads the comments and the metadata of a template.
    pub fn of_json(parsed: &Parsed, file: &SourceFile) -> (Self, Vec<Diagnostic>) {
        let (mut accepted, mut diagnostics) =
            Self::of_comments(parsed.comments.iter().map(|c| c.range), file);
        if let Some(root) = &parsed.root {
            in_metadata(root, &mut String::new(), &mut accepted, &mut diagnostics);
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
            let Some((whole_file, rules, reason)) = directive(file.slice(range)) else { continue };
            if reason.is_empty() || rules.is_empty() {
                diagnostics.push(messages::no_reason(range));
                continue;
            }
            let line = file.position(range.start()).line;
            let before = TextRange::new(file.lines().line_start(line), range.start());
            let alone = file.slice(before).trim().is_empty();
            let extent = if whole_file { Extent::File } else { Extent::Line(line + u32::from(alone)) };
            accepted.entries.extend(rules.into_iter().map(|rule| Entry {
                rule,
                reason: reason.to_owned(),
                extent: extent.clone(),
            }));
        }
        (accepted, diagnostics)
    }

    /// The reason why a value is accepted, if it is.
    pub fn reason(&self, rule: &str, spot: &Spot, line: u32) -> Option<&str> {
        let covers = |entry: &&Entry| {
            json::eq_ignore_case(&entry.rule, rule)
                && match &entry.extent {
                    Extent::File => true,
                    Extent::Line(at) => *at == line,
                    Extent::Below(pointer) => {
                        let rest = spot.pointer.strip_prefix(pointer.as_str());
                        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
                    }
                }
        };
        self.entries.iter().find(covers).map(|entry| entry.reason.as_str())
    }

    /// A finding without the values that are accepted; none when nothing is left of it.
    pub fn remaining(&self, finding: &Finding, rule: &str, file: &SourceFile) -> Option<Finding> {
        let open = |spot: &&Spot| self.reason(rule, spot, file.position(spot.range.start()).line).is_none();
        let spots: Vec<Spot> = finding.spots.iter().filter(open).cloned().collect();
        (!spots.is_empty()).then(|| Finding { spots, ..finding.clone() })
    }
}

/// Whether it is about the whole file, the rules, and the reason.
fn directive(comment: &str) -> Option<(bool, Vec<SmolStr>, &str)> {
    let text = comment.trim_start_matches(['/', '*', '#']).trim_end_matches(['*', '/']).trim();
    let rest = text.strip_prefix("sinew-ignore")?;
    let (whole_file, rest) = match rest.strip_prefix("-file") {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    if !rest.is_empty() && !rest.starts_with([' ', '\t']) {
        return None;
    }
    let (rules, reason) = rest.split_once(':').unwrap_or((rest, ""));
    let rules = rules.split([',', ' ', '\t']).filter(|rule| !rule.is_empty()).map(SmolStr::new).collect();
    Some((whole_file, rules, reason.trim()))
}

fn in_metadata(
    node: &Node,
    pointer: &mut String,
    accepted: &mut Accepted,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let ignored =
        node.get_ignore_case("metadata").and_then(|m| m.get_ignore_case("sinew")?.get_ignore_case("ignore"));
    for member in ignored.and_then(Node::as_object).into_iter().flatten() {
        match member.value.as_str().map(str::trim).filter(|reason| !reason.is_empty()) {
            Some(reason) => accepted.entries.push(Entry {
                rule: SmolStr::new(&member.key),
                reason: reason.to_owned(),
                extent: Extent::Below(pointer.clone()),
            }),
            None => diagnostics.push(messages::no_reason(member.value.range)),
        }
    }
    let length = pointer.len();
    let mut inside = |token: &str, inner: &Node| {
        *pointer = json::path::join(pointer, token);
        in_metadata(inner, pointer, accepted, diagnostics);
        pointer.truncate(length);
    };
    match &node.value {
        Kind::Array(items) => items.iter().enumerate().for_each(|(at, item)| inside(&at.to_string(), item)),
        Kind::Object(object) => object.iter().for_each(|member| inside(&member.key, &member.value)),
        _ => {}
    }
}
