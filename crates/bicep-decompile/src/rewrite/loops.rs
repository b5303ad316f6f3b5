//! Loops over the items of an array: `for i in range(0, length(x))` with `x[i]` in its body becomes `for item in x`.

use std::collections::BTreeSet;

use bicep_sema::{Binding, Model, SymbolId};
use bicep_syntax::ast::{self, Argument, Call, Expr, For, Name};
use bicep_syntax::{Node, NodeId, SyntaxKind, Tree};

use super::Edit;

/// The changes of a file.
pub(super) fn edits(tree: &Tree, model: &Model) -> Vec<Edit> {
    let mut simplifier = Simplifier { model, edits: Vec::new(), replaced: Vec::new() };
    // Inner loops come first: their variables must not be taken again by outer ones.
    let loops: Vec<For<'_>> = tree.nodes_of(&[SyntaxKind::For]).filter_map(For::cast).collect();
    for each in loops.into_iter().rev() {
        simplifier.simplify(each);
    }
    simplifier.edits
}

struct Simplifier<'a> {
    model: &'a Model,
    edits: Vec<Edit>,
    /// Accesses that have become a variable: the node, and the name of the variable.
    replaced: Vec<(NodeId, String)>,
}

impl Simplifier<'_> {
    fn simplify(&mut self, each: For<'_>) -> Option<()> {
        let array = self.counted_array(each.source())?;
        let section = each.variable_section();
        let variable = ast::LocalVar::cast(section)?;
        let index = self.model.declared(variable.syntax().id())?;
        let array_symbol = self.model.bindings().symbol(array)?;
        let mut uses = Uses::default();
        self.collect(each.syntax(), array_symbol, index, &mut uses);
        if uses.accesses.is_empty() {
            return None;
        }
        let item = free_name(&uses.names);
        for access in uses.accesses {
            self.edits.push(Edit { range: access.range(), text: item.clone() });
            self.replaced.push((access.id(), item.clone()));
        }
        let variables = match uses.has_index {
            true => format!("({item},{})", variable.name().and_then(Name::text)?),
            false => item,
        };
        self.edits.push(Edit { range: section.range(), text: variables });
        self.edits.push(Edit { range: each.source().range(), text: array.text().to_owned() });
        Some(())
    }

    /// The array `x` of `range(0, length(x))`.
    fn counted_array<'t>(&self, source: Expr<'t>) -> Option<Node<'t>> {
        let [start, count] = self.arguments(source, "range")?;
        let Expr::IntLiteral(start) = start.value() else { return None };
        if start.value() != 0 {
            return None;
        }
        let [array] = self.arguments(count.value(), "length")?;
        match array.value() {
            Expr::VarAccess(access) => Some(access.syntax()),
            _ => None,
        }
    }

    /// The arguments of a call of a function of the language.
    fn arguments<'t, const N: usize>(&self, expr: Expr<'t>, name: &str) -> Option<[Argument<'t>; N]> {
        let call = Call::cast(expr.syntax())?;
        let is_built_in = matches!(self.model.bindings().get(call.syntax()), Some(Binding::Function(_)));
        let is_called = call.name().and_then(Name::text) == Some(name);
        let arguments: Vec<Argument<'t>> = call.arguments().collect();
        arguments.try_into().ok().filter(|_| is_built_in && is_called)
    }

    fn collect<'t>(&self, node: Node<'t>, array: SymbolId, index: SymbolId, uses: &mut Uses<'t>) {
        base::recurse(|| {
            if let Some((_, name)) = self.replaced.iter().find(|(id, _)| *id == node.id()) {
                uses.names.insert(name.clone());
                return;
            }
            let symbol = |node: Node<'_>| self.model.bindings().symbol(node);
            if let Some(access) = ast::Index::cast(node)
                && symbol(access.base().syntax()) == Some(array)
                && symbol(access.index().syntax()) == Some(index)
            {
                uses.accesses.push(node);
                uses.names.extend([access.base(), access.index()].map(|it| it.syntax().text().to_owned()));
                return;
            }
            if node.kind() == SyntaxKind::VarAccess {
                uses.has_index |= symbol(node) == Some(index);
                uses.names.insert(node.text().to_owned());
            }
            node.children().for_each(|child| self.collect(child, array, index, uses));
        });
    }
}

/// What stands inside of a loop.
#[derive(Default)]
struct Uses<'t> {
    /// `x[i]`
    accesses: Vec<Node<'t>>,
    /// Whether the index is used otherwise too.
    has_index: bool,
    /// All names that are used.
    names: BTreeSet<String>,
}

fn free_name(used: &BTreeSet<String>) -> String {
    let numbered = (1..).map(|number| format!("item_{number}"));
    let mut names = std::iter::once("item".to_owned()).chain(numbered);
    names.find(|name| !used.contains(name)).unwrap_or_default()
}
