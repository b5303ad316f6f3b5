//! `no-loc-expr-outside-params`

use bicep_syntax::SyntaxKind;

use crate::locations::deployment_location;
use crate::{Context, Rule};

pub(super) const RULE: Rule = Rule {
    code: "no-loc-expr-outside-params",
    documentation: "\
`resourceGroup().location` and `deployment().location` should only be defaults of parameters.

Some resource types are not available in every location. A parameter allows a location other than that of the resource
group.

```bicep
param location string = resourceGroup().location

output a string = location
output b string = resourceGroup().location // <-
```
",
    check,
};

fn check(ctx: &mut Context<'_, '_>) {
    let mut open = vec![ctx.tree().root()];
    while let Some(node) = open.pop() {
        if node.kind() == SyntaxKind::Param {
            continue;
        }
        open.extend(node.understood_children());
        if let Some(expression) = deployment_location(node) {
            ctx.report(node.range(), format!("Use a parameter whose default is {expression} instead"));
        }
    }
}
