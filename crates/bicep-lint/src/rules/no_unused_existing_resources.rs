//! `no-unused-existing-resources`

use bicep_sema::SymbolKind;
use bicep_sema::symbol::ScopeId;
use bicep_syntax::ast::Resource;

use super::unused::report_unused;
use crate::{Context, Rule};

pub(super) const RULE: Rule = Rule {
    code: "no-unused-existing-resources",
    documentation: "\
References to existing resources should be used.

A reference that nothing uses is read by people and by the compiler for nothing. One with resources nested in it counts
as used.

```bicep
resource a 'Microsoft.Storage/storageAccounts@2023-01-01' existing = { // <-
  name: 'a'
}

resource b 'Microsoft.Storage/storageAccounts@2023-01-01' existing = {
  name: 'b'
}

output id string = b.id
```
",
    check,
};

fn check(ctx: &mut Context<'_, '_>) {
    report_unused(ctx, SymbolKind::Resource, "existing resource", |ctx, symbol| {
        let is_global = symbol.scope == ScopeId::FILE;
        let resource = Resource::cast(ctx.declaration(symbol)).filter(|it| is_global && it.existing().is_some());
        resource.is_some_and(|it| it.body().is_none_or(|body| body.resources().next().is_none()))
    });
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn new_resources_need_no_use() {
        let source = "resource a 'A.B/c@2020-01-01' existing = { // <-\n  name: 'a'\n}\nresource b 'A.B/c@2020-01-01' = {\n  name: 'b'\n}\n";
        check("no-unused-existing-resources", source);
    }
}
