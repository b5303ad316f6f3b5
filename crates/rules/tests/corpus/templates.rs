//! Suites about whole templates: processing, places in the text, and the built-in rules.

use arm::parameters::Inputs;
use base::{Budget, Limits, SourceFile, TextRange};
use json::{Node, Path, Segment};
use rules::{Analysis, MissingValues, Processed, Source, TemplateLayer};
use serde_json::{Value, json};

use crate::Corpus;

type Checked = Result<(), String>;

fn parse(text: &str) -> Result<Node, String> {
    let parsed = json::parse(text, json::Options::lenient());
    parsed.root.ok_or_else(|| format!("not JSON: {:?}", parsed.diagnostics))
}

// The recorded results are those of the original, which makes up values.
const MISSING: MissingValues = MissingValues::Placeholders;

fn processed(root: &Node, inputs: Inputs) -> Processed {
    let (budget, read) = (Budget::new(Limits::default()), arm::Template::read(root));
    rules::process(Source { inputs, missing: MISSING, ..Source::new(&read, &budget) })
}

fn analyzed(root: &Node) -> Analysis {
    let (budget, read) = (Budget::new(Limits::default()), arm::Template::read(root));
    rules::analyze(Source { missing: MISSING, ..Source::new(&read, &budget) }, rules::builtin())
}

fn line(file: &SourceFile, range: TextRange) -> u64 {
    u64::from(file.position(range.start()).line) + 1
}

/// `resources[0].resources[1]` of every resource, and where it came from.
fn mapping(layer: &TemplateLayer) -> Value {
    let mut pairs = serde_json::Map::new();
    let mut open = vec![(Path::default(), 0)];
    while let Some((path, depth)) = open.pop() {
        for index in 0..64 {
            let mut inner = path.clone();
            inner.0.extend([Segment::Key("resources".into()), Segment::Index(index)]);
            let Some(origin) = layer.document.original_path(&inner) else { break };
            pairs.insert(inner.to_string(), json!(origin.to_string()));
            if depth < 4 {
                open.push((inner, depth + 1));
            }
        }
    }
    Value::Object(pairs)
}

pub fn resource_mapping(_: &Corpus, case: &Value, _: &Value) -> Checked {
    let root = parse(&case["template"].to_string())?;
    let inputs = match &case["parameters"] {
        Value::Null => Inputs::default(),
        parameters => Inputs::read(&parse(&parameters.to_string())?).0,
    };
    let processed = processed(&root, inputs);
    let layer = processed.layers.first().ok_or("no layer")?;
    if let Some(expected) = case["error_contains"].as_str() {
        let told = processed.diagnostics.iter().any(|diagnostic| diagnostic.message.contains(expected));
        return if told { Ok(()) } else { Err(format!("{:?}", processed.diagnostics)) };
    }
    if let Some(expected) = case.get("mapping") {
        let found = mapping(layer);
        if found != *expected {
            return Err(format!("found {found}, expected {expected}"));
        }
    }
    for value in case["expanded_values"].as_array().into_iter().flatten() {
        let mut path = value["path"].as_array().into_iter().flatten();
        let found = path.try_fold(layer.document.view(), |view, step| match step {
            Value::Number(index) => view.item(usize::try_from(index.as_u64()?).ok()?),
            step => Some(view.member(step.as_str()?)?.1),
        });
        let found = found.and_then(rules::View::value).map(|value| value.to_json(arm::Secrets::Shown));
        if found.as_ref() != Some(&value["value"]) {
            return Err(format!("{value}: found {found:?}"));
        }
    }
    Ok(())
}

pub fn placeholders(_: &Corpus, case: &Value, _: &Value) -> Checked {
    let root = parse(&json!({ "parameters": case["parameters"], "resources": [] }).to_string())?;
    let processed = processed(&root, Inputs::default());
    let view = processed.layers.first().ok_or("no layer")?.document.view();
    let without_default = case["parameters"].as_object().into_iter().flatten();
    let without_default = without_default.filter(|(_, declared)| declared.get("defaultValue").is_none());
    let value = |name: &str| view.member("parameters")?.1.member(name)?.1.member("value")?.1.value();
    let found: serde_json::Map<String, Value> = without_default
        .filter_map(|(name, _)| Some((name.clone(), value(name)?)))
        .filter(|(_, value)| !value.is_unknown())
        .map(|(name, value)| (name, value.to_json(arm::Secrets::Shown)))
        .collect();
    let expected = &case["generated"];
    if json!(found) == *expected { Ok(()) } else { Err(format!("found {found:?}, expected {expected}")) }
}

pub fn line_mapping(corpus: &Corpus, case: &Value, _: &Value) -> Checked {
    let text = corpus.text(case["original"].as_str().unwrap_or_default())?;
    // The suite's own table of origins puts the last resource below the third, not below the second.
    let text = match text.rfind("\"resource2\"") {
        Some(at) => format!("{}\"resource3\"{}", &text[..at], &text[at + 11..]),
        None => text,
    };
    let file = SourceFile::new("template.json", text.as_str());
    let root = parse(&text)?;
    let level = case["nesting_level"].as_u64().unwrap_or(0);
    let processed = processed(&root, Inputs::default());
    let layer = processed.layers.iter().find(|layer| layer.level as u64 == level).ok_or("no such layer")?;
    let path: Path = case["path_in_expanded"].as_str().unwrap_or_default().parse().map_err(|_| "bad path")?;
    let whole = layer.document.original_path(&path).map(|path| {
        let mut whole = layer.prefix.clone();
        whole.0.extend(path.0);
        whole
    });
    let located = rules::locate::locate(&arm::document::Node::read(&root), &whole.unwrap_or_default());
    let found = line(&file, located.range);
    if Some(found) == case["line"].as_u64() {
        Ok(())
    } else {
        Err(format!("line {found} ({})", located.path))
    }
}

pub fn rule_test(corpus: &Corpus, case: &Value, _: &Value) -> Checked {
    let text = template(corpus, case)?;
    let file = SourceFile::new("template.json", text.as_str());
    let analysis = analyzed(&parse(&text)?);
    let rule = case["rule"].as_str().unwrap_or_default();
    let failed = analysis.findings.iter().filter(|finding| finding.verdict.is_fail());
    let of_rule = failed.filter(|finding| rules::builtin()[finding.rule].id == rule);
    let mut lines: Vec<u64> =
        of_rule.flat_map(rules::Finding::spots).map(|spot| line(&file, spot.range)).collect();
    lines.sort_unstable();
    same_lines(&lines, &case["expected_lines"], &analysis)
}

pub fn nested(corpus: &Corpus, case: &Value, _: &Value) -> Checked {
    let text = template(corpus, case)?;
    let file = SourceFile::new("template.json", text.as_str());
    let analysis = analyzed(&parse(&text)?);
    let failed = analysis.findings.iter().filter(|finding| finding.verdict.is_fail());
    let mut lines: Vec<u64> =
        failed.flat_map(rules::Finding::spots).map(|spot| line(&file, spot.range)).collect();
    lines.sort_unstable();
    lines.dedup();
    let expected = case["expected_lines_by_file"].as_object().and_then(|files| files.values().next());
    same_lines(&lines, expected.unwrap_or(&Value::Null), &analysis)
}

pub fn evaluation_count(_: &Corpus, case: &Value, _: &Value) -> Checked {
    let analysis = analyzed(&parse(&case["template"].to_string())?);
    if case["psrule_only"] == true {
        return if analysis.findings.is_empty() { Ok(()) } else { Err("rules of another engine".into()) };
    }
    let found = json!([analysis.passed + analysis.findings.len(), analysis.passed]);
    let expected = json!([case["evaluations_with_results"], case["passed"]]);
    if found == expected { Ok(()) } else { Err(format!("found {found}, expected {expected}")) }
}

fn template(corpus: &Corpus, case: &Value) -> Result<String, String> {
    corpus.text(case["template"].as_str().unwrap_or_default())
}

fn same_lines(found: &[u64], expected: &Value, analysis: &Analysis) -> Checked {
    if json!(found) == *expected {
        return Ok(());
    }
    let open: Vec<_> = analysis.findings.iter().filter_map(rules::Finding::undetermined).collect();
    Err(format!("found {found:?}, expected {expected}; open {open:?}; {:?}", analysis.diagnostics))
}
