//! Functions of the user as decorators: `@isValidName()` on a parameter makes the deployment call `isValidName`.

use bicep_sema::SymbolKind;
use bicep_syntax::Node;
use bicep_syntax::ast::{Argument, Decorator, Expr, Name};

use crate::translate::{Translator, qualified};
use crate::value::Value;

/// The constraints that decorators naming functions of the user make: one as it is, several as an array.
pub(crate) fn constraint<'p>(translator: &Translator<'_, 'p>, holder: Node<'p>) -> Option<Value> {
    let decorators = holder.children().filter_map(Decorator::cast);
    let mut constraints: Vec<Value> =
        decorators.filter_map(|decorator| of_decorator(translator, decorator.expression())).collect();
    if constraints.len() > 1 { Some(Value::Array(constraints)) } else { constraints.pop() }
}

fn of_decorator<'p>(translator: &Translator<'_, 'p>, expr: Expr<'p>) -> Option<Value> {
    let (cx, bindings) = (translator.cx, translator.cx.model.bindings());
    let (name, arguments): (String, Vec<Argument<'p>>) = match expr {
        Expr::Call(call) => {
            let symbol = bindings.symbol(call.syntax())?;
            let is_function =
                matches!(cx.model.symbol(symbol).kind, SymbolKind::Func | SymbolKind::ImportItem);
            (is_function.then(|| cx.emitted_name(symbol))?, call.arguments().collect())
        }
        Expr::MethodCall(call) => {
            let symbol = bindings.symbol(call.base().syntax())?;
            let is_import = cx.model.symbol(symbol).kind == SymbolKind::WildcardImport;
            let member = call.name().and_then(Name::text)?;
            (is_import.then(|| cx.imported_member(symbol, member))?, call.arguments().collect())
        }
        _ => return None,
    };
    let name = qualified(&name);
    let (namespace, function) = name.split_once('.')?;
    let arguments: Vec<Value> =
        arguments.into_iter().map(|argument| translator.value(argument.value())).collect();
    let extra = (!arguments.is_empty()).then_some(("additionalArguments", Value::Array(arguments)));
    let named = [("namespace", Value::text(namespace)), ("name", Value::text(function))];
    Some(Value::object(named.into_iter().chain(extra)))
}
