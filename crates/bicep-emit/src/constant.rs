//! Calls that the compiler computes.

use bicep_syntax::Node;
use bicep_syntax::ast::{self, Expr};

use crate::context::Context;
use crate::value::Value;

/// The result of a call that the compiler computes.
pub(crate) fn constant(_cx: &Context<'_>, call: Node<'_>) -> Option<Value> {
    let (name, mut arguments) = match Expr::of(call) {
        Expr::Call(call) => {
            (call.name()?.text()?, call.arguments().map(ast::Argument::value).collect::<Vec<_>>())
        }
        Expr::MethodCall(call) => {
            (call.name()?.text()?, call.arguments().map(ast::Argument::value).collect())
        }
        _ => return None,
    };
    match name {
        "nameof" => Some(Value::Text(last_name(arguments.pop()?)?)),
        // Scopes other than that of the deployment cannot be values of a template.
        "subscription" | "resourceGroup" | "managementGroup" if !arguments.is_empty() => {
            Some(Value::Object(Vec::new()))
        }
        _ => None,
    }
}

/// The name that an expression ends in.
fn last_name(expr: Expr<'_>) -> Option<String> {
    match expr {
        Expr::VarAccess(access) => Some(access.name()?.text()?.to_owned()),
        Expr::PropertyAccess(access) => Some(access.name()?.text()?.to_owned()),
        Expr::ResourceAccess(access) => Some(access.name()?.text()?.to_owned()),
        Expr::Index(access) => match access.index() {
            Expr::Str(name) => name.value(),
            _ => last_name(access.base()),
        },
        Expr::Paren(paren) => last_name(paren.value()),
        Expr::NonNull(assertion) => last_name(assertion.base()),
        _ => None,
    }
}
