//! Conditions of resources and modules.

use bicep_sema::resource::Resource;
use bicep_syntax::ast::{self, Expr};

use super::Translator;
use crate::code::Code;
use crate::value::Value;

impl<'p> Translator<'_, 'p> {
    /// The condition under which a resource is deployed: its own and those of the resources it is nested in.
    pub(crate) fn resource_condition(&self, resource: &Resource) -> Option<Value> {
        let ancestors = self.cx.resources.ancestors(resource);
        let outer = ancestors.iter().filter(|(_, link)| link.is_nested).map(|(ancestor, _)| *ancestor);
        let conditions = outer
            .filter_map(|ancestor| match self.cx.resource_statement(ancestor)?.value() {
                Expr::If(condition) => Some(condition),
                _ => None,
            })
            .chain(self.cx.resource_statement(resource).and_then(|own| condition_of(own.value())))
            .map(|condition| self.value(condition.condition()));
        conditions.reduce(|all, next| Value::Code(Code::call("and", [self.to_code(all), self.to_code(next)])))
    }
}

/// The condition of a body, perhaps inside a loop.
pub(crate) fn condition_of(value: Expr<'_>) -> Option<ast::If<'_>> {
    match value {
        Expr::If(condition) => Some(condition),
        Expr::For(each) => match each.body() {
            Expr::If(condition) => Some(condition),
            _ => None,
        },
        _ => None,
    }
}
