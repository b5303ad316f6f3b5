//! `use-description-vars`

use bicep_sema::SymbolKind;

use super::description::{check_described, declarations};
use crate::Rule;

pub(super) const RULE: Rule = Rule {
    code: "use-description-vars",
    documentation: "\
Variables should have descriptions.

A description says why a value is what it is.

```bicep
var a = 3 // <-

@description('As many as the cluster needs for a majority.')
var b = 3
```
",
    check: |ctx| check_described(ctx, "variable", declarations(ctx, SymbolKind::Var)),
};
