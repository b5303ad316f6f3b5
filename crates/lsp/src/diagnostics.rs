//! Diagnostics in the form of the protocol: a report comes in, values go out.

use base::{Check, Diagnostic, FileReport, Severity, SourceFile};
use serde_json::{Value, json};

use crate::convert::{self, set};
use crate::uri;

/// The diagnostics of a file.
pub(crate) fn diagnostics(report: &FileReport) -> Vec<Value> {
    report.diagnostics.iter().map(|it| diagnostic(&report.file, it)).collect()
}

fn diagnostic(source: &SourceFile, diagnostic: &Diagnostic) -> Value {
    let mut value = json!({
        "range": convert::range(source, diagnostic.range),
        "severity": severity(diagnostic.severity),
        "code": diagnostic.code.as_str(),
        "source": source_of(diagnostic),
        "message": diagnostic.message,
    });
    if let Some(link) = &diagnostic.link {
        set(&mut value, "codeDescription", json!({ "href": link }));
    }
    if diagnostic.code.starts_with("no-unused-") {
        set(&mut value, "tags", json!([UNNECESSARY]));
    }
    let here = diagnostic.labels.iter().map(|label| related(source, label.range, &label.message));
    let elsewhere = diagnostic.related.iter().map(|it| related(&it.file, it.range, &it.message));
    let related: Vec<Value> = here.chain(elsewhere).collect();
    if !related.is_empty() {
        set(&mut value, "relatedInformation", Value::Array(related));
    }
    value
}

/// Shown in a faint colour.
const UNNECESSARY: u8 = 1;

fn severity(severity: Severity) -> u8 {
    match severity {
        Severity::Error => 1,
        Severity::Warning => 2,
        Severity::Info => 3,
    }
}

/// Who says so. Compiler and linter have the names that the reference gives them.
pub(crate) fn source_of(diagnostic: &Diagnostic) -> &'static str {
    match diagnostic.check {
        Check::Rules => "sinew rules",
        _ if bicep_lint::RULES.iter().any(|rule| rule.code == diagnostic.code) => "bicep core linter",
        _ => "bicep",
    }
}

fn related(file: &SourceFile, range: base::TextRange, message: &str) -> Value {
    let location = json!({ "uri": uri::of_path(file.path()), "range": convert::range(file, range) });
    json!({ "location": location, "message": message })
}
