//! `secure-params-in-parameters-file`

use bicep_sema::interface::ParameterInfo;
use bicep_sema::{FileId, SymbolKind};
use bicep_syntax::ast::{ParamAssignment, Statement};

use crate::references::closure;
use crate::{Context, Rule};

pub(super) const RULE: Rule = Rule {
    code: "secure-params-in-parameters-file",
    documentation: "\
A parameter file should not assign a secure value to a parameter that is not secure.

The value of a parameter that is not secure is kept with the deployment in plain text, and so is the secret in it.

```bicepparam main.bicepparam
using 'app.bicep'

param token = readEnvironmentVariable('TOKEN')
param header = 'Bearer ${token}' // <-
```

```bicep app.bicep
@secure()
param token string
param header string
```
",
    check,
};

fn check(ctx: &mut Context<'_, '_>) {
    let program = ctx.program;
    let Some(template) = template(ctx).and_then(|file| program.interface(file)) else { return };
    let is_secure = |parameter: &ParameterInfo| !parameter.ty.secure_paths().is_empty();
    if !template.parameters.iter().any(is_secure) {
        return;
    }
    let assignments: Vec<_> = ctx.symbols(SymbolKind::ParamAssignment).collect();
    for (id, symbol, name) in assignments {
        if template.parameter(name).is_none_or(is_secure) {
            continue;
        }
        let used: Vec<&str> = closure(ctx, id)
            .into_iter()
            .map(|symbol| ctx.model.symbol(symbol))
            .filter(|symbol| symbol.kind == SymbolKind::ParamAssignment)
            .filter_map(|symbol| symbol.name.as_deref())
            .filter(|name| template.parameter(name).is_some_and(is_secure))
            .collect();
        let Some(assignment) = ParamAssignment::cast(ctx.declaration(symbol)).filter(|_| !used.is_empty())
        else {
            continue;
        };
        let list = used.join("', '");
        let message = format!("The parameter \"{name}\" is not secure but is made of '{list}'");
        ctx.report(assignment.value().range(), message);
    }
}

/// The file that the parameter file is for.
fn template(ctx: &Context<'_, '_>) -> Option<FileId> {
    let using = ctx.tree().file().statements().find(|it| matches!(it, Statement::Using(_)))?;
    ctx.bicep.reference(using.syntax())?.as_ref().ok().map(|target| target.file)
}
