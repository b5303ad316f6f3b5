//! `secure-parameter-default`

use bicep_sema::SymbolKind;
use bicep_syntax::ast::{Expr, Param, Str};

use crate::calls::built_in;
use crate::edits::remove;
use crate::expression_type::type_of;
use crate::{Context, Rule};

pub(super) const RULE: Rule = Rule {
    code: "secure-parameter-default",
    documentation: "\
Secure parameters should not have defaults.

A default is no secret: everybody who can read the file knows it. Fine are the empty string, the empty object, another
secure value, and anything made with `newGuid()`.

```bicep
@secure()
param a string = 'Passw0rd' // <-

@secure()
param b string = ''

@secure()
param c string = newGuid()
```
",
    check,
};

fn check(ctx: &mut Context<'_, '_>) {
    let parameters: Vec<_> = ctx.symbols(SymbolKind::Param).collect();
    for (_, symbol, name) in parameters {
        let Some(parameter) = Param::cast(ctx.declaration(symbol)) else { continue };
        let Some(default) = parameter.default() else { continue };
        if ctx.is_marked_secure(parameter.syntax()) && !is_harmless(ctx, default.value()) {
            let fix = remove("Remove insecure default value", default.range());
            ctx.report_with(default.range(), format!("The secure parameter \"{name}\" should have no default"), [fix]);
        }
    }
}

fn is_harmless(ctx: &Context<'_, '_>, default: Expr<'_>) -> bool {
    match default {
        Expr::Str(text) if Str::value(text).as_deref() == Some("") => true,
        Expr::Object(object) if object.properties().next().is_none() => true,
        default => {
            let mut calls =
                default.syntax().descendants().filter_map(|node| built_in(ctx.model, node, "sys"));
            type_of(ctx, default).is_secure() || calls.any(|call| call.name() == Some("newGuid"))
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, check_fix};

    #[test]
    fn objects_count_too() {
        check("secure-parameter-default", "@secure()\nparam a object = {}\n@secure()\nparam b object = { c: 1 } // <-\n@secure()\nparam d object = a\n");
        check_fix("secure-parameter-default", "@secure()\nparam a string = 'x'\n", "@secure()\nparam a string \n");
    }
}
