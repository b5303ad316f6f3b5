//! `use-resource-symbol-reference`

use bicep_syntax::ast::{Expr, Name, Str};

use crate::calls::{AnyCall, built_in, runtime_calls};
use crate::edits::replace;
use crate::resources::{DeclaredResource, resource_named, resources};
use crate::token_equality::equal_tokens;
use crate::{Context, Rule};

pub(super) const RULE: Rule = Rule {
    code: "use-resource-symbol-reference",
    documentation: "\
A declared resource should be referenced by its symbol, not by `reference()` or `list…()`.

With the name, the compiler knows the type of the result and the dependency.

```bicep
resource account 'Microsoft.Storage/storageAccounts@2023-01-01' existing = {
  name: 'account'
}

var a = reference(account.id, '2023-01-01').primaryEndpoints // <-
var b = account.properties.primaryEndpoints
var c = listKeys(account.id, '2023-01-01') // <-
var d = account.listKeys()
```
",
    check,
};

fn check(ctx: &mut Context<'_, '_>) {
    let calls = runtime_calls(ctx.model, ctx.tree());
    if calls.is_empty() {
        return;
    }
    let resources = resources(ctx);
    for call in calls {
        let name = call.name().unwrap_or_default();
        let arguments = call.arguments();
        let least = if name == "reference" { 1 } else { 2 };
        if !(least..=3).contains(&arguments.len()) {
            continue;
        }
        let Some(resource) = meant(ctx, &resources, &arguments) else { continue };
        let text = if name == "reference" {
            referred(resource.name, &arguments)
        } else {
            let rest: Vec<&str> =
                arguments.iter().skip(1).filter(|_| arguments.len() > 2).map(|it| it.syntax().text()).collect();
            format!("{}.{name}({})", resource.name, rest.join(","))
        };
        let fix = replace("Use direct resource reference", call.range(), text);
        let message = format!("Use the resource \"{}\" instead of {name}()", resource.name);
        ctx.report_with(call.range(), message, [fix]);
    }
}

/// What stands for `reference(…)`: the properties, or the whole resource where that was asked for.
fn referred(resource: &str, arguments: &[Expr<'_>]) -> String {
    let is_full = match arguments.get(2) {
        Some(Expr::Str(text)) => Str::value(*text).is_some_and(|text| text.eq_ignore_ascii_case("full")),
        _ => false,
    };
    if is_full { resource.to_owned() } else { format!("{resource}.properties") }
}

/// The resource that the id and the version in a call mean.
fn meant<'r, 't>(
    ctx: &Context<'t, '_>,
    resources: &'r [DeclaredResource<'t>],
    arguments: &[Expr<'t>],
) -> Option<&'r DeclaredResource<'t>> {
    let candidates = with_id(ctx, resources, *arguments.first()?);
    let Some(version) = arguments.get(1) else {
        return if let [only] = candidates.as_slice() { Some(*only) } else { None };
    };
    match version {
        Expr::PropertyAccess(access) if access.name().and_then(Name::text) == Some("apiVersion") => {
            let of = resource_named(ctx, access.base())?;
            candidates.into_iter().find(|candidate| candidate.symbol == of)
        }
        Expr::Str(text) => {
            let version = Str::value(*text)?;
            let has_version = |it: &&DeclaredResource<'_>| {
                it.reference.version().is_some_and(|own| own.eq_ignore_ascii_case(&version))
            };
            candidates.into_iter().find(has_version)
        }
        _ => None,
    }
}

/// The resources that an id may mean: `a.id`, or `resourceId()` with the type and the names of one.
fn with_id<'r, 't>(
    ctx: &Context<'t, '_>,
    resources: &'r [DeclaredResource<'t>],
    id: Expr<'t>,
) -> Vec<&'r DeclaredResource<'t>> {
    if let Expr::PropertyAccess(access) = id
        && matches!(access.name().and_then(Name::text), Some("id" | "name"))
        && let Some(symbol) = resource_named(ctx, access.base())
    {
        return resources.iter().filter(|resource| resource.symbol == symbol).collect();
    }
    let call = built_in(ctx.model, id.syntax(), "az").filter(|call| call.name() == Some("resourceId"));
    let arguments = call.map(AnyCall::arguments).unwrap_or_default();
    let Some((Expr::Str(ty), names)) = arguments.split_first() else { return Vec::new() };
    let Some(ty) = Str::value(*ty).filter(|ty| ty.contains('/') && !names.is_empty()) else { return Vec::new() };
    let has_names = |resource: &&DeclaredResource<'t>| {
        let own = ancestry(resources, resource);
        own.len() == names.len() && own.iter().zip(names).all(|(a, b)| a.is_some_and(|a| equal_tokens(a.syntax(), b.syntax())))
    };
    resources.iter().filter(|it| it.is_azure && it.is_of_type(&ty)).filter(has_names).collect()
}

/// The names of a resource and of those it is a child of, the oldest first.
fn ancestry<'t>(resources: &[DeclaredResource<'t>], of: &DeclaredResource<'t>) -> Vec<Option<Expr<'t>>> {
    let mut names = vec![of.identity("name")];
    let mut parent = of.parent;
    while let Some(next) = resources.iter().find(|it| Some(it.symbol) == parent) {
        names.push(next.identity("name"));
        parent = next.parent.filter(|_| names.len() <= resources.len());
    }
    names.reverse();
    names
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, check_fix};

    const RESOURCE: &str = "resource a 'A.B/c@2020-01-01' existing = { name: 'x' }\n";

    #[test]
    fn ids_and_versions_must_match() {
        let check_var = |value: &str| check("use-resource-symbol-reference", &format!("{RESOURCE}var v = {value}\n"));
        check_var("reference(resourceId('A.B/c', 'x')) // <-");
        check_var("reference(resourceId('A.B/c', 'x'), a.apiVersion) // <-");
        check_var("reference(resourceId('A.B/c', 'y'), '2020-01-01')");
        check_var("reference(a.id, '2021-01-01')");
        check_var("listKeys(a.id)");
    }

    #[test]
    fn the_resource_takes_the_place_of_the_call() {
        let fix = |before: &str, after: &str| {
            let var = |value: &str| format!("{RESOURCE}var v = {value}\n");
            check_fix("use-resource-symbol-reference", &var(before), &var(after));
        };
        fix("reference(a.id, '2020-01-01', 'Full').x", "a.x");
        fix("reference(a.id).x", "a.properties.x");
        fix("listKeys(a.id, '2020-01-01')", "a.listKeys()");
        fix("listKeys(a.id, '2020-01-01', {})", "a.listKeys('2020-01-01',{})");
    }
}
