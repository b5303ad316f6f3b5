//! `stacks-extensibility-compat`

use base::Severity;
use bicep_sema::SymbolKind;
use bicep_sema::expected::Expected;
use bicep_syntax::Node;
use bicep_syntax::ast::{self, Expr, Name, Object, Statement};
use bicep_types::Type;
use config::Feature;

use crate::resources::{resource_named, resources};
use crate::{Context, Rule};

pub(super) const RULE: Rule = Rule {
    code: "stacks-extensibility-compat",
    documentation: "\
Extension configurations should be compatible with deployment stacks.

A deployment stack keeps the configuration of extensions, to manage what they have deployed later on. It keeps secrets
only as references to a key vault. So a secure property should be given by `getSecret()` or be taken over from the
configuration of another extension, and a property that is not secure should not.

The rule looks at files with the feature `moduleExtensionConfigs`.

```bicep
@secure()
param kubeConfig string

extension kubernetes with {
  kubeConfig: kubeConfig // <-
  namespace: 'default'
} as k8s
```

```json
{
  \"experimentalFeaturesEnabled\": { \"moduleExtensionConfigs\": true }
}
```
",
    check,
};

fn check(ctx: &mut Context<'_, '_>) {
    if !ctx.bicep.config.has(Feature::ModuleExtensionConfigs) {
        return;
    }
    // As in the reference, the level of the configuration only switches the rule off.
    ctx.severity = Severity::Info;
    for statement in ctx.tree().file().statements() {
        match statement {
            Statement::Extension(extension) => {
                let config = extension.with_clause().and_then(ast::WithClause::config);
                check_configuration(ctx, config);
            }
            Statement::ExtensionConfig(assignment) => {
                let config = assignment.with_clause().and_then(ast::WithClause::config);
                check_configuration(ctx, config);
            }
            Statement::Module(module) => check_module(ctx, module),
            _ => {}
        }
    }
}

fn check_module(ctx: &mut Context<'_, '_>, module: ast::Module<'_>) {
    let configs = module.body().and_then(|body| body.property("extensionConfigs"));
    let Some(Expr::Object(configs)) = configs.map(ast::Property::value) else { return };
    for property in configs.properties() {
        if let Expr::Object(config) = property.value() {
            check_configuration(ctx, Some(config));
        }
    }
}

fn own_configuration(ctx: &Context<'_, '_>, extension: Node<'_>) -> Option<Type> {
    let namespaces = ctx.model.namespaces();
    namespaces.get(namespaces.declared_by(extension.id())?)?.configuration.clone()
}

fn check_configuration(ctx: &mut Context<'_, '_>, config: Option<Object<'_>>) {
    let mut expected = Expected::new(ctx.model);
    for property in config.into_iter().flat_map(Object::properties) {
        let Some(wanted) = expected.property_value(property) else { continue };
        let is_reference = is_secret_reference(ctx, property.value()) || is_taken_over(ctx, property.value());
        let message = match (wanted.is_secure(), is_reference) {
            (true, false) => "A deployment stack keeps a secret only as a reference to a key vault: use getSecret()",
            (false, true) => "A deployment stack keeps a reference to a key vault only for a secure property",
            _ => continue,
        };
        ctx.report(property.value().range(), message);
    }
}

/// `vault.getSecret(…)` or `az.getSecret(…)`
fn is_secret_reference(ctx: &Context<'_, '_>, value: Expr<'_>) -> bool {
    let Expr::MethodCall(call) = value else { return false };
    if call.name().and_then(Name::text) != Some("getSecret") {
        return false;
    }
    let namespace = ctx.model.namespace_of(call.base().syntax());
    let is_azure = namespace.and_then(|it| ctx.model.namespaces().get(it)).is_some_and(|it| it.extension == "az");
    let vault = resource_named(ctx, call.base());
    let is_vault = |symbol| {
        resources(ctx).iter().any(|it| it.symbol == symbol && it.is_of_type("Microsoft.KeyVault/vaults"))
    };
    is_azure || vault.is_some_and(is_vault)
}

/// Whether a value is a secure property of the configuration of another extension: `k8s.config.kubeConfig`.
fn is_taken_over(ctx: &Context<'_, '_>, value: Expr<'_>) -> bool {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Expr::Paren(paren) => open.push(paren.value()),
            Expr::Ternary(ternary) => open.extend([ternary.if_true(), ternary.if_false()]),
            value if is_secure_configuration(ctx, value) => {}
            _ => return false,
        }
    }
    true
}

fn is_secure_configuration(ctx: &Context<'_, '_>, value: Expr<'_>) -> bool {
    let Some((config, name)) = accessed(value) else { return false };
    let Some((extension, member)) = accessed(config) else { return false };
    let declared = ctx.referenced(extension.syntax()).filter(|(_, it)| it.kind == SymbolKind::Extension);
    let Some((_, symbol)) = declared.filter(|_| member == "config") else { return false };
    let Some(ty) = own_configuration(ctx, ctx.declaration(symbol)) else { return false };
    let ty = ty.as_object().and_then(|object| object.property(&name).map(|it| it.ty.clone()));
    ty.is_some_and(|ty| ty.remove_null().is_secure())
}

/// What stands before an access, and the name that is accessed.
fn accessed(value: Expr<'_>) -> Option<(Expr<'_>, String)> {
    match value {
        Expr::PropertyAccess(access) => Some((access.base(), access.name()?.text()?.to_owned())),
        Expr::Index(access) => match access.index() {
            Expr::Str(key) => Some((access.base(), key.value()?)),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::check_files;

    #[test]
    fn modules_may_pass_on_what_they_have() {
        let main = "extension kubernetes with {\n  kubeConfig: 'x' // <-\n  namespace: 'n'\n} as k8s\nparam p bool\nmodule m 'm.bicep' = {\n  extensionConfigs: {\n    kubernetes: {\n      kubeConfig: p ? k8s.config.kubeConfig : (k8s.config.kubeConfig)\n      namespace: k8s.config.kubeConfig // <-\n    }\n  }\n}\n";
        let config = r#"{ "experimentalFeaturesEnabled": { "moduleExtensionConfigs": true } }"#;
        let module = "extension kubernetes\n";
        check_files(
            "stacks-extensibility-compat",
            &[("main.bicep", main), ("m.bicep", module), ("bicepconfig.json", config)],
        );
    }
}
