//! Decorators, understood: what they add to the template.

use bicep_syntax::ast::{self, Decorator, Expr};
use config::Feature;

use crate::translate::Translator;
use crate::value::{Member, Members, Value, merge};

/// The built-in decorator of a name.
pub(crate) fn find<'p>(
    mut decorators: impl Iterator<Item = Decorator<'p>>,
    name: &str,
) -> Option<Vec<Expr<'p>>> {
    decorators.find_map(|decorator| arguments_of(decorator, name))
}

/// Whether something is decorated with this built-in decorator.
pub(crate) fn has_decorator<'p>(decorators: impl Iterator<Item = Decorator<'p>>, name: &str) -> bool {
    find(decorators, name).is_some()
}

/// The arguments of a decorator, if it is the built-in one of this name.
fn arguments_of<'p>(decorator: Decorator<'p>, name: &str) -> Option<Vec<Expr<'p>>> {
    let (own, arguments) = call_of(decorator)?;
    (own == name).then_some(arguments)
}

/// The name and the arguments of a built-in decorator: `@name(…)` or `@sys.name(…)`.
fn call_of(decorator: Decorator<'_>) -> Option<(&str, Vec<Expr<'_>>)> {
    match decorator.expression() {
        Expr::Call(call) => {
            Some((call.name()?.text()?, call.arguments().map(ast::Argument::value).collect()))
        }
        Expr::MethodCall(call) => {
            let Expr::VarAccess(base) = call.base() else { return None };
            (base.name()?.text()? == "sys")
                .then_some((call.name()?.text()?, call.arguments().map(ast::Argument::value).collect()))
        }
        _ => None,
    }
}

/// The description of something, without the indentation of the source.
pub(crate) fn description<'p>(
    translator: &Translator<'_, 'p>,
    decorators: impl Iterator<Item = Decorator<'p>>,
) -> Option<Value> {
    let text = find(decorators, "description")?.into_iter().next()?;
    Some(match translator.value(text) {
        Value::Text(text) => Value::Text(without_indentation(&text)),
        value => value,
    })
}

/// Adds what decorators say about a type: the same for parameters, outputs, types and their members.
pub(crate) fn apply_to_type<'p>(
    translator: &Translator<'_, 'p>,
    decorators: impl Iterator<Item = Decorator<'p>> + Clone,
    is_exportable: bool,
    members: &mut Members,
) {
    if has_decorator(decorators.clone(), "secure") {
        make_secure(members);
    }
    if has_decorator(decorators.clone(), "sealed") {
        merge(members, "additionalProperties", Value::Bool(false));
    }
    if is_exportable && has_decorator(decorators.clone(), "export") {
        merge_metadata(members, "__bicep_export!", Value::Bool(true));
    }
    for name in ["metadata", "minLength", "maxLength", "minValue", "maxValue"] {
        if let Some(argument) = find(decorators.clone(), name).and_then(|it| it.into_iter().next()) {
            merge(members, name, translator.value(argument));
        }
    }
    // Without the feature the name is free for a function of the user.
    let validate =
        find(decorators.clone(), "validate").filter(|_| translator.cx.has(Feature::UserDefinedConstraints));
    if let Some(arguments) = validate {
        let arguments = arguments.into_iter().map(|argument| translator.value(argument)).collect();
        merge(members, "validate", Value::Array(arguments));
    }
    if let Some(constraint) = crate::constraints::constraint(translator, decorators.clone()) {
        merge(members, "userDefinedConstraint", constraint);
    }
    if let Some(description) = description(translator, decorators) {
        merge_metadata(members, "description", description);
    }
}

/// Sets one entry of `metadata`.
pub(crate) fn merge_metadata(members: &mut Members, name: &str, value: Value) {
    merge(members, "metadata", Value::Object(vec![Member::new(name, value)]));
}

fn make_secure(members: &mut Members) {
    let ty = members.iter_mut().find(|member| member.key.is("type")).map(|member| &mut member.value);
    if let Some(Value::Text(ty)) = ty {
        match ty.as_str() {
            "string" => *ty = "securestring".to_owned(),
            "object" => *ty = "secureObject".to_owned(),
            _ => {}
        }
    }
}

/// A text whose lines but the first have lost the white space that all of them start with.
fn without_indentation(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut lines = text.split('\n');
    let first = lines.next().unwrap_or_default();
    let rest: Vec<&str> = lines.collect();
    let is_space = |c: &char| *c == ' ' || *c == '\t';
    let filled = rest.iter().filter(|line| !line.is_empty());
    let shared = filled.map(|line| line.chars().take_while(is_space).count()).min().unwrap_or(0);
    let cut = rest.iter().map(|line| line.get(shared..).unwrap_or_default());
    std::iter::once(first).chain(cut).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_lose_their_indentation() {
        for (text, expected) in [
            ("one", "one"),
            ("one\n  two\n    three\n\n  four", "one\ntwo\n  three\n\nfour"),
            ("one\r\n\ttwo", "one\ntwo"),
            ("  one\ntwo", "  one\ntwo"),
        ] {
            assert_eq!(without_indentation(text), expected);
        }
    }
}
