//! The deployment graph: a file comes in; its resources and modules, those of its modules included, and which waits for which go
//! out, ordered by id.

pub mod drawing;

use std::collections::{BTreeMap, BTreeSet};

use base::TextRange;
use bicep_sema::{FileId, SymbolId, SymbolKind};
use bicep_syntax::ast::{self, Expr};
use bicep_syntax::{Node, SyntaxKind};
use bicep_types::ty::Type;

use crate::FileContext;

/// What a file deploys.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Graph {
    /// Resources and modules.
    pub nodes: Vec<GraphNode>,
    /// Pairs of ids: what waits, and what it waits for.
    pub edges: Vec<(String, String)>,
}

/// A resource or a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphNode {
    /// Its name, behind those of the modules that it is in.
    pub id: String,
    /// The module that it is in.
    pub parent: Option<String>,
    pub name: String,
    /// The type of a resource; `<module>`.
    pub ty: String,
    /// Whether it is a module.
    pub is_module: bool,
    /// Whether it is a resource that is there already.
    pub is_existing: bool,
    /// What a module is made from, as written.
    pub module_path: Option<String>,
    /// Whether it is declared by a loop.
    pub is_collection: bool,
    /// Whether there is something in the module.
    pub has_children: bool,
    /// Whether something is wrong with the declaration.
    pub has_error: bool,
    /// The file that declares it.
    pub file: FileId,
    /// The declaration.
    pub range: TextRange,
}

/// Modules within modules beyond this depth are left out: a picture of them says nothing.
const MAX_DEPTH: usize = 20;

/// The graph of a file.
pub fn deployment_graph(context: &FileContext<'_>) -> Graph {
    let mut graph = Graph::default();
    add_file(context, None, 0, &mut graph);
    graph.nodes.sort_by(|a, b| a.id.cmp(&b.id));
    graph.edges.sort();
    graph.edges.dedup();
    graph
}

impl Graph {
    /// The same in which a resource that is written inside of another one waits for it, as it does when it is deployed. Editors that
    /// draw the graph expect it without these edges.
    #[must_use]
    pub fn with_nesting(mut self) -> Self {
        let nested = self.nodes.iter().filter_map(|inner| {
            let is_around = |outer: &&GraphNode| {
                outer.file == inner.file
                    && outer.parent == inner.parent
                    && outer.range != inner.range
                    && outer.range.contains_range(inner.range)
            };
            let nearest = self.nodes.iter().filter(is_around).min_by_key(|outer| outer.range.len())?;
            Some((inner.id.clone(), nearest.id.clone()))
        });
        let nested: Vec<(String, String)> = nested.collect();
        self.edges.extend(nested);
        self.edges.sort();
        self.edges.dedup();
        self
    }

    /// The ids in columns: each stands behind everything that it waits for.
    pub fn columns(&self) -> Vec<Vec<&str>> {
        let mut needs: BTreeMap<&str, BTreeSet<&str>> =
            self.nodes.iter().map(|it| (it.id.as_str(), BTreeSet::new())).collect();
        for (from, to) in &self.edges {
            if let Some(set) = needs.get_mut(from.as_str()) {
                set.insert(to);
            }
        }
        let mut columns: Vec<Vec<&str>> = Vec::new();
        while !needs.is_empty() {
            let ready: Vec<&str> =
                needs.iter().filter(|(_, set)| set.is_empty()).map(|(id, _)| *id).collect();
            // Declarations in a circle are placed together.
            let ready = if ready.is_empty() { needs.keys().copied().collect() } else { ready };
            for id in &ready {
                needs.remove(id);
            }
            for set in needs.values_mut() {
                set.retain(|id| !ready.contains(id));
            }
            columns.push(ready);
        }
        columns
    }
}

fn add_file(context: &FileContext<'_>, parent: Option<&str>, depth: usize, graph: &mut Graph) {
    if depth > MAX_DEPTH {
        return;
    }
    let id_of = |name: &str| parent.map_or_else(|| name.to_owned(), |parent| format!("{parent}::{name}"));
    let errors = context.program.report(context.file);
    let shown: BTreeMap<SymbolId, String> = context
        .model
        .symbols()
        .filter(|(_, symbol)| is_shown(context, symbol))
        .filter_map(|(id, symbol)| Some((id, id_of(symbol.name.as_deref()?))))
        .collect();
    for (symbol, id) in &shown {
        let node = context.tree().node(context.model.symbol(*symbol).declaration);
        let has_error = errors
            .diagnostics
            .iter()
            .any(|it| it.severity == base::Severity::Error && node.range().contains_range(it.range));
        let before = graph.nodes.len();
        if let Some(Ok(target)) = context.bicep.reference(node).filter(|_| node.kind() == SyntaxKind::Module)
            && let Some(inner) = FileContext::new(context.program, target.file)
        {
            add_file(&inner, Some(id), depth + 1, graph);
        }
        let has_children = graph.nodes.len() > before;
        graph.nodes.push(GraphNode {
            id: id.clone(),
            parent: parent.map(str::to_owned),
            name: context.model.symbol(*symbol).name.as_deref().unwrap_or_default().to_owned(),
            ty: type_name(context, node),
            is_module: node.kind() == SyntaxKind::Module,
            is_existing: ast::Resource::cast(node).is_some_and(|resource| resource.existing().is_some()),
            module_path: ast::Module::cast(node).and_then(|module| Some(module.path()?.value()?.to_string())),
            is_collection: is_collection(node),
            has_children,
            has_error,
            file: context.file,
            range: node.range(),
        });
        let mut edges =
            Edges { shown: &shown, from: *symbol, reached: BTreeSet::new(), found: &mut graph.edges };
        edges.collect(context, node);
    }
}

fn is_shown(context: &FileContext<'_>, symbol: &bicep_sema::Symbol) -> bool {
    match symbol.kind {
        SymbolKind::Module => true,
        SymbolKind::Resource => {
            let node = context.tree().node(symbol.declaration);
            ast::Resource::cast(node).is_some()
        }
        _ => false,
    }
}

/// What a declaration refers to, also through variables.
struct Edges<'g> {
    shown: &'g BTreeMap<SymbolId, String>,
    from: SymbolId,
    /// The variables that have been looked into.
    reached: BTreeSet<SymbolId>,
    found: &'g mut Vec<(String, String)>,
}

impl Edges<'_> {
    fn collect(&mut self, context: &FileContext<'_>, node: Node<'_>) {
        for inner in node.descendants() {
            let symbol = context.model.bindings().symbol(inner).filter(|symbol| *symbol != self.from);
            let Some(symbol) = symbol else { continue };
            if let (Some(source), Some(target)) = (self.shown.get(&self.from), self.shown.get(&symbol)) {
                self.found.push((source.clone(), target.clone()));
            } else if context.model.symbol(symbol).kind == SymbolKind::Var && self.reached.insert(symbol) {
                let declaration = context.tree().node(context.model.symbol(symbol).declaration);
                self.collect(context, declaration);
            }
        }
    }
}

fn is_collection(node: Node<'_>) -> bool {
    let value = match ast::Statement::cast(node) {
        Some(ast::Statement::Resource(resource)) => Some(resource.value()),
        Some(ast::Statement::Module(module)) => Some(module.value()),
        _ => None,
    };
    matches!(value, Some(Expr::For(_)))
}

fn type_name(context: &FileContext<'_>, node: Node<'_>) -> String {
    if node.kind() == SyntaxKind::Module {
        return "<module>".to_owned();
    }
    let ty = context.model.declared_type_of(node);
    let resource = ty.map(|ty| ty.item().unwrap_or(ty)).and_then(Type::as_resource);
    resource.map(|resource| resource.reference.name().to_string()).unwrap_or_else(|| "<unknown>".to_owned())
}
