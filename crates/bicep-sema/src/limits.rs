//! What the language allows but a template cannot express. Each check is a file; all of them only report.

mod features;
mod integers;
mod lambdas;
mod loops;
mod names;
mod spread;

use base::Diagnostic;
use bicep_syntax::ast::Expr;
use bicep_syntax::{Node, Tree};

use crate::model::Model;
use crate::program::BicepFile;
use crate::symbol::{Symbol, SymbolKind};

/// Reports everything in a file that could not be emitted.
pub(crate) fn check(bicep: &BicepFile, model: &Model, diagnostics: &mut Vec<Diagnostic>) {
    let mut ctx = Limits { bicep, model, diagnostics };
    features::check(&mut ctx);
    integers::check(&mut ctx);
    lambdas::check(&mut ctx);
    loops::check(&mut ctx);
    names::check(&mut ctx);
    spread::check(&mut ctx);
}

/// What a check sees, and where its findings go.
struct Limits<'a> {
    bicep: &'a BicepFile,
    model: &'a Model,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl<'a> Limits<'a> {
    fn tree(&self) -> &'a Tree {
        self.bicep.tree()
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// The symbol that a node refers to.
    fn symbol(&self, node: Node<'_>) -> Option<&'a Symbol> {
        self.model.bindings().symbol(node).map(|symbol| self.model.symbol(symbol))
    }

    /// The symbols of some kinds, in order.
    fn symbols(&self, kinds: &'a [SymbolKind]) -> impl Iterator<Item = &'a Symbol> {
        self.model.symbols().map(|(_, symbol)| symbol).filter(|symbol| kinds.contains(&symbol.kind))
    }

    /// Whether a node refers to a resource or a module that a loop declares.
    fn is_collection(&self, node: Node<'_>) -> bool {
        let Some(symbol) = self.symbol(node) else { return false };
        matches!(symbol.kind, SymbolKind::Resource | SymbolKind::Module)
            && self
                .tree()
                .node(symbol.declaration)
                .children()
                .next_back()
                .is_some_and(|value| matches!(Expr::of(value), Expr::For(_)))
    }
}
