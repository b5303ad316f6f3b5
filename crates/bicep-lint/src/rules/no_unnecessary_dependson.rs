//! `no-unnecessary-dependson`

use std::collections::{BTreeMap, BTreeSet};

use bicep_sema::{SymbolId, SymbolKind};
use bicep_syntax::ast::{Array, ArrayItem, Expr, Module, Object, Property, Resource};
use bicep_syntax::{Node, SyntaxKind};

use crate::edits::{item_with_separator, remove};
use crate::resources::resources;
use crate::{Context, Rule};

pub(super) const RULE: Rule = Rule {
    code: "no-unnecessary-dependson",
    documentation: "\
`dependsOn` should not repeat what follows from the rest of the declaration.

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
    let mut graph = None;
    for node in ctx.tree().nodes() {
        let Some((body, property, items)) = stated(node) else { continue };
        let Some(symbol) = ctx.model.declared(node.id()) else { continue };
        let graph = graph.get_or_insert_with(|| Graph::new(ctx));
        let needed = graph.reach(symbol);
        let mut stated = BTreeSet::new();
        for item in items.items().filter_map(ArrayItem::cast) {
            let Some((id, referenced)) = ctx.referenced(item.value().syntax()) else { continue };
            if is_collection(ctx.declaration(referenced)) || !needed.contains(&id) && stated.insert(id) {
                continue;
            }
            let name = referenced.name.as_deref().unwrap_or_default();
            let range = if items.items().count() == 1 {
                item_with_separator(property.syntax())
            } else {
                item_with_separator(item.syntax())
            };
            let can_fix = !ctx.has_syntax_error(body.range());
            let fix = can_fix.then(|| remove("Remove the dependency", range));
            ctx.report_with(item.range(), format!("The dependency on \"{name}\" is there already"), fix);
        }
    }
}

/// The body of a resource or module with its `dependsOn`.
fn stated(node: Node<'_>) -> Option<(Object<'_>, Property<'_>, Array<'_>)> {
    let body = value_of(node)?.body_object()?;
    let property = body.property("dependsOn")?;
    let Expr::Array(items) = property.value() else { return None };
    Some((body, property, items))
}

fn value_of(declaration: Node<'_>) -> Option<Expr<'_>> {
    Resource::cast(declaration).map(Resource::value).or(Module::cast(declaration).map(Module::value))
}

fn is_collection(declaration: Node<'_>) -> bool {
    matches!(value_of(declaration), Some(Expr::For(_)))
}

/// What each declaration needs directly, `dependsOn` aside.
struct Graph {
    needs: BTreeMap<SymbolId, BTreeSet<Need>>,
    /// The existing resources: needing their identity needs no deployment.
    existing: BTreeSet<SymbolId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Need {
    target: SymbolId,
    /// Whether only the identity of the target is needed.
    is_weak: bool,
}

impl Graph {
    fn new(ctx: &Context<'_, '_>) -> Self {
        let mut graph = Self { needs: BTreeMap::new(), existing: BTreeSet::new() };
        for resource in resources(ctx) {
            let parent = resource.parent.map(|target| Need { target, is_weak: true });
            graph.needs.entry(resource.symbol).or_default().extend(parent);
            if resource.declaration.existing().is_some() {
                graph.existing.insert(resource.symbol);
            }
        }
        let mut open = vec![(ctx.tree().root(), None)];
        while let Some((node, outer)) = open.pop() {
            if is_depends_on(node) {
                continue;
            }
            let declares = matches!(node.kind(), SyntaxKind::Resource | SyntaxKind::Module | SyntaxKind::Var);
            let current = if declares { ctx.model.declared(node.id()) } else { outer };
            open.extend(node.children().map(|child| (child, current)));
            let is_use = matches!(node.kind(), SyntaxKind::VarAccess | SyntaxKind::ResourceAccess);
            if let (true, Some(current), Some((target, symbol))) = (is_use, current, ctx.referenced(node))
                && matches!(symbol.kind, SymbolKind::Resource | SymbolKind::Module | SymbolKind::Var)
            {
                let is_weak = symbol.kind == SymbolKind::Resource && reads_identity(node);
                graph.needs.entry(current).or_default().insert(Need { target, is_weak });
            }
        }
        graph
    }

    /// Everything that a declaration needs, directly and through others.
    fn reach(&self, of: SymbolId) -> BTreeSet<SymbolId> {
        let mut reached = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut open: Vec<Need> = self.needs.get(&of).into_iter().flatten().copied().collect();
        while let Some(need) = open.pop() {
            if !seen.insert(need) {
                continue;
            }
            open.extend(self.needs.get(&need.target).into_iter().flatten());
            if !need.is_weak || !self.existing.contains(&need.target) {
                reached.insert(need.target);
            }
        }
        reached
    }
}

/// Whether a property is the `dependsOn` of a resource or module.
fn is_depends_on(node: Node<'_>) -> bool {
    let Some(property) = Property::cast(node).filter(|it| it.key_text().as_deref() == Some("dependsOn")) else {
        return false;
    };
    let body = property.syntax().parent();
    let declaration = node.ancestors().find(|it| matches!(it.kind(), SyntaxKind::Resource | SyntaxKind::Module));
    declaration.and_then(value_of).and_then(Expr::body_object).map(Object::syntax) == body
}

/// Whether a use of a resource reads nothing but its identity.
fn reads_identity(node: Node<'_>) -> bool {
    let Some(parent) = node.parent() else { return false };
    match Expr::of(parent) {
        Expr::NonNull(_) | Expr::Index(_) => reads_identity(parent),
        Expr::MethodCall(_) => true,
        Expr::PropertyAccess(access) => {
            let name = access.name().and_then(bicep_syntax::ast::Name::text);
            matches!(name, Some("id" | "name" | "type" | "apiVersion"))
        }
        _ => {
            let property = node.ancestors().find_map(Property::cast).and_then(Property::key_text);
            matches!(property.as_deref(), Some("parent" | "scope"))
        }
    }
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
