//! Which declarations of a file need which resources and modules: the edges of the graph from which `dependsOn` is
//! made. Bindings come in; nothing here needs types.

use std::collections::{BTreeMap, BTreeSet};

use bicep_syntax::ast::{self, Expr};
use bicep_syntax::{Node, NodeId, SyntaxKind, Tree};

use crate::deployed_body::DeployedBody;
use crate::model::Model;
use crate::resource::IDENTITY;
use crate::symbol::{SymbolId, SymbolKind};

/// What each resource, module and variable needs directly.
#[derive(Debug, Default)]
pub struct Dependencies {
    by_symbol: BTreeMap<SymbolId, Vec<Dependency>>,
}

/// A need of something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dependency {
    /// The resource or module, or the variable that needs one in turn.
    pub target: SymbolId,
    /// Which one, where the target is declared by a loop and the index means the same outside of the expression.
    pub index: Option<NodeId>,
    /// Whether only the identity of the target is needed, and not what it is after its deployment.
    pub is_weak: bool,
}

/// Which uses count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Uses {
    /// All of them.
    All,
    /// Those outside of `dependsOn`.
    WithoutDependsOn,
}

impl Dependencies {
    /// Collects the needs of a file.
    pub fn collect(tree: &Tree, model: &Model, uses: Uses) -> Self {
        let mut visitor = Visitor { model, uses, current: None, found: Self::default() };
        visitor.visit(tree.root());
        visitor.found.drop_idle_variables(model);
        visitor.found
    }

    /// What a declaration needs, in the order of the text.
    pub fn of(&self, symbol: SymbolId) -> &[Dependency] {
        self.by_symbol.get(&symbol).map(Vec::as_slice).unwrap_or_default()
    }

    /// Variables that need nothing lead nowhere, and so do those that need only such variables.
    fn drop_idle_variables(&mut self, model: &Model) {
        let mut users: BTreeMap<SymbolId, Vec<SymbolId>> = BTreeMap::new();
        let mut open: BTreeMap<SymbolId, usize> = BTreeMap::new();
        for (symbol, needs) in &self.by_symbol {
            open.insert(*symbol, needs.len());
            needs.iter().for_each(|need| users.entry(need.target).or_default().push(*symbol));
        }
        let is_idle =
            |symbol: SymbolId, needs: usize| needs == 0 && model.symbol(symbol).kind == SymbolKind::Var;
        let mut queue: Vec<SymbolId> = open
            .iter()
            .filter(|(symbol, needs)| is_idle(**symbol, **needs))
            .map(|(symbol, _)| *symbol)
            .collect();
        let mut idle: BTreeSet<SymbolId> = BTreeSet::new();
        while let Some(symbol) = queue.pop() {
            idle.insert(symbol);
            for user in users.get(&symbol).into_iter().flatten() {
                let Some(needs) = open.get_mut(user) else { continue };
                *needs -= 1;
                if is_idle(*user, *needs) {
                    queue.push(*user);
                }
            }
        }
        self.by_symbol.retain(|symbol, _| !idle.contains(symbol));
        for needs in self.by_symbol.values_mut() {
            needs.retain(|need| !idle.contains(&need.target));
        }
    }
}

struct Visitor<'a> {
    model: &'a Model,
    uses: Uses,
    current: Option<SymbolId>,
    found: Dependencies,
}

impl Visitor<'_> {
    fn visit(&mut self, node: Node<'_>) {
        base::recurse(|| self.visit_inside(node));
    }

    fn visit_inside(&mut self, node: Node<'_>) {
        match node.kind() {
            SyntaxKind::Resource | SyntaxKind::Module | SyntaxKind::Var => self.declaration(node),
            SyntaxKind::VarAccess | SyntaxKind::ResourceAccess => self.use_of(node),
            SyntaxKind::Property if self.is_left_out(node) => {}
            _ => {
                let children = node.understood_children().filter(|child| child.has_nodes());
                children.for_each(|child| self.visit(child));
            }
        }
    }

    /// Whether a property is a `dependsOn` that does not count. One with quotes around its name does, as in the reference.
    fn is_left_out(&self, node: Node<'_>) -> bool {
        let is_plain = || ast::Property::cast(node).is_some_and(|it| ast::Name::cast(it.key()).is_some());
        self.uses == Uses::WithoutDependsOn && self.is_top_property(node, "dependsOn") && is_plain()
    }

    fn declaration(&mut self, node: Node<'_>) {
        let Some(symbol) = self.model.declared(node.id()) else { return };
        let resource = self.model.resources().get(symbol);
        if node.kind() == SyntaxKind::Resource && resource.is_none() {
            return;
        }
        let parent = resource.and_then(|resource| resource.parent);
        let from_parent =
            parent.map(|parent| Dependency { target: parent.resource, index: parent.index, is_weak: true });
        self.found.by_symbol.insert(symbol, from_parent.into_iter().collect());
        let outer = self.current.replace(symbol);
        node.children().for_each(|child| self.visit(child));
        self.current = outer;
    }

    fn use_of(&mut self, node: Node<'_>) {
        let (Some(current), Some(target)) = (self.current, self.model.bindings().symbol(node)) else {
            return;
        };
        let symbol = self.model.symbol(target);
        let declaration = node.tree().node(symbol.declaration);
        let is_collection = match symbol.kind {
            SymbolKind::Var => matches!(ast::Var::cast(declaration).map(ast::Var::value), Some(Expr::For(_))),
            SymbolKind::Module | SymbolKind::Resource => {
                DeployedBody::of(declaration).is_some_and(DeployedBody::is_collection)
            }
            _ => return,
        };
        let is_weak = symbol.kind == SymbolKind::Resource && self.is_weak(node, target, is_collection);
        let index = if is_collection { self.index_of(node, current) } else { None };
        let dependency = Dependency { target, index, is_weak };
        let needs = self.found.by_symbol.entry(current).or_default();
        if !needs.contains(&dependency) {
            needs.push(dependency);
        }
    }

    /// The index with which a collection is accessed, if it means the same in the whole body of the declaration.
    fn index_of(&self, node: Node<'_>, current: SymbolId) -> Option<NodeId> {
        let access = node.parent().and_then(ast::Index::cast).filter(|it| it.base().syntax() == node)?;
        let declaration = node.tree().node(self.model.symbol(current).declaration);
        let body = body_of(declaration)?;
        let index = access.index().syntax();
        moves_freely(self.model, index, body).then(|| index.id())
    }

    /// Whether a use reads nothing but the identity of a resource. Only Azure's resources have one that is known before.
    fn is_weak(&self, node: Node<'_>, target: SymbolId, is_collection: bool) -> bool {
        let is_azure = self.model.resources().get(target).is_some_and(|resource| resource.is_azure);
        is_azure
            && (reads_identity(node, is_collection)
                || is_method_base(node, is_collection)
                || self.is_inside_top_property(node, "parent")
                || self.is_inside_top_property(node, "scope"))
    }

    fn is_inside_top_property(&self, node: Node<'_>, name: &str) -> bool {
        node.ancestors()
            .any(|outer| outer.kind() == SyntaxKind::Property && self.is_top_property(outer, name))
    }

    /// Whether a property is one of the current resource or module itself.
    fn is_top_property(&self, property: Node<'_>, name: &str) -> bool {
        // Most have another name, which is known sooner than whose they are.
        if !ast::Property::cast(property).is_some_and(|it| it.is_named(name)) {
            return false;
        }
        let Some(current) = self.current else { return false };
        let deployed = DeployedBody::of(property.tree().node(self.model.symbol(current).declaration));
        deployed.and_then(|it| it.property(name)).is_some_and(|it| it.syntax() == property)
    }
}

/// The body of a declaration, inside its loop and its condition.
fn body_of(declaration: Node<'_>) -> Option<Node<'_>> {
    match ast::Var::cast(declaration).map(ast::Var::value) {
        Some(Expr::For(each)) => Some(each.body().syntax()),
        Some(value) => Some(value.syntax()),
        None => Some(DeployedBody::of(declaration)?.body()?.syntax()),
    }
}

/// Whether an expression can be moved to another place without losing a variable of a loop or a lambda.
pub fn moves_freely(model: &Model, expr: Node<'_>, to: Node<'_>) -> bool {
    expr.descendants().filter(|node| node.kind() == SyntaxKind::VarAccess).all(|node| {
        let Some(symbol) = model.bindings().symbol(node).map(|id| model.symbol(id)) else { return true };
        if !symbol.kind.is_local_variable() {
            return true;
        }
        let Some(scope) = model.scope(symbol.scope) else { return true };
        let bound_in = expr.tree().node(scope.node);
        is_within(to, bound_in) || bound_in.parent().is_some_and(|declarer| is_within(declarer, expr))
    })
}

fn is_within(node: Node<'_>, outer: Node<'_>) -> bool {
    node == outer || node.ancestors().any(|ancestor| ancestor == outer)
}

fn reads_identity(node: Node<'_>, is_collection: bool) -> bool {
    let Some(parent) = node.parent() else { return false };
    match Expr::of(parent) {
        Expr::NonNull(_) => reads_identity(parent, is_collection),
        Expr::PropertyAccess(access) => {
            access.name().and_then(ast::Name::text).is_some_and(|name| IDENTITY.contains(&name))
        }
        Expr::Index(access) if access.base().syntax() == node => match access.index() {
            Expr::Str(index) if !index.is_interpolated() => {
                index.value().is_some_and(|name| IDENTITY.contains(&name.as_str()))
            }
            _ => is_collection && reads_identity(parent, is_collection),
        },
        _ => false,
    }
}

fn is_method_base(node: Node<'_>, is_collection: bool) -> bool {
    let Some(parent) = node.parent() else { return false };
    match Expr::of(parent) {
        Expr::NonNull(_) => is_method_base(parent, is_collection),
        Expr::MethodCall(_) => true,
        Expr::Index(access) => {
            is_collection && access.base().syntax() == node && is_method_base(parent, is_collection)
        }
        _ => false,
    }
}
