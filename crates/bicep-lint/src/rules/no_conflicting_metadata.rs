//! `no-conflicting-metadata`

use bicep_syntax::ast::{Decorator, Expr};

use crate::{Context, Rule};

pub(super) const RULE: Rule = Rule {
    code: "no-conflicting-metadata",
    documentation: "\
`@metadata` should not set what another decorator sets.

`@description('…')` is the same as `@metadata({ description: '…' })`. Where both are given, one of them is lost.

```bicep
@description('The name.')
@metadata({
  description: 'The name of the thing.' // <-
  owner: 'us'
})
param name string
```
",
    check,
};

fn check(ctx: &mut Context<'_, '_>) {
    // The reference only looks at statements, not at what is nested in them.
    for node in ctx.tree().root().children() {
        if !node.children().any(|child| Decorator::cast(child).is_some()) {
            continue;
        }
        let metadata = ctx.decorator(node, "metadata").and_then(|call| call.arguments().first().copied());
        let Some(Expr::Object(metadata)) = metadata else { continue };
        if ctx.decorator(node, "description").is_none() {
            continue;
        }
        for property in metadata.properties().filter(|it| it.key_text().as_deref() == Some("description")) {
            let message = "The metadata \"description\" is also set by the decorator \"description\"";
            ctx.report(property.key().range(), message);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn either_alone_is_fine() {
        check("no-conflicting-metadata", "@metadata({ description: 'a' })\nparam a string\n@description('b')\n@metadata({ c: 1 })\nparam b string\n");
        check("no-conflicting-metadata", "type t = {\n  @description('b')\n  @metadata({ description: 1 })\n  p: string\n}\n");
        check("no-conflicting-metadata", "@sys.description('b')\n@sys.metadata({ description: 1 }) // <-\nparam b string\n");
    }
}
