//! What is only known while a template is deployed: which properties of resources and modules, and which expressions use
//! one of them, directly or through variables.

use base::TextRange;
use bicep_syntax::ast::{self, Expr};
use bicep_syntax::{Node, SyntaxKind};
use bicep_types::ty::{FunctionFlags, Kind, ObjectType, PropertyFlags, Type};
use rustc_hash::FxHashMap;

use crate::file_view::{FileView, without_non_null};
use crate::model::Model;
use crate::program::BicepFile;
use crate::symbol::{SymbolId, SymbolKind};

/// The properties that together say which resource is meant.
pub(crate) const IDENTIFIERS: [&str; 3] = ["name", "scope", "parent"];

/// How many variables on the way to a value a message names.
pub(crate) const LONGEST_PATH: usize = 8;

/// A value that is only known while the template is deployed, at the place where it is used.
#[derive(Debug, Clone)]
pub(crate) struct Unknown {
    pub(crate) range: TextRange,
    /// The variables that lead to it.
    pub(crate) path: Vec<String>,
    pub(crate) source: Source,
}

/// What gives such a value.
#[derive(Debug, Clone)]
pub(crate) enum Source {
    /// A resource or a module, as a whole or by a property.
    Accessed { symbol: SymbolId, property: Option<String> },
    /// A call of this function.
    Call(String),
}

/// Whether a place takes any expression, or refers to a resource as its parent or scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    Value,
    Reference,
}

/// Finds such values. What is found out about variables and existing resources is remembered.
pub struct Runtime<'a> {
    view: FileView<'a>,
    /// The properties of existing resources that are not known before the deployment, though they are for others.
    unreadable: FxHashMap<SymbolId, Vec<&'static str>>,
    /// The first such value that a variable leads to.
    variables: FxHashMap<SymbolId, Option<(Vec<String>, Source)>>,
}

impl<'a> Runtime<'a> {
    /// Looks at a file.
    pub fn new(bicep: &'a BicepFile, model: &'a Model) -> Self {
        let view = FileView { bicep, model };
        Self { view, unreadable: FxHashMap::default(), variables: FxHashMap::default() }
    }

    /// Whether nothing in a value has to wait for the deployment. Variables are followed.
    pub fn is_known_at_start(&mut self, value: Expr<'a>) -> bool {
        self.find(value.syntax(), Use::Value).is_empty()
    }

    /// All such values that an expression uses: its own first, then those behind its variables.
    pub(crate) fn find(&mut self, node: Node<'a>, used: Use) -> Vec<Unknown> {
        let mut found = Vec::new();
        self.visit(node, used, &mut |range, source| found.push(Unknown { range, path: Vec::new(), source }));
        for access in node.descendants().filter(|node| node.kind() == SyntaxKind::VarAccess) {
            if let Some(variable) = self.acyclic_variable(access)
                && let Some((path, source)) = self.variable(variable)
            {
                found.push(Unknown { range: access.range(), path, source });
            }
        }
        found
    }

    /// The resource or module that an expression means as a whole, with the type of its body.
    pub(crate) fn accessed(&self, expr: Expr<'a>) -> Option<(SymbolId, &'a ObjectType)> {
        let (named, is_indexed) = match expr {
            Expr::Index(access) if !self.is_string_literal(access.index()) => (access.base(), true),
            expr => (expr, false),
        };
        let symbol = self.view.model.bindings().symbol(named.syntax())?;
        let is_collection = match self.view.model.symbol(symbol).kind {
            SymbolKind::Resource | SymbolKind::Module => self.view.is_looped(symbol),
            SymbolKind::Param => {
                self.view.model.declared_type(symbol).is_some_and(|ty| matches!(ty.kind(), Kind::Array(_)))
            }
            _ => return None,
        };
        (is_collection == is_indexed).then_some(())?;
        Some((symbol, self.view.body_type(symbol)?))
    }

    /// The existing resource that an expression means, if its identity is only known while the template is deployed.
    pub(crate) fn runtime_existing(&mut self, expr: Expr<'a>) -> Option<(SymbolId, &'a ObjectType)> {
        let (symbol, body) = self.accessed(expr)?;
        let unreadable = self.unreadable(symbol);
        let is_identifier =
            |name: &&'static str| IDENTIFIERS.contains(name) && body.properties.contains_key(*name);
        unreadable.iter().any(is_identifier).then_some((symbol, body))
    }

    /// Whether a property is known before the deployment; `None` where there is no such property.
    pub(crate) fn is_readable(&mut self, symbol: SymbolId, body: &ObjectType, name: &str) -> Option<bool> {
        let property = body.properties.get(name)?;
        let is_readable = property.flags.contains(PropertyFlags::READABLE_AT_DEPLOY_TIME);
        Some(is_readable && !self.unreadable(symbol).contains(&name))
    }

    /// The properties of a resource that are not known before the deployment because of how it is declared.
    pub(crate) fn unreadable(&mut self, symbol: SymbolId) -> Vec<&'static str> {
        if let Some(known) = self.unreadable.get(&symbol) {
            return known.clone();
        }
        let statement = self.view.resources().get(symbol).and_then(|resource| self.view.statement(resource));
        let Some(statement) = statement.filter(|_| self.view.model.inlined().contains(symbol)) else {
            return Vec::new();
        };
        // Whoever asks again while this is computed is in a circle.
        self.unreadable.insert(symbol, Vec::new());
        let mut found = vec!["id"];
        for name in IDENTIFIERS {
            let Some(property) = statement.body().and_then(|body| body.property(name)) else {
                continue;
            };
            let used = if name == "name" { Use::Value } else { Use::Reference };
            if !self.find(property.syntax(), used).is_empty() {
                found.push(name);
            }
        }
        self.unreadable.insert(symbol, found.clone());
        found
    }

    fn is_string_literal(&self, expr: Expr<'_>) -> bool {
        self.view.model.type_of(expr.syntax()).is_some_and(|ty| ty.as_string_literal().is_some())
    }

    fn acyclic_variable(&self, access: Node<'a>) -> Option<SymbolId> {
        let symbol = self.view.model.bindings().symbol(access)?;
        let is_variable = self.view.model.symbol(symbol).kind == SymbolKind::Var;
        (is_variable && self.view.model.cycle(symbol).is_none()).then_some(symbol)
    }

    /// The first such value that a variable leads to, and the variables on the way to it.
    fn variable(&mut self, variable: SymbolId) -> Option<(Vec<String>, Source)> {
        if let Some(known) = self.variables.get(&variable) {
            return known.clone();
        }
        self.variables.insert(variable, None);
        let declaration = self.view.tree().node(self.view.model.symbol(variable).declaration);
        let found = base::recurse(|| self.first_in(declaration));
        let found = found.map(|(mut path, source)| {
            path.insert(0, self.view.name(variable).to_owned());
            path.truncate(LONGEST_PATH);
            (path, source)
        });
        self.variables.insert(variable, found.clone());
        found
    }

    /// The first such value in a node, in the order of the text; variables are followed where they stand.
    fn first_in(&mut self, node: Node<'a>) -> Option<(Vec<String>, Source)> {
        if let Some(variable) = self.acyclic_variable(node) {
            return self.variable(variable);
        }
        let mut own = None;
        self.visit_node(node, Use::Value, &mut |_, source| own = own.take().or(Some((Vec::new(), source))));
        if own.is_some() {
            return own;
        }
        if self.is_leaf(node) {
            return None;
        }
        for child in node.understood_children() {
            let found = base::recurse(|| self.first_in(child));
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// Finds the values that a node uses without variables.
    fn visit(&mut self, node: Node<'a>, used: Use, report: &mut dyn FnMut(TextRange, Source)) {
        self.visit_node(node, used, report);
        if self.is_leaf(node) {
            return;
        }
        for child in node.understood_children() {
            base::recurse(|| self.visit(child, used, report));
        }
    }

    /// Whether nothing inside of a node counts: it names a nested resource, or calls a function that does not look at
    /// the values of its arguments.
    fn is_leaf(&self, node: Node<'a>) -> bool {
        match node.kind() {
            SyntaxKind::ResourceAccess => true,
            SyntaxKind::Call | SyntaxKind::MethodCall => {
                self.view.function_flags(node).contains(FunctionFlags::ARGUMENT_VALUE_INDEPENDENT)
            }
            _ => false,
        }
    }

    /// Looks at a node itself.
    fn visit_node(&mut self, node: Node<'a>, used: Use, report: &mut dyn FnMut(TextRange, Source)) {
        match Expr::of(node) {
            Expr::Index(access) => self.index(access, report),
            Expr::PropertyAccess(access) => {
                let name = access.name().map(ast::Name::display).unwrap_or_default();
                if let Some((symbol, body)) = self.accessed(without_non_null(access.base()))
                    && let Some(source) = self.property(symbol, body, name)
                {
                    report(node.range(), source);
                }
            }
            Expr::VarAccess(_) | Expr::ResourceAccess(_) => {
                if let Some((range, symbol)) = self.whole(node, used) {
                    report(range, Source::Accessed { symbol, property: None });
                }
            }
            Expr::Call(_) | Expr::MethodCall(_)
                if self.view.function_flags(node).contains(FunctionFlags::REQUIRES_INLINING) =>
            {
                let name = node.children().filter_map(ast::Name::cast).next_back();
                let name = name.map(ast::Name::display).unwrap_or_default();
                report(node.range(), Source::Call(name.to_owned()));
            }
            _ => {}
        }
    }

    /// What is used by reading a property of a resource or module; nothing if that is known before the deployment.
    fn property(&mut self, symbol: SymbolId, body: &ObjectType, name: &str) -> Option<Source> {
        let is_runtime = self.is_readable(symbol, body, name) == Some(false);
        is_runtime.then(|| Source::Accessed { symbol, property: Some(name.to_owned()) })
    }

    /// `resource['property']`: all properties that the index may name.
    fn index(&mut self, access: ast::Index<'a>, report: &mut dyn FnMut(TextRange, Source)) {
        let Some((symbol, body)) = self.accessed(without_non_null(access.base())) else { return };
        let range = access.range();
        let ty = self.view.model.type_of(access.index().syntax());
        let literals: Option<Vec<_>> = match ty.map(Type::kind) {
            Some(Kind::StringLiteral(name)) => Some(vec![name.clone()]),
            Some(Kind::Union(members)) => members.iter().map(|it| it.as_string_literal().cloned()).collect(),
            _ => None,
        };
        let Some(mut names) = literals else {
            return report(range, Source::Accessed { symbol, property: None });
        };
        names.sort();
        for name in names {
            if let Some(source) = self.property(symbol, body, &name) {
                report(range, source);
            }
        }
    }

    /// The resource or module that is used as a whole where a name stands, and the range to report.
    fn whole(&mut self, node: Node<'a>, used: Use) -> Option<(TextRange, SymbolId)> {
        let mut child = node;
        let mut parent = node.parent()?;
        while parent.kind() == SyntaxKind::NonNull {
            child = parent;
            parent = parent.parent()?;
        }
        let resolve = |it: &mut Self, expr: Expr<'a>| match used {
            Use::Value => it.accessed(expr),
            Use::Reference => it.runtime_existing(expr),
        };
        match Expr::of(parent) {
            Expr::PropertyAccess(_) => None,
            Expr::Index(access) => {
                let is_accessed_again = parent
                    .parent()
                    .is_some_and(|it| matches!(it.kind(), SyntaxKind::PropertyAccess | SyntaxKind::Index));
                if access.base().syntax() != child || is_accessed_again {
                    return None;
                }
                let (symbol, _) = resolve(self, Expr::of(parent))?;
                let ty = self.view.model.type_of(access.index().syntax())?;
                is_position(ty, used).then_some((child.range(), symbol))
            }
            _ => {
                let expr = if used == Use::Value { child } else { node };
                resolve(self, Expr::of(expr)).map(|(symbol, _)| (child.range(), symbol))
            }
        }
    }
}

/// Whether an index of this type chooses one of several resources.
fn is_position(ty: &Type, used: Use) -> bool {
    let is_int = |ty: &Type| matches!(ty.kind(), Kind::Int(_) | Kind::IntLiteral(_));
    match ty.kind() {
        Kind::Any => used == Use::Value,
        Kind::Union(members) => used == Use::Value && members.iter().all(is_int),
        _ => is_int(ty),
    }
}
