//! `use-description-params`

use bicep_sema::SymbolKind;

use super::description::{check_described, declarations};
use crate::Rule;

pub(super) const RULE: Rule = Rule {
    code: "use-description-params",
    documentation: "\
Parameters should have descriptions.

Whoever deploys the file learns from the description which value a parameter needs; the portal shows it.

```bicep
param a string // <-

@description('The name of the thing.')
param b string

@description(' ') // <-
param c string
```
",
    check: |ctx| check_described(ctx, "parameter", declarations(ctx, SymbolKind::Param)),
};
