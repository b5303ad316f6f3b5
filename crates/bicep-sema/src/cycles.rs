//! Declarations that need themselves, directly or through others.

use bicep_syntax::{Node, SyntaxKind, Tree};
use rustc_hash::FxHashMap;

use crate::bind::Bindings;
use crate::declare::Declarations;
use crate::symbol::{SymbolId, SymbolKind};

/// For each symbol in a circle, the circle: each needs the next, the last needs the first.
pub(crate) fn find_cycles(
    tree: &Tree,
    declarations: &Declarations,
    bindings: &Bindings,
) -> FxHashMap<SymbolId, Vec<SymbolId>> {
    let mut collector = Collector {
        declarations,
        bindings,
        uses: vec![Vec::new(); declarations.symbols.len()],
        around: Vec::new(),
    };
    collector.visit(tree.root(), false);
    circles(&collector.uses)
}

struct Collector<'a> {
    declarations: &'a Declarations,
    bindings: &'a Bindings,
    uses: Vec<Vec<SymbolId>>,
    /// The declarations around the current node, from the outside in.
    around: Vec<SymbolId>,
}

impl Collector<'_> {
    /// `may_recur`: inside the members of a type, where a type may refer to itself.
    fn visit(&mut self, node: Node<'_>, may_recur: bool) {
        stacker::maybe_grow(64 << 10, 1 << 20, || {
            let declared = self.declared(node);
            if let Some(symbol) = declared {
                if node.kind() == SyntaxKind::Resource {
                    // A resource needs the ones it is nested in.
                    self.use_outer_resources(symbol);
                }
                self.around.push(symbol);
            }
            self.use_name(node, may_recur);
            let may_recur = recursion_inside(node.kind()).unwrap_or(may_recur);
            node.children().for_each(|child| self.visit(child, may_recur));
            if declared.is_some() {
                self.around.pop();
            }
        });
    }

    fn declared(&self, node: Node<'_>) -> Option<SymbolId> {
        let id = *self.declarations.symbol_of.get(&node.id())?;
        let symbol = self.declarations.symbols.get(id.index())?;
        let counts = !symbol.kind.is_local_variable()
            && !matches!(symbol.kind, SymbolKind::Metadata | SymbolKind::Assert | SymbolKind::Extension);
        (counts && symbol.name.is_some()).then_some(id)
    }

    fn use_outer_resources(&mut self, symbol: SymbolId) {
        let is_resource = |id: &SymbolId| {
            self.declarations.symbols.get(id.index()).is_some_and(|it| it.kind == SymbolKind::Resource)
        };
        let outer: Vec<SymbolId> = self.around.iter().copied().filter(is_resource).collect();
        if let Some(uses) = self.uses.get_mut(symbol.index()) {
            uses.extend(outer);
        }
    }

    fn use_name(&mut self, node: Node<'_>, may_recur: bool) {
        let counts = match node.kind() {
            SyntaxKind::VarAccess | SyntaxKind::TypeVar => !may_recur,
            SyntaxKind::ResourceAccess | SyntaxKind::Call | SyntaxKind::GenericType => true,
            _ => false,
        };
        let (true, Some(current), Some(used)) = (counts, self.around.last(), self.bindings.symbol(node))
        else {
            return;
        };
        if let Some(uses) = self.uses.get_mut(current.index()) {
            uses.push(used);
        }
    }
}

/// Whether names inside a node may mean the type that is being declared; `None`: as outside.
fn recursion_inside(kind: SyntaxKind) -> Option<bool> {
    match kind {
        SyntaxKind::ArrayTypeMember
        | SyntaxKind::ObjectTypeProperty
        | SyntaxKind::ObjectTypeAdditional
        | SyntaxKind::TupleTypeItem => Some(true),
        SyntaxKind::Index
        | SyntaxKind::PropertyAccess
        | SyntaxKind::TypePropertyAccess
        | SyntaxKind::TypeAdditionalAccess
        | SyntaxKind::TypeIndex
        | SyntaxKind::TypeItemsAccess => Some(false),
        _ => None,
    }
}

/// Depth-first search; a way back to a symbol that is still open closes a circle.
fn circles(uses: &[Vec<SymbolId>]) -> FxHashMap<SymbolId, Vec<SymbolId>> {
    let mut found = FxHashMap::default();
    let mut is_done = vec![false; uses.len()];
    let mut position = vec![None; uses.len()];
    for start in 0..uses.len() {
        let mut path: Vec<(SymbolId, usize)> = Vec::new();
        let mut next = Some(SymbolId(u32::try_from(start).unwrap_or(u32::MAX)));
        loop {
            if let Some(symbol) = next.take() {
                match (position.get(symbol.index()).copied().flatten(), is_done.get(symbol.index())) {
                    (Some(from), _) => close_circle(&path, from, &mut found),
                    (None, Some(false)) => {
                        set(&mut position, symbol, Some(path.len()));
                        path.push((symbol, 0));
                    }
                    _ => {}
                }
            }
            let Some((symbol, edge)) = path.last_mut() else { break };
            let symbol = *symbol;
            next = uses.get(symbol.index()).and_then(|edges| edges.get(*edge)).copied();
            *edge += 1;
            if next.is_none() {
                path.pop();
                set(&mut position, symbol, None);
                set(&mut is_done, symbol, true);
            }
        }
    }
    found
}

fn close_circle(path: &[(SymbolId, usize)], from: usize, found: &mut FxHashMap<SymbolId, Vec<SymbolId>>) {
    let circle: Vec<SymbolId> = path.iter().skip(from).map(|(symbol, _)| *symbol).collect();
    for symbol in &circle {
        found.entry(*symbol).or_insert_with(|| circle.clone());
    }
}

fn set<T>(values: &mut [T], symbol: SymbolId, value: T) {
    if let Some(slot) = values.get_mut(symbol.index()) {
        *slot = value;
    }
}
