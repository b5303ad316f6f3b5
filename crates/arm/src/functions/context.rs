//! What the template and the place of its deployment give: parameters, variables, loops, scopes.

use super::{ExpressionSites, Function, open};
use crate::error::Error;
use crate::evaluate::{ContextObject, Invocation};
use crate::messages;
use crate::value::{Kind, Origin, Value};

pub(super) const TABLE: &[Function] = &[
    open("parameters", 1, 1, parameters).only(ExpressionSites::TEMPLATE),
    open("variables", 1, 1, variables).only(ExpressionSites::TEMPLATE),
    open("copyIndex", 0, 2, copy_index),
    open("externalInputs", 1, 1, external_inputs).only(ExpressionSites::INPUTS),
    open("extensions", 1, 1, extensions).only(ExpressionSites::TEMPLATE),
    open("resourceInfo", 1, 1, resource_info).only(ExpressionSites::TEMPLATE),
    open("tenant", 0, 0, |call, _| subject(call, ContextObject::Tenant)).only(ExpressionSites::TEMPLATE),
    open("managementGroup", 0, 0, |call, _| subject(call, ContextObject::ManagementGroup))
        .only(ExpressionSites::TEMPLATE),
    open("subscription", 0, 0, |call, _| subject(call, ContextObject::Subscription))
        .only(ExpressionSites::TEMPLATE),
    open("resourceGroup", 0, 0, |call, _| subject(call, ContextObject::ResourceGroup))
        .only(ExpressionSites::TEMPLATE),
    open("deployment", 0, 0, |call, _| subject(call, ContextObject::Deployment))
        .only(ExpressionSites::TEMPLATE),
    open("environment", 0, 0, |call, _| subject(call, ContextObject::Environment))
        .only(ExpressionSites::TEMPLATE),
    open("deployer", 0, 0, |call, _| subject(call, ContextObject::Deployer)).only(ExpressionSites::TEMPLATE),
];

fn parameters(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    let name = call.string(args, 0)?;
    match call.scope.argument(name) {
        Some(Some(value)) => Ok(value.clone()),
        Some(None) => Err(messages::no_such_parameter(name)),
        None => call.evaluator.environment().parameter(name),
    }
}

fn variables(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    call.evaluator.environment().variable(call.string(args, 0)?)
}

/// `copyIndex()`, `copyIndex(offset)`, `copyIndex(loop)`, `copyIndex(loop, offset)`
fn copy_index(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    let (name, offset) = match args {
        [] => (None, 0),
        [only] if matches!(only.kind(), Kind::Int(_)) => (None, call.int(args, 0)?),
        [_] => (Some(call.string(args, 0)?), 0),
        _ => (Some(call.string(args, 0)?), call.int(args, 1)?),
    };
    let index = call.scope.loop_index(name).ok_or_else(|| messages::no_such_loop(name))?;
    match index.as_int() {
        Some(turn) => turn.checked_add(offset).map(Value::int).ok_or_else(|| messages::overflow(call.name())),
        // The turns of a loop of unknown length.
        None if offset == 0 => Ok(index.clone()),
        None => call.residual_as("add", &[index.clone(), Value::int(offset)]),
    }
}

fn external_inputs(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    let name = call.string(args, 0)?;
    let value = call.evaluator.environment().external_input(name)?;
    Ok(value.unwrap_or_else(|| call.unknown(args, Origin::ExternalInput(name.into()))))
}

/// A handle that only another deployment's extension configuration takes.
fn extensions(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    let value = call.evaluator.environment().service(call.name(), args)?;
    Ok(value.unwrap_or_else(|| call.unknown(args, Origin::Service(call.name().into()))))
}

fn resource_info(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    call.evaluator.environment().resource_info(call.string(args, 0)?)
}

fn subject(call: &Invocation<'_>, subject: ContextObject) -> Result<Value, Error> {
    let value = call.evaluator.environment().subject(subject)?;
    Ok(value
        .unwrap_or_else(|| call.unknown(&[], Origin::Context(format!("{}()", subject.function()).into()))))
}

#[cfg(test)]
mod tests {
    use base::{Budget, Limits};

    use crate::evaluate::{Evaluator, ExpressionSite, Nothing, Scope};
    use crate::expression::parse;
    use crate::functions::testing::check_all;
    use crate::value::Value;

    #[test]
    fn nothing_is_known_without_a_place() {
        check_all(&[
            ("resourceGroup().location", "\"[resourceGroup().location]\""),
            ("environment().suffixes.storage", "\"[environment().suffixes.storage]\""),
            ("concat(deployment().name, 'x')", "\"[concat(deployment().name, 'x')]\""),
            ("parameters('a')", "\"!no-such-parameter\""),
            ("variables('a')", "\"!no-such-variable\""),
            ("copyIndex()", "\"!no-such-loop\""),
            ("externalInputs('a')", "\"!no-such-external-input\""),
            ("nothing()", "\"!unknown-function\""),
            ("ns.nothing()", "\"!unknown-function\""),
        ]);
    }

    #[track_caller]
    fn check_scope(scope: &Scope, expression: &str, expected: Result<i64, &str>) {
        let budget = Budget::new(Limits::default());
        let value = Evaluator::new(&Nothing, &budget).expression(&parse(expression).unwrap(), scope);
        let actual = value.as_ref().map(|v| v.as_int().unwrap()).map_err(crate::Error::reason);
        assert_eq!(actual, expected, "{expression}");
    }

    #[test]
    fn loops() {
        let scope =
            Scope::free().with_loop("outer".into(), Value::int(3)).with_loop("inner".into(), Value::int(5));
        check_scope(&scope, "[copyIndex()]", Ok(5));
        check_scope(&scope, "[copyIndex(10)]", Ok(15));
        check_scope(&scope, "[copyIndex('Outer')]", Ok(3));
        check_scope(&scope, "[copyIndex('outer', 1)]", Ok(4));
        check_scope(&scope, "[copyIndex('other')]", Err("no-such-loop"));
        let resource =
            Scope::free().with_resource_loop("vms".into(), 2).with_loop("disks".into(), Value::int(7));
        check_scope(&resource, "[copyIndex()]", Ok(2));
        check_scope(&resource, "[copyIndex('disks')]", Ok(7));
    }

    #[test]
    fn functions_have_their_places() {
        for (place, expression) in [
            (ExpressionSite::Variable, "[reference('a')]"),
            (ExpressionSite::ResourceHead, "[listKeys('a', 'b')]"),
            (ExpressionSite::Output, "[utcNow()]"),
            (ExpressionSite::ParameterExpression, "[variables('a')]"),
            (ExpressionSite::ParameterExpression, "[parameters('a')]"),
            (ExpressionSite::ParameterExpression, "[resourceGroup()]"),
            (ExpressionSite::ResourceBody, "[externalInputs('a')]"),
        ] {
            check_scope(&Scope::new(place), expression, Err("function-not-expected-here"));
        }
    }
}
