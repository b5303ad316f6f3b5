//! The linter: a file of a program comes in, findings go out. Every rule is one file under `rules`, with its
//! documentation (which `sinew explain` prints), its logic and its tests.
//!
//! Levels come from the configuration; a rule that is off does not run.

mod context;
mod rules;
#[cfg(test)]
mod testing;

use base::{Diagnostic, Severity};
use bicep_sema::{FileId, Program};
use config::rules::Level;

pub use context::Context;
pub use rules::RULES;

/// A lint rule.
pub struct Rule {
    /// Its code, which is also its key in the configuration.
    pub code: &'static str,
    /// What it is about, for people: the first line is the summary.
    pub documentation: &'static str,
    /// Looks at a file and reports what it finds.
    pub check: fn(&mut Context<'_, '_>),
}

/// Runs all rules that are on over a Bicep file.
pub fn lint(program: &Program<'_>, file: FileId) -> Vec<Diagnostic> {
    let Some(bicep) = program.bicep(file) else { return Vec::new() };
    let Some(model) = program.model(file) else { return Vec::new() };
    if !bicep.config.analyzers.enabled {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for rule in RULES {
        let Some(severity) = severity(bicep.config.rule_level(rule.code)) else { continue };
        (rule.check)(&mut Context::new(program, bicep, model, rule, severity, &mut findings));
    }
    findings
}

fn severity(level: Level) -> Option<Severity> {
    match level {
        Level::Off => None,
        Level::Info => Some(Severity::Info),
        Level::Warning => Some(Severity::Warning),
        Level::Error => Some(Severity::Error),
    }
}
