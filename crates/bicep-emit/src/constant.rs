//! Calls that the compiler computes.

use bicep_syntax::Node;
use bicep_syntax::ast::{Expr, Name};
use serde_json::{Number, Value as Json};

use crate::code::Code;
use crate::context::Context;
use crate::value::{Member, Value};

/// The result of a call that the compiler computes.
pub(crate) fn constant(cx: &Context<'_>, call: Node<'_>) -> Option<Value> {
    match cx.model.constant(call) {
        Some(json) => Some(from_json(json)),
        None => is_foreign_scope(call).then(|| Value::Object(Vec::new())),
    }
}

/// Scopes other than that of the deployment cannot be values of a template.
fn is_foreign_scope(call: Node<'_>) -> bool {
    let (name, has_arguments) = match Expr::of(call) {
        Expr::Call(call) => (call.name(), call.arguments().next().is_some()),
        Expr::MethodCall(call) => (call.name(), call.arguments().next().is_some()),
        _ => return false,
    };
    let name = name.and_then(Name::text).unwrap_or_default();
    has_arguments && matches!(name, "subscription" | "resourceGroup" | "managementGroup")
}

fn from_json(json: &Json) -> Value {
    base::recurse(|| match json {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(*value),
        Json::Number(number) => match number.as_i64() {
            Some(value) => Value::Int(value),
            None => Value::Code(fraction(number)),
        },
        Json::String(text) => Value::text(text.as_str()),
        Json::Array(items) => Value::Array(items.iter().map(from_json).collect()),
        Json::Object(members) => {
            Value::Object(members.iter().map(|(name, value)| Member::new(name, from_json(value))).collect())
        }
    })
}

/// A number that is no integer: the language has none of its own. The reference reads it as a double, so that `1.0` becomes
/// `1`.
pub(crate) fn fraction(number: &Number) -> Code {
    let value = number.as_f64().filter(|_| number.is_f64());
    let text = value.map_or_else(|| number.to_string(), arm::float_text);
    Code::call("json", [Code::text(text)])
}
