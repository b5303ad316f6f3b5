//! Which variables and existing resources cannot be written into a template as they are, because they need values that
//! only a deployment knows. They are written out wherever they are used.

use bicep_sema::lifted::function_flags;
use bicep_sema::resource::{Resource, Resources};
use bicep_sema::{Model, SymbolId, SymbolKind};
use bicep_syntax::ast::{self, Expr};
use bicep_syntax::{Node, SyntaxKind, Tree};
use bicep_types::ty::FunctionFlags;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::scope::Scope;

/// The symbols that are written out where they are used.
#[derive(Debug, Default)]
pub(crate) struct Inlined(FxHashSet<SymbolId>);

impl Inlined {
    pub(crate) fn contains(&self, symbol: SymbolId) -> bool {
        self.0.contains(&symbol)
    }
}

/// What the decision needs to know about a file.
pub(crate) struct Facts<'f, 'p> {
    pub(crate) tree: &'p Tree,
    pub(crate) model: &'f Model,
    pub(crate) resources: &'f Resources,
    pub(crate) scopes: &'f FxHashMap<SymbolId, Scope<'p>>,
    /// Whether a resource has a property of this name at all.
    pub(crate) has_property: &'f dyn Fn(SymbolId, &str) -> bool,
}

/// Decides for all variables and existing resources of a file.
pub(crate) fn inlined(facts: &Facts<'_, '_>) -> Inlined {
    let mut visitor = Visitor { facts, decisions: FxHashMap::default(), current: None };
    let statements = |kind: SyntaxKind| {
        facts.tree.file().statements().map(ast::Statement::syntax).filter(move |node| node.kind() == kind)
    };
    for node in statements(SyntaxKind::Var).chain(statements(SyntaxKind::Resource)) {
        visitor.visit(node);
    }
    let is_inlined = |(symbol, decision): (&SymbolId, &Decision)| {
        let may_be = match facts.resources.get(*symbol) {
            Some(resource) => resource.is_existing,
            None => true,
        };
        (*decision == Decision::Inline && may_be).then_some(*symbol)
    };
    let inlined = visitor.decisions.iter().filter_map(is_inlined).collect();
    Inlined(inlined)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Decision {
    Keep,
    Inline,
    /// Only identities are used so far; a bare reference to a resource does not change that.
    Skip,
}

struct Visitor<'v, 'f, 'p> {
    facts: &'v Facts<'f, 'p>,
    decisions: FxHashMap<SymbolId, Decision>,
    current: Option<SymbolId>,
}

impl<'p> Visitor<'_, '_, 'p> {
    fn visit(&mut self, node: Node<'p>) {
        stacker::maybe_grow(64 << 10, 1 << 20, || self.visit_inside(node));
    }

    fn visit_children(&mut self, node: Node<'p>) {
        node.children().for_each(|child| self.visit(child));
    }

    fn visit_inside(&mut self, node: Node<'p>) {
        match node.kind() {
            SyntaxKind::Var => self.variable(node),
            SyntaxKind::Resource => self.resource(node),
            SyntaxKind::Call | SyntaxKind::MethodCall => self.call(node),
            SyntaxKind::VarAccess => self.use_of(node),
            SyntaxKind::PropertyAccess => self.property_access(node),
            _ => self.visit_children(node),
        }
    }

    fn decision(&self, symbol: SymbolId) -> Option<Decision> {
        self.decisions.get(&symbol).copied()
    }

    /// Whether there is nothing left to decide.
    fn is_settled(&self) -> bool {
        self.current.is_none_or(|current| self.decision(current) == Some(Decision::Inline))
    }

    fn is_skipped(&self) -> bool {
        self.current.and_then(|current| self.decision(current)) == Some(Decision::Skip)
    }

    fn decide(&mut self, decision: Decision) {
        if let Some(current) = self.current {
            self.decisions.insert(current, decision);
        }
    }

    fn variable(&mut self, node: Node<'p>) {
        let Some(symbol) = self.facts.model.declared(node.id()) else { return };
        if self.decisions.contains_key(&symbol) {
            return;
        }
        let outer = self.current.replace(symbol);
        self.decisions.insert(symbol, Decision::Keep);
        self.visit_children(node);
        self.current = outer;
    }

    fn resource(&mut self, node: Node<'p>) {
        let Some(resource) = self.facts.model.declared(node.id()).and_then(|it| self.facts.resources.get(it))
        else {
            return;
        };
        if self.decisions.contains_key(&resource.symbol) {
            return;
        }
        let Some(statement) = ast::Resource::cast(node) else { return };
        if !resource.is_existing || !resource.is_azure {
            self.decisions.insert(resource.symbol, Decision::Skip);
        } else {
            self.existing(resource, statement);
        }
        if let Expr::Object(body) = statement.value() {
            body.resources().for_each(|child| self.resource(child.syntax()));
        }
    }

    /// An existing resource whose identity needs a deployment cannot be looked up before it.
    fn existing(&mut self, resource: &Resource, statement: ast::Resource<'p>) {
        self.decisions.insert(resource.symbol, Decision::Keep);
        let mut is_below_inlined = false;
        for (ancestor, _) in self.facts.resources.ancestors(resource) {
            if ancestor.is_existing {
                self.visit(self.facts.tree.node(ancestor.declaration));
                is_below_inlined |= self.decision(ancestor.symbol) == Some(Decision::Inline);
            } else {
                is_below_inlined = false;
            }
        }
        if let Some(extended) = self.extended(resource) {
            self.visit(self.facts.tree.node(self.facts.model.symbol(extended).declaration));
            is_below_inlined |= self.decision(extended) == Some(Decision::Inline);
        }
        if is_below_inlined {
            self.decisions.insert(resource.symbol, Decision::Inline);
            return;
        }
        let outer = self.current.replace(resource.symbol);
        if let Expr::Object(body) = statement.value() {
            for property in body.properties() {
                if !matches!(property.key_text().as_deref(), Some("dependsOn" | "parent" | "scope")) {
                    self.visit(property.syntax());
                }
            }
        }
        self.current = outer;
    }

    /// The resource that another one is deployed to, through its ancestors.
    fn extended(&self, resource: &Resource) -> Option<SymbolId> {
        let ancestors = self.facts.resources.ancestors(resource);
        let oldest = ancestors.first().map_or(resource.symbol, |(oldest, _)| oldest.symbol);
        self.facts.scopes.get(&oldest)?.resource
    }

    fn call(&mut self, node: Node<'p>) {
        let flags = function_flags(node, self.facts.model);
        if !self.is_settled() && is_built_in(node, self.facts.model) {
            let needs_deployment =
                flags.intersects(FunctionFlags::REQUIRES_INLINING | FunctionFlags::REQUIRES_EXTERNAL_INPUT);
            self.decide(if needs_deployment { Decision::Inline } else { Decision::Keep });
        }
        if !flags.contains(FunctionFlags::ARGUMENT_VALUE_INDEPENDENT) {
            self.visit_children(node);
        }
    }

    fn use_of(&mut self, node: Node<'p>) {
        if self.is_settled() {
            return;
        }
        let Some(id) = self.facts.model.bindings().symbol(node) else { return };
        match self.facts.model.symbol(id).kind {
            SymbolKind::Var => self.use_of_variable(id),
            SymbolKind::Param if !self.is_resource_parameter(id) => {}
            SymbolKind::Resource | SymbolKind::Module | SymbolKind::Param if !self.is_skipped() => {
                self.decide(Decision::Inline);
            }
            _ => {}
        }
    }

    /// What uses something that is written out is written out itself.
    fn use_of_variable(&mut self, symbol: SymbolId) {
        if self.decision(symbol).is_none() {
            self.visit(self.facts.tree.node(self.facts.model.symbol(symbol).declaration));
        }
        let is_inlined = self.decision(symbol) == Some(Decision::Inline);
        self.decide(if is_inlined { Decision::Inline } else { Decision::Keep });
    }

    fn property_access(&mut self, node: Node<'p>) {
        if self.is_settled() {
            return;
        }
        let Some(access) = ast::PropertyAccess::cast(node) else { return };
        let name = access.name().and_then(ast::Name::text).unwrap_or_default();
        let base = match access.base() {
            Expr::NonNull(assertion) => assertion.base(),
            base => base,
        };
        let Some(symbol) = accessed_symbol(base).and_then(|base| self.facts.model.bindings().symbol(base))
        else {
            return self.visit_children(node);
        };
        match self.facts.model.symbol(symbol).kind {
            SymbolKind::Resource => {
                let is_kept = self.is_known_before(symbol, name);
                self.decide(if is_kept { Decision::Skip } else { Decision::Inline });
            }
            SymbolKind::Module => {
                self.decide(if name == "outputs" { Decision::Inline } else { Decision::Skip });
            }
            SymbolKind::Param if self.is_resource_parameter(symbol) => {
                let is_kept = matches!(name, "id" | "name" | "type" | "apiVersion");
                self.decide(if is_kept { Decision::Skip } else { Decision::Inline });
            }
            _ => self.visit_children(node),
        }
    }

    /// Whether a parameter takes a resource.
    fn is_resource_parameter(&self, symbol: SymbolId) -> bool {
        let declaration = self.facts.tree.node(self.facts.model.symbol(symbol).declaration);
        ast::Param::cast(declaration).is_some_and(|it| matches!(it.ty(), ast::TypeExpr::ResourceType(_)))
    }

    /// Whether a property of a resource is known before its deployment.
    fn is_known_before(&mut self, symbol: SymbolId, name: &str) -> bool {
        if !(self.facts.has_property)(symbol, name) {
            return true;
        }
        match name {
            "id" | "name" => {
                self.visit(self.facts.tree.node(self.facts.model.symbol(symbol).declaration));
                self.decision(symbol) != Some(Decision::Inline)
            }
            "type" | "apiVersion" => true,
            _ => false,
        }
    }
}

/// The name at the start of an access, through indexes.
fn accessed_symbol(expr: Expr<'_>) -> Option<Node<'_>> {
    match expr {
        Expr::Index(access) => accessed_symbol(access.base()),
        Expr::VarAccess(_) | Expr::ResourceAccess(_) => Some(expr.syntax()),
        _ => None,
    }
}

/// Whether a call is one of a function that is not declared in a file.
fn is_built_in(node: Node<'_>, model: &Model) -> bool {
    match Expr::of(node) {
        Expr::Call(_) => model.bindings().symbol(node).is_none(),
        Expr::MethodCall(call) => {
            let base = model.bindings().symbol(call.base().syntax()).map(|symbol| model.symbol(symbol).kind);
            base != Some(SymbolKind::WildcardImport)
        }
        _ => false,
    }
}
