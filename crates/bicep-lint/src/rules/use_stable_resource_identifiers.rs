//! `use-stable-resource-identifiers`

use std::collections::BTreeMap;

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
    let mut search = Search { ctx, path: Vec::new(), found: Vec::new(), leads: BTreeMap::new() };
    search.visit(ctx.tree().node(node.id()));
    search.found
}

/// How many ways are told of: each variable that is used twice doubles them.
const MOST: usize = 256;

struct Search<'s, 'p, 'w> {
    ctx: &'s Context<'p, 'w>,
    path: Vec<SymbolId>,
    found: Vec<(String, String)>,
    /// Whether a variable or a default leads to such a call. Others are not followed, however often they are used.
    leads: BTreeMap<SymbolId, bool>,
}

impl<'p> Search<'_, 'p, '_> {
    fn visit(&mut self, node: Node<'p>) {
        for inner in node.descendants() {
            if self.found.len() >= MOST {
                return;
            }
            if let Some(name) = changing(self.ctx, inner) {
                let names = self.path.iter().map(|symbol| shown(self.ctx, *symbol));
                let way: Vec<String> = names.chain([inner.text().to_owned()]).collect();
                self.found.push((name.to_owned(), way.join(" -> ")));
            }
            let Some((id, value)) = followed(self.ctx, inner).filter(|(id, _)| !self.path.contains(id)) else {
                continue;
            };
            if self.leads(id, value) {
                self.path.push(id);
                base::recurse(|| self.visit(value));
                self.path.pop();
            }
        }
    }

    fn leads(&mut self, id: SymbolId, value: Node<'p>) -> bool {
        if let Some(known) = self.leads.get(&id) {
            return *known;
        }
        let is_direct = value.descendants().any(|inner| changing(self.ctx, inner).is_some());
        // Whoever asks again while this is found out is in a circle.
        self.leads.insert(id, is_direct);
        let leads = is_direct
            || value.descendants().any(|inner| {
                let further = followed(self.ctx, inner);
                further.is_some_and(|(id, value)| base::recurse(|| self.leads(id, value)))
            });
        self.leads.insert(id, leads);
        leads
    }
}

/// The name of a function whose result changes, if a node calls one.
fn changing<'p>(ctx: &Context<'p, '_>, node: Node<'p>) -> Option<&'p str> {
    let call = built_in(ctx.model, node, "sys").filter(|it| matches!(it.name(), Some("newGuid" | "utcNow")))?;
    call.name()
}

/// The variable, or the parameter with a default, that a node names, with its value.
fn followed<'p>(ctx: &Context<'p, '_>, node: Node<'p>) -> Option<(SymbolId, Node<'p>)> {
    if node.kind() != SyntaxKind::VarAccess {
        return None;
    }
    let (id, symbol) = ctx.referenced(node)?;
    let declaration = ctx.declaration(symbol);
    let value = match symbol.kind {
        SymbolKind::Param => Param::cast(declaration)?.default()?.value(),
        SymbolKind::Var => Var::cast(declaration)?.value(),
        _ => return None,
    };
    Some((id, value.syntax()))
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

    #[test]
    fn variables_that_are_used_often_take_no_time() {
        let doubled = |first: &str| {
            let variables = (1..60).map(|index| format!("var v{index} = '${{v{0}}}${{v{0}}}'\n", index - 1));
            let resource = "resource r 'A.B/c@2020-01-01' = {\n  name: v59\n}\n";
            format!("param v0 string = {first}\n{}{resource}", variables.collect::<String>())
        };
        let count = |first: &str| {
            findings("use-stable-resource-identifiers", &[("main.bicep", &*doubled(first))]).len()
        };
        assert_eq!(count("'x'"), 0);
        assert!(count("newGuid()") > 0);
    }
}
