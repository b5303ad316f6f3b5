//! What the rules about descriptions share.

use base::TextRange;
use bicep_sema::SymbolKind;
use bicep_syntax::Node;

use crate::Context;
use crate::expression_type::string_value;

/// Something that should be described.
pub(super) struct Target<'t> {
    pub(super) declaration: Node<'t>,
    pub(super) name: String,
    pub(super) name_range: TextRange,
}

/// The declarations of a kind, to be described.
pub(super) fn declarations<'p>(ctx: &Context<'p, '_>, kind: SymbolKind) -> Vec<Target<'p>> {
    ctx.symbols(kind)
        .filter(|(_, symbol, _)| symbol.name.is_some())
        .map(|(_, symbol, name)| Target {
            declaration: ctx.declaration(symbol),
            name: name.to_owned(),
            name_range: symbol.name_range,
        })
        .collect()
}

/// Reports what has no description, or an empty one.
pub(super) fn check_described(ctx: &mut Context<'_, '_>, noun: &str, targets: Vec<Target<'_>>) {
    for Target { declaration, name, name_range } in targets {
        let Some(decorator) = ctx.decorator(declaration, "description") else {
            ctx.report(name_range, format!("The {noun} \"{name}\" has no description"));
            continue;
        };
        let Some(argument) = decorator.arguments().first().copied() else { continue };
        if string_value(ctx, argument).is_some_and(|text| text.trim().is_empty()) {
            ctx.report(argument.range(), format!("The description of the {noun} \"{name}\" is empty"));
        }
    }
}
