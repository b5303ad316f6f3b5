//! `use-stable-vm-image`

use bicep_sema::SymbolKind;
use bicep_syntax::ast::{Expr, Object, Property, Str, Var};

use crate::resources::{property_at, resources};
use crate::{Context, Rule};

pub(super) const RULE: Rule = Rule {
    code: "use-stable-vm-image",
    documentation: "\
Virtual machines should not use preview images.

Preview images change, and end, without notice.

```bicep
resource vm 'Microsoft.Compute/virtualMachines@2023-03-01' = {
  name: 'vm'
  location: 'westeurope'
  properties: {
    storageProfile: {
      imageReference: {
        publisher: 'MicrosoftWindowsServer'
        offer: 'WindowsServer'
        sku: '2025-datacenter-preview' // <-
        version: 'latest'
      }
    }
  }
}
```
",
    check,
};

fn check(ctx: &mut Context<'_, '_>) {
    for resource in resources(ctx) {
        let path = ["properties", "storageProfile", "imageReference"];
        let image = resource.body().and_then(|body| property_at(body, &path)).map(Property::value);
        let Some(image) = image.and_then(|image| written_object(ctx, image)) else { continue };
        for name in ["offer", "sku", "version"] {
            let Some(Expr::Str(text)) = image.property(name).map(Property::value) else { continue };
            if Str::value(text).is_some_and(|text| text.to_ascii_lowercase().contains("preview")) {
                ctx.report(text.range(), format!("The {name} of the image is a preview: use a stable one"));
            }
        }
    }
}

/// An object, or that of a variable.
fn written_object<'p>(ctx: &Context<'p, '_>, value: Expr<'p>) -> Option<Object<'p>> {
    let value = match value {
        Expr::VarAccess(access) => {
            let (_, symbol) = ctx.referenced(access.syntax()).filter(|(_, it)| it.kind == SymbolKind::Var)?;
            Var::cast(ctx.declaration(symbol))?.value()
        }
        value => value,
    };
    if let Expr::Object(object) = value { Some(object) } else { None }
}

#[cfg(test)]
mod tests {
    use crate::testing::marked;

    #[test]
    fn variables_are_looked_into() {
        let source = "var image = { offer: 'x-Preview', version: 'latest' }\nresource r 'A.B/c@2020-01-01' = {\n  name: 'r'\n  properties: { storageProfile: { imageReference: image } }\n}\n";
        assert_eq!(marked("use-stable-vm-image", source), ["'x-Preview'"]);
    }
}
