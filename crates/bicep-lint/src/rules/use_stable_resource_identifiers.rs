//! `use-stable-resource-identifiers`

use bicep_sema::{SymbolId, SymbolKind};
use bicep_syntax::ast::{Param, Var};
use bicep_syntax::{Node, SyntaxKind};

use crate::calls::built_in;
use crate::resources::resources;
use crate::{Context, Rule};

pub(super) const RULE: Rule = Rule {
    code: "use-stable-resource-identifiers",
    documentation: "\
Resource identifiers should be the same in every deployment.

A name made with `newGuid()` or `utcNow()` is a new one each time, so that each deployment makes another resource. Use
`uniqueString()` or `guid()` with arguments that stay the same.

```bicep
param suffix string = newGuid()

resource account 'Microsoft.Storage/storageAccounts@2023-01-01' = {
  name: 'account${suffix}' // <-
  location: 'westeurope'
  kind: 'StorageV2'
  sku: { name: 'Standard_LRS' }
}
```
",
    check,
};

fn check(ctx: &mut Context<'_, '_>) {
    for resource in resources(ctx) {
        for identifier in &resource.ty.identifiers {
            let Some(value) = resource.property(identifier) else { continue };
            for (function, way) in changing_functions(ctx, value.syntax()) {
                let name = resource.name;
                let message = format!("{name}.{identifier} is different in every deployment because of {function}() ({name}.{identifier} -> {way})");
                ctx.report(value.range(), message);
            }
        }
    }
}

/// The calls in and under a node whose results change, with the way to each through variables and defaults.
fn changing_functions(ctx: &Context<'_, '_>, node: Node<'_>) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut path: Vec<SymbolId> = Vec::new();
    visit(ctx, ctx.tree().node(node.id()), &mut path, &mut found);
    found
}

fn visit<'p>(
    ctx: &Context<'p, '_>,
    node: Node<'p>,
    path: &mut Vec<SymbolId>,
    found: &mut Vec<(String, String)>,
) {
    for inner in node.descendants() {
        let call = built_in(ctx.model, inner, "sys").filter(|it| matches!(it.name(), Some("newGuid" | "utcNow")));
        if let Some(name) = call.and_then(super::super::calls::AnyCall::name) {
            let names = path.iter().map(|symbol| shown(ctx, *symbol));
            let way: Vec<String> = names.chain([inner.text().to_owned()]).collect();
            found.push((name.to_owned(), way.join(" -> ")));
        }
        if inner.kind() != SyntaxKind::VarAccess {
            continue;
        }
        let Some((id, symbol)) = ctx.referenced(inner).filter(|(id, _)| !path.contains(id)) else { continue };
        let declaration = ctx.declaration(symbol);
        let value = match symbol.kind {
            SymbolKind::Param => Param::cast(declaration).and_then(Param::default).map(bicep_syntax::ast::ParamDefault::value),
            SymbolKind::Var => Var::cast(declaration).map(Var::value),
            _ => None,
        };
        if let Some(value) = value {
            path.push(id);
            base::recurse(|| visit(ctx, value.syntax(), path, found));
            path.pop();
        }
    }
}

fn shown(ctx: &Context<'_, '_>, symbol: SymbolId) -> String {
    let symbol = ctx.model.symbol(symbol);
    let name = symbol.name.as_deref().unwrap_or_default();
    if symbol.kind == SymbolKind::Param { format!("{name} (default value)") } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use crate::testing::findings;

    #[test]
    fn the_way_is_told() {
        let source = "param p string = newGuid()\nvar v = toLower(p)\nresource r 'A.B/c@2020-01-01' = {\n  name: '${v}x'\n  tags: { t: p }\n}\n";
        let found = findings("use-stable-resource-identifiers", &[("main.bicep", source)]);
        let messages: Vec<_> = found.iter().map(|finding| finding.message.as_str()).collect();
        assert_eq!(
            messages,
            ["r.name is different in every deployment because of newGuid() (r.name -> v -> p (default value) -> newGuid())"]
        );
    }
}
