//! Translated values → terms of the evaluator: without a detour through text, so that no limit of the text applies.

use arm::template::{Key as TermKey, PropertyLoop, Term, TermKind, TermMember};
use base::TextRange;
use smol_str::SmolStr;

use crate::code::Code;
use crate::translate::Translator;
use crate::value::{Key, Member, Value};

/// A value as something to evaluate. `name` is what its loop is called, if it is one.
pub(crate) fn term(translator: &Translator<'_, '_>, name: &str, value: Value) -> Term {
    base::recurse(|| {
        let kind = match value {
            Value::Null => TermKind::Literal(arm::Value::NULL),
            Value::Bool(value) => TermKind::Literal(arm::Value::bool(value)),
            Value::Int(value) => TermKind::Literal(arm::Value::int(value)),
            Value::Text(text) => TermKind::Literal(arm::Value::string(text)),
            Value::Array(items) => {
                TermKind::Array(items.into_iter().map(|item| term(translator, "", item)).collect())
            }
            Value::Object(members) => {
                TermKind::Object(members.into_iter().map(|member| part(translator, member)).collect())
            }
            Value::Loop(each) => {
                let count = Code::call("length", [translator.to_code(each.source)]);
                TermKind::Loop(Box::new(PropertyLoop {
                    name: SmolStr::new(name),
                    count: of_code(&count),
                    input: term(translator, "", each.body),
                }))
            }
            value => return of_code(&translator.to_code(value)),
        };
        Term { range: TextRange::default(), kind }
    })
}

fn part(translator: &Translator<'_, '_>, member: Member) -> TermMember {
    match member.key {
        Key::Name(name) => {
            let value = term(translator, &name, member.value);
            TermMember { key: TermKey::Literal(name.into()), value }
        }
        Key::Computed(code) => {
            TermMember { key: TermKey::Expression(code.to_expr()), value: term(translator, "", member.value) }
        }
    }
}

fn of_code(code: &Code) -> Term {
    Term { range: TextRange::default(), kind: TermKind::Expression(code.to_expr(), 0) }
}
