//! The difference of two resources, in the form of the API.

use serde_json::{Map, Value as Json, json};

/// Which differences do not count.
pub(crate) trait Quiet {
    /// Whether the provider, not the template, decides on the member at this path.
    fn is_read_only(&self, path: &str) -> bool;

    /// Whether the member at this path is a secret, which is never stored and cannot be compared.
    fn is_secret(&self, path: &str) -> bool;
}

/// Everything that differs, in the order of the new state, what is gone after it.
pub(crate) fn delta(before: &Json, after: &Json, quiet: &dyn Quiet) -> Vec<Json> {
    let mut changes = Vec::new();
    members(before, after, "", (quiet, &mut changes));
    changes
}

type Sink<'s> = (&'s dyn Quiet, &'s mut Vec<Json>);

fn members(before: &Json, after: &Json, path: &str, (quiet, changes): Sink<'_>) {
    let empty = Map::new();
    let before = before.as_object().unwrap_or(&empty);
    let after = after.as_object().unwrap_or(&empty);
    for (name, new) in after {
        let path = join(path, name);
        if quiet.is_secret(&path) || quiet.is_read_only(&path) {
            continue;
        }
        match find(before, name) {
            Some(old) => value(old, new, &path, (quiet, changes)),
            None if is_nothing(new) => {}
            None => changes.push(json!({ "path": path, "propertyChangeType": "Create", "after": new })),
        }
    }
    for (name, old) in before {
        let path = join(path, name);
        if find(after, name).is_none()
            && let Some(old) = decided(old, &path, quiet)
        {
            changes.push(json!({ "path": path, "propertyChangeType": "Delete", "before": old }));
        }
    }
}

/// The parts of a value that a template decides on; nothing if there are none.
fn decided(value: &Json, path: &str, quiet: &dyn Quiet) -> Option<Json> {
    if is_nothing(value) || quiet.is_read_only(path) {
        return None;
    }
    let Json::Object(members) = value else { return Some(value.clone()) };
    let parts = members
        .iter()
        .filter_map(|(name, member)| Some((name.clone(), decided(member, &join(path, name), quiet)?)));
    let parts: Map<String, Json> = parts.collect();
    (!parts.is_empty() || members.is_empty()).then_some(Json::Object(parts))
}

fn value(old: &Json, new: &Json, path: &str, (quiet, changes): Sink<'_>) {
    match (old, new) {
        (Json::Object(_), Json::Object(_)) => members(old, new, path, (quiet, changes)),
        (Json::Array(old_items), Json::Array(new_items)) => {
            let children = items(old_items, new_items, path, quiet);
            if !children.is_empty() {
                changes.push(json!({
                    "path": path, "propertyChangeType": "Array", "before": null, "after": null, "children": children,
                }));
            }
        }
        _ if same(old, new, path) => {}
        _ => {
            changes
                .push(json!({ "path": path, "propertyChangeType": "Modify", "before": old, "after": new }));
        }
    }
}

/// The differences of two lists; their paths are positions.
fn items(old: &[Json], new: &[Json], path: &str, quiet: &dyn Quiet) -> Vec<Json> {
    let mut changes = Vec::new();
    for at in 0..old.len().max(new.len()) {
        let position = at.to_string();
        match (old.get(at), new.get(at)) {
            (Some(old), Some(new)) => {
                let inner = format!("{path}[{at}]");
                let mut parts = Vec::new();
                match (old, new) {
                    (Json::Object(_), Json::Object(_)) => {
                        let below = Below { quiet, prefix: &inner };
                        members(old, new, "", (&below, &mut parts));
                    }
                    _ => value(old, new, &position, (quiet, &mut parts)),
                }
                match (old, parts.as_slice()) {
                    (_, []) => {}
                    (Json::Object(_), _) => changes.push(json!({
                        "path": position, "propertyChangeType": "Modify", "before": null, "after": null,
                        "children": parts,
                    })),
                    _ => changes.append(&mut parts),
                }
            }
            (None, Some(new)) => {
                changes.push(json!({ "path": position, "propertyChangeType": "Create", "after": new }));
            }
            (Some(old), None) => {
                changes.push(json!({ "path": position, "propertyChangeType": "Delete", "before": old }));
            }
            (None, None) => {}
        }
    }
    changes
}

/// Paths inside of an item of a list, as whoever decides knows them.
struct Below<'q> {
    quiet: &'q dyn Quiet,
    prefix: &'q str,
}

impl Quiet for Below<'_> {
    fn is_read_only(&self, path: &str) -> bool {
        self.quiet.is_read_only(&format!("{}.{path}", self.prefix))
    }

    fn is_secret(&self, path: &str) -> bool {
        self.quiet.is_secret(&format!("{}.{path}", self.prefix))
    }
}

/// Equality as providers see it: regions are the same in any spelling, numbers in any form.
fn same(old: &Json, new: &Json, path: &str) -> bool {
    if old == new || (is_nothing(old) && is_nothing(new)) {
        return true;
    }
    match (old, new) {
        (Json::Number(old), Json::Number(new)) => old.as_f64() == new.as_f64(),
        (Json::String(old), Json::String(new)) if path.eq_ignore_ascii_case("location") => {
            let plain = |text: &str| text.replace(' ', "").to_lowercase();
            plain(old) == plain(new)
        }
        _ => false,
    }
}

/// `null` and an absent member are the same to a provider.
fn is_nothing(value: &Json) -> bool {
    value.is_null()
}

fn find<'j>(members: &'j Map<String, Json>, name: &str) -> Option<&'j Json> {
    members
        .get(name)
        .or_else(|| members.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value))
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Rules;

    impl Quiet for Rules {
        fn is_read_only(&self, path: &str) -> bool {
            path.ends_with("state")
        }

        fn is_secret(&self, path: &str) -> bool {
            path.ends_with("password")
        }
    }

    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "reads better in the tests")]
    fn check(before: Json, after: Json, expected: Json) {
        assert_eq!(Json::Array(delta(&before, &after, &Rules)), expected);
    }

    #[test]
    fn what_is_the_same_is_quiet() {
        check(
            json!({ "location": "West Europe", "p": { "a": 1, "state": "x" }, "tags": null }),
            json!({ "location": "westeurope", "P": { "a": 1.0, "password": "new" } }),
            json!([]),
        );
    }

    #[test]
    fn members_are_made_changed_and_removed() {
        check(
            json!({ "p": { "a": 1, "b": { "c": 1 }, "gone": true } }),
            json!({ "p": { "a": 2, "b": { "c": 1, "d": 2 } } }),
            json!([
                { "path": "p.a", "propertyChangeType": "Modify", "before": 1, "after": 2 },
                { "path": "p.b.d", "propertyChangeType": "Create", "after": 2 },
                { "path": "p.gone", "propertyChangeType": "Delete", "before": true },
            ]),
        );
    }

    #[test]
    fn what_the_provider_added_is_not_removed() {
        check(json!({ "p": { "state": 1, "q": { "state": 2 } } }), json!({}), json!([]));
        check(
            json!({ "p": { "state": 1, "own": 2 } }),
            json!({}),
            json!([{ "path": "p", "propertyChangeType": "Delete", "before": { "own": 2 } }]),
        );
    }

    #[test]
    fn lists_have_children_by_position() {
        check(
            json!({ "l": [1, { "a": 1, "state": 1 }, 3] }),
            json!({ "l": [2, { "a": 2 }] }),
            json!([{
                "path": "l", "propertyChangeType": "Array", "before": null, "after": null, "children": [
                    { "path": "0", "propertyChangeType": "Modify", "before": 1, "after": 2 },
                    { "path": "1", "propertyChangeType": "Modify", "before": null, "after": null, "children": [
                        { "path": "a", "propertyChangeType": "Modify", "before": 1, "after": 2 },
                    ] },
                    { "path": "2", "propertyChangeType": "Delete", "before": 3 },
                ],
            }]),
        );
    }
}
