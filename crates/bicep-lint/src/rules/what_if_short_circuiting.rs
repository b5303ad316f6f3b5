//! `what-if-short-circuiting`

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use bicep_sema::runtime::Runtime;
use bicep_sema::{FileId, SymbolKind, Unit};
use bicep_syntax::ast::{Expr, If, Module, Object, Param, Property, Resource};
use bicep_syntax::{Node, SyntaxKind};

use crate::expression_type::string_value;
use crate::references::deciding_parameters;
use crate::{Context, Rule, View};

pub(super) const RULE: Rule = Rule {
    code: "what-if-short-circuiting",
    documentation: "\
Values that determine the resources of a module should be known before the deployment.

`what-if` cannot look into a module if the names or conditions of its resources depend on values that exist only after
something has been deployed.

```bicep
module first 'storage.bicep' = {
  name: 'first'
  params: { name: 'account' }
}

module second 'storage.bicep' = {
  name: 'second'
  params: { name: first.outputs.id } // <-
}
```

```bicep storage.bicep
param name string

resource account 'Microsoft.Storage/storageAccounts@2023-01-01' = {
  name: name
  location: 'westeurope'
  kind: 'StorageV2'
  sku: { name: 'Standard_LRS' }
}

output id string = account.id
```
",
    check,
};

fn check(ctx: &mut Context<'_, '_>) {
    let modules: Vec<_> = ctx.symbols(SymbolKind::Module).collect();
    let mut deciding = Deciding::default();
    let mut runtime = Runtime::new(ctx.bicep, ctx.model);
    for (_, symbol, name) in modules {
        let Some(module) = Module::cast(ctx.declaration(symbol)) else { continue };
        let Some(Ok(target)) = ctx.bicep.reference(module.syntax()) else { continue };
        let params = module.body().and_then(|body| body.property("params")).map(Property::value);
        let Some(Expr::Object(params)) = params else { continue };
        let given = given(ctx, params);
        let decisive = deciding.supplied(ctx, target.file, &given);
        for property in params.properties() {
            let key = key(ctx, property);
            let decides = key.as_ref().map_or(!decisive.is_subset(&given), |key| decisive.contains(&fold(key)));
            if decides && !runtime.is_known_at_start(property.value()) {
                let key = key.unwrap_or_else(|| "…".to_owned());
                let message = format!("The parameter \"{key}\" of the module \"{name}\" decides which resources it has, but is known only while deploying");
                ctx.report(property.value().range(), message);
            }
        }
    }
}

/// The names of the parameters that are given.
fn given(ctx: &View<'_, '_>, params: Object<'_>) -> BTreeSet<String> {
    params.properties().filter_map(|property| key(ctx, property)).map(|key| fold(&key)).collect()
}

fn key(ctx: &View<'_, '_>, property: Property<'_>) -> Option<String> {
    property.key_text().map(Cow::into_owned).or_else(|| string_value(ctx, Expr::of(property.key())))
}

/// Names of parameters are compared without regard to case.
fn fold(name: &str) -> String {
    name.to_ascii_lowercase()
}

/// Which parameters of each file decide which resources it has, as far as that has been asked.
#[derive(Default)]
struct Deciding {
    by_file: BTreeMap<usize, BTreeSet<String>>,
}

impl Deciding {
    /// The deciding parameters of a file of which some are given. Those that are not given pass the question on to the
    /// parameters in their defaults.
    fn supplied(&mut self, ctx: &View<'_, '_>, file: FileId, given: &BTreeSet<String>) -> BTreeSet<String> {
        let mut decisive = self.of(ctx, file);
        let Some(inner) = ctx.other(file) else { return decisive };
        let mut open: Vec<String> = decisive.iter().filter(|name| !given.contains(*name)).cloned().collect();
        while let Some(name) = open.pop() {
            for other in default_parameters(&inner, &name) {
                if decisive.insert(other.clone()) && !given.contains(&other) {
                    open.push(other);
                }
            }
        }
        decisive
    }

    /// The parameters that decide the names and conditions of the resources of a file. Files never refer to each other
    /// in a circle.
    fn of(&mut self, ctx: &View<'_, '_>, file: FileId) -> BTreeSet<String> {
        if let Some(known) = self.by_file.get(&file.index()) {
            return known.clone();
        }
        let found = match (ctx.other(file), ctx.program.unit(file)) {
            (Some(inner), _) => base::recurse(|| self.of_bicep(&inner)),
            (None, Unit::Template(template)) => {
                template.parsed.root.as_ref().map(of_template).unwrap_or_default()
            }
            (None, Unit::Bicep(_)) => BTreeSet::new(),
        };
        self.by_file.insert(file.index(), found.clone());
        found
    }

    fn of_bicep(&mut self, ctx: &View<'_, '_>) -> BTreeSet<String> {
        let mut decisive = BTreeSet::new();
        for node in ctx.tree().nodes_of(&[SyntaxKind::If, SyntaxKind::Resource, SyntaxKind::Module]) {
            if let Some(condition) = If::cast(node) {
                decisive.extend(parameter_names(ctx, condition.condition().syntax()));
            }
            let resource = Resource::cast(node).and_then(Resource::body);
            for name in ["name", "scope"] {
                let value = resource.and_then(|body| body.property(name)).map(Property::value);
                decisive.extend(value.into_iter().flat_map(|it| parameter_names(ctx, it.syntax())));
            }
            let Some(module) = Module::cast(node) else { continue };
            let property = |name| module.body().and_then(|body| body.property(name)).map(Property::value);
            decisive.extend(property("scope").into_iter().flat_map(|it| parameter_names(ctx, it.syntax())));
            let (Some(Ok(target)), Some(Expr::Object(params))) = (ctx.bicep.reference(node), property("params"))
            else {
                continue;
            };
            let inner = self.supplied(ctx, target.file, &given(ctx, params));
            for property in params.properties() {
                if key(ctx, property).is_none_or(|key| inner.contains(&fold(&key))) && !inner.is_empty() {
                    decisive.extend(parameter_names(ctx, property.value().syntax()));
                }
            }
        }
        decisive
    }
}

/// The names of the parameters that decide a value.
fn parameter_names(ctx: &View<'_, '_>, node: Node<'_>) -> Vec<String> {
    let parameters = deciding_parameters(ctx, node).into_iter();
    parameters.filter_map(|symbol| ctx.model.symbol(symbol).name.as_deref().map(fold)).collect()
}

/// The parameters in the default of a parameter.
fn default_parameters(ctx: &View<'_, '_>, name: &str) -> Vec<String> {
    let mut parameters = ctx.symbols(SymbolKind::Param);
    let declared = parameters.find(|(_, _, own)| fold(own) == name).map(|(_, symbol, _)| symbol);
    let default = declared.and_then(|it| Param::cast(ctx.declaration(it))).and_then(Param::default);
    default.map(|it| parameter_names(ctx, it.value().syntax())).unwrap_or_default()
}

/// The parameters that stand in the names, conditions, scopes and versions of the resources of a template.
fn of_template(root: &json::Node) -> BTreeSet<String> {
    let mut decisive = BTreeSet::new();
    let resources = root.get("resources");
    let list = resources.and_then(json::Node::as_array).into_iter().flatten();
    let members = resources.and_then(json::Node::as_object).map(json::Object::members).unwrap_or_default();
    for resource in list.chain(members.iter().map(|member| &member.value)) {
        for name in ["name", "condition", "scope", "apiVersion"] {
            let text = resource.get_ignore_case(name).and_then(json::Node::as_str).unwrap_or_default();
            decisive.extend(text.split("parameters('").skip(1).filter_map(|rest| rest.split('\'').next()).map(fold));
        }
    }
    decisive
}

#[cfg(test)]
mod tests {
    use crate::testing::check_files;

    const CODE: &str = "what-if-short-circuiting";
    const INNER: &str = "param name string\nparam other string = name\nparam tag string = ''\nresource r 'A.B/c@2020-01-01' = if (other == 'x') {\n  name: 'r'\n  tags: { tag: tag }\n}\noutput o string = r.properties.x\n";

    fn main(params: &str) -> String {
        format!("module a 'inner.bicep' = {{\n  params: {{ name: 'x' }}\n}}\nmodule b 'outer.bicep' = {{\n  params: {{\n{params}\n  }}\n}}\n")
    }

    #[test]
    fn defaults_and_modules_are_followed() {
        let outer = "param p string\nparam q string\nvar v = 'x${p}'\nmodule m 'inner.bicep' = {\n  params: { name: v, tag: q }\n}\n";
        let files = |main: &str| check_files(CODE, &[("main.bicep", main), ("outer.bicep", outer), ("inner.bicep", INNER)]);
        files(&main("    p: a.outputs.o // <-\n    q: a.outputs.o"));
        files(&main("    p: a.name\n    q: a.outputs.o"));
    }

    #[test]
    fn templates_are_looked_into() {
        let template = r#"{ "parameters": { "p": {}, "q": {} }, "resources": [{ "name": "[concat(parameters('p'), 'x')]" }] }"#;
        let main = main("    p: a.outputs.o // <-\n    q: a.outputs.o").replace("outer.bicep", "outer.json");
        check_files(CODE, &[("main.bicep", &main), ("outer.json", template), ("inner.bicep", INNER)]);
    }
}
