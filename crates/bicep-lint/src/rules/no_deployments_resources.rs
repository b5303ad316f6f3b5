//! `no-deployments-resources`

use crate::deployments::TYPE;
use crate::resources::resources;
use crate::{Context, Rule};

pub(super) const RULE: Rule = Rule {
    code: "no-deployments-resources",
    documentation: "\
A module should be used instead of a nested deployment.

A module is checked, formatted and reused like any other file; the template of a nested deployment is a value that nobody
looks into.

```bicep
resource nested 'Microsoft.Resources/deployments@2021-04-01' = { // <-
  name: 'nested'
  properties: {
    mode: 'Incremental'
    template: {}
  }
}
```
",
    check,
};

fn check(ctx: &mut Context<'_, '_>) {
    for resource in resources(ctx) {
        if resource.is_azure && resource.is_of_type(TYPE) {
            let message = format!("The resource \"{}\" is a nested deployment: use a module instead", resource.name);
            ctx.report(resource.declaration.path_syntax().range(), message);
        }
    }
}
