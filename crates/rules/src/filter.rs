//! Which rules run, and how much each matters: the configuration file of the analyzer.

use json::{Kind, Node};
use smol_str::SmolStr;

use crate::rule::{Level, Rule};

/// A configuration: which rules stay, and whose severity is changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only these stay, when there is such a list; exclusions then do not count.
    pub inclusions: Option<Selection>,
    /// These go.
    pub exclusions: Selection,
    /// Severities by id, for the rules that stay.
    pub overrides: Vec<(SmolStr, Level)>,
    /// Findings that are accepted.
    pub accepted: Vec<Exemption>,
}

/// Findings of one rule that are accepted in some files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exemption {
    /// The id of the rule, in any letter case.
    pub rule: SmolStr,
    /// Which files, as a pattern seen from the configuration; all when it says nothing.
    pub path: String,
    /// Why.
    pub reason: String,
}

/// Rules by severity or id.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// Severities, as the rules have them before overrides.
    pub levels: Vec<Level>,
    /// Ids, letter case included.
    pub ids: Vec<SmolStr>,
}

impl Selection {
    fn has(&self, rule: &Rule) -> bool {
        self.levels.contains(&rule.severity) || self.ids.contains(&rule.id)
    }
}

impl Filter {
    /// Reads a configuration; the error says what is wrong with it, and where.
    pub fn read(root: &Node) -> Result<Self, (String, base::TextRange)> {
        if root.as_object().is_none() {
            return Err(("A configuration is an object.".into(), root.range));
        }
        let inclusions = match root.get_ignore_case("inclusions") {
            Some(node) => selection(node)?,
            None => None,
        };
        let exclusions = match root.get_ignore_case("exclusions") {
            Some(node) => selection(node)?.unwrap_or_default(),
            None => Selection::default(),
        };
        let mut overrides = Vec::new();
        let members = root.get_ignore_case("severityOverrides").and_then(Node::as_object);
        for member in members.into_iter().flatten() {
            overrides.push((SmolStr::new(&member.key), level(&member.value)?));
        }
        let accepted = list(root, "accepted")?.unwrap_or_default().iter().map(exemption);
        Ok(Self { inclusions, exclusions, overrides, accepted: accepted.collect::<Result<_, _>>()? })
    }

    /// The rules that stay, with the severities they then have.
    pub fn apply(&self, rules: Vec<Rule>) -> Vec<Rule> {
        let stays = |rule: &Rule| match &self.inclusions {
            Some(selection) => selection.has(rule),
            None => !self.exclusions.has(rule),
        };
        let mut rules: Vec<Rule> = rules.into_iter().filter(stays).collect();
        for rule in &mut rules {
            if let Some((_, level)) = self.overrides.iter().find(|(id, _)| *id == rule.id) {
                rule.severity = *level;
            }
        }
        rules
    }
}

/// None when neither list is there.
fn selection(node: &Node) -> Result<Option<Selection>, (String, base::TextRange)> {
    let (levels, ids) = (list(node, "severity")?, list(node, "ids")?);
    if levels.is_none() && ids.is_none() {
        return Ok(None);
    }
    let levels = levels.unwrap_or_default().iter().map(level).collect::<Result<_, _>>()?;
    let ids = ids.unwrap_or_default().iter().map(|id| {
        id.as_str().map(SmolStr::new).ok_or_else(|| ("The id of a rule is a text.".into(), id.range))
    });
    Ok(Some(Selection { levels, ids: ids.collect::<Result<_, _>>()? }))
}

fn exemption(node: &Node) -> Result<Exemption, (String, base::TextRange)> {
    let text = |name: &str| node.get_ignore_case(name).and_then(Node::as_str).map(str::trim);
    match (text("rule"), text("reason")) {
        (Some(rule), Some(reason)) if !rule.is_empty() && !reason.is_empty() => Ok(Exemption {
            rule: SmolStr::new(rule),
            path: text("path").unwrap_or("**").to_owned(),
            reason: reason.to_owned(),
        }),
        _ => Err(("What is accepted has a `rule` and a `reason`, and may have a `path`.".into(), node.range)),
    }
}

fn list<'n>(node: &'n Node, name: &str) -> Result<Option<&'n [Node]>, (String, base::TextRange)> {
    match node.get_ignore_case(name) {
        None => Ok(None),
        Some(list) if list.is_null() => Ok(None),
        Some(list) => list.as_array().map(Some).ok_or_else(|| (format!("`{name}` is an array."), list.range)),
    }
}

fn level(node: &Node) -> Result<Level, (String, base::TextRange)> {
    let level = match &node.value {
        Kind::Number(number) => Level::read(&number.to_string()),
        Kind::String(text) => Level::read(text),
        _ => None,
    };
    level.ok_or_else(|| ("A severity is 1 (High), 2 (Medium) or 3 (Low).".into(), node.range))
}
