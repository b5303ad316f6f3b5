//! Decorators, understood: what they add to the template.

use bicep_sema::Model;
use bicep_sema::decorator::arguments;
use bicep_syntax::Node;
use bicep_syntax::ast::Expr;

use crate::translate::Translator;
use crate::value::{Member, Members, Value, merge};

/// The first argument of a decorator of the language.
pub(crate) fn argument<'p>(model: &Model, holder: Node<'p>, name: &str) -> Option<Expr<'p>> {
    arguments(model.decorator(holder, name)?).next()
}

/// The description of something, without the indentation of the source.
pub(crate) fn description<'p>(translator: &Translator<'_, 'p>, holder: Node<'p>) -> Option<Value> {
    let text = argument(translator.cx.model, holder, "description")?;
    Some(match translator.value(text) {
        Value::Text(text) => Value::Text(without_indentation(&text)),
        value => value,
    })
}

/// Adds what decorators say about a type: the same for parameters, outputs, types and their members.
pub(crate) fn apply_to_type<'p>(
    translator: &Translator<'_, 'p>,
    holder: Node<'p>,
    is_exportable: bool,
    members: &mut Members,
) {
    let model = translator.cx.model;
    let has_decorator = |name| model.decorator(holder, name).is_some();
    if has_decorator("secure") {
        make_secure(members);
    }
    if has_decorator("sealed") {
        merge(members, "additionalProperties", Value::Bool(false));
    }
    if is_exportable && has_decorator("export") {
        merge_metadata(members, "__bicep_export!", Value::Bool(true));
    }
    for name in ["metadata", "minLength", "maxLength", "minValue", "maxValue"] {
        if let Some(argument) = argument(model, holder, name) {
            merge(members, name, translator.value(argument));
        }
    }
    if let Some(validate) = model.decorator(holder, "validate") {
        let arguments = arguments(validate).map(|argument| translator.value(argument)).collect();
        merge(members, "validate", Value::Array(arguments));
    }
    if let Some(constraint) = crate::constraints::constraint(translator, holder) {
        merge(members, "userDefinedConstraint", constraint);
    }
    if let Some(description) = description(translator, holder) {
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
