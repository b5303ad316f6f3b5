//! `protect-commandtoexecute-secrets`

use bicep_syntax::ast::{Expr, Object, Property, Str};

use crate::resources::{property_at, resources};
use crate::secrets::possible_secrets;
use crate::{Context, Rule};

pub(super) const RULE: Rule = Rule {
    code: "protect-commandtoexecute-secrets",
    documentation: "\
Commands with secrets should be in `protectedSettings`.

The settings of the custom script extensions of virtual machines can be read by everybody who may read the machine.

```bicep
@secure()
param password string

resource vm 'Microsoft.Compute/virtualMachines@2023-03-01' existing = {
  name: 'vm'
}

resource script 'Microsoft.Compute/virtualMachines/extensions@2023-03-01' = {
  parent: vm
  name: 'script'
  location: 'westeurope'
  properties: {
    publisher: 'Microsoft.Azure.Extensions'
    type: 'CustomScript'
    settings: {
      commandToExecute: 'setup.sh ${password}' // <-
    }
  }
}
```
",
    check,
};

/// Publisher and type of the extensions that run commands.
const SCRIPTS: [(&str, &str); 3] = [
    ("Microsoft.Azure.Extensions", "CustomScript"),
    ("Microsoft.Compute", "CustomScriptExtension"),
    ("Microsoft.OSTCExtensions", "CustomScriptForLinux"),
];

fn check(ctx: &mut Context<'_, '_>) {
    for resource in resources(ctx) {
        let last = resource.reference.segments().next_back().unwrap_or_default();
        if !resource.is_azure || !last.eq_ignore_ascii_case("extensions") {
            continue;
        }
        let Some(Expr::Object(properties)) = resource.property("properties") else { continue };
        let Some(command) = property_at(properties, &["settings", "commandToExecute"]) else { continue };
        if !is_script(properties) {
            continue;
        }
        if let Some(secret) = possible_secrets(ctx, command.value().syntax()).first() {
            let message = format!("The command contains {}: use protectedSettings", secret.what);
            ctx.report(command.key().range(), message);
        }
    }
}

fn is_script(properties: Object<'_>) -> bool {
    let text = |name| match properties.property(name).map(Property::value) {
        Some(Expr::Str(text)) => Str::value(text),
        _ => None,
    };
    let (Some(publisher), Some(ty)) = (text("publisher"), text("type")) else { return false };
    SCRIPTS.iter().any(|(of, name)| publisher.eq_ignore_ascii_case(of) && ty.eq_ignore_ascii_case(name))
}
