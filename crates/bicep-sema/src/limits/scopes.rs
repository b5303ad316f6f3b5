//! Whether a file can deploy its resources and modules to where they say, from where it is deployed itself.

use bicep_syntax::ast;
use bicep_types::ty::Scopes;

use super::Limits;
use crate::deployment_scope::DeploymentScope;
use crate::messages::limits as messages;
use crate::resource::Resource;

pub(super) fn check(ctx: &mut Limits<'_>) {
    let target = ctx.model.target_scope();
    let statements = ctx.tree().file().statements();
    for module in statements.filter_map(|statement| ast::Module::cast(statement.syntax())) {
        let symbol = ctx.model.declared(module.syntax().id());
        let place = symbol.and_then(|symbol| ctx.model.places().get(symbol));
        if place.is_some_and(|place| !is_reachable(target, place)) {
            let scope = module.body().and_then(|body| body.property("scope")).map(ast::Property::value);
            let range = scope.unwrap_or(module.value()).range();
            ctx.diagnostics.extend(messages::module_out_of_reach(range, target));
        }
    }
    let resources = ctx.view.deployed();
    resources.filter(|resource| !resource.is_existing).for_each(|resource| check_resource(ctx, resource));
}

/// Whether a file can deploy a module to a place.
fn is_reachable(target: Scopes, place: &DeploymentScope) -> bool {
    let anywhere = Scopes::TENANT | Scopes::MANAGEMENT_GROUP | Scopes::SUBSCRIPTION | Scopes::RESOURCE_GROUP;
    let below_subscription = Scopes::SUBSCRIPTION | Scopes::RESOURCE_GROUP;
    let from = match place.kind {
        Scopes::TENANT => anywhere,
        Scopes::MANAGEMENT_GROUP => Scopes::TENANT | Scopes::MANAGEMENT_GROUP,
        Scopes::RESOURCE_GROUP if place.resource_group.is_none() => Scopes::RESOURCE_GROUP,
        Scopes::SUBSCRIPTION | Scopes::RESOURCE_GROUP if place.subscription.is_some() => anywhere,
        Scopes::SUBSCRIPTION | Scopes::RESOURCE_GROUP => below_subscription,
        _ => Scopes::empty(),
    };
    from.contains(target)
}

/// Only modules leave the scope of the file.
fn check_resource(ctx: &mut Limits<'_>, resource: &Resource) {
    let (Some(statement), Some(ty)) = (ctx.statement(resource), ctx.resource_type(resource.symbol)) else {
        return;
    };
    let places = ctx.model.places();
    let Some(place) = places.get(resource.symbol).and_then(|place| places.root(*place)) else { return };
    let scope = statement.body().and_then(|body| body.last_property("scope")).map(ast::Property::value);
    let range = scope.unwrap_or(statement.value()).range();
    if !places.is_deployable(&place, ctx.model.target_scope()) {
        ctx.report(messages::resource_out_of_reach(range));
    }
    if !place.kind.is_empty() && ty.read_only_scopes.contains(place.kind) {
        let writable = ty.scopes - ty.read_only_scopes;
        ctx.report(messages::read_only_at_scope(range, &ty.reference, writable));
    }
}
