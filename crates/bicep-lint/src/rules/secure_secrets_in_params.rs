//! `secure-secrets-in-params`

use base::TextRange;
use bicep_sema::SymbolKind;
use bicep_syntax::ast::Param;
use config::NewlineKind;

use crate::edits::replace;
use crate::expression_type::{is_object, is_string, type_at};
use crate::references::references;
use crate::{Context, Rule};

pub(super) const RULE: Rule = Rule {
    code: "secure-secrets-in-params",
    documentation: "\
Parameters for secrets should be secure.

The value of a parameter is kept with the deployment in plain text, unless the parameter is decorated with `@secure()`.

```bicep
param password string // <-

@secure()
param token string

param header string = 'Bearer ${token}' // <-

param secretName string
```

Looked for are names with `password`, `pwd`, `secret`, `accountkey` or `acctkey` in them, and defaults made of secure
parameters.
",
    check,
};

const SECRET: [&str; 5] = ["password", "pwd", "secret", "accountkey", "acctkey"];
const NOT_SECRET: [&str; 5] = ["secretpermissions", "secretversion", "secreturi", "secreturl", "secretname"];

fn check(ctx: &mut Context<'_, '_>) {
    let parameters: Vec<_> = ctx.symbols(SymbolKind::Param).collect();
    for (_, symbol, name) in parameters {
        let Some(parameter) = Param::cast(ctx.declaration(symbol)) else { continue };
        if ctx.is_marked_secure(parameter.syntax()) {
            continue;
        }
        let can_be_secret = || {
            let ty = type_at(ctx, parameter.syntax());
            is_object(&ty) || is_string(&ty)
        };
        if is_named_like_a_secret(name) && can_be_secret() || has_secret_default(ctx, parameter) {
            let newline = match ctx.bicep.config.formatting.newline_kind {
                NewlineKind::Lf => "\n",
                NewlineKind::CrLf => "\r\n",
                NewlineKind::Cr => "\r",
            };
            let start = TextRange::empty(parameter.range().start());
            let fix = replace("Mark parameter as secure", start, format!("@secure(){newline}"));
            ctx.report_with(symbol.name_range, format!("The parameter \"{name}\" seems to be a secret but is not secure"), [fix]);
        }
    }
}

fn is_named_like_a_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let has_one_of = |words: &[&str]| words.iter().any(|word| name.contains(word));
    has_one_of(&SECRET) && !has_one_of(&NOT_SECRET)
}

/// Whether a declaration refers to a secure parameter.
fn has_secret_default(ctx: &Context<'_, '_>, parameter: Param<'_>) -> bool {
    let node = ctx.tree().node(parameter.syntax().id());
    references(ctx, node).any(|(symbol, _)| {
        let symbol = ctx.model.symbol(symbol);
        symbol.kind == SymbolKind::Param && ctx.is_marked_secure(ctx.declaration(symbol))
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, check_fix};

    #[test]
    fn numbers_are_no_secrets() {
        check("secure-secrets-in-params", "param passwordLength int\nparam adminPwd object // <-\nparam secretUri string\n@secure()\nparam secret string\n");
        check_fix("secure-secrets-in-params", "param secret string\n", "@secure()\nparam secret string\n");
    }
}
