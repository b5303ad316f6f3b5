//! `max-variables`

use bicep_sema::SymbolKind;

use super::limit::{Limit, check_limit};
use crate::{Context, Rule};

const LIMIT: Limit = Limit { kind: SymbolKind::Var, most: 512, noun: "variables" };

pub(super) const RULE: Rule = Rule {
    code: "max-variables",
    documentation: "\
A template has at most 512 variables.

The deployment service refuses templates with more. Put several values into one object, or split the file into modules. A
file that only exports variables is never deployed and may have any number.
",
    check,
};

fn check(ctx: &mut Context<'_, '_>) {
    let is_exported = |kind| {
        ctx.symbols(kind).any(|(_, symbol, _)| ctx.decorator(ctx.declaration(symbol), "export").is_some())
    };
    if is_deployed(ctx) || !is_exported(SymbolKind::Var) {
        check_limit(ctx, &LIMIT);
    }
}

/// Whether the file declares anything that takes part in a deployment.
fn is_deployed(ctx: &Context<'_, '_>) -> bool {
    ctx.model.symbols().any(|(_, symbol)| {
        matches!(
            symbol.kind,
            SymbolKind::Module | SymbolKind::Resource | SymbolKind::Param | SymbolKind::Output
        )
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn a_file_of_exports_may_have_any_number() {
        let declare = |count: usize| (0..count).map(|n| format!("var v{n} = {n}\n")).collect::<String>();
        check("max-variables", &declare(512));
        check("max-variables", &declare(513).replacen('\n', " // <-\n", 1));
        check("max-variables", &format!("@export()\nvar x = 1\n{}", declare(513)));
    }
}
