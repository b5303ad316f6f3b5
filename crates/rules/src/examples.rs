//! Rules that are tried on their own examples: each rule of a file may bring templates that must pass and templates
//! that must fail.
//!
//! An example is a whole template, a list of resources, or a single resource. A rule that finds nothing to look at in
//! an example has not passed it: most often a type or a path is misspelt.

use base::{Budget, Limits, TextRange};
use json::{Kind, Member, Node, Object};
use smol_str::SmolStr;

use crate::analyze::{Analysis, analyze};
use crate::process::Source;
use crate::read::{RuleFile, read_rules};

/// What came of the examples of a rule file.
#[derive(Debug, Default)]
pub struct Trial {
    /// The rules and what is wrong with their file.
    pub file: RuleFile,
    /// Every example in the order of the file.
    pub examples: Vec<Example>,
}

#[derive(Debug)]
pub struct Example {
    /// The id of the rule.
    pub rule: SmolStr,
    /// Whether it should pass.
    pub passes: bool,
    /// Its position among the examples of the rule that should do the same, from zero.
    pub index: usize,
    pub range: TextRange,
    /// What went otherwise; none when all is well.
    pub problem: Option<String>,
}

/// Reads a rule file and tries its rules on their examples.
pub fn try_examples(text: &str) -> Trial {
    let parsed = json::parse(text, json::Options::lenient());
    let mut trial = Trial::default();
    trial.file.diagnostics = parsed.diagnostics;
    let Some(root) = parsed.root else { return trial };
    read_rules(&root, &mut trial.file);
    let nodes = match &root.value {
        Kind::Array(items) => items.as_slice(),
        _ => std::slice::from_ref(&root),
    };
    for node in nodes {
        let Some(at) = trial.file.rules.iter().position(|rule| rule.range == node.range) else { continue };
        for (key, passes) in [("pass", true), ("fail", false)] {
            let list = node.get_ignore_case("examples").and_then(|e| e.get_ignore_case(key)?.as_array());
            for (index, example) in list.unwrap_or_default().iter().enumerate() {
                let rule = &trial.file.rules.get(at..=at).unwrap_or_default();
                let analysis = run(example, rule);
                trial.examples.push(Example {
                    rule: rule.first().map(|rule| rule.id.clone()).unwrap_or_default(),
                    passes,
                    index,
                    range: example.range,
                    problem: problem(&analysis, passes),
                });
            }
        }
    }
    trial
}

fn run(example: &Node, rules: &[crate::Rule]) -> Analysis {
    let budget = Budget::new(Limits::default());
    let read = arm::Template::read(&template(example));
    let source = Source::new(&read, &budget);
    analyze(source, rules)
}

fn problem(analysis: &Analysis, passes: bool) -> Option<String> {
    let open = analysis.findings.iter().find_map(crate::Finding::undetermined);
    let failed = analysis.findings.iter().find(|finding| finding.verdict.is_fail());
    match (passes, failed, open) {
        (true, Some(finding), _) => {
            let messages: Vec<&str> = finding.spots().iter().map(|spot| spot.message.as_str()).collect();
            Some(format!("It should pass, but fails: {}", messages.join(" ")))
        }
        (false, Some(_), _) => None,
        (_, None, Some(reason)) => Some(format!("The rule cannot decide, because {reason}.")),
        (true, None, None) if analysis.passed > 0 => None,
        (true, None, None) => Some("The rule finds nothing to look at here.".into()),
        (false, None, None) if analysis.passed > 0 => Some("It should fail, but passes.".into()),
        (false, None, None) => Some("It should fail, but the rule finds nothing to look at here.".into()),
    }
}

/// A whole template around what an example is.
fn template(example: &Node) -> Node {
    let is_template =
        example.get_ignore_case("resources").is_some() && example.get_ignore_case("type").is_none();
    if is_template {
        return example.clone();
    }
    let node = |value: Kind| Node { range: example.range, value };
    let resources = match &example.value {
        Kind::Array(_) => example.clone(),
        _ => node(Kind::Array(vec![example.clone()])),
    };
    let text = |text: &str| node(Kind::String(text.into()));
    let schema = arm::TargetScope::ResourceGroup.schema();
    let members = [("$schema", text(&schema)), ("contentVersion", text("1.0.0.0")), ("resources", resources)];
    let members = members.map(|(key, value)| Member { key: key.into(), key_range: example.range, value });
    node(Kind::Object(Object::new(members.into())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_say_whether_a_rule_does_what_its_author_thinks() {
        let rule = r#"{
            "id": "R1", "description": "HTTPS only",
            "evaluation": { "resourceType": "Microsoft.Web/sites", "path": "properties.httpsOnly", "equals": true },
            "examples": {
                "pass": [
                    { "type": "Microsoft.Web/sites", "name": "a", "properties": { "httpsOnly": "[true()]" } },
                    { "type": "Microsoft.Web/site", "name": "a", "properties": { "httpsOnly": true } },
                    [{ "type": "Microsoft.Web/sites", "name": "a", "properties": {} }]
                ],
                "fail": [
                    { "type": "Microsoft.Web/sites", "name": "a", "properties": { "httpsOnly": false } },
                    { "type": "Microsoft.Web/sites", "name": "a", "properties": { "httpsOnly": true } }
                ]
            }
        }"#;
        let trial = try_examples(rule);
        assert!(trial.file.diagnostics.is_empty(), "{:?}", trial.file.diagnostics);
        let problems: Vec<Option<&str>> =
            trial.examples.iter().map(|example| example.problem.as_deref()).collect();
        assert_eq!(
            problems,
            [
                None,
                Some("The rule finds nothing to look at here."),
                Some("It should pass, but fails: `properties.httpsOnly` must be `true`, but is missing."),
                None,
                Some("It should fail, but passes."),
            ]
        );
    }
}
