//! `use-recognized-resource-type`

use bicep_syntax::ast::Expr;

use crate::calls::{AnyCall, runtime_calls};
use crate::expression_type::string_value;
use crate::resources::looks_like_a_type;
use crate::{Context, Rule};

pub(super) const RULE: Rule = Rule {
    code: "use-recognized-resource-type",
    documentation: "\
The resource type in `reference()` and `list…()` should exist.

A type that is misspelt shows only when the template is deployed. Without an installed package of resource types nothing
is reported.

```bicep
param name string

var a = reference(resourceId('Microsoft.Storage/storageAccount', name), '2023-01-01') // <-
var b = reference(resourceId('Microsoft.Storage/storageAccounts', name), '2023-01-01')
```
",
    check,
};

fn check(ctx: &mut Context<'_, '_>) {
    let Some(catalogue) = ctx.catalogue() else { return };
    let mut names = None;
    for call in runtime_calls(ctx.model, ctx.tree()) {
        let Some(ty) = call.arguments().first().and_then(|id| written_type(ctx, *id)) else { continue };
        if catalogue.find_type(&ty).is_ok_and(|found| found.is_none()) {
            let function = call.name().unwrap_or_default();
            let names = names.get_or_insert_with(|| catalogue.names().unwrap_or_default());
            let hint = base::spelling::suggest(&ty, names.iter()).map(|it| format!("; do you mean \"{it}\"?"));
            let message = format!("The resource type \"{ty}\" in {function}() is not known{}", hint.unwrap_or_default());
            ctx.report(call.range(), message);
        }
    }
}

/// The type in an id: the id itself may be one, or be made by `resourceId()`.
fn written_type(ctx: &Context<'_, '_>, id: Expr<'_>) -> Option<String> {
    let known = |expr| string_value(ctx, expr).filter(|text| looks_like_a_type(text));
    match AnyCall::cast(id.syntax()) {
        Some(call) if call.name() == Some("resourceId") => call.arguments().into_iter().find_map(known),
        Some(_) => None,
        None => known(id),
    }
}
