//! Cycles: declarations that depend on themselves, directly or through others.

use std::sync::Arc;

use bicep_syntax::{Node, SyntaxKind, Tree};
use rustc_hash::FxHashMap;

use crate::bind::Bindings;
use crate::declare::Declarations;
use crate::symbol::{SymbolId, SymbolKind};

/// For each symbol in a cycle, the cycle: each depends on the next, the last on the first.
pub(crate) type Circles = FxHashMap<SymbolId, Arc<[SymbolId]>>;

/// The cycles of the declarations of a file.
pub(crate) fn find_cycles(tree: &Tree, declarations: &Declarations, bindings: &Bindings) -> Circles {
    let mut collector =
        Collector { declarations, bindings, uses: vec![Vec::new(); declarations.symbols.len()] };
    for node in tree.nodes_of(&USES) {
        collector.use_name(node);
    }
    for resource in tree.nodes_of(&[SyntaxKind::Resource]) {
        collector.use_outer_resources(resource);
    }
    circles(&collector.uses)
}

/// The nodes that use a name.
const USES: [SyntaxKind; 5] = [
    SyntaxKind::VarAccess,
    SyntaxKind::TypeVar,
    SyntaxKind::ResourceAccess,
    SyntaxKind::Call,
    SyntaxKind::GenericType,
];

struct Collector<'a> {
    declarations: &'a Declarations,
    bindings: &'a Bindings,
    uses: Vec<Vec<SymbolId>>,
}

impl Collector<'_> {
    fn declared(&self, node: Node<'_>) -> Option<SymbolId> {
        let id = *self.declarations.symbol_of.get(&node.id())?;
        let kind = self.declarations.symbols.get(id.index())?.kind;
        let counts = !kind.is_local_variable()
            && !matches!(kind, SymbolKind::Metadata | SymbolKind::Assert | SymbolKind::Extension);
        counts.then_some(id)
    }

    fn has_name(&self, id: SymbolId) -> bool {
        self.declarations.symbols.get(id.index()).is_some_and(|symbol| symbol.name.is_some())
    }

    /// A resource needs the ones it is nested in.
    fn use_outer_resources(&mut self, resource: Node<'_>) {
        let Some(symbol) = self.declared(resource).filter(|_| self.is_reachable(resource)) else { return };
        let is_resource = |id: &SymbolId| {
            self.declarations.symbols.get(id.index()).is_some_and(|it| it.kind == SymbolKind::Resource)
        };
        let outer: Vec<SymbolId> = self.declared_around(resource).filter(is_resource).collect();
        if let Some(uses) = self.uses.get_mut(symbol.index()) {
            uses.extend(outer);
        }
    }

    fn use_name(&mut self, node: Node<'_>) {
        let Some(used) = self.bindings.symbol(node) else { return };
        let (mut current, mut may_recur) = (None, None);
        for outer in node.ancestors() {
            if let Some(declared) = self.declared(outer) {
                if !self.has_name(declared) {
                    // Not reachable.
                    return;
                }
                current = current.or(Some(declared));
            }
            may_recur = may_recur.or_else(|| recursion_inside(outer.kind()));
        }
        let is_type_member =
            may_recur == Some(true) && matches!(node.kind(), SyntaxKind::VarAccess | SyntaxKind::TypeVar);
        let uses = current.filter(|_| !is_type_member).and_then(|current| self.uses.get_mut(current.index()));
        uses.into_iter().for_each(|uses| uses.push(used));
    }

    /// The declarations around a node, from the inside out.
    fn declared_around(&self, node: Node<'_>) -> impl Iterator<Item = SymbolId> {
        node.ancestors().filter_map(|outer| self.declared(outer))
    }

    /// Whether a node is and stands in nothing that is declared without a name: nothing can refer to that, and nothing inside of it is
    /// looked at.
    fn is_reachable(&self, node: Node<'_>) -> bool {
        self.declared(node).into_iter().chain(self.declared_around(node)).all(|id| self.has_name(id))
    }
}

/// Whether names inside a node may mean the type that is being declared, which may refer to itself in its members;
/// `None`: as outside.
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

/// Of circles up to this length the shortest counts; of longer ones the first that is found, so that the search stays
/// linear.
const SHORT: usize = 16;

/// By symbol, what it needs; the circles come out. Depth-first search: a way back to a symbol that is still open closes a
/// circle.
pub(crate) fn circles(uses: &[Vec<SymbolId>]) -> Circles {
    let mut found = Circles::default();
    let mut is_done = vec![false; uses.len()];
    let mut position = vec![None; uses.len()];
    let mut path: Vec<PathStep> = Vec::new();
    for start in 0..uses.len() {
        // From here on, all symbols of the path are known to be in circles.
        let mut known_from = 0;
        let mut next = Some(SymbolId(u32::try_from(start).unwrap_or(u32::MAX)));
        loop {
            if let Some(symbol) = next.take() {
                match (position.get(symbol.index()).copied().flatten(), is_done.get(symbol.index())) {
                    (Some(from), _) if from < known_from || path.len() - from <= SHORT => {
                        close_circle(&path, from, &mut found);
                        known_from = known_from.min(from);
                    }
                    (None, Some(false)) => {
                        set(&mut position, symbol, Some(path.len()));
                        path.push(PathStep { symbol, edge: 0, known_from });
                        known_from = path.len();
                    }
                    _ => {}
                }
            }
            let Some(step) = path.last_mut() else { break };
            next = uses.get(step.symbol.index()).and_then(|edges| edges.get(step.edge)).copied();
            step.edge += 1;
            if next.is_none()
                && let Some(step) = path.pop()
            {
                known_from = known_from.min(step.known_from);
                set(&mut position, step.symbol, None);
                set(&mut is_done, step.symbol, true);
            }
        }
    }
    found
}

/// A symbol on the way, and which of its needs comes next.
struct PathStep {
    symbol: SymbolId,
    edge: usize,
    /// From where on all symbols before it are known to be in circles.
    known_from: usize,
}

fn close_circle(path: &[PathStep], from: usize, found: &mut Circles) {
    let circle: Arc<[SymbolId]> = path.iter().skip(from).map(|step| step.symbol).collect();
    for symbol in circle.iter() {
        let shortest = found.entry(*symbol).or_insert_with(|| Arc::clone(&circle));
        if circle.len() < shortest.len() {
            *shortest = Arc::clone(&circle);
        }
    }
}

fn set<T>(values: &mut [T], symbol: SymbolId, value: T) {
    if let Some(slot) = values.get_mut(symbol.index()) {
        *slot = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(index: usize) -> SymbolId {
        SymbolId(u32::try_from(index).unwrap_or(u32::MAX))
    }

    fn check(uses: &[&[usize]], expected: &[&[usize]]) {
        let uses: Vec<Vec<SymbolId>> = uses.iter().map(|it| it.iter().copied().map(id).collect()).collect();
        let found = circles(&uses);
        for (index, expected) in expected.iter().enumerate() {
            let circle = found.get(&id(index)).map(|it| it.iter().map(|it| it.index()).collect::<Vec<_>>());
            assert_eq!(circle.unwrap_or_default(), *expected, "{index}");
        }
    }

    #[test]
    fn the_shortest_circle_counts() {
        check(&[&[0]], &[&[0]]);
        check(&[&[1], &[2], &[0], &[0]], &[&[0, 1, 2], &[0, 1, 2], &[0, 1, 2], &[]]);
        check(&[&[1], &[2], &[1, 0]], &[&[0, 1, 2], &[1, 2], &[1, 2]]);
        check(&[&[1, 2], &[0], &[0]], &[&[0, 1], &[0, 1], &[0, 2]]);
        check(&[&[1], &[2, 1], &[0]], &[&[0, 1, 2], &[1], &[0, 1, 2]]);
    }

    #[test]
    fn a_circle_is_kept_once_for_all_that_are_in_it() {
        let uses: Vec<Vec<SymbolId>> = (0..1000).map(|index| vec![id((index + 1) % 1000), id(0)]).collect();
        let found = circles(&uses);
        let last = found.get(&id(999)).cloned().unwrap_or_default();
        assert!((SHORT..1000).all(|index| found.get(&id(index)).is_some_and(|it| Arc::ptr_eq(it, &last))));
    }
}
