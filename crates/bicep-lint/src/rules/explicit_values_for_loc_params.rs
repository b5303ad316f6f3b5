//! `explicit-values-for-loc-params`

use bicep_syntax::SyntaxKind;
use bicep_syntax::ast::{Module, Name};

use crate::locations::location_parameters;
use crate::{Context, Rule};

pub(super) const RULE: Rule = Rule {
    code: "explicit-values-for-loc-params",
    documentation: "\
Location parameters of modules should be set explicitly.

Such a parameter often has the location of the resource group as its default. Leaving it out puts the resources of the
module there, although the rest of the deployment may be somewhere else.

```bicep
param location string

module a 'storage.bicep' = {
  params: { // <-
    name: 'a'
  }
}

module b 'storage.bicep' = {
  params: {
    name: 'b'
    location: location
  }
}
```

```bicep storage.bicep
param name string
param location string = resourceGroup().location

resource account 'Microsoft.Storage/storageAccounts@2023-01-01' = {
  name: name
  location: location
  kind: 'StorageV2'
  sku: { name: 'Standard_LRS' }
}
```
",
    check,
};

fn check(ctx: &mut Context<'_, '_>) {
    for module in ctx.tree().nodes_of(&[SyntaxKind::Module]).filter_map(Module::cast) {
        let params = module.body().and_then(|body| body.property("params"));
        let name = module.name();
        let range = params.map_or(name.map_or(module.range(), Name::range), bicep_syntax::ast::Property::range);
        for parameter in location_parameters(ctx, module) {
            if parameter.value.is_none() {
                let module = name.map(Name::display).unwrap_or_default();
                let message = format!("The module \"{module}\" is not told where to deploy to: give its parameter \"{}\" a value", parameter.name);
                ctx.report(range, message);
            }
        }
    }
}
