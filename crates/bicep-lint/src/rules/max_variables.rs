//! `max-variables`

use bicep_sema::SymbolKind;

use crate::{Context, Rule};

/// How many a template may have.
const LIMIT: usize = 512;

pub(super) const RULE: Rule = Rule {
    code: "max-variables",
    documentation: "A template has at most 512 variables.\n\nThe deployment service refuses templates with more. A file that only exports \
                    variables is never deployed and may have any number.",
    check,
};

fn check(ctx: &mut Context<'_, '_>) {
    let variables: Vec<_> = ctx.symbols(SymbolKind::Var).map(|(_, symbol, _)| symbol).collect();
    let Some(first) = variables.first().filter(|_| variables.len() > LIMIT) else { return };
    let is_exported =
        variables.iter().any(|symbol| ctx.decorator(ctx.declaration(symbol), "export").is_some());
    if is_exported && !is_deployed(ctx) {
        return;
    }
    ctx.report(
        first.name_range,
        format!("There are {} variables; a template has at most {LIMIT}", variables.len()),
    );
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
