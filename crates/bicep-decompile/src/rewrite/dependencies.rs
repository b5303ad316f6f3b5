//! `dependsOn` without what follows from the rest of a declaration. Not for loops.

use std::collections::BTreeSet;

use base::TextRange;
use bicep_sema::{Model, SymbolId, SymbolKind};
use bicep_syntax::ast::{self, Array, ArrayItem, Expr, Object, Property, Statement};
use bicep_syntax::{Node, SyntaxKind, Tree};

use super::Edit;
use super::parents::Child;

/// The changes of a file in which some resources get parents.
pub(super) fn edits(tree: &Tree, model: &Model, children: &[Child<'_>]) -> Vec<Edit> {
    let bodies = tree.file().statements().filter_map(body_of);
    bodies.flat_map(|body| edits_of(tree, model, body, children.iter().find(|it| it.body == body))).collect()
}

fn body_of(statement: Statement<'_>) -> Option<Object<'_>> {
    let value = match statement {
        Statement::Resource(resource) => resource.value(),
        Statement::Module(module) => module.value(),
        _ => return None,
    };
    match value {
        Expr::Object(object) => Some(object),
        Expr::If(condition) => condition.body(),
        _ => None,
    }
}

fn edits_of(tree: &Tree, model: &Model, body: Object<'_>, child: Option<&Child<'_>>) -> Vec<Edit> {
    let Some(property) = body.property("dependsOn") else { return Vec::new() };
    let Expr::Array(array) = property.value() else { return Vec::new() };
    let mut needed = Needed { tree, model, found: BTreeSet::new(), seen: BTreeSet::new() };
    for other in body.properties().filter(|other| *other != property) {
        match child.filter(|child| child.name == other) {
            // The start of its name goes, and with it what that refers to.
            Some(child) => child.rest.holes.iter().for_each(|hole| needed.visit(hole.syntax())),
            None => needed.visit(other.syntax()),
        }
    }
    needed.found.extend(child.map(|child| child.parent));
    let superfluous: Vec<Node<'_>> = array.items().filter(|item| needed.contains(*item)).collect();
    if superfluous.is_empty() {
        return Vec::new();
    }
    if superfluous.len() == items(array) {
        return vec![Edit { range: whole_line(tree, property), text: String::new() }];
    }
    superfluous.into_iter().map(|item| Edit { range: item.range(), text: String::new() }).collect()
}

fn items(array: Array<'_>) -> usize {
    array.items().filter(|item| item.kind() == SyntaxKind::ArrayItem).count()
}

/// A property with the line end behind it.
fn whole_line(tree: &Tree, property: Property<'_>) -> TextRange {
    let range = property.range();
    let behind = tree.text().get(usize::from(range.end())..).unwrap_or_default();
    let end = if behind.starts_with('\n') { range.end() + base::TextSize::from(1) } else { range.end() };
    TextRange::new(range.start(), end)
}

/// The resources and modules that expressions need, through variables too.
struct Needed<'a> {
    tree: &'a Tree,
    model: &'a Model,
    found: BTreeSet<SymbolId>,
    seen: BTreeSet<SymbolId>,
}

impl Needed<'_> {
    fn contains(&self, item: Node<'_>) -> bool {
        let value = ArrayItem::cast(item).map(|item| item.value().syntax());
        value.and_then(|value| self.model.bindings().symbol(value)).is_some_and(|it| self.found.contains(&it))
    }

    fn visit(&mut self, node: Node<'_>) {
        for access in node.descendants().filter(|it| it.kind() == SyntaxKind::VarAccess) {
            let Some(id) = self.model.bindings().symbol(access) else { continue };
            let symbol = self.model.symbol(id);
            match symbol.kind {
                SymbolKind::Resource | SymbolKind::Module => {
                    self.found.insert(id);
                }
                SymbolKind::Var if self.seen.insert(id) => {
                    let declaration = self.tree.node(symbol.declaration);
                    if let Some(variable) = ast::Var::cast(declaration) {
                        let value = variable.value().syntax();
                        base::recurse(|| self.visit(value));
                    }
                }
                _ => {}
            }
        }
    }
}
