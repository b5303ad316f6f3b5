//! `no-explicit-any`

use bicep_sema::Binding;
use bicep_syntax::ast::{Name, TypePropertyAccess, TypeVar, VarAccess};
use bicep_syntax::{Node, SyntaxKind};

use crate::{Context, Rule};

pub(super) const RULE: Rule = Rule {
    code: "no-explicit-any",
    documentation: "\
The type `any` should not be used.

It accepts every value and fits everywhere, so that mistakes show only when the template is deployed. Say what the values
are.

```bicep
param a any // <-
param b string | int
```
",
    check,
};

fn check(ctx: &mut Context<'_, '_>) {
    for node in ctx.tree().nodes_of(&[SyntaxKind::VarAccess, SyntaxKind::TypeVar]) {
        if is_any(ctx, node) {
            ctx.report(node.range(), "The type \"any\" accepts everything: use a more precise one");
        }
    }
}

/// Whether a node is `any`, or the namespace in `sys.any`.
fn is_any(ctx: &Context<'_, '_>, node: Node<'_>) -> bool {
    let name = match VarAccess::cast(node) {
        // A value by this name is an error, and the type is meant.
        Some(access) => access.name(),
        None => TypeVar::cast(node).and_then(TypeVar::name),
    };
    let Some(name) = name.and_then(Name::text) else { return false };
    let is_system = |index| ctx.model.namespaces().get(index).is_some_and(|it| it.extension == "sys");
    match ctx.model.bindings().get(node) {
        Some(Binding::Type(index)) => name == "any" && is_system(index),
        Some(Binding::Namespace(index)) => {
            let access = node.parent().and_then(TypePropertyAccess::cast);
            let member = access.and_then(TypePropertyAccess::name).and_then(Name::text);
            member == Some("any") && is_system(index)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::marked;

    #[test]
    fn the_namespace_is_marked_where_it_is_written() {
        let source = "param a sys.any\ntype b = { c: any }\nvar d = any(1)\noutput e sys.string = d\n";
        assert_eq!(marked("no-explicit-any", source), ["sys", "any"]);
        assert_eq!(marked("no-explicit-any", "var d = any\n"), ["any"]);
    }
}
