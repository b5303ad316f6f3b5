//! `use-user-defined-types`

use bicep_syntax::SyntaxKind;
use bicep_syntax::ast::{Name, TypeVar};

use crate::{Context, Rule};

pub(super) const RULE: Rule = Rule {
    code: "use-user-defined-types",
    documentation: "\
Types should be more specific than `object` or `array`.

With the properties and items named, mistakes show while writing and not while deploying.

```bicep
param a object // <-
param b array // <-
param c { name: string }
param d string[]
```
",
    check,
};

fn check(ctx: &mut Context<'_, '_>) {
    for ty in ctx.tree().nodes_of(&[SyntaxKind::TypeVar]).filter_map(TypeVar::cast) {
        if let Some(name @ ("object" | "array")) = ty.name().and_then(Name::text) {
            ctx.report(ty.range(), format!("Say what the {name} consists of"));
        }
    }
}
