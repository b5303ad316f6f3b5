//! Findings as diagnostics, for the renderers that all tools share.

use base::{Check, Diagnostic, TextRange};

use crate::analyze::{Finding, FindingLocation};
use crate::rule::Rule;

/// A finding as a diagnostic of the file it was found in. `place` says where a value stands in that file: for a template
/// its own range, for other languages what their source map says.
pub fn diagnostic(
    finding: &Finding,
    rule: &Rule,
    place: impl Fn(&FindingLocation) -> TextRange,
) -> Diagnostic {
    // What is written and wrong is the place to look at; else the resource itself, before others that belong to it.
    let mut spots: Vec<&FindingLocation> = finding.spots().iter().collect();
    spots.sort_by_key(|spot| (spot.is_missing, spot.depth));
    let mut spots = spots.into_iter();
    let first = spots.next();
    let range = first.map(&place).unwrap_or_default();
    let title = match rule.short_description.trim_end_matches('.') {
        "" => rule.name.as_deref().unwrap_or("The rule is broken"),
        title => title,
    };
    let mut diagnostic = match finding.undetermined() {
        Some(reason) => {
            let message = format!("{title}: undetermined, because {reason}.");
            Check::Rules.undetermined(rule.id.clone(), range, message)
        }
        None => {
            let found = first.map(|spot| spot.message.as_str()).unwrap_or_default();
            Check::Rules.diagnostic(
                rule.id.clone(),
                rule.severity.severity(),
                range,
                format!("{title}: {found}"),
            )
        }
    };
    for spot in spots {
        diagnostic = diagnostic.with_label(place(spot), spot.message.clone());
    }
    if let Some(recommendation) = rule.recommendation.as_deref().filter(|text| !text.trim().is_empty()) {
        diagnostic = diagnostic.with_note(recommendation);
    }
    diagnostic.link = rule.help_uri.clone().filter(|link| !link.is_empty());
    diagnostic
}

/// What a rule is about, why it matters and what to do: text for a person who asks.
pub fn explain(rule: &Rule, source: &str) -> String {
    let mut text = format!("{}: {}\n", rule.id, rule.short_description);
    let mut add = |label: &str, value: Option<&str>| {
        if let Some(value) = value.filter(|value| !value.trim().is_empty()) {
            text.push_str(&format!("\n{label}\n  {value}\n"));
        }
    };
    add("Name", rule.name.as_deref());
    add("Severity", Some(rule.severity.name()));
    add("Why", Some(rule.full_description.as_str()).filter(|full| *full != rule.short_description));
    add("What to do", rule.recommendation.as_deref());
    add("More", rule.help_uri.as_deref());
    let range = usize::from(rule.evaluation_range.start())..usize::from(rule.evaluation_range.end());
    add("Evaluation", source.get(range));
    text
}
