//! `artifacts-parameters`

use base::TextRange;
use bicep_sema::SymbolKind;
use bicep_syntax::ast::{Expr, Module, Name, Param, Property, Str, TypeExpr};

use crate::edits::replace;
use crate::{Context, Rule};

pub(super) const RULE: Rule = Rule {
    code: "artifacts-parameters",
    documentation: "\
The parameters `_artifactsLocation` and `_artifactsLocationSasToken` should follow their conventions.

Scripts that upload files beside a template and deploy it fill in these two. So

- both are there or none is,
- both are strings, and the token is secure,
- a default of the location is a URL or is made of `deployment().properties.templateLink.uri`,
- a default of the token is the empty string,
- a module that has them is given values for them.

```bicep
param _artifactsLocation string = deployment().properties.templateLink.uri

@secure()
param _artifactsLocationSasToken string = 'secret' // <-
```
",
    check,
};

const LOCATION: &str = "_artifactsLocation";
const TOKEN: &str = "_artifactsLocationSasToken";

fn check(ctx: &mut Context<'_, '_>) {
    check_parameters(ctx);
    let modules: Vec<_> = ctx.symbols(SymbolKind::Module).collect();
    for (_, symbol, name) in modules {
        if let Some(module) = Module::cast(ctx.declaration(symbol)) {
            check_module(ctx, module, name, symbol.name_range);
        }
    }
}

fn check_parameters(ctx: &mut Context<'_, '_>) {
    let find = |wanted: &str| {
        let mut all = ctx.symbols(SymbolKind::Param);
        let found = all.find(|(_, _, name)| name.eq_ignore_ascii_case(wanted));
        found.and_then(|(_, symbol, _)| Some((symbol.name_range, Param::cast(ctx.declaration(symbol))?)))
    };
    match (find(LOCATION), find(TOKEN)) {
        (Some((range, _)), None) => ctx.report(range, missing(LOCATION, TOKEN)),
        (None, Some((range, _))) => ctx.report(range, missing(TOKEN, LOCATION)),
        (Some((_, location)), Some((_, token))) => {
            check_type(ctx, location);
            check_type(ctx, token);
            if !ctx.is_marked_secure(token.syntax()) {
                ctx.report(token.ty().range(), format!("The parameter \"{TOKEN}\" must be secure"));
            }
            check_location_default(ctx, location);
            check_token_default(ctx, token);
        }
        (None, None) => {}
    }
}

fn missing(there: &str, wanted: &str) -> String {
    format!("A file with the parameter \"{there}\" must also have the parameter \"{wanted}\"")
}

fn check_type(ctx: &mut Context<'_, '_>, parameter: Param<'_>) {
    let TypeExpr::TypeVar(ty) = parameter.ty() else { return };
    let name = parameter.name().map(Name::display).unwrap_or_default();
    if ty.name().and_then(Name::text).is_some_and(|ty| ty != "string") {
        let fix = replace("Change parameter type to 'string'", ty.range(), "string");
        ctx.report_with(ty.range(), format!("The parameter \"{name}\" must be a string"), [fix]);
    }
}

fn check_location_default(ctx: &mut Context<'_, '_>, location: Param<'_>) {
    let Some(default) = location.default().map(bicep_syntax::ast::ParamDefault::value) else { return };
    let is_url = matches!(default, Expr::Str(text) if Str::value(text).is_some_and(|it| it.starts_with("http")));
    let text = default.syntax().text().to_ascii_lowercase();
    let is_link = text.split_once("deployment(").is_some_and(|(_, rest)| rest.contains(".templatelink"));
    if !is_url && !is_link {
        let wanted = "a URL or an expression such as deployment().properties.templateLink.uri";
        ctx.report(default.range(), format!("A default of \"{LOCATION}\" must be {wanted}"));
    }
}

fn check_token_default(ctx: &mut Context<'_, '_>, token: Param<'_>) {
    let Some(default) = token.default().map(bicep_syntax::ast::ParamDefault::value) else { return };
    let is_empty = matches!(default, Expr::Str(text) if Str::value(text).as_deref() == Some(""));
    if !is_empty {
        ctx.report(default.range(), format!("A default of \"{TOKEN}\" must be the empty string"));
    }
}

fn check_module(ctx: &mut Context<'_, '_>, module: Module<'_>, name: &str, name_range: TextRange) {
    let given: Vec<String> = match module.body().and_then(|body| body.property("params")).map(Property::value) {
        Some(Expr::Object(params)) => params
            .properties()
            .filter_map(|property| Some(Name::cast(property.key())?.text()?.to_owned()))
            .collect(),
        _ => Vec::new(),
    };
    for parameter in module_parameters(ctx, module) {
        let counts = parameter.eq_ignore_ascii_case(LOCATION) || parameter.eq_ignore_ascii_case(TOKEN);
        if counts && !given.contains(&parameter) {
            let message = format!("The parameter \"{parameter}\" of the module \"{name}\" should be given a value");
            ctx.report(name_range, message);
        }
    }
}

/// The names of the parameters of a module.
fn module_parameters(ctx: &Context<'_, '_>, module: Module<'_>) -> Vec<String> {
    let Some(Ok(target)) = ctx.bicep.reference(module.syntax()) else { return Vec::new() };
    let interface = ctx.program.interface(target.file);
    interface.into_iter().flat_map(|it| &it.parameters).map(|it| it.name.to_string()).collect()
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, check_files, check_fix};

    #[test]
    fn one_needs_the_other() {
        check("artifacts-parameters", "param _artifactsLocation string // <-\n");
        check("artifacts-parameters", "@secure()\nparam _artifactsLocationSasToken string // <-\n");
        check(
            "artifacts-parameters",
            "param _artifactsLocation string\nparam _artifactsLocationSasToken string // <-\n",
        );
    }

    #[test]
    fn defaults_of_the_location_lead_somewhere() {
        let token = "@secure()\nparam _artifactslocationsastoken string = ''\n";
        check("artifacts-parameters", &format!("param _artifactsLocation string = 'https://x'\n{token}"));
        check("artifacts-parameters", &format!("param _artifactsLocation string = 'x' // <-\n{token}"));
        check_fix(
            "artifacts-parameters",
            &format!("param _artifactsLocation object\n{token}"),
            &format!("param _artifactsLocation string\n{token}"),
        );
    }

    #[test]
    fn modules_are_given_values() {
        let module = "param _artifactsLocation string = 'https://x'\n@secure()\nparam _artifactsLocationSasToken string = ''\n";
        let main = "module a 'm.bicep' = { // <-\n  params: { _artifactsLocation: 'x' }\n}\nmodule b 'm.bicep' = {\n  params: { _artifactsLocation: 'x', _artifactsLocationSasToken: '' }\n}\n";
        check_files("artifacts-parameters", &[("main.bicep", main), ("m.bicep", module)]);
    }
}
