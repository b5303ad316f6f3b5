//! The linter: a file of a program comes in, findings go out. Every rule is one file under `rules`, with its
//! documentation (which `sinew explain` prints), its logic and its tests.
//!
//! Levels come from the configuration; a rule that is off does not run. What several rules need is in the modules
//! beside: which function a call means, what is known about a value, what the resources of a file are.

mod api_version;
mod calls;
mod context;
mod deployments;
mod edits;
mod expression_type;
mod locations;
mod manual;
pub mod recent;
mod references;
mod resources;
mod rules;
mod secrets;
#[cfg(test)]
mod testing;
mod token_equality;

use base::{Check, Diagnostic, Severity, TextRange};
use bicep_sema::{BicepFile, FileId, Program};
use config::rules::Level;

pub use api_version::{ApiVersion, Date};
pub use context::{Context, View};
pub use manual::manual;
pub use rules::RULES;

/// A lint rule.
pub struct Rule {
    /// Its code, which is also its key in the configuration.
    pub code: &'static str,
    /// What it is about, for people, in Markdown: the first line is the summary. In the examples, a comment `// <-`
    /// marks the lines that have a finding; a test holds them to it.
    pub documentation: &'static str,
    /// Looks at a file and reports what it finds.
    pub check: fn(&mut Context<'_, '_>),
}

/// What rules need to know beyond the program.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// The date from which the age of API versions is counted. Without it their age is unknown and not judged.
    pub today: Option<Date>,
}

/// Runs all rules that are on over a Bicep file.
pub fn lint(program: &Program<'_>, file: FileId, options: &Options) -> Vec<Diagnostic> {
    let Some(view) = View::new(program, file, options) else { return Vec::new() };
    let mut findings: Vec<Diagnostic> = about_configuration(view.bicep).into_iter().collect();
    for rule in RULES {
        let Some(severity) = severity(view.bicep.config.rule_level(rule.code)) else { continue };
        (rule.check)(&mut Context { view: view.clone(), rule, severity, findings: &mut findings });
    }
    without_repetitions(findings)
}

/// What is found at one place in several ways is said once. In the reference two fixes are never the same, so that findings
/// with fixes are not either.
fn without_repetitions(mut findings: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut seen = std::collections::BTreeSet::new();
    findings.retain(|it| {
        let key = (it.range.start(), it.range.end(), it.code.clone(), it.message.clone());
        !it.fixes.is_empty() || seen.insert(key)
    });
    findings
}

/// Says which configuration holds for a file, where that is asked for.
fn about_configuration(bicep: &BicepFile) -> Option<Diagnostic> {
    let analyzers = &bicep.config.analyzers;
    let path = bicep.config.path().map_or("the built-in configuration", |path| path.as_str());
    let (code, message) = if analyzers.enabled {
        ("Bicep Linter Configuration", format!("The linter is configured by {path}"))
    } else {
        ("Linter Disabled", format!("The linter is switched off by {path}"))
    };
    analyzers.verbose.then(|| Check::Linter.info(code, TextRange::default(), message))
}

/// The documentation of a rule, in Markdown.
pub fn explain(code: &str) -> Option<&'static str> {
    RULES.iter().find(|rule| rule.code == code).map(|rule| rule.documentation)
}

fn severity(level: Level) -> Option<Severity> {
    match level {
        Level::Off => None,
        Level::Info => Some(Severity::Info),
        Level::Warning => Some(Severity::Warning),
        Level::Error => Some(Severity::Error),
    }
}
