//! What only a running deployment, or the service, can answer. The environment is asked; what it does not know stays
//! unknown.

use smol_str::SmolStr;

use super::{Arity, ExpressionSites, Function, Implementation, MANY, open};
use crate::error::Error;
use crate::evaluate::{Invocation, ListCall, ReferenceCall};
use crate::expression::{Expr, ExprKind};
use crate::value::{Origin, Unknown, Value};

pub(super) const TABLE: &[Function] = &[
    open("reference", 1, 3, reference).only(ExpressionSites::RUN_TIME),
    open("references", 1, 2, references).only(ExpressionSites::RUN_TIME),
    open("providers", 1, 2, service).only(ExpressionSites::TEMPLATE),
    open("pickZones", 3, 5, service).only(ExpressionSites::TEMPLATE),
    open("toLogicalZone", 3, 3, service).only(ExpressionSites::TEMPLATE),
    open("toLogicalZones", 3, 3, service).only(ExpressionSites::TEMPLATE),
    open("toPhysicalZone", 3, 3, service).only(ExpressionSites::TEMPLATE),
    open("toPhysicalZones", 3, 3, service).only(ExpressionSites::TEMPLATE),
    open("roleDefinitions", 1, 1, service).only(ExpressionSites::TEMPLATE),
    open("invokeResourceMethod", 2, MANY, service).only(ExpressionSites::RUN_TIME),
];

/// Stands for every function whose name starts with `list`.
pub(super) static LIST: Function = Function {
    name: "list*",
    arity: Arity { min: 1, max: 3 },
    places: ExpressionSites::RUN_TIME,
    run: Implementation::Open(list),
};

fn reference(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    if args.iter().any(Value::has_unknown) {
        return Ok(waiting_for(Origin::Resource, args, call.residual(args)?));
    }
    let target = call.string(args, 0)?;
    let api_version = text_or_none(call, args, 1)?;
    let full = text_or_none(call, args, 2)?.is_some_and(|word| word.eq_ignore_ascii_case("full"));
    let reference = ReferenceCall { target, api_version, full };
    let value = call.evaluator.environment().reference(&reference)?;
    Ok(value.unwrap_or_else(|| call.unknown(args, Origin::Resource(target.into()))))
}

fn references(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    if args.iter().any(Value::has_unknown) {
        return call.residual(args);
    }
    let symbol = call.string(args, 0)?;
    let full = text_or_none(call, args, 1)?.is_some_and(|word| word.eq_ignore_ascii_case("full"));
    let value = call.evaluator.environment().references(symbol, full)?;
    Ok(value.unwrap_or_else(|| call.unknown(args, Origin::Resource(symbol.into()))))
}

fn list(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    if args.iter().any(Value::has_unknown) {
        return Ok(waiting_for(Origin::List, args, call.residual(args)?));
    }
    let target = call.string(args, 0)?;
    let request = ListCall {
        function: call.name().into(),
        target,
        api_version: text_or_none(call, args, 1)?,
        body: args.get(2),
    };
    let value = call.evaluator.environment().list(&request)?;
    Ok(value.unwrap_or_else(|| call.unknown(args, Origin::List(target.into()))))
}

/// A value that waits for a resource whose id is not known either. That the resource is not deployed is the first reason:
/// to know its subscription would not help.
fn waiting_for(origin: fn(SmolStr) -> Origin, args: &[Value], value: Value) -> Value {
    let resource = args.first().and_then(Value::as_unknown).and_then(|id| type_and_name(&id.expression));
    let (Some(resource), Some(unknown)) = (resource, value.as_unknown()) else { return value };
    let mut origins = vec![origin(resource)];
    origins.extend(unknown.origins.iter().take(Unknown::MAX_ORIGINS - 1).cloned());
    let waiting = Value::unknown(Unknown { expression: unknown.expression.clone(), origins: origins.into() });
    if value.is_secure() { waiting.into_secure() } else { waiting }
}

/// The type and the name in a call of `resourceId` and the like, as far as they are written out.
fn type_and_name(id: &Expr) -> Option<SmolStr> {
    let ExprKind::Call(call) = id.kind() else { return None };
    let is_type = |text: &str| text.contains('/') && !text.starts_with('/');
    let at = call.args.iter().position(|arg| arg.as_str().is_some_and(is_type))?;
    let parts = call.args.get(at..)?.iter().map(Expr::as_str).collect::<Option<Vec<_>>>()?;
    call.name.to_ascii_lowercase().ends_with("resourceid").then(|| parts.join("/").into())
}

fn service(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    if args.iter().any(Value::has_unknown) {
        return call.residual(args);
    }
    let value = call.evaluator.environment().service(call.name(), args)?;
    Ok(value.unwrap_or_else(|| call.unknown(args, Origin::Service(call.name().into()))))
}

fn text_or_none<'v>(
    call: &Invocation<'_>,
    args: &'v [Value],
    index: usize,
) -> Result<Option<&'v str>, Error> {
    match args.get(index) {
        None => Ok(None),
        Some(arg) if arg.is_null() => Ok(None),
        Some(_) => call.string(args, index).map(Some),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::Environment;
    use crate::functions::testing::{check_all, check_in};

    #[test]
    fn without_state_the_call_remains() {
        check_all(&[
            ("reference('a', '2020-01-01').b[0]", "\"[reference('a', '2020-01-01').b[0]]\""),
            (
                "listKeys('a', concat('2020', '-01-01')).keys[0].value",
                "\"[listKeys('a', '2020-01-01').keys[0].value]\"",
            ),
            ("reference(newGuid(), '1')", "\"[reference(newGuid(), '1')]\""),
            ("roleDefinitions('Contributor').id", "\"[roleDefinitions('Contributor').id]\""),
            ("references('a', 'full')[0].id", "\"[references('a', 'full')[0].id]\""),
        ]);
    }

    struct Known;

    impl Environment for Known {
        fn reference(&self, call: &ReferenceCall<'_>) -> Result<Option<Value>, Error> {
            Ok((call.target == "a").then(|| Value::object([("full", Value::bool(call.full))])))
        }

        fn list(&self, call: &ListCall<'_>) -> Result<Option<Value>, Error> {
            Ok(Some(Value::object([("function", Value::from(call.function.as_str()))])))
        }
    }

    #[test]
    fn with_state_the_environment_answers() {
        check_in(&Known, "reference('a')", r#"{"full":false}"#);
        check_in(&Known, "reference('a', '1', 'Full').full", "true");
        check_in(&Known, "reference('b')", "\"[reference('b')]\"");
        check_in(&Known, "listSecrets('b', '1')", "{\"function\":\"listSecrets\"}");
    }
}
