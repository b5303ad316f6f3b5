//! What the rules about the size of a template share.

use bicep_sema::SymbolKind;

use crate::Context;

/// What a template may have a limited number of.
pub(super) struct Limit {
    pub(super) kind: SymbolKind,
    pub(super) most: usize,
    pub(super) noun: &'static str,
}

/// Reports the first declaration of a kind when there are too many of them.
pub(super) fn check_limit(ctx: &mut Context<'_, '_>, limit: &Limit) {
    let Limit { kind, most, noun } = limit;
    let declared: Vec<_> = ctx.symbols(*kind).map(|(_, symbol, _)| symbol.name_range).collect();
    if let (true, Some(first)) = (declared.len() > *most, declared.first()) {
        ctx.report(*first, format!("There are {} {noun}; a template has at most {most}", declared.len()));
    }
}
