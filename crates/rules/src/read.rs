//! Rule files: JSON with comments comes in, rules and diagnostics go out. A rule that cannot be used is left out and
//! said to be so; the others are there.

use std::collections::BTreeMap;

use arm::Value;
use base::{Diagnostic, Severity};
use json::{Kind, Member, Node, Object};
use smol_str::SmolStr;

use crate::date;
use crate::messages;
use crate::path::RulePath;
use crate::pattern::Pattern;
use crate::rule::{Bound, Comparison, Evaluation, Level, Operator, Rule};

/// What a rule file holds.
#[derive(Debug, Default)]
pub struct RuleFile {
    /// The rules that can be used, in the order of the file.
    pub rules: Vec<Rule>,
    /// What is wrong with the file.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a rule file: one rule, or an array of rules.
pub fn read(text: &str) -> RuleFile {
    read_with(text, false)
}

/// Reads a rule file of which it is known that its patterns are good: they are not made before they are needed.
pub(crate) fn read_trusted(text: &str) -> RuleFile {
    read_with(text, true)
}

fn read_with(text: &str, trusted: bool) -> RuleFile {
    let parsed = json::parse(text, json::Options::lenient());
    let mut file = RuleFile { rules: Vec::new(), diagnostics: parsed.diagnostics };
    let Some(root) = parsed.root else { return file };
    read_all(&root, &mut file, trusted);
    file
}

/// Reads rules that are part of another document.
pub(crate) fn read_rules(node: &Node, file: &mut RuleFile) {
    read_all(node, file, false);
}

fn read_all(node: &Node, file: &mut RuleFile, trusted: bool) {
    let nodes = match &node.value {
        Kind::Array(items) => items.as_slice(),
        Kind::Object(_) => std::slice::from_ref(node),
        _ => return file.diagnostics.push(messages::not_a_rule_file(node.range, kind_name(node))),
    };
    let mut reader = RuleReader { diagnostics: Vec::new(), trusted, patterns: BTreeMap::new() };
    for node in nodes {
        let rule = reader.rule(node);
        let broken = reader.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
        if let Some(rule) = rule.filter(|_| !broken) {
            if file.rules.iter().any(|other| other.id == rule.id) {
                reader.diagnostics.push(messages::repeated_id(rule.range, &rule.id));
            }
            file.rules.push(rule);
        }
        file.diagnostics.append(&mut reader.diagnostics);
    }
}

/// Evaluations may not be nested deeper.
const MAX_DEPTH: usize = 64;

/// The texts of a rule, with what they are for.
pub(crate) const RULE_TEXTS: &[(&str, &str)] = &[
    ("id", "What names the rule in reports and filters; `name` when it is left out."),
    ("name", "A name with words in it."),
    ("description", "What the rule is about."),
    ("shortDescription", "What the rule is about, in one sentence."),
    ("fullDescription", "What the rule is about and why."),
    ("recommendation", "What to do when a template breaks the rule."),
    ("helpUri", "Where more is to be read."),
];

fn rule_keys() -> impl Iterator<Item = &'static str> + Clone {
    RULE_TEXTS.iter().map(|(name, _)| *name).chain(["severity", "evaluation", "examples"])
}

const EVALUATION_KEYS: &[&str] = &["resourceType", "path", "where"];

pub(crate) const OPERATORS: &[&str] = &[
    "exists",
    "hasValue",
    "equals",
    "notEquals",
    "less",
    "lessOrEquals",
    "greater",
    "greaterOrEquals",
    "regex",
    "in",
    "anyOf",
    "allOf",
    "not",
];

struct RuleReader {
    diagnostics: Vec<Diagnostic>,
    /// Whether patterns are known to be good.
    trusted: bool,
    /// The patterns so far: many rules ask for the same.
    patterns: BTreeMap<String, Pattern>,
}

/// Which evaluation of which rule, for messages.
#[derive(Clone)]
struct EvaluationPath {
    rule: SmolStr,
    path: String,
    depth: usize,
}

impl EvaluationPath {
    fn inside(&self, step: &str) -> Self {
        Self { rule: self.rule.clone(), path: format!("{}.{step}", self.path), depth: self.depth + 1 }
    }

    fn property(&self, name: &str) -> String {
        format!("`{}.{name}` of rule '{}'", self.path, self.rule)
    }

    fn whole(&self) -> String {
        format!("`{}` of rule '{}'", self.path, self.rule)
    }
}

impl RuleReader {
    fn rule(&mut self, node: &Node) -> Option<Rule> {
        let Some(object) = node.as_object() else {
            self.diagnostics.push(messages::not_a_rule(node.range, kind_name(node)));
            return None;
        };
        let text = |name: &str| member(object, name).and_then(|m| m.value.as_str()).map(str::to_owned);
        let Some(id) = text("id").or_else(|| text("name")).filter(|id| !id.trim().is_empty()) else {
            self.diagnostics.push(messages::no_identity(node.range));
            return None;
        };
        let id = SmolStr::from(id);
        self.check_metadata(object, &id);
        let severity = self.severity(object, &id);
        let short = text("shortDescription").or_else(|| text("description"));
        let full = text("fullDescription").or_else(|| text("description")).or_else(|| short.clone());
        let Some(evaluation) = member(object, "evaluation") else {
            self.diagnostics.push(messages::missing(node.range, &format!("Rule '{id}'"), "evaluation"));
            return None;
        };
        let place = EvaluationPath { rule: id.clone(), path: "evaluation".into(), depth: 0 };
        Some(Rule {
            name: text("name"),
            short_description: short.or_else(|| full.clone()).unwrap_or_default(),
            full_description: full.unwrap_or_default(),
            recommendation: text("recommendation"),
            help_uri: text("helpUri"),
            severity,
            evaluation: self.evaluation(&evaluation.value, &place)?,
            range: node.range,
            evaluation_range: evaluation.value.range,
            id,
        })
    }

    fn check_metadata(&mut self, object: &Object, id: &str) {
        for member in object {
            let Some(known) = rule_keys().find(|key| json::eq_ignore_case(key, &member.key)) else {
                let suggestion = base::spelling::suggest(&member.key, rule_keys());
                let place = format!("Rule '{id}'");
                let at = member.key_range;
                self.diagnostics.push(messages::unknown_property(at, &place, &member.key, suggestion));
                continue;
            };
            let wants_text = !matches!(known, "evaluation" | "severity" | "examples");
            if wants_text && member.value.as_str().is_none() && !member.value.is_null() {
                let place = format!("`{known}` of rule '{id}'");
                self.diagnostics.push(wrong(&member.value, &place, "a text"));
            }
        }
    }

    fn severity(&mut self, object: &Object, id: &str) -> Level {
        let Some(member) = member(object, "severity") else { return Level::default() };
        let level = match &member.value.value {
            Kind::Number(number) => Level::read(&number.to_string()),
            Kind::String(text) => Level::read(text),
            _ => None,
        };
        level.unwrap_or_else(|| {
            let place = format!("`severity` of rule '{id}'");
            self.diagnostics.push(messages::bad_severity(member.value.range, &place));
            Level::default()
        })
    }

    fn evaluation(&mut self, node: &Node, place: &EvaluationPath) -> Option<Evaluation> {
        let Some(object) = node.as_object() else {
            self.diagnostics.push(wrong(node, &place.whole(), "an evaluation object"));
            return None;
        };
        if place.depth > MAX_DEPTH {
            self.diagnostics.push(messages::nested_too_deeply(node.range, &place.whole(), MAX_DEPTH));
            return None;
        }
        self.check_keys(object, place);
        let resource_type = self.text(object, "resourceType", place).map(SmolStr::from);
        let path = member(object, "path").and_then(|path| self.path(&path.value, place));
        let filter =
            member(object, "where").map(|filter| self.evaluation(&filter.value, &place.inside("where")));
        let operators: Vec<(&str, &Member)> = object.iter().filter_map(operator_of).collect();
        let (name, member) = match operators.as_slice() {
            [one] => *one,
            [] => {
                self.diagnostics.push(messages::no_operator(node.range, &place.whole()));
                return None;
            }
            several @ [_, (_, second), ..] => {
                let names: Vec<&str> = several.iter().map(|(name, _)| *name).collect();
                self.diagnostics.push(messages::several_operators(second.key_range, &place.whole(), &names));
                return None;
            }
        };
        let structured = matches!(name, "anyOf" | "allOf" | "not");
        if !structured && self::member(object, "path").is_none() {
            self.diagnostics.push(messages::missing(node.range, &place.whole(), "path"));
        }
        let operator = self.operator(name, &member.value, place)?;
        let filter = match filter {
            Some(filter) => Some(Box::new(filter?)),
            None => None,
        };
        Some(Evaluation { resource_type, path, filter, operator })
    }

    fn check_keys(&mut self, object: &Object, place: &EvaluationPath) {
        for member in object {
            let mut known = EVALUATION_KEYS.iter().chain(OPERATORS);
            if known.any(|key| json::eq_ignore_case(key, &member.key)) {
                continue;
            }
            let known = EVALUATION_KEYS.iter().chain(OPERATORS).copied();
            let suggestion = base::spelling::suggest(&member.key, known);
            let at = member.key_range;
            self.diagnostics.push(messages::unknown_property(at, &place.whole(), &member.key, suggestion));
        }
    }

    fn text(&mut self, object: &Object, name: &str, place: &EvaluationPath) -> Option<String> {
        let member = member(object, name)?;
        let text = member.value.as_str().map(str::to_owned);
        if text.is_none() && !member.value.is_null() {
            self.diagnostics.push(wrong(&member.value, &place.property(name), "a text"));
        }
        text
    }

    fn path(&mut self, node: &Node, place: &EvaluationPath) -> Option<RulePath> {
        let Some(text) = node.as_str() else {
            if !node.is_null() {
                self.diagnostics.push(wrong(node, &place.property("path"), "a text"));
            }
            return None;
        };
        RulePath::new(text)
            .map_err(|reason| {
                self.diagnostics.push(messages::bad_path(node.range, &place.property("path"), &reason));
            })
            .ok()
    }

    fn operator(&mut self, name: &str, node: &Node, place: &EvaluationPath) -> Option<Operator> {
        let property = place.property(name);
        let found = match name {
            "exists" => node.as_bool().map(Operator::Exists).ok_or("true or false"),
            "hasValue" => node.as_bool().map(Operator::HasValue).ok_or("true or false"),
            "equals" => Ok(Operator::Equals(Value::from(node))),
            "notEquals" => Ok(Operator::NotEquals(Value::from(node))),
            "less" => bound(Comparison::Less, node),
            "lessOrEquals" => bound(Comparison::LessOrEquals, node),
            "greater" => bound(Comparison::Greater, node),
            "greaterOrEquals" => bound(Comparison::GreaterOrEquals, node),
            "regex" => return self.regex(node, &property),
            "in" => {
                self.check_types(node, &property);
                let values = node.as_array().map(|items| items.iter().map(Value::from).collect());
                values.map(Operator::In).ok_or("an array of values")
            }
            "not" => return self.negation(node, place),
            _ => return self.children(name, node, place),
        };
        found.map_err(|wanted| self.diagnostics.push(wrong(node, &property, wanted))).ok()
    }

    fn regex(&mut self, node: &Node, property: &str) -> Option<Operator> {
        let Some(text) = node.as_str() else {
            self.diagnostics.push(wrong(node, property, "a pattern"));
            return None;
        };
        if let Some(known) = self.patterns.get(text) {
            return Some(Operator::Regex(known.clone()));
        }
        let pattern = if self.trusted { Ok(Pattern::trusted(text)) } else { Pattern::new(text) };
        match pattern {
            Ok(pattern) => {
                self.patterns.insert(text.to_owned(), pattern.clone());
                Some(Operator::Regex(pattern))
            }
            Err(reason) => {
                self.diagnostics.push(messages::bad_regex(node.range, property, &reason));
                None
            }
        }
    }

    fn check_types(&mut self, node: &Node, property: &str) {
        let mut kinds: Vec<&str> = node.as_array().into_iter().flatten().map(kind_name).collect();
        kinds.dedup();
        if kinds.len() > 1 {
            self.diagnostics.push(messages::mixed_types(node.range, property));
        }
    }

    /// `not` takes an evaluation, or an array of exactly one.
    fn negation(&mut self, node: &Node, place: &EvaluationPath) -> Option<Operator> {
        let inner = match node.as_array() {
            Some([one]) => one,
            Some(_) => {
                self.diagnostics.push(wrong(node, &place.property("not"), "one evaluation object"));
                return None;
            }
            None => node,
        };
        Some(Operator::Not(Box::new(self.evaluation(inner, &place.inside("not"))?)))
    }

    fn children(&mut self, name: &str, node: &Node, place: &EvaluationPath) -> Option<Operator> {
        let Some(items) = node.as_array() else {
            self.diagnostics.push(wrong(node, &place.property(name), "an array of evaluations"));
            return None;
        };
        if items.is_empty() {
            self.diagnostics.push(messages::empty_list(node.range, &place.property(name)));
            return None;
        }
        let read =
            |(at, item): (usize, &Node)| self.evaluation(item, &place.inside(&format!("{name}[{at}]")));
        let children: Vec<Option<Evaluation>> = items.iter().enumerate().map(read).collect();
        let children: Vec<Evaluation> = children.into_iter().collect::<Option<_>>()?;
        Some(if name == "allOf" { Operator::AllOf(children) } else { Operator::AnyOf(children) })
    }
}

fn bound(comparison: Comparison, node: &Node) -> Result<Operator, &'static str> {
    let bound = match &node.value {
        Kind::Number(number) => number.as_f64().map(Bound::Number),
        Kind::String(text) => date::parse(text).map(|instant| Bound::Date(instant, text.clone())),
        _ => None,
    };
    bound.map(|bound| Operator::Compare(comparison, bound)).ok_or("a number or a date")
}

fn operator_of(member: &Member) -> Option<(&'static str, &Member)> {
    let name = OPERATORS.iter().find(|name| json::eq_ignore_case(name, &member.key))?;
    Some((name, member))
}

fn member<'n>(object: &'n Object, name: &str) -> Option<&'n Member> {
    object.get_ignore_case(name)
}

fn wrong(node: &Node, place: &str, wanted: &str) -> Diagnostic {
    messages::wrong_type(node.range, place, wanted, kind_name(node))
}

/// How messages call what a node is.
pub(crate) fn kind_name(node: &Node) -> &'static str {
    match node.value {
        Kind::Null => "null",
        Kind::Bool(_) => "true or false",
        Kind::Number(_) => "a number",
        Kind::String(_) => "a text",
        Kind::Array(_) => "an array",
        Kind::Object(_) => "an object",
    }
}
