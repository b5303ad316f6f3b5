//! The difference of two snapshots, for people: which resources come, go and change, and in what.

use std::fmt::Write as _;

use arm::difference::{Exact, PropertyChange, changes, resource_changes};
use serde_json::{Map, Value as Json};

/// Describes how one snapshot differs from another; empty when it does not.
pub(super) fn describe(before: &Json, after: &Json) -> String {
    let mut out = String::new();
    for change in resource_changes(before, after, &Exact) {
        match (&change.before, &change.after) {
            (Some(resource), None) => whole('-', &change.id, resource, &mut out),
            (None, Some(resource)) => whole('+', &change.id, resource, &mut out),
            _ => parts(&change.id, &change.changes, &mut out),
        }
    }
    let none = Json::Object(Map::new());
    let outputs = |snapshot: &Json| snapshot.get("outputs").unwrap_or(&none).clone();
    parts("outputs", &changes(&outputs(before), &outputs(after), &Exact), &mut out);
    out
}

fn whole(sign: char, name: &str, resource: &Json, out: &mut String) {
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{sign} {name}");
    for line in json::to_pretty(resource).lines() {
        let _ = writeln!(out, "    {line}");
    }
}

/// A line for each part that differs.
fn parts(name: &str, changes: &[PropertyChange], out: &mut String) {
    if changes.is_empty() {
        return;
    }
    // Writing to a string cannot fail.
    let _ = writeln!(out, "~ {name}");
    for change in changes {
        change.each_leaf(&mut |path, leaf| {
            let line = property_line(path, leaf);
            let _ = writeln!(out, "    {line}");
        });
    }
}

/// What became of a property, in one line.
pub(crate) fn property_line(path: &str, leaf: &PropertyChange) -> String {
    let text = |value: &Option<Json>| value.as_ref().map(json::to_compact);
    match (text(&leaf.before), text(&leaf.after)) {
        (Some(before), Some(after)) => format!("~ {path}: {before} => {after}"),
        (Some(before), None) => format!("- {path}: {before}"),
        (None, after) => format!("+ {path}: {}", after.unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(before: &Json, after: &Json, expected: &str) {
        let snapshot = |resources: &Json| json!({ "predictedResources": resources, "outputs": {} });
        assert_eq!(describe(&snapshot(before), &snapshot(after)), expected);
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
            "~ /a\n    ~ p.x: 1 => \"1\"\n    ~ p.l[1]: 2 => 3\n    + p.l[2]: 4\n    + p.new: {}\n    ~ p['a b']: null => {}\n    - p.gone: [1]\n",
        );
    }

    #[test]
    fn resources_without_ids_are_told_apart_by_their_order() {
        let one = json!({ "type": "request@v1", "properties": 1 });
        let two = json!({ "type": "request@v1", "properties": 2 });
        check(&json!([one, one]), &json!([one, two]), "~ request@v1 (2)\n    ~ properties: 1 => 2\n");
    }

    #[test]
    fn outputs_count() {
        let (before, after) = (json!({ "outputs": { "a": 1 } }), json!({ "outputs": { "a": 2 } }));
        assert_eq!(describe(&before, &after), "~ outputs\n    ~ a: 1 => 2\n");
    }
}
