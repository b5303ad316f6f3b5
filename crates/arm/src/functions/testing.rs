//! `check(expression, expected)` for the tables of tests next to the functions.

use base::{Budget, Limits};
use serde_json::Value as Json;

use crate::evaluate::{Environment, Evaluator, Nothing, Scope};
use crate::expression::parse;
use crate::value::Secrets;

/// Evaluates an expression without brackets and compares with JSON, in which `"[…]"` is what stays unknown and
/// `"!reason"` is an error.
#[track_caller]
pub(super) fn check(expression: &str, expected: &str) {
    check_in(&Nothing, expression, expected);
}

#[track_caller]
pub(super) fn check_in(environment: &dyn Environment, expression: &str, expected: &str) {
    let budget = Budget::new(Limits::default());
    let actual = parse(&format!("[{expression}]"))
        .and_then(|parsed| Evaluator::new(environment, &budget).expression(&parsed, &Scope::free()));
    let actual = match actual {
        Ok(value) => value.to_json(Secrets::Hidden),
        Err(error) => Json::String(format!("!{}", error.reason())),
    };
    let expected: Json = serde_json::from_str(expected).unwrap_or_else(|e| panic!("{expected}: {e}"));
    assert_eq!(actual.to_string(), expected.to_string(), "{expression}");
}

/// Every row is an expression and what it gives.
#[track_caller]
pub(super) fn check_all(rows: &[(&str, &str)]) {
    for (expression, expected) in rows {
        check(expression, expected);
    }
}
