//! `no-unused-params`

use bicep_sema::SymbolKind;

use super::unused::report_unused;
use crate::{Context, Rule};

pub(super) const RULE: Rule = Rule {
    code: "no-unused-params",
    documentation: "A parameter that nothing uses should go.\n\nWhoever deploys the template has to give it a value for nothing.",
    check,
};

fn check(ctx: &mut Context<'_, '_>) {
    report_unused(ctx, SymbolKind::Param, "parameter", |_, _| true);
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn uses_in_other_declarations_count() {
        check(
            "no-unused-params",
            "param a string // <-\nparam b string\nparam c string = b\noutput o string = c\n",
        );
    }
}
