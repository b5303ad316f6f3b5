//! Statements that are there only while a feature is switched on.

use bicep_syntax::ast::{Property, Resource, Statement, Using, WithClause};
use config::Feature;

use super::Limits;
use crate::messages::limits as messages;

pub(super) fn check(ctx: &mut Limits<'_>) {
    for statement in ctx.tree().file().statements() {
        match statement {
            Statement::Test(test) if !ctx.bicep.config.has(Feature::TestFramework) => {
                ctx.report(messages::test_needs_feature(test.range()));
            }
            Statement::Assert(assert) if !ctx.bicep.config.has(Feature::Assertions) => {
                ctx.report(messages::assert_needs_feature(assert.range()));
            }
            Statement::Using(using) => check_using(ctx, using),
            _ => {}
        }
    }
    if ctx.bicep.config.has(Feature::Assertions) {
        return;
    }
    let statements = ctx.tree().file().statements();
    for resource in statements.filter_map(|statement| Resource::cast(statement.syntax())) {
        let asserts = resource.body().and_then(|body| body.property("asserts")).map(Property::value);
        if let Some(value) = asserts {
            ctx.report(messages::assert_needs_feature(value.range()));
        }
    }
}

fn check_using(ctx: &mut Limits<'_>, using: Using<'_>) {
    match (using.with_clause().map(WithClause::range), ctx.bicep.config.has(Feature::DeployCommands)) {
        (Some(range), false) => ctx.report(messages::using_with_needs_feature(range)),
        (None, true) => ctx.report(messages::using_needs_with(using.range())),
        _ => {}
    }
}
