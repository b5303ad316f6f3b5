//! The difference of two snapshots, for people: which resources come, go and change, and in what.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde_json::{Map, Value as Json};

/// What is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sections {
    /// The resources.
    Resources,
    /// Resources and outputs.
    All,
}

/// Describes how one snapshot differs from another; empty when it does not.
pub(super) fn describe(before: &Json, after: &Json, sections: Sections) -> String {
    let mut out = String::new();
    resources(before, after, &mut out);
    if sections == Sections::All {
        let mut changes = Vec::new();
        compare("", before.get("outputs"), after.get("outputs"), &mut changes);
        if !changes.is_empty() {
            out.push_str("~ outputs\n");
            out.extend(changes);
        }
    }
    out
}

fn resources(before: &Json, after: &Json, out: &mut String) {
    let (old, new) = (named(before), named(after));
    let found: BTreeMap<&str, &Json> = new.iter().map(|(name, it)| (name.as_str(), *it)).collect();
    let known: BTreeSet<&str> = old.iter().map(|(name, _)| name.as_str()).collect();
    for (name, resource) in &old {
        match found.get(name.as_str()) {
            None => whole('-', name, resource, out),
            Some(other) => {
                let mut changes = Vec::new();
                compare("", Some(resource), Some(other), &mut changes);
                if !changes.is_empty() {
                    // Writing to a string cannot fail.
                    let _ = writeln!(out, "~ {name}");
                    out.extend(changes);
                }
            }
        }
    }
    for (name, resource) in new.iter().filter(|(name, _)| !known.contains(name.as_str())) {
        whole('+', name, resource, out);
    }
}

/// Resources with what tells them apart: the id and the version, or the type for those that have no id; several of the
/// same kind are numbered.
fn named(snapshot: &Json) -> Vec<(String, &Json)> {
    let list = snapshot.get("predictedResources").and_then(Json::as_array);
    let mut names: Vec<(String, &Json)> = Vec::new();
    let mut taken = BTreeSet::new();
    for resource in list.into_iter().flatten() {
        let text = |name: &str| resource.get(name).and_then(Json::as_str).unwrap_or_default();
        let name = match text("id") {
            "" => text("type").to_owned(),
            id => id.to_owned(),
        };
        let mut unique = name.clone();
        let mut number = 1;
        while !taken.insert(unique.clone()) {
            number += 1;
            unique = format!("{name} ({number})");
        }
        names.push((unique, resource));
    }
    names
}

fn whole(sign: char, name: &str, resource: &Json, out: &mut String) {
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{sign} {name}");
    for line in json::to_pretty(resource).lines() {
        let _ = writeln!(out, "    {line}");
    }
}

/// How values differ: a line for each part. Values have the depth of documents that were read or made within limits.
fn compare(path: &str, before: Option<&Json>, after: Option<&Json>, out: &mut Vec<String>) {
    match (before, after) {
        (Some(before), Some(after)) if before == after => {}
        (Some(Json::Object(before)), Some(Json::Object(after))) => members(path, before, after, out),
        (Some(Json::Array(before)), Some(Json::Array(after))) => {
            for at in 0..before.len().max(after.len()) {
                compare(&format!("{path}[{at}]"), before.get(at), after.get(at), out);
            }
        }
        (Some(before), Some(after)) => {
            out.push(format!("    ~ {path}: {} => {}\n", json::to_compact(before), json::to_compact(after)));
        }
        (Some(before), None) => out.push(format!("    - {path}: {}\n", json::to_compact(before))),
        (None, Some(after)) => out.push(format!("    + {path}: {}\n", json::to_compact(after))),
        (None, None) => {}
    }
}

fn members(path: &str, before: &Map<String, Json>, after: &Map<String, Json>, out: &mut Vec<String>) {
    let inside = |key: &str| {
        let is_plain =
            !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '-'));
        match (is_plain, path.is_empty()) {
            (true, true) => key.to_owned(),
            (true, false) => format!("{path}.{key}"),
            (false, _) => format!("{path}['{key}']"),
        }
    };
    for (key, value) in before {
        compare(&inside(key), Some(value), after.get(key), out);
    }
    for (key, value) in after.iter().filter(|(key, _)| !before.contains_key(*key)) {
        compare(&inside(key), None, Some(value), out);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(before: &Json, after: &Json, expected: &str) {
        let snapshot = |resources: &Json| json!({ "predictedResources": resources, "outputs": {} });
        assert_eq!(describe(&snapshot(before), &snapshot(after), Sections::All), expected);
    }

    #[test]
    fn resources_come_and_go_and_change() {
        let (a, b) = (json!({ "id": "/a", "x": 1 }), json!({ "id": "/b" }));
        check(&json!([a]), &json!([a]), "");
        check(&json!([a, b]), &json!([b, a]), "");
        check(&json!([a]), &json!([a, b]), "+ /b\n    {\n      \"id\": \"/b\"\n    }\n");
        check(&json!([b]), &json!([]), "- /b\n    {\n      \"id\": \"/b\"\n    }\n");
        check(
            &json!([{ "id": "/a", "p": { "x": 1, "gone": [1], "l": [1, 2], "a b": null } }]),
            &json!([{ "id": "/a", "p": { "x": "1", "l": [1, 3, 4], "new": {}, "a b": {} } }]),
            "~ /a\n    ~ p.x: 1 => \"1\"\n    - p.gone: [1]\n    ~ p.l[1]: 2 => 3\n    + p.l[2]: 4\n    ~ p['a b']: null => {}\n    + p.new: {}\n",
        );
    }

    #[test]
    fn resources_without_ids_are_told_apart_by_their_order() {
        let one = json!({ "type": "request@v1", "properties": 1 });
        let two = json!({ "type": "request@v1", "properties": 2 });
        check(&json!([one, one]), &json!([one, two]), "~ request@v1 (2)\n    ~ properties: 1 => 2\n");
    }

    #[test]
    fn outputs_count_when_they_are_asked_for() {
        let (before, after) = (json!({ "outputs": { "a": 1 } }), json!({ "outputs": { "a": 2 } }));
        assert_eq!(describe(&before, &after, Sections::All), "~ outputs\n    ~ a: 1 => 2\n");
        assert_eq!(describe(&before, &after, Sections::Resources), "");
    }
}
