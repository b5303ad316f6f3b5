//! `no-unused-vars`

use bicep_sema::SymbolKind;

use super::unused::report_unused;
use crate::{Context, Rule};

pub(super) const RULE: Rule = Rule {
    code: "no-unused-vars",
    documentation: "\
Variables should be used.

A variable that nothing uses makes the reader look for its use. Exported variables count as used.

```bicep
var a = 1 // <-
var b = 2

@export()
var c = b
```
",
    check,
};

fn check(ctx: &mut Context<'_, '_>) {
    report_unused(ctx, SymbolKind::Var, "variable", |ctx, symbol| {
        !ctx.is_exported(ctx.declaration(symbol))
    });
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn exported_variables_are_used_elsewhere() {
        check("no-unused-vars", "var a = 1 // <-\nvar b = 2\n@export()\nvar c = b\n");
        check("no-unused-vars", "var a = 1 // <-\n@export\nvar b = 2\n");
    }
}
