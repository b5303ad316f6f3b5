//! How a function is called, while its call is written: a file and an offset come in, signatures go out.

use std::sync::Arc;

use base::source::utf16_len;
use base::{TextRange, TextSize};
use bicep_syntax::ast::{Argument, Call, GenericType, MethodCall};
use bicep_syntax::{Node, SyntaxKind, Token};
use bicep_types::ty::{Overload, ParameterFlags, Type, assignable};

use crate::FileContext;
use crate::entity::{Entity, entity_of};
use crate::hover::called_overload;
use crate::lookup::enclosing;

/// The ways to call what is being called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignatureHelp {
    /// One for each way.
    pub signatures: Vec<Signature>,
    /// The one that fits the arguments.
    pub active: Option<usize>,
    /// The argument that the offset is in.
    pub active_parameter: Option<usize>,
}

/// One way to call something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// As one line.
    pub label: String,
    /// What it does.
    pub documentation: Option<String>,
    pub parameters: Vec<ParameterLabel>,
}

/// A parameter within a label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParameterLabel {
    /// Where it starts in the label, in UTF-16 code units.
    pub start: u32,
    /// Where it ends.
    pub end: u32,
    /// What it is.
    pub documentation: String,
}

/// The signatures for the call around an offset.
pub fn signature_help(context: &FileContext<'_>, offset: TextSize) -> Option<SignatureHelp> {
    let nodes = enclosing(context.tree(), offset);
    let call = nodes.iter().rev().copied().find(|node| is_call(*node) && between(*node, PARENS, offset));
    if let Some(call) = call {
        return of_call(context, call, offset);
    }
    let generic =
        nodes.iter().rev().copied().find(|node| is_generic(*node) && between(*node, ANGLES, offset))?;
    of_generic(context, generic, offset)
}

const PARENS: [SyntaxKind; 2] = [SyntaxKind::LeftParen, SyntaxKind::RightParen];
const ANGLES: [SyntaxKind; 2] = [SyntaxKind::Less, SyntaxKind::Greater];

fn is_call(node: Node<'_>) -> bool {
    matches!(node.kind(), SyntaxKind::Call | SyntaxKind::MethodCall)
}

fn is_generic(node: Node<'_>) -> bool {
    matches!(node.kind(), SyntaxKind::GenericType | SyntaxKind::MemberGenericType)
}

/// Whether an offset stands between two tokens of a node. Where the closing one is missing, what stands in its place counts.
fn between(node: Node<'_>, [open, close]: [SyntaxKind; 2], offset: TextSize) -> bool {
    let Some(open) = node.token(open).map(Token::range) else { return false };
    let end = node.token(close).map(|token| token.range().start());
    let missing = || node.elements().last().map(|last| last.range().start().max(open.end()));
    end.or_else(missing)
        .is_some_and(|end| TextRange::new(open.end(), end.max(open.end())).contains_inclusive(offset))
}

fn of_call(context: &FileContext<'_>, call: Node<'_>, offset: TextSize) -> Option<SignatureHelp> {
    let overloads = match entity_of(context, call)? {
        Entity::Function(overloads) => overloads,
        Entity::ImportedFunction(overload) => vec![overload],
        Entity::Symbol(symbol) => vec![called_overload(context, symbol)?],
        _ => return None,
    };
    let arguments = argument_types(context, call, true);
    // Fewer arguments than needed are fine: they are being written.
    let possible = overloads.iter().filter(|it| it.arity().max.is_none_or(|max| arguments.len() <= max));
    let possible: Vec<(&Arc<Overload>, Fit)> = possible.map(|it| (it, fit(it, &arguments))).collect();
    let first = |wanted: Fit| possible.iter().position(|(_, fit)| *fit == wanted);
    let is_decorator = call.parent().is_some_and(|parent| parent.kind() == SyntaxKind::Decorator);
    Some(SignatureHelp {
        active: first(Fit::Match).or_else(|| first(Fit::Possible)),
        signatures: possible.iter().map(|(it, _)| signature(it, arguments.len(), !is_decorator)).collect(),
        active_parameter: active_parameter(call, SyntaxKind::Argument, offset),
    })
}

/// The types of the arguments of a call. While a call is written, arguments with mistakes may become anything.
pub(crate) fn argument_types(context: &FileContext<'_>, call: Node<'_>, lenient: bool) -> Vec<Type> {
    let arguments = match call.kind() {
        SyntaxKind::Call => Call::cast(call).map(|it| it.arguments().collect::<Vec<_>>()),
        _ => MethodCall::cast(call).map(|it| it.arguments().collect()),
    };
    let type_of = |argument: Argument<'_>| {
        let ty = context.type_of(argument.value().syntax());
        if lenient && ty.is_error() { Type::any() } else { ty }
    };
    arguments.unwrap_or_default().into_iter().map(type_of).collect()
}

/// How well arguments fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fit {
    /// All of them do.
    Match,
    /// They may: of some the type is not known.
    Possible,
    /// They do not.
    Mismatch,
}

/// How well the arguments of a call fit one way to call a function.
pub(crate) fn fit(overload: &Overload, arguments: &[Type]) -> Fit {
    if !overload.arity().allows(arguments.len()) {
        return Fit::Mismatch;
    }
    if arguments.iter().all(Type::is_any) {
        return Fit::Possible;
    }
    let expected = |index: usize| overload.argument_type(index);
    let fits = |(index, ty): (usize, &Type)| expected(index).is_some_and(|expected| assignable(ty, expected));
    if !arguments.iter().enumerate().all(fits) {
        return Fit::Mismatch;
    }
    if arguments.iter().any(Type::is_any) { Fit::Possible } else { Fit::Match }
}

fn active_parameter(node: Node<'_>, kind: SyntaxKind, offset: TextSize) -> Option<usize> {
    let arguments = node.children().filter(|child| child.kind() == kind);
    let mut values =
        arguments.map(|argument| argument.children().next().map_or(argument.range(), Node::range));
    values.position(|range| range.contains_inclusive(offset))
}

fn signature(overload: &Overload, argument_count: usize, with_result: bool) -> Signature {
    let mut label = format!("{}(", overload.name);
    let mut parameters = Vec::new();
    for parameter in &overload.parameters {
        let text = format!("{}: {}", parameter.name, parameter.ty);
        let is_required = parameter.flags.contains(ParameterFlags::REQUIRED);
        let text = if is_required { text } else { format!("[{text}]") };
        push(&mut label, &mut parameters, &text, &parameter.description);
    }
    if let Some(rest) = &overload.variadic {
        let mut index = 0;
        // As many as there have to be and as there are already, then one that stands for more.
        while index < rest.min_count || argument_count > parameters.len() {
            let text = format!("{}{index} : {}", rest.prefix, rest.ty);
            push(&mut label, &mut parameters, &text, &rest.description);
            index += 1;
        }
        push(&mut label, &mut parameters, &format!("... : {}", rest.ty), &rest.description);
    }
    label.push(')');
    if with_result {
        label.push_str(&format!(": {}", overload.result));
    }
    Signature { label, documentation: Some(overload.description.to_string()), parameters }
}

fn push(label: &mut String, parameters: &mut Vec<ParameterLabel>, text: &str, documentation: &str) {
    if !parameters.is_empty() {
        label.push_str(", ");
    }
    let start = utf16_len(label);
    label.push_str(text);
    parameters.push(ParameterLabel { start, end: utf16_len(label), documentation: documentation.to_owned() });
}

/// Types that take an argument: those derived from resource types.
fn of_generic(context: &FileContext<'_>, node: Node<'_>, offset: TextSize) -> Option<SignatureHelp> {
    let name = crate::lookup::name_of(node)?.text()?;
    let is_known = match entity_of(context, node)? {
        Entity::Type(_) => true,
        Entity::Property(..) => GenericType::cast(node).is_none(),
        _ => false,
    };
    let is_derived = bicep_sema::namespace::RESOURCE_DERIVED.contains(&name);
    (is_known && is_derived).then_some(())?;
    let mut label = format!("{name}<");
    let mut parameters = Vec::new();
    push(&mut label, &mut parameters, "ResourceTypeIdentifier: string", RESOURCE_TYPE);
    label.push('>');
    let documentation = Some(derived_description(name).to_owned());
    Some(SignatureHelp {
        signatures: vec![Signature { label, documentation, parameters }],
        active: Some(0),
        active_parameter: active_parameter(node, SyntaxKind::TypeArgument, offset),
    })
}

const RESOURCE_TYPE: &str =
    "A resource type with its version, as in 'Microsoft.Storage/storageAccounts@2023-01-01'.";

/// What a type that is derived from a resource type stands for.
pub(crate) fn derived_description(name: &str) -> &'static str {
    match name {
        "resourceInput" => "The properties of a resource type that a template may set.",
        "resourceOutput" => "The properties of a resource type that can be read once it is deployed.",
        _ => "The properties of a resource type.",
    }
}
