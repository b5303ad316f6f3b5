//! `no-unused-types`

use bicep_sema::SymbolKind;

use super::unused::report_unused;
use crate::{Context, Rule};

pub(super) const RULE: Rule = Rule {
    code: "no-unused-types",
    documentation: "\
Types should be used.

A type that nothing uses says something about values that do not exist. Exported types count as used.

```bicep
type a = string // <-
type b = int

@export()
type c = b[]
```
",
    check,
};

fn check(ctx: &mut Context<'_, '_>) {
    report_unused(ctx, SymbolKind::Type, "type", |ctx, symbol| {
        !ctx.is_exported(ctx.declaration(symbol))
    });
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn exported_types_are_used_elsewhere() {
        check("no-unused-types", "type a = string // <-\ntype b = int\n@export()\ntype c = b[]\n");
    }
}
