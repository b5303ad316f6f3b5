//! Functions of the user as decorators: `@isName(3)` says that the function `isName` checks what is declared. The value
//! is its first argument; the arguments of the decorator follow.

use std::sync::Arc;

use base::{Diagnostic, SmolStr};
use bicep_syntax::SyntaxKind;
use bicep_syntax::ast::{self, Decorator, Expr};
use bicep_types::ty::{
    FunctionFlags, Kind, ObjectType, Overload, ParameterFlags, PropertyFlags, Type, assignable,
};

use super::Checker;
use super::call::{CallSite, Candidates, decorator_flags};
use crate::messages::declarations as messages;
use crate::messages::names::function_not_allowed;
use crate::symbol::SymbolKind;

/// What validators stand before.
const TARGETS: FunctionFlags = FunctionFlags::PARAMETER_DECORATOR
    .union(FunctionFlags::OUTPUT_DECORATOR)
    .union(FunctionFlags::TYPE_DECORATOR);

impl<'a> Checker<'a> {
    /// A function of the user as it is called by a decorator; `None` if it cannot be, and that has been reported.
    pub(super) fn validator(&mut self, site: CallSite<'a>, found: Candidates) -> Option<Candidates> {
        let target = site.decorated()?;
        let [function] = found.overloads.as_slice() else { return Some(found) };
        let wrong = check_signature(function)
            .err()
            .map(|why| not_a_validator(site, why))
            .or_else(|| check_target(site, target.kind()));
        if let Some(wrong) = wrong {
            self.fail(wrong);
            return None;
        }
        Some(Candidates { overloads: vec![Arc::new(without_value(function))], ..found })
    }

    /// The function of the user that a decorator names.
    pub(super) fn validator_function(&mut self, decorator: Expr<'a>) -> Option<Arc<Overload>> {
        match decorator {
            Expr::Call(call) => {
                self.bound.bindings.symbol(call.syntax())?;
                let name = call.name().and_then(ast::Name::text)?;
                self.candidates(call.syntax(), name)?.overloads.pop()
            }
            Expr::MethodCall(call) => {
                let (_, symbol) = self.referenced(call.base().syntax())?;
                if symbol.kind != SymbolKind::WildcardImport {
                    return None;
                }
                let (name, base) = (call.name().and_then(ast::Name::text)?, self.expr(call.base()));
                let Kind::Namespace(namespace) = base.kind() else { return None };
                let mut functions = namespace.members.methods.iter();
                functions.find(|it| it.name.matches(name)).cloned().map(Arc::new)
            }
            _ => None,
        }
    }

    /// Checks that a validator takes the values of the declaration it stands before.
    pub(super) fn check_validator(&mut self, decorator: Decorator<'a>, function: &Overload, target: &Type) {
        let Some(value) = function.parameters.first() else { return };
        // A value that is absent is not checked.
        let target = target.remove_null();
        if !target.is_error() && !assignable(&target, &value.ty) {
            let name = function.name.to_string();
            self.report(messages::cannot_attach(decorator.range(), &name, &value.ty, &target));
        }
    }
}

/// The function with the value left out, and everything else known to the compiler.
fn without_value(function: &Overload) -> Overload {
    let mut extra = function.clone();
    extra.parameters.drain(..1.min(extra.parameters.len()));
    for parameter in &mut extra.parameters {
        parameter.flags |= ParameterFlags::CONSTANT;
    }
    extra.flagged(TARGETS)
}

fn not_a_validator(site: CallSite<'_>, why: &str) -> Diagnostic {
    match site.node.kind() {
        SyntaxKind::MethodCall => messages::not_a_validator(site.name_range, "BCP152", site.name, why),
        _ => messages::not_a_validator(site.node.range(), "BCP141", site.name, why),
    }
}

fn check_target(site: CallSite<'_>, target: SyntaxKind) -> Option<Diagnostic> {
    let is_part = matches!(
        target,
        SyntaxKind::ObjectTypeProperty
            | SyntaxKind::ObjectTypeAdditional
            | SyntaxKind::TupleTypeItem
            | SyntaxKind::MissingDeclaration
    );
    let allowed = decorator_flags(target);
    if !is_part && allowed.contains(FunctionFlags::ANY_DECORATOR) {
        return Some(messages::not_for_validators(site.name_range, site.name));
    }
    function_not_allowed(site.name_range, site.name, TARGETS, allowed)
}

/// Whether a function can be a validator, and which condition it does not meet.
fn check_signature(function: &Overload) -> Result<(), &'static str> {
    if function.parameters.is_empty() && function.variadic.is_none() {
        return Err("it needs a parameter for the value");
    }
    check_answer(&function.result)
}

/// Whether all values of a type are answers: success, or failure with a message. Nothing is known about a bare object.
fn check_answer(ty: &Type) -> Result<(), &'static str> {
    const NOT_AN_OBJECT: &str = "its result must be an object with the property \"kind\"";
    match ty.kind() {
        Kind::Any | Kind::Error(_) => Ok(()),
        Kind::Object(object) => check_object(object),
        Kind::Discriminated(tagged) => tagged.objects().try_for_each(|(_, object)| check_object(object)),
        Kind::Union(members) => members.iter().try_for_each(check_answer),
        _ => Err(NOT_AN_OBJECT),
    }
}

fn check_object(object: &ObjectType) -> Result<(), &'static str> {
    const KIND: &str = "the property \"kind\" of its result must be 'success' or 'failure'";
    const MESSAGE: &str = "a result of kind 'failure' needs the property \"errorMessage\" of type string";
    let is_open = object.additional.as_ref().is_some_and(|it| it.ty.is_any());
    if object.properties.is_empty() && is_open && object.has_explicit_additional() {
        return Ok(());
    }
    let kind = object.property("kind").map(|property| &property.ty).ok_or(KIND)?;
    let one = std::slice::from_ref(kind);
    let words = if kind.members().is_empty() { one } else { kind.members() };
    let mut fails = false;
    for word in words {
        match word.as_string_literal().map(SmolStr::as_str) {
            Some("success") => {}
            Some("failure") => fails = true,
            _ => return Err(KIND),
        }
    }
    let has_message = object.property("errorMessage").is_some_and(|property| {
        property.flags.contains(PropertyFlags::REQUIRED) && assignable(&property.ty, &Type::string())
    });
    if fails && !has_message { Err(MESSAGE) } else { Ok(()) }
}
