//! `use-description-outputs`

use bicep_sema::SymbolKind;

use super::description::{check_described, declarations};
use crate::Rule;

pub(super) const RULE: Rule = Rule {
    code: "use-description-outputs",
    documentation: "\
Outputs should have descriptions.

Whoever uses the file as a module learns from the description what an output is.

```bicep
output a string = 'a' // <-

@description('The name of the thing.')
output b string = 'b'

@description('') // <-
output c string = 'c'
```
",
    check: |ctx| check_described(ctx, "output", declarations(ctx, SymbolKind::Output)),
};
