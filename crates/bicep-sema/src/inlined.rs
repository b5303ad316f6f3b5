//! Which variables and existing resources a template cannot contain, because they need values that only a deployment
//! knows. They are written out wherever they are used.

use bicep_syntax::ast::{self, Expr};
use bicep_syntax::{Node, SyntaxKind};
use bicep_types::ty::{FunctionFlags, ObjectType, PropertyFlags};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::file_view::{FileView, without_non_null};
use crate::resource::Resource;
use crate::symbol::{SymbolId, SymbolKind};

/// The symbols that are written out where they are used.
#[derive(Debug, Default)]
pub struct Inlined(FxHashSet<SymbolId>);

impl Inlined {
    /// Whether a symbol is one of them.
    pub fn contains(&self, symbol: SymbolId) -> bool {
        self.0.contains(&symbol)
    }
}

/// Decides for all variables and existing resources of a file.
pub(crate) fn inlined(view: FileView<'_>) -> Inlined {
    let mut decider = Decider { view, decisions: FxHashMap::default(), current: None };
    let statements = |kind: SyntaxKind| {
        view.tree().file().statements().map(ast::Statement::syntax).filter(move |node| node.kind() == kind)
    };
    let nodes = statements(SyntaxKind::Var)
        .chain(statements(SyntaxKind::ParamAssignment))
        .chain(statements(SyntaxKind::Resource));
    for node in nodes {
        decider.visit(node);
    }
    let is_inlined = |(symbol, decision): (&SymbolId, &Decision)| {
        let may_be = view.resources().get(*symbol).is_none_or(|resource| resource.is_existing);
        (*decision == Decision::Inline && may_be).then_some(*symbol)
    };
    Inlined(decider.decisions.iter().filter_map(is_inlined).collect())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Decision {
    Keep,
    Inline,
    /// Only identities are used so far; a bare reference to a resource does not change that.
    Skip,
}

struct Decider<'a> {
    view: FileView<'a>,
    decisions: FxHashMap<SymbolId, Decision>,
    current: Option<SymbolId>,
}

impl<'a> Decider<'a> {
    fn visit(&mut self, node: Node<'a>) {
        base::recurse(|| self.visit_inside(node));
    }

    fn visit_children(&mut self, node: Node<'a>) {
        node.understood_children().for_each(|child| self.visit(child));
    }

    fn visit_inside(&mut self, node: Node<'a>) {
        match node.kind() {
            SyntaxKind::Var | SyntaxKind::ParamAssignment => self.variable(node),
            SyntaxKind::Resource => self.resource(node),
            SyntaxKind::Call | SyntaxKind::MethodCall => self.call(node),
            SyntaxKind::VarAccess => self.use_of(node),
            SyntaxKind::PropertyAccess => self.property_access(node),
            _ => self.visit_children(node),
        }
    }

    fn visit_declaration(&mut self, symbol: SymbolId) {
        self.visit(self.view.tree().node(self.view.model.symbol(symbol).declaration));
    }

    fn decision(&self, symbol: SymbolId) -> Option<Decision> {
        self.decisions.get(&symbol).copied()
    }

    /// Whether there is nothing left to decide.
    fn is_settled(&self) -> bool {
        self.current.is_none_or(|current| self.decision(current) == Some(Decision::Inline))
    }

    fn decide(&mut self, decision: Decision) {
        if let Some(current) = self.current {
            self.decisions.insert(current, decision);
        }
    }

    fn variable(&mut self, node: Node<'a>) {
        let Some(symbol) = self.view.model.declared(node.id()) else { return };
        if self.decisions.contains_key(&symbol) {
            return;
        }
        let outer = self.current.replace(symbol);
        self.decisions.insert(symbol, Decision::Keep);
        self.visit_children(node);
        self.current = outer;
    }

    fn resource(&mut self, node: Node<'a>) {
        let known = self.view.model.declared(node.id()).and_then(|symbol| self.view.resources().get(symbol));
        let Some(resource) = known.filter(|resource| self.view.is_deployed(resource)) else { return };
        if self.decisions.contains_key(&resource.symbol) {
            return;
        }
        let Some(statement) = ast::Resource::cast(node) else { return };
        if !resource.is_existing || !self.view.is_azure(resource.symbol) {
            self.decisions.insert(resource.symbol, Decision::Skip);
        } else {
            self.existing(resource, statement);
        }
        if let Expr::Object(body) = statement.value() {
            body.resources().for_each(|child| self.visit(child.syntax()));
        }
    }

    /// An existing resource whose identity needs a deployment cannot be looked up before it.
    fn existing(&mut self, resource: &Resource, statement: ast::Resource<'a>) {
        self.decisions.insert(resource.symbol, Decision::Keep);
        let mut is_below_inlined = false;
        for (ancestor, _) in self.view.resources().ancestors(resource) {
            if ancestor.is_existing {
                self.visit_declaration(ancestor.symbol);
                is_below_inlined |= self.decision(ancestor.symbol) == Some(Decision::Inline);
            } else {
                is_below_inlined = false;
            }
        }
        let extended = self.view.model.places().get(resource.symbol).and_then(|place| place.resource);
        if let Some(extended) = extended {
            self.visit_declaration(extended);
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

    fn call(&mut self, node: Node<'a>) {
        let flags = self.view.function_flags(node);
        if !self.is_settled() && is_built_in(self.view, node) {
            let needs_deployment =
                flags.intersects(FunctionFlags::REQUIRES_INLINING | FunctionFlags::REQUIRES_EXTERNAL_INPUT);
            self.decide(if needs_deployment { Decision::Inline } else { Decision::Keep });
        }
        if !flags.contains(FunctionFlags::ARGUMENT_VALUE_INDEPENDENT) {
            self.visit_children(node);
        }
    }

    fn use_of(&mut self, node: Node<'a>) {
        if self.is_settled() {
            return;
        }
        let Some(symbol) = self.view.model.bindings().symbol(node) else { return };
        match self.view.model.symbol(symbol).kind {
            SymbolKind::Var | SymbolKind::ParamAssignment => self.use_of_variable(symbol),
            SymbolKind::Resource | SymbolKind::Module => {
                let is_skipped = self.current.and_then(|it| self.decision(it)) == Some(Decision::Skip);
                if !is_skipped {
                    self.decide(Decision::Inline);
                }
            }
            _ => {}
        }
    }

    /// What uses something that is written out is written out itself.
    fn use_of_variable(&mut self, symbol: SymbolId) {
        if self.decision(symbol).is_none() {
            self.visit_declaration(symbol);
        }
        let is_inlined = self.decision(symbol) == Some(Decision::Inline);
        self.decide(if is_inlined { Decision::Inline } else { Decision::Keep });
    }

    fn property_access(&mut self, node: Node<'a>) {
        if self.is_settled() {
            return;
        }
        let Some(access) = ast::PropertyAccess::cast(node) else { return };
        let name = access.name().and_then(ast::Name::text).unwrap_or_default();
        let base = accessed(without_non_null(access.base()));
        let symbol = base.and_then(|base| self.view.model.bindings().symbol(base));
        match symbol.and_then(|symbol| Some((symbol, self.view.body_type(symbol)?))) {
            Some((symbol, body)) => {
                let is_kept = self.is_known_before(symbol, body, name);
                self.decide(if is_kept { Decision::Skip } else { Decision::Inline });
            }
            None => self.visit_children(node),
        }
    }

    /// Whether a property is known before the deployment.
    fn is_known_before(&mut self, symbol: SymbolId, body: &ObjectType, name: &str) -> bool {
        let Some(property) = body.properties.get(name) else { return true };
        if !property.flags.contains(PropertyFlags::DEPLOY_TIME_CONSTANT) {
            return false;
        }
        if !self.view.is_azure(symbol) {
            return true;
        }
        match name {
            "id" | "name" => {
                self.visit_declaration(symbol);
                self.decision(symbol) != Some(Decision::Inline)
            }
            name => matches!(name, "type" | "apiVersion"),
        }
    }
}

/// The name at the start of an access, through indexes.
fn accessed(expr: Expr<'_>) -> Option<Node<'_>> {
    let mut expr = expr;
    while let Expr::Index(access) = expr {
        expr = access.base();
    }
    matches!(expr, Expr::VarAccess(_) | Expr::ResourceAccess(_)).then(|| expr.syntax())
}

/// Whether a call is one of a function that is not declared in a file.
fn is_built_in(view: FileView<'_>, node: Node<'_>) -> bool {
    match Expr::of(node) {
        Expr::Call(_) => view.symbol(node).is_none(),
        Expr::MethodCall(call) => {
            view.symbol(call.base().syntax()).is_none_or(|base| base.kind != SymbolKind::WildcardImport)
        }
        _ => false,
    }
}
