//! `outputs-should-not-contain-secrets`

use bicep_syntax::SyntaxKind;
use bicep_syntax::ast::{Name, Output};

use crate::secrets::possible_secrets;
use crate::{Context, Rule};

pub(super) const RULE: Rule = Rule {
    code: "outputs-should-not-contain-secrets",
    documentation: "\
Outputs should not contain secrets.

Outputs are kept with the deployment, in plain text, for everybody who may read deployments. Read a secret where it is
needed, from a key vault or from the resource itself, or decorate the output with `@secure()`.

```bicep
@secure()
param token string

output a string = 'Bearer ${token}' // <-

@secure()
output b string = 'Bearer ${token}'
```

Looked for are secure values, the results of functions named `list…`, and outputs named like a password.
",
    check,
};

fn check(ctx: &mut Context<'_, '_>) {
    for output in ctx.tree().nodes_of(&[SyntaxKind::Output]).filter_map(Output::cast) {
        if ctx.decorator(output.syntax(), "secure").is_some() {
            continue;
        }
        let name = output.name().and_then(Name::text).unwrap_or_default();
        if name.to_ascii_lowercase().contains("password") {
            ctx.report(output.range(), format!("The output \"{name}\" is named like a secret"));
        }
        for secret in possible_secrets(ctx, output.syntax()) {
            ctx.report(secret.range, format!("The output \"{name}\" gives away {}", secret.what));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::marked;

    const CODE: &str = "outputs-should-not-contain-secrets";

    #[test]
    fn functions_that_list_are_secret() {
        let source = "resource s 'Microsoft.Storage/storageAccounts@2023-01-01' existing = { name: 's' }\noutput a object = s.listKeys()\noutput b object = listKeys(s.id, '2023-01-01')\noutput c object = az.listKeys(s.id, '2023-01-01')\noutput d string = s.id\n";
        assert_eq!(
            marked(CODE, source),
            ["s.listKeys()", "listKeys(s.id, '2023-01-01')", "az.listKeys(s.id, '2023-01-01')"]
        );
    }

    #[test]
    fn names_tell() {
        assert_eq!(marked(CODE, "output myPassword string = 'x'\n"), ["output myPassword string = 'x'"]);
    }
}
