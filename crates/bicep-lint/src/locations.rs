//! Where resources are deployed to: expressions and parameters that say it.

use bicep_sema::{Model, SymbolKind, Unit};
use bicep_syntax::ast::{self, Expr, Module, Name, Object};
use bicep_syntax::{Node, SyntaxKind};

use crate::View;
use crate::calls::AnyCall;

/// `resourceGroup().location` or `deployment().location`, if that is what a node is.
pub fn deployment_location(node: Node<'_>) -> Option<String> {
    let Expr::PropertyAccess(access) = Expr::of(node) else { return None };
    if access.name().and_then(Name::text) != Some("location") {
        return None;
    }
    let function = AnyCall::cast(access.base().syntax())?.name()?;
    matches!(function, "deployment" | "resourceGroup").then(|| format!("{function}().location"))
}

/// A parameter of a module that says where something is deployed to.
pub struct LocationParameter<'t> {
    pub name: String,
    /// The value that is given to it, if one is.
    pub value: Option<Expr<'t>>,
}

/// The parameters with defaults of a used module that say where something is deployed to.
pub fn location_parameters<'p>(view: &View<'p, '_>, module: Module<'p>) -> Vec<LocationParameter<'p>> {
    let Some(body) = module.body() else { return Vec::new() };
    let given = match body.property("params").map(ast::Property::value) {
        Some(Expr::Object(params)) => Some(params),
        _ => None,
    };
    declared_location_parameters(view, module)
        .into_iter()
        .map(|name| LocationParameter { value: given.and_then(|given| given_value(given, &name)), name })
        .collect()
}

fn given_value<'t>(given: Object<'t>, name: &str) -> Option<Expr<'t>> {
    let is_named = |property: &ast::Property<'t>| {
        Name::cast(property.key()).and_then(Name::text).is_some_and(|key| key == name)
    };
    given.properties().find(is_named).map(ast::Property::value)
}

/// The names of the parameters in the file of a module: first those whose default is the location of the deployment,
/// then those that the location of some resource is computed from.
fn declared_location_parameters(view: &View<'_, '_>, module: Module<'_>) -> Vec<String> {
    let Some(Ok(target)) = view.bicep.reference(module.syntax()) else { return Vec::new() };
    let Unit::Bicep(bicep) = view.program.unit(target.file) else { return Vec::new() };
    let Some(model) = view.program.model(target.file) else { return Vec::new() };
    let parameters = bicep.tree().nodes_of(&[SyntaxKind::Param]).filter_map(ast::Param::cast);
    let mut names: Vec<String> = parameters
        .filter(|parameter| {
            let default = parameter.default().map(|it| it.value().syntax());
            default.is_some_and(|it| it.descendants().any(|inner| deployment_location(inner).is_some()))
        })
        .filter_map(|parameter| Some(parameter.name()?.text()?.to_owned()))
        .collect();
    for resource in bicep.tree().nodes_of(&[SyntaxKind::Resource]).filter_map(ast::Resource::cast) {
        let location = resource.body().and_then(|body| body.property("location"));
        for name in location.into_iter().flat_map(|it| defaulted_parameters(model, it.value().syntax())) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

/// The parameters with defaults in and under a node.
fn defaulted_parameters(model: &Model, node: Node<'_>) -> Vec<String> {
    let uses = node.descendants().filter(|inner| inner.kind() == SyntaxKind::VarAccess);
    uses.filter_map(|inner| {
        let symbol = model.symbol(model.bindings().symbol(inner)?);
        let parameter = ast::Param::cast(node.tree().node(symbol.declaration))?;
        let counts = symbol.kind == SymbolKind::Param && parameter.default().is_some();
        counts.then(|| symbol.name.as_ref().map(ToString::to_string)).flatten()
    })
    .collect()
}
