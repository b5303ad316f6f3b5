//! `nested-deployment-template-scoping`

use bicep_sema::symbol::ScopeId;
use bicep_syntax::ast::{Expr, Property};

use crate::deployments::{TYPE, evaluation_scope, has_symbolic_names};
use crate::expression_type::string_value;
use crate::references::references;
use crate::resources::{property_ignoring_case, resources};
use crate::{Context, Rule};

pub(super) const RULE: Rule = Rule {
    code: "nested-deployment-template-scoping",
    documentation: "\
A nested template with inner scope cannot use symbols of the outer file.

The deployment fails, because the names do not exist where the template is evaluated. Better than a resource of the type
`Microsoft.Resources/deployments` is a module, which takes parameters.

```bicep
var greeting = 'hello'

resource nested 'Microsoft.Resources/deployments@2021-04-01' = {
  name: 'nested'
  properties: {
    mode: 'Incremental'
    expressionEvaluationOptions: {
      scope: 'inner'
    }
    template: {
      '$schema': 'https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#'
      contentVersion: '1.0.0.0'
      variables: {
        greeting: greeting // <-
      }
    }
  }
}
```
",
    check,
};

fn check(ctx: &mut Context<'_, '_>) {
    let deployments: Vec<_> =
        resources(ctx).into_iter().filter(|it| it.is_azure && it.is_of_type(TYPE)).collect();
    if deployments.is_empty() {
        return;
    }
    let is_inner_by_default = has_symbolic_names(ctx);
    for deployment in deployments {
        let Some(body) = deployment.body() else { continue };
        let Some(Expr::Object(properties)) = property_ignoring_case(body, "properties").map(Property::value)
        else {
            continue;
        };
        let Some(template) = property_ignoring_case(properties, "template").map(Property::value) else { continue };
        let scope = evaluation_scope(properties).and_then(|scope| string_value(ctx, scope));
        if !is_inner_by_default && !scope.is_some_and(|scope| scope.eq_ignore_ascii_case("inner")) {
            continue;
        }
        for (symbol, place) in references(ctx, template.syntax()).collect::<Vec<_>>() {
            let symbol = ctx.model.symbol(symbol);
            if symbol.scope == ScopeId::FILE {
                let name = symbol.name.as_deref().unwrap_or_default();
                ctx.report(place.range(), format!("The nested template cannot see \"{name}\": it is evaluated on its own"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn templates_are_evaluated_outside_unless_said_otherwise() {
        let nested = "var a = 1\nresource n 'Microsoft.Resources/deployments@2021-04-01' = {\n  name: 'n'\n  properties: {\n    template: {\n      x: a{}\n    }\n  }\n}\n";
        check("nested-deployment-template-scoping", &nested.replace("{}", ""));
        let with_types = format!("param p string?\n{}", nested.replace("{}", " // <-"));
        check("nested-deployment-template-scoping", &with_types);
    }
}
