//! `use-description-types`

use bicep_sema::SymbolKind;

use super::description::{check_described, declarations};
use crate::{Context, Rule};

pub(super) const RULE: Rule = Rule {
    code: "use-description-types",
    documentation: "\
Types should have descriptions.

Whoever uses a type learns from the description which values are meant. Types with `@discriminator` are described by
their members.

```bicep
type a = string // <-

@description('A name that is free.')
type b = string
```
",
    check,
};

fn check(ctx: &mut Context<'_, '_>) {
    let mut types = declarations(ctx, SymbolKind::Type);
    types.retain(|target| ctx.decorator(target.declaration, "discriminator").is_none());
    check_described(ctx, "type", types);
}
