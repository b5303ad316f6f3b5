//! `secure-params-in-parameters-file`

use std::collections::BTreeSet;

use bicep_sema::{SymbolKind, Unit};
use bicep_syntax::ast::{Param, ParamAssignment, Statement};

use crate::references::closure;
use crate::secrets::is_secure_parameter;
use crate::{Context, Rule};

pub(super) const RULE: Rule = Rule {
    code: "secure-params-in-parameters-file",
    documentation: "\
A parameter file should not give a secure value to a parameter that is not secure.

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
    let Some((declared, secure)) = template_parameters(ctx) else { return };
    let assignments: Vec<_> = ctx.symbols(SymbolKind::ParamAssignment).collect();
    for (id, symbol, name) in assignments {
        if !declared.contains(name) || secure.contains(name) {
            continue;
        }
        let used: Vec<String> = closure(ctx, id)
            .into_iter()
            .map(|symbol| ctx.model.symbol(symbol))
            .filter(|symbol| symbol.kind == SymbolKind::ParamAssignment)
            .filter_map(|symbol| symbol.name.as_ref().map(ToString::to_string))
            .filter(|name| secure.contains(name))
            .collect();
        let Some(assignment) = ParamAssignment::cast(ctx.declaration(symbol)).filter(|_| !used.is_empty()) else {
            continue;
        };
        let list = used.join("', '");
        let message = format!("The parameter \"{name}\" is not secure but is made of '{list}'");
        ctx.report(assignment.value().range(), message);
    }
}

/// The names of the parameters of the template that the file is for, and of the secure ones among them.
fn template_parameters(ctx: &Context<'_, '_>) -> Option<(BTreeSet<String>, BTreeSet<String>)> {
    let using = ctx.tree().file().statements().find(|it| matches!(it, Statement::Using(_)))?;
    let Ok(target) = ctx.bicep.reference(using.syntax())? else { return None };
    let parameters: Vec<(String, bool)> = match ctx.program.unit(target.file) {
        Unit::Bicep(bicep) => {
            let parameters = bicep.tree().nodes().filter_map(Param::cast);
            parameters.filter_map(|it| Some((it.name()?.text()?.to_owned(), is_secure_parameter(it)))).collect()
        }
        Unit::Template(template) => {
            let object = template.parsed.root.as_ref()?.get("parameters")?.as_object()?;
            let is_secure = |ty: &str| ["secureString", "secureObject"].iter().any(|it| it.eq_ignore_ascii_case(ty));
            let members = object.members().iter();
            members
                .map(|it| {
                    let ty = it.value.get("type").and_then(|ty| ty.as_str());
                    (it.key.to_string(), ty.is_some_and(is_secure))
                })
                .collect()
        }
    };
    let secure = parameters.iter().filter(|(_, is_secure)| *is_secure).map(|(name, _)| name.clone()).collect();
    Some((parameters.into_iter().map(|(name, _)| name).collect(), secure))
}
