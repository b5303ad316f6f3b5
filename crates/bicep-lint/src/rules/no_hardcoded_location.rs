//! `no-hardcoded-location`

use base::{Edit, Fix, TextRange, TextSize};
use bicep_sema::{SymbolId, SymbolKind};
use bicep_syntax::SyntaxKind;
use bicep_syntax::ast::{self, Expr};

use crate::edits::{free_name, replace};
use crate::expression_type::string_value;
use crate::locations::location_parameters;
use crate::{Context, Rule};

pub(super) const RULE: Rule = Rule {
    code: "no-hardcoded-location",
    documentation: "\
The location of a resource should come from a parameter.

A file with a hard-coded location can be deployed only there. `global` is allowed.

```bicep
param location string

resource a 'Microsoft.Storage/storageAccounts@2023-01-01' = {
  name: 'a'
  location: 'westeurope' // <-
  kind: 'StorageV2'
  sku: { name: 'Standard_LRS' }
}

resource b 'Microsoft.Storage/storageAccounts@2023-01-01' = {
  name: 'b'
  location: location
  kind: 'StorageV2'
  sku: { name: 'Standard_LRS' }
}
```

Values for location parameters of modules are checked in the same way.
",
    check,
};

fn check(ctx: &mut Context<'_, '_>) {
    let mut reported = Vec::new();
    for node in ctx.tree().nodes_of(&[SyntaxKind::Resource, SyntaxKind::Module]) {
        match node.kind() {
            SyntaxKind::Resource => {
                let body = ast::Resource::cast(node).and_then(ast::Resource::body);
                if let Some(location) = body.and_then(|body| body.property("location")) {
                    check_value(ctx, &mut reported, location.value(), None);
                }
            }
            SyntaxKind::Module => {
                let Some(module) = ast::Module::cast(node) else { continue };
                for parameter in location_parameters(ctx, module) {
                    if let Some(value) = parameter.value {
                        check_value(ctx, &mut reported, value, Some(&parameter.name));
                    }
                }
            }
            _ => {}
        }
    }
}

/// Reports a location that is written out. `reported` are the variables that have been reported already.
fn check_value(
    ctx: &mut Context<'_, '_>,
    reported: &mut Vec<SymbolId>,
    value: Expr<'_>,
    parameter: Option<&str>,
) {
    let Some((location, variable)) = written_location(ctx, value) else { return };
    if location.eq_ignore_ascii_case("global") {
        return;
    }
    let Some(variable) = variable else {
        let what = parameter.map_or_else(
            || "The location of a resource".to_owned(),
            |name| format!("The module's parameter \"{name}\", which is a location,"),
        );
        let message = format!("{what} should not be written out: use a parameter, an expression or 'global'");
        let fix = new_parameter(ctx, value);
        ctx.report_with(value.range(), message, [fix]);
        return;
    };
    if reported.contains(&variable) {
        return;
    }
    reported.push(variable);
    let symbol = ctx.model.symbol(variable);
    let name = symbol.name.as_deref().unwrap_or_default();
    let message = format!("The variable \"{name}\", used as a location, should be a parameter");
    let declaration = ctx.declaration(symbol);
    let value = ast::Var::cast(declaration).map(|it| it.value().syntax().text()).unwrap_or_default();
    let fix = replace(
        format!("Turn the variable {name} into a parameter"),
        declaration.range(),
        format!("param {name} string = {value}"),
    );
    ctx.report_with(symbol.name_range, message, [fix]);
}

/// The text of a location that is written out, with the variable in which it is written.
fn written_location(ctx: &Context<'_, '_>, value: Expr<'_>) -> Option<(String, Option<SymbolId>)> {
    let mut value = value;
    let mut variable = None;
    loop {
        // A variable with a declared type is of that type, which says nothing of the text.
        string_value(ctx, value)?;
        match value {
            Expr::Str(text) => return Some((text.value()?, variable)),
            Expr::VarAccess(access) => {
                let (id, symbol) = ctx.referenced(access.syntax())?;
                let declares = symbol.kind == SymbolKind::Var && ctx.model.cycle(id).is_none();
                value = declares.then(|| ast::Var::cast(ctx.declaration(symbol))).flatten()?.value();
                variable = Some(id);
            }
            _ => return None,
        }
    }
}

/// Puts a new parameter at the start of the file and uses it.
fn new_parameter(ctx: &Context<'_, '_>, value: Expr<'_>) -> Fix {
    let is_taken = |name: &str| ctx.model.symbols().any(|(_, symbol)| symbol.name.as_deref() == Some(name));
    let name = free_name("location", is_taken);
    let default = value.syntax().text();
    let declaration = format!("@description('Where to deploy to.')\nparam {name} string = {default}\n\n");
    Fix {
        title: format!("Take the location from a new parameter {name}"),
        edits: vec![
            Edit { range: TextRange::empty(TextSize::default()), text: declaration },
            Edit { range: value.range(), text: name },
        ],
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{check_fix, marked};

    #[test]
    fn variables_are_followed_to_where_the_text_is() {
        let source = "var a = 'west'\nvar b = a\nresource r 'A.B/c@2020-01-01' = {\n  name: 'r'\n  location: b\n}\nresource s 'A.B/c@2020-01-01' = {\n  name: 's'\n  location: a\n}\nresource t 'A.B/c@2020-01-01' = {\n  name: 't'\n  location: 'GLOBAL'\n}\n";
        assert_eq!(marked("no-hardcoded-location", source), ["a"]);
        let fixed = source.replacen("var a = 'west'", "param a string = 'west'", 1);
        check_fix("no-hardcoded-location", source, &fixed);
    }

    #[test]
    fn a_text_becomes_a_parameter() {
        check_fix(
            "no-hardcoded-location",
            "param location int\nresource r 'A.B/c@2020-01-01' = {\n  name: 'r'\n  location: 'west'\n}\n",
            "@description('Where to deploy to.')\nparam location2 string = 'west'\n\nparam location int\nresource r 'A.B/c@2020-01-01' = {\n  name: 'r'\n  location: location2\n}\n",
        );
    }
}
