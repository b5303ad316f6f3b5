//! Calls: which overload is meant, whether the arguments fit, and what comes back.

use std::sync::Arc;

use base::{SmolStr, TextRange};
use bicep_syntax::ast::{self, Expr, Name};
use bicep_syntax::{Node, SyntaxKind, Token};
use bicep_types::ty::{
    Arity, FunctionFlags, FunctionName, Kind, Overload, ParameterFlags, Type, assignable,
    assignable_if_not_null,
};

use super::access::{unwrapped, without_parens_and_assertions};
use super::constant::require_constant;
use super::{Checker, TypeMemo};
use crate::bind::Binding;
use crate::messages::names::{banned_function, function_not_allowed};
use crate::messages::{functions as messages, types};
use crate::namespace::Namespace;
use crate::symbol::SymbolKind;

/// A call as it is written.
#[derive(Clone, Copy)]
pub(crate) struct CallSite<'a> {
    pub(super) node: Node<'a>,
    pub(super) name: &'a str,
    pub(super) name_range: TextRange,
}

impl<'a> CallSite<'a> {
    pub(super) fn arguments(self) -> impl DoubleEndedIterator<Item = ast::Argument<'a>> {
        self.node.children().filter_map(ast::Argument::cast)
    }

    pub(super) fn argument(self, index: usize) -> Option<ast::Argument<'a>> {
        self.arguments().nth(index)
    }

    /// From parenthesis to parenthesis.
    fn parens(self) -> TextRange {
        let open = self.node.token(SyntaxKind::LeftParen).map(Token::range);
        let close = self.node.token(SyntaxKind::RightParen).map(Token::range);
        match (open, close) {
            (Some(open), Some(close)) => open.cover(close),
            (Some(open), None) => TextRange::new(open.start(), self.node.range().end()),
            _ => self.node.range(),
        }
    }

    /// All arguments, or the parentheses where there are none.
    pub(super) fn arguments_range(self) -> TextRange {
        match (self.arguments().next(), self.arguments().next_back()) {
            (Some(first), Some(last)) => first.range().cover(last.range()),
            _ => self.parens(),
        }
    }

    /// The declaration that the call decorates, if it is a decorator.
    pub(super) fn decorated(self) -> Option<Node<'a>> {
        let parent = self.node.parent()?;
        (parent.kind() == SyntaxKind::Decorator).then(|| parent.parent()).flatten()
    }
}

/// The overloads among which a call chooses.
pub(super) struct Candidates {
    pub(super) overloads: Vec<Arc<Overload>>,
    /// The extension that declares them; empty for functions of the file.
    pub(super) extension: SmolStr,
}

impl<'a> Checker<'a> {
    pub(super) fn call(&mut self, call: ast::Call<'a>) -> Type {
        let node = call.syntax();
        let failed = self.check_arguments(node);
        let Some(name) = call.name() else { return Type::error() };
        let Some(text) = name.text() else { return Type::error() };
        if let Some(error) = self.cyclic_reference(node) {
            return error;
        }
        let site = CallSite { node, name: text, name_range: name.range() };
        if let Some(candidates) = self.candidates(node, text) {
            let is_declared = self.bound.bindings.symbol(node).is_some() && site.decorated().is_some();
            let candidates = if is_declared { self.validator(site, candidates) } else { Some(candidates) };
            let Some(candidates) = candidates else { return Type::error() };
            return self.resolve(site, &candidates, failed);
        }
        if self.bound.bindings.get(node).is_none_or(|it| it == Binding::Nothing) {
            return self.mistake(node);
        }
        let is_decorator = site.decorated().is_some();
        let known = self.bound.namespaces.with_function(text, is_decorator).next();
        let namespace = known.and_then(|index| self.bound.namespaces.get(index));
        self.fail(match namespace {
            Some(namespace) => messages::shadowed(name.range(), text, &namespace.name),
            None => messages::not_a_function(name.range(), text),
        })
    }

    /// The types of the arguments; whether one of them is so wrong that nothing can be said of the call.
    fn check_arguments(&mut self, call: Node<'a>) -> bool {
        let mut failed = false;
        for argument in call.children().filter_map(ast::Argument::cast) {
            let is_wrong = self.type_of(argument.syntax()).is_error();
            failed |= is_wrong && !self.is_settled(argument.syntax());
        }
        failed
    }

    /// Whether all that is wrong with an expression are properties that are not there, and what could not be parsed.
    fn is_settled(&self, expression: Node<'a>) -> bool {
        let is_wrong = |node: &Node<'a>| matches!(self.slots.get(node.id().index()), Some(TypeMemo::Known(ty)) if ty.is_error());
        let mut open = vec![expression];
        while let Some(node) = open.pop() {
            if self.settled.contains(&node.id()) {
                continue;
            }
            let is_call = matches!(node.kind(), SyntaxKind::Call | SyntaxKind::MethodCall);
            let known = open.len();
            open.extend(node.children().filter(|_| !is_call).filter(is_wrong));
            let is_broken = !is_call && is_broken(node);
            if open.len() == known && !is_broken {
                return false;
            }
        }
        true
    }

    /// The overloads that a call by name chooses from.
    pub(super) fn candidates(&mut self, node: Node<'a>, name: &str) -> Option<Candidates> {
        match self.bound.bindings.get(node)? {
            Binding::Function(index) => {
                let namespace = self.bound.namespaces.get(index)?;
                Some(overloads_of(namespace, name, is_decorator_expression(node)))
            }
            Binding::Symbol(id) => {
                let symbol = self.symbol(id)?;
                let overload = match symbol.kind {
                    SymbolKind::Func => self.declared_function(self.declaration(symbol))?,
                    SymbolKind::ImportItem => self.imported_function(id)?,
                    _ => return None,
                };
                Some(Candidates { overloads: vec![overload], extension: SmolStr::default() })
            }
            _ => None,
        }
    }

    pub(super) fn method_call(&mut self, call: ast::MethodCall<'a>) -> Type {
        let node = call.syntax();
        let base = self.expr(call.base());
        if base.is_error() {
            return Type::error();
        }
        let name = node.children().filter_map(Name::cast).next_back();
        let Some(name) = name else { return Type::error() };
        let base = unwrapped(&base);
        let (bare, is_asserted) = without_parens_and_assertions(call.base());
        let symbol = self.referenced(bare).map(|(_, symbol)| symbol);
        if !is_asserted && self.may_be_disabled(symbol) {
            self.report(messages::call_on_null(name.range(), &base.make_nullable()));
        }
        let is_namespace = matches!(base.kind(), Kind::Namespace(_));
        if !is_namespace && base.as_object().is_none() {
            return self.fail(types::object_required_for_call(name.range(), &base));
        }
        let Some(text) = name.text() else {
            // The parser has said what is wrong with the call; the errors of its arguments do not matter any more.
            let (_, own) = self.hold_back(|this| this.check_arguments(node));
            self.settle(own, true);
            self.settled.insert(node.id());
            return Type::error();
        };
        let failed = self.check_arguments(node);
        let site = CallSite { node, name: text, name_range: name.range() };
        let found = match base.kind() {
            Kind::Namespace(_) => self.namespace_function(site, call.base(), &base),
            _ => self.object_function(site, &base),
        };
        match found {
            Some(candidates) => self.resolve(site, &candidates, failed),
            None => Type::error(),
        }
    }

    /// A function that is called with its namespace; `None` if there is none and that has been reported.
    pub(super) fn namespace_function(
        &mut self,
        site: CallSite<'a>,
        base: Expr<'a>,
        ty: &Type,
    ) -> Option<Candidates> {
        let decorated = site.decorated();
        let allowed = match decorated {
            Some(target) => decorator_flags(target.kind()),
            None => self.bound.bindings.method_flags(site.node),
        };
        let with_decorators = decorated.is_some() && allowed.intersects(FunctionFlags::ANY_DECORATOR);
        let (found, alias, names) = match self.namespace_of(base.syntax()) {
            Some(namespace) => {
                if let Some(instead) = namespace.banned(site.name) {
                    self.fail(banned_function(site.name_range, site.name, instead));
                    return None;
                }
                let found = overloads_of(namespace, site.name, with_decorators);
                let may_be_decorator = allowed.intersects(FunctionFlags::ANY_DECORATOR);
                let names: Vec<SmolStr> = namespace.function_names(may_be_decorator).collect();
                (found, namespace.name.clone(), names)
            }
            None => {
                let Kind::Namespace(namespace) = ty.kind() else { return None };
                let matching = namespace.members.methods.iter().filter(|it| it.name.matches(site.name));
                let overloads = matching.cloned().map(Arc::new).collect();
                let names = namespace.members.methods.iter().map(|it| SmolStr::new(it.name.to_string()));
                let found = Candidates { overloads, extension: namespace.extension.clone() };
                (found, namespace.alias.clone(), names.collect())
            }
        };
        if found.overloads.is_empty() {
            let other = suggest(site.name, names);
            self.fail(messages::not_in_namespace(site.name_range, site.name, &alias, other.as_deref()));
            return None;
        }
        if decorated.is_some() && self.namespace_of(base.syntax()).is_none() {
            return self.validator(site, found);
        }
        let flags = found.overloads.iter().fold(FunctionFlags::empty(), |flags, it| flags | it.flags);
        if let Some(diagnostic) = function_not_allowed(site.name_range, site.name, flags, allowed) {
            self.fail(diagnostic);
            return None;
        }
        Some(found)
    }

    /// The namespace that an expression names.
    pub(super) fn namespace_of(&self, node: Node<'a>) -> Option<&'a Namespace> {
        let (declarations, namespaces) = (self.bound.declarations, self.bound.namespaces);
        namespaces.get(self.bound.bindings.namespace(node, declarations, namespaces)?)
    }

    fn object_function(&mut self, site: CallSite<'a>, base: &Type) -> Option<Candidates> {
        let methods = &base.as_object()?.methods;
        let overloads: Vec<Arc<Overload>> =
            methods.iter().filter(|it| it.name.matches(site.name)).cloned().map(Arc::new).collect();
        if overloads.is_empty() {
            let exact = methods.iter().filter(|it| matches!(it.name, FunctionName::Exact(_)));
            let other = suggest(site.name, exact.map(|it| SmolStr::new(it.name.to_string())).collect());
            self.fail(messages::not_on_object(site.name_range, site.name, base, other.as_deref()));
            return None;
        }
        Some(Candidates { overloads, extension: SmolStr::default() })
    }

    /// Chooses the overload and checks the arguments against it.
    pub(super) fn resolve(&mut self, site: CallSite<'a>, candidates: &Candidates, failed: bool) -> Type {
        let mut arguments: Vec<Type> = Vec::new();
        for argument in site.arguments() {
            let ty = self.type_of(argument.syntax());
            arguments.push(if ty.is_error() { Type::any() } else { ty });
        }
        let matched = loop {
            match choose(&candidates.overloads, &arguments) {
                Choice::Matches(matched) => break matched,
                Choice::Types(mismatches) => {
                    let nullable = mismatches.iter().find_map(|it| {
                        let actual = arguments.get(it.index)?;
                        Some((it.index, assignable_if_not_null(actual, &it.expected)?))
                    });
                    let Some((index, bare)) = nullable else {
                        self.report_mismatch(site, &mismatches, &arguments);
                        return Type::error();
                    };
                    if let Some(argument) = arguments.get_mut(index) {
                        *argument = bare;
                    }
                }
                Choice::Counts(arity) => {
                    return self.fail(messages::argument_count(site.parens(), arguments.len(), arity));
                }
            }
        };
        if failed {
            return Type::error();
        }
        // More than one: the arguments do not say which.
        let [overload] = matched.as_slice() else { return Type::any() };
        self.overloads.insert(site.node.id(), Arc::clone(overload));
        self.check_parameters(site, overload, &candidates.extension);
        self.call_result(site, overload, &candidates.extension, &arguments)
    }

    fn check_parameters(&mut self, site: CallSite<'a>, overload: &Overload, extension: &str) {
        for (index, argument) in site.arguments().enumerate() {
            let flags = match overload.parameters.get(index) {
                Some(parameter) => parameter.flags,
                None => overload.variadic.as_ref().map(|it| it.flags).unwrap_or_default(),
            };
            if flags.contains(ParameterFlags::CONSTANT) {
                require_constant(argument.syntax(), &mut self.diagnostics);
            }
            let expected = self.parameter_type(site, overload, extension, index);
            if let Some(expected) = expected {
                self.check_argument(argument, &expected);
            }
        }
    }

    fn report_mismatch(&mut self, site: CallSite<'a>, mismatches: &[TypeMismatch], arguments: &[Type]) {
        let Some(first) = mismatches.first() else { return };
        let range_of = |index: usize| site.argument(index).map_or(site.parens(), ast::Argument::range);
        let all_at_one = mismatches.iter().all(|it| it.index == first.index);
        if mismatches.len() > 1 && all_at_one {
            let Some(actual) = arguments.get(first.index) else { return };
            let signatures: Vec<String> = mismatches.iter().map(|it| it.overload.signature()).collect();
            self.fail(messages::no_overload(range_of(first.index), &signatures, actual));
            return;
        }
        // The one that got furthest; the last of equals.
        let Some(best) = mismatches.iter().max_by_key(|it| it.index) else { return };
        let Some(actual) = arguments.get(best.index) else { return };
        self.fail(messages::argument_mismatch(range_of(best.index), actual, &best.expected));
    }
}

enum Choice {
    Matches(Vec<Arc<Overload>>),
    Types(Vec<TypeMismatch>),
    Counts(Arity),
}

struct TypeMismatch {
    overload: Arc<Overload>,
    index: usize,
    expected: Type,
}

/// The overloads that a call with these arguments may mean; the first that certainly fits is the only one.
fn choose(overloads: &[Arc<Overload>], arguments: &[Type]) -> Choice {
    let mut possible = Vec::new();
    let mut mismatches = Vec::new();
    let mut counts: Option<Arity> = None;
    for overload in overloads {
        let arity = overload.arity();
        if !arity.allows(arguments.len()) {
            counts = Some(counts.map_or(arity, |known| Arity {
                min: known.min.min(arity.min),
                max: known.max.zip(arity.max).map(|(a, b)| a.max(b)),
            }));
            continue;
        }
        if arguments.iter().all(Type::is_any) {
            possible.push(Arc::clone(overload));
            continue;
        }
        let mismatch = arguments.iter().enumerate().find_map(|(index, argument)| {
            let expected = overload.argument_type(index)?;
            (!assignable(argument, expected)).then(|| TypeMismatch {
                overload: Arc::clone(overload),
                index,
                expected: expected.clone(),
            })
        });
        match mismatch {
            Some(mismatch) => mismatches.push(mismatch),
            None if arguments.iter().any(Type::is_any) => possible.push(Arc::clone(overload)),
            None => return Choice::Matches(vec![Arc::clone(overload)]),
        }
    }
    if possible.iter().any(|overload| !is_wildcard(overload)) {
        possible.retain(|overload| !is_wildcard(overload));
    }
    match (possible.is_empty(), mismatches.is_empty(), counts) {
        (false, ..) => Choice::Matches(possible),
        (true, true, Some(arity)) => Choice::Counts(arity),
        _ => Choice::Types(mismatches),
    }
}

/// Whether a part of an expression is missing.
fn is_broken(node: Node<'_>) -> bool {
    match Expr::of(node) {
        Expr::PropertyAccess(access) if access.name().and_then(Name::text).is_none() => true,
        Expr::Paren(paren) if matches!(paren.value(), Expr::Skipped(_)) => true,
        _ => node.children().any(|child| child.kind() == SyntaxKind::Skipped),
    }
}

/// Whether a call is a decorator, or what something is read from where a decorator should be.
fn is_decorator_expression(call: Node<'_>) -> bool {
    let mut inner = call;
    while let Some(outer) = inner.parent() {
        match outer.kind() {
            SyntaxKind::Decorator => return true,
            SyntaxKind::PropertyAccess | SyntaxKind::MethodCall if outer.children().next() == Some(inner) => {
                inner = outer;
            }
            _ => return false,
        }
    }
    false
}

fn is_wildcard(overload: &Overload) -> bool {
    matches!(overload.name, FunctionName::Prefix(_))
}

fn overloads_of(namespace: &Namespace, name: &str, with_decorators: bool) -> Candidates {
    let overloads = namespace.overloads(name, with_decorators).cloned().collect();
    Candidates { overloads, extension: namespace.extension.clone() }
}

fn suggest(name: &str, mut candidates: Vec<SmolStr>) -> Option<SmolStr> {
    candidates.sort_by_cached_key(|name| name.to_ascii_uppercase());
    candidates.dedup();
    base::spelling::suggest(name, candidates)
}

/// What decorators a declaration takes.
pub(super) fn decorator_flags(declaration: SyntaxKind) -> FunctionFlags {
    match declaration {
        SyntaxKind::Metadata => FunctionFlags::METADATA_DECORATOR,
        SyntaxKind::Resource => FunctionFlags::RESOURCE_DECORATOR,
        SyntaxKind::Module => FunctionFlags::MODULE_DECORATOR,
        SyntaxKind::Param => FunctionFlags::PARAMETER_DECORATOR,
        SyntaxKind::TypeDeclaration => FunctionFlags::TYPE_DECORATOR,
        SyntaxKind::Var => FunctionFlags::VARIABLE_DECORATOR,
        SyntaxKind::Output => FunctionFlags::OUTPUT_DECORATOR,
        _ => FunctionFlags::ANY_DECORATOR,
    }
}
