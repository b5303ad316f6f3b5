//! `no-unused-params`

use bicep_sema::SymbolKind;

use super::unused::report_unused;
use crate::{Context, Rule};

pub(super) const RULE: Rule = Rule {
    code: "no-unused-params",
    documentation: "\
Parameters should be used.

Whoever deploys the template has to think about a value for a parameter, even if nothing uses it.

```bicep
param a string // <-
param b string

output o string = b
```
",
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
