//! `use-secure-value-for-secure-inputs`

use bicep_sema::expected::Expected;
use bicep_sema::runtime::Runtime;
use bicep_syntax::ast::{Expr, Property};
use bicep_syntax::{Node, SyntaxKind};
use bicep_types::{Kind, Type};

use crate::expression_type::type_of;
use crate::{Context, Rule};

pub(super) const RULE: Rule = Rule {
    code: "use-secure-value-for-secure-inputs",
    documentation: "\
Secure properties should have secure values.

A value that is written into the file, or comes from a parameter that is not secure, can be read by many. Values that are
known only while deploying are not looked at. Which properties are for secrets is known from the installed package of
resource types; without one nothing is reported.

```bicep
@secure()
param key string

resource a 'Microsoft.Storage/storageAccounts@2025-01-01' = {
  name: 'a'
  key: 'xyz' // <-
}

resource b 'Microsoft.Storage/storageAccounts@2025-01-01' = {
  name: 'b'
  key: key
}
```
",
    check,
};

fn check(ctx: &mut Context<'_, '_>) {
    let mut expected = Expected::new(ctx.model);
    let mut runtime = Runtime::new(ctx.bicep, ctx.model);
    for property in ctx.tree().nodes_of(&[SyntaxKind::Property]).filter_map(Property::cast) {
        let is_for_secret = expected.property_value(property).is_some_and(|ty| ty.is_secure());
        let is_understood = |it: Node<'_>| {
            it.kind() == SyntaxKind::Resource
                && ctx.model.declared(it.id()).is_some_and(|symbol| ctx.resources.get(symbol).is_some())
        };
        if !is_for_secret || !property.syntax().ancestors().any(is_understood) {
            continue;
        }
        let value = property.value();
        if matches!(value, Expr::Skipped(_)) {
            continue;
        }
        let ty = type_of(ctx, value);
        if may_be_read(&ty) && runtime.is_known_at_start(value) {
            let name = property.key_text().unwrap_or_default();
            let message = format!("The property \"{name}\" is for a secret but is given a value that is not secure ({ty})");
            ctx.report(value.range(), message);
        }
    }
}

/// Whether a value, or one of several, is no secret.
fn may_be_read(ty: &Type) -> bool {
    match ty.kind() {
        Kind::Error(_) | Kind::Null => false,
        Kind::StringLiteral(text) => !text.is_empty(),
        Kind::Union(members) => members.iter().any(may_be_read),
        _ => !ty.is_secure(),
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::marked;

    #[test]
    fn a_value_that_is_missing_is_no_text() {
        let code = "use-secure-value-for-secure-inputs";
        let with = |value: &str| {
            let start = "resource b 'Microsoft.Storage/storageAccounts@2025-01-01' = {\n  name: 'b'";
            format!("{start}\n  key: {value}\n}}\n")
        };
        assert_eq!(marked(code, &with("'x'")), ["'x'"]);
        assert!(marked(code, &with("")).is_empty());
    }
}
