//! The difference of two resources, in the form of the API.

use arm::difference::{Comparison, PropertyChange, changes};
use serde_json::{Map, Value as Json};

/// Everything that differs, in the order of the new state, what is gone after it.
pub(crate) fn delta(before: &Json, after: &Json, comparison: &dyn Comparison) -> Vec<Json> {
    let empty = Json::Object(Map::new());
    let object = |value| if matches!(value, &Json::Object(_)) { value } else { &empty };
    changes(object(before), object(after), comparison).into_iter().map(PropertyChange::into_json).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    struct Rules;

    impl Comparison for Rules {
        fn is_lenient(&self) -> bool {
            true
        }

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
