//! `use-description-type-properties`

use bicep_sema::SymbolKind;
use bicep_syntax::Node;
use bicep_syntax::ast::{ObjectTypeAdditional, ObjectTypeProperty};

use super::description::{Target, check_described};
use crate::{Context, Rule};

pub(super) const RULE: Rule = Rule {
    code: "use-description-type-properties",
    documentation: "\
Properties of types should have descriptions.

Whoever uses a type learns from the descriptions what each of its properties is for.

```bicep
type a = {
  b: string // <-

  @description('How many of them.')
  c: int

  *: string // <-
}
```
",
    check,
};

fn check(ctx: &mut Context<'_, '_>) {
    let types: Vec<Node<'_>> =
        ctx.symbols(SymbolKind::Type).map(|(_, symbol, _)| ctx.declaration(symbol)).collect();
    let targets = types.into_iter().flat_map(Node::descendants).filter_map(target).collect();
    check_described(ctx, "property", targets);
}

fn target(node: Node<'_>) -> Option<Target<'_>> {
    if let Some(property) = ObjectTypeProperty::cast(node) {
        let name = property.key_text()?.into_owned();
        return Some(Target { declaration: node, name, name_range: property.key().range() });
    }
    let star = ObjectTypeAdditional::cast(node)?.star()?;
    Some(Target { declaration: node, name: "*".to_owned(), name_range: star.range() })
}
