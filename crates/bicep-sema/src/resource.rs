//! The resources that a file declares: their types, their place in the tree of parents and children, and which of them
//! an expression means.

use bicep_syntax::ast::{self, Expr};
use bicep_syntax::{NodeId, Tree};
use bicep_types::ty::ResourceReference;
use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use crate::model::Model;
use crate::symbol::{SymbolId, SymbolKind};

/// What is known of a resource without asking it.
pub const IDENTITY: [&str; 4] = ["id", "name", "type", "apiVersion"];

/// The resources of a file.
#[derive(Debug, Default)]
pub struct Resources {
    all: Vec<Resource>,
    by_symbol: FxHashMap<SymbolId, usize>,
    /// The resources that variables hold.
    held: FxHashMap<SymbolId, SymbolId>,
}

/// A declared resource.
#[derive(Debug, Clone)]
pub struct Resource {
    /// What it is called in the file.
    pub symbol: SymbolId,
    /// Its statement.
    pub declaration: NodeId,
    /// The namespace written before its type: `kubernetes` in `kubernetes:core/Secret@v1`.
    pub namespace: Option<SmolStr>,
    /// Its type, with those of the resources it is nested in, in the spelling of whoever declares the type.
    pub reference: ResourceReference,
    /// Whether it is one of Azure, and not of another extension.
    pub is_azure: bool,
    /// Whether it is there already and only referred to.
    pub is_existing: bool,
    /// Whether it is declared by a loop.
    pub is_collection: bool,
    /// What it is a child of, if that is another resource of the file.
    pub parent: Option<Parent>,
}

/// The parent of a resource.
#[derive(Debug, Clone, Copy)]
pub struct Parent {
    /// The parent.
    pub resource: SymbolId,
    /// Which one, where the parent is declared by a loop.
    pub index: Option<NodeId>,
    /// Whether the child is written in the body of the parent, and not with `parent:`.
    pub is_nested: bool,
}

impl Resources {
    /// The resources of a file, in the order in which they are emitted: inner ones before those they are nested in,
    /// all of them before those of the file itself.
    pub(crate) fn collect(tree: &Tree, model: &Model) -> Self {
        let found = Self { held: held_resources(tree, model), ..Self::default() };
        let mut collector = Collector { model, found };
        let top: Vec<_> =
            tree.file().statements().filter_map(|it| ast::Resource::cast(it.syntax())).collect();
        collector.scope(&top);
        collector.found.drop_orphans();
        collector.found
    }

    /// Leaves out the resources that are children of something that is left out, directly or not.
    fn drop_orphans(&mut self) {
        let mut is_known: FxHashMap<SymbolId, bool> = FxHashMap::default();
        for start in &self.all {
            let mut way = Vec::new();
            let mut at = Some(start.symbol);
            let end = loop {
                let Some(symbol) = at else { break true };
                if let Some(known) = is_known.get(&symbol) {
                    break *known;
                }
                let Some(resource) = self.get(symbol) else { break false };
                // A circle of parents has been reported.
                is_known.insert(symbol, true);
                way.push(symbol);
                at = resource.parent.map(|parent| parent.resource);
            };
            is_known.extend(way.into_iter().map(|symbol| (symbol, end)));
        }
        self.all.retain(|resource| is_known.get(&resource.symbol).copied().unwrap_or(true));
        self.by_symbol = self.all.iter().enumerate().map(|(slot, it)| (it.symbol, slot)).collect();
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Resource> {
        self.all.iter()
    }

    /// The resource of a symbol.
    pub fn get(&self, symbol: SymbolId) -> Option<&Resource> {
        self.all.get(*self.by_symbol.get(&symbol)?)
    }

    /// The resource that an expression means: a name, `parent::child`, or a variable that holds nothing else.
    pub fn of_expr(&self, expr: Expr<'_>, model: &Model) -> Option<&Resource> {
        self.get(self.named(expr, model)?)
    }

    /// The symbol of the resource that an expression means.
    fn named(&self, expr: Expr<'_>, model: &Model) -> Option<SymbolId> {
        let symbol = named_symbol(expr, model)?;
        match model.symbol(symbol).kind {
            SymbolKind::Resource => model.cycle(symbol).is_none().then_some(symbol),
            SymbolKind::Var => self.held.get(&symbol).copied(),
            _ => None,
        }
    }

    /// The ancestors of a resource, the oldest first. Each comes with its child's link to it.
    pub fn ancestors(&self, resource: &Resource) -> Vec<(&Resource, Parent)> {
        let mut ancestors = Vec::new();
        let mut link = resource.parent;
        while let Some(parent) = link {
            let Some(ancestor) = self.get(parent.resource) else { break };
            if ancestors.iter().any(|(known, _): &(&Resource, Parent)| known.symbol == ancestor.symbol) {
                break;
            }
            ancestors.push((ancestor, parent));
            link = ancestor.parent;
        }
        ancestors.reverse();
        ancestors
    }

    /// The name of a resource in a template with symbolic names: those it is nested in, joined with `::`.
    pub fn symbolic_name(&self, resource: &Resource, model: &Model) -> String {
        let mut names = vec![name_of(resource, model)];
        let mut link = resource.parent.filter(|parent| parent.is_nested);
        while let Some(ancestor) = link.and_then(|parent| self.get(parent.resource)) {
            names.push(name_of(ancestor, model));
            link = ancestor.parent.filter(|parent| parent.is_nested);
        }
        names.reverse();
        names.join("::")
    }
}

fn name_of<'m>(resource: &Resource, model: &'m Model) -> &'m str {
    model.symbol(resource.symbol).name.as_deref().unwrap_or_default()
}

/// The symbol that an expression names, if it does nothing else.
fn named_symbol(expr: Expr<'_>, model: &Model) -> Option<SymbolId> {
    matches!(expr, Expr::VarAccess(_) | Expr::ResourceAccess(_))
        .then(|| model.bindings().symbol(expr.syntax()))
        .flatten()
}

/// The resources that variables hold, directly or by way of other variables. Every variable is looked at once.
fn held_resources(tree: &Tree, model: &Model) -> FxHashMap<SymbolId, SymbolId> {
    let mut known: FxHashMap<SymbolId, Option<SymbolId>> = FxHashMap::default();
    for (start, _) in model.symbols().filter(|(_, symbol)| symbol.kind == SymbolKind::Var) {
        let mut way = Vec::new();
        let mut at = Some(start);
        let end = loop {
            let Some(symbol) = at.filter(|symbol| model.cycle(*symbol).is_none()) else { break None };
            match model.symbol(symbol).kind {
                SymbolKind::Resource => break Some(symbol),
                SymbolKind::Var => {
                    if let Some(end) = known.get(&symbol) {
                        break *end;
                    }
                    way.push(symbol);
                    let declaration = ast::Var::cast(tree.node(model.symbol(symbol).declaration));
                    at = declaration.and_then(|var| named_symbol(var.value(), model));
                }
                _ => break None,
            }
        };
        known.extend(way.into_iter().map(|symbol| (symbol, end)));
    }
    let mut held = FxHashMap::default();
    for (symbol, _) in model.symbols() {
        if let Some(resource) = known.get(&symbol).copied().flatten() {
            held.insert(symbol, resource);
        }
    }
    held
}

/// Azure's resources have versions that are dates.
fn looks_like_azure(reference: &ResourceReference) -> bool {
    let version = reference.version().map(SmolStr::as_str).unwrap_or_default();
    version.len() >= 10 && version.bytes().take(4).all(|byte| byte.is_ascii_digit())
}

struct Collector<'a> {
    model: &'a Model,
    found: Resources,
}

impl Collector<'_> {
    fn scope(&mut self, resources: &[ast::Resource<'_>]) {
        // Types of children build on those of their parents, so these are looked at first and put behind them.
        let own: Vec<Option<Resource>> = resources.iter().map(|it| self.resource(*it)).collect();
        let slots: Vec<usize> = own
            .into_iter()
            .flatten()
            .map(|resource| {
                let slot = self.found.all.len();
                self.found.by_symbol.insert(resource.symbol, slot);
                self.found.all.push(resource);
                slot
            })
            .collect();
        for resource in resources {
            let nested: Vec<_> = resource.body().into_iter().flat_map(ast::Object::resources).collect();
            if !nested.is_empty() {
                self.scope(&nested);
            }
        }
        self.move_behind(&slots);
    }

    /// Moves the resources of a scope behind everything that was found inside them.
    fn move_behind(&mut self, slots: &[usize]) {
        let (Some(first), Some(last)) = (slots.first(), slots.last()) else { return };
        let end = self.found.all.len();
        if last + 1 == end {
            return;
        }
        if let Some(run) = self.found.all.get_mut(*first..end) {
            run.rotate_left(slots.len());
        }
        for (slot, resource) in self.found.all.iter().enumerate().skip(*first) {
            self.found.by_symbol.insert(resource.symbol, slot);
        }
    }

    fn resource(&self, resource: ast::Resource<'_>) -> Option<Resource> {
        let declaration = resource.syntax().id();
        let symbol = self.model.declared(declaration)?;
        if self.model.cycle(symbol).is_some() {
            return None;
        }
        let text = resource.path()?.value()?;
        let (namespace, text) = match text.split_once(':') {
            Some((namespace, rest)) => (Some(SmolStr::new(namespace)), rest),
            None => (None, text.as_str()),
        };
        let known = self.model.declared_type(symbol).and_then(|ty| ty.as_resource());
        let outer = resource.parent_resource().and_then(|outer| self.model.declared(outer.syntax().id()));
        let around = match outer {
            Some(outer) => Some(&self.found.get(outer)?.reference),
            None => None,
        };
        let reference = match (known, around) {
            (Some(known), _) => known.reference.clone(),
            (None, Some(around)) => around.nested(&ResourceReference::parse(text)?),
            (None, None) => ResourceReference::parse(text)?,
        };
        let parent = match outer {
            Some(outer) => Some(Parent { resource: outer, index: None, is_nested: true }),
            None => self.parent_property(resource)?,
        };
        let is_azure = match known {
            Some(known) => known.namespace == "az",
            None => looks_like_azure(&reference),
        };
        Some(Resource {
            symbol,
            declaration,
            namespace,
            reference,
            is_azure,
            is_existing: resource.existing().is_some(),
            is_collection: matches!(resource.value(), Expr::For(_)),
            parent,
        })
    }

    /// What `parent:` refers to: nothing, if it is not there or is a resource of somewhere else. The outer `None`: it is
    /// there, but means no resource.
    fn parent_property(&self, resource: ast::Resource<'_>) -> Option<Option<Parent>> {
        let Some(parent) = resource.body().and_then(|body| body.property("parent")) else {
            return Some(None);
        };
        let (value, index) = match parent.value() {
            Expr::Index(access) => (access.base(), Some(access.index().syntax().id())),
            value => (value, None),
        };
        match self.found.named(value, self.model) {
            Some(resource) => Some(Some(Parent { resource, index, is_nested: false })),
            None => self.is_given_resource(value).then_some(None),
        }
    }

    /// Whether an expression is a parameter, or an output of a module, that is a resource.
    fn is_given_resource(&self, expr: Expr<'_>) -> bool {
        let is_parameter = || {
            let symbol = self.model.bindings().symbol(expr.syntax()).map(|symbol| self.model.symbol(symbol));
            symbol.is_some_and(|symbol| symbol.kind == SymbolKind::Param)
        };
        let can_be_given = matches!(expr, Expr::PropertyAccess(_)) || is_parameter();
        let ty = self.model.type_of(expr.syntax()).filter(|_| can_be_given);
        ty.is_some_and(|ty| ty.as_resource().is_some())
    }
}
