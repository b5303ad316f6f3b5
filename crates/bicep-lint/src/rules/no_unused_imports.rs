//! `no-unused-imports`

use base::{Edit, Fix, TextRange};
use bicep_sema::{Symbol, SymbolKind};
use bicep_syntax::{Element, Node, SyntaxKind};

use super::unused::unused;
use crate::{Context, Rule};

pub(super) const RULE: Rule = Rule {
    code: "no-unused-imports",
    documentation: "An imported name that nothing uses should go.\n\nOf a wildcard import only the alias is looked at.",
    check,
};

fn check(ctx: &mut Context<'_, '_>) {
    for kind in [SymbolKind::ImportItem, SymbolKind::WildcardImport] {
        for (symbol, name) in unused(ctx, kind) {
            let edit = Edit { range: removal(ctx, &symbol), text: String::new() };
            let fix = Fix { title: format!("Remove the unused import {name}"), edits: vec![edit] };
            ctx.report_with(symbol.name_range, format!("The import \"{name}\" is never used"), vec![fix]);
        }
    }
}

/// What goes with an import: the whole statement of a wildcard, the comma beside an item.
fn removal(ctx: &Context<'_, '_>, symbol: &Symbol) -> TextRange {
    let node = ctx.declaration(symbol);
    let Some(parent) = node.parent() else { return node.range() };
    if symbol.kind == SymbolKind::WildcardImport {
        return parent.range();
    }
    let is_separator =
        |element: &Element<'_>| matches!(element.kind(), SyntaxKind::Comma | SyntaxKind::NewLine);
    let neighbours: Vec<Element<'_>> = parent.elements().collect();
    let at = neighbours.iter().position(|element| element.node() == Some(node)).unwrap_or_default();
    let before = at.checked_sub(1).and_then(|at| neighbours.get(at)).filter(|it| is_separator(it));
    let after = neighbours.get(at + 1).filter(|it| is_separator(it));
    beside(node, before.filter(|_| at > 1).or(after))
}

fn beside(node: Node<'_>, separator: Option<&Element<'_>>) -> TextRange {
    separator.map_or(node.range(), |it| it.range().cover(node.range()))
}
