//! `decompiler-cleanup`

use bicep_sema::SymbolKind;
use bicep_syntax::ast::Expr;

use crate::resources::resources;
use crate::{Context, Rule};

pub(super) const RULE: Rule = Rule {
    code: "decompiler-cleanup",
    documentation: "\
Names that the decompiler had to invent should be replaced.

A template in JSON may use one name for a parameter and a variable or a resource; a Bicep file may not. The decompiler
then adds `_var` or `_resource`. Find a name that says what the thing is.

```bicep
param size int
var size_var = size * 2 // <-
output twice int = size_var
```
",
    check,
};

fn check(ctx: &mut Context<'_, '_>) {
    for resource in resources(ctx) {
        let name = resource.identity("name").filter(|name| matches!(name, Expr::Str(_)));
        if let Some(name) = name.filter(|_| resource.is_azure && was_invented(resource.name, "_resource")) {
            let message = format!("The name of the resource \"{}\" comes from the decompiler", resource.name);
            ctx.report(name.range(), message);
        }
    }
    let variables: Vec<_> = ctx.symbols(SymbolKind::Var).collect();
    for (_, symbol, name) in variables {
        if was_invented(name, "_var") {
            ctx.report(symbol.name_range, format!("The name of the variable \"{name}\" comes from the decompiler"));
        }
    }
}

fn was_invented(name: &str, suffix: &str) -> bool {
    let before = name.strip_suffix(suffix).and_then(|rest| rest.bytes().last());
    before.is_some_and(|byte| byte.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use crate::testing::marked;

    #[test]
    fn resources_are_marked_at_their_names() {
        let source = "resource a_resource 'A.B/c@2020-01-01' = {\n  name: 'a'\n}\nvar __var = 1\n";
        assert_eq!(marked("decompiler-cleanup", source), ["'a'"]);
    }
}
