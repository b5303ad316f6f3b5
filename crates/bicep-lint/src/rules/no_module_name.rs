//! `no-module-name`

use bicep_sema::SymbolKind;
use bicep_syntax::ast::Module;

use crate::edits::remove_item;
use crate::{Context, Rule};

pub(super) const RULE: Rule = Rule {
    code: "no-module-name",
    documentation: "\
Modules should not have an explicit name.

Without a name, the compiler generates one that is unique for every module and deployment. Concurrent deployments with
the same explicit name fail.

```bicep
module a 'storage.bicep' = {
  name: 'a' // <-
}

module b 'storage.bicep' = {}
```

```bicep storage.bicep
```
",
    check,
};

fn check(ctx: &mut Context<'_, '_>) {
    let modules: Vec<_> = ctx.symbols(SymbolKind::Module).collect();
    for (_, symbol, _) in modules {
        let body = Module::cast(ctx.declaration(symbol)).and_then(Module::body);
        let Some(name) = body.and_then(|body| body.property("name")) else { continue };
        let can_fix = body.is_some_and(|body| !ctx.has_syntax_error(body.range()));
        let fix = can_fix.then(|| remove_item("Remove module name", name.syntax()));
        ctx.report_with(name.range(), "The name of a module is made by the compiler if it is not given", fix);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::check_fix;

    #[test]
    fn the_rest_of_the_body_stays() {
        check_fix(
            "no-module-name",
            "module a 'x.bicep' = {\n  name: 'a'\n  params: {}\n}\n",
            "module a 'x.bicep' = {\n  params: {}\n}\n",
        );
        check_fix(
            "no-module-name",
            "module a 'x.bicep' = { params: {}, name: 'a' }\n",
            "module a 'x.bicep' = { params: {}}\n",
        );
    }
}
