//! What the ARM Template Analyzer writes to the console.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use base::{Severity, SourceFile};
use camino::Utf8Path;
use rules::{Finding, Rule};

use super::{AnalysisResult, has_error};
use crate::analysis::Checked;
use crate::failure::Failure;
use crate::session::Session;

/// The whole output. Undetermined findings are warnings here: the format has no other place for them.
pub(super) fn render(
    found: &AnalysisResult,
    rules: &[Rule],
    directory: Option<&Utf8Path>,
    session: &Session,
) -> Result<String, Failure> {
    let mut text = String::new();
    let (mut warnings, mut errors) = (Vec::new(), Vec::new());
    if let Some(directory) = directory {
        add(&mut text, format_args!("Directory: {}\n", session.absolute(directory)?));
    }
    for report in found.reports.iter().chain(found.checked.iter().flat_map(|one| &one.reports)) {
        for diagnostic in &report.diagnostics {
            let line = report.file.position(diagnostic.range.start()).line + 1;
            let message = format!("{}({line}): {}", report.file.path(), diagnostic.message);
            match diagnostic.severity {
                Severity::Error => errors.push(message),
                Severity::Warning => warnings.push(message),
                Severity::Info => {}
            }
        }
    }
    if directory.is_some() && errors.is_empty() {
        errors.extend(found.refused.iter().map(|(_, message)| message.clone()));
    }
    let analysed: Vec<&Checked> = found.checked.iter().filter(|one| !has_error(one)).collect();
    for one in &analysed {
        template(&mut text, one, rules, session)?;
    }
    if directory.is_some() {
        let count = analysed.len();
        let files = if count == 1 { "file" } else { "files" };
        add(&mut text, format_args!("\nAnalyzed {count} {files} in the directory specified.\n"));
    }
    summary(&mut text, &warnings, &errors);
    Ok(text)
}

fn template(text: &mut String, one: &Checked, rules: &[Rule], session: &Session) -> Result<(), Failure> {
    add(text, format_args!("\n\nTemplate: {}\n", session.absolute(one.root.path())?));
    let failed: Vec<_> = one.findings.iter().filter(|(_, finding)| finding.undetermined.is_none()).collect();
    let indent = if failed.is_empty() { "" } else { "\t" };
    if let Some(parameters) = &one.parameters {
        add(text, format_args!("{indent}Parameters File: {}\n", session.absolute(parameters)?));
    }
    let mut told = BTreeSet::new();
    for (file, finding) in failed {
        if let Some(rule) = rules.get(finding.rule) {
            let lines = lines(file, finding);
            if told.insert((file.path().to_owned(), rule.id.clone(), lines.clone())) {
                if file.path() != one.root.path() {
                    add(text, format_args!("\tFile: {}\n", session.absolute(file.path())?));
                }
                evaluation(text, rule, &lines);
            }
        }
    }
    add(text, format_args!("\tRules passed: {}\n", one.passed.unwrap_or_default()));
    Ok(())
}

fn evaluation(text: &mut String, rule: &Rule, lines: &BTreeSet<u32>) {
    add(text, format_args!("\t{}: {}\n", rule.id, rule.short_description));
    add(text, format_args!("\t\tSeverity: {}\n", rule.severity));
    if let Some(recommendation) = rule.recommendation.as_deref().filter(|it| !it.trim().is_empty()) {
        add(text, format_args!("\t\tRecommendation: {recommendation}\n"));
    }
    add(text, format_args!("\t\tMore information: {}\n", rule.help_uri.as_deref().unwrap_or_default()));
    text.push_str("\t\tResult: Failed \n");
    for line in lines {
        add(text, format_args!("\t\tLine: {line}\n"));
    }
}

fn lines(file: &SourceFile, finding: &Finding) -> BTreeSet<u32> {
    finding.spots.iter().map(|spot| file.position(spot.range.start()).line + 1).collect()
}

fn summary(text: &mut String, warnings: &[String], errors: &[String]) {
    text.push_str("\nExecution summary:\n");
    if warnings.is_empty() && errors.is_empty() {
        text.push_str("\tThe execution completed successfully\n");
        return;
    }
    for (label, messages) in [("Warning", warnings), ("Error", errors)] {
        for message in messages {
            add(text, format_args!("\t{label}: {message}\n"));
        }
    }
    for (label, messages) in [("Warning", warnings), ("Error", errors)] {
        let count = messages.len();
        add(text, format_args!("\t{count} {label}{}\n", if count == 1 { "" } else { "s" }));
    }
}

fn add(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    // A string takes everything.
    let _ = text.write_fmt(arguments);
}
