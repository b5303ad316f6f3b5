//! `no-unnecessary-dependson`

use std::cell::LazyCell;
use std::collections::BTreeSet;

use bicep_sema::SymbolId;
use bicep_sema::dependency::{Dependencies, Dependency, Uses};
use bicep_sema::deployed_body::DeployedBody;
use bicep_syntax::ast::{Array, ArrayItem, Expr, Object, Property};
use bicep_syntax::{Node, SyntaxKind};

use crate::edits::remove_item;
use crate::{Context, Rule};

pub(super) const RULE: Rule = Rule {
    code: "no-unnecessary-dependson",
    documentation: "\
`dependsOn` should not contain implicit dependencies.

A resource that uses another one, or is a child of it, is deployed after it anyway.

```bicep
resource plan 'Microsoft.Web/serverfarms@2022-09-01' = {
  name: 'plan'
  location: 'westeurope'
}

resource app 'Microsoft.Web/sites@2022-09-01' = {
  name: 'app'
  location: 'westeurope'
  properties: {
    serverFarmId: plan.id
  }
  dependsOn: [
    plan // <-
  ]
}
```
",
    check,
};

fn check(ctx: &mut Context<'_, '_>) {
    let (tree, model) = (ctx.tree(), ctx.model);
    let direct = LazyCell::new(|| Dependencies::collect(tree, model, Uses::WithoutDependsOn));
    for node in ctx.tree().nodes_of(&[SyntaxKind::Resource, SyntaxKind::Module]) {
        let Some((body, property, items)) = stated(node) else { continue };
        let Some(symbol) = ctx.model.declared(node.id()) else { continue };
        if node.kind() == SyntaxKind::Resource && ctx.resources.get(symbol).is_none() {
            continue;
        }
        let needed = needs(ctx, &direct, symbol);
        let mut stated = BTreeSet::new();
        for item in items.items().filter_map(ArrayItem::cast) {
            let Some((id, referenced)) = ctx.referenced(item.value().syntax()) else { continue };
            let is_collection = ctx.model.is_collection(tree, id);
            if is_collection || !needed.contains(&id) && stated.insert(id) {
                continue;
            }
            let name = referenced.name.as_deref().unwrap_or_default();
            let (part, whole) = match items.items().count() {
                1 => (property.syntax(), body.syntax()),
                _ => (item.syntax(), items.syntax()),
            };
            let can_fix = !ctx.has_syntax_error(whole.range());
            let fix = can_fix.then(|| remove_item("Remove unnecessary dependsOn", part));
            ctx.report_with(item.range(), format!("The dependency on \"{name}\" is there already"), fix);
        }
    }
}

/// The body of a resource or module with its `dependsOn`.
fn stated(node: Node<'_>) -> Option<(Object<'_>, Property<'_>, Array<'_>)> {
    let body = DeployedBody::of(node)?.body()?;
    let property = body.property("dependsOn")?;
    let Expr::Array(items) = property.value() else { return None };
    Some((body, property, items))
}

/// Everything that a declaration needs, directly and through others. The identity of an existing resource is there
/// already, so needing it does not count.
fn needs(ctx: &Context<'_, '_>, direct: &Dependencies, of: SymbolId) -> BTreeSet<SymbolId> {
    let is_existing = |symbol| ctx.resources.get(symbol).is_some_and(|resource| resource.is_existing);
    let mut needed = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let mut open = direct.of(of).to_vec();
    while let Some(Dependency { target, is_weak, .. }) = open.pop() {
        if seen.insert((target, is_weak)) {
            open.extend(direct.of(target));
            if !is_weak || !is_existing(target) {
                needed.insert(target);
            }
        }
    }
    needed
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, check_fix};

    const CODE: &str = "no-unnecessary-dependson";

    fn declare(name: &str, rest: &str) -> String {
        format!("resource {name} 'A.B/c@2020-01-01' = {{\n  name: '{name}'\n{rest}}}\n")
    }

    #[test]
    fn dependencies_are_followed() {
        let a = declare("a", "");
        let b = declare("b", "  properties: { x: a.id }\n");
        let c = declare("c", "  properties: { x: v }\n  dependsOn: [\n    a // <-\n    d\n  ]\n");
        check(CODE, &format!("{a}{b}{c}{}var v = b.properties\n", declare("d", "")));
    }

    #[test]
    fn the_identity_of_existing_resources_is_no_dependency() {
        let a = "resource a 'A.B/c@2020-01-01' existing = { name: 'a' }\n";
        check(CODE, &format!("{a}{}", declare("b", "  properties: { x: a.id }\n  dependsOn: [a]\n")));
        let b = declare("b", "  properties: { x: a.properties.y }\n  dependsOn: [a] // <-\n");
        check(CODE, &format!("{a}{b}"));
    }

    #[test]
    fn the_first_of_several_goes_with_the_space_behind_it() {
        let (a, c) = (declare("a", ""), declare("c", ""));
        let tags = "  tags: { x: a.id }\n";
        let before = declare("b", &format!("{tags}  dependsOn: [a, c]\n\n"));
        let after = declare("b", &format!("{tags}  dependsOn: [c]\n\n"));
        check_fix(CODE, &format!("{a}{c}{before}"), &format!("{a}{c}{after}"));
    }

    #[test]
    fn blank_lines_at_the_ends_go_too() {
        let (a, c) = (declare("a", ""), declare("c", ""));
        let tags = "  tags: { x: a.id }\n";
        let before = declare("b", &format!("{tags}  dependsOn: [\n\n    c\n    a\n\n  ]\n"));
        let after = declare("b", &format!("{tags}  dependsOn: [\n    c\n  ]\n"));
        check_fix(CODE, &format!("{a}{c}{before}"), &format!("{a}{c}{after}"));
    }

    #[test]
    fn an_empty_list_goes_altogether() {
        let a = declare("a", "");
        let before = declare("b", "  tags: { x: a.id }\n  dependsOn: [a]\n");
        check_fix(CODE, &format!("{a}{before}"), &format!("{a}{}", declare("b", "  tags: { x: a.id }\n")));
        let before = declare("b", "  tags: { x: a.id }\n  dependsOn: [\n    a\n    c\n  ]\n");
        let after = declare("b", "  tags: { x: a.id }\n  dependsOn: [\n    c\n  ]\n");
        let c = declare("c", "");
        check_fix(CODE, &format!("{a}{before}{c}"), &format!("{a}{after}{c}"));
    }
}
