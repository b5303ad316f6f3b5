//! What the rules about unused declarations share.

use base::{Edit, Fix};
use bicep_sema::{Symbol, SymbolKind};

use crate::Context;
use crate::edits::lines_of;

/// Reports the symbols of a kind that nothing refers to and that `counts` does not let off.
pub(super) fn report_unused(
    ctx: &mut Context<'_, '_>,
    kind: SymbolKind,
    noun: &str,
    counts: impl Fn(&Context<'_, '_>, &Symbol) -> bool,
) {
    for (symbol, name) in unused(ctx, kind) {
        if !counts(ctx, &symbol) {
            continue;
        }
        let edit = Edit { range: lines_of(ctx.declaration(&symbol)), text: String::new() };
        let fix = Fix { title: format!("Remove unused {noun} {name}"), edits: vec![edit] };
        ctx.report_with(symbol.name_range, format!("The {noun} \"{name}\" is never used"), vec![fix]);
    }
}

/// The symbols of a kind that nothing refers to, with their names.
pub(super) fn unused(ctx: &Context<'_, '_>, kind: SymbolKind) -> Vec<(Symbol, String)> {
    let used = used_symbols(ctx);
    ctx.symbols(kind)
        .filter(|(id, symbol, _)| symbol.name.is_some() && !used.get(id.index()).copied().unwrap_or(false))
        .map(|(_, symbol, name)| (symbol.clone(), name.to_owned()))
        .collect()
}

/// For each symbol whether something in the file refers to it.
fn used_symbols(ctx: &Context<'_, '_>) -> Vec<bool> {
    let mut used = vec![false; ctx.model.symbols().count()];
    for symbol in ctx.model.bindings().used_symbols() {
        if let Some(slot) = used.get_mut(symbol.index()) {
            *slot = true;
        }
    }
    used
}
