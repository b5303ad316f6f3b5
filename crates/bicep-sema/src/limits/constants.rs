//! Values that must be known when a deployment starts: conditions, what loops go over, names, places and the like cannot
//! use what only the deployment brings about.

use std::borrow::Cow;

use base::{Diagnostic, TextRange};
use bicep_syntax::ast::{self, Expr, Property};
use bicep_syntax::{Node, SyntaxKind};
use bicep_types::ty::{self, FunctionFlags, Kind, ParameterFlags, PropertyFlags};

use super::Limits;
use crate::expected::Expected;
use crate::messages::limits::{self as messages, Reason};
use crate::resource::IDENTITY;
use crate::runtime::{IDENTIFIERS, Runtime, Source, Unknown, Use};
use crate::symbol::{SymbolId, SymbolKind};

pub(super) fn check(ctx: &mut Limits<'_>) {
    let mut finder = Finder {
        ctx,
        runtime: Runtime::new(ctx.bicep, ctx.model),
        expected: Expected::new(ctx.model),
        found: Vec::new(),
    };
    finder.visit(ctx.tree().root());
    for node in ctx.tree().nodes_of(&[SyntaxKind::Index, SyntaxKind::PropertyAccess, SyntaxKind::MethodCall])
    {
        finder.check_nested(node);
    }
    let found = finder.found;
    ctx.diagnostics.extend(found);
}

/// A place that only takes values that are known when the deployment starts.
enum Container<'a> {
    Property(Property<'a>),
    Condition,
    Loop(ast::For<'a>),
    Call(&'a str),
    Function,
    Argument { function: &'a str, parameter: String },
    Extension,
}

struct Finder<'f, 'a> {
    ctx: &'f Limits<'a>,
    runtime: Runtime<'a>,
    expected: Expected<'a>,
    found: Vec<Diagnostic>,
}

impl<'a> Finder<'_, 'a> {
    fn visit(&mut self, node: Node<'a>) {
        base::recurse(|| self.visit_inside(node));
    }

    fn visit_inside(&mut self, node: Node<'a>) {
        match node.kind() {
            SyntaxKind::Resource => {
                let existing = ast::Resource::cast(node).filter(|it| it.existing().is_some());
                if let Some(existing) = existing {
                    // Its properties are only looked up.
                    let nested = existing.body().into_iter().flat_map(ast::Object::resources);
                    return nested.for_each(|it| self.visit(it.syntax()));
                }
            }
            SyntaxKind::Call | SyntaxKind::MethodCall => return self.call(node),
            SyntaxKind::Func => self.check(&Container::Function, &[node]),
            SyntaxKind::If => {
                let condition = ast::If::cast(node).map(|it| it.condition().syntax());
                self.check(&Container::Condition, condition.as_slice());
            }
            SyntaxKind::For => self.each(node),
            SyntaxKind::Property => self.property(node),
            SyntaxKind::WithClause if node.parent().is_some_and(|it| it.kind() == SyntaxKind::Extension) => {
                let config = ast::WithClause::cast(node).and_then(ast::WithClause::config);
                let properties = config.into_iter().flat_map(ast::Object::properties);
                let parts: Vec<_> = properties.map(Property::syntax).collect();
                self.check(&Container::Extension, &parts);
            }
            _ => {}
        }
        let children = node.understood_children().filter(|child| child.has_nodes());
        children.for_each(|child| self.visit(child));
    }

    fn property(&mut self, node: Node<'a>) {
        let Some(property) = Property::cast(node) else { return };
        if !property.key().has_nodes() && !property.value().syntax().has_nodes() {
            return;
        }
        let is_constant = |it: &ty::Property| it.flags.contains(PropertyFlags::DEPLOY_TIME_CONSTANT);
        if self.expected.declared(property, is_constant) == Some(true) {
            self.check(&Container::Property(property), &[property.key(), property.value().syntax()]);
        }
    }

    /// The items of a loop; in a variable its results too, because variables are computed first.
    fn each(&mut self, node: Node<'a>) {
        let Some(each) = ast::For::cast(node) else { return };
        let is_variable = node.parent().is_some_and(|it| it.kind() == SyntaxKind::Var);
        let body = is_variable.then(|| each.body().syntax());
        let parts: Vec<_> = [each.source().syntax()].into_iter().chain(body).collect();
        self.check(&Container::Loop(each), &parts);
    }

    fn call(&mut self, node: Node<'a>) {
        let arguments = node.children().filter(|it| it.kind() == SyntaxKind::Argument);
        let name = node.children().filter_map(ast::Name::cast).next_back();
        let name = name.map(ast::Name::display).unwrap_or_default();
        if let Expr::MethodCall(call) = Expr::of(node) {
            self.visit(call.base().syntax());
        }
        if self.ctx.function_flags(node).contains(FunctionFlags::REQUIRES_INLINING) {
            return self.check(&Container::Call(name), &arguments.collect::<Vec<_>>());
        }
        let overload = self.ctx.model.overload(node);
        for (position, argument) in arguments.enumerate() {
            let fixed = overload.and_then(|it| it.parameters.get(position));
            let rest = overload.and_then(|it| it.variadic.as_ref());
            let flags = fixed.map(|it| it.flags).or(rest.map(|it| it.flags)).unwrap_or_default();
            if flags.contains(ParameterFlags::DEPLOY_TIME_CONSTANT) {
                let parameter = fixed.map_or_else(|| position.to_string(), |it| it.name.to_string());
                self.check(&Container::Argument { function: name, parameter }, &[argument]);
            } else {
                self.visit(argument);
            }
        }
    }

    fn check(&mut self, container: &Container<'a>, parts: &[Node<'a>]) {
        let used = match container {
            Container::Property(property) => self.used_as(*property),
            _ => Use::Value,
        };
        for part in parts {
            let mut last = None;
            for unknown in self.runtime.find(*part, used) {
                // Only in the loop of a variable does the reference say which property it is: elsewhere, an index that may name
                // several of them is one mistake.
                let is_told = matches!(container, Container::Loop(each) if variable_of_body(*each, unknown.range).is_some());
                let accessed = match &unknown.source {
                    Source::Accessed { symbol, .. } if !is_told => Some((unknown.range, *symbol)),
                    _ => None,
                };
                if accessed.is_some() && accessed == last {
                    continue;
                }
                last = accessed;
                let diagnostic = self.diagnostic(container, &unknown);
                self.found.push(diagnostic);
            }
        }
    }

    fn used_as(&mut self, property: Property<'a>) -> Use {
        let is_reference =
            |it: &ty::Property| matches!(it.ty.kind(), Kind::ResourceParent(_) | Kind::Scope(_));
        match self.expected.declared(property, is_reference) {
            Some(true) => Use::Reference,
            _ => Use::Value,
        }
    }

    fn diagnostic(&mut self, container: &Container<'a>, unknown: &Unknown) -> Diagnostic {
        let (range, reason) = (unknown.range, self.reason(unknown));
        match container {
            Container::Property(property) => {
                messages::runtime_value_in_property(range, &property.key_text().unwrap_or_default(), &reason)
            }
            Container::Condition => messages::runtime_value_in_condition(range, &reason),
            Container::Loop(each) => match variable_of_body(*each, range) {
                Some(variable) => messages::runtime_value_in_variable_loop(range, variable, &reason),
                None => messages::runtime_value_in_loop(range, &reason),
            },
            Container::Call(function) => messages::runtime_value_in_call(range, function, &reason),
            Container::Function => messages::runtime_value_in_function(range, &reason),
            Container::Argument { function, parameter } => {
                messages::runtime_value_in_argument(range, function, parameter, &reason)
            }
            Container::Extension => messages::runtime_value_in_extension(range, &reason),
        }
    }

    fn reason(&mut self, unknown: &Unknown) -> Reason {
        let (subject, property, readable) = match &unknown.source {
            Source::Call(name) => (format!("{name}()"), None, Vec::new()),
            Source::Accessed { symbol, property } => {
                (self.ctx.name(*symbol).to_owned(), property.clone(), self.readable(*symbol))
            }
        };
        Reason { path: unknown.path.clone(), subject, property, readable }
    }

    /// The properties that could be used instead.
    fn readable(&mut self, symbol: SymbolId) -> Vec<String> {
        let Some(body) = self.ctx.body_type(symbol) else { return Vec::new() };
        let resource = self.ctx.resources().get(symbol).and_then(|resource| self.ctx.statement(resource));
        let declared: Vec<Cow<'_, str>> = resource
            .and_then(ast::Resource::body)
            .into_iter()
            .flat_map(ast::Object::properties)
            .filter_map(Property::key_text)
            .collect();
        let is_there = |name: &str| {
            self.ctx.model.symbol(symbol).kind != SymbolKind::Resource
                || IDENTITY.contains(&name)
                || declared.iter().any(|it| it == name)
        };
        let unreadable = self.runtime.unreadable(symbol);
        body.sorted()
            .into_iter()
            .filter(|(_, property)| property.flags.contains(PropertyFlags::READABLE_AT_DEPLOY_TIME))
            .filter(|(_, property)| !property.flags.contains(PropertyFlags::WRITE_ONLY))
            .filter(|(name, _)| is_there(name) && !unreadable.contains(&name.as_str()))
            .map(|(name, _)| name.to_string())
            .collect()
    }

    /// What is not known of an existing resource cannot be asked for where its name is not known either.
    fn check_nested(&mut self, node: Node<'a>) {
        let (base, property) = match Expr::of(node) {
            Expr::Index(access) => match access.index() {
                Expr::Str(text) => (access.base(), text.value().filter(|_| !text.is_interpolated())),
                _ => return,
            },
            Expr::PropertyAccess(access) => {
                (access.base(), Some(access.name().map(ast::Name::display).unwrap_or_default().to_owned()))
            }
            Expr::MethodCall(call) => (call.base(), None),
            _ => return,
        };
        let Some((symbol, body)) = self.runtime.runtime_existing(base) else { return };
        let is_refused = match &property {
            Some(name) => {
                !IDENTITY.contains(&name.as_str())
                    && self.runtime.is_readable(symbol, body, name) == Some(false)
            }
            None if node.kind() == SyntaxKind::MethodCall => {
                self.ctx.function_flags(node).contains(FunctionFlags::REQUIRES_INLINING)
            }
            None => true,
        };
        if is_refused {
            let unreadable = self.runtime.unreadable(symbol);
            let unknown: Vec<&str> = unreadable.into_iter().filter(|it| IDENTIFIERS.contains(it)).collect();
            let name = self.ctx.name(symbol);
            self.found.push(messages::nested_runtime_access(node.range(), name, &unknown));
        }
    }
}

/// The variable whose loop's body a range is in.
fn variable_of_body(each: ast::For<'_>, range: TextRange) -> Option<&str> {
    let variable = each.syntax().parent().and_then(ast::Var::cast)?;
    each.body().range().intersect(range).filter(|common| !common.is_empty())?;
    Some(variable.name().map(ast::Name::display).unwrap_or_default())
}
