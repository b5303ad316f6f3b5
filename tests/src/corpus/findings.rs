//! Diagnostics in comparable form: from a SARIF report, and from the recorded list.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

use serde_json::Value;

/// Where and what, without words.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Finding {
    start: (u64, u64),
    end: (u64, u64),
    code: String,
    level: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { start, end, code, level } = self;
        write!(f, "({},{})-({},{}) {level} {code}", start.0, start.1, end.0, end.1)
    }
}

/// The findings of a SARIF report about one file, by its name.
pub(super) fn reported(sarif: &[u8], entry: &Path) -> Result<Vec<Finding>, String> {
    let report: Value =
        serde_json::from_slice(sarif).map_err(|error| format!("the report is no JSON: {error}"))?;
    let results = report.pointer("/runs/0/results").and_then(Value::as_array);
    let name = entry.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let mut findings = Vec::new();
    for result in results.ok_or("the report has no results")? {
        let place = result.pointer("/locations/0/physicalLocation").unwrap_or(&Value::Null);
        let uri = place.pointer("/artifactLocation/uri").and_then(Value::as_str).unwrap_or_default();
        if uri.rsplit('/').next() != Some(name) {
            continue;
        }
        let number = |key: &str| place.pointer(&format!("/region/{key}")).and_then(Value::as_u64);
        let start = (number("startLine").unwrap_or_default(), number("startColumn").unwrap_or(1));
        let end = (number("endLine").unwrap_or(start.0), number("endColumn").unwrap_or(start.1));
        let level = match super::string(result, "level") {
            "error" => "Error",
            "note" => "Info",
            "none" => "Off",
            _ => "Warning",
        };
        let code = super::string(result, "ruleId").to_owned();
        findings.push(Finding { start, end, code, level: level.to_owned() });
    }
    findings.sort();
    Ok(findings)
}

/// The findings of a recorded list.
pub(super) fn recorded(list: &Value) -> Vec<Finding> {
    let position = |value: &Value, key: &str| {
        let number = |index: usize| value.get(key).and_then(|pair| pair.get(index)).and_then(Value::as_u64);
        (number(0).unwrap_or_default(), number(1).unwrap_or_default())
    };
    let mut findings: Vec<_> = list
        .as_array()
        .into_iter()
        .flatten()
        .map(|item| Finding {
            start: position(item, "start"),
            end: position(item, "end"),
            code: super::string(item, "code").to_owned(),
            level: super::string(item, "level").to_owned(),
        })
        .collect();
    findings.sort();
    findings
}

/// Keeps what only lexer and parser report.
pub(super) fn keep_syntax(findings: &mut Vec<Finding>) {
    findings.retain(|finding| {
        let number = finding.code.strip_prefix("BCP").and_then(|digits| digits.parse().ok());
        number.is_some_and(|number: u32| SYNTAX.contains(&number))
    });
}

/// The numbers of the codes that lexer and parser report, and nobody else.
const SYNTAX: &[u32] = &[
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 64, 68, 87, 96, 97,
    103, 117, 118, 123, 133, 136, 140, 162, 167, 201, 202, 226, 236, 237, 238, 243, 249, 257, 266, 279, 300,
    305, 317, 322, 325, 337, 344, 346, 347, 354, 355, 356, 375, 404, 436,
];

/// Compares, and says what is missing and what is too much.
pub(super) fn compare(found: &[Finding], expected: &[Finding]) -> Result<(), String> {
    if found == expected {
        return Ok(());
    }
    let (found, expected) = (BTreeSet::from_iter(found), BTreeSet::from_iter(expected));
    let mut lines: Vec<_> =
        expected.difference(&found).map(|finding| format!("missing    {finding}")).collect();
    lines.extend(found.difference(&expected).map(|finding| format!("unexpected {finding}")));
    if lines.is_empty() {
        lines.push("the same diagnostic is reported more or less often than it should be".to_owned());
    }
    Err(lines.join("\n"))
}
