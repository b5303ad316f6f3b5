//! Suites about the engine alone: values, paths, scopes and rule files, without template processing.

use arm::Value as ArmValue;
use base::{Budget, Limits};
use json::Segment;
use rules::path::RulePath;
use rules::scope::{self, Scope};
use rules::{Document, Evaluation, Filter, Level};
use serde_json::{Value, json};

use crate::Corpus;

type Checked = Result<(), String>;

fn equal<T: PartialEq + std::fmt::Debug>(what: &str, found: &T, expected: &T) -> Checked {
    if found == expected { Ok(()) } else { Err(format!("{what}: found {found:?}, expected {expected:?}")) }
}

fn budget() -> Budget {
    Budget::new(Limits::default())
}

/// Reads an evaluation by wrapping it into a rule.
fn evaluation(evaluation: &Value) -> Result<Evaluation, String> {
    let text = json!({ "id": "case", "evaluation": evaluation }).to_string();
    let mut file = rules::read(&text);
    let errors: Vec<_> = file.diagnostics.iter().filter(|d| d.severity == base::Severity::Error).collect();
    if !errors.is_empty() {
        return Err(format!("{errors:?}"));
    }
    Ok(file.rules.remove(0).evaluation)
}

/// Truth of every place, in order.
fn truths(rule: &Value, template: &Value) -> Result<Vec<bool>, String> {
    let evaluation = evaluation(rule)?;
    let document = Document::plain(ArmValue::from(template));
    let outcomes = rules::evaluate(&evaluation, document.view(), &budget());
    Ok(outcomes.iter().map(base::Verdict::is_pass).collect())
}

pub fn operator(_: &Corpus, case: &Value, _: &Value) -> Checked {
    let operator = case["operator"].as_str().unwrap_or_default();
    let mut rule = json!({ "path": "value", operator: case["rule_value"] });
    if case["negated_by_not"] == true {
        rule = json!({ "not": rule });
    }
    let mut template = json!({});
    if let Some(value) = case.get("value") {
        template["value"] = value.clone();
    }
    equal("truth", &truths(&rule, &template)?, &vec![case["expected"] == true])
}

fn tokens(path: &json::Path) -> Value {
    path.0
        .iter()
        .map(|segment| match segment {
            Segment::Key(key) => json!(key),
            Segment::Index(index) => json!(index),
        })
        .collect()
}

pub fn path(_: &Corpus, case: &Value, suite: &Value) -> Checked {
    let text = case["path"].as_str().unwrap_or_default();
    let document = Document::plain(ArmValue::from(&suite["document"]));
    let places = scope::along(&Scope::root(document.view()), &RulePath::new(text)?);
    let found =
        places.iter().map(|place| if place.view.is_some() { tokens(&place.path) } else { Value::Null });
    let mut found: Vec<Value> = found.collect();
    let mut expected = case["resolved"].as_array().cloned().unwrap_or_default();
    if case["any_order"] == true {
        found.sort_by_key(ToString::to_string);
        expected.sort_by_key(ToString::to_string);
    }
    equal("places", &found, &expected)
}

pub fn scope(_: &Corpus, case: &Value, suite: &Value) -> Checked {
    let mut rule = json!({ "allOf": [{ "path": "x", "exists": true }] });
    for name in ["resourceType", "path"] {
        if !case[name].is_null() {
            rule[name] = case[name].clone();
        }
    }
    let evaluation = evaluation(&rule)?;
    let document = Document::plain(ArmValue::from(&suite["template"]));
    let scopes = rules::evaluate::scopes(&evaluation, document.view(), &budget());
    let found = scopes.iter().map(|scope| match scope.view {
        Some(_) => json!(scope.path.to_string()),
        None => Value::Null,
    });
    equal("scopes", &found.collect(), &case["scopes"])
}

pub fn resource_type(_: &Corpus, case: &Value, _: &Value) -> Checked {
    let document = Document::plain(ArmValue::from(&case["template"]));
    let wanted = case["resource_type"].as_str().unwrap_or_default();
    let found =
        scope::of_type(&Scope::root(document.view()), wanted, &budget()).map_err(|e| e.to_string())?;
    equal("matches", &found.iter().map(|scope| json!(scope.path.to_string())).collect(), &case["matches"])
}

pub fn structured(_: &Corpus, case: &Value, _: &Value) -> Checked {
    let child = |truth: &Value| match truth {
        Value::Null => json!({ "path": "nothing.*", "exists": true }),
        truth => json!({ "path": "value", "exists": truth }),
    };
    let children: Vec<Value> = case["children"].as_array().into_iter().flatten().map(child).collect();
    let operator = case["operator"].as_str().unwrap_or_default();
    let found = truths(&json!({ operator: children }), &json!({ "value": 1 }))?;
    if let Some(has_results) = case["has_results"].as_bool() {
        equal("has results", &!found.is_empty(), &has_results)?;
    }
    equal("truth", &found.iter().all(|truth| *truth), &(case["expected"] == true))
}

pub fn rule_parsing(_: &Corpus, case: &Value, _: &Value) -> Checked {
    let valid = match case["rules_text"].as_str() {
        Some(text) => {
            let file = rules::read(text);
            !file.diagnostics.iter().any(|diagnostic| diagnostic.severity == base::Severity::Error)
        }
        None => evaluation(&case["evaluation"]).is_ok(),
    };
    equal("valid", &valid, &(case["valid"] == true))
}

pub fn rule_evaluation(_: &Corpus, case: &Value, _: &Value) -> Checked {
    let mut found = Vec::new();
    for rule in case["evaluations"].as_array().into_iter().flatten() {
        found.extend(truths(rule, &case["template"])?);
    }
    equal("evaluations", &json!(found.len()), &case["total"])?;
    equal("passed", &json!(found.iter().filter(|truth| **truth).count()), &case["passed"])
}

pub fn config_filter(_: &Corpus, case: &Value, suite: &Value) -> Checked {
    let rules: Vec<Value> = suite["rules"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|rule| {
            let mut rule = rule.clone();
            rule["evaluation"] = json!({ "path": "x", "exists": true });
            rule
        })
        .collect();
    let file = rules::read(&Value::from(rules).to_string());
    let before: Vec<(String, Level)> = file.rules.iter().map(|r| (r.id.to_string(), r.severity)).collect();
    let configuration = json::parse(&case["configuration"].to_string(), json::Options::jsonc());
    let root = configuration.root.ok_or("no configuration")?;
    let kept = Filter::read(&root).map_err(|(message, _)| message)?.apply(file.rules);
    let found: Vec<_> = kept.iter().map(|rule| (rule.id.to_string(), rule.severity)).collect();
    let expected = case["expected"].as_array().into_iter().flatten().map(|rule| {
        let id = rule["id"].as_str().unwrap_or_default().to_owned();
        let own = before.iter().find(|(other, _)| *other == id).map(|(_, level)| *level);
        let level = match &rule["severity"] {
            Value::String(text) => Level::read(text),
            Value::Number(number) => Level::read(&number.to_string()),
            _ => own,
        };
        (id, level.unwrap_or_default())
    });
    equal("rules", &found, &expected.collect())
}

pub fn template_validity(_: &Corpus, case: &Value, _: &Value) -> Checked {
    let text = case["text"].as_str().unwrap_or_default();
    let parsed = json::parse(text, json::Options::lenient());
    let is_template = parsed.diagnostics.is_empty() && parsed.root.as_ref().is_some_and(rules::is_template);
    equal("is a template", &is_template, &(case["is_template"] == true))
}
