//! `secure-params-in-nested-deploy`

use bicep_sema::SymbolKind;
use bicep_syntax::ast::{Expr, Str};

use crate::calls::built_in;
use crate::deployments::{TYPE, has_symbolic_names};
use crate::references::references;
use crate::resources::{DeclaredResource, property_at, resources};
use crate::{Context, Rule};

pub(super) const RULE: Rule = Rule {
    code: "secure-params-in-nested-deploy",
    documentation: "\
Secrets should not be used in a nested deployment with outer scope.

The expressions in the template of such a deployment are replaced by their values before it is sent, and the values are
kept with the deployment in plain text. Use a module, or evaluate the template on its own with
`expressionEvaluationOptions: { scope: 'inner' }`.

```bicep
@secure()
param token string

resource nested 'Microsoft.Resources/deployments@2021-04-01' = { // <-
  name: 'nested'
  properties: {
    mode: 'Incremental'
    template: {
      variables: {
        token: token
      }
    }
  }
}
```
",
    check,
};

fn check(ctx: &mut Context<'_, '_>) {
    let nested: Vec<_> = resources(ctx)
        .into_iter()
        .filter(|it| it.declaration.parent_resource().is_none() && is_evaluated_outside(it))
        .collect();
    if nested.is_empty() || has_symbolic_names(ctx) {
        return;
    }
    for resource in nested {
        let range = resource.declaration.name().map_or(resource.declaration.range(), bicep_syntax::ast::Name::range);
        let name = resource.name;
        let parameters = secure_parameters(ctx, &resource);
        if !parameters.is_empty() {
            let list = parameters.join("', '");
            ctx.report(range, format!("The deployment \"{name}\" writes the secure parameters '{list}' in plain text"));
        }
        if let Some(call) = list_call(ctx, &resource) {
            ctx.report(range, format!("The deployment \"{name}\" writes the result of {call} in plain text"));
        }
    }
}

fn is_evaluated_outside(resource: &DeclaredResource<'_>) -> bool {
    let Some(Expr::Object(properties)) = resource.property("properties") else { return false };
    let scope = property_at(properties, &["expressionEvaluationOptions", "scope"]);
    let is_inner = match scope.map(bicep_syntax::ast::Property::value) {
        Some(Expr::Str(scope)) => Str::value(scope).is_some_and(|scope| scope.eq_ignore_ascii_case("inner")),
        _ => false,
    };
    let template = properties.property("template").map(bicep_syntax::ast::Property::value);
    resource.is_of_type(TYPE) && !is_inner && matches!(template, Some(Expr::Object(_)))
}

/// The names of the secure parameters that a resource uses, in the order of their declarations.
fn secure_parameters<'p>(ctx: &Context<'p, '_>, resource: &DeclaredResource<'p>) -> Vec<&'p str> {
    let used: Vec<_> = references(ctx, resource.declaration.syntax()).map(|(symbol, _)| symbol).collect();
    ctx.symbols(SymbolKind::Param)
        .filter(|(id, symbol, _)| {
            let is_secure = ctx.is_marked_secure(ctx.declaration(symbol));
            is_secure && symbol.name.is_some() && used.contains(id)
        })
        .map(|(_, _, name)| name)
        .collect()
}

fn list_call<'p>(ctx: &Context<'p, '_>, resource: &DeclaredResource<'p>) -> Option<&'p str> {
    let mut calls = resource.declaration.syntax().descendants().filter_map(|it| built_in(ctx.model, it, "az"));
    let call = calls.find(|call| call.name().is_some_and(|name| name.starts_with("list")))?;
    Some(call.syntax().text())
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn inner_templates_and_other_resources_are_fine() {
        let deployment = |scope: &str| {
            format!("@secure()\nparam p string\nresource n 'Microsoft.Resources/deployments@2021-04-01' = {{ // <-\n  name: 'n'\n  properties: {{\n    expressionEvaluationOptions: {{ scope: '{scope}' }}\n    template: {{ a: p }}\n  }}\n}}\n")
        };
        check("secure-params-in-nested-deploy", &deployment("Outer"));
        check("secure-params-in-nested-deploy", &deployment("Inner").replace(" // <-", ""));
    }
}
